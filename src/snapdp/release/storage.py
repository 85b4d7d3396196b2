"""What a ledger needs of a database: its rows, and a small interface.

Room: release. Imports errors and values. A storage knows nothing of budgets: it appends entries, swaps the standing of
an account if it is still the one that was read, and makes a transaction durable before `commit` returns.
Two kinds: a file (sqlite.py), a server (postgres.py).
"""

from __future__ import annotations

from typing import Protocol

from snapdp.errors import LedgerError
from snapdp.values import Value

FORMAT = 2
READABLE = (1, 2)  # format 1 becomes format 2 when it is first written to
PAGE = 500  # entries read at a time
NOTHING_DONE = "No release was made. Whatever did reach the disk before the failure counts as spent."


class UnavailableError(LedgerError):
    """Server or disk cannot be asked at this moment, which says nothing about what the ledger holds."""


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
        """Return, of the entries about one request, at least its commit with the reservation, or the open one."""

    def closing(self, account: str, reserve: int) -> Entry | None:
        """Return the entry that committed or abandoned a reservation."""

    def datasets(self) -> list[Dataset]: ...

    def dataset(self, keyed: str) -> Dataset | None: ...

    def dataset_of(self, version: str) -> Dataset | None: ...

    def add_dataset(self, dataset: Dataset) -> None: ...

    def start_session(self, token: str) -> None:
        """Show others that this process lives, until `close` or its death."""

    def session_lives(self, token: str) -> bool: ...

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong, as sentences."""

    def close(self) -> None: ...
