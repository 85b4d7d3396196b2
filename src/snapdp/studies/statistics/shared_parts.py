"""Parts and numerators that several statistics share: counts, sums in groups, and the premises of columns and rows.

Room: studies. Holds no data. Let q be steps above the lower bound of a column and R its levels.
Theory: docs/theory/sensitivities.md, (5), (7), (12), (13), (17) and (21).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError
from snapdp.studies.aggregates import Count, Present, Sum
from snapdp.studies.columns import INTEGER, Column, NumberColumn
from snapdp.studies.grouping.groups import Groups
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.drawn import FITS_INT64
from snapdp.studies.statistics.parts import Numerator, Part

WHOLE = Fraction(1)


def own_bound(relation: Relation, rows_per_person: Any) -> int | None:
    """Return how many rows of each person a statistic keeps, where it says so; None where that is what the study says.

    A statistic that repeats what the study says is the same request as one that does not.
    """
    if rows_per_person is None:
        return None
    most = whole(rows_per_person, name="rows_per_person")
    if relation.person is None:
        raise ParameterError(
            f"rows_per_person = {most} needs the column that names the person.",
            'Give person="id" under relation = "add-remove", or leave rows_per_person out.',
        )
    return None if most == relation.rows_per_person else most


def count_numerator(relation: Relation) -> Numerator:
    """Return a count: between 0 and n (or n_max), moved by one for each row a neighbour may add.        theory (5)"""
    return Numerator(
        name="count",
        sensitivity=relation.moved_rows,
        lower=0,
        upper=relation.rows,
        factor=Fraction(1),
        integers=True,
    )


def count_part(relation: Relation, cells: int, share: Fraction = WHOLE) -> Part:
    """Return the counts of disjoint cells; under change-one two of them move, where there are two.    theory (6)"""
    moving = min(2, cells) if relation.is_change_one else 1
    return Part(numerator=count_numerator(relation), cells=cells, moving=moving, share=share / moving)


def sum_above_lower(column: NumberColumn, relation: Relation, *, factor: Fraction, shift: Fraction) -> Numerator:
    """Return S, the steps above the lower bound summed over n public rows.                      theory (7)"""
    return Numerator(
        name="sum above lower",
        sensitivity=column.levels,
        lower=0,
        upper=relation.rows * column.levels,
        factor=factor,
        shift=shift,
        integers=column.kind == INTEGER and factor == column.step,
    )


def in_groups(numerator: Numerator, relation: Relation, groups: Groups | None, *, share: Fraction = WHOLE) -> Part:
    """Return a numerator for each group; under change-one a row may move between two of them.   theory (13)"""
    if groups is None:
        return Part(numerator=numerator, share=share)
    # Two also where there is one group only: a row that stays may go from one end of the bounds to the other.
    moving = 2 if relation.is_change_one else 1
    return Part(numerator=numerator, cells=groups.cells, moving=moving, share=share / moving)


def rows_that_count(total: Sum) -> Count:
    """Return the number of rows that a sum is over: those that meet its tests and have the cell, or a stand-in."""
    tests = (*total.where, Present(column=total.column)) if total.column.dropped else total.where
    return Count(where=tests, by=total.by, persons=total.persons)


def combined(first: int, one: Sequence[int], second: int, other: Sequence[int]) -> Sequence[int]:
    """Return first * one + second * other, cell by cell, in exact integers; of arrays an array.

    An array is of 64 bits where these hold every number on the way, else of integers of any length.
    """
    if not hasattr(one, "dtype") or not hasattr(other, "dtype"):
        return [first * x + second * y for x, y in zip(one, other, strict=True)]
    arrays: tuple[Any, Any] = (one, other)
    if abs(first) * _furthest(one) + abs(second) * _furthest(other) >= FITS_INT64:
        arrays = tuple(each.astype(object) for each in arrays)
    found: Any = arrays[0] * first + arrays[1] * second
    return found  # type: ignore[no-any-return]


def _furthest(numbers: Any) -> int:
    return max(abs(int(numbers.min())), abs(int(numbers.max())))


def numbers_of(column: Column, statistic: str) -> NumberColumn:
    if isinstance(column, NumberColumn):
        return column.plain
    raise ParameterError(
        f"column {column.name!r} holds categories and has no {statistic}.", "Ask for a histogram of it, or a count."
    )


def check_two_rows(statistic: str, relation: Relation) -> None:
    """Refuse a variance or covariance of one row: it divides by one row less."""
    if relation.rows < 2:
        named = "n" if relation.is_change_one else "n_max"
        problem = f"a {statistic} needs at least two rows; {named} = {relation.rows}."
        raise ParameterError(problem, f"Declare {named} >= 2.")
