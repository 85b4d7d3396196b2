"""The snapping mechanism: its parameters, its definition, how it is drawn (sampling) and what it does (law)."""
