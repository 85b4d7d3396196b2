"""The neighbour relation: what one row (or one person) may change, and which row count is public.

Holds no data. One relation per account, asked first, never mixed. change-one: n is public and one row's values change.
add-remove: n is private, n_max is public, and one row, the rows of one person, or several rows together appear or
disappear. A table with more than n_max rows is clamped silently: nobody learns it. The unit is written as text, with
which an account is opened. Theory: docs/theory/sensitivities.md, (1), (12) and (21).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snapdp.errors import ParameterError
from snapdp.exact.numbers import parameter, shown
from snapdp.studies.columns import AS_TEXT, BINNED, CATEGORY, MAGNITUDE, PERSON, CategoryColumn, Column
from snapdp.studies.grouping.keys import KEY
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.categories import DateColumn

CHANGE_ONE = "change-one"
ADD_REMOVE = "add-remove"


class Relation(Value):
    """Who counts as a neighbour. Build one with `change_one` or `add_remove`.

    person            the column that names the person, or several that do so together
    rows_per_person   so many rows of each person are kept, where a statistic does not say it itself
    unit_rows         where no column names persons: so many rows may come or go together. Believed, not enforced
    identifiers       the columns among those of the person whose declared values tell persons apart: dates by their
                      period, numbers by their step. Text, and what is not declared, is compared as it is
    """

    kind: str
    rows: int
    person: Person | None = None
    rows_per_person: int = 1
    unit_rows: int = 1
    identifiers: tuple[Column, ...] = ()

    def _check(self) -> None:
        if self.kind not in (CHANGE_ONE, ADD_REMOVE):
            raise ParameterError(
                f"relation = {self.kind!r} is unknown.",
                'Give "change-one" (n public, one row changes) or "add-remove" (n private, one row comes or goes).',
            )
        if self.kind == CHANGE_ONE and (self.person is not None or self.rows_per_person != 1):
            raise ParameterError(
                "persons with several rows are defined under add-remove only.",
                'Give relation = "add-remove" with n_max, or leave person out: then the unit is the row.',
            )
        if self.kind == CHANGE_ONE and self.unit_rows != 1:
            raise ParameterError(
                f"unit_rows = {self.unit_rows}: units of several rows are defined under add-remove only.",
                'Give relation = "add-remove" with n_max, or leave unit_rows out: then the unit is the row.',
            )
        if self.person is None and self.rows_per_person != 1:
            raise ParameterError(
                f"rows_per_person = {self.rows_per_person} needs the column that names the person.",
                "Give person as well; without it the unit is the row.",
            )
        if self.person is not None and self.unit_rows != 1:
            raise _two_units(self.unit_rows)

    @property
    def is_change_one(self) -> bool:
        """Tell whether the number of rows is public."""
        return self.kind == CHANGE_ONE

    @property
    def person_columns(self) -> tuple[str, ...]:
        """Return the columns that together name the person; none where the unit is no person."""
        return () if self.person is None else person_names(self.person)

    @property
    def moved_rows(self) -> int:
        """Return how many rows come or go between neighbours, at most, of those that are kept.  theory (12), (21)"""
        return self.unit_rows if self.person is None else self.rows_per_person

    @property
    def unit(self) -> str:
        """Return whom epsilon protects."""
        if self.person is not None:
            return "person"
        return "row" if self.unit_rows == 1 else "rows"

    @property
    def unit_in_full(self) -> str:
        """Return the unit that an account is opened with: the row, several, or a person by the column of names."""
        if self.person is not None:
            return person_unit(self.person, identifier_values(self))
        return "row" if self.unit_rows == 1 else rows_unit(self.unit_rows)

    @property
    def date_column(self) -> DateColumn | None:
        """Return the declared date among the columns that name a unit; None where there is none, or there are two."""
        from snapdp.studies.categories import DateColumn

        found = [column for column in self.identifiers if isinstance(column, DateColumn)]
        return found[0] if len(found) == 1 else None

    @property
    def most_units(self) -> int | None:
        """Return how many units the same user can be in at most, if a declared date tells them apart.  planning (40)"""
        return None if self.date_column is None else self.date_column.cells


def relation_of_account(*, kind: str, rows: int, unit: str) -> Relation:
    """Return the relation that an account was opened with; refuse a unit that is neither rows nor a person's.

    >>> relation_of_account(kind="add-remove", rows=9000, unit="person (id, at most 3 rows)")
    Relation(kind='add-remove', rows=9000, person='id', rows_per_person=3, unit_rows=1, identifiers=())
    """
    bounded, several, person = bounded_in(unit), rows_in(unit), person_in(unit)
    if bounded is not None:
        return Relation(kind=kind, rows=rows, person=bounded[0], rows_per_person=bounded[1])
    if several is not None:
        return Relation(kind=kind, rows=rows, unit_rows=several)
    if person is not None:
        return Relation(kind=kind, rows=rows, person=person)
    if unit != "row":
        raise ParameterError(
            f"the account protects a {shown(unit)}, and no column is known that names it.",
            'An account for persons is opened with person="COLUMN" (--person COLUMN): its unit is "person (COLUMN)".',
        )
    return Relation(kind=kind, rows=rows)


def identifier_values(relation: Relation) -> list[dict[str, Any]]:
    """Return the declarations of the columns whose declared values tell persons apart, as records state them."""
    from snapdp.studies.declarations import column_values

    return [column_values(column) for column in relation.identifiers]


def with_identifiers(relation: Relation, columns: Iterable[Column]) -> Relation:
    """Return a relation that tells persons apart by what is declared of the columns that name them.  persons (12)

    A row without a declared value names nobody, so it can have no cell of its own: what is binned is refused.
    """
    found = {column.name: column for column in map(identifier_of, columns) if column is not None}
    chosen = tuple(found[name] for name in relation.person_columns if name in found)
    for column in chosen:
        if isinstance(column, CategoryColumn) and BINNED in (column.unknown, column.null):
            raise ParameterError(
                f"column {column.name!r} is part of the person, and a row without a declared value there names nobody.",
                'Such rows are left out of every number: give unknown = "dropped" and null = "dropped" for this '
                "column.",
            )
    return replaced(relation, identifiers=chosen)


def identifier_of(column: Column) -> Column | None:
    """Return the declaration by which a column tells persons apart, if it names them; None if its exact text does."""
    is_text = isinstance(column, CategoryColumn) and column.kind == CATEGORY and column.compare == AS_TEXT
    return None if is_text or column.kind in (PERSON, KEY, MAGNITUDE) else column.plain


def change_one(*, n: Any) -> Relation:
    """Return the relation in which n is public and the values of one row change.

    >>> change_one(n=5000)
    Relation(kind='change-one', rows=5000, person=None, rows_per_person=1, unit_rows=1, identifiers=())
    """
    return Relation(kind=CHANGE_ONE, rows=whole(n, name="n"))


def add_remove(*, n_max: Any, person: Any = None, rows_per_person: Any = 1, unit_rows: Any = None) -> Relation:
    """Return the relation in which n is private and one row, one person's rows, or several together, come or go."""
    together = 1 if unit_rows is None else whole(unit_rows, name="unit_rows")
    if unit_rows is not None and person is not None:
        raise _two_units(together)
    return Relation(
        kind=ADD_REMOVE,
        rows=whole(n_max, name="n_max"),
        person=named_person(person),
        rows_per_person=whole(rows_per_person, name="rows_per_person"),
        unit_rows=together,
    )


