"""A study as the words of a command: what a person would type to ask for exactly it."""
