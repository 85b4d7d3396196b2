"""Public conditions on a row: a category, or a range of the quantised number.

Holds no data. A condition that no row or every row would meet is refused when it is declared. On a missing value every
condition is false.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.numbers import parameter
from snapdp.studies.aggregates import Levels, Member
from snapdp.studies.categories import DateColumn, named_place, named_start
from snapdp.studies.columns import CategoryColumn, Column, check_on_step
from snapdp.studies.labels import range_text, readable_number
from snapdp.studies.quantiser import first_level_from
from snapdp.values import Value


class Condition(Value):
    """One public condition on a row: a category, start <= x < below on the quantised number, or periods of dates."""

    column: Column
    equals: str | None = None
    start: Fraction | str | None = None
    below: Fraction | str | None = None

    @property
    def text(self) -> str:
        """Return the condition as records write it: 61/2 <= age < 65."""
        if self.equals is not None:
            return f"{self.column.name} = {self.equals}"
        return range_text(self.column.name, self.start, self.below)

    @property
    def readable(self) -> str:
        """Return the condition as people read it: 30.5 <= age < 65."""
        if self.equals is not None:
            return self.text
        return range_text(self.column.name, readable_number(self.start), readable_number(self.below))


def condition(column: Column, *, equals: Any = None, start: Any = None, below: Any = None) -> Condition:
    """Return a condition; one that no row or every row would meet is refused.

    >>> from snapdp.studies.columns import integer_column
    >>> condition(integer_column("age", lower=0, upper=120, missing="dropped"), start=18, below=65).text
    '18 <= age < 65'
    """
    if isinstance(column, DateColumn) and equals is None and (start is not None or below is not None):
        return _between_dates(column, start, below)
    if isinstance(column, CategoryColumn):
        if start is not None or below is not None or equals is None:
            raise ParameterError(
                f"column {column.name!r} holds categories: a condition on it names one of them.",
                f"Give equals, such as equals = {column.categories[0]!r}.",
            )
        place = named_place(column, equals)
        if place is None:
            raise ParameterError(
                f"{equals!r} is no declared category of column {column.name!r}.",
                f"Give one of the {len(column.categories)} declared ones, such as {column.categories[0]!r}.",
            )
        return Condition(column=column, equals=column.categories[place])
    if equals is not None or (start is None and below is None):
        raise ParameterError(
            f"column {column.name!r} holds numbers: a condition on it is a range.",
            f'Give from, below, or both: "{column.name}>=18" on the command line, where={{"{column.name}": (18, 65)}} '
            "in Python.",
        )
    column = column.plain
    low = None if start is None else parameter(start, name="from")
    high = None if below is None else parameter(below, name="below")
    for sign, end in ((">=", low), ("<", high)):
        if end is not None and not column.lower < end <= column.upper:
            whom = "every number" if (end <= column.lower) == (sign == ">=") else "no number"
            raise BoundError(
                f"{whom} of column {column.name!r} is {sign} {end}: cells are moved between the bounds {column.lower} "
                f"to {column.upper}.",
                f"Give ends above {column.lower} and at most {column.upper}; leave out an end that is no limit.",
            )
        if end is not None:
            check_on_step(column, end, "the end")
    if low is not None and high is not None and low >= high:
        raise BoundError(f"from = {low} is not below {high} for column {column.name!r}.", "Give from < below.")
    if low is not None and high is not None and first_level_from(column, low) == first_level_from(column, high):
        raise BoundError(
            f"no multiple of the step {column.step} lies from {low} to below {high} in column {column.name!r}.",
            "The count would always be 0: move the ends apart.",
        )
    return Condition(column=column, start=low, below=high)


def _between_dates(column: DateColumn, start: Any, below: Any) -> Condition:
    """Return a condition on periods, named by their labels."""
    low = None if start is None else named_start(column, start, key="from")
    high = None if below is None else named_start(column, below, key="below")
    if low is not None and high is not None and low >= high:
        raise BoundError(f"from = {start} is not before {below} for column {column.name!r}.", "Give from < below.")
    ends = (None if each is None else column.categories[each] for each in (low, high))
    return Condition(column=column, **dict(zip(("start", "below"), ends, strict=True)))


def joined(where: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return conditions that a row must meet, all of them; each speaks of another column."""
    names = [each.column.name for each in where]
    if len(set(names)) != len(names):
        raise ParameterError("two conditions speak of the same column.", "Join them into one, with from and below.")
    return tuple(where)


def by_name(where: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return joined conditions in the order of their columns' names: the order in which they are typed says nothing."""
    return tuple(sorted(where, key=lambda each: each.column.name))


def tested(each: Condition) -> Levels | Member:
    """Return what a table is asked about a condition: a position in the list of categories, or a range of levels."""
    column = each.column
    if isinstance(column, DateColumn) and each.equals is None:
        first = 0 if each.start is None else column.categories.index(str(each.start))
        after = len(column.categories) if each.below is None else column.categories.index(str(each.below))
        return Levels(column=column, start=first, below=after)
    if isinstance(column, CategoryColumn):
        assert each.equals is not None
        return Member(column=column, category=each.equals)
    start = 0 if each.start is None else first_level_from(column, Fraction(each.start))
    below = column.levels + 1 if each.below is None else first_level_from(column, Fraction(each.below))
    return Levels(column=column, start=start, below=below)