def _two_units(unit_rows: int) -> ParameterError:
    return ParameterError(
        f"unit_rows = {unit_rows} and person are both given.",
        "With a person column the unit is the person, and rows_per_person is enforced: leave unit_rows out.",
    )


def guessed_rows(rows: Any, relation: Relation) -> int:
    """Return how many rows somebody guesses that there are; refuse more than are declared."""
    found, most = whole(rows, name="rows"), relation.rows
    if found > most:
        raise ParameterError(f"rows = {found} is more than the {most} declared.", f"Give rows <= {most}.")
    return found


def whole(value: Any, *, name: str) -> int:
    """Return a public parameter that must be a positive whole number."""
    number = parameter(value, name=name)
    if number.denominator != 1 or number < 1:
        raise ParameterError(f"{name} = {number} is not a positive whole number.", f"Give {name} = 1, 2, 3, ...")
    return int(number)


# The privacy unit as text. Ledgers compare texts, so two units are one text iff they are one unit, whatever the columns
# are named.
#
#     row                             one row
#     30 rows                         so many rows together; that nobody has more is believed
#     person (id)                     all rows of a person; each statistic says how many of them count
#     person (["user","country"])     the same, named by several columns together
#     person (id, at most 3 rows)     the same; the account fixes for all statistics how many rows count
#     person (["user","when"], declared 0123...)   the same, told apart by declared values: the digest of the
#     declarations

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
