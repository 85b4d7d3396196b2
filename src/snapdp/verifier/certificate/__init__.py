"""Certificates of verdicts: the writer, and the independent checker."""
