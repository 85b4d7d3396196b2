"""Sample variances.

Room: studies. Let S and Q be the sums of q and q**2 over the rows, q in steps above the lower bound. n Q - S**2 is a
sum over pairs of rows; it needs n. Theory: docs/theory/sensitivities.md, (10).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Self

from snapdp.exact import root_for_rounding, to_float_down, to_float_nearest, to_float_up
from snapdp.studies.aggregates import Aggregate, Products, Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.conditions import Condition
from snapdp.studies.grouping.groups import By
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.drawn import Derived, DrawnPart, as_columns
from snapdp.studies.statistics.parts import Numerator, Part
from snapdp.studies.statistics.shared_parts import numbers_of, public_rows
from snapdp.studies.statistics.statistic import Statistic


class Variance(Statistic):
    """The sample variance of a column, divided by n - 1."""

    kind = "variance"
    flag = "The sample variance of a column (divided by n - 1), with --n."
    takes = 1

    @classmethod
    def of(cls, column: Column, *, relation: Relation, by: By = None, where: Sequence[Condition] = ()) -> Self:
        numbers = numbers_of(column, cls.kind)
        public_rows(cls.kind, [numbers], relation, by, where)
        return cls(columns=(numbers,), relation=relation)

    @cached_property
    def column(self) -> NumberColumn:
        return numbers_of(self.columns[0], self.kind)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        n, square = self.relation.rows, self.column.levels**2
        numerator = Numerator(  # n Q - S**2                                                          theory (10)
            name="variance numerator",
            sensitivity=(n - 1) * square,
            lower=0,
            upper=n * n // 4 * square,
            factor=self.column.step**2 / (n * (n - 1)),
        )
        return (Part(numerator=numerator, steps=1),)

    @property
    def aggregates(self) -> list[Aggregate]:
        column, who = self.column, self.persons
        return [Sum(column=column, persons=who), Products(first=column, second=column, persons=who)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        n = self.relation.rows
        return ([n * q - s * s for s, q in zip(*answers, strict=True)],)

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the standard deviation."""
        (variance,) = parts
        low, high = (root_for_rounding(end) for end in variance.interval(0, variance.alpha))
        value, shown = (
            to_float_nearest(root_for_rounding(square)) + 0.0
            for square in (variance.statistic(0), variance.possible(0))
        )
        columns, title = as_columns([(value, to_float_down(low), to_float_up(high))]), self.column.name
        yield Derived(name="standard deviation", title=f"standard deviation({title})", columns=columns, shown=[shown])


def variance_query(column: Column, relation: Relation, *, by: By = None, where: Sequence[Condition] = ()) -> Variance:
    """Return the sample variance (divided by n - 1)."""
    return Variance.of(column, relation=relation, by=by, where=where)
