"""Releases: the only package where private integers, random bits and the ledger meet."""
