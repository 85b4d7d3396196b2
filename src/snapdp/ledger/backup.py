"""Copies of a ledger that can be trusted: a backup that nobody can charge, and the way back from it.

Room: ledger. A plain copy of the file is refused when it is charged: two copies would each spend the whole cap; a
backup is such a copy, made while others go on, whole and durable. Bringing one back forgets whatever was spent since it
was made. Only a newer record can tell: so one is asked for.
"""

from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any

from snapdp.display import is_address
from snapdp.errors import LedgerError
from snapdp.ledger.accounts import COMMITTED, Verification
from snapdp.ledger.ledger import PATIENCE, Ledger, resolved
from snapdp.ledger.storage.sqlite import SqliteStorage

Path = str | os.PathLike[str]


def back_up(ledger: Path, file: Path, *, patience: float = PATIENCE) -> Verification:
    """Copy a ledger, if it is sound, into a new file that can be read and verified, but not charged."""
    target, storage = _file(file), _storage(ledger, patience)
    with Ledger._on(storage) as book:
        found = book.verify()
        storage.copy_to(target, to_be_charged=False)
    return found


def restore(
    backup: Path,
    ledger: Path,
    *,
    against: Mapping[str, Any] | str | None,
    none_was_published: bool = False,
    patience: float = PATIENCE,
) -> Verification:
    """Make a new ledger, which can be charged, of a backup or copy that is sound and holds the newest record.

    against   the newest record published from the ledger, or the newest head
    none_was_published   there is no record: the copy holds some, yet all of them are older than the copy or unpublished
    """
    target, storage = _file(ledger), _storage(backup, patience)
    with Ledger._on(storage) as book:
        found = book.verify(against)
        if against is None and not none_was_published and _has_answers(book):
            raise LedgerError(
                "a copy of a ledger that has answered is restored against the newest record.",
                "Give the newest record that was published: what was spent after the copy was made is forgotten.",
            )
        storage.copy_to(target, to_be_charged=True)
    return found


def _has_answers(book: Ledger) -> bool:
    return any(charge.state == COMMITTED for each in book.accounts() for charge in book.history(each.name))


def _storage(path: Path, patience: float) -> SqliteStorage:
    return SqliteStorage(_file(path), patience=patience)


def _file(path: Path) -> pathlib.Path:
    """Return the full path of a ledger in a file; refuse the address of a server, to copy from or to."""
    if is_address(path):
        raise LedgerError(
            "this ledger is kept by a server.", "Its administrator backs the database up, with the server's own tools."
        )
    return resolved(path)
