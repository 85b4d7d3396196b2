"""Statistics of rows whose number is private: centred sums with one count of the rows that all of them are over.

Let q be steps above the lower bound of a column and R its levels. A row adds to a sum

    2 q - R                       its distance from the middle, in half steps                         theory (9)
    (2 q_x - R_x)(2 q_y - R_y)    the product of two of them                                          theory (26)
    2 (2 q - R)**2 - R**2         the square of one, counted from half of the largest                 theory (25)

or nothing, where it does not count. Each term is an integer and at most `furthest` from 0, at either end of the bounds.
So one charge is that of all of them, whatever they are sums of:

    add-remove, groups   sensitivity furthest, charged = shares of sums + share of count              theory (23)
    change-one           a row may also stay and go from end to end: sensitivity 2 furthest, and
                         charged = max(shares of sums, half of them + share of count)                 theory (19), (23)
    count = 2/(2 + ceil(2 sqrt(k))) of epsilon for k sums, unless told                                theory (24)

Means, variances, covariances and correlations follow, free of charge: functions of released integers and public
parameters only. Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, Self

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF
from snapdp.exact.functions import root_for_rounding, sqrt_enclosure
from snapdp.exact.numbers import (
    probability,
    ratio_nearest,
    ratios_down,
    ratios_up,
    to_float_down,
    to_float_nearest,
    to_float_up,
)
from snapdp.studies.aggregates import Aggregate, Count, Present, Products, Sum, Test
from snapdp.studies.columns import NumberColumn
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.relation import Relation, guessed_rows
from snapdp.studies.statistics.parts import (
    FITS_INT64,
    CellColumns,
    Columns,
    DrawnPart,
    Numerator,
    Part,
    as_columns,
    combined,
    count_numerator,
    furthest,
    in_groups,
    numbers_of,
    own_bound,
)
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Facts, Value, Values


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
        own: Facts,
        *,
        sums: int,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        count_share: Any = None,
        rows_per_person: Any = None,
    ) -> Self:
        """Return the statistic: one without a count where it is public how many rows count.          theory (17)

        own    the details of this kind alone
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
            return cls(columns=columns, relation=relation, **own)
        share = share_of_count(count_share, sums=sums, is_alone=is_alone)
        rows: Values = {"by": groups, "where": conditions, "rows_per_person": most}
        return cls(columns=columns, relation=relation, count_share=share, **rows, **own)

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
    def column(self) -> NumberColumn:
        """Return the column, where there is one."""
        return self.number_columns[0]

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
    def stated(self) -> Values:
        share = {} if self.count_share is None else {"count_share": self.count_share}
        return {**share, **super().stated}

    @property
    def complete_tests(self) -> tuple[Test, ...]:
        """Return what rows must meet that count: the conditions, and every column is there that leaves out rows."""
        return (*self.tests, *(Present(column=column) for column in self.number_columns if column.dropped))

    def _asked(self) -> dict[tuple[NumberColumn, ...], Aggregate]:
        """Return what is asked of a table, by the columns that are multiplied; the rows themselves by none."""
        rows: Values = {"where": self.complete_tests, "by": self.by, "persons": self.persons}
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


# Means
#
#     mean = middle + (centred sum)/count, inside the bounds                                            theory (9)
#     |error| <= (a_sum + half width * a_count)/(rows - a_count)                                        theory (15)


def derived_mean(column: NumberColumn, *, centred_sum: Fraction, count: Fraction) -> Fraction:
    """Return the mean that a released centred sum and count stand for: free of charge, inside the bounds.

    A count of zero or less says nothing: the midpoint is returned.                              theory (9)
    """
    if count <= 0:
        return column.middle
    return min(max(column.middle + centred_sum / count, column.lower), column.upper)


def few_means(column: NumberColumn, sums: DrawnPart, counts: DrawnPart) -> Columns:
    """Return what `mean_columns` returns, cell by cell: for few cells, where loading numpy would cost more."""
    rows = []
    for cell in range(len(counts.indices)):
        (sum_low, sum_high), (fewest, most) = (each.interval(cell, each.alpha / 2) for each in (sums, counts))
        mean = derived_mean(column, centred_sum=sums.statistic(cell), count=counts.statistic(cell))
        low, high = column.lower, column.upper
        if fewest >= 1:  # else there is perhaps no row at all: nothing is known
            low = derived_mean(column, centred_sum=sum_low, count=fewest if sum_low < 0 else most)
            high = derived_mean(column, centred_sum=sum_high, count=most if sum_high < 0 else fewest)
        rows.append((to_float_nearest(mean), to_float_down(low), to_float_up(high)))
    return as_columns(rows)


