"""Which reservations still have a living process behind them: a locked file per session, beside the ledger.

Room: ledger. The kernel drops the lock when the process ends, however it ends (kill -9 too), so a reservation whose
session file is gone or unlocked is an orphan. Nothing depends on clocks or on process numbers, which are used again.
What it decides is convenience, not privacy: a living session taken for dead makes a twin pay once more, a dead one
taken for living makes it wait. Every reservation is charged either way.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
from pathlib import Path

from snapdp.errors import LedgerError
from snapdp.ledger.storage.inode import fill_standard_streams

try:
    import fcntl
except ImportError:  # Windows: there an open file cannot be removed, which serves the same purpose
    fcntl = None  # type: ignore[assignment]

TOKEN = re.compile(r"[0-9a-f]{32}")
ATTEMPTS = 100


class Session:
    """A file that stays locked as long as its process lives."""

    def __init__(self, ledger: Path, token: str) -> None:
        """Create and lock the file; files of dead sessions are swept away first."""
        self.token = token
        self._path = path_of(ledger, token)
        with contextlib.suppress(OSError):  # they do no harm, and a directory that cannot be read is found out below
            for stale in ledger.parent.glob(f"{glob.escape(ledger.name)}.session-*"):
                lives(ledger, stale.name.rpartition("-")[2])
        self._file = _locked_file(self._path)

    def close(self) -> None:
        """End the session: what it reserved and did not commit is an orphan from now on."""
        if fcntl is None:
            os.close(self._file)
            self._path.unlink(missing_ok=True)
            return
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._file)


def path_of(ledger: Path, token: str) -> Path:
    return ledger.with_name(f"{ledger.name}.session-{token}")


def lives(ledger: Path, token: str) -> bool:
    """Return whether the process of a session still runs; the file of a dead one is removed."""
    if not TOKEN.fullmatch(token):
        return False
    path = path_of(ledger, token)
    if fcntl is None:
        return _cannot_be_removed(path)
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError:  # a file we may not look at: somebody's, for all we know
        return True
    try:
        # Shared, so that two who look at the same dead session do not take each other for its owner.
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    else:
        with contextlib.suppress(OSError):
            path.unlink()
        return False
    finally:
        os.close(file)


def _cannot_be_removed(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _locked_file(path: Path) -> int:
    """Return a new file, locked. A sweeper may remove it between the two steps: then once more."""
    for _ in range(ATTEMPTS):
        try:
            fill_standard_streams()
            file = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
        except OSError:
            break
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(file), os.stat(path)):
                return file
        except OSError:
            pass
        os.close(file)
    raise LedgerError(
        "the ledger's directory does not take the lock file of this session.",
        "The directory of the ledger must be writable, on a local disk. Nothing was reserved and nothing spent.",
    )
