"""Releases: the request, the ledger that charges it, the draw, the record."""
