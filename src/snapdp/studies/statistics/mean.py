"""Means of a column.

Room: studies. Under change-one the mean of all rows comes from S, the steps above the lower bound, over the public n.
Where it is private how many rows count it follows from a *centred* sum in half steps (an integer also where the
midpoint is off the grid) and a count, each with its share of epsilon. Under change-one a row that starts or stops
counting moves the centred sum by half its sensitivity at most, so a count at half the epsilon of the sum costs nothing.

    mean = middle + (centred sum)/count, inside the bounds                                            theory (9)
    charged = max(share of sum, half of it + share of count)                                          theory (19)
    |error| <= (a_sum + half width * a_count)/(rows - a_count)                                        theory (15)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import ParameterError
from snapdp.exact import parameter, probability, ratio_nearest, ratios_down, ratios_up
from snapdp.mechanism import FinitePrecision
from snapdp.studies.aggregates import Aggregate, Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.details import Detail, NumberDetail, WholeDetail
from snapdp.studies.statistics.drawn import FITS_INT64, CellColumns, Columns, Derived, DrawnPart
from snapdp.studies.statistics.parts import Numerator, Part, check_printable, mechanism
from snapdp.studies.statistics.shared_parts import (
    combined,
    count_numerator,
    in_groups,
    numbers_of,
    own_bound,
    rows_that_count,
    sum_above_lower,
)
from snapdp.studies.statistics.statistic import Statistic

HALF = Fraction(1, 2)


class Mean(Statistic):
    """The mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    count_share   of the epsilon, what the count gets; None where the mean is one number
    """

    kind = "mean"
    flag = "The mean of a column of numbers."
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {"count_share": NumberDetail(), "rows_per_person": WholeDetail()}

    count_share: Fraction | None = None

    @classmethod
    def of(
        cls,
        column: Column,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        count_share: Any = None,
        rows_per_person: Any = None,
    ) -> Self:
        most = own_bound(relation, rows_per_person)
        numbers, groups, conditions = numbers_of(column, cls.kind), groups_of(by), joined(where)
        alone = relation.is_change_one and groups is None
        if alone and not conditions and not numbers.dropped:
            if count_share is not None:
                raise ParameterError(
                    "count_share belongs to a mean that is released as a sum and a count.",
                    "Under change-one, of all rows and without groups, the mean is one number: leave count_share out.",
                )
            return cls(columns=(numbers,), relation=relation)
        share = HALF if count_share is None else probability(count_share, name="count_share")
        if alone and share < HALF:
            raise ParameterError(
                f"count_share = {share} gives the count less than it can have for nothing.",
                "Here half of epsilon for the count takes nothing from the sum: leave count_share out, or give more.",
                count_share=share,
            )
        rows: dict[str, Any] = {"relation": relation, "by": groups, "where": conditions, "rows_per_person": most}
        return cls(columns=(numbers,), count_share=share, **rows)

    @cached_property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @property
    def _half_is_free(self) -> bool:
        """Tell whether a row moves either the sum alone, or count and half of the sum.            theory (19)"""
        return self.count_share is not None and self.relation.is_change_one and self.by is None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        column, relation = self.column, self.neighbours
        if self.count_share is None:
            mean = sum_above_lower(column, relation, factor=column.step / relation.rows, shift=column.lower)
            return (Part(numerator=mean, steps=1),)
        if self._half_is_free:  # a row that starts or stops is one step of the sum, one that stays two of them
            centred, share = _centred_sum(column, relation, stays=True), 2 * (1 - self.count_share)
            return (
                Part(numerator=centred, share=share, steps=2),
                Part(numerator=count_numerator(relation), share=self.count_share, steps=1),
            )
        return (
            in_groups(_centred_sum(column, relation), relation, self.by, share=1 - self.count_share),
            in_groups(count_numerator(relation), relation, self.by, share=self.count_share),
        )

    @property
    def charged(self) -> Fraction:
        if not self._half_is_free:
            return super().charged
        centred, count = (part.share for part in self.parts)
        return max(centred, centred / 2 + count)

    @property
    def split(self) -> str:
        if not self._half_is_free:
            return super().split
        centred, count = (part.share for part in self.parts)
        return f"sum and count together cost the epsilon typed ({centred} and {count} of it: they share a part)"

    @property
    def aggregates(self) -> list[Aggregate]:
        total = Sum(column=self.column, where=self.tests, by=self.by, persons=self.persons)
        return [total, rows_that_count(total)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        sums, counts = answers
        if self.count_share is None:
            return (sums,)
        levels = self.column.levels  # a division of fractions: once, not for each group
        return combined(2, sums, -levels, counts), counts

    @property
    def stated(self) -> dict[str, Any]:
        return super().stated if self.count_share is None else {"count_share": self.count_share, **super().stated}

    @property
    def derivation(self) -> str | None:
        if self.count_share is None:
            return None
        column = self.column
        return f"mean = {column.middle} + centred sum / count, inside {column.lower} to {column.upper}"

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the mean where it is not released itself. Each of two inputs may miss with alpha/2."""
        if self.count_share is not None:
            sums, counts = (each.columns(each.alpha / 2) for each in parts)
            yield Derived(name="mean", title=self.title, columns=_means(self.column, sums, counts))

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
        """Return the bounds of the column."""
        column = declared["columns"][0]
        return parameter(column["lower"], name="lower"), parameter(column["upper"], name="upper")

    def check_epsilon(self, epsilon: Fraction, arithmetic: FinitePrecision | None = None) -> None:
        if self.count_share is not None:  # the finest mean: that of the largest table
            centred = self.parts[0]
            p = mechanism(centred, epsilon, title=self.title, arithmetic=arithmetic).parameters
            furthest = max(abs(self.column.lower), abs(self.column.upper))
            grid = centred.numerator.factor * p.data_grid / self.relation.rows
            check_printable(self.title, furthest=furthest, grid=grid)

    def derived_accuracy(self, accuracies: Sequence[Fraction], rows: int) -> Fraction:
        if self.count_share is None:
            return super().derived_accuracy(accuracies, rows)
        guessed, most = whole(rows, name="rows"), self.relation.rows
        if guessed > most:
            raise ParameterError(f"rows = {guessed} is more than the {most} declared.", f"Give rows <= {most}.")
        width = self.column.upper - self.column.lower
        of_sum, of_count = accuracies
        left = guessed - of_count
        return width if left <= 0 else min(width, (of_sum + width / 2 * of_count) / left)


