"""Commands from which one learns: the demo and the tour."""
