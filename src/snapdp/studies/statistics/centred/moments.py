"""Variances, covariances and correlations that follow from centred sums and one count, free of charge.

Room: studies. Functions of released integers and public parameters only. With A = sum of products of the distances
from the middles, X and Y = sums of these distances and N = rows that count, all in units of data,

    moment = (A - X Y/N)/(N - 1),      of one column A = E + N h**2/2                        theory (27)

where h is half the width of the column and E its squares as they are released. Over whole N the moment has one turning
point at most, so the interval of all (A, X, Y, N) inside the intervals of the parts is found exactly, in integers:

    (r N**2 + e N - t)/(N (N - 1)) turns at N = (|t| + sqrt(t**2 - |t m|))/|m|, m = r + e     theory (28)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from snapdp.exact import root_for_rounding, to_float_down, to_float_nearest, to_float_up
from snapdp.studies.columns import NumberColumn
from snapdp.studies.relation import Relation, guessed_rows
from snapdp.studies.statistics.drawn import CellColumns, Columns, DrawnPart, as_columns

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
        lower = _largest([(-top, below) for top, below in _candidates(box, *box.low, r=r)])
        upper = _largest(_candidates(box, *box.high, r=r))
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


def _largest(ratios: Sequence[Ratio]) -> Ratio:
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
    return [_correlation(*each) for each in zip(covariances, first, second, strict=True)]


def _correlation(both: Moment, x: Moment, y: Moment) -> Moment:
    narrow, wide = x.low * y.low, x.high * y.high
    value, ends = Fraction(0), (Fraction(-1), Fraction(1))
    if min(x.value, y.value) > 0:
        value = _ratio(both.value, x.value * y.value)
    if narrow > 0:
        ends = _ratio(both.low, narrow if both.low < 0 else wide), _ratio(both.high, narrow if both.high > 0 else wide)
    return Moment(value, *ends)


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
