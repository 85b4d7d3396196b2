"""Connections to SQLite that end where they began: a forked child never closes those of its parent.

Room: ledger. SQLite's last connection to a file brings its log into it and removes the log by its name. In a forked
child the copy of a connection has none of the locks that make this safe, and Python would close it whenever it collects
it, at the latest when the child ends: it would take away the log of whoever uses the ledger then. So the child keeps
what it inherited, unused, until the kernel takes it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sqlite3
from pathlib import Path

_OPEN: set[sqlite3.Connection] = set()


def connect(path: Path, *, mode: str, milliseconds: int) -> sqlite3.Connection:
    """Open a connection that waits so long for others; sqlite3.Error if it cannot be done."""
    connection = sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, isolation_level=None)
    _OPEN.add(connection)
    try:
        connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
    except BaseException:
        close(connection)
        raise
    return connection


def close(connection: sqlite3.Connection) -> None:
    with contextlib.suppress(sqlite3.Error):
        connection.close()
    _OPEN.discard(connection)


def _keep() -> None:
    """In a forked child: let no inherited connection be collected, not even at the end of the interpreter."""
    for connection in list(_OPEN):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
    _OPEN.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_keep)
