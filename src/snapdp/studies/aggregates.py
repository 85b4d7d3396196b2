"""What can be asked of a table: counts, sums and histograms of whole numbers, and the exact integers that come back.

Nothing is read here. An aggregate speaks of levels: q = steps above the lower bound of a column, or the position of a
category in its declared list. Statistics say which aggregates they need, and make numerators of them.
Every aggregate takes `where`: it is then answered over the rows that meet all its tests; `by`, groups of rows: it is
then answered once for each of them; and `persons`: at most so many rows of each person are there, before any test.
Where the persons themselves are counted, tests come first, and at most so many cells of each person behind them.

    answer = one integer for each cell, groups outermost, in the order in which cells were declared

Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from snapdp.errors import ParameterError
from snapdp.studies.categories import DateColumn
from snapdp.studies.columns import CategoryColumn, Column, NumberColumn, PersonColumn, storable
from snapdp.studies.grouping.groups import Groups, groups_of
from snapdp.values import Value


class Levels(Value):
    """A condition: start <= q < below. What is missing, or no date, has no level and is in no range."""

    column: NumberColumn | DateColumn
    start: int
    below: int


class Member(Value):
    """A condition: the cell is exactly this declared category."""

    column: CategoryColumn
    category: str

    def _check(self) -> None:
        if self.category not in self.column.categories:
            raise ParameterError(
                f"{self.category!r} is no declared category of column {self.column.name!r}.", "Name a declared one."
            )


class Present(Value):
    """A condition: the cell is not missing."""

    column: NumberColumn


Test = Levels | Member | Present


class Persons(Value):
    """Whose rows they are, and how many of each person's are kept.                       docs/theory/persons.md

    columns   the columns that together name the person; a row that lacks one of them names nobody and is not counted
    most      at most this many rows of each person, chosen by a hash of person and row
    declared  those of the columns whose declared values tell persons apart; all others are compared as they are
    """

    columns: tuple[str, ...]
    most: int
    declared: tuple[Column, ...] = ()

    def _check(self) -> None:
        if self.most < 1:
            raise ParameterError(f"rows_per_person = {self.most} keeps no row.", "Give 1, 2, 3, ...")
        if not self.columns or len({*self.columns}) < len(self.columns):
            told = "a column names the person twice." if self.columns else "no column names the person."
            raise ParameterError(told, "Name each column once that is part of the name of a person.")
        for name in self.columns:
            storable(name, "the name of the person column")

    @property
    def person_columns(self) -> tuple[Column, ...]:
        """Return the columns as sources see them."""
        declared = {column.name: column for column in self.declared}
        return tuple(declared.get(name) or PersonColumn(name=name) for name in self.columns)


class _Asked(Value):
    """What every aggregate says about its rows: the tests they meet, all of them; their groups; whose they are."""

    where: tuple[Test, ...] = ()
    by: Groups | None = None
    persons: Persons | None = None

    def __init__(self, **fields: Any) -> None:
        if fields.get("by") is not None:  # a column by itself is the groups by it
            fields["by"] = groups_of(fields["by"])
        super().__init__(**fields)

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the columns that are counted or summed."""
        return ()

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column but those of the groups."""
        return (*self.measured, *(each.column for each in self.where))

    @property
    def every_column(self) -> tuple[Column, ...]:
        """Return every column that is read."""
        return (*self.columns, *(() if self.by is None else self.by.read_columns))

    @property
    def cells(self) -> int:
        return 1


class _OfColumn(_Asked):
    """What is counted or summed is one column."""

    column: Column

    @property
    def measured(self) -> tuple[Column, ...]:
        return (self.column,)


class Count(_Asked):
    """The number of rows that meet all conditions."""


class Sum(_OfColumn):
    """The sum of q over the rows; those without the cell add what stands in for it, or nothing."""

    column: NumberColumn


class Products(_Asked):
    """The sum of q * r over the rows, for two columns or one column twice; missing cells as in a sum."""

    first: NumberColumn
    second: NumberColumn

    @property
    def measured(self) -> tuple[Column, ...]:
        return (self.first, self.second)


class Bins(_OfColumn):
    """The number of rows with cuts[i] <= q < cuts[i+1], for each i.

    missing   one more cell, the last: the rows that have no q
    """

    column: NumberColumn
    cuts: tuple[int, ...]
    missing: bool = False

    def _check(self) -> None:
        if len(self.cuts) < 2 or any(low > high for low, high in pairwise(self.cuts)):
            raise ParameterError(
                f"the cuts of column {self.column.name!r} do not increase.", "Give at least two, in order."
            )

    @property
    def cells(self) -> int:
        return len(self.cuts) - 1 + self.missing


class LevelCounts(_OfColumn):
    """The number of rows at each level; a row without the cell is at what stands in for it, or nowhere."""

    column: NumberColumn

    @property
    def cells(self) -> int:
        return self.column.levels + 1


class Categories(_OfColumn):
    """The number of rows in each cell of a category column."""

    column: CategoryColumn

    @property
    def cells(self) -> int:
        return self.column.cells


class People(_Asked):
    """The number of distinct persons with a row that meets all conditions, in each cell of `by`.

    groups   each person counts in at most so many cells: the first ones by the hash of (salt, cell, person). How many
             rows of each are kept elsewhere plays no part
    """

    groups: int = 1

    def _check(self) -> None:
        if self.persons is None:
            raise ParameterError("no column names the people to count.", "Give persons as well.")
        if self.groups < 1:
            raise ParameterError(f"people that count in {self.groups} groups count nowhere.", "Give 1, 2, 3, ...")


Aggregate = Count | Sum | Products | Bins | LevelCounts | Categories | People


class Aggregates:
    """The exact integers of one table, by aggregate. All of them were read inside one transaction.

    rows      how many rows were counted: private under add-remove, compared with n under change-one; with persons, how
              many they keep where they keep most, or, where only persons are counted, how many rows name one
    answers   for each aggregate one integer per cell, groups outermost
    """

    def __init__(self, *, rows: int, answers: Mapping[Aggregate, tuple[int, ...]]) -> None:
        self.rows = rows
        self._answers = dict(answers)

    def __getitem__(self, asked: Aggregate) -> tuple[int, ...]:
        return self._answers[asked]

    def __len__(self) -> int:
        return len(self._answers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Aggregates) and (self.rows, self._answers) == (other.rows, other._answers)

    __hash__ = None  # type: ignore[assignment]  # it is compared in tests, never a key

    def __repr__(self) -> str:
        return f"<exact answers to {len(self)} aggregates: private>"  # never the integers: this may land in a log
