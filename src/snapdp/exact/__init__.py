"""Arithmetic that never rounds unasked: numbers in, rationals and enclosures out."""
