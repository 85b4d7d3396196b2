"""Statistics of the ranks of rows: what follows from counts of ordered cells."""
