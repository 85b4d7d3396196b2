"""Sums, means, variances and covariances as integer numerators in steps.

Room: queries. Imports base, columns, counts and relation; holds no data. Let q be steps above the lower bound, R the
levels of the column, S and Q the sums of q and q**2 over the rows.
- change-one: sum and mean come from S in [0, n R], moved by R; the public shift n*lower or lower puts the bounds back.
  Counting from the lower bound keeps the indices small where bounds are far from zero.
- add-remove: n is private, so nothing can be shifted. A plain sum counts steps from zero; a mean is a *centred* sum in
  half steps (an integer also where the midpoint is off the grid) and a count, each with its share of epsilon.
- variance and covariance need n: their numerators n Q - S**2 and n P - S_x S_y are sums over pairs of rows.
Theory: docs/theory/sensitivities.md, (7)-(11).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.data.schema import INTEGER, CategoryColumn, Column, NumberColumn
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.numbers import probability
from snapdp.queries.base import Numerator, Part, Query
from snapdp.queries.counts import count_numerator, group_column
from snapdp.queries.relation import Relation

WHOLE, HALF = Fraction(1), Fraction(1, 2)


def sum_query(column: Column, relation: Relation, *, by: Column | None = None) -> Query:
    """Return the sum of a column, also for each group."""
    numbers, groups = _numbers(column, "sum"), group_column(by)
    if relation.is_change_one and groups is None:
        total = _sum_above_lower(numbers, relation, factor=numbers.step, shift=relation.rows * numbers.lower)
    else:
        total = _sum_from_zero(numbers, relation)
    part = _in_groups(total, relation, groups)
    return Query(kind="sum", columns=(numbers,), relation=relation, parts=(part,), by=groups)


def mean_query(column: Column, relation: Relation, *, by: Column | None = None, count_share: Any = None) -> Query:
    """Return the mean of a column: one number where n is public, else a centred sum and a count.

    count_share is what part of epsilon the count gets where the mean is such a pair; half, unless told.
    """
    numbers, groups = _numbers(column, "mean"), group_column(by)
    if relation.is_change_one and groups is None:
        if count_share is not None:
            raise ParameterError(
                "count_share belongs to a mean that is released as a sum and a count.",
                "Under change-one without groups the mean is one number: leave count_share out.",
            )
        mean = _sum_above_lower(numbers, relation, factor=numbers.step / relation.rows, shift=numbers.lower)
        return Query(kind="mean", columns=(numbers,), relation=relation, parts=(Part(numerator=mean),))
    for_count = HALF if count_share is None else probability(count_share, name="count_share")
    return Query(
        kind="mean",
        columns=(numbers,),
        relation=relation,
        parts=(
            _in_groups(_centred_sum(numbers, relation), relation, groups, share=1 - for_count),
            _in_groups(count_numerator(relation), relation, groups, share=for_count),
        ),
        by=groups,
        derived=f"mean = {numbers.middle} + centred sum / count, inside {numbers.lower} to {numbers.upper}",
    )


def derived_mean(column: NumberColumn, *, centred_sum: Fraction, count: Fraction) -> Fraction:
    """Return the mean that a released centred sum and count stand for: free of charge, inside the bounds.

    A count of zero or less says nothing: the midpoint is returned.                              theory (9)
    """
    if count <= 0:
        return column.middle
    return min(max(column.middle + centred_sum / count, column.lower), column.upper)


def variance_query(column: Column, relation: Relation, *, by: Column | None = None) -> Query:
    """Return the sample variance (divided by n - 1)."""
    numbers = _numbers(column, "variance")
    n = _public_rows("variance", relation, by)
    square = numbers.levels**2
    numerator = Numerator(  # n Q - S**2                                                          theory (10)
        name="variance numerator",
        sensitivity=(n - 1) * square,
        lower=0,
        upper=n * n // 4 * square,
        factor=numbers.step**2 / (n * (n - 1)),
    )
    return Query(kind="variance", columns=(numbers,), relation=relation, parts=(Part(numerator=numerator),))


def covariance_query(first: Column, second: Column, relation: Relation, *, by: Column | None = None) -> Query:
    """Return the sample covariance (divided by n - 1) of two columns."""
    x, y = _numbers(first, "covariance"), _numbers(second, "covariance")
    if x.name == y.name:
        raise ParameterError(f"the covariance of {x.name!r} with itself is its variance.", "Ask for the variance.")
    n = _public_rows("covariance", relation, by)
    product = x.levels * y.levels
    numerator = Numerator(  # n P - S_x S_y                                                       theory (11)
        name="covariance numerator",
        sensitivity=(n - 1) * product,
        lower=-(n * n // 4) * product,
        upper=n * n // 4 * product,
        factor=x.step * y.step / (n * (n - 1)),
    )
    return Query(kind="covariance", columns=(x, y), relation=relation, parts=(Part(numerator=numerator),))


def _sum_above_lower(column: NumberColumn, relation: Relation, *, factor: Fraction, shift: Fraction) -> Numerator:
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


def _sum_from_zero(column: NumberColumn, relation: Relation) -> Numerator:
    """Return the sum in steps from zero over at most n_max rows, one of which may come or go.   theory (8)"""
    low, high = column.lowest, column.highest
    return Numerator(
        name="sum",
        sensitivity=max(abs(low), abs(high)) * relation.rows_per_person,
        lower=min(0, relation.rows * low),
        upper=max(0, relation.rows * high),
        factor=column.step,
        integers=column.kind == INTEGER,
    )


def _centred_sum(column: NumberColumn, relation: Relation) -> Numerator:
    """Return the sum of 2 q - R: distances from the midpoint in half steps, each between -R and R.   theory (9)"""
    return Numerator(
        name="centred sum",
        sensitivity=column.levels * relation.rows_per_person,
        lower=-relation.rows * column.levels,
        upper=relation.rows * column.levels,
        factor=column.step / 2,
    )


def _in_groups(
    numerator: Numerator, relation: Relation, groups: CategoryColumn | None, *, share: Fraction = WHOLE
) -> Part:
    """Return a numerator for each group; under change-one a row may move between two of them.   theory (13)"""
    if groups is None:
        return Part(numerator=numerator, share=share)
    # Two also where there is one group only: a row that stays may go from one end of the bounds to the other.
    moving = 2 if relation.is_change_one else 1
    return Part(numerator=numerator, cells=groups.cells, moving=moving, share=share / moving)


def _numbers(column: Column, statistic: str) -> NumberColumn:
    if isinstance(column, NumberColumn):
        return column
    raise ParameterError(
        f"column {column.name!r} holds categories and has no {statistic}.", "Ask for a histogram of it, or a count."
    )


def _public_rows(statistic: str, relation: Relation, by: Column | None) -> int:
    """Return n where a variance or covariance is defined; refuse it otherwise."""
    if by is not None:
        raise PremiseError(
            f"a {statistic} by groups is not defined here: the sizes of groups are private.",
            "By groups there are count, sum, histogram, and the mean that follows from sum and count.",
        )
    if not relation.is_change_one:
        raise PremiseError(
            f"a {statistic} is not defined under add-remove: it needs the number of rows, which is private there.",
            "Under add-remove there are count, sum, histogram, and the mean as sum and count; or declare change-one.",
        )
    if relation.rows < 2:
        raise ParameterError(f"a {statistic} needs at least two rows; n = {relation.rows}.", "Declare n >= 2.")
    return relation.rows
