"""Sample variances, and the standard deviations that follow.

Let S and Q be the sums of q and q**2 over the rows, q in steps above the lower bound. Where n is public n Q - S**2 is a
sum over pairs of rows, released as one number. Where it is private how many rows count the variance follows from a
centred sum, centred squares and a count. Both are divided by one row less than there are. Theory:
docs/theory/sensitivities.md, (10), (25) and (27).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.exact.functions import root_for_rounding
from snapdp.exact.numbers import to_float_nearest
from snapdp.studies.aggregates import Aggregate, Products, Sum
from snapdp.studies.columns import Column
from snapdp.studies.declarations import column_from
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.centred import (
    CentredSums,
    Moment,
    Term,
    deviation_error,
    guessed_deviation,
    largest_moment,
    moment_accuracy,
    moments,
    possible_moment,
    printed,
    roots,
)
from snapdp.studies.statistics.parts import (
    AccuraciesAt,
    Derived,
    DrawnPart,
    NumberError,
    Numerator,
    Part,
    check_two_rows,
    numbers_of,
)
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, NumberDetail, WholeDetail
from snapdp.values import replaced

DEVIATION = "standard deviation"


class Variance(CentredSums):
    """The sample variance of a column: one number where it is public how many rows count, else a centred sum, centred
    squares and a count.
    """

    kind = "variance"
    flag = "The sample variance of a column (divided by n - 1), and its standard deviation."
    takes = 1
    inputs = 3
    details: ClassVar[Mapping[str, Detail]] = {"count_share": NumberDetail(), "rows_per_person": WholeDetail()}

    @classmethod
    def of(
        cls,
        column: Column,
        relation: Relation,
        **rows: Any,
    ) -> Self:
        numbers = numbers_of(column, cls.kind)
        check_two_rows(cls.kind, relation)
        return cls.over_rows((numbers,), {}, sums=2, relation=relation, **rows)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        x = self.column
        return Term(name="centred sum", first=x), Term(name="centred squares", first=x, second=x)

    @property
    def public_parts(self) -> tuple[Part, ...]:
        n, square = self.relation.rows, self.column.levels**2
        numerator = Numerator(  # n Q - S**2                                                          theory (10)
            name="variance numerator",
            sensitivity=(n - 1) * square,
            lower=0,
            upper=n * n // 4 * square,
            factor=self.column.step**2 / (n * (n - 1)),
        )
        return (Part(numerator=numerator),)

    @property
    def aggregates(self) -> list[Aggregate]:
        if self.count_share is not None:
            return super().aggregates
        column, who = self.column, self.persons
        return [Sum(column=column, persons=who), Products(first=column, second=column, persons=who)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        if self.count_share is not None:
            return super().values(answers)
        n = self.relation.rows
        return ([n * q - s * s for s, q in zip(*answers, strict=True)],)

    @property
    def derivation(self) -> str | None:
        if self.count_share is None:
            return None
        half = (self.column.upper - self.column.lower) ** 2 / 8
        return (
            f"variance = (centred squares + {half} count - (centred sum)^2 / count) / (count - 1), "
            f"inside 0 to {4 * half}"
        )

    @property
    def derived_blocks(self) -> int:
        return 2

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the variance, where it is not released itself, and the standard deviation."""
        title = f"{DEVIATION}{self.title.removeprefix(self.kind)}"
        if self.count_share is None:
            (variance,) = parts
            found = [Moment(variance.statistic(0), *variance.interval(0, variance.alpha))]
            shown = [to_float_nearest(root_for_rounding(variance.possible(0))) + 0.0]
            yield Derived(name=DEVIATION, title=title, columns=printed(roots(found)), shown=shown)
            return
        found = self.variances(parts, parts[0].alpha / len(parts))
        yield Derived(name=self.kind, title=self.title, columns=printed(found))
        yield Derived(name=DEVIATION, title=title, columns=printed(roots(found)))

    def variances(self, parts: Sequence[DrawnPart], alpha: Fraction) -> list[Moment]:
        """Return the variance in all cells, from parts each of which may miss with alpha."""
        sums, squares, counts = parts
        return moments(self.column, self.column, sums=[sums], products=squares, counts=counts, alpha=alpha)

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any], name: str) -> tuple[Fraction, Fraction]:
        """Return what a variance, or a standard deviation, can be of two rows or more."""
        column = numbers_of(column_from(declared["columns"][0]), cls.kind)
        low, high = possible_moment(column, column)
        return (low, high) if name == cls.kind else (root_for_rounding(low), root_for_rounding(high))

    def derived_accuracies(self, accuracies: Sequence[Fraction], rows: int) -> tuple[Fraction, ...]:
        if self.count_share is None:
            return super().derived_accuracies(accuracies, rows)
        return (moment_accuracy(self.column, self.column, self.relation, accuracies=accuracies, rows=rows),)

    def number_errors(self, accuracies: AccuraciesAt, rows: int) -> Iterator[NumberError]:
        """Yield those of the variance and of the standard deviation."""
        if self.count_share is None:
            (variance,) = super().number_errors(accuracies, rows)
        else:
            (error,) = self.derived_accuracies(accuracies(self.inputs), rows)
            width = largest_moment(self.column, self.column, rows)
            variance = NumberError(error=error, width=width, rows=rows, promised=False)
        yield variance
        deviation = guessed_deviation(self.column)
        yield replaced(
            variance,
            name=DEVIATION,
            error=deviation_error(variance.error, deviation),
            width=(self.column.upper - self.column.lower) / 2,
            spreads=(deviation,),
        )


# The sample variance, divided by one row less than there are.
variance_query = Variance.of
