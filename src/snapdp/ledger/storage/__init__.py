"""Where a ledger is kept: one file under SQLite, or a database of PostgreSQL."""
