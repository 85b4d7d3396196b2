"""Counts and histograms: whole numbers, sensitivity 1 in each cell.

Room: queries. Imports base, columns and relation; holds no data.
A histogram is a vector of counts. Under change-one a row leaves one cell and enters another, so two cells move by 1
each (L1 distance 2) and each cell runs at half of the epsilon typed; under add-remove one cell moves.
Theory: docs/theory/sensitivities.md, (5) and (6).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from snapdp.data.schema import BINNED, DROPPED, CategoryColumn, Column, NumberColumn
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.numbers import parameter
from snapdp.queries.base import Numerator, Part, Query
from snapdp.queries.relation import Relation
from snapdp.values import Value


class Condition(Value):
    """One public condition on a row: a category, or start <= x < below on the quantised number."""

    column: Column
    equals: str | None = None
    start: Fraction | None = None
    below: Fraction | None = None

    @property
    def text(self) -> str:
        if self.equals is not None:
            return f"{self.column.name} = {self.equals}"
        low = "" if self.start is None else f"{self.start} <= "
        return low + self.column.name + ("" if self.below is None else f" < {self.below}")


def condition(column: Column, *, equals: Any = None, start: Any = None, below: Any = None) -> Condition:
    """Return a condition; one that no row or every row would meet is refused.

    >>> from snapdp.data.schema import integer_column
    >>> condition(integer_column("age", lower=0, upper=120), start=18, below=65).text
    '18 <= age < 65'
    """
    if isinstance(column, CategoryColumn):
        if start is not None or below is not None or equals is None:
            raise ParameterError(
                f"column {column.name!r} holds categories: a condition on it names one of them.",
                f"Give equals, such as equals = {column.categories[0]!r}.",
            )
        if equals not in column.categories:
            raise ParameterError(
                f"{equals!r} is no declared category of column {column.name!r}.",
                f"Give one of the {len(column.categories)} declared ones, such as {column.categories[0]!r}.",
            )
        return Condition(column=column, equals=equals)
    if equals is not None or (start is None and below is None):
        raise ParameterError(
            f"column {column.name!r} holds numbers: a condition on it is a range.", "Give from, below, or both."
        )
    low = None if start is None else parameter(start, name="from")
    high = None if below is None else parameter(below, name="below")
    for end in (low, high):
        if end is not None and not column.lower < end <= column.upper:
            raise BoundError(
                f"a condition that starts or ends at {end} does not divide the bounds {column.lower} to "
                f"{column.upper} of column {column.name!r}.",
                f"Give ends above {column.lower} and at most {column.upper}; leave out an end that is no limit.",
            )
    if low is not None and high is not None and low >= high:
        raise BoundError(f"from = {low} is not below {high} for column {column.name!r}.", "Give from < below.")
    if low is not None and high is not None and _first_level(column, low) == _first_level(column, high):
        raise BoundError(
            f"no multiple of the step {column.step} lies from {low} to below {high} in column {column.name!r}.",
            "The count would always be 0: move the ends apart.",
        )
    return Condition(column=column, start=low, below=high)


def _first_level(column: NumberColumn, x: Fraction) -> int:
    """Return the least level (steps above the lower bound) whose value is at least x."""
    return math.ceil((x - column.lower) / column.step)


def count_query(relation: Relation, *, where: Sequence[Condition] = (), by: Column | None = None) -> Query:
    """Return the number of rows that meet all conditions, also for each cell of a category column."""
    names = [each.column.name for each in where]
    if len(set(names)) != len(names):
        raise ParameterError("two conditions speak of the same column.", "Join them into one, with from and below.")
    groups = group_column(by)
    if relation.is_change_one and not where and groups is None:
        raise PremiseError(
            f"under change-one the number of rows is public: it is n = {relation.rows}.",
            "Count rows that meet a condition (where), count by a category column, or declare add-remove.",
        )
    part = _count_part(relation, 1 if groups is None else groups.cells)
    return Query(kind="count", relation=relation, parts=(part,), where=tuple(where), by=groups)


def histogram_query(
    column: Column, relation: Relation, *, edges: Sequence[Any] = (), outside: str = DROPPED, by: Column | None = None
) -> Query:
    """Return the number of rows in each category, or in each bin between public edges of a number column.

    Bins are [edge, next edge), the last one closed. outside = "dropped" or "binned" says what happens to rows beyond
    the first and last edge, where these lie inside the bounds.
    """
    groups = group_column(by)
    if groups is not None and groups.name == column.name:
        raise ParameterError(f"a histogram of {column.name!r} by itself has one row of cells.", "Leave out by.")
    if outside not in (DROPPED, BINNED):
        raise ParameterError(f"outside = {outside!r} is not known.", 'Give outside = "dropped" or outside = "binned".')
    if isinstance(column, CategoryColumn):
        if edges or outside == BINNED:
            raise ParameterError(
                f"column {column.name!r} holds categories: its histogram has no bin edges.",
                "Leave out edges and outside; unknown and null are declared with the column.",
            )
        cut: tuple[Fraction, ...] = ()
        cells = column.cells
    else:
        cut = _checked_edges(column, edges)
        cells = len(cut) - 1
        if outside == BINNED:
            cells += (cut[0] > column.lower) + (cut[-1] < column.upper)
    part = _count_part(relation, cells if groups is None else cells * groups.cells)
    return Query(
        kind="histogram", columns=(column,), relation=relation, parts=(part,), by=groups, edges=cut, outside=outside
    )


def count_numerator(relation: Relation) -> Numerator:
    """Return a count: between 0 and n (or n_max), moved by one for each row a neighbour may add.        theory (5)"""
    return Numerator(
        name="count",
        sensitivity=relation.rows_per_person,
        lower=0,
        upper=relation.rows,
        factor=Fraction(1),
        integers=True,
    )


def group_column(by: Column | None) -> CategoryColumn | None:
    """Return the column whose declared categories are the groups."""
    if isinstance(by, NumberColumn):
        raise ParameterError(
            f"column {by.name!r} holds numbers and cannot name groups.",
            'Groups are the declared categories of a column with kind = "category".',
        )
    return by


def _count_part(relation: Relation, cells: int) -> Part:
    """Return the counts of disjoint cells; under change-one two of them move, where there are two.    theory (6)"""
    moving = min(2, cells) if relation.is_change_one else 1
    return Part(numerator=count_numerator(relation), cells=cells, moving=moving, share=Fraction(1, moving))


def _checked_edges(column: NumberColumn, edges: Sequence[Any]) -> tuple[Fraction, ...]:
    if isinstance(edges, str) or len(edges) < 2:
        raise ParameterError(
            f"a histogram over the numbers of column {column.name!r} needs public bin edges.",
            f"Give at least two, such as edges = [{column.lower}, {column.middle}, {column.upper}].",
        )
    cut = tuple(parameter(edge, name="an edge") for edge in edges)
    if any(low >= high for low, high in pairwise(cut)):
        raise BoundError(f"the bin edges of column {column.name!r} do not increase.", "Give them in increasing order.")
    if cut[0] < column.lower or cut[-1] > column.upper:
        raise BoundError(
            f"the bin edges {cut[0]} to {cut[-1]} leave the bounds {column.lower} to {column.upper} "
            f"of column {column.name!r}.",
            "Values are clamped to the bounds: a bin beyond them would always be empty.",
        )
    levels = [_first_level(column, edge) for edge in cut]
    levels[-1] = math.floor((cut[-1] - column.lower) / column.step) + 1  # the last bin holds its upper edge
    for (low, high), (first, last) in zip(pairwise(cut), pairwise(levels), strict=True):
        if first >= last:
            raise BoundError(
                f"the bin from {low} to {high} of column {column.name!r} holds no multiple of the step {column.step}.",
                "It would always be empty: move its edges apart.",
            )
    return cut
