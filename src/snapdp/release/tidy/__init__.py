"""Released numbers as a table of one row each, and the dictionary that says what its columns mean."""
