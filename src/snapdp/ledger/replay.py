"""What verify looks for: walks one account's chain from its first entry and says what does not fit.

Room: ledger. Opens nothing. Theory: docs/theory/ledger.md, (1)-(5), (8), (9), (12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import LedgerError
from snapdp.ledger.accounts import is_label
from snapdp.ledger.amendments import amend_fault
from snapdp.ledger.belonging import Terms, commit_fault, reserve_fault
from snapdp.ledger.chain import (
    AMEND,
    CLOSE,
    COMMIT,
    DATASET,
    OPEN,
    RESERVE,
    amount_from,
    canonical,
    dataset_seal,
    nothing,
    read,
)  # fmt: skip
from snapdp.ledger.storage.storage import Dataset, Entry, Identity, Standing, Storage
from snapdp.studies import ADD_REMOVE, CHANGE_ONE

TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
SESSION = re.compile(r"[0-9a-f]{32}")
UNWRITTEN = "says what this library does not write"


def walk(storage: Storage, account: str, *, start: int = 0) -> Iterator[Entry]:
    """Yield the entries of an account from a number on, in order; all of them if none is given."""
    while page := storage.entries(account, start=start):
        yield from page
        start = page[-1].number + 1


def replayed(storage: Storage, identity: Identity, standing: Standing) -> Iterator[str]:
    """Yield what is wrong with an account."""
    rows = [row for row in storage.datasets() if row.account == standing.account]
    yield from Replay(identity, standing, rows).problems(walk(storage, standing.account))


def missing(storage: Storage, against: Mapping[str, Any] | str) -> Iterator[str]:
    """Yield what is missing if a ledger does not hold a record, or a head."""
    names = [standing.account for standing in storage.standings()]
    every = (entry for name in names for entry in walk(storage, name))
    if isinstance(against, str):
        if not any(entry.digest == against for entry in every):
            yield "it does not hold the head given: an older copy was put back, or it is another ledger."
        return
    text = canonical(dict(against), name="record")
    commits = (read(entry) for entry in every if entry.kind == COMMIT)
    if not any(canonical(body["record"]) == text for body in commits):
        yield "it does not hold the record given: an older copy was put back, or the record was altered."


class Replay:
    """Walks one account's chain from its first entry and says what does not fit."""

    def __init__(self, identity: Identity, standing: Standing, datasets: Iterable[Dataset]) -> None:
        self._identity = identity
        self._standing = standing
        self._sealed = {row.version: row for row in datasets}
        self._reached = nothing(standing.account)
        self._cap = Fraction(0)
        self._is_closed = False
        self._spent = Fraction(0)
        self._terms = Terms("", 0, "")
        self._versions: set[str] = set()
        self._pending: dict[int, tuple[dict[str, Any], str]] = {}
        self._answered: set[tuple[str, str]] = set()

    def problems(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Yield what is wrong, as sentences; nothing if the account is sound."""
        for entry in entries:
            try:
                body = read(entry)
            except LedgerError as error:
                yield error.problem
                return
            if (entry.number, body["previous"]) != (self._reached.entries, self._reached.head):
                yield f"entry {entry.number} of the account {entry.account!r} does not follow the one before it."
                return
            fault = self._step(entry, body)
            if fault:
                yield f"entry {entry.number} of the account {entry.account!r} {fault}."
            self._reached = Standing(
                account=entry.account, entries=entry.number + 1, spent=body["spent"], head=entry.digest
            )
        if self._reached != self._standing:
            yield f"the standing of the account {self._standing.account!r} is not that of its last entry."
        if self._versions != set(self._sealed) or not all(map(self._is_sealed, self._sealed.values())):
            yield f"the dataset versions of the account {self._standing.account!r} were altered."

    def _step(self, entry: Entry, body: dict[str, Any]) -> str | None:
        if (entry.kind == OPEN) != (entry.number == 0):
            return "is no entry for this place"
        steps = {
            OPEN: self._opened,
            DATASET: self._registered,
            RESERVE: self._reserved,
            AMEND: self._amended,
            CLOSE: self._amended,
        }
        fault = steps.get(entry.kind, self._finished)(entry, body)
        if body["spent"] != str(self._spent) or self._spent > self._cap:
            return "does not add up, or passes the cap"
        return fault

    def _opened(self, entry: Entry, body: dict[str, Any]) -> str | None:
        self._cap = amount_from(body["cap"])
        self._terms = Terms(body["relation"], body["rows"], body["unit"])
        if body["ledger"] != self._identity.name:
            return "belongs to another ledger"
        named = is_label(entry.account) and is_label(body["unit"]) and body["relation"] in (CHANGE_ONE, ADD_REMOVE)
        counted = type(body["rows"]) is int and body["rows"] >= 1
        return None if named and counted and self._cap > 0 and _fits(TIME, body["time"]) else UNWRITTEN

    def _registered(self, entry: Entry, body: dict[str, Any]) -> str | None:  # noqa: ARG002
        known = body["version"] in self._versions
        self._versions.add(body["version"])
        return "registers a version that is known" if known else None

    def _reserved(self, entry: Entry, body: dict[str, Any]) -> str | None:
        self._spent += (epsilon := amount_from(body["epsilon"]))
        self._pending[entry.number] = (body, entry.digest)
        about = (body["version"], body["request"])
        if self._is_closed:
            return "is charged to an account that was closed"
        if about in self._answered or body["version"] not in self._versions or not epsilon:
            return "reserves what needs no reservation"
        if not _fits(TIME, body["time"]) or not _fits(SESSION, body["session"]):
            return UNWRITTEN
        return reserve_fault(body, self._terms, getattr(entry, "author", None))

    def _amended(self, entry: Entry, body: dict[str, Any]) -> str | None:
        fault = amend_fault(body, self._cap, closed=self._is_closed)
        self._cap = amount_from(body["cap"]) if fault is None else self._cap
        self._is_closed = self._is_closed or entry.kind == CLOSE
        return fault if fault or _fits(TIME, body["time"]) else UNWRITTEN

    def _finished(self, entry: Entry, body: dict[str, Any]) -> str | None:
        about = (body["version"], body["request"])
        reserved, head = self._pending.pop(body["reserve"], ({}, ""))
        if (reserved.get("version"), reserved.get("request")) != about or about in self._answered:
            return "closes a reservation that is not open"
        if entry.kind != COMMIT:
            return None
        self._answered.add(about)
        return commit_fault(body, reserved, head)

    def _is_sealed(self, row: Dataset) -> bool:
        seal = dataset_seal(self._identity.key, keyed_digest=row.keyed, account=row.account, version=row.version)
        return seal == row.seal and row.account == self._standing.account


def _fits(form: re.Pattern[str], text: Any) -> bool:
    return isinstance(text, str) and form.fullmatch(text) is not None
