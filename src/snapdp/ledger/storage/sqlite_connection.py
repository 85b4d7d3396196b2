"""One connection to a ledger's file, and whether it sees the file as it is.

It knows no table but `place`; what the mark in the first page means, and when it moves, is told in sqlite_file.py.
SQLite keeps a log (NAME-wal) and an index of it (NAME-shm) beside the name. A connection is as good as these two: it is
trusted while they are the files it opened, and while the mark is the one it has seen. The file itself, whatever its
names, has one lock, one queue and one mark (`Inode`). Every failure is one fixed sentence with advice; SQLite's own
messages may quote the file, and none is passed on.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sqlite3
import stat
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

from snapdp.errors import LedgerError
from snapdp.ledger.storage.storage import NOTHING_DONE, OTHER_VERSION, UnavailableError

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
        found = []
        probe = self._connected("ro")
        try:
            found = self._run_on(probe, "SELECT log, before FROM place")
        except LedgerError as error:
            unseen = self.refused(*SENTENCES[sqlite3.SQLITE_CANTOPEN]).problem
            if logged or error.problem == unseen:  # there is a log, and it cannot be read; or nothing can
                raise
        finally:
            close(probe)
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
            return connect(self.inode.path, mode=mode, milliseconds=self._milliseconds())
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
                close(connection)
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


# Connections that a forked child never closes
#
# SQLite's last connection to a file brings its log into it and removes the log by its name. In a forked child the copy
# of a connection has none of the locks that make this safe, and Python would close it whenever it collects it, at the
# latest when the child ends: it would take away the log of a process that uses the ledger then. So the child keeps what
# it inherited, unused, until the kernel takes it.

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

# Failures

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
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return MISUSED if isinstance(error, sqlite3.ProgrammingError) else OTHER
    return SENTENCES.get(code & 0xFF, OTHER)


# The lock of the file, whatever its names
#
# A hard link or a bind mount gives a file a second name, and SQLite keeps its log and its locks beside the name. So
# `acquire` locks the inode (flock), for one writer alone or for readers together, and all names wait for each other. In
# the queue, each who wants the lock first locks one byte far beyond the end of the file, at the time it came, and waits
# until nobody holds an earlier one. The kernel drops the byte of a process that dies. The queue decides who is next,
# never whether: where it does not work (or a process in it hangs) the lock alone decides. Closing any descriptor of a
# file drops all POSIX locks this process has on it, those of SQLite too. So a descriptor opened here stays open until
# no ledger of this process uses the file any more. It is never 0, 1 or 2, where whatever prints in this process would
# write into the ledger: `fill_standard_streams` comes before every opening.

try:
    import fcntl
except ImportError:  # Windows: SQLite's own locks are all there is, and a file with two names is refused
    fcntl = None  # type: ignore[assignment]

LOCKABLE = fcntl is not None
QUEUE = 2**62  # the first byte of the queue; SQLite's own locks are at 2**30
PENDING, SHARED, SHARED_BYTES = 2**30, 2**30 + 2, 510  # SQLite locks the last ones in a file that it has open
QUEUED = LOCKABLE and hasattr(fcntl, "F_OFD_SETLK") and sys.maxsize > 2**32
FIRST, BEHIND = 0.0001, 0.001  # seconds between two looks, as the first in the queue and behind others
PATIENT = 0.5  # the part of one's patience that the queue may take
FLOCK = "hhqqi4x"  # struct flock of the C library, 64 bit
MARK = 60  # where SQLite keeps user_version in the first page; two fields on is application_id


def fill_standard_streams() -> None:
    """Open /dev/null as standard input, output and error where they are closed, for good, as SQLite does itself.

    The next file that is opened would otherwise get the number of the stream, and what a C library prints to stderr
    would be written into that file. The number is taken before and not changed afterwards: to close a descriptor of the
    ledger would drop SQLite's locks on it. Processes that this one starts have the streams too.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


