"""Sample covariances, and the correlations that follow.

Let S_x, S_y and P be the sums of x, y and x y over the rows, in steps above the lower bounds. Where n is public
n P - S_x S_y is a sum over pairs of rows, released as one number, and the correlation follows where a study has both
variances. Where it is private how many rows count the covariance follows from centred sums, centred products and a
count, of the rows in which both columns are present; asked for, the correlation follows with centred squares of both.
Theory: docs/theory/sensitivities.md, (11), (26) and (27).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import ParameterError
from snapdp.exact.numbers import shown
from snapdp.studies.aggregates import Aggregate, Products, Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.declarations import column_from
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.centred import (
    WIDEST_CORRELATION,
    CentredSums,
    Moment,
    Term,
    correlation_error,
    correlations,
    guessed_deviation,
    largest_moment,
    moment_accuracy,
    moments,
    possible_moment,
    printed,
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
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, FlagDetail, NumberDetail, WholeDetail
from snapdp.studies.statistics.variance import Variance

CORRELATION = "correlation"


class Covariance(CentredSums):
    """The sample covariance of two columns: one number where it is public how many rows count, else centred sums,
    centred products and a count.

    correlation   with centred squares as well, from which the correlation follows
    """

    kind = "covariance"
    flag = "The sample covariance of two columns (divided by n - 1)."
    takes = 2
    inputs = 4
    details: ClassVar[Mapping[str, Detail]] = {
        "count_share": NumberDetail(),
        "correlation": FlagDetail(),
        "rows_per_person": WholeDetail(),
    }

    correlation: bool = False

    @classmethod
    def of(
        cls,
        first: Column,
        second: Column,
        relation: Relation,
        correlation: Any = False,
        **rows: Any,
    ) -> Self:
        x, y = numbers_of(first, cls.kind), numbers_of(second, cls.kind)
        if x.name == y.name:
            raise ParameterError(f"the covariance of {x.name!r} with itself is its variance.", "Ask for the variance.")
        if not isinstance(correlation, bool):
            raise ParameterError(
                f"correlation = {shown(correlation)} is neither true nor false.", "Give correlation = true."
            )
        check_two_rows(cls.kind, relation)
        sums = 5 if correlation else 3
        found = cls.over_rows((x, y), {"correlation": correlation}, sums=sums, relation=relation, **rows)
        if correlation and found.count_share is None:
            raise ParameterError(
                "correlation belongs to a covariance of rows whose number is private.",
                "Here n is public: leave it out, and ask for the variances of both columns as well; the correlation "
                "follows from the three.",
            )
        return found

    @property
    def pair(self) -> tuple[NumberColumn, NumberColumn]:
        x, y = self.number_columns
        return x, y

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        x, y = self.pair
        sums = [Term(name=f"centred sum of {each.name}", first=each) for each in (x, y)]
        squares = [Term(name=f"centred squares of {each.name}", first=each, second=each) for each in (x, y)]
        products = Term(name="centred products", first=x, second=y)
        return (*sums, products, *(squares if self.correlation else ()))

    @property
    def public_parts(self) -> tuple[Part, ...]:
        (x, y), n = self.pair, self.relation.rows
        product = x.levels * y.levels
        numerator = Numerator(  # n P - S_x S_y                                                       theory (11)
            name="covariance numerator",
            sensitivity=(n - 1) * product,
            lower=-(n * n // 4) * product,
            upper=n * n // 4 * product,
            factor=x.step * y.step / (n * (n - 1)),
        )
        return (Part(numerator=numerator),)

    @property
    def aggregates(self) -> list[Aggregate]:
        if self.count_share is not None:
            return super().aggregates
        (x, y), who = self.pair, self.persons
        return [Sum(column=x, persons=who), Sum(column=y, persons=who), Products(first=x, second=y, persons=who)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        if self.count_share is not None:
            return super().values(answers)
        n = self.relation.rows
        return ([n * p - s * t for s, t, p in zip(*answers, strict=True)],)

    @property
    def stated(self) -> dict[str, Any]:
        return {**super().stated, **({"correlation": True} if self.correlation else {})}

    @property
    def derivation(self) -> str | None:
        if self.count_share is None:
            return None
        (x, y), (low, high) = self.pair, possible_moment(*self.pair)
        return (
            f"covariance = (centred products - centred sum of {x.name} * centred sum of {y.name} / count) "
            f"/ (count - 1), inside {low} to {high}"
        )

    @property
    def derived_blocks(self) -> int:
        return 2

    def derived(self, parts: Sequence[DrawnPart], study: DrawnStudy) -> Iterator[Derived]:
        """Yield the covariance, where it is not released itself, and covariance / (deviation * deviation)."""
        title = f"{CORRELATION}{self.title.removeprefix(self.kind)}"
        if self.count_share is None:
            if found := self._of_study(parts[0], study):
                yield Derived(name=CORRELATION, title=title, columns=printed(correlations(*found)))
            return
        alpha = parts[0].alpha
        yield Derived(name=self.kind, title=self.title, columns=printed(self._covariances(parts, alpha / self.inputs)))
        if self.correlation:
            # The covariance and both variances, from parts each of which may miss with alpha.
            part_alpha = alpha / len(parts)
            *sums, _, first, second, counts = parts
            variances = [
                moments(column, column, sums=[total], products=squares, counts=counts, alpha=part_alpha)
                for column, total, squares in zip(self.pair, sums, (first, second), strict=True)
            ]
            found = [self._covariances(parts, part_alpha), *variances]
            yield Derived(name=CORRELATION, title=title, columns=printed(correlations(*found)))

    def _of_study(self, covariance: DrawnPart, study: DrawnStudy) -> list[list[Moment]]:
        """Return the covariance and both variances of a study, all as they are released; nothing where one lacks."""
        alone = [(each, drawn[0]) for each, drawn in study if isinstance(each, Variance) and each.count_share is None]
        variances = {each.column.name: drawn for each, drawn in alone}
        if not all(column.name in variances for column in self.columns):
            return []
        inputs = (covariance, *(variances[column.name] for column in self.columns))
        return [[Moment(each.statistic(0), *each.interval(0, covariance.alpha / 3))] for each in inputs]

    def _covariances(self, parts: Sequence[DrawnPart], alpha: Fraction) -> list[Moment]:
        first, second, products, *_, counts = parts
        return moments(*self.pair, sums=(first, second), products=products, counts=counts, alpha=alpha)

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any], name: str) -> tuple[Fraction, Fraction]:
        """Return what a covariance of two rows or more, or a correlation, can be."""
        if name == CORRELATION:
            return Fraction(-1), Fraction(1)
        x, y = (numbers_of(column_from(each), cls.kind) for each in declared["columns"])
        return possible_moment(x, y)

    def derived_accuracies(self, accuracies: Sequence[Fraction], rows: int) -> tuple[Fraction, ...]:
        if self.count_share is None:
            return super().derived_accuracies(accuracies, rows)
        inputs = (*accuracies[:3], accuracies[-1])
        return (moment_accuracy(*self.pair, self.relation, accuracies=inputs, rows=rows),)

    def number_errors(self, accuracies: AccuraciesAt, rows: int) -> Iterator[NumberError]:
        """Yield those of the covariance and, where it is asked for, of the correlation."""
        if self.count_share is None:
            yield from super().number_errors(accuracies, rows)
            return
        (error,) = self.derived_accuracies(accuracies(self.inputs), rows)
        width = 2 * largest_moment(*self.pair, rows)
        yield NumberError(error=error, width=width, rows=rows, promised=False)
        if not self.correlation:
            return
        first, second, products, *squares, count = accuracies(len(self.parts))
        x, y = (
            moment_accuracy(column, column, self.relation, accuracies=(of_sum, of_squares, count), rows=rows)
            for column, of_sum, of_squares in zip(self.pair, (first, second), squares, strict=True)
        )
        both = moment_accuracy(*self.pair, self.relation, accuracies=(first, second, products, count), rows=rows)
        yield self.correlation_at(of_covariance=both, of_variances=(x, y), rows=rows, promised=False)

    def correlation_at(
        self, *, of_covariance: Fraction, of_variances: tuple[Fraction, Fraction], rows: int, promised: bool
    ) -> NumberError:
        """Return how far the correlation is off, if covariance and variances are off by that.          theory (32)"""
        x, y = map(guessed_deviation, self.pair)
        error = correlation_error(of_covariance=of_covariance, of_variances=of_variances, deviations=(x, y))
        return NumberError(
            name=CORRELATION, error=error, width=WIDEST_CORRELATION, rows=rows, promised=promised, spreads=(x, y)
        )


# The sample covariance of two columns, divided by one row less than there are.
covariance_query = Covariance.of
