"""The file of a ledger itself, whatever its names: one lock, one queue, and the mark in its first page.

Room: ledger. A hard link or a bind mount gives a file a second name, and SQLite keeps its log and its locks beside the
name. This keeps them at the file: `acquire` locks the inode (flock), for one writer alone or for readers together, and
all names wait for each other. The queue: whoever wants the lock first locks one byte far beyond the end of the file, at
the time it came, and waits until nobody holds an earlier one. The kernel drops the byte of a process that dies. It
decides who is next, never whether: where it does not work (or someone in it hangs) the lock alone decides. Trap:
closing any descriptor of a file drops all POSIX locks this process has on it, those of SQLite too. So a descriptor
opened here stays open until no ledger of this process uses the file any more. It is never 0, 1 or 2, where whatever
prints in this process would write into the ledger: `fill_standard_streams` comes before every opening.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import struct
import sys
import threading
import time
from pathlib import Path

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
