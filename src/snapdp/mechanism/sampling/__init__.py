"""How numbers are drawn: input checked, most draws answered by a filter in doubles, the rest by the definition."""
