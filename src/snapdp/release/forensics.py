"""Which field was altered? Tries every change of one digit against the digest of the request.

Room: release. A record declares a request and carries its digest. If they disagree and one digit of one declared
field explains it, that field is named. The search is finite: digits of the declared fields, times ten.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from snapdp.queries.relation import ADD_REMOVE, CHANGE_ONE
from snapdp.release.belonging import declaration_of, identical

MOST_TRIES = 200_000
Place = tuple[str | int, ...]


def altered_field(record: dict[str, Any]) -> tuple[str, str, str] | None:
    """Return (field, what it says, what it said), or None where no change of one digit fits."""
    declared = declaration_of(record)
    tries = 0
    for place, text in _fields(declared, ()):
        for other in _changes(text):
            tries += 1
            if tries > MOST_TRIES:
                return None
            if _fits(_with(declared, place, other), record["request"]):
                return _written(place), str(text), str(other)
    return None


def _fits(declared: Mapping[str, Any], digest: str) -> bool:
    try:
        total = sum((Fraction(each["epsilon"]) for each in declared["statistics"]), Fraction(0))
        return identical(total, declared) == digest
    except (ValueError, ArithmeticError):
        return False


def _fields(value: Any, place: Place) -> Iterator[tuple[Place, Any]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _fields(each, (*place, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _fields(each, (*place, number))
    elif isinstance(value, (str, int)) and not isinstance(value, bool):
        yield place, value


def _changes(value: str | int) -> Iterator[str | int]:
    """Yield what a field may have said before one digit of it was changed."""
    if value in (CHANGE_ONE, ADD_REMOVE):
        yield ADD_REMOVE if value == CHANGE_ONE else CHANGE_ONE
    text = str(value)
    for place, old in enumerate(text):
        if old.isdigit():
            for digit in "0123456789":
                if digit != old:
                    changed = text[:place] + digit + text[place + 1 :]
                    yield changed if isinstance(value, str) else int(changed)


def _with(declared: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(declared)
    inner: Any = changed
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return changed


def _written(place: Place) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
