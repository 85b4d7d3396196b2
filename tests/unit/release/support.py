"""A ledger with one account, and the few things the tests of this package do again and again."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from snapdp.ledger.accounts import Answer, Reservation
from snapdp.ledger.ledger import Ledger

F = Fraction
NAME = "survey"
TERMS = {"relation": "change-one", "rows": 5000, "unit": "row"}


def fingerprint(content: str) -> bytes:
    return hashlib.sha256(content.encode()).digest()


def new_ledger(path, *, cap=1, name=NAME, **more):
    """Return a new ledger with one account, and the version of its dataset."""
    ledger = Ledger.create(path, **more)
    ledger.create_account(name, cap=cap, **TERMS)
    return ledger, ledger.dataset_version(name, fingerprint("rows of " + name))


def ask(ledger, version, what, epsilon, *, name=NAME, **more):
    return ledger.reserve(name, epsilon=epsilon, request={"ask": what}, version=version, **{**TERMS, "wait": 0, **more})


def record_of(reservation: Reservation, value=0.5) -> dict[str, object]:
    return {**reservation.binding, "format": 1, "value": value}


def release(ledger, version, what, epsilon, *, value=0.5, **more) -> dict[str, object]:
    """Reserve and commit; return the record, new or stored."""
    got = ask(ledger, version, what, epsilon, **more)
    if isinstance(got, Answer):
        return got.record
    record = record_of(got, value)
    ledger.commit(got, record)
    return record


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every number, text and truth value of a record, and the way to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from leaves(each, (*path, number))
    else:
        yield path, value


def with_value(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a copy of a record in which one thing is another."""
    changed = copy.deepcopy(record)
    inner: Any = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return changed
