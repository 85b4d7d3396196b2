"""Verdicts and derivations for readers: text, pages, pictures, lines of Python."""