def mean_query(
    column: Column,
    relation: Relation,
    *,
    by: By = None,
    where: Sequence[Condition] = (),
    count_share: Any = None,
    rows_per_person: Any = None,
) -> Mean:
    """Return the mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    count_share is what part of epsilon the count gets where the mean is such a pair; half, unless told.
    """
    more = {"count_share": count_share, "rows_per_person": rows_per_person}
    return Mean.of(column, relation=relation, by=by, where=where, **more)


def derived_mean(column: NumberColumn, *, centred_sum: Fraction, count: Fraction) -> Fraction:
    """Return the mean that a released centred sum and count stand for: free of charge, inside the bounds.

    A count of zero or less says nothing: the midpoint is returned.                              theory (9)
    """
    if count <= 0:
        return column.middle
    return min(max(column.middle + centred_sum / count, column.lower), column.upper)


def _centred_sum(column: NumberColumn, relation: Relation, *, stays: bool = False) -> Numerator:
    """Return the sum of 2 q - R: distances from the midpoint in half steps, each between -R and R.   theory (9)

    stays   a row may stay and go from one bound to the other, 2 R half steps; else it comes or goes: theory (18)
    """
    return Numerator(
        name="centred sum",
        sensitivity=(2 if stays else relation.moved_rows) * column.levels,
        lower=-relation.rows * column.levels,
        upper=relation.rows * column.levels,
        factor=column.step / 2,
    )


def _means(column: NumberColumn, sums: CellColumns, counts: CellColumns) -> Columns:
    """Return the means and the ends of their intervals, as they print.

    A mean is middle + (s/S)/(c/C) with integers s, c and public denominators S, C: one integer over another. There
    may be a hundred thousand groups: whole columns of integers, and no fraction is reduced.
    """
    import numpy as np

    scale = math.lcm(*(x.denominator for x in (column.middle, column.lower, column.upper)))
    middle, lower, upper = (int(x * scale) for x in (column.middle, column.lower, column.upper))
    most_below = scale * sums.denominator * _largest(counts)
    most = (most_below + scale) * max(abs(lower), abs(upper), 1) + scale * counts.denominator * _largest(sums)
    if most >= FITS_INT64:
        sums, counts = _of_any_length(sums), _of_any_length(counts)

    def ratios(s: Any, c: Any, counted: Any, otherwise: int) -> tuple[Any, Any]:
        """Return middle + (s/S)/(c/C) inside the bounds as numerators and denominators, `otherwise` if not counted."""
        below = c * sums.denominator
        mean = np.clip(middle * below + s * (scale * counts.denominator), lower * below, upper * below)
        return np.where(counted, mean, otherwise), np.where(counted, below * scale, scale)

    known = counts.low >= counts.denominator  # elsewhere perhaps no row at all: nothing is known
    values = ratios(sums.value, counts.value, counts.value > 0, middle)
    lows = ratios(sums.low, np.where(sums.low < 0, counts.low, counts.high), known, lower)
    highs = ratios(sums.high, np.where(sums.high < 0, counts.high, counts.low), known, upper)
    means = [mean + 0.0 for mean in map(ratio_nearest, *(each.tolist() for each in values))]
    return means, ratios_down(*lows).tolist(), ratios_up(*highs).tolist()


def _largest(columns: CellColumns) -> int:
    return max(abs(int(end)) for each in (columns.value, columns.low, columns.high) for end in (each.min(), each.max()))


def _of_any_length(columns: CellColumns) -> CellColumns:
    value, low, high = (each.astype(object) for each in (columns.value, columns.low, columns.high))
    return CellColumns(denominator=columns.denominator, value=value, low=low, high=high)
