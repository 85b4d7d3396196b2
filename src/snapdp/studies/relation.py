"""The neighbour relation: what one row (or one person) may change, and which row count is public.

Room: studies. Holds no data. One relation per account, asked first, never mixed. change-one: n is public and one row's
values change. add-remove: n is private, n_max is public, and one row, or the rows of one person, appears or disappears.
A table with more than n_max rows is clamped silently: nobody learns it. Theory: docs/theory/sensitivities.md, (1) and
(12).
"""

from __future__ import annotations

import re
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown
from snapdp.values import Value

CHANGE_ONE = "change-one"
ADD_REMOVE = "add-remove"
_PERSON_UNIT = re.compile(r"person \((.+), at most ([1-9][0-9]*) rows\)", re.DOTALL)  # what `person_unit` writes


class Relation(Value):
    """Who counts as a neighbour. Build one with `change_one` or `add_remove`."""

    kind: str
    rows: int
    person: str | None = None
    rows_per_person: int = 1

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
        if self.person is None and self.rows_per_person != 1:
            raise ParameterError(
                f"rows_per_person = {self.rows_per_person} needs the column that names the person.",
                "Give person as well; without it the unit is the row.",
            )

    @property
    def is_change_one(self) -> bool:
        return self.kind == CHANGE_ONE

    @property
    def unit(self) -> str:
        """Return whom epsilon protects."""
        return "row" if self.person is None else "person"

    @property
    def unit_in_full(self) -> str:
        """Return the unit that an account is opened with: the row, or a person's rows in one column."""
        return self.unit if self.person is None else person_unit(self.person, self.rows_per_person)

    @property
    def in_words(self) -> str:
        """Return the relation as a sentence for people."""
        if self.is_change_one:
            return f"The values of one row change; the number of rows, {self.rows}, is public."
        who = "One row" if self.person is None else f"One person ({self.person}, at most {self.rows_per_person} rows)"
        return f"{who} appears or disappears; the number of rows is private, at most {self.rows} are counted."


def person_unit(person: str, rows_per_person: int) -> str:
    """Return the unit of an account that protects persons, from the column that names them and the rows of each."""
    return f"person ({person}, at most {rows_per_person} rows)"


def relation_of_account(*, kind: str, rows: int, unit: str) -> Relation:
    """Return the relation that an account was opened with; refuse a unit that is neither the row nor a person's rows.

    >>> relation_of_account(kind="add-remove", rows=9000, unit="person (id, at most 3 rows)")
    Relation(kind='add-remove', rows=9000, person='id', rows_per_person=3)
    """
    person = _PERSON_UNIT.fullmatch(unit)
    if person is not None:
        return Relation(kind=kind, rows=rows, person=person[1], rows_per_person=int(person[2]))
    if unit != "row":
        raise ParameterError(
            f"the account protects a {shown(unit)}, and no column is known that names it.",
            'An account for persons is opened with person="COLUMN" and rows_per_person=3 (--person, '
            '--rows-per-person): its unit is "person (COLUMN, at most 3 rows)".',
        )
    return Relation(kind=kind, rows=rows)


def change_one(*, n: Any) -> Relation:
    """Return the relation in which n is public and the values of one row change.

    >>> change_one(n=5000).in_words
    'The values of one row change; the number of rows, 5000, is public.'
    """
    return Relation(kind=CHANGE_ONE, rows=whole(n, name="n"))


def add_remove(*, n_max: Any, person: str | None = None, rows_per_person: Any = 1) -> Relation:
    """Return the relation in which n is private and one row, or one person's rows, comes or goes."""
    most = whole(rows_per_person, name="rows_per_person")
    return Relation(kind=ADD_REMOVE, rows=whole(n_max, name="n_max"), person=person, rows_per_person=most)


def whole(value: Any, *, name: str) -> int:
    """Return a public parameter that must be a positive whole number."""
    number = parameter(value, name=name)
    if number.denominator != 1 or number < 1:
        raise ParameterError(f"{name} = {number} is not a positive whole number.", f"Give {name} = 1, 2, 3, ...")
    return int(number)