class _Users:
    """Which ledgers of this process use a file, under which name, and the descriptors they ever opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.files: list[int] = []
        self.connected: set[Inode] = set()


_USED: dict[tuple[int, int], _Users] = {}
_INHERITED: set[tuple[int, int]] = set()
_REGISTER = threading.Lock()


def _forget() -> None:
    """In a forked child: the parent's ledgers are the parent's, and so are its locks, which end with the parent."""
    global _REGISTER
    _REGISTER = threading.Lock()
    _INHERITED.update(key for key, users in _USED.items() if users.connected)
    for users in _USED.values():
        for file in users.files:
            with contextlib.suppress(OSError):
                os.close(file)
    _USED.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Inode:
    """A ledger's file, open for locks and for its mark. OSError if it cannot be opened.

    path   the name to use: that under which this process uses the file already, if it does
    """

    def __init__(self, path: Path) -> None:
        with _REGISTER:
            fill_standard_streams()
            try:
                self._file = os.open(path, os.O_RDWR)
                self._queued = QUEUED
            except OSError:
                self._file = os.open(path, os.O_RDONLY)
                self._queued = False
            about = os.fstat(self._file)
            if not stat.S_ISREG(about.st_mode):
                os.close(self._file)
                raise OSError(errno.EINVAL, "not a file")
            self.number, self.names = about.st_ino, about.st_nlink
            self._key = (about.st_dev, about.st_ino)
            users = _USED.setdefault(self._key, _Users(path))
            users.count += 1
            users.files.append(self._file)
            self.path = users.path

    def is_at(self, path: Path) -> bool:
        """Return whether the name still is a name of this file."""
        try:
            found = os.stat(path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._key

    def mark(self, application: int) -> int:
        """Return user_version as the file itself has it, without its log; 0 if it is not a file of the application."""
        os.lseek(self._file, MARK, os.SEEK_SET)
        raw = os.read(self._file, 12)
        version, _, owner = struct.unpack(">iii", raw) if len(raw) == 12 else (0, 0, None)
        return int(version) if owner == application else 0

    def size(self) -> int:
        return os.fstat(self._file).st_size

    def sync(self) -> None:
        """Make the file durable as it is."""
        os.fsync(self._file)
        if hasattr(fcntl, "F_FULLFSYNC"):
            fcntl.fcntl(self._file, fcntl.F_FULLFSYNC)

    def acquire(self, *, alone: bool, patience: float) -> bool:
        """Lock the file, alone or with others that do not write; return whether it could be done in time."""
        if not LOCKABLE:
            return True
        way = (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB
        begun = time.monotonic()
        place = self._queue_up()
        try:
            while True:
                waited = time.monotonic() - begun
                first = place is None or waited > PATIENT * patience or self._is_first(place)
                if first and self._locked(way):
                    return True
                if waited > patience:
                    return False
                time.sleep(FIRST if first else BEHIND)
        finally:
            if place is not None:
                self._byte(fcntl.F_UNLCK, place)

    def is_inherited(self) -> bool:
        """Return whether SQLite had the file open when this process was forked: its state in here is another's."""
        return self._key in _INHERITED

    def connected(self, *, is_so: bool) -> None:
        """Say whether this ledger has the file open with SQLite."""
        with _REGISTER:
            users = _USED[self._key].connected
            users.add(self) if is_so else users.discard(self)

    def is_open_elsewhere(self) -> bool:
        """Return whether somebody else has the file open with SQLite, as far as this system tells."""
        with _REGISTER:
            here = bool(_USED[self._key].connected - {self})
        # Asked as SQLite asks, and not for the descriptor: the locks of this process itself do not count.
        return here or (QUEUED and not self._is_free(SHARED, SHARED_BYTES, fcntl.F_GETLK))

    def sweep(self, *paths: Path) -> bool:
        """Remove files that SQLite keeps beside this one, unless somebody else has it open; return whether it is done.

        Meanwhile nobody can open it: SQLite asks for the byte `PENDING` first.
        """
        barred = self._barred()
        try:
            if self.is_open_elsewhere():
                return False
            for path in paths:
                path.unlink(missing_ok=True)
            return True
        finally:
            if barred:
                self._byte(fcntl.F_UNLCK, PENDING)

    def release(self) -> None:
        if LOCKABLE:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def close(self) -> None:
        """Let the file go. The descriptor is closed with the last of this process, for SQLite's sake (see above)."""
        self.release()
        with _REGISTER:
            users = _USED[self._key]
            users.count -= 1
            users.connected.discard(self)
            if users.count == 0:
                for file in _USED.pop(self._key).files:
                    os.close(file)

    def _locked(self, way: int) -> bool:
        try:
            fcntl.flock(self._file, way)
        except OSError:
            return False
        return True

    def _queue_up(self) -> int | None:
        place = QUEUE + time.monotonic_ns()
        while self._queued:
            try:
                self._byte(fcntl.F_WRLCK, place)
                return place
            except BlockingIOError:
                place += 1  # somebody came in the same nanosecond
            except OSError:
                self._queued = False
        return None

    def _is_first(self, place: int) -> bool:
        return self._is_free(QUEUE, place - QUEUE, fcntl.F_OFD_GETLK)

    def _barred(self) -> bool:
        if self._queued:
            with contextlib.suppress(OSError):
                self._byte(fcntl.F_WRLCK, PENDING)
                return True
        return False

    def _is_free(self, start: int, length: int, way: int) -> bool:
        """Return whether nobody else has a lock on these bytes: no other descriptor, or no other process."""
        asked = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        try:
            found = fcntl.fcntl(self._file, way, asked)
        except OSError:
            return True
        return bool(struct.unpack(FLOCK, found)[0] == fcntl.F_UNLCK)

    def _byte(self, kind: int, place: int) -> None:
        fcntl.fcntl(self._file, fcntl.F_OFD_SETLK, struct.pack(FLOCK, kind, os.SEEK_SET, place, 1, 0))
