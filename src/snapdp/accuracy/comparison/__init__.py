"""Mechanisms side by side, for who asks what snapping costs and what the notes' rule and formulas are worth."""
