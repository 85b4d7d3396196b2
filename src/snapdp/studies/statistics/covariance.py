"""Sample covariances, and the correlations that follow.

Room: studies. Let S_x, S_y and P be the sums of x, y and x y over the rows, in steps above the lower bounds.
n P - S_x S_y is a sum over pairs of rows; it needs n. Theory: docs/theory/sensitivities.md, (11).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from snapdp.errors import ParameterError
from snapdp.exact import root_for_rounding, to_float_down, to_float_nearest, to_float_up
from snapdp.studies.aggregates import Aggregate, Products, Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.conditions import Condition
from snapdp.studies.grouping.groups import By
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.drawn import Derived, DrawnPart, Row, as_columns
from snapdp.studies.statistics.parts import Numerator, Part
from snapdp.studies.statistics.shared_parts import numbers_of, public_rows
from snapdp.studies.statistics.statistic import Statistic
from snapdp.studies.statistics.variance import Variance


class Covariance(Statistic):
    """The sample covariance of two columns, divided by n - 1."""

    kind = "covariance"
    flag = "The sample covariance of two columns (divided by n - 1), with --n."
    takes = 2

    @classmethod
    def of(
        cls,
        first: Column,
        second: Column,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
    ) -> Self:
        x, y = numbers_of(first, cls.kind), numbers_of(second, cls.kind)
        if x.name == y.name:
            raise ParameterError(f"the covariance of {x.name!r} with itself is its variance.", "Ask for the variance.")
        public_rows(cls.kind, [x, y], relation, by, where)
        return cls(columns=(x, y), relation=relation)

    @cached_property
    def pair(self) -> tuple[NumberColumn, NumberColumn]:
        x, y = self.columns
        return numbers_of(x, self.kind), numbers_of(y, self.kind)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        (x, y), n = self.pair, self.relation.rows
        product = x.levels * y.levels
        numerator = Numerator(  # n P - S_x S_y                                                       theory (11)
            name="covariance numerator",
            sensitivity=(n - 1) * product,
            lower=-(n * n // 4) * product,
            upper=n * n // 4 * product,
            factor=x.step * y.step / (n * (n - 1)),
        )
        return (Part(numerator=numerator, steps=1),)

    @property
    def aggregates(self) -> list[Aggregate]:
        (x, y), who = self.pair, self.persons
        return [Sum(column=x, persons=who), Sum(column=y, persons=who), Products(first=x, second=y, persons=who)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        n = self.relation.rows
        return ([n * p - s * t for s, t, p in zip(*answers, strict=True)],)

    def derived(
        self, parts: Sequence[DrawnPart], study: Sequence[tuple[Statistic, Sequence[DrawnPart]]]
    ) -> Iterator[Derived]:
        """Yield covariance / (deviation * deviation), where the study holds both variances."""
        (covariance,) = parts
        variances = {each.column.name: drawn[0] for each, drawn in study if isinstance(each, Variance)}
        names = [column.name for column in self.columns]
        if all(name in variances for name in names):
            row = _correlation(covariance, *(variances[name] for name in names))
            yield Derived(name="correlation", title=f"correlation({', '.join(names)})", columns=as_columns([row]))

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any]) -> tuple[Fraction, Fraction]:  # noqa: ARG003
        """Return what a correlation can be."""
        return Fraction(-1), Fraction(1)


def covariance_query(
    first: Column, second: Column, relation: Relation, *, by: By = None, where: Sequence[Condition] = ()
) -> Covariance:
    """Return the sample covariance (divided by n - 1) of two columns."""
    return Covariance.of(first, second, relation=relation, by=by, where=where)


def _correlation(covariance: DrawnPart, first: DrawnPart, second: DrawnPart) -> Row:
    alpha = covariance.alpha / 3
    square = first.statistic(0) * second.statistic(0)
    value = Fraction(0)
    if min(first.statistic(0), second.statistic(0)) > 0:
        value = _ratio(covariance.statistic(0), square)
    low, high = covariance.interval(0, alpha)
    (x_low, x_high), (y_low, y_high) = first.interval(0, alpha), second.interval(0, alpha)
    narrow, wide = x_low * y_low, x_high * y_high
    ends = Fraction(-1), Fraction(1)
    if narrow > 0:
        ends = _ratio(low, narrow if low < 0 else wide), _ratio(high, narrow if high > 0 else wide)
    return to_float_nearest(value) + 0.0, to_float_down(ends[0]), to_float_up(ends[1])


def _ratio(numerator: Fraction, square: Fraction) -> Fraction:
    """Return numerator / sqrt(square), inside -1 to 1, as a number that rounds like it."""
    size = min(root_for_rounding(numerator * numerator / square), Fraction(1))
    return size if numerator > 0 else -size
