"""Where a ledger keeps its rows: a small interface, and SQLite behind it.

Room: release. Imports errors, values and sessions. A storage knows nothing of budgets: it appends entries, swaps the
standing of an account if it is still the one that was read, and makes a transaction durable before `commit` returns.
Trusts: SQLite in WAL mode with synchronous = FULL (a commit is on the disk when it returns; NORMAL may forget the last
commits at a power loss, which would hand budget back) and BEGIN IMMEDIATE (one writer at a time, across processes).
WAL needs a local disk: no network file systems. Every failure of SQLite becomes one fixed sentence.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import Any, Protocol

from snapdp.errors import LedgerError
from snapdp.release import sessions
from snapdp.values import Value

FORMAT = 1
PAGE = 500  # entries read at a time


class Identity(Value):
    """What a ledger is: its format, a random name, the key of its digests, and a seal over the three."""

    format: int
    name: str
    key: bytes
    seal: str


class Standing(Value):
    """The one row of an account that changes: how many entries it has, the digest of the last, what is spent."""

    account: str
    entries: int
    spent: str
    head: str


class Entry(Value):
    """A link of an account's chain. The columns repeat what the body says, for searching; verify compares them."""

    account: str
    number: int
    kind: str
    version: str | None
    request: str | None
    reserve: int | None
    body: str
    digest: str


class Signed(Entry):
    """An entry whose author the database knows: the role of a team ledger that appended it."""

    author: str


class Dataset(Value):
    """The keyed digest of a table's content, and the random version it stands for."""

    keyed: str
    account: str
    version: str
    seal: str


