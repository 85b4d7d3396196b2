"""What follows from released numbers, free of charge: mean, standard deviation, correlation, shares.

Room: release. A function of released indices and public parameters only, so it costs nothing; every block says that it
is derived, and from what. Intervals are combined: if each of k inputs misses its truth with probability alpha/k at
most, the result misses with probability alpha at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from snapdp.data.schema import NumberColumn
from snapdp.exact.dyadic import floor_log2, power_of_two
from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.queries.moments import derived_mean
from snapdp.release.drawing import Block, Drawn, Printed, printed_value
from snapdp.release.request import INLINE

Interval = tuple[Fraction, Fraction]
Row = tuple[Printed, Printed | None, Printed | None]


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
    rows = []
    for cell in range(len(sums.indices)):
        value = derived_mean(column, centred_sum=sums.statistic(cell), count=counts.statistic(cell))
        low, high = _mean_interval(column, sums.interval(cell, alpha), counts.interval(cell, alpha))
        rows.append((printed_value(value), to_float_down(low), to_float_up(high)))
    return _block(query.title, "mean", sums, rows)


def _mean_interval(column: NumberColumn, centred: Interval, count: Interval) -> Interval:
    """Return the means that a centred sum and a count in these intervals allow."""
    fewest = max(Fraction(1), count[0])
    if count[1] < fewest or count[0] < 1:  # perhaps no row at all: nothing is known
        return column.lower, column.upper
    means = [column.middle + s / n for s, n in product(centred, (fewest, count[1]))]
    return max(column.lower, min(means)), min(column.upper, max(means))


def _deviation(variance: Drawn) -> Block:
    query = variance.line.query
    low, high = variance.interval(0, variance.line.alpha)
    title = f"standard deviation({query.columns[0].name})"
    row = (_root(variance.statistic(0)), _root_down(low), _root_up(high))
    return _block(title, "standard deviation", variance, [row])


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
    return _block(f"shares of {query.title}", "share", counts, rows)


def _share(count: Fraction, total: Fraction) -> float:
    return printed_value(min(max(count, Fraction(0)) / total, Fraction(1))) if total > 0 else 0.0


def _correlation(covariance: Drawn, first: Drawn, second: Drawn) -> Block:
    """Return covariance / (deviation * deviation), where a study holds the covariance and both variances."""
    alpha = covariance.line.alpha / 3
    square = first.statistic(0) * second.statistic(0)
    value = 0.0 if min(first.statistic(0), second.statistic(0)) <= 0 else _ratio(covariance.statistic(0), square)
    low, high = covariance.interval(0, alpha)
    (x_low, x_high), (y_low, y_high) = first.interval(0, alpha), second.interval(0, alpha)
    narrow, wide = x_low * y_low, x_high * y_high
    least, most = -1.0, 1.0
    if narrow > 0:
        least = -_root_up(low * low / narrow) if low < 0 else _root_down(low * low / wide)
        most = _root_up(high * high / narrow) if high > 0 else -_root_down(high * high / wide)
    names = ", ".join(column.name for column in covariance.line.query.columns)
    return _block(f"correlation({names})", "correlation", covariance, [(value, _inside(least), _inside(most))])


def _ratio(numerator: Fraction, square: Fraction) -> float:
    """Return numerator / sqrt(square), inside -1 to 1."""
    root = _root(numerator * numerator / square)
    return _inside(-root if numerator < 0 else root)


def _inside(x: float) -> float:
    return min(max(x, -1.0), 1.0) + 0.0


_ROOT_BITS = 64  # of a root, at least: eleven more than a double has


def _root_ends(x: Fraction) -> Interval:
    """Return two fractions that enclose the square root of a positive number, 2**-63 of it apart at most."""
    scale = power_of_two(_ROOT_BITS - floor_log2(x) // 2)
    whole = math.isqrt(math.floor(x * scale * scale))
    return whole / scale, (whole + 1) / scale


def _root_down(x: Fraction) -> float:
    """Return a double at most the square root of x, 0 where x is negative."""
    return 0.0 if x <= 0 else to_float_down(_root_ends(x)[0])


def _root_up(x: Fraction) -> float:
    return 0.0 if x <= 0 else to_float_up(_root_ends(x)[1])


def _root(x: Fraction) -> float:
    return 0.0 if x <= 0 else printed_value(_root_ends(x)[0])


def _block(statistic: str, name: str, source: Drawn, rows: Sequence[Row]) -> Block:
    values, lows, highs = zip(*rows, strict=True)
    return Block(
        name=name,
        statistic=statistic,
        alpha=source.line.alpha,
        cells=tuple(source.line.query.labels()),
        values=values,
        lows=lows,
        highs=highs,
    )
