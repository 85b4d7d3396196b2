"""Means of a column, or of several columns over the same rows.

Under change-one the mean of all rows comes from S, the steps above the lower bound, over the public n. Where it is
private how many rows count it follows from a *centred* sum in half steps (an integer also where the midpoint is off the
grid) and a count, each with its share of epsilon. Means of several columns have a centred sum each and one count for
all, of the rows in which all of them are present.

    mean = middle + (centred sum)/count, inside the bounds                                            theory (9)

The parts, their charge, and what follows from them are in `centred`. Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.numbers import shown
from snapdp.studies.aggregates import Aggregate, Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.centred import CentredSums, Term, few_means, mean_accuracy, mean_columns
from snapdp.studies.statistics.parts import (
    MEAN_OF,
    AccuraciesAt,
    Derived,
    DrawnPart,
    NumberError,
    Numerator,
    Part,
    check_printable,
    column_bounds,
    mechanism,
    numbers_of,
    rows_that_count,
    sum_above_lower,
)
from snapdp.studies.statistics.statistic import Detail, DrawnStudy, FlagDetail, NumberDetail, WholeDetail
from snapdp.values import replaced

FEW_CELLS = 10  # whose means are computed in fractions
MOST_COLUMNS = 64  # of one statistic: what the independent checker reads


class Mean(CentredSums):
    """The mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    Means of several columns are as many numbers, or as many centred sums and one count.

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

    complete: bool = False

    @classmethod
    def of(
        cls,
        *columns: Column,
        relation: Relation,
        complete: Any = False,
        **rows: Any,
    ) -> Self:
        numbers = tuple(numbers_of(column, cls.kind) for column in columns)
        _check_rows_are_the_same(numbers, complete)
        return cls.over_rows(numbers, {"complete": complete}, sums=len(numbers), relation=relation, **rows)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        several = len(self.columns) > 1
        return tuple(Term(name="centred sum" + f" of {x.name}" * several, first=x) for x in self.number_columns)

    @property
    def public_parts(self) -> tuple[Part, ...]:
        share = Fraction(1, len(self.columns))
        return tuple(Part(numerator=self._one_mean(c), share=share) for c in self.number_columns)

    def _one_mean(self, column: NumberColumn) -> Numerator:
        """Return the mean of all n rows as one number."""
        rows = self.relation.rows
        found = sum_above_lower(column, self.relation, factor=column.step / rows, shift=column.lower)
        return found if len(self.columns) == 1 else replaced(found, name=f"{MEAN_OF}{column.name}")

    @property
    def aggregates(self) -> list[Aggregate]:
        if len(self.columns) > 1:
            return super().aggregates
        total = Sum(column=self.column, where=self.tests, by=self.by, persons=self.persons)
        return [total, rows_that_count(total)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        return tuple(answers[:-1]) if self.count_share is None else super().values(answers)

    @property
    def stated(self) -> dict[str, Any]:
        return {**super().stated, **({"complete": True} if self.complete else {})}

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

    @property
    def derived_blocks(self) -> int:
        return len(self.columns)

    def _name_of(self, column: NumberColumn) -> str:
        return self.kind if len(self.columns) == 1 else f"{MEAN_OF}{column.name}"

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield the means where they are not released themselves. Each of the two inputs of one may miss with alpha/2.

        So the interval of each mean holds by itself; nothing is said of all of them at once.
        """
        if self.count_share is None:
            return
        if len(parts[-1].indices) <= FEW_CELLS:
            *sums, counts = parts
            means = [few_means(*each, counts) for each in zip(self.number_columns, sums, strict=True)]
        else:
            *arrays, many = (each.columns(each.alpha / 2) for each in parts)
            means = [mean_columns(*each, many) for each in zip(self.number_columns, arrays, strict=True)]
        for column, columns in zip(self.number_columns, means, strict=True):
            yield Derived(name=self._name_of(column), title=self.title, columns=columns)

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any], name: str) -> tuple[Fraction, Fraction]:  # noqa: ARG003
        """Return the bounds of the column."""
        return column_bounds(declared)

    def check_epsilon(self, epsilon: Fraction) -> None:
        if self.count_share is None:
            return
        for column, centred in zip(self.number_columns, self.parts, strict=False):
            p = mechanism(centred, epsilon, title=self.title).parameters
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

    def number_errors(self, accuracies: AccuraciesAt, rows: int) -> Iterator[NumberError]:
        if self.count_share is None:
            yield from super().number_errors(accuracies, rows)
            return
        several = len(self.columns) > 1
        found = self.derived_accuracies(accuracies(self.inputs), rows)
        for column, error in zip(self.number_columns, found, strict=True):
            name, width = self._name_of(column) if several else "", column.upper - column.lower
            yield NumberError(name=name, error=error, width=width, rows=rows, promised=False)


def mean_query(column: Column | Sequence[Column], relation: Relation, **details: Any) -> Mean:
    """Return the mean of a column: one number where it is public how many rows count, else a centred sum and a count.

    Of several columns: the mean of each, with one count for all; `complete`: of rows in which all are present.
    count_share is what part of epsilon the count gets; unless told half, of several columns less.
    """
    columns = column if isinstance(column, Sequence) else (column,)
    return Mean.of(*columns, relation=relation, **details)


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
