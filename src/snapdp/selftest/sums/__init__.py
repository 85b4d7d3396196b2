"""Sums of every engine against plain Python: a made-up table, what is asked of it, and both ways of answering."""
