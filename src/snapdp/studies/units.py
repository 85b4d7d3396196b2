"""The unit that epsilon protects, as text: the row, several rows together, or a person by the columns of names.

Room: studies. Holds no data. An account is opened with such a text, and ledgers compare texts: so two units are one
text iff they are one unit, whatever the columns are named.

    row                             one row
    30 rows                         so many rows together; that nobody has more is believed
    person (id)                     all rows of a person; each statistic says how many of them count
    person (["user","country"])     the same, named by several columns together
    person (id, at most 3 rows)     the same; the account fixes for all statistics how many rows count
    person (["user","when"], declared 0123...)   the same, told apart by declared values: the digest of the declarations
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from snapdp.errors import ParameterError

Person = str | tuple[str, ...]  # the column that names a person, or several that do so together
_BOUNDED = re.compile(r"person \((.+), at most ([1-9][0-9]*) rows\)", re.DOTALL)  # what `bounded_unit` writes
_NAMED = re.compile(r"person \((.+)\)", re.DOTALL)  # what `person_unit` writes
DIGEST_DIGITS = 32
_DECLARED = re.compile(r"(?:person \()?(\[.+\]), declared ([0-9a-f]{32})\)?", re.DOTALL)
_SEVERAL = re.compile(r"([1-9][0-9]*) rows")  # what `rows_unit` writes
_LOOKS_BOUNDED = re.compile(r".*, at most [0-9]+ rows", re.DOTALL)


def person_names(person: Person) -> tuple[str, ...]:
    """Return the columns that together name a person."""
    return (person,) if isinstance(person, str) else person


def named_person(given: Any) -> Person | None:
    """Return the column that is given, or the several columns; refuse what names none, or one twice.

    >>> named_person(["user", "country"]), named_person(["id"])
    (('user', 'country'), 'id')
    """
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, (list, tuple)) or not given or not all(isinstance(each, str) and each for each in given):
        # It may be a column that landed here, and its cells are nobody's to read.
        raise ParameterError(
            f"person is a {type(given).__name__} that names no columns.",
            'Give the name of a column, or of several that together name a person: ["user", "country"].',
        )
    if len({*given}) != len(given):
        raise ParameterError("person names a column twice.", "Name each column once: together they name a person.")
    return given[0] if len(given) == 1 else tuple(given)


def stated_person(person: Person) -> str | list[str]:
    """Return the columns as study files, requests and records state them: one as text, several as a list."""
    return person if isinstance(person, str) else list(person)


def person_unit(person: Person, declared: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return the unit of an account that protects persons, from the columns that name them; another text for others.

    Several columns stand there as JSON, and so does one that would be taken for several, or for a bound.

    declared   the declarations of those columns whose declared values tell persons apart: two of them are two units

    >>> person_unit("id"), person_unit(("user", "country"))
    ('person (id)', 'person (["user","country"])')
    """
    if declared:
        digest = hashlib.sha256(_in_json(declared).encode()).hexdigest()[:DIGEST_DIGITS]
        return f"person ({_in_json(person_names(person))}, declared {digest})"
    if isinstance(person, str) and not person.startswith("[") and _LOOKS_BOUNDED.fullmatch(person) is None:
        return f"person ({person})"
    return f"person ({_in_json(person_names(person))})"


def _in_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def bounded_unit(person: str, rows_per_person: int) -> str:
    """Return the unit of an account that fixes, for all that is asked of it, how many rows of each person are kept."""
    return f"person ({person}, at most {rows_per_person} rows)"


def rows_unit(rows: int) -> str:
    """Return the unit of an account that protects so many rows together."""
    return f"{rows} rows"


def bounded_in(unit: str) -> tuple[str, int] | None:
    """Return the column and the rows in a unit that `bounded_unit` wrote; None where it wrote no such text."""
    found = _BOUNDED.fullmatch(unit)
    return None if found is None else (found[1], int(found[2]))


def rows_in(unit: str) -> int | None:
    """Return the rows in a unit that `rows_unit` wrote; one row is no such unit."""
    found = _SEVERAL.fullmatch(unit)
    return None if found is None or found[1] == "1" else int(found[1])


def person_in(unit: str) -> Person | None:
    """Return the columns in a unit that `person_unit` wrote; None where it wrote no such text."""
    named = _NAMED.fullmatch(unit)
    if named is None:
        return None
    declared = _DECLARED.fullmatch(named[1])
    listed = named[1] if declared is None else declared[1]
    try:
        person = named_person(json.loads(listed)) if listed.startswith("[") else listed
    except (ValueError, RecursionError, ParameterError):
        return None
    if person is None or (declared is not None and _in_json(person_names(person)) == listed):
        return person
    return person if person_unit(person) == unit else None


def declared_in(unit: str) -> str:
    """Return the digest of the declarations in a unit by which `person_unit` tells persons apart; empty without any."""
    found = _DECLARED.search(unit)
    return "" if found is None else found[2]


def listed_names(names: Iterable[str]) -> str:
    """Return names with commas between them; one that could be several stands in quotes.

    >>> listed_names(["region", "age, old"])
    'region, "age, old"'
    """
    return ", ".join(name if name.strip() == name and not {*name} & {*',"'} else json.dumps(name) for name in names)
