"""Findings of an audit: fields of a record that are not what they must be, named one by one.

Two values are the same iff their texts are: 26.0 is not 26, True is not 1, -0.0 is not 0.0.

A record declares a request and carries its digest. If they disagree and a change of one digit of one declared field
explains it, `altered_field` names that field. Each try costs the digest of the whole declaration: the search ends after
MOST_WORK bytes of them, whatever a record holds, and a short record is searched through. A text longer than LONGEST is
no number that anybody typed, and is passed over.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import SnapdpError
from snapdp.exact.numbers import parameter
from snapdp.ledger.chain import canonical
from snapdp.ledger.rules import declaration_of, identical
from snapdp.release.request import added
from snapdp.studies.relation import ADD_REMOVE, CHANGE_ONE
from snapdp.values import Value, Values

ABSENT = object()
LEDGER = "ledger"


class Finding(Value):
    """One field of a record that is not what it must be.

    about   the file beside the record, or LEDGER, where the field itself may be right and that is not what it must be
    """

    field: str
    says: str
    should: str
    about: str = ""


def differences(field: str, stated: Any, should: Any) -> Iterator[Finding]:
    """Yield every field in which two values differ, element by element."""
    if isinstance(stated, Mapping) and isinstance(should, Mapping):
        for key in sorted({*stated, *should}):
            yield from differences(f"{field}.{key}", stated.get(key, ABSENT), should.get(key, ABSENT))
    elif stated is ABSENT or should is ABSENT:
        says, other = ("nothing" if each is ABSENT else str(each) for each in (stated, should))
        yield Finding(field=field, says=says, should=other)
    elif (one := canonical(stated)) != (other := canonical(should)):
        if all(isinstance(each, (list, tuple)) for each in (stated, should)) and len(stated) == len(should):
            for place, pair in enumerate(zip(stated, should, strict=True)):
                yield from differences(f"{field}[{place}]", *pair)
        elif str(stated) == str(should):  # a number and its text
            yield Finding(field=field, says=one, should=other)
        else:
            yield Finding(field=field, says=str(stated), should=str(should))


MOST_WORK = 1 << 24  # bytes of declarations whose digest is taken: about a second
EACH = 500  # what a try costs beside them, in bytes
LONGEST = 200
Place = tuple[str | int, ...]


def altered_field(record: Values) -> tuple[str, str, str] | None:
    """Return (field, what it says, what it said), or None where no change of one digit fits, or none was found."""
    length = len(canonical(declaration_of(record)))
    if length > MOST_WORK:
        return None
    declared = copy.deepcopy(declaration_of(record))
    total, tries = _total(declared), 0
    for place, text in list(_fields(declared, ())):
        for other in _changes(text) if len(str(text)) <= LONGEST else ():
            tries += 1
            if tries * (length + EACH) > MOST_WORK:
                return None
            if _fits(declared, place, other, record["request"], total):
                return _written(place), str(text), str(other)
    return None


def _total(declared: Values) -> Fraction | None:
    try:
        return added(parameter(each["epsilon"], name="epsilon") for each in declared["statistics"])
    except SnapdpError:
        return None


def _fits(declared: Values, place: Place, value: str | int, digest: str, total: Fraction | None) -> bool:
    """Tell whether the digest is that of the declaration with one field changed; the declaration stays as it is."""
    inner: Any = declared
    for step in place[:-1]:
        inner = inner[step]
    kept, inner[place[-1]] = inner[place[-1]], value
    try:
        charged = _total(declared) if place[-1] == "epsilon" else total
        return charged is not None and identical(charged, declared) == digest
    except SnapdpError:
        return False
    finally:
        inner[place[-1]] = kept


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


def _written(place: Place) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
