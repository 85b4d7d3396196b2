"""A ledger's file under SQLite: transactions that nobody else can be in, and a log that cannot be lost unseen.

Room: release. Imports errors, connections, inode and sqlite_failures; knows no table but `place`.
Idea: SQLite's log (NAME-wal) holds commits that the file itself has not got yet. So the file carries a mark, in its
first page (user_version): even, the file is complete and any log beside it is worthless; odd, the file needs the log
whose `place` names that mark. Before the first commit the mark is made odd, after the last it is made even again, and
whoever finds it odd without its log refuses. Each step is one page, or is covered by the step before it.
All of it happens under the lock of the inode: a second name of the file sees the mark, not the log, and is refused.
Whoever only read does not stay connected, and neither does anybody while the mark is even: what SQLite keeps beside the
name (NAME-shm) lives as long as a connection, and would be wrong once the file grew through another name. The mark is
made even by the last who leaves, and a log is thrown away only if nobody else has the file open.
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
from snapdp.release import connections
from snapdp.release.inode import LOCKABLE, Inode
from snapdp.release.sqlite_failures import (
    COPY,
    DAMAGED,
    FORKED,
    MISUSED,
    NO_LEDGER,
    NO_LOG,
    OTHER_NAME,
    OTHER_PROGRAM,
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
        self._beside: tuple[int | None, ...] = ()  # the inodes of log and index that the connection uses
        self._wrote = False
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
            self._log_path, self._index_path = f"{self.inode.path}-wal", f"{self.inode.path}-shm"
            return
        raise failure

    # Transactions

    def begin(self, *, writing: bool) -> None:
        """Lock the file, make sure that what is seen is what it holds, and start a transaction."""
        self._check_owner()
        try:
            self._acquire(alone=writing)
            if not self._is_current() and (writing or not self._joined()):
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
        self._rest()

    def finish(self) -> None:
        """Commit the transaction that made a fresh file, and bring it into the file."""
        self.run("COMMIT")
        self.checkpoint()
        self._fresh = False
        self._rest()

    def is_mine(self) -> bool:
        return self.is_open and self._owner == _whoever()

    def rollback(self) -> None:
        if self.is_mine():
            with contextlib.suppress(sqlite3.Error):
                if self.connection is not None:
                    self.connection.rollback()
            self._rest()

    def close(self) -> None:
        """Bring the log into the file, if nobody else is at it, and let go."""
        if not self.is_mine():
            return  # in another process: a copy of the parent's; closing it here would drop the parent's locks
        self.rollback()
        if self.connection is not None:
            self._leave()
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
        self._disconnect(guard)

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
        while (obstacle := self._obstacle()) is not None:
            if time.monotonic() > deadline:
                raise self.refused(*obstacle)
            self.inode.release()
            time.sleep(GLANCE)
            self._acquire(alone=True)
        self._mark = self._marked()

    def _obstacle(self) -> tuple[str, str] | None:
        """Connect, if the connection that is there does not do; return what must first go away, if anything."""
        mark = self._marked()
        if self.connection is not None and not self._agrees(mark):
            self.drop()
        if self.connection is not None:
            return None
        if not self.inode.is_at(self.path):
            raise self.refused(*REPLACED)
        if mark % 2 and not self._log_is_here(mark):
            if not self.inode.is_open_elsewhere():
                raise self.refused(*NO_LOG)
            return OTHER_NAME
        if _is_whole(mark):
            return None if self._swept() and self._open_as_it_is() else OTHER_PROGRAM
        self._open_with_log(mark)
        return None

    def _is_current(self) -> bool:
        """Return whether the connection sees the file as it is: no mark was moved, no log put in the place of its own.

        A log that was removed is nobody else's: its mark keeps everybody out.
        """
        if self.connection is None or self._mark != self._marked():
            return False
        return all(new in (None, old) for old, new in zip(self._beside, self._found_beside(), strict=True))

    def _joined(self) -> bool:
        """Return whether a file that needs no log could be opened beside others that read it."""
        mark = self._marked()
        if self.connection is not None or not _is_whole(mark) or self._log_size() or not self.inode.is_at(self.path):
            return False
        self._mark = mark if self._open_as_it_is() else None
        return self._mark is not None

    def _agrees(self, mark: int) -> bool:
        """Return whether the connection sees the file with the mark: not if another name of it went on."""
        if self._beside != self._found_beside():
            return False
        with contextlib.suppress(LedgerError):  # what it has in mind of the file is stale; the file need not be damaged
            if mark % 2:
                return mark in self.run("SELECT log, before FROM place")[0]
            return mark > 0 and self.run("PRAGMA user_version") == [(mark,)]
        return False

    def _swept(self) -> bool:
        """Remove the log of a file that is complete: a killed process left it. False if somebody may be using it."""
        return not self._log_size() or self.inode.sweep(Path(self._log_path), Path(self._index_path))

    def _open_as_it_is(self) -> bool:
        """Connect to a file without log; False if others keep an index (NAME-shm) that tells less than the file has."""
        try:
            self._open()
            (pages,), (size,) = self.run("PRAGMA page_count")[0], self.run("PRAGMA page_size")[0]
            fits = pages * size >= self.inode.size()
        except LedgerError as error:
            self._disconnect()
            if error.problem == self.refused(*DAMAGED).problem and self.inode.is_open_elsewhere():
                return False
            raise
        if not fits:
            self._disconnect()
        return fits

    def _open_with_log(self, mark: int) -> None:
        logged = self._log_size() > 0
        try:
            self._open()
            if mark % 2 and not logged:  # another program closed it, and put all of it into the file
                self._complete()
        except LedgerError:
            self.drop()
            raise

    def _log_is_here(self, mark: int) -> bool:
        """Look for the log that the mark asks for, without changing anything."""
        made = [path for path in map(Path, (self._log_path, self._index_path)) if not path.exists()]
        logged = self._log_size() > 0
        found: list[tuple[Any, ...]] = []
        probe = self._connected("ro")
        try:
            found = self._run_on(probe, "SELECT log, before FROM place")
        except LedgerError:
            if logged:  # there is a log, and it cannot be read
                raise
        finally:
            connections.close(probe)
            self.inode.connected(is_so=False)
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
        self._beside = self._found_beside()

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
            self._move_mark(patience=self._patience)
            if not self._needs_log():
                raise self.refused(*SENTENCES[sqlite3.SQLITE_BUSY])
        self._wrote = True

    def _needs_log(self) -> bool:
        return bool(self._mark and self._mark % 2)

    def _rest(self) -> None:
        """After a transaction: stay connected only where it does no harm, in a log that this ledger writes to."""
        if self._mark is None:  # something failed on the way to it
            self.drop()
        elif not self._needs_log():
            self._disconnect()
        self.inode.release()
        if self.connection is not None and not self._wrote:
            self._leave()

    def _leave(self) -> None:
        """Disconnect; the last who does brings the log into the file. Looked for twice: two may leave at once."""
        for _ in range(2):
            if self._completed():
                return
            self.drop()
            self.inode.release()
            if not self._log_size() or self.inode.is_open_elsewhere():
                return

    def _completed(self) -> bool:
        """Disconnect from a file that is complete, after making it so; False if others are at it, or it fails."""
        with contextlib.suppress(LedgerError, OSError):
            if self.inode.is_open_elsewhere():
                return False
            if not self.inode.acquire(alone=True, patience=min(LAST_WAIT, self._patience)):
                return False
            if not self._is_current():
                self._settle()
            if self._needs_log() and not self.inode.is_open_elsewhere():
                self._complete()
            if not self._needs_log():
                self._disconnect()
                self.inode.release()
                return True
        return False

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

    def _move_mark(self, *, patience: float = 0) -> None:
        """Put a new mark into the file, with all that was committed before, but leave its name in the log only.

        A checkpoint stops at the snapshot of a reader: what is written after it began stays in the log. Another
        program that reads is waited for; if it takes too long the mark is where it was.
        """
        mark, deadline = _token(odd=True), time.monotonic() + patience
        try:
            self.run(f"PRAGMA user_version = {mark}")
            if self._reader is None:
                self._reader = self._connected("rw")
            self._run_on(self._reader, "BEGIN")
            self._run_on(self._reader, "SELECT log FROM place")
            self.run("UPDATE place SET log = ?, before = ?", (mark, self._marked()))
            self.run("PRAGMA wal_checkpoint(PASSIVE)")
            while self._marked() != mark and time.monotonic() < deadline:
                time.sleep(GLANCE)
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

    def _found_beside(self) -> tuple[int | None, ...]:
        return _inode_of(self._log_path), _inode_of(self._index_path)

    def _log_size(self) -> int:
        try:
            return os.stat(self._log_path).st_size
        except OSError:
            return 0

    def _connected(self, mode: str) -> sqlite3.Connection:
        # By the name this process uses already, if it does: SQLite itself takes two names for two files.
        if self.inode.is_inherited():
            raise self.refused(*FORKED)
        self.inode.connected(is_so=True)
        try:
            return connections.connect(self.inode.path, mode=mode, milliseconds=self._milliseconds())
        except sqlite3.Error as error:
            failure = self.refused(*sentence(error))
        self.inode.connected(is_so=self.connection is not None)
        raise failure

    def _milliseconds(self) -> int:
        return max(0, round(1000 * self._patience))

    def _disconnect(self, *guards: sqlite3.Connection | None) -> None:
        for connection in (self._reader, self.connection, *guards):
            if connection is not None:
                connections.close(connection)
        self._reader = self.connection = self._mark = None
        self._wrote = False
        self.inode.connected(is_so=False)

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


def _is_whole(mark: int) -> bool:
    """Return whether a file with the mark is complete without a log; that of the first format, 0, may not be."""
    return mark > 0 and mark % 2 == 0


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
