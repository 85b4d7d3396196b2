"""Quantiles of a released distribution: an estimate that never falls with the share, and an interval that holds.

Room: accuracy. Functions of released numbers and public radii. Cells are whole numbers 0..M-1; what they stand for is
not known here.

    line: the rising one that is nearest to the prefixes, by least squares
    estimate: the first cell at which the line reaches the rank
    interval: from the first cell that may reach the rank, to the last before which it may not have been reached

The true quantile j satisfies N(<= j) >= q n and N(<= j-1) < q n: two statements about one fixed cell each, so nothing
need hold for all cells at once. Ends are made to rise with the share by enlarging only.
Theory: docs/theory/quantiles.md, (11)-(14), (16).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from snapdp.accuracy.quantiles.prefixes import Prefixes


class RankedCell(NamedTuple):
    """A quantile: its cell, and the first and last cell of its interval."""

    cell: int
    low: int
    high: int


class RisingLine:
    """The rising line that is nearest to prefixes by least squares: level on stretches, each at the mean of its own.

    Stretches are joined as long as one is not below the next: all in whole numbers.        theory (16)

    >>> line = RisingLine([0, 3, 1, 5])
    >>> [line.height(cell) for cell in range(4)], line.first_at_least(Fraction(3)), line.first_at_least(Fraction(9))
    ([Fraction(0, 1), Fraction(2, 1), Fraction(2, 1), Fraction(5, 1)], 3, 3)
    """

    def __init__(self, numerators: Sequence[int]) -> None:
        stretches: list[tuple[int, int]] = []  # sum and length
        for each in numerators:
            total, length = each, 1
            while stretches and stretches[-1][0] * length >= total * stretches[-1][1]:
                before, cells = stretches.pop()
                total, length = total + before, length + cells
            stretches.append((total, length))
        self._stretches = stretches
        self._starts = [0, *accumulate(length for _, length in stretches)]

    def height(self, cell: int) -> Fraction:
        return Fraction(*self._stretches[bisect_right(self._starts, cell) - 1])

    def first_at_least(self, rank: Fraction) -> int:
        """Return the first cell at which the line reaches a rank; the last where none does."""
        over, under = rank.numerator, rank.denominator
        place = bisect_left(self._stretches, True, key=lambda each: each[0] * under >= over * each[1])
        return min(self._starts[place], self._starts[-1] - 1)


def ranked(
    found: Prefixes, shares: Sequence[Fraction], radii: Sequence[Any], line: RisingLine | None = None
) -> list[RankedCell]:
    """Return the quantiles at shares, in their order.

    line    that of the prefixes, where it is known already
    radii   for each share those of the error of (cells up to j) - share * (all cells), in grids: an array of doubles
    """
    order = sorted(range(len(shares)), key=lambda i: shares[i])
    line, total = line or RisingLine(found.numerators), max(found.total, 0)
    cells = [line.first_at_least(shares[i] * total) for i in order]
    ends = [interval(found, shares[i], radii[i]) for i in order]
    lows = list(accumulate((low for low, _ in ends[::-1]), min))[::-1]
    highs = list(accumulate((high for _, high in ends), max))
    rows = {
        i: RankedCell(min(max(cell, low), high), low, high)
        for i, cell, low, high in zip(order, cells, lows, highs, strict=True)
    }
    return [rows[i] for i in range(len(shares))]


def interval(found: Prefixes, share: Fraction, radii: Any) -> tuple[int, int]:
    """Return the first and last cell of the interval of a quantile.        theory (12), (13)

    Distances to the rank are rounded once, to the nearest double: that keeps the order, so ends can only move outward.
    """
    import numpy as np

    below, top = found.denominator * share.denominator, share.numerator * found.total
    away = np.fromiter((each * share.denominator - top for each in found.numerators), object, len(found.numerators))
    distance = np.fromiter((each / below for each in away), np.float64, len(away))
    may_reach = np.flatnonzero(distance >= -radii)
    may_miss = np.flatnonzero(distance <= radii)
    last = len(away) - 1
    low = int(may_reach[0]) if len(may_reach) else last
    high = min(int(may_miss[-1]) + 1, last) if len(may_miss) else 0
    return low, high
