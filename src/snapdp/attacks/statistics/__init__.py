"""Attacks on statistics of a table: how they are summed, what they divide by, how many of them move."""
