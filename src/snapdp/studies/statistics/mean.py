"""Means of a column, or of several columns over the same rows.

Room: studies. Under change-one the mean of all rows comes from S, the steps above the lower bound, over the public n.
Where it is private how many rows count it follows from a *centred* sum in half steps (an integer also where the
midpoint is off the grid) and a count, each with its share of epsilon. Under change-one a row that starts or stops
counting moves the centred sum by half its sensitivity at most, so a count at half the epsilon of the sum costs nothing.
Means of several columns have a centred sum each and one count for all, of the rows in which all of them are present.

    mean = middle + (centred sum)/count, inside the bounds                                            theory (9)
    charged = max(shares of sums, half of them + share of count)                                      theory (19), (23)
    count = 2/(2 + ceil(2 sqrt(k))) of epsilon for k columns, unless told                             theory (24)

What follows from released sums and counts is in `centred_means`. Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import BoundError, ParameterError
from snapdp.exact import parameter, probability, shown
from snapdp.mechanism import FinitePrecision
from snapdp.studies.aggregates import Aggregate, Count, Present, Sum, Test
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.centred_means import mean_accuracy, mean_columns
from snapdp.studies.statistics.details import Detail, FlagDetail, NumberDetail, WholeDetail
from snapdp.studies.statistics.drawn import MEAN_OF, Derived, DrawnPart
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
from snapdp.values import replaced

HALF = Fraction(1, 2)
MOST_COLUMNS = 64  # of one statistic: what the independent checker reads


class Mean(Statistic):
    """The mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    Means of several columns are as many numbers, or as many centred sums and one count.

    count_share   of the epsilon, what the count gets; None where no count is released
    complete      only rows count in which all columns are present that leave out rows
    """

    kind = "mean"
    flag = "The mean of a column of numbers."
    takes = 1
    several = True
    details: ClassVar[Mapping[str, Detail]] = {
        "count_share": NumberDetail(),
        "complete": FlagDetail(),
        "rows_per_person": WholeDetail(),
    }

    count_share: Fraction | None = None
    complete: bool = False

    @classmethod
    def of(
        cls,
        *columns: Column,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        count_share: Any = None,
        complete: Any = False,
        rows_per_person: Any = None,
    ) -> Self:
        most = own_bound(relation, rows_per_person)
        numbers = tuple(numbers_of(column, cls.kind) for column in columns)
        groups, conditions = groups_of(by), joined(where)
        _check_rows_are_the_same(numbers, complete)
        alone = relation.is_change_one and groups is None
        if alone and not conditions and not any(column.dropped for column in numbers):
            if count_share is not None:
                raise ParameterError(
                    "count_share belongs to a mean that is released as a sum and a count.",
                    "Under change-one, of all rows and without groups, the mean is one number: leave count_share out.",
                )
            return cls(columns=numbers, relation=relation)
        share = probability(count_share, name="count_share") if count_share is not None else None
        if alone and share is not None and share < HALF:
            raise ParameterError(
                f"count_share = {share} gives the count less than it can have for nothing.",
                "Here half of epsilon for the count takes nothing from the sum: leave count_share out, or give more.",
                count_share=share,
            )
        if share is None:
            share = HALF if alone else _usual_share(len(numbers))
        rows: dict[str, Any] = {"relation": relation, "by": groups, "where": conditions, "rows_per_person": most}
        return cls(columns=numbers, count_share=share, complete=bool(complete), **rows)

    @property
    def column(self) -> NumberColumn:
        return self.number_columns[0]

    @cached_property
    def number_columns(self) -> tuple[NumberColumn, ...]:
        return tuple(numbers_of(column, self.kind) for column in self.columns)

    @property
    def _half_is_free(self) -> bool:
        """Tell whether a row moves either the sums alone, or count and half of the sums.     theory (19), (23)"""
        return self.count_share is not None and self.relation.is_change_one and self.by is None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        relation, several = self.neighbours, len(self.columns)
        if self.count_share is None:
            share = Fraction(1, several)
            return tuple(Part(numerator=self._one_mean(c), share=share, steps=1) for c in self.number_columns)
        count = count_numerator(relation)
        if self._half_is_free:  # a row that starts or stops is one step of a sum, one that stays two of them
            share = 2 * (1 - self.count_share) / several
            sums = [Part(numerator=self._centred(c, stays=True), share=share, steps=2) for c in self.number_columns]
            return (*sums, Part(numerator=count, share=self.count_share, steps=1))
        share = (1 - self.count_share) / several
        sums = [in_groups(self._centred(c), relation, self.by, share=share) for c in self.number_columns]
        return (*sums, in_groups(count, relation, self.by, share=self.count_share))

    def _one_mean(self, column: NumberColumn) -> Numerator:
        """Return the mean of all n rows as one number."""
        rows = self.relation.rows
        found = sum_above_lower(column, self.relation, factor=column.step / rows, shift=column.lower)
        return found if len(self.columns) == 1 else replaced(found, name=f"{MEAN_OF}{column.name}")

    def _centred(self, column: NumberColumn, *, stays: bool = False) -> Numerator:
        found = _centred_sum(column, self.neighbours, stays=stays)
        return found if len(self.columns) == 1 else replaced(found, name=f"{found.name} of {column.name}")

    @property
    def charged(self) -> Fraction:
        if not self._half_is_free:
            return super().charged
        *sums, count = (part.share for part in self.parts)
        together = sum(sums, Fraction(0))
        return max(together, together / 2 + count)

    @property
    def split(self) -> str:
        if not self._half_is_free:
            return super().split
        *sums, count = (part.share for part in self.parts)
        named = "sum and count" if len(sums) == 1 else "sums and count"
        listed = ", ".join(map(str, sums))
        return f"{named} together cost the epsilon typed ({listed} and {count} of it: they share a part)"

    @property
    def aggregates(self) -> list[Aggregate]:
        if len(self.columns) == 1:
            total = Sum(column=self.column, where=self.tests, by=self.by, persons=self.persons)
            return [total, rows_that_count(total)]
        present = (Present(column=column) for column in self.number_columns if column.dropped)
        tests: tuple[Test, ...] = (*self.tests, *present)
        rows: dict[str, Any] = {"where": tests, "by": self.by, "persons": self.persons}
        return [*(Sum(column=column, **rows) for column in self.number_columns), Count(**rows)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        *sums, counts = answers
        if self.count_share is None:
            return tuple(sums)
        return (*map(_centred_values, self.number_columns, sums, [counts] * len(sums)), counts)

    @property
    def stated(self) -> dict[str, Any]:
        complete = {"complete": True} if self.complete else {}
        share = {} if self.count_share is None else {"count_share": self.count_share}
        return {**share, **complete, **super().stated}

    @property
    def derivation(self) -> str | None:
        if self.count_share is None:
            return None
        parts = zip(self.number_columns, self.parts, strict=False)
        return "; ".join(
            f"{self._name_of(column)} = {column.middle} + {part.numerator.name} / count, "
            f"inside {column.lower} to {column.upper}"
            for column, part in parts
        )

    def _name_of(self, column: NumberColumn) -> str:
        return self.kind if len(self.columns) == 1 else f"{MEAN_OF}{column.name}"

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the means where they are not released themselves. Each of the two inputs of one may miss with alpha/2.

        So the interval of each mean holds by itself; nothing is said of all of them at once.
        """
        if self.count_share is None:
            return
        *sums, counts = (each.columns(each.alpha / 2) for each in parts)
        for column, each in zip(self.number_columns, sums, strict=True):
            yield Derived(name=self._name_of(column), title=self.title, columns=mean_columns(column, each, counts))

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any]) -> tuple[Fraction, Fraction]:
        """Return the bounds of the column."""
        column = declared["columns"][0]
        return parameter(column["lower"], name="lower"), parameter(column["upper"], name="upper")

    def check_epsilon(self, epsilon: Fraction, arithmetic: FinitePrecision | None = None) -> None:
        if self.count_share is None:
            return
        for column, centred in zip(self.number_columns, self.parts, strict=False):
            p = mechanism(centred, epsilon, title=self.title, arithmetic=arithmetic).parameters
            furthest = max(abs(column.lower), abs(column.upper))
            grid = centred.numerator.factor * p.data_grid / self.relation.rows  # the finest mean: of the largest table
            check_printable(self.title, furthest=furthest, grid=grid)

    def derived_accuracies(self, accuracies: Sequence[Fraction], rows: int) -> tuple[Fraction, ...]:
        if self.count_share is None:
            return super().derived_accuracies(accuracies, rows)
        *sums, of_count = accuracies
        return tuple(
            mean_accuracy(column, self.relation, of_sum=of_sum, of_count=of_count, rows=rows)
            for column, of_sum in zip(self.number_columns, sums, strict=True)
        )


