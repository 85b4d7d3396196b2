"""The SQL that makes the tables of a ledger, as it is run."""

from __future__ import annotations

from snapdp_reference.api import SOURCE
from snapdp_reference.markdown import fenced


def ledger_schema(store: str) -> str:
    """Return the SQL of a store, `sqlite`."""
    return fenced((SOURCE / "ledger" / "storage" / f"{store}.sql").read_text(encoding="utf-8").strip(), "sql")
