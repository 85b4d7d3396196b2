"""Sums of a column.

Room: studies. Under change-one the sum comes from S, the steps above the lower bound, and the public shift n*lower puts
the bounds back: indices stay small where bounds are far from zero. Under add-remove, and by groups, n is private: steps
are counted from zero. Theory: docs/theory/sensitivities.md, (7) and (8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Self

from snapdp.studies.aggregates import Aggregate, Count, Sum
from snapdp.studies.columns import INTEGER, Column, NumberColumn
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.shared_parts import in_groups, numbers_of, sum_above_lower
from snapdp.studies.statistics.statistic import Numerator, Part, Statistic, group_column


class ColumnSum(Statistic):
    """The sum of a column of numbers, also for each group."""

    kind = "sum"
    takes = 1

    @classmethod
    def of(cls, column: Column, *, relation: Relation, by: Column | None = None) -> Self:
        return cls(columns=(numbers_of(column, cls.kind),), relation=relation, by=group_column(by))

    @cached_property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @property
    def _from_lower(self) -> bool:
        return self.relation.is_change_one and self.by is None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if self._from_lower:
            shift = self.relation.rows * self.column.lower
            total = sum_above_lower(self.column, self.relation, factor=self.column.step, shift=shift)
        else:
            total = _sum_from_zero(self.column, self.relation)
        return (in_groups(total, self.relation, self.by),)

    @property
    def aggregates(self) -> list[Aggregate]:
        by, who = self.by, self.persons
        return [Sum(column=self.column, by=by, persons=who), Count(by=by, persons=who)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        sums, counts = answers
        if self._from_lower:
            return (sums,)
        lowest = self.column.lowest  # a division of fractions: once, not for each group
        return ([s + lowest * count for s, count in zip(sums, counts, strict=True)],)


def sum_query(column: Column, relation: Relation, *, by: Column | None = None) -> ColumnSum:
    """Return the sum of a column, also for each group."""
    return ColumnSum.of(column, relation=relation, by=by)


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
