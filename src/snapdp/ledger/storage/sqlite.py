"""A ledger in one file, through the standard library's SQLite: its rows.

Every table is append only, by triggers; only `standing` and `place` change. The tables are made by sqlite.sql. BEGIN
IMMEDIATE under the lock of the file lets one writer in at a time, across processes and names. A locked file beside the
ledger shows that the process of a session lives.
"""

from __future__ import annotations

import contextlib
import glob
import os
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

from snapdp.errors import LedgerError
from snapdp.ledger.storage.schema import expected_schema, make_schema, schema_digest, schema_of
from snapdp.ledger.storage.sqlite_connection import APPLICATION, DAMAGED, Fields, fill_standard_streams
from snapdp.ledger.storage.sqlite_file import SqliteFile, new_mark
from snapdp.ledger.storage.storage import FORMAT, OTHER_VERSION, PAGE, Dataset, Entry, Identity, Standing, first
from snapdp.values import Value

NOT_COPIED = ("cannot be copied.", "Is there room, on a disk that knows links? The ledger is as it was.")
BACKUP = "backup"  # the home of a file that is no ledger to be charged
AMENDS = "kind IN ('amend', 'close')"  # as the index says it
NUMBERS, OPTIONAL = {"number", "reserve", "entries"}, {"version", "request", "reserve"}
V = TypeVar("V", bound=Value)


