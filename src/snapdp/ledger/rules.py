"""What belongs together: a reservation and its request, a record and its reservation, a request and its account.

These are the equalities of docs/theory/ledger.md, (8)-(9). `verify` demands them of every entry, the ledger of every
stored answer before it is handed out, and the server of a team ledger of what it is given (storage/postgres.sql says
the same in SQL). They prove payment and bookkeeping. No equality can show that the indices of a record were drawn at
random. `Replay` walks the chain of one account from its first entry and says what does not fit. Nothing is opened here.
Theory: docs/theory/ledger.md, (1)-(5), (8), (9), (12).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.errors import LedgerError
from snapdp.ledger.accounts import amend_fault, is_label
from snapdp.ledger.chain import (
    AMEND,
    CLOSE,
    COMMIT,
    DATASET,
    LONGEST_FRACTION,
    OPEN,
    RESERVE,
    amount_from,
    amount_text,
    canonical,
    dataset_seal,
    day_of,
    nothing,
    read,
)
from snapdp.ledger.storage.storage import Dataset, Entry, Identity, Standing, Storage
from snapdp.studies.declarations import digest
from snapdp.studies.relation import ADD_REMOVE, CHANGE_ONE, bounded_unit, person_unit, rows_unit
from snapdp.values import Facts, Values

WHO = ("relation", "unit", "n", "n_max", "person", "rows_per_person", "unit_rows", "own")
DECLARED = (*WHO, "person_columns", "most_units")
REQUEST_VERSION = 1
PERSONS = "persons"  # the kind of statistic that counts them


class Terms(NamedTuple):
    """What an account was opened with: relation, rows, and whom epsilon protects."""

    relation: str
    rows: int
    unit: str


def identical(epsilon: Fraction, request: Facts) -> str:
    """Return what makes two requests the same."""
    return digest(canonical({"epsilon": amount_text(epsilon), "request": dict(request)}, name="request"))


def declaration_of(record: Facts) -> Values:
    """Return the request as the record's own texts declare it."""
    statistics = [{key: each[key] for key in each if key != "parts"} for each in record["statistics"]]
    relation = {key: record[key] for key in DECLARED if key in record}
    return {"snapdp_request": REQUEST_VERSION, **relation, "statistics": statistics}


def reserve_fault(body: Facts, terms: Terms, author: str | None = None) -> str | None:
    """Return what a reservation says that cannot be, as the end of a sentence."""
    asked, epsilon = body["asked"], body["epsilon"]
    if body["request"] != digest(canonical({"epsilon": epsilon, "request": asked})):
        return "reserves another request than the one it names"
    if "snapdp_request" not in asked:  # asked by somebody else's program: taken as it is
        return None
    try:
        total = _total(asked["statistics"])
        rows = asked["n" if terms.relation == CHANGE_ONE else "n_max"]
        if str(total) != epsilon:
            return "is charged another epsilon than its statistics say"
        if (asked["relation"], rows, type(rows)) != (terms.relation, terms.rows, int):
            return "was asked under other terms than those of its account"
        if terms.unit not in units_of(asked):
            return "was asked under other terms than those of its account"
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return "asks what cannot be read"
    if author is not None and asked.get("own", author) != author:
        return "was reserved for another role"
    return None


def _total(statistics: Sequence[Facts]) -> Fraction:
    """Return what statistics cost together; ValueError where the sum runs away, as no sum of a ledger does."""
    total = Fraction(0)
    for each in statistics:
        total += amount_from(each["epsilon"])
        if total.denominator >= 10**LONGEST_FRACTION:
            raise ValueError
    return total


