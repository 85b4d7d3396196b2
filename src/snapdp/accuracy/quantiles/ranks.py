"""Quantiles of a released distribution: an estimate that never falls with the share, and an interval that holds.

Room: accuracy. Functions of released numbers and public radii. Cells are whole numbers 0..M-1; what they stand for is
not known here.

    estimate: half way between the first cell whose prefix reaches the rank, and the first from which on all of them do
    interval: from the first cell that may reach the rank, to the last before which it may not have been reached

The true quantile j satisfies N(<= j) >= q n and N(<= j-1) < q n: two statements about one fixed cell each, so nothing
need hold for all cells at once. Ends are made to rise with the share by enlarging only.
Theory: docs/theory/quantiles.md, (11)-(14).
"""

from __future__ import annotations

from bisect import bisect_left
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


def ranked(found: Prefixes, shares: Sequence[Fraction], radii: Sequence[Any]) -> list[RankedCell]:
    """Return the quantiles at shares, in their order.

    radii   for each share those of the error of (cells up to j) - share * (all cells), in grids: an array of doubles
    """
    order = sorted(range(len(shares)), key=lambda i: shares[i])
    cells = estimates(found, [shares[i] for i in order])
    ends = [interval(found, shares[i], radii[i]) for i in order]
    lows = list(accumulate((low for low, _ in ends[::-1]), min))[::-1]
    highs = list(accumulate((high for _, high in ends), max))
    rows = {
        i: RankedCell(min(max(cell, low), high), low, high)
        for i, cell, low, high in zip(order, cells, lows, highs, strict=True)
    }
    return [rows[i] for i in range(len(shares))]


def estimates(found: Prefixes, shares: Sequence[Fraction]) -> list[int]:
    """Return a cell for each of rising shares.        theory (11)"""
    last = len(found.numerators) - 1
    highest = list(accumulate(found.numerators, max))
    lowest = list(accumulate(reversed(found.numerators), min))[::-1]
    total = max(found.total, 0)
    cells = []
    for share in shares:
        rank = -(-share.numerator * total // share.denominator)  # numerators are whole: the next whole number
        first, final = (min(bisect_left(each, rank), last) for each in (highest, lowest))
        cells.append((first + final) // 2)
    return cells


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
