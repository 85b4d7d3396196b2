"""One connection to a ledger's file, and whether it sees the file as it is.

Room: ledger. Knows no table but `place`. What the mark in the first page means, and when it moves, is told in
sqlite_file.py. SQLite keeps a log (NAME-wal) and an index of it (NAME-shm) beside the name. A connection is as good as
these two: it is trusted while they are the files it opened, and while the mark is the one it has seen.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from pathlib import Path
from typing import Any

from snapdp.errors import LedgerError
from snapdp.ledger.storage import connections
from snapdp.ledger.storage.inode import Inode
from snapdp.ledger.storage.sqlite_failures import DAMAGED, FORKED, LACKING, MISUSED, NO_LEDGER, SENTENCES, sentence
from snapdp.ledger.storage.storage import OTHER_VERSION

Fields = tuple[Any, ...] | dict[str, Any]  # what ? or :name stands for in a statement
APPLICATION = 0x534E4450  # "SNDP" in the file's header
SETTINGS = (
    "synchronous = FULL",
    "fullfsync = ON",
    "checkpoint_fullfsync = ON",
    "trusted_schema = OFF",
    "wal_autocheckpoint = 0",
)


class SqliteLink:
    """A connection to one file, for one thread of one process, or none."""

    def __init__(self, path: Path, *, patience: float, fresh: bool = False) -> None:
        self.path = path
        self._patience = patience
        self._fresh = fresh
        self._owner = _whoever()
        self._mark: int | None = None  # the mark that the connection was last seen to agree with
        self._beside: tuple[int | None, ...] = ()  # the inodes of log and index that the connection uses
        self._wrote = False  # since it was connected
        self._home: str | None = None
        self._reader: sqlite3.Connection | None = None  # it cannot write, and guards the log: see `drop`
        self.connection: sqlite3.Connection | None = None
        try:
            self.inode = Inode(path)
        except OSError as error:
            denied = isinstance(error, PermissionError)
            code = sqlite3.SQLITE_PERM if denied else sqlite3.SQLITE_CANTOPEN
            failure = self.refused(*SENTENCES[code])
        else:
            self.is_open = True
            self._log_path, self._index_path = f"{self.inode.path}-wal", f"{self.inode.path}-shm"
            return
        raise failure

    def run(self, statement: str, fields: Fields = ()) -> list[tuple[Any, ...]]:
        """Run a statement; every failure is a LedgerError that carries nothing of SQLite's own."""
        self._check_owner()
        if self.connection is None:
            raise self.refused(*MISUSED)
        return self._run_on(self.connection, statement, fields)

    def refused(self, what: str, advice: str) -> LedgerError:
        lacking = {"lacking": "ledger"} if (what, advice) in LACKING else {}
        return LedgerError(f"the ledger {str(self.path)!r} {what}", advice, **lacking)

    def is_mine(self) -> bool:
        return self.is_open and self._owner == _whoever()

    def drop(self) -> None:
        """Disconnect and leave the log as it is, as a process does that is killed.

        SQLite's last connection brings its log into the file, wanted or not; one that only reads cannot. So the reader
        goes last. It is not opened here, where descriptors or memory may have run out: whoever connects to a file that
        may have a log, or moves the mark, has it by then (`_guard`). Elsewhere there is nothing in the log.
        """
        self._disconnect(self.connection, self._reader)

    # Whether it sees the file as it is

    def _is_current(self) -> bool:
        """Return whether the connection sees the file as it is: no mark was moved, no log put in the place of its own.

        A log that was removed is nobody else's: its mark keeps everybody out.
        """
        if self.connection is None or self._mark != self._marked():
            return False
        return all(new in (None, old) for old, new in zip(self._beside, self._found_beside(), strict=True))

    def _agrees(self, mark: int) -> bool:
        """Return whether the connection sees the file with the mark: not if another name of it went on."""
        if self._beside != self._found_beside():
            return False
        with contextlib.suppress(LedgerError):  # what it has in mind of the file is stale; the file need not be damaged
            if mark % 2:
                return mark in self.run("SELECT log, before FROM place")[0]
            return mark > 0 and self.run("PRAGMA user_version") == [(mark,)]
        return False

    def _log_is_here(self, mark: int) -> bool:
        """Look for the log that the mark asks for, without changing anything."""
        made = [path for path in map(Path, (self._log_path, self._index_path)) if not os.path.exists(path)]
        logged = self._log_size() > 0
        found: list[tuple[Any, ...]] = []
        probe = self._connected("ro")
        try:
            found = self._run_on(probe, "SELECT log, before FROM place")
        except LedgerError as error:
            unseen = self.refused(*SENTENCES[sqlite3.SQLITE_CANTOPEN]).problem
            if logged or error.problem == unseen:  # there is a log, and it cannot be read; or nothing can
                raise
        finally:
            connections.close(probe)
            self.inode.connected(is_so=False)
            for path in made:
                path.unlink(missing_ok=True)
        return bool(found) and mark in found[0]

    # Connecting

    def _open_as_it_is(self) -> bool:
        """Connect to a file without log; False if others keep an index (NAME-shm) that tells less than the file has."""
        try:
            self._open()
            (pages,), (size,) = self.run("PRAGMA page_count")[0], self.run("PRAGMA page_size")[0]
            fits = bool(pages * size >= self.inode.size())
        except LedgerError as error:
            self._disconnect()
            if error.problem == self.refused(*DAMAGED).problem and self.inode.is_open_elsewhere():
                return False
            raise
        if not fits:
            self._disconnect()
        return fits

    def _open(self) -> None:
        self.connection = self._connected("rw")
        self._home = None
        owner = [(APPLICATION,)] if self._fresh else self.run("PRAGMA application_id")
        if owner != [(APPLICATION,)]:
            raise self.refused(*(NO_LEDGER if owner == [(0,)] else OTHER_VERSION))
        if self.run("PRAGMA journal_mode = WAL") != [("wal",)]:
            raise self.refused("cannot keep a write-ahead log.", "Keep the ledger on a local disk.")
        for setting in SETTINGS:
            self.run(f"PRAGMA {setting}")
        self._beside = self._found_beside()

    def _guard(self) -> None:
        """Have a connection that only reads, with the log open in it: from here on `drop` needs nothing more."""
        if self._reader is None:
            self._reader = self._connected("ro")
        self._run_on(self._reader, "PRAGMA schema_version")  # SQLite opens the log when it first reads

    def _connected(self, mode: str) -> sqlite3.Connection:
        # By the name this process uses already, if it does: SQLite itself takes two names for two files.
        if self.inode.is_inherited():
            raise self.refused(*FORKED)
        self.inode.connected(is_so=True)
        try:
            return connections.connect(self.inode.path, mode=mode, milliseconds=self._milliseconds())
        except sqlite3.Error as error:
            failure = self.refused(*sentence(error))
        except BaseException:
            self.inode.connected(is_so=self.connection is not None)
            raise
        self.inode.connected(is_so=self.connection is not None)
        raise failure

    def _disconnect(self, *ordered: sqlite3.Connection | None) -> None:
        """Close all connections, in the order given; otherwise the one that writes is last, and clears its log away."""
        for connection in ordered or (self._reader, self.connection):
            if connection is not None:
                connections.close(connection)
        self._reader = self.connection = self._mark = None
        self._wrote = False
        self.inode.connected(is_so=False)

    def _run_on(self, connection: sqlite3.Connection, statement: str, fields: Fields = ()) -> list[tuple[Any, ...]]:
        failure: LedgerError
        try:
            return connection.execute(statement, fields).fetchall()
        except sqlite3.Error as error:
            failure = self.refused(*sentence(error))
        except UnicodeError:  # SQLite's complaint quotes a damaged page, and Python cannot decode it
            failure = self.refused(*DAMAGED)
        raise failure  # outside the handler: SQLite's own words, which may quote the file, travel nowhere

    # Inside

    def _check_owner(self) -> None:
        if not self.is_mine():
            raise self.refused(*MISUSED)

    def _marked(self) -> int:
        return self.inode.mark(APPLICATION)

    def _found_beside(self) -> tuple[int | None, ...]:
        return _inode_of(self._log_path), _inode_of(self._index_path)

    def _log_size(self) -> int:
        try:
            return os.stat(self._log_path).st_size
        except OSError:
            return 0

    def _milliseconds(self) -> int:
        return max(0, round(1000 * self._patience))


def is_whole(mark: int) -> bool:
    """Return whether a file with the mark is complete without a log; that of an interrupted making, 0, is not."""
    return mark > 0 and mark % 2 == 0


def _whoever() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _inode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
