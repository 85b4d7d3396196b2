"""Commands from which one learns: the demo."""