def units_of(asked: Facts) -> tuple[str, ...]:
    """Return the units of the accounts that a request may be charged to, first that of one opened for it today.

    An account that fixes how many rows of each person are kept takes what it took when all accounts did so: statistics
    that all keep so many rows, of persons whom one column names.                                       theory (8)
    """
    if "unit_rows" in asked:
        rows = asked["unit_rows"]
        if "person" in asked or type(rows) is not int or rows < 2:
            raise ValueError
        return (rows_unit(rows),)
    if "person" not in asked:
        if asked["unit"] != "row":
            raise ValueError
        return ("row",)
    person, most = asked["person"], asked["rows_per_person"]
    several = tuple(person) if isinstance(person, (list, tuple)) else ()
    named = type(person) is str or (len(several) > 1 and {*map(type, several)} == {str})
    if not named or type(most) is not int or most < 1:
        raise ValueError
    declared = asked.get("person_columns", ())
    if declared:  # an account that fixes the rows of each person tells persons apart as they are stored
        return (person_unit(several or person, declared),)
    free = person_unit(several or person)
    own = any("rows_per_person" in each or each.get("kind") == PERSONS for each in asked["statistics"])
    return (free,) if several or own else (free, bounded_unit(person, most))


def commit_fault(body: Facts, reserved: Facts, head: str) -> str | None:
    """Return what a record says that is not its reservation's, which has the digest `head`."""
    record = body["record"]
    binding = {
        "dataset": reserved["account"],
        "dataset_version": reserved["version"],
        "charged": reserved["epsilon"],
        "request": reserved["request"],
        "previous": head,
        "date": day_of(reserved["time"]),
    }
    wrong = [name for name, value in binding.items() if record.get(name) != value]
    if wrong:
        return f"holds a record that does not belong to its reservation: {', '.join(wrong)}"
    if "snapdp_request" not in reserved["asked"]:
        return "holds a record whose request was not reserved" if "statistics" in record else None
    try:
        fits = canonical(declaration_of(record)) == canonical(reserved["asked"])
    except (KeyError, TypeError, AttributeError):
        fits = False
    return None if fits else "holds a record that declares another request than the one reserved"


def answer_fault(commit: Facts, reserve: Entry | None, reserved: Facts) -> str | None:
    """Return what keeps a stored record from being an answer."""
    if reserve is None or (reserved["version"], reserved["request"]) != (commit["version"], commit["request"]):
        return "closes a reservation that is not there"
    return commit_fault(commit, reserved, reserve.digest)


# Verification

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


def missing(storage: Storage, against: Facts | str) -> Iterator[str]:
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
        yield (
            "it does not hold the record given: it is the record of another ledger, an older copy was put back, or the "
            "record was altered."
        )


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
        self._pending: dict[int, tuple[Values, str]] = {}
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

    def _step(self, entry: Entry, body: Values) -> str | None:
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

    def _opened(self, entry: Entry, body: Values) -> str | None:
        self._cap = amount_from(body["cap"])
        self._terms = Terms(body["relation"], body["rows"], body["unit"])
        if body["ledger"] != self._identity.name:
            return "belongs to another ledger"
        named = is_label(entry.account) and is_label(body["unit"]) and body["relation"] in (CHANGE_ONE, ADD_REMOVE)
        counted = type(body["rows"]) is int and body["rows"] >= 1
        return None if named and counted and self._cap > 0 and _fits(TIME, body["time"]) else UNWRITTEN

    def _registered(self, entry: Entry, body: Values) -> str | None:  # noqa: ARG002
        known = body["version"] in self._versions
        self._versions.add(body["version"])
        return "registers a version that is known" if known else None

    def _reserved(self, entry: Entry, body: Values) -> str | None:
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

    def _amended(self, entry: Entry, body: Values) -> str | None:
        fault = amend_fault(body, self._cap, closed=self._is_closed)
        self._cap = amount_from(body["cap"]) if fault is None else self._cap
        self._is_closed = self._is_closed or entry.kind == CLOSE
        return fault if fault or _fits(TIME, body["time"]) else UNWRITTEN

    def _finished(self, entry: Entry, body: Values) -> str | None:
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
