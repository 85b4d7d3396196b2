"""What a ledger's file is made of: the tables and rules that its steps make, by their own text.

Room: ledger. Runs on a connection it is given. SQLite keeps the text of every table, index and trigger as it was
written. What a file of some format must have is what the steps up to it make in an empty database in memory: there is
no second list of it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from snapdp.ledger.migrations import Migration

Run = Callable[..., list[tuple[Any, ...]]]


def apply(run: Run, step: Migration, *, seal: str, home: str) -> None:
    """Run a step within the caller's transaction: `seal` is the ledger's in its format, `home` the file's inode."""
    for statement in statements(step.text):
        run(statement, {"seal": seal, "home": home})


def schema(run: Run) -> dict[str, str]:
    """Return every table, index and trigger of a database, by name."""
    return dict(run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))


def schema_of(steps: Sequence[Migration]) -> dict[str, str]:
    """Return what a file has to which these steps were applied, and no others."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:

        def run(statement: str, fields: Any = ()) -> list[tuple[Any, ...]]:
            return connection.execute(statement, fields).fetchall()

        for step in steps:
            apply(run, step, seal="", home="")
        return schema(run)


def statements(text: str) -> list[str]:
    """Return the statements of a step. Not by `executescript`, which would end the transaction it runs in."""
    found, part = [], ""
    for line in text.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            found.append(part.strip())
            part = ""
    return [*found, part] if part.strip() else found  # a statement that has no end: SQLite says so