class Storage(Protocol):
    """What a ledger needs of a database. Failures are LedgerError; a failed transaction leaves nothing behind."""

    def begin(self, *, writing: bool) -> None:
        """Start a transaction: a consistent view, and if `writing` the only writer until it ends."""

    def commit(self) -> None:
        """Make the transaction durable: it survives a crash of process and machine once this returns."""

    def rollback(self) -> None:
        """Forget the transaction. Never raises."""

    def identity(self) -> Identity: ...

    def standings(self) -> list[Standing]: ...

    def standing(self, account: str) -> Standing | None: ...

    def add_standing(self, standing: Standing) -> None: ...

    def swap_standing(self, old: Standing, new: Standing) -> bool:
        """Write `new` if the account still stands at `old`; return whether it did."""

    def append(self, entry: Entry) -> None: ...

    def entry(self, account: str, number: int) -> Entry | None: ...

    def entries(self, account: str, *, start: int) -> list[Entry]:
        """Return some entries from a number on, in order; none when there are no more."""

    def twins(self, account: str, version: str, request: str) -> list[Entry]:
        """Return all entries about one request, in order."""

    def closing(self, account: str, reserve: int) -> Entry | None:
        """Return the entry that committed or abandoned a reservation."""

    def datasets(self) -> list[Dataset]: ...

    def dataset(self, keyed: str) -> Dataset | None: ...

    def add_dataset(self, dataset: Dataset) -> None: ...

    def start_session(self, token: str) -> None:
        """Show others that this process lives, until `close` or its death."""

    def session_lives(self, token: str) -> bool: ...

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong, as sentences."""

    def close(self) -> None: ...


APPLICATION = 0x736E6470  # "sndp" in the file's header
SCHEMA = {
    "ledger": "CREATE TABLE ledger (format INTEGER NOT NULL, name TEXT NOT NULL, key BLOB NOT NULL, "
    "seal TEXT NOT NULL)",
    "standing": "CREATE TABLE standing (account TEXT NOT NULL PRIMARY KEY, entries INTEGER NOT NULL, "
    "spent TEXT NOT NULL, head TEXT NOT NULL) WITHOUT ROWID",
    "entry": "CREATE TABLE entry (account TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, version TEXT, "
    "request TEXT, reserve INTEGER, body TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (account, number))",
    "dataset": "CREATE TABLE dataset (keyed TEXT NOT NULL PRIMARY KEY, account TEXT NOT NULL, "
    "version TEXT NOT NULL UNIQUE, seal TEXT NOT NULL) WITHOUT ROWID",
    "entry_by_request": "CREATE INDEX entry_by_request ON entry (account, version, request)",
    "one_answer": "CREATE UNIQUE INDEX one_answer ON entry (account, version, request) WHERE kind = 'commit'",
    "one_closing": "CREATE UNIQUE INDEX one_closing ON entry (account, reserve) WHERE reserve IS NOT NULL",
    "one_ledger": "CREATE TRIGGER one_ledger BEFORE INSERT ON ledger WHEN (SELECT count(*) FROM ledger) > 0 "
    "BEGIN SELECT RAISE(ABORT, 'one ledger in a file'); END",
    **{
        f"no_{verb}_of_{table}": f"CREATE TRIGGER no_{verb}_of_{table} BEFORE {verb.upper()} ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'append only'); END"
        for table in ("ledger", "entry", "dataset")
        for verb in ("update", "delete")
    },
    "no_delete_of_standing": "CREATE TRIGGER no_delete_of_standing BEFORE DELETE ON standing "
    "BEGIN SELECT RAISE(ABORT, 'append only'); END",
}
NOTHING_DONE = "No release was made. Whatever did reach the disk before the failure counts as spent."
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
    sqlite3.SQLITE_PERM: ("may not be opened: permission is missing.", NOTHING_DONE),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot be opened.",
        f"The file must exist, in a directory that can be written, on a local disk. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error, or no room.",
        f"Check the disk, then verify the ledger. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_CORRUPT: (
        "is damaged: its database cannot be read.",
        f"Keep the file and restore the newest copy; check it against the newest record. {NOTHING_DONE}",
    ),
    sqlite3.SQLITE_NOTADB: ("is no ledger: the file is no database.", NOTHING_DONE),
    sqlite3.SQLITE_CONSTRAINT: (
        "refused an entry that contradicts those it has.",
        f"Verify the ledger. {NOTHING_DONE}",
    ),
}
SENTENCES[sqlite3.SQLITE_LOCKED] = SENTENCES[sqlite3.SQLITE_BUSY]
OTHER = ("failed in its database.", f"Verify the ledger. {NOTHING_DONE}")
MISUSED = ("was closed, or opened in another thread or process.", f"Open it where it is used. {NOTHING_DONE}")


class SqliteStorage:
    """A ledger in one file, through the standard library. For one thread of one process."""

    def __init__(self, path: Path, *, patience: float, fresh: bool = False) -> None:
        """Open an existing file; `patience` is how many seconds to wait for other writers.

        A file that is not marked as a ledger, unless it is `fresh`, is refused before anything is set in it.
        """
        self._path = path
        self._process = os.getpid()
        self._session: sessions.Session | None = None
        self._connection: sqlite3.Connection | None = None
        failure: LedgerError | None = None
        try:
            self._connection = sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True, isolation_level=None)
        except sqlite3.Error as error:
            failure = self._refusal(error)
        if failure is not None:
            raise failure
        try:
            self._run(f"PRAGMA busy_timeout = {max(0, round(1000 * patience))}")
            if not fresh and self._run("PRAGMA application_id") != [(APPLICATION,)]:
                raise self._refused(
                    "is no ledger of this library.",
                    "If its creation was interrupted it holds nothing: remove it and create it again.",
                )
            if self._run("PRAGMA journal_mode = WAL") != [("wal",)]:
                raise self._refused("cannot keep a write-ahead log.", "Keep the ledger on a local disk.")
            for pragma in ("synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON", "trusted_schema = OFF"):
                self._run(f"PRAGMA {pragma}")
        except LedgerError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, identity: Identity, *, patience: float) -> SqliteStorage:
        """Make a new file that only its owner can read (it holds the key), and write the empty ledger into it."""
        failure: str | None = None
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            failure = "exists already."
        except OSError:
            failure = "cannot be created here."
        if failure is not None:
            raise LedgerError(
                f"the ledger {str(path)!r} {failure}",
                "Give a new file name in a directory that can be written; nothing is ever overwritten.",
            )
        storage: SqliteStorage | None = None
        try:
            storage = cls(path, patience=patience, fresh=True)
            storage.begin(writing=True)
            for statement in SCHEMA.values():
                storage._run(statement)
            storage._run(f"PRAGMA application_id = {APPLICATION}")
            fields = (identity.format, identity.name, identity.key, identity.seal)
            storage._run("INSERT INTO ledger VALUES (?, ?, ?, ?)", fields)
            storage.commit()
            _sync_directory(path.parent)
        except BaseException:
            if storage is not None:
                storage.close()
            for suffix in ("", "-wal", "-shm"):  # this call made them, and nobody was told of it
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            raise
        return storage

    # Transactions

    def begin(self, *, writing: bool) -> None:
        self._run("BEGIN IMMEDIATE" if writing else "BEGIN")

    def commit(self) -> None:
        self._run("COMMIT")

    def rollback(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            with contextlib.suppress(sqlite3.Error):
                self._connection.rollback()

    # Rows

    def identity(self) -> Identity:
        rows = self._run("SELECT format, name, key, seal FROM ledger")
        if len(rows) != 1 or list(map(type, rows[0])) != [int, str, bytes, str]:
            raise self._refused(*SENTENCES[sqlite3.SQLITE_CORRUPT])
        return Identity(**dict(zip(Identity._fields, rows[0], strict=True)))

    def standings(self) -> list[Standing]:
        rows = self._run("SELECT account, entries, spent, head FROM standing ORDER BY account")
        return [self._standing(row) for row in rows]

    def standing(self, account: str) -> Standing | None:
        rows = self._run("SELECT account, entries, spent, head FROM standing WHERE account = ?", (account,))
        return self._standing(rows[0]) if rows else None

    def add_standing(self, standing: Standing) -> None:
        self._run("INSERT INTO standing VALUES (?, ?, ?, ?)", standing._values())

    def swap_standing(self, old: Standing, new: Standing) -> bool:
        self._run(
            "UPDATE standing SET entries = ?, spent = ?, head = ? "
            "WHERE account = ? AND entries = ? AND spent = ? AND head = ?",
            (new.entries, new.spent, new.head, old.account, old.entries, old.spent, old.head),
        )
        return self._run("SELECT changes()") == [(1,)]

    def append(self, entry: Entry) -> None:
        self._run("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry._values())

    def entry(self, account: str, number: int) -> Entry | None:
        found = self._entries("account = ? AND number = ?", (account, number))
        return found[0] if found else None

    def entries(self, account: str, *, start: int) -> list[Entry]:
        return self._entries("account = ? AND number >= ?", (account, start), limit=PAGE)

    def twins(self, account: str, version: str, request: str) -> list[Entry]:
        return self._entries("account = ? AND version = ? AND request = ?", (account, version, request))

    def closing(self, account: str, reserve: int) -> Entry | None:
        found = self._entries("account = ? AND reserve = ?", (account, reserve))
        return found[0] if found else None

    def datasets(self) -> list[Dataset]:
        rows = self._run("SELECT keyed, account, version, seal FROM dataset ORDER BY account, version")
        return [self._dataset(row) for row in rows]

    def dataset(self, keyed: str) -> Dataset | None:
        rows = self._run("SELECT keyed, account, version, seal FROM dataset WHERE keyed = ?", (keyed,))
        return self._dataset(rows[0]) if rows else None

    def add_dataset(self, dataset: Dataset) -> None:
        self._run("INSERT INTO dataset VALUES (?, ?, ?, ?)", dataset._values())

    # Sessions, damage, end

    def start_session(self, token: str) -> None:
        self._session = sessions.Session(self._path, token)

    def session_lives(self, token: str) -> bool:
        return sessions.lives(self._path, token)

    def damage(self) -> list[str]:
        found = []
        if self._run("PRAGMA integrity_check") != [("ok",)]:
            found.append("the database fails its own integrity check.")
        kept = dict(self._run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
        if kept != SCHEMA or self._run("PRAGMA application_id") != [(APPLICATION,)]:
            found.append("the tables or rules of the database were changed.")
        accounts = "SELECT account FROM standing"
        for table in ("entry", "dataset"):
            if self._run(f"SELECT count(*) FROM {table} WHERE account NOT IN ({accounts})") != [(0,)]:
                found.append(f"the table {table} has rows of an account that does not exist.")
        return found

    def close(self) -> None:
        if self._process != os.getpid():
            return  # a copy of the parent's connection: closing it here would drop the parent's locks
        if self._session is not None:
            self._session.close()
            self._session = None
        if self._connection is not None:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    # Inside

    def _run(self, statement: str, fields: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if self._connection is None or self._process != os.getpid():
            raise self._refused(*MISUSED)
        failure: LedgerError
        try:
            return self._connection.execute(statement, fields).fetchall()
        except sqlite3.Error as error:
            failure = self._refusal(error)
        except UnicodeError:  # SQLite's complaint quotes a damaged page, and Python cannot decode it
            failure = self._refused(*SENTENCES[sqlite3.SQLITE_CORRUPT])
        raise failure  # outside the handler: SQLite's own words, which may quote the file, travel nowhere

    def _refusal(self, error: sqlite3.Error) -> LedgerError:
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if code is None:
            return self._refused(*(MISUSED if isinstance(error, sqlite3.ProgrammingError) else OTHER))
        return self._refused(*SENTENCES.get(code & 0xFF, OTHER))

    def _refused(self, what: str, advice: str) -> LedgerError:
        return LedgerError(f"the ledger {str(self._path)!r} {what}", advice)

    def _entries(self, where: str, fields: tuple[Any, ...], *, limit: int = -1) -> list[Entry]:
        columns = ", ".join(Entry._fields)
        rows = self._run(f"SELECT {columns} FROM entry WHERE {where} ORDER BY number LIMIT {limit}", fields)
        return [self._entry(row) for row in rows]

    def _entry(self, row: tuple[Any, ...]) -> Entry:
        account, number, kind, version, request, reserve, body, digest = row
        texts = [account, kind, body, digest, *(text for text in (version, request) if text is not None)]
        self._typed(texts, [number] if reserve is None else [number, reserve])
        return Entry(**dict(zip(Entry._fields, row, strict=True)))

    def _standing(self, row: tuple[Any, ...]) -> Standing:
        account, entries, spent, head = row
        self._typed([account, spent, head], [entries])
        return Standing(account=account, entries=entries, spent=spent, head=head)

    def _dataset(self, row: tuple[Any, ...]) -> Dataset:
        self._typed(list(row), [])
        return Dataset(**dict(zip(Dataset._fields, row, strict=True)))

    def _typed(self, texts: list[Any], numbers: list[Any]) -> None:
        """Refuse what a damaged page may hold instead of a text or a number."""
        if any(type(text) is not str for text in texts) or any(type(number) is not int for number in numbers):
            raise self._refused(*SENTENCES[sqlite3.SQLITE_CORRUPT])


def _sync_directory(directory: Path) -> None:
    """Make the name of a new file durable, where directories can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
