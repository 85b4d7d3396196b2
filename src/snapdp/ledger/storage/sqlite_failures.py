"""What a ledger in a file says when it cannot be used: one fixed sentence for each failure, and what to do.

Room: ledger. SQLite's own messages may quote the file: none is passed on.
"""

from __future__ import annotations

import sqlite3

from snapdp.errors import LedgerError
from snapdp.ledger.storage.storage import NOTHING_DONE, UnavailableError

NOT_OPENED = "Nothing was spent."  # nothing was asked of it: whoever only reads has spent nothing
SENTENCES = {
    sqlite3.SQLITE_FULL: ("has no room: the disk is full.", f"Make room and try again. {NOTHING_DONE}"),
    sqlite3.SQLITE_BUSY: (
        "is locked: another process has been writing for too long.",
        f"Wait for it, or look for a process that hangs. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_READONLY: (
        "cannot be written: file or directory is read-only.",
        f"A ledger must be writable to charge a release. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_PERM: ("may not be opened: permission is missing.", NOT_OPENED),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened.",
        "The file must exist, in a directory that can be written, on a local disk, and this process must not have too "
        f"many files open. {NOT_OPENED}",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error, or no room.",
        f"Check the disk, then verify the ledger. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged: its database cannot be read.",
        f"Keep the file and restore the newest copy; check it against the newest record. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_NOTADB: (
        "is no ledger: the file is no database.",
        f"It is left as it is: name another file. {NOT_OPENED}",
    ),
    sqlite3.SQLITE_CONSTRAINT: (
        "refused an entry that contradicts those it has.",
        f"Verify the ledger. {NOTHING_DONE}",
    ),
}
SENTENCES[sqlite3.SQLITE_LOCKED] = SENTENCES[sqlite3.SQLITE_BUSY]
OTHER = ("failed in its database.", f"Verify the ledger. {NOTHING_DONE}")
MISUSED = ("was closed, or opened in another thread or process.", f"Open it where it is used. {NOTHING_DONE}")
NO_LEDGER = (
    "is no ledger of this library.",
    "If its creation was interrupted it holds nothing: remove it and create it again.",
)
NO_LOG = (
    "needs its log, which is not beside it.",
    "The -wal file was lost, or left out when the ledger was copied, or is beside another name of the file: use that "
    "name, put the log back, or restore a backup. No release was made.",
)
OTHER_NAME = (
    "is in use through another name of the file.",
    "Use that name, or wait until it is closed there. No release was made.",
)
OTHER_PROGRAM = (
    "is open in another program, which does not keep its rules.",
    "Close that program and try again. The ledger is as it was, and no release was made.",
)
FORKED = (
    "was open when this process was forked.",
    "Close the ledger before forking and open it afterwards, or start processes afresh. No release was made.",
)
REPLACED = (
    "was moved or replaced while it was in use.",
    "Open it where it is now, and verify it against the newest record. No release was made.",
)
COPY = (
    "is a copy: it can be read, but not charged.",
    "Two copies would each spend the whole cap. Use the ledger itself; if it is lost, restore this copy, against the "
    "newest record. Nothing was spent.",
)
TWO_NAMES = ("has two names.", "Remove the second one: this system cannot lock the file itself. Nothing was spent.")
LACKING = (SENTENCES[sqlite3.SQLITE_NOTADB], NO_LEDGER)  # there is no ledger: one may be created
DAMAGED = SENTENCES[sqlite3.SQLITE_CORRUPT]
NOT_NOW = ("FULL", "BUSY", "PERM", "CANTOPEN", "IOERR")
FAILURES = (MISUSED[0], *(SENTENCES[getattr(sqlite3, f"SQLITE_{each}")][0] for each in NOT_NOW))


def is_failure(error: LedgerError) -> bool:
    """Tell whether an error is of the disk or the server, and so says nothing about what the ledger holds."""
    return isinstance(error, UnavailableError) or error.problem.endswith(FAILURES)


def sentence(error: sqlite3.Error) -> tuple[str, str]:
    """Return what to say of an error of SQLite, and what to do."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return MISUSED if isinstance(error, sqlite3.ProgrammingError) else OTHER
    return SENTENCES.get(code & 0xFF, OTHER)
