"""Sums of a column.

Under change-one the sum comes from S, the steps above the lower bound, and the public shift n*lower puts the bounds
back: indices stay small where bounds are far from zero. Under add-remove, by groups, and where only some
rows count, how many there are is private: steps are counted from zero, and so they are in every margin of a table, the
total included: else margins would not add up. Theory: docs/theory/sensitivities.md, (7), (8), (18) and (22).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from snapdp.studies.aggregates import Aggregate, Sum
from snapdp.studies.columns import INTEGER, Column, NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.grouping.margins import Margin, margins_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.adjusted import Tabulated
from snapdp.studies.statistics.parts import (
    Numerator,
    Part,
    combined,
    in_groups,
    numbers_of,
    own_bound,
    rows_that_count,
    sum_above_lower,
)
from snapdp.values import replaced


class ColumnSum(Tabulated):
    """The sum of a column of numbers, also of the rows that meet conditions, and for each group."""

    kind = "sum"
    flag = "The sum of a column of numbers."
    takes = 1

    @classmethod
    def of(
        cls,
        column: Column,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        rows_per_person: Any = None,
        margins: Any = None,
        shares: Sequence[Any] | None = None,
    ) -> Self:
        columns, groups = (numbers_of(column, cls.kind),), groups_of(by)
        chosen = margins_of(groups, margins, shares, known_total=False)
        rows: dict[str, Any] = {"where": joined(where), "rows_per_person": own_bound(relation, rows_per_person)}
        return cls(columns=columns, relation=relation, by=groups, margins=chosen, **rows)

    @cached_property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if self.margins is not None:
            return self.margin_parts(self.margins)
        if self.size_is_public:
            shift = self.relation.rows * self.column.lower
            total = sum_above_lower(self.column, self.relation, factor=self.column.step, shift=shift)
        else:
            total = _sum_from_zero(self.column, self.neighbours, self.by)
        return (in_groups(total, self.neighbours, self.by),)

    def margin_part(self, margin: Margin, share: Fraction) -> Part:
        """Return the part of one margin: cells as those of groups, one cell as a sum without groups.   theory (22)"""
        assert self.margins is not None
        groups = self.margins.groups_of(margin) if self.margins.cells(margin) > 1 else None
        total = _sum_from_zero(self.column, self.neighbours, groups)
        if not margin and self._every_row_counts:
            low, high, n = self.column.lowest, self.column.highest, self.relation.rows
            total = replaced(total, sensitivity=self.column.levels, lower=n * low, upper=n * high)
        return in_groups(total, self.neighbours, groups, share=share)

    @property
    def _every_row_counts(self) -> bool:
        """Tell whether the rows that count in a table are all n."""
        everywhere = self.by is not None and self.by.keep_every_row and not self.column.dropped
        return self.relation.is_change_one and everywhere and not self.where

    @property
    def aggregates(self) -> list[Aggregate]:
        total = Sum(column=self.column, where=self.tests, by=self.by, persons=self.persons)
        return [total, rows_that_count(total)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        sums, counts = answers
        if self.size_is_public:
            return (sums,)
        lowest = self.column.lowest  # a division of fractions: once, not for each group
        return super().values([combined(1, sums, lowest, counts)])


# The sum of a column, also of the rows that meet conditions, for each group, and for margins of these.
sum_query = ColumnSum.of


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