def mean_accuracy(
    column: NumberColumn, relation: Relation, *, of_sum: Fraction, of_count: Fraction, rows: int
) -> Fraction:
    """Return the accuracy of a mean of so many rows, from those of its centred sum and its count.     theory (15)"""
    guessed = guessed_rows(rows, relation)
    width, left = column.upper - column.lower, guessed - of_count
    return width if left <= 0 else min(width, (of_sum + width / 2 * of_count) / left)


def mean_columns(column: NumberColumn, sums: CellColumns, counts: CellColumns) -> Columns:
    """Return the means and the ends of their intervals, as they print: free of charge, inside the bounds.

    A count of zero or less says nothing: the midpoint is returned.                              theory (9)
    A mean is middle + (s/S)/(c/C) with integers s, c and public denominators S, C: one integer over another. There
    may be a hundred thousand groups: whole columns of integers, and no fraction is reduced.
    """
    import numpy as np

    scale = math.lcm(*(x.denominator for x in (column.middle, column.lower, column.upper)))
    middle, lower, upper = (int(x * scale) for x in (column.middle, column.lower, column.upper))
    most_below = scale * sums.denominator * _largest(counts)
    most = (most_below + scale) * max(abs(lower), abs(upper), 1) + scale * counts.denominator * _largest(sums)
    if most >= FITS_INT64:
        sums, counts = _of_any_length(sums), _of_any_length(counts)

    def ratios(s: Any, c: Any, counted: Any, otherwise: int) -> tuple[Any, Any]:
        """Return middle + (s/S)/(c/C) inside the bounds as numerators and denominators, `otherwise` if not counted."""
        below = c * sums.denominator
        mean = np.clip(middle * below + s * (scale * counts.denominator), lower * below, upper * below)
        return np.where(counted, mean, otherwise), np.where(counted, below * scale, scale)

    known = counts.low >= counts.denominator  # elsewhere perhaps no row at all: nothing is known
    values = ratios(sums.value, counts.value, counts.value > 0, middle)
    lows = ratios(sums.low, np.where(sums.low < 0, counts.low, counts.high), known, lower)
    highs = ratios(sums.high, np.where(sums.high < 0, counts.high, counts.low), known, upper)
    means = [mean + 0.0 for mean in map(ratio_nearest, *(each.tolist() for each in values))]
    return means, ratios_down(*lows).tolist(), ratios_up(*highs).tolist()


def _largest(columns: CellColumns) -> int:
    return max(map(furthest, (columns.value, columns.low, columns.high)))


def _of_any_length(columns: CellColumns) -> CellColumns:
    value, low, high = (each.astype(object) for each in (columns.value, columns.low, columns.high))
    return CellColumns(denominator=columns.denominator, value=value, low=low, high=high)


# Variances, covariances and correlations. With A = sum of products of the distances from the middles, X and Y = sums of
# these distances and N = rows that count, all in units of data,
#
#     moment = (A - X Y/N)/(N - 1),      of one column A = E + N h**2/2                        theory (27)
#
# where h is half the width of the column and E its squares as they are released. Over whole N the moment has one
# turning point at most, so the interval of all (A, X, Y, N) inside the intervals of the parts is found exactly, in
# integers:
#
#     (r N**2 + e N - t)/(N (N - 1)) turns at N = (|t| + sqrt(t**2 - |t m|))/|m|, m = r + e     theory (28)

LEAST_ROWS = 2  # a moment divides by one row less
Range = tuple[Fraction, Fraction]
Ratio = tuple[int, int]  # of integers, the second positive; not in lowest terms


class Moment(NamedTuple):
    """A derived number of one cell, exactly, and its interval."""

    value: Fraction
    low: Fraction
    high: Fraction


class Box(NamedTuple):
    """What is known of one cell: (e, t) of the value and at the ends of the moment, over one denominator; rows."""

    value: tuple[int, int]
    low: tuple[int, int]
    high: tuple[int, int]
    rows: int
    fewest: int
    most: int


def possible_moment(first: NumberColumn, second: NumberColumn) -> Range:
    """Return what a variance or covariance of two rows or more can be: largest of two rows, at the ends of the bounds.

    A variance is not negative.                                                                       theory (10), (11)
    """
    most = (first.upper - first.lower) * (second.upper - second.lower) / 2
    return Fraction(0) if first == second else -most, most


