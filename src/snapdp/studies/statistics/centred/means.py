"""Means that follow from a centred sum and a count: released numbers and their intervals, free of charge.

Room: studies. Functions of released integers and public parameters only.

    mean = middle + (centred sum)/count, inside the bounds                                            theory (9)
    |error| <= (a_sum + half width * a_count)/(rows - a_count)                                        theory (15)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from snapdp.exact import ratio_nearest, ratios_down, ratios_up
from snapdp.studies.columns import NumberColumn
from snapdp.studies.relation import Relation, guessed_rows
from snapdp.studies.statistics.drawn import FITS_INT64, CellColumns, Columns


def derived_mean(column: NumberColumn, *, centred_sum: Fraction, count: Fraction) -> Fraction:
    """Return the mean that a released centred sum and count stand for: free of charge, inside the bounds.

    A count of zero or less says nothing: the midpoint is returned.                              theory (9)
    """
    if count <= 0:
        return column.middle
    return min(max(column.middle + centred_sum / count, column.lower), column.upper)


def mean_accuracy(
    column: NumberColumn, relation: Relation, *, of_sum: Fraction, of_count: Fraction, rows: int
) -> Fraction:
    """Return the accuracy of a mean of so many rows, from those of its centred sum and its count.     theory (15)"""
    guessed = guessed_rows(rows, relation)
    width, left = column.upper - column.lower, guessed - of_count
    return width if left <= 0 else min(width, (of_sum + width / 2 * of_count) / left)


def mean_columns(column: NumberColumn, sums: CellColumns, counts: CellColumns) -> Columns:
    """Return the means and the ends of their intervals, as they print.

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
    return max(abs(int(end)) for each in (columns.value, columns.low, columns.high) for end in (each.min(), each.max()))


def _of_any_length(columns: CellColumns) -> CellColumns:
    value, low, high = (each.astype(object) for each in (columns.value, columns.low, columns.high))
    return CellColumns(denominator=columns.denominator, value=value, low=low, high=high)
