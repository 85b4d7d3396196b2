"""Audits of releases: everything public in a record derived again, and a checker that can be run alone."""