def largest_moment(first: NumberColumn, second: NumberColumn, rows: int) -> Fraction:
    """Return the largest variance or covariance of so many rows: half of them at either end.       theory (10), (11)"""
    _, most = possible_moment(first, second)
    return most if rows < LEAST_ROWS else most * 2 * (rows * rows // 4) / (rows * (rows - 1))


def moments(
    first: NumberColumn, second: NumberColumn, *, sums: Sequence[DrawnPart], products: DrawnPart, counts: DrawnPart,
    alpha: Fraction,
) -> list[Moment]:  # fmt: skip
    """Return the variance of a column, or the covariance of two, in all cells.

    sums, products   the sums of each column, of one column once, and of their products
    alpha            each of these and the count may miss with so much
    """
    found = [each.columns(alpha) for each in (*sums, products, counts)]
    x, y, both, rows = found[0], found[-3], found[-2], found[-1]
    possible = possible_moment(first, second)
    extra = (first.upper - first.lower) ** 2 / 8 if first == second else Fraction(0)  # h**2/2
    scale = math.lcm(
        x.denominator * y.denominator, both.denominator, *(each.denominator for each in (extra, *possible))
    )
    r, ends = int(extra * scale), (int(possible[0] * scale), int(possible[1] * scale))
    boxes = _boxes(x, y, both, rows, scale=scale, is_square=first == second)
    return [_moment(box, r=r, scale=scale, unit=rows.denominator, possible=ends) for box in boxes]


def _boxes(
    x: CellColumns, y: CellColumns, both: CellColumns, rows: CellColumns, *, scale: int, is_square: bool
) -> Iterator[Box]:
    """Yield what is known of each cell. A moment grows with e and falls with t."""
    of_product, of_sums = scale // both.denominator, scale // (x.denominator * y.denominator)
    unit = rows.denominator
    for s, s_low, s_high, t, t_low, t_high, e, e_low, e_high, n, n_low, n_high in zip(
        *(column.tolist() for each in (x, y, both, rows) for column in (each.value, each.low, each.high)), strict=True
    ):
        corners = [s_low * t_low, s_low * t_high, s_high * t_low, s_high * t_high]
        least, largest = min(corners), max(corners)
        if is_square:
            least = 0 if s_low <= 0 <= s_high else min(s_low * s_low, s_high * s_high)
        yield Box(
            value=(e * of_product, s * t * of_sums),
            low=(e_low * of_product, largest * of_sums),
            high=(e_high * of_product, least * of_sums),
            rows=n,
            fewest=-(-n_low // unit),
            most=n_high // unit,
        )


def _moment(box: Box, *, r: int, scale: int, unit: int, possible: tuple[int, int]) -> Moment:
    """Return the moment of a cell inside what is possible; of fewer than two rows nothing is known.   theory (28)

    Everything is over the scale, in integers: there may be very many cells.
    """
    low, high = possible
    value, n = (low + high, 2), box.rows
    if n >= LEAST_ROWS * unit:
        e, t = box.value
        value = _inside((r * n * n + e * n * unit - t * unit * unit, n * (n - unit)), (low, 1), (high, 1))
    ends = (low, 1), (high, 1)
    if LEAST_ROWS <= (fewest := box.fewest) <= box.most:  # the more rows, the smaller is the largest moment
        quarter, pairs = 2 * (fewest * fewest // 4), fewest * (fewest - 1)
        least, largest = (low * quarter, pairs), (high * quarter, pairs)
        lower = _largest_ratio([(-top, below) for top, below in _candidates(box, *box.low, r=r)])
        upper = _largest_ratio(_candidates(box, *box.high, r=r))
        ends = _inside((-lower[0], lower[1]), least, largest), _inside(upper, least, largest)
    return Moment(*(Fraction(top, scale * below) for top, below in (value, *ends)))


def _candidates(box: Box, e: int, t: int, *, r: int) -> list[Ratio]:
    """Return the moment at all whole N where it may be least or largest: at the ends, and beside its turning point."""
    places = {box.fewest, box.most}
    m = abs(r + e)
    if (r + e) * t > 0 and abs(t) >= m:
        turn = (abs(t) + math.isqrt(t * t - abs(t) * m)) // m
        places |= {min(max(turn + more, box.fewest), box.most) for more in (0, 1)}
    return [(r * n * n + e * n - t, n * (n - 1)) for n in places]


def _largest_ratio(ratios: Sequence[Ratio]) -> Ratio:
    found = ratios[0]
    for each in ratios[1:]:
        found = each if each[0] * found[1] > found[0] * each[1] else found
    return found


def _inside(ratio: Ratio, low: Ratio, high: Ratio) -> Ratio:
    if ratio[0] * low[1] < low[0] * ratio[1]:
        return low
    return high if ratio[0] * high[1] > high[0] * ratio[1] else ratio


def correlations(covariances: Iterable[Moment], first: Iterable[Moment], second: Iterable[Moment]) -> list[Moment]:
    """Return covariance / (deviation * deviation), inside -1 to 1, as numbers that round like it.

    All of its inputs miss with alpha together, and so does it. Where a variance may be 0 nothing is known.
    """
    found = []
    for both, x, y in zip(covariances, first, second, strict=True):
        narrow, wide = x.low * y.low, x.high * y.high
        value, low, high = Fraction(0), Fraction(-1), Fraction(1)
        if min(x.value, y.value) > 0:
            value = _ratio(both.value, x.value * y.value)
        if narrow > 0:
            low = _ratio(both.low, narrow if both.low < 0 else wide)
            high = _ratio(both.high, narrow if both.high > 0 else wide)
        found.append(Moment(value, low, high))
    return found


def _ratio(numerator: Fraction, square: Fraction) -> Fraction:
    """Return numerator / sqrt(square), inside -1 to 1, as a number that rounds like it."""
    size = min(root_for_rounding(numerator * numerator / square), Fraction(1))
    return size if numerator > 0 else -size


def roots(squares: Iterable[Moment]) -> list[Moment]:
    """Return the standard deviations of variances, as numbers that round like them."""
    return [Moment(*map(root_for_rounding, each)) for each in squares]


def printed(cells: Iterable[Moment]) -> Columns:
    """Return values and intervals as they print: the nearest doubles, and ends outward."""
    return as_columns(
        [(to_float_nearest(each.value) + 0.0, to_float_down(each.low), to_float_up(each.high)) for each in cells]
    )


def moment_accuracy(
    first: NumberColumn, second: NumberColumn, relation: Relation, *, accuracies: Sequence[Fraction], rows: int
) -> Fraction:
    """Return the accuracy of a moment of so many rows, from those of its parts: sums, products, count.  theory (29)

    It is one for every larger table, too.
    """
    guessed = guessed_rows(rows, relation)
    of_first, of_second, of_products, of_count = accuracies[0], accuracies[-3], accuracies[-2], accuracies[-1]
    low, high = possible_moment(first, second)
    if guessed - of_count < LEAST_ROWS:
        return high - low
    x, y = ((column.upper - column.lower) / 2 for column in (first, second))
    left, half = guessed - max(of_count, Fraction(1)), Fraction(1, 2) if first == second else Fraction(0)
    of_sums = (guessed * (of_first * y + of_second * x) + of_first * of_second) / left
    found = of_products + of_sums + of_count * x * y * (half + guessed / left)
    return min(high - low, found / (guessed - of_count - 1))


# Errors of standard deviations and correlations, if columns spread as widely as is guessed. A variance that is off by
# little makes a small deviation wrong by much: what is computed with a root, or divided by one, has no useful bound for
# every table. It has one for every table whose deviations are at least as large as a guess.
#
#     |deviation~ - deviation| <= s - sqrt(s**2 - a),    sqrt(a) where a > s**2                  theory (31)
#     |correlation~ - correlation| <= (1 + a_xy/(s_x s_y))/sqrt((1 - a_x/s_x**2)(1 - a_y/s_y**2)) - 1    theory (32)
#
# Both are rounded up.

SPREAD = Fraction(1, 4)  # of the width of a column: half of the largest deviation there is
WIDEST_CORRELATION = Fraction(2)  # from -1 to 1
_BITS = 64


def guessed_deviation(column: NumberColumn) -> Fraction:
    """Return the deviation that a plan guesses: a quarter of the width between the bounds."""
    return SPREAD * (column.upper - column.lower)


def deviation_error(of_variance: Fraction, deviation: Fraction) -> Fraction:
    """Return how far a standard deviation is off at most, if it is so large or larger and its variance is off by that.

    theory (31)

    >>> deviation_error(Fraction(7), Fraction(4)), deviation_error(Fraction(9), Fraction(2))
    (Fraction(1, 1), Fraction(3, 1))
    """
    square = deviation * deviation
    if of_variance > square:
        return sqrt_enclosure(of_variance, _BITS).upper
    return deviation - sqrt_enclosure(square - of_variance, _BITS).lower


def correlation_error(
    *, of_covariance: Fraction, of_variances: tuple[Fraction, Fraction], deviations: tuple[Fraction, Fraction]
) -> Fraction:
    """Return how far a correlation is off at most, if both deviations are so large or larger.            theory (32)

    >>> said = {"of_variances": (Fraction(7, 16), Fraction(0)), "deviations": (Fraction(1), Fraction(1))}
    >>> correlation_error(of_covariance=Fraction(1, 2), **said)
    Fraction(1, 1)
    """
    x, y = (a / (s * s) for a, s in zip(of_variances, deviations, strict=True))
    if max(x, y) >= 1:
        return WIDEST_CORRELATION
    least = sqrt_enclosure((1 - x) * (1 - y), _BITS).lower
    if least <= 0:
        return WIDEST_CORRELATION
    return min(WIDEST_CORRELATION, (1 + of_covariance / (deviations[0] * deviations[1])) / least - 1)
