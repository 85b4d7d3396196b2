"""A self-test of the installed machine: what releases rest on, compared with answers that are known."""
