"""The neighbour relation: what one row (or one person) may change, and which row count is public.

Room: studies. Holds no data. One relation per account, asked first, never mixed. change-one: n is public and one row's
values change. add-remove: n is private, n_max is public, and one row, the rows of one person, or several rows together
appear or disappear. A table with more than n_max rows is clamped silently: nobody learns it.
Theory: docs/theory/sensitivities.md, (1), (12) and (21).
"""

from __future__ import annotations

from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown
from snapdp.studies.units import (
    Person,
    believed,
    bounded_in,
    named_person,
    person_in,
    person_in_words,
    person_names,
    person_unit,
    rows_in,
    rows_unit,
)
from snapdp.values import Value

CHANGE_ONE = "change-one"
ADD_REMOVE = "add-remove"


class Relation(Value):
    """Who counts as a neighbour. Build one with `change_one` or `add_remove`.

    person            the column that names the person, or several that do so together
    rows_per_person   so many rows of each person are kept, where a statistic does not say it itself
    unit_rows         where no column names persons: so many rows may come or go together. Believed, not enforced
    """

    kind: str
    rows: int
    person: Person | None = None
    rows_per_person: int = 1
    unit_rows: int = 1

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
            return person_unit(self.person)
        return "row" if self.unit_rows == 1 else rows_unit(self.unit_rows)

    @property
    def secret(self) -> str:
        """Return what is protected, as an indirect question.

        >>> change_one(n=5000).secret, add_remove(n_max=9000, person="id").secret
        ('which of two values this row has', 'whether this person is in the table')
        """
        if self.is_change_one:
            return "which of two values this row has"
        who = "this person is" if self.person is not None else "this row is"
        return f"whether {who if self.unit_rows == 1 else f'these {self.unit_rows} rows are'} in the table"

    @property
    def in_words(self) -> str:
        """Return the relation as a sentence: how neighbours differ. What people are told is `protected`."""
        if self.is_change_one:
            return f"The values of one row change; the number of rows, {self.rows}, is public."
        counted = f"the number of rows is private, at most {self.rows} are counted."
        if self.person is not None:
            who = person_in_words(self.person)
            return f"One person ({who}) appears or disappears, with all rows of theirs; {counted}"
        if self.unit_rows > 1:
            return f"Up to {self.unit_rows} rows appear or disappear together; {counted} {believed(self.unit_rows)}"
        return f"One row appears or disappears; {counted}"

    @property
    def protected(self) -> str:
        """Return what is protected, as people read it behind "What is protected:".

        >>> change_one(n=5000).protected, add_remove(n_max=9000).protected.partition(";")[0]
        ('the values of any one row; the number of rows, 5000, is public.', 'the presence of any one row')
        """
        if self.is_change_one:
            return f"the values of any one row; the number of rows, {self.rows}, is public."
        who, trust = "any one row", ""
        if self.person is not None:
            who = f"any one person ({person_in_words(self.person)}) with all rows of theirs"
        elif self.unit_rows > 1:
            who, trust = f"any {self.unit_rows} rows together", f" {believed(self.unit_rows)}"
        return f"the presence of {who}; the number of rows is private, at most {self.rows} are counted.{trust}"


def relation_of_account(*, kind: str, rows: int, unit: str) -> Relation:
    """Return the relation that an account was opened with; refuse a unit that is neither rows nor a person's.

    >>> relation_of_account(kind="add-remove", rows=9000, unit="person (id, at most 3 rows)")
    Relation(kind='add-remove', rows=9000, person='id', rows_per_person=3, unit_rows=1)
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


def change_one(*, n: Any) -> Relation:
    """Return the relation in which n is public and the values of one row change.

    >>> change_one(n=5000).in_words
    'The values of one row change; the number of rows, 5000, is public.'
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
