"""A ledger's file under SQLite: transactions that nobody else can be in, and a log that cannot be lost unseen.

Room: release. Imports errors, inode and sqlite_failures; knows no table but `place`.
Idea: SQLite's log (NAME-wal) holds commits that the file itself has not got yet. So the file carries a mark, in its
first page (user_version): even, the file is complete and any log beside it is worthless; odd, the file needs the log
whose `place` names that mark. Before the first commit the mark is made odd, after the last it is made even again, and
whoever finds it odd without its log refuses. Each step is one page, or is covered by the step before it.
All of it happens under the lock of the inode: a second name of the file sees the mark, not the log, and is refused.
Trusts: SQLite in WAL mode with synchronous = FULL (a commit is on the disk when it returns; NORMAL may forget the last
commits at a power loss, which would hand budget back); a checkpoint never passes the snapshot of a reader. WAL needs a
local disk: no network file systems.
Theory: docs/theory/ledger.md, (8)-(9).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from snapdp.errors import LedgerError
from snapdp.release.inode import LOCKABLE, Inode
from snapdp.release.sqlite_failures import (
    COPY,
    DAMAGED,
    MISUSED,
    NO_LEDGER,
    NO_LOG,
    OTHER_NAME,
    REPLACED,
    SENTENCES,
    TWO_NAMES,
    sentence,
)

APPLICATION = 0x736E6470  # "sndp" in the file's header
LARGEST_LOG = 4 * 2**20  # bytes; then its content is brought into the file
LAST_WAIT = 1.0  # seconds that a ledger which is being closed waits for others
GLANCE = 0.01  # seconds between two looks at a file that is in use through another name
SETTINGS = (
    "synchronous = FULL",
    "fullfsync = ON",
    "checkpoint_fullfsync = ON",
    "trusted_schema = OFF",
    "wal_autocheckpoint = 0",
)


class SqliteFile:
    """Connections to one file, for one thread of one process. `upgrade` makes a file of an older format a new one."""

    def __init__(self, path: Path, *, patience: float, upgrade: Callable[[], None], fresh: bool = False) -> None:
        self.path = path
        self._patience = patience
        self._upgrade = upgrade
        self._fresh = fresh
        self._owner = _whoever()
        self._mark: int | None = None  # the mark that the connection was last seen to agree with
        self._largest_log = LARGEST_LOG
        self._log: int | None = None
        self._home: str | None = None
        self._reader: sqlite3.Connection | None = None
        self.connection: sqlite3.Connection | None = None
        try:
            self.inode = Inode(path)
        except OSError as error:
            denied = isinstance(error, PermissionError)
            code = sqlite3.SQLITE_PERM if denied else sqlite3.SQLITE_CANTOPEN
            failure = self.refused(*SENTENCES[code])
        else:
            self.is_open = True
            self._log_path = f"{self.inode.path}-wal"
            return
        raise failure

    # Transactions

    def begin(self, *, writing: bool) -> None:
        """Lock the file, make sure that what is seen is what it holds, and start a transaction."""
        self._check_owner()
        try:
            self._acquire(alone=writing)
            if self.connection is None or self._mark != self._marked():
                if not writing:
                    self.inode.release()
                    self._acquire(alone=True)
                self._settle()
            if writing:
                self._prepare()
            self.run("BEGIN IMMEDIATE" if writing else "BEGIN")
            if not writing and self._needs_log():
                # From here on SQLite keeps the snapshot, and the log keeps other names away: nobody need wait.
                self.run("SELECT log FROM place")
                self.inode.release()
        except BaseException:
            self.rollback()
            raise

    def commit(self) -> None:
        self.run("COMMIT")
        self.inode.release()

    def finish(self) -> None:
        """Commit the transaction that made a fresh file, and bring it into the file."""
        self.run("COMMIT")
        self.checkpoint()
        self._fresh = False
        self.inode.release()

    def is_mine(self) -> bool:
        return self.is_open and self._owner == _whoever()

    def rollback(self) -> None:
        if self.is_mine():
            with contextlib.suppress(sqlite3.Error):
                if self.connection is not None:
                    self.connection.rollback()
            self.inode.release()

    def close(self) -> None:
        """Bring the log into the file, if nobody else is at it, and let go."""
        if not self.is_mine():
            return  # in another process: a copy of the parent's; closing it here would drop the parent's locks
        complete = False
        with contextlib.suppress(LedgerError, OSError):
            if self.connection is not None and self.inode.acquire(alone=True, patience=min(LAST_WAIT, self._patience)):
                complete = self._completed()
        if not complete:
            self.drop()
        self._disconnect()
        self.is_open = False
        self.inode.close()

    def __del__(self) -> None:
        """Close a ledger that nobody closed."""
        with contextlib.suppress(Exception):
            self.close()

    def drop(self) -> None:
        """Disconnect and leave the log as it is, as a process does that is killed."""
        guard: sqlite3.Connection | None = None
        with contextlib.suppress(sqlite3.Error, UnicodeError, LedgerError):
            if self.connection is not None:
                # SQLite's last connection brings its log into the file, wanted or not; one that only reads cannot.
                guard = self._connected("ro")
                guard.execute("PRAGMA schema_version").fetchall()
        self._disconnect()
        if guard is not None:
            guard.close()

    def run(self, statement: str, fields: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        """Run a statement; every failure is a LedgerError that carries nothing of SQLite's own."""
        self._check_owner()
        if self.connection is None:
            raise self.refused(*MISUSED)
        return self._run_on(self.connection, statement, fields)

    def refused(self, what: str, advice: str) -> LedgerError:
        return LedgerError(f"the ledger {str(self.path)!r} {what}", advice)

    # Settling: a connection that sees the file as it is. Alone at the inode.

    def _settle(self) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            mark = self._marked()
            if self.connection is not None and not self._agrees(mark):
                self.drop()
            if self.connection is not None or self._connected_with(mark):
                self._mark = self._marked()
                return
            if not self.inode.is_open_elsewhere():
                raise self.refused(*NO_LOG)
            if time.monotonic() > deadline:
                raise self.refused(*OTHER_NAME)
            self.inode.release()
            time.sleep(GLANCE)
            self._acquire(alone=True)

    def _agrees(self, mark: int) -> bool:
        """Return whether the connection sees the file with the mark: not if another name of it went on."""
        if self._log != _inode_of(self._log_path):
            return False
        if mark % 2:
            return mark in self.run("SELECT log, before FROM place")[0]
        return mark > 0 and self.run("PRAGMA user_version") == [(mark,)]

    def _connected_with(self, mark: int) -> bool:
        """Connect, and return True; False if the file needs a log that is not there."""
        if not self.inode.is_at(self.path):
            raise self.refused(*REPLACED)
        logged = self._log_size() > 0
        if mark % 2 and not self._log_is_here(mark):
            return False
        if mark and not mark % 2 and logged:  # the file is complete: a killed process left this, or it is another's
            for suffix in ("-wal", "-shm"):
                self._beside(suffix).unlink(missing_ok=True)
        try:
            self._open()
            if mark % 2 and not logged:  # another program closed it, and put all of it into the file
                self._complete()
        except LedgerError:
            self.drop()
            raise
        self._log = _inode_of(self._log_path)
        return True

    def _log_is_here(self, mark: int) -> bool:
        """Look for the log that the mark asks for, without changing anything."""
        made = [path for path in map(self._beside, ("-wal", "-shm")) if not path.exists()]
        logged = self._log_size() > 0
        found: list[tuple[Any, ...]] = []
        probe = self._connected("ro")
        try:
            found = self._run_on(probe, "SELECT log, before FROM place")
        except LedgerError:
            if logged:  # there is a log, and it cannot be read
                raise
        finally:
            probe.close()
            for path in made:
                path.unlink(missing_ok=True)
        return bool(found) and mark in found[0]

    def _open(self) -> None:
        self.connection = self._connected("rw")
        self._home = None
        if not self._fresh and self.run("PRAGMA application_id") != [(APPLICATION,)]:
            raise self.refused(*NO_LEDGER)
        if self.run("PRAGMA journal_mode = WAL") != [("wal",)]:
            raise self.refused("cannot keep a write-ahead log.", "Keep the ledger on a local disk.")
        for setting in SETTINGS:
            self.run(f"PRAGMA {setting}")

    # The mark. Alone at the inode.

    def _prepare(self) -> None:
        """See to it that a commit can follow: in the ledger itself, which says that it needs its log."""
        if not self.inode.is_at(self.path):
            raise self.refused(*REPLACED)
        if not LOCKABLE and self.inode.names > 1:
            raise self.refused(*TWO_NAMES)
        if self._mark == 0:
            if self._fresh:
                return
            self._upgrade()
            self._mark = self._marked()
        if self._home is None:
            self._home = self.run("SELECT home FROM place")[0][0]
        if self._home != str(self.inode.number):
            raise self.refused(*COPY)
        if self._needs_log() and self._log_size() > self._largest_log:
            self._complete()
            self._largest_log = 2 * self._log_size() if self._needs_log() else LARGEST_LOG
        if not self._needs_log():
            if self._log != _inode_of(self._log_path):  # SQLite's locks were dropped, and somebody swept its log away
                self.drop()
                self._settle()
            self._move_mark()
            if not self._needs_log():
                raise self.refused(*SENTENCES[sqlite3.SQLITE_BUSY])

    def _needs_log(self) -> bool:
        return bool(self._mark and self._mark % 2)

    def _completed(self) -> bool:
        """Return whether the file is complete without its log, after making it so if possible."""
        if self._mark != self._marked():
            self._settle()
        if self._needs_log():
            self._complete()
        return not self._needs_log()

    def _complete(self) -> None:
        """Bring the whole log into the file; the mark says so last. A reader in the log puts it off."""
        self._move_mark()  # covers the time in which some pages are in the file and others are not
        self.run(f"PRAGMA user_version = {_token(odd=False)}")
        self.checkpoint()

    def checkpoint(self) -> None:
        """Bring what the log holds into the file, and empty it, unless somebody reads in it."""
        self.run("PRAGMA busy_timeout = 0")  # a reader may take its time, and this can be done another time
        self.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self.run(f"PRAGMA busy_timeout = {self._milliseconds()}")
        self._mark = self._marked()

    def _move_mark(self) -> None:
        """Put a new mark into the file, with all that was committed before, but leave its name in the log only.

        A checkpoint stops at the snapshot of a reader: what is written after it began stays in the log.
        """
        mark = _token(odd=True)
        try:
            self.run(f"PRAGMA user_version = {mark}")
            if self._reader is None:
                self._reader = self._connected("rw")
            self._run_on(self._reader, "BEGIN")
            self._run_on(self._reader, "SELECT log FROM place")
            self.run("UPDATE place SET log = ?, before = ?", (mark, self._marked()))
            self.run("PRAGMA wal_checkpoint(PASSIVE)")
            self._run_on(self._reader, "ROLLBACK")
            self._synced()
        except BaseException:
            self.drop()
            raise
        self._mark = self._marked()

    def _synced(self) -> None:
        try:
            self.inode.sync()
        except OSError:
            failure = self.refused(*SENTENCES[sqlite3.SQLITE_IOERR])
        else:
            return
        raise failure

    # Inside

    def _check_owner(self) -> None:
        if not self.is_mine():
            raise self.refused(*MISUSED)

    def _acquire(self, *, alone: bool) -> None:
        if not self.inode.acquire(alone=alone, patience=self._patience):
            raise self.refused(*SENTENCES[sqlite3.SQLITE_BUSY])

    def _marked(self) -> int:
        return self.inode.mark(APPLICATION)

    def _beside(self, suffix: str) -> Path:
        return self.inode.path.with_name(self.inode.path.name + suffix)

    def _log_size(self) -> int:
        try:
            return os.stat(self._log_path).st_size
        except OSError:
            return 0

    def _connected(self, mode: str) -> sqlite3.Connection:
        # By the name this process uses already, if it does: SQLite itself takes two names for two files.
        try:
            connection = sqlite3.connect(f"{self.inode.path.as_uri()}?mode={mode}", uri=True, isolation_level=None)
            connection.execute(f"PRAGMA busy_timeout = {self._milliseconds()}")
        except sqlite3.Error as error:
            failure = self.refused(*sentence(error))
        else:
            return connection
        raise failure

    def _milliseconds(self) -> int:
        return max(0, round(1000 * self._patience))

    def _disconnect(self) -> None:
        for connection in (self._reader, self.connection):
            if connection is not None:
                with contextlib.suppress(sqlite3.Error):
                    connection.close()
        self._reader = self.connection = self._mark = None

    def _run_on(
        self, connection: sqlite3.Connection, statement: str, fields: tuple[Any, ...] = ()
    ) -> list[tuple[Any, ...]]:
        failure: LedgerError
        try:
            return connection.execute(statement, fields).fetchall()
        except sqlite3.Error as error:
            failure = self.refused(*sentence(error))
        except UnicodeError:  # SQLite's complaint quotes a damaged page, and Python cannot decode it
            failure = self.refused(*DAMAGED)
        raise failure  # outside the handler: SQLite's own words, which may quote the file, travel nowhere


def _whoever() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def new_mark() -> int:
    """Return the mark of a file that needs no log."""
    return _token(odd=False)


def _token(*, odd: bool) -> int:
    """Return a mark that no log of this ledger had before, but for one chance in a thousand million."""
    return 2 * (1 + secrets.randbelow(2**30 - 1)) + odd


def _inode_of(path: str) -> int | None:
    try:
        return os.stat(path).st_ino
    except OSError:
        return None
