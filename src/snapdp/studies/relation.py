"""The neighbour relation: what one row (or one person) may change, and which row count is public.

Room: studies. Holds no data. One relation per account, asked first, never mixed. change-one: n is public and one row's
values change. add-remove: n is private, n_max is public, and one row, the rows of one person, or several rows together
appear or disappear. A table with more than n_max rows is clamped silently: nobody learns it.
Theory: docs/theory/sensitivities.md, (1), (12) and (21).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown
from snapdp.studies.columns import AS_TEXT, BINNED, CATEGORY, PERSON, CategoryColumn, Column
from snapdp.studies.grouping.keys import KEY
from snapdp.studies.magnitudes import MAGNITUDE
from snapdp.studies.units import (
    Person,
    bounded_in,
    named_person,
    person_in,
    person_names,
    person_unit,
    rows_in,
    rows_unit,
)
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
