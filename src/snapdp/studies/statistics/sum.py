"""Sums of a column.

Room: studies. Under change-one the sum comes from S, the steps above the lower bound, and the public shift n*lower puts
the bounds back: indices stay small where bounds are far from zero. Under add-remove, by groups, and where only some
rows count, how many there are is private: steps are counted from zero. Theory: docs/theory/sensitivities.md, (7), (8)
and (18).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.studies.aggregates import Aggregate, Sum
from snapdp.studies.columns import INTEGER, Column, NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.groups import By, groups_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.details import Detail, WholeDetail
from snapdp.studies.statistics.shared_parts import (
    in_groups,
    numbers_of,
    own_bound,
    rows_that_count,
    sum_above_lower,
)
from snapdp.studies.statistics.statistic import Numerator, Part, Statistic


class ColumnSum(Statistic):
    """The sum of a column of numbers, also of the rows that meet conditions, and for each group."""

    kind = "sum"
    flag = "The sum of a column of numbers."
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {"rows_per_person": WholeDetail()}

    @classmethod
    def of(
        cls,
        column: Column,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        rows_per_person: Any = None,
    ) -> Self:
        columns, most = (numbers_of(column, cls.kind),), own_bound(relation, rows_per_person)
        return cls(columns=columns, relation=relation, by=groups_of(by), where=joined(where), rows_per_person=most)

    @cached_property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if self.size_is_public:
            shift = self.relation.rows * self.column.lower
            total = sum_above_lower(self.column, self.relation, factor=self.column.step, shift=shift)
        else:
            total = _sum_from_zero(self.column, self.neighbours, self.by)
        return (in_groups(total, self.neighbours, self.by),)

    @property
    def aggregates(self) -> list[Aggregate]:
        total = Sum(column=self.column, where=self.tests, by=self.by, persons=self.persons)
        return [total, rows_that_count(total)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        sums, counts = answers
        if self.size_is_public:
            return (sums,)
        lowest = self.column.lowest  # a division of fractions: once, not for each group
        return ([s + lowest * count for s, count in zip(sums, counts, strict=True)],)


def sum_query(
    column: Column,
    relation: Relation,
    *,
    by: By = None,
    where: Sequence[Condition] = (),
    rows_per_person: Any = None,
) -> ColumnSum:
    """Return the sum of a column, also of the rows that meet conditions, and for each group."""
    return ColumnSum.of(column, relation=relation, by=by, where=where, rows_per_person=rows_per_person)


def _sum_from_zero(column: NumberColumn, relation: Relation, by: By) -> Numerator:
    """Return the sum in steps from zero over at most n_max rows, one of which may come or go.   theory (8)

    Under change-one a row may also stay and go from one bound to the other; by groups that is two cells' worth:
    theory (18), (13).
    """
    low, high = column.lowest, column.highest
    stays = relation.is_change_one and by is None
    return Numerator(
        name="sum",
        sensitivity=max(high, 0) - min(low, 0) if stays else max(abs(low), abs(high)) * relation.moved_rows,
        lower=min(0, relation.rows * low),
        upper=max(0, relation.rows * high),
        factor=column.step,
        integers=column.kind == INTEGER,
    )
