"""What follows from released numbers, free of charge: mean, standard deviation, correlation, shares.

Room: release. A function of released indices and public parameters only, so it costs nothing; every block says that it
is derived, and from what. Intervals are combined: if each of k inputs misses its truth with probability alpha/k at
most, the result misses with probability alpha at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from snapdp.data.schema import NumberColumn
from snapdp.exact.numbers import ratio_down, ratio_nearest, ratio_up, to_float_down, to_float_up
from snapdp.release.drawing import Block, CellColumns, Drawn, Printed, printed_value
from snapdp.release.request import INLINE

Row = tuple[Printed, Printed | None, Printed | None]
Columns = tuple[Sequence[Printed], Sequence[Printed | None], Sequence[Printed | None]]  # values, lows, highs


def derived_blocks(drawn: Sequence[Sequence[Drawn]]) -> Iterator[tuple[int, Block]]:
    """Yield everything that follows from the released parts, with the number of the statistic it belongs to."""
    variances = {each[0].line.query.columns[0].name: each[0] for each in drawn if _kind(each) == "variance"}
    for number, parts in enumerate(drawn):
        kind, first = _kind(parts), parts[0]
        if kind == "mean" and len(parts) == 2:
            yield number, _means(*parts)
        if kind == "variance":
            yield number, _deviation(first)
        if kind == "histogram" and len(first.indices) <= INLINE:
            yield number, _shares(first)
        names = [column.name for column in first.line.query.columns]
        if kind == "covariance" and all(name in variances for name in names):
            yield number, _correlation(first, variances[names[0]], variances[names[1]])


def _kind(parts: Sequence[Drawn]) -> str:
    return parts[0].line.query.kind


def _means(sums: Drawn, counts: Drawn) -> Block:
    """Return centred sum / count + middle, inside the bounds.                             sensitivities (9)"""
    query, alpha = sums.line.query, sums.line.alpha / 2
    (column,) = query.columns
    assert isinstance(column, NumberColumn)
    return _block(query.title, "mean", sums, _mean_columns(column, sums.columns(alpha), counts.columns(alpha)))


def _mean_columns(column: NumberColumn, sums: CellColumns, counts: CellColumns) -> Columns:
    """Return the means and the ends of their intervals, as they print.

    A mean is middle + (s/S)/(c/C) with integers s, c and public denominators S, C: one integer over another. There
    may be a hundred thousand groups: whole columns of integers of any length, and no fraction is reduced.
    """
    import numpy as np

    scale = math.lcm(*(x.denominator for x in (column.middle, column.lower, column.upper)))
    middle, lower, upper = (int(x * scale) for x in (column.middle, column.lower, column.upper))

    def ratios(s: Any, c: Any, counted: Any, otherwise: int) -> tuple[Any, Any]:
        """Return middle + (s/S)/(c/C) inside the bounds as numerators and denominators, `otherwise` if not counted."""
        below = c * sums.denominator
        mean = np.clip(middle * below + s * (scale * counts.denominator), lower * below, upper * below)
        return np.where(counted, mean, otherwise), np.where(counted, below * scale, scale)

    known = counts.low >= counts.denominator  # elsewhere perhaps no row at all: nothing is known
    values = ratios(sums.value, counts.value, counts.value > 0, middle)
    lows = ratios(sums.low, np.where(sums.low < 0, counts.low, counts.high), known, lower)
    highs = ratios(sums.high, np.where(sums.high < 0, counts.high, counts.low), known, upper)
    means = [mean + 0.0 for mean in map(ratio_nearest, *values)]
    return means, list(map(ratio_down, *lows)), list(map(ratio_up, *highs))


def _deviation(variance: Drawn) -> Block:
    query = variance.line.query
    low, high = (_root(end) for end in variance.interval(0, variance.line.alpha))
    title = f"standard deviation({query.columns[0].name})"
    row = (printed_value(_root(variance.statistic(0))), to_float_down(low), to_float_up(high))
    return _block(title, "standard deviation", variance, _columns([row]))


def _shares(counts: Drawn) -> Block:
    """Return each cell's share of all cells: of the public n under change-one, of the released total otherwise.

    Under add-remove the total is random as well and the cells too many for one level: no interval is given.
    """
    query = counts.line.query
    cells = [counts.statistic(cell) for cell in range(len(counts.indices))]
    rows: list[Row] = []
    if query.relation.is_change_one:
        n = query.relation.rows
        for cell, count in enumerate(cells):
            low, high = counts.interval(cell, counts.line.alpha)
            rows.append((_share(count, Fraction(n)), to_float_down(low / n), to_float_up(high / n)))
    else:
        total = sum((max(Fraction(0), count) for count in cells), Fraction(0))
        rows = [(_share(count, total), None, None) for count in cells]
    return _block(f"shares of {query.title}", "share", counts, _columns(rows))


def _share(count: Fraction, total: Fraction) -> float:
    return printed_value(min(max(count, Fraction(0)) / total, Fraction(1))) if total > 0 else 0.0


def _correlation(covariance: Drawn, first: Drawn, second: Drawn) -> Block:
    """Return covariance / (deviation * deviation), where a study holds the covariance and both variances."""
    alpha = covariance.line.alpha / 3
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
    row = (printed_value(value), to_float_down(ends[0]), to_float_up(ends[1]))
    names = ", ".join(column.name for column in covariance.line.query.columns)
    return _block(f"correlation({names})", "correlation", covariance, _columns([row]))


def _ratio(numerator: Fraction, square: Fraction) -> Fraction:
    """Return numerator / sqrt(square), inside -1 to 1, as a number that rounds like it."""
    size = min(_root(numerator * numerator / square), Fraction(1))
    return size if numerator > 0 else -size


def _root(x: Fraction) -> Fraction:
    """Return a number that rounds to a double, in every direction, like the square root of x; 0 where x is negative.

    sqrt(p/q) = sqrt(p q)/q. The integer root has more than 64 bits; where it is not exact, half a unit is added: no
    double and no midpoint of two lies between it and the next integer, at any scale of x.
    """
    if x <= 0:
        return Fraction(0)
    square = x.numerator * x.denominator << 2 * (x.denominator.bit_length() + 66)
    whole = math.isqrt(square)
    exact = whole * whole == square
    return Fraction(2 * whole + (not exact), x.denominator << (x.denominator.bit_length() + 67))


def _columns(rows: Sequence[Row]) -> Columns:
    values, lows, highs = zip(*rows, strict=True)
    return values, lows, highs


def _block(statistic: str, name: str, source: Drawn, columns: Columns) -> Block:
    values, lows, highs = columns
    return Block(
        name=name,
        statistic=statistic,
        alpha=source.line.alpha,
        cells=source.line.query.labels,
        values=values,
        lows=lows,
        highs=highs,
    )
