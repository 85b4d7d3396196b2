"""How releases look on a terminal."""
