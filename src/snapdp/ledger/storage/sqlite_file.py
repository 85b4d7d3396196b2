"""A ledger's file under SQLite: transactions that nobody else can be in, and a log that cannot be lost unseen.

Knows no table but `place`. Idea: SQLite's log (NAME-wal) holds commits that the file itself has not got
yet. So the file carries a mark, in its first page (user_version): even, the file is complete and any log beside it is
worthless; odd, the file needs the log whose `place` names that mark. Before the first commit the mark is made odd,
after the last it is made even again, and whoever finds it odd without its log refuses. Each step is one page, or is
covered by the step before it. All of it happens under the lock of the inode: a second name of the file sees the mark,
not the log, and is refused. Whoever only read does not stay connected, and neither does anybody while the mark is even:
what SQLite keeps beside the name (NAME-shm) lives as long as a connection, and would be wrong once the file grew
through another name. The mark is made even by the last who leaves, and a log is thrown away only if nobody else has the
file open. Trusts: SQLite in WAL mode with synchronous = FULL (a commit is on the disk when it returns; NORMAL may
forget the last commits at a power loss, which would hand budget back); a checkpoint never passes the snapshot of a
reader. WAL needs a local disk: no network file systems. Theory: docs/theory/ledger.md, (10)-(11).
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import time
from pathlib import Path

from snapdp.errors import LedgerError
from snapdp.ledger.storage.sqlite_connection import (
    COPY,
    LOCKABLE,
    NO_LOG,
    OTHER_NAME,
    OTHER_PROGRAM,
    REPLACED,
    SENTENCES,
    TWO_NAMES,
    SqliteLink,
    is_whole,
)

LARGEST_LOG = 4 * 2**20  # bytes; then its content is brought into the file
LAST_WAIT = 1.0  # seconds that a ledger which is being closed waits for others
GLANCE = 0.01  # seconds between two looks at a file that is in use through another name


class SqliteFile(SqliteLink):
    """Transactions in one file, for one thread of one process."""

    def __init__(self, path: Path, *, patience: float, fresh: bool = False) -> None:
        self._largest_log = LARGEST_LOG
        super().__init__(path, patience=patience, fresh=fresh)

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
        except OSError:
            failure = self.refused(*SENTENCES[sqlite3.SQLITE_IOERR])
        except BaseException:
            self.rollback()
            raise
        else:
            return
        self.rollback()
        raise failure

    def commit(self) -> None:
        self.run("COMMIT")
        self._rest()

    def finish(self) -> None:
        """Commit the transaction that made a fresh file, and bring it into the file."""
        self.run("COMMIT")
        self.checkpoint()
        self._fresh = False
        self._rest()

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
        try:
            self.rollback()
            if self.connection is not None:
                self._leave()
        except BaseException:  # an interrupt: the lock must not outlive it
            self.drop()
            raise
        finally:
            self.is_open = False
            self.inode.close()

    def __del__(self) -> None:
        """Close a ledger that nobody closed."""
        with contextlib.suppress(Exception):
            self.close()

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
        if is_whole(mark):
            return None if self._swept() and self._open_as_it_is() else OTHER_PROGRAM
        logged = self._log_size() > 0
        try:
            self._guard()
            self._open()
            if mark % 2 and not logged:  # another program closed it, and put all of it into the file
                self._complete()
        except LedgerError:
            self.drop()
            raise
        return None

    def _joined(self) -> bool:
        """Return whether a file that needs no log could be opened beside others that read it."""
        mark = self._marked()
        if self.connection is not None or not is_whole(mark) or self._log_size() or not self.inode.is_at(self.path):
            return False
        self._mark = mark if self._open_as_it_is() else None
        return self._mark is not None

    def _swept(self) -> bool:
        """Remove the log of a file that is complete: a killed process left it. False if somebody may be using it."""
        return not self._log_size() or self.inode.sweep(Path(self._log_path), Path(self._index_path))

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
            self.checkpoint()  # its making was interrupted, and the file has nothing of its log yet
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
        """Disconnect; the last who does brings the log into the file. One after the other, so that one is the last."""
        with contextlib.suppress(LedgerError, OSError, MemoryError):
            if self.inode.acquire(alone=True, patience=min(LAST_WAIT, self._patience)):
                if not self._is_current():
                    self._settle()
                if self._needs_log() and not self.inode.is_open_elsewhere():
                    self._complete()
        if self._needs_log() or self._mark is None:
            self.drop()
        self._disconnect()
        self.inode.release()

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
            self._guard()  # first: between the next two commits the log must not come into the file
            assert self._reader is not None
            self.run(f"PRAGMA user_version = {mark}")
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

    def _acquire(self, *, alone: bool) -> None:
        if not self.inode.acquire(alone=alone, patience=self._patience):
            raise self.refused(*SENTENCES[sqlite3.SQLITE_BUSY])


def new_mark() -> int:
    """Return the mark of a file that needs no log."""
    return _token(odd=False)


def _token(*, odd: bool) -> int:
    """Return a mark that no log of this ledger had before, but for one chance in a thousand million."""
    return 2 * (1 + secrets.randbelow(2**30 - 1)) + odd
