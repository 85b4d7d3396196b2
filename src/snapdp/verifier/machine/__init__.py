"""The machine that runs a program: how it rounds, what it draws, and what a program computes on it."""