class SqliteStorage:
    """A ledger in one file. For one thread of one process."""

    def __init__(self, path: Path, *, patience: float, fresh: bool = False) -> None:
        """Open an existing file; `patience` is how many seconds to wait for other writers.

        A file that is not marked as a ledger, unless it is `fresh`, is refused before anything is set in it.
        """
        self._path = path
        self._session: Session | None = None
        self._file = SqliteFile(path, patience=patience, fresh=fresh)

    @classmethod
    def create(cls, path: Path, identity: Identity, *, patience: float) -> SqliteStorage:
        """Make a new file that only its owner can read (it holds the key), and write the empty ledger into it."""
        new_file(path)
        storage = None
        try:
            storage = cls(path, patience=patience, fresh=True)
            storage.begin(writing=True)
            make_schema(storage._run)
            storage._run("INSERT INTO place VALUES (0, 0, ?)", (str(storage._file.inode.number),))
            storage._run(f"PRAGMA application_id = {APPLICATION}")
            storage._run(f"PRAGMA user_version = {new_mark()}")
            fields = (FORMAT, schema_digest("sqlite"), *identity._values())
            storage._run("INSERT INTO ledger VALUES (?, ?, ?, ?, ?)", fields)
            storage._file.finish()
            sync_directory(path.parent)
        except BaseException:
            if storage is not None:
                storage.close()
            remove(path)  # this call made it, and nobody was told of it
            raise
        return storage

    # Transactions

    def begin(self, *, writing: bool) -> None:
        self._file.begin(writing=writing)

    def commit(self) -> None:
        self._file.commit()

    def rollback(self) -> None:
        self._file.rollback()

    # Rows

    def identity(self) -> Identity:
        rows = self._run("SELECT * FROM ledger")  # another version may have other columns after the first two
        if len(rows) == 1 and rows[0][:2] != (FORMAT, schema_digest("sqlite")):
            raise self._file.refused(*OTHER_VERSION)
        if len(rows) != 1 or list(map(type, rows[0])) != [int, str, str, bytes, str]:
            raise self._file.refused(*DAMAGED)
        return Identity(**dict(zip(Identity._fields, rows[0][2:], strict=True)))

    def standings(self) -> list[Standing]:
        return self._select(Standing, "ORDER BY account")

    def standing(self, account: str) -> Standing | None:
        return first(self._select(Standing, "WHERE account = ?", (account,)))

    def held(self, account: str) -> Standing | None:
        """Return how an account stands; a writing transaction has the whole file."""
        return self.standing(account)

    def add_standing(self, standing: Standing) -> None:
        self._run("INSERT INTO standing VALUES (?, ?, ?, ?)", standing._values())

    def swap_standing(self, old: Standing, new: Standing) -> bool:
        self._run(
            "UPDATE standing SET entries = ?1, spent = ?2, head = ?3 "
            "WHERE account = ?4 AND entries = ?5 AND spent = ?6 AND head = ?7 "
            "AND ?1 = ?5 + 1 AND EXISTS (SELECT 1 FROM entry WHERE account = ?4 AND number = ?5 AND digest = ?3)",
            (new.entries, new.spent, new.head, old.account, old.entries, old.spent, old.head),
        )
        return self.standing(old.account) == new

    def append(self, entry: Entry) -> None:
        self._run("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry._values())

    def entry(self, account: str, number: int) -> Entry | None:
        return first(self._select(Entry, "WHERE account = ? AND number = ?", (account, number)))

    def entries(self, account: str, *, start: int) -> list[Entry]:
        where = f"WHERE account = ? AND number >= ? ORDER BY number LIMIT {PAGE}"
        return self._select(Entry, where, (account, start))

    def amendments(self, account: str) -> list[Entry]:
        return self._select(Entry, f"WHERE account = ? AND {AMENDS} ORDER BY number", (account,))

    def newest_amendment(self, account: str) -> Entry | None:
        where = f"WHERE account = ? AND {AMENDS} ORDER BY number DESC LIMIT 1"
        return first(self._select(Entry, where, (account,)))

    def twins(self, account: str, version: str, request: str) -> list[Entry]:
        """Return the commit and its reservation, or the newest reservation if it is open: older ones are orphans."""
        about, fields = "WHERE account = ? AND version = ? AND request = ? AND kind =", (account, version, request)
        for commit in self._select(Entry, f"{about} 'commit'", fields):
            reserve = None if commit.reserve is None else self.entry(account, commit.reserve)
            return [commit] if reserve is None else [reserve, commit]
        found = self._select(Entry, f"{about} 'reserve' ORDER BY rowid DESC LIMIT 1", fields)
        return [entry for entry in found if self.closing(account, entry.number) is None]

    def closing(self, account: str, reserve: int) -> Entry | None:
        return first(self._select(Entry, "WHERE account = ? AND reserve = ?", (account, reserve)))

    def datasets(self) -> list[Dataset]:
        return self._select(Dataset, "ORDER BY account, version")

    def dataset(self, keyed: str) -> Dataset | None:
        return first(self._select(Dataset, "WHERE keyed = ?", (keyed,)))

    def dataset_of(self, version: str) -> Dataset | None:
        return first(self._select(Dataset, "WHERE version = ?", (version,)))

    def add_dataset(self, dataset: Dataset) -> None:
        self._run("INSERT INTO dataset VALUES (?, ?, ?, ?)", dataset._values())

    # Sessions, damage, end

    def start_session(self, token: str) -> None:
        self._session = Session(self._path, token)

    def session_lives(self, token: str) -> bool:
        return lives(self._path, token)

    def settings(self, names: Sequence[str]) -> dict[str, int | str]:
        """Return what the connection that writes has set, as SQLite tells it; nothing is written."""
        self.begin(writing=True)
        try:
            return {name: self._run(f"PRAGMA {name}")[0][0] for name in names}
        finally:
            self.rollback()

    def damage(self) -> list[str]:
        found = []
        if self._run("PRAGMA integrity_check") != [("ok",)]:
            found.append("the database fails its own integrity check.")
        if schema_of(self._run) != expected_schema() or self._run("PRAGMA application_id") != [(APPLICATION,)]:
            found.append("the tables or rules of the database were changed.")
        elif not self._has_place():
            found.append("the table place does not say where the ledger is.")
        accounts = "SELECT account FROM standing"
        for table in ("entry", "dataset"):
            if self._run(f"SELECT count(*) FROM {table} WHERE account NOT IN ({accounts})") != [(0,)]:
                found.append(f"the table {table} has rows of an account that does not exist.")
        return found

    def close(self) -> None:
        try:
            if self._session is not None and self._file.is_mine():
                self._session.close()
                self._session = None
        finally:
            self._file.close()

    def copy_to(self, path: Path, *, to_be_charged: bool) -> None:
        """Write all of it into a new file: a backup, or the ledger that takes the place of this one.

        A whole transaction of its own, and durable. An existing file is never overwritten.
        """
        if os.path.lexists(path):
            raise exists_already(path)
        part = path.with_name(f"{path.name}.part-{new_mark()}")
        new_file(part)
        try:
            self._copy(part, str(os.stat(part).st_ino) if to_be_charged else BACKUP)
            os.link(part, path)  # unlike a renaming it never replaces a file that came meanwhile
        except FileExistsError:
            failure = exists_already(path)
        except OSError:
            failure = self._file.refused(*NOT_COPIED)
        else:
            sync_directory(path.parent)
            return
        finally:
            remove(part)
        raise failure

    # Inside

    def _copy(self, target: Path, home: str) -> None:
        self.begin(writing=False)  # a writing one would wait for itself
        try:
            with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
                assert self._file.connection is not None
                self._file.connection.backup(copy)
                copy.execute("PRAGMA synchronous = FULL")
                copy.execute("UPDATE place SET log = 0, before = 0, home = ?", (home,))
                copy.execute(f"PRAGMA user_version = {new_mark()}")
        except sqlite3.Error:
            failure = self._file.refused(*NOT_COPIED)
        else:
            self.commit()
            return
        finally:
            self.rollback()
        raise failure

    def _has_place(self) -> bool:
        """Tell whether the one row of `place` can be meant: it is the last page of a new file, the first to be lost."""
        rows = self._run("SELECT log, before, home FROM place")
        if [list(map(type, row)) for row in rows] != [[int, int, str]]:
            return False
        home = str(rows[0][2])
        return home == BACKUP or (home.isascii() and home.isdigit())

    def _run(self, statement: str, fields: Fields = ()) -> list[tuple[Any, ...]]:
        return self._file.run(statement, fields)

    def _select(self, kind: type[V], where: str, fields: tuple[Any, ...] = ()) -> list[V]:
        """Return rows of the table of a kind; refuse what a damaged page may hold instead of a text or a number."""
        rows = self._run(f"SELECT {', '.join(kind._fields)} FROM {kind.__name__.lower()} {where}", fields)
        for row in rows:
            for name, cell in zip(kind._fields, row, strict=True):
                is_absent = cell is None and kind is Entry and name in OPTIONAL
                if type(cell) is not (int if name in NUMBERS else str) and not is_absent:
                    raise self._file.refused(*DAMAGED)
        return [kind(**dict(zip(kind._fields, row, strict=True))) for row in rows]


def new_file(path: Path) -> None:
    """Make an empty file that only its owner can read; refuse one that exists."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        failure = exists_already(path)
    except OSError:
        failure = LedgerError(f"the ledger {str(path)!r} cannot be created here.", WHERE)
    else:
        return
    raise failure


WHERE = "Give a new file name in a directory that can be written; nothing is ever overwritten."


def exists_already(path: Path) -> LedgerError:
    return LedgerError(f"the ledger {str(path)!r} exists already.", WHERE)


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def sync_directory(directory: Path) -> None:
    """Make the name of a new file durable, where directories can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# Sessions

try:
    import fcntl
except ImportError:  # Windows: there an open file cannot be removed, which serves the same purpose
    fcntl = None  # type: ignore[assignment]

TOKEN = re.compile(r"[0-9a-f]{32}")
ATTEMPTS = 100


class Session:
    """A file beside the ledger that stays locked as long as its process lives.

    The kernel drops the lock when the process ends, however it ends (kill -9 too), so a reservation whose session file
    is gone or unlocked is an orphan. Nothing depends on clocks or on process numbers, which are used again. This
    decides convenience, not privacy: if a living session is taken for dead a twin pays once more, and if a dead one is
    taken for living a twin waits. Every reservation is charged either way.
    """

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
        try:
            path.unlink()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False
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
