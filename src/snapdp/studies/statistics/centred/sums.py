"""Statistics of rows whose number is private: centred sums with one count of the rows that all of them are over.

Room: studies. Let q be steps above the lower bound of a column and R its levels. A row adds to a sum

    2 q - R                       its distance from the middle, in half steps                         theory (9)
    (2 q_x - R_x)(2 q_y - R_y)    the product of two of them                                          theory (26)
    2 (2 q - R)**2 - R**2         the square of one, counted from half of the largest                 theory (25)

or nothing, where it does not count. Each term is an integer and at most `furthest` from 0, at either end of the bounds.
So one charge is that of all of them, whatever they are sums of:

    add-remove, groups   sensitivity furthest, charged = shares of sums + share of count              theory (23)
    change-one           a row may also stay and go from end to end: sensitivity 2 furthest, and
                         charged = max(shares of sums, half of them + share of count)                 theory (19), (23)
    count = 2/(2 + ceil(2 sqrt(k))) of epsilon for k sums, unless told                                theory (24)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from snapdp.errors import ParameterError
from snapdp.exact import HALF, probability
from snapdp.studies.aggregates import Aggregate, Count, Present, Products, Sum, Test
from snapdp.studies.columns import NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.parts import Numerator, Part
from snapdp.studies.statistics.shared_parts import combined, count_numerator, in_groups, numbers_of, own_bound
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value


class Term(Value):
    """What each row adds to one of the sums: a distance from the middle, or a product of two, perhaps of one column.

    name   of the sum
    """

    name: str
    first: NumberColumn
    second: NumberColumn | None = None

    @property
    def is_square(self) -> bool:
        return self.second == self.first

    @property
    def furthest(self) -> int:
        """Return the furthest that the term of a row is from 0, which is at a bound of every column."""
        return self.first.levels * (1 if self.second is None else self.second.levels)

    @property
    def least(self) -> int:
        """Return the least that the term of a row is: of a square at the middle, or next to it.      theory (25)"""
        return 2 * (self.first.levels % 2) - self.furthest if self.is_square else -self.furthest

    @property
    def factor(self) -> Fraction:
        """Return what one unit of the sum is in the units of the columns."""
        if self.second is None:
            return self.first.step / 2
        return self.first.step * self.second.step / (8 if self.is_square else 4)

    def numerator(self, relation: Relation, *, stays: bool = False) -> Numerator:
        """Return the sum of the terms.                                                  theory (9), (18), (25), (26)

        stays   a row may stay and go from one bound to the other; else it comes or goes
        """
        rows, furthest = relation.rows, self.furthest
        return Numerator(
            name=self.name,
            sensitivity=(2 if stays else relation.moved_rows) * furthest,
            lower=min(0, rows * self.least),
            upper=rows * furthest,
            factor=self.factor,
        )

    def values(self, answers: Mapping[tuple[NumberColumn, ...], Sequence[int]]) -> Sequence[int]:
        """Return the sums in all cells, from the sums of levels and of their products, and the counts: ()."""
        x, y, counts = self.first, self.second, answers[()]
        if y is None:
            return combined(2, answers[x,], -x.levels, counts)
        products = answers[x, y]
        if self.is_square:  # 8 q**2 - 8 R q + R**2
            levels = combined(8, products, -8 * x.levels, answers[x,])
        else:  # 4 q r - 2 R_y q - 2 R_x r + R_x R_y
            sums = combined(-2 * y.levels, answers[x,], -2 * x.levels, answers[y,])
            levels = combined(4, products, 1, sums)
        return combined(1, levels, x.levels * y.levels, counts)


class CentredSums(Statistic):
    """A statistic of columns of numbers that follows from centred sums and one count, where n is private.

    count_share   of the epsilon, what the count gets; None where no count is released
    """

    count_share: Fraction | None = None

    @classmethod
    def over_rows(
        cls,
        columns: tuple[NumberColumn, ...],
        *,
        sums: int,
        relation: Relation,
        by: By,
        where: Sequence[Condition],
        count_share: Any,
        rows_per_person: Any,
        **details: Any,
    ) -> Self:
        """Return the statistic: one without a count where it is public how many rows count.          theory (17)

        sums   how many there are beside the count, where it is private
        """
        most, groups, conditions = own_bound(relation, rows_per_person), groups_of(by), joined(where)
        is_alone = relation.is_change_one and groups is None
        if is_alone and not conditions and not any(column.dropped for column in columns):
            if count_share is not None:
                raise ParameterError(
                    f"count_share belongs to a {cls.kind} that is released as a sum and a count.",
                    f"Under change-one, of all rows and without groups, the {cls.kind} is one number: leave "
                    "count_share out.",
                )
            return cls(columns=columns, relation=relation, **details)
        share = share_of_count(count_share, sums=sums, is_alone=is_alone)
        rows: dict[str, Any] = {"relation": relation, "by": groups, "where": conditions, "rows_per_person": most}
        return cls(columns=columns, count_share=share, **rows, **details)

    @property
    @abstractmethod
    def terms(self) -> tuple[Term, ...]:
        """Return what is summed, where it is private how many rows count."""

    @property
    @abstractmethod
    def public_parts(self) -> tuple[Part, ...]:
        """Return what is released where it is public how many rows count."""

    @cached_property
    def number_columns(self) -> tuple[NumberColumn, ...]:
        return tuple(numbers_of(column, self.kind) for column in self.columns)

    @property
    def _half_is_free(self) -> bool:
        """Tell whether a row moves either the sums alone, or count and half of the sums.     theory (19), (23)"""
        return self.count_share is not None and self.relation.is_change_one and self.by is None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if self.count_share is None:
            return self.public_parts
        relation, terms = self.neighbours, self.terms
        count = count_numerator(relation)
        if self._half_is_free:  # a row that starts or stops is one step of a sum, one that stays two of them
            share = 2 * (1 - self.count_share) / len(terms)
            sums = [Part(numerator=term.numerator(relation, stays=True), share=share) for term in terms]
            return (*sums, Part(numerator=count, share=self.count_share))
        share = (1 - self.count_share) / len(terms)
        sums = [in_groups(term.numerator(relation), relation, self.by, share=share) for term in terms]
        return (*sums, in_groups(count, relation, self.by, share=self.count_share))

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
        summed = "sum" if len(sums) == 1 else "sums"
        listed = ", ".join(map(str, sums))
        why = f"a row that changes the count moves the {summed} half as far"
        return f"{summed} and count together cost the epsilon typed ({listed} and {count} of it: {why})"

    @property
    def stated(self) -> dict[str, Any]:
        share = {} if self.count_share is None else {"count_share": self.count_share}
        return {**share, **super().stated}

    @property
    def complete_tests(self) -> tuple[Test, ...]:
        """Return what rows must meet that count: the conditions, and every column is there that leaves out rows."""
        return (*self.tests, *(Present(column=column) for column in self.number_columns if column.dropped))

    def _asked(self) -> dict[tuple[NumberColumn, ...], Aggregate]:
        """Return what is asked of a table, by the columns that are multiplied; the rows themselves by none."""
        rows: dict[str, Any] = {"where": self.complete_tests, "by": self.by, "persons": self.persons}
        found: dict[tuple[NumberColumn, ...], Aggregate] = {(x,): Sum(column=x, **rows) for x in self.number_columns}
        for x, y in ((term.first, term.second) for term in self.terms):
            if y is not None:
                found[x, y] = Products(first=x, second=y, **rows)
        return {**found, (): Count(**rows)}

    @property
    def aggregates(self) -> list[Aggregate]:
        return list(self._asked().values())

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        found = dict(zip(self._asked(), answers, strict=True))
        return (*(term.values(found) for term in self.terms), found[()])


def share_of_count(count_share: Any, *, sums: int, is_alone: bool) -> Fraction:
    """Return what part of epsilon the count gets, of so many sums with one count.                     theory (24)

    is_alone   under change-one and without groups, where half of it is free
    """
    if count_share is None:
        return HALF if is_alone else Fraction(2, 3 + math.isqrt(4 * sums - 1))
    share = probability(count_share, name="count_share")
    if is_alone and share < HALF:
        raise ParameterError(
            f"count_share = {share} gives the count less than it can have for nothing.",
            "Here half of epsilon for the count takes nothing from the sum: leave count_share out, or give more.",
            count_share=share,
        )
    return share
