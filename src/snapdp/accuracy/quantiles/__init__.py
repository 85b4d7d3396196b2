"""Ranks from a tree of counts: how far sums of its first cells err, and quantiles with intervals."""
