"""The schema of each store, one SQL file beside this one: its text, and the digest that every ledger keeps of it.

A ledger is written by one schema for ever: it keeps the digest of the file that made it, and a library
whose file has another digest refuses it. What a database must have is what the file makes in an empty one: there is no
second list of it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snapdp.ledger.storage.storage import UnavailableError

Run = Callable[..., list[tuple[Any, ...]]]


@functools.cache
def schema_text(store: str) -> str:
    """Return the SQL that makes the tables and rules of a store, "sqlite" or "postgres"."""
    try:
        return Path(__file__).with_name(f"{store}.sql").read_text(encoding="utf-8")
    except OSError:
        failure = UnavailableError(
            "the file that makes the tables of a ledger cannot be read.",
            "It is a file of this library: is it installed whole, and has this process too many files open? "
            "Nothing was spent.",
        )
    raise failure


@functools.cache
def schema_digest(store: str) -> str:
    """Return the digest of the schema of a store, as a ledger keeps it."""
    return hashlib.sha256(schema_text(store).encode()).hexdigest()


def make_schema(run: Run) -> None:
    """Make the tables and rules of a file, within the caller's transaction: each statement is a line."""
    for line in schema_text("sqlite").splitlines():
        if line and not line.startswith("--"):
            run(line)


def schema_of(run: Run) -> dict[str, str]:
    """Return every table, index and trigger of a file, by name. SQLite keeps the text of each as it was written."""
    return dict(run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def expected_schema() -> dict[str, str]:
    """Return what `schema_of` says of a file that was made just now."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:

        def run(statement: str) -> list[tuple[Any, ...]]:
            return connection.execute(statement).fetchall()

        make_schema(run)
        return schema_of(run)