def mean_query(
    column: Column | Sequence[Column],
    relation: Relation,
    *,
    by: By = None,
    where: Sequence[Condition] = (),
    count_share: Any = None,
    complete: bool = False,
    rows_per_person: Any = None,
) -> Mean:
    """Return the mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    Of several columns: the mean of each, with one count for all; `complete`: of rows in which all are present.
    count_share is what part of epsilon the count gets; unless told half, of several columns less.
    """
    more = {"count_share": count_share, "complete": complete, "rows_per_person": rows_per_person}
    columns = column if isinstance(column, Sequence) else (column,)
    return Mean.of(*columns, relation=relation, by=by, where=where, **more)


def _check_rows_are_the_same(columns: Sequence[NumberColumn], complete: Any) -> None:
    """Refuse means that are not over the same rows, and what says nothing about them."""
    names = [column.name for column in columns]
    dropped = [column for column in columns if column.dropped]
    if not isinstance(complete, bool):
        raise ParameterError(f"complete = {shown(complete)} is neither true nor false.", "Give complete = true.")
    if not columns or len(columns) > MOST_COLUMNS:
        raise BoundError(f"a mean is of 1 to {MOST_COLUMNS} columns, not of {len(columns)}.", "Ask for several means.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"the column {shown(twice)} is named twice.", "Name each column once.")
    if complete and len(columns) == 1:
        raise ParameterError(
            "complete belongs to means of several columns.",
            'Leave it out: missing = "dropped" of a column says that rows without it are left out.',
        )
    if len(columns) > 1 and dropped and not complete:
        raise ParameterError(
            f"means of {', '.join(map(shown, names))} are not over the same rows: those without "
            f"{shown(dropped[0].name)} are left out.",
            "Give complete = true, for the rows in which all of them are present; or ask for each mean by itself. "
            "Nothing was spent.",
        )
    if complete and not dropped:
        raise ParameterError(
            "complete = true leaves out no row: something stands in for the missing cells of every column here.",
            'Leave it out; or declare missing = "dropped" for the columns that rows must have.',
        )


def _usual_share(several: int) -> Fraction:
    """Return 2/(2 + ceil(2 sqrt(k))), near to the best for k columns: half of epsilon for one.       theory (24)"""
    return Fraction(2, 3 + math.isqrt(4 * several - 1))


def _centred_values(column: NumberColumn, sums: Sequence[int], counts: Sequence[int]) -> Sequence[int]:
    return combined(2, sums, -column.levels, counts)


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
