"""Releases: the only room where private integers, random bits and the ledger meet."""
