"""Flags that several commands share, and what their words may be."""
