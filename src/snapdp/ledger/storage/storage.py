"""What a ledger needs of a database: its rows, and a small interface.

A storage knows nothing of budgets: it appends entries, swaps the standing of an account if it is still
the one that was read, and makes a transaction durable before `commit` returns. Two kinds: a file (sqlite.py), a server
(postgres.py).

Rules of change:
- a ledger says its format and the digest of the schema that made it (schema.py), in the first columns of its row; one
  with another format or digest is refused before anything else of it is read;
- an entry is never rewritten: records and published heads name its digest;
- a new kind of entry, a new field of one or a new meaning opens a new format; the library's checks (rules.py)
  and the server's (postgres.sql) say the same of it in the same commit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from snapdp.errors import LedgerError
from snapdp.values import Value

R = TypeVar("R")
FORMAT = 1
PAGE = 500  # entries read at a time
NOTHING_DONE = "No release was made. Whatever did reach the disk before the failure counts as spent."
OTHER_VERSION = (
    "was made by another version of snapdp, or by another program.",
    "Use the one that made it. Nothing in it was changed, and nothing was spent.",
)


def first(found: Sequence[R]) -> R | None:
    """Return the first of some rows; None where there is none."""
    return found[0] if found else None


class UnavailableError(LedgerError):
    """Server or disk cannot be asked at this moment, which says nothing about what the ledger holds."""


class Identity(Value):
    """What a ledger is: a random name, the key of its digests, and a seal over its format and name."""

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
    """What a ledger needs of a database. Failures are LedgerError; a failed transaction leaves nothing behind.

    Every method means the same on both stores, to whoever owns the ledger. A server has analysts beside its keeper:
    they see where accounts stand, how each was opened and amended, their own entries, and the twins of a request that
    they can name. Another's entry is not there for them, identity has neither key nor seal, and the rest is refused:
    closing, datasets, damage, all that writes. They write through the server's own steps (register, reserve, finish of
    postgres.py), which look, check and append at once; ledger.py takes these for the keeper too, and nothing in a file
    is like them. A file alone can be copied (copy_to of sqlite.py).
    """

    def begin(self, *, writing: bool) -> None:
        """Start a transaction: one view of all; or, `writing`, alone (on a server: with each account appended to)."""

    def commit(self) -> None:
        """Make the transaction durable: it survives a crash of process and machine once this returns."""

    def rollback(self) -> None:
        """Forget the transaction. Never raises."""

    def identity(self) -> Identity:
        """Return what the ledger is; refuse one of another format or schema. Its seal is not checked here."""

    def standings(self) -> list[Standing]:
        """Return how every account stands, by name in the order of its characters' numbers."""

    def standing(self, account: str) -> Standing | None:
        """Return how an account stands; None if there is no such account."""

    def held(self, account: str) -> Standing | None:
        """Return how an account stands, which nobody else moves until this writing transaction ends."""

    def add_standing(self, standing: Standing) -> None:
        """Let a new account stand where its first entry leads, which was appended in this transaction."""

    def swap_standing(self, old: Standing, new: Standing) -> bool:
        """Let an account stand at `new`, where the entry appended last leads from `old`; return whether it does."""

    def append(self, entry: Entry) -> None:
        """Add an entry, which nobody can change from then on; refuse a number or an answer that is there already."""

    def entry(self, account: str, number: int) -> Entry | None:
        """Return an entry by its number, a server's with its author (Signed); None if there is none."""

    def entries(self, account: str, *, start: int) -> list[Entry]:
        """Return the next entries from a number on, in order, at most PAGE; none when there are no more."""

    def amendments(self, account: str) -> list[Entry]:
        """Return the entries that amended an account, in order."""

    def newest_amendment(self, account: str) -> Entry | None:
        """Return the last of them; None if there is none."""

    def twins(self, account: str, version: str, request: str) -> list[Entry]:
        """Return a request's reservation and commit; without a commit the newest reservation, if it is open."""

    def closing(self, account: str, reserve: int) -> Entry | None:
        """Return the entry that committed or abandoned a reservation; None while it is open."""

    def datasets(self) -> list[Dataset]:
        """Return every content that is known."""

    def dataset(self, keyed: str) -> Dataset | None:
        """Return the content with this keyed digest; None if it is new."""

    def dataset_of(self, version: str) -> Dataset | None:
        """Return the content that a version stands for; None if there is no such version."""

    def add_dataset(self, dataset: Dataset) -> None:
        """Add a content whose entry was appended in this transaction."""

    def start_session(self, token: str) -> None:
        """Show others that this process lives, until `close` or its death."""

    def session_lives(self, token: str) -> bool:
        """Tell whether the process of a session is alive and has not closed it."""

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong, as sentences."""

    def close(self) -> None:
        """End the session and the connection; in another process than the one that opened it, do nothing."""
