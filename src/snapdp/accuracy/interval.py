"""The noise interval: the values of the statistic that a released number is compatible with. Public facts only.

It speaks of the noise of the mechanism and of nothing else: not of sampling error, not of the data.
Index k is accepted for f iff |v_k - f| <= a(f), the accuracy at f; that is, iff P(|output - f| >= |v_k - f|) > alpha.
The interval is the hull of the f of the public range that accept k. Every f rejects its own outputs with probability at
most alpha, so every f is covered with probability >= 1 - alpha.
To the right of v_k the probability falls at every midpoint of v_k and another output, and is convex between them; so
the last midpoint that is accepted is found by bisection and the crossing after it in closed form. The left mirrors it.
Theory: docs/theory/planning.md, (22)-(25), and (33) for one half-length that serves all intervals of a mechanism.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.accuracy.error import (
    ENOUGH_BITS,
    Event,
    confidence,
    exact_chance,
    exact_level,
    exceeds,
    mirrored,
    public_range,
    widened_range,
)
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF, floor_log2, least_above, nearest_index
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import arcosh_of_exp, ln_enclosure
from snapdp.exact.numbers import parameter
from snapdp.mechanism.parameters import DataUnits, SnappingParameters, exact_parameters
from snapdp.values import Value

_SHORT = 1 << 48  # ends are rounded outward to this part of the grid


class NoiseInterval(Value):
    """Values of the statistic that a released number is compatible with, at confidence 1 - alpha, in data units."""

    index: int
    output: DataUnits
    alpha: Fraction
    lower: DataUnits
    upper: DataUnits


def noise_interval(
    p: SnappingParameters, *, index: int | None = None, output: Any = None, alpha: Any = "0.05"
) -> NoiseInterval:
    """Return the (1 - alpha) noise interval of an output, given by its index or as it is printed.

    It lies in the public range and holds the true statistic with probability at least 1 - alpha, whatever that is. Ends
    are rounded outward. An output that no value of the range is compatible with gets the nearest end of the range.
    Where values are quantised by a step, both ends lie half a step further out, to hold the statistic before that as
    well as after it; the range is then the one that holds its own ends quantised.
    """
    level = confidence(alpha)
    half_step = Fraction(0) if p.step is None else p.step / 2
    k = _index(p, index, output)
    lower, upper = public_range(p)
    least, most = widened_range(p)
    accepted = exact_level(p, level)
    right = _last_accepted(p, k, accepted, upper)
    left = -_last_accepted(mirrored(p), -k, accepted, -lower)
    return NoiseInterval(
        index=k,
        output=p.data_value(k),
        alpha=level,
        lower=max(least, DataUnits(_in_data(p, max(lower, min(left, upper))) - half_step)),
        upper=min(most, DataUnits(_in_data(p, min(upper, max(right, lower))) + half_step)),
    )


def _in_data(p: SnappingParameters, inner: Fraction) -> DataUnits:
    return DataUnits(p.offset + p.unit * inner)


def _index(p: SnappingParameters, index: int | None, output: Any) -> int:
    """Return the index of an output, which may be given as the number that was printed."""
    if (index is None) == (output is None):
        raise ParameterError("an output is given by its index or as it was printed.", "Give one of the two.")
    if index is not None:
        matches = [index] if type(index) is int and p.low <= index <= p.high else []
    else:
        printed = parameter(output, name="output")
        near = nearest_index((printed - p.offset) / p.unit, p.grid)
        window = range(max(near - 1, p.low), min(near + 1, p.high) + 1)
        matches = [k for k in window if printed in (p.data_value(k), parameter(p.released(k), name="output"))]
    if not matches:
        raise ParameterError(
            f"{'output' if index is None else 'index'} = {output if index is None else index} is no output here.",
            f"Outputs are {p.data_grid} apart, from {p.data_value(p.low)} (index {p.low}) "
            f"to {p.data_value(p.high)} (index {p.high}).",
        )
    if len(matches) > 1:
        raise ParameterError(f"several outputs print as {output}.", "Give the index of the one that was released.")
    return matches[0]


def _last_accepted(p: SnappingParameters, k: int, alpha: Fraction, upper: Fraction) -> Fraction:
    """Return the greatest f up to `upper` that accepts output k, rounded up; inner units, exact law.

    Values between v_k and the first midpoint always accept k; so do all values where k is the end of the clamp.
    """
    if k == p.high:
        return upper
    j = _last_midpoint(p, k, alpha, upper)
    corner = _midpoint(p, k, j)
    if corner >= upper or not exceeds(exact_chance(p, Event(corner, j + 1, k)), alpha):
        return corner
    edge = (k + HALF) * p.grid
    unit = p.grid / _SHORT
    return unit * math.ceil(_crossing(p, edge, None if j == p.high else (j + HALF) * p.grid, alpha).upper / unit)


def _midpoint(p: SnappingParameters, k: int, j: int) -> Fraction:
    return (p.inner_value(k) + p.inner_value(j)) / 2


def _last_midpoint(p: SnappingParameters, k: int, alpha: Fraction, upper: Fraction) -> int:
    """Return the greatest j whose midpoint with k accepts k; the search stops beyond `upper`: planning (23)."""

    def accepts(j: int) -> bool:
        return exceeds(exact_chance(p, Event(_midpoint(p, k, j), j, k)), alpha)

    low, stride = k + 1, 1
    while low + stride <= p.high and _midpoint(p, k, low) < upper and accepts(low + stride):
        low, stride = low + stride, 2 * stride
    high = min(low + stride, p.high + 1)  # rejected, or beyond the clamp
    return least_above(low, high, lambda j: not accepts(j)) - 1


def _crossing(p: SnappingParameters, edge: Fraction, other: Fraction | None, alpha: Fraction) -> Enclosure:
    """Return the f after which fewer than alpha of the outputs are as far as v_k: planning (24), (25).

    (e^(-(f - edge)/lam) + e^(-(other - f)/lam))/2 = alpha,  the left one of two solutions; or without `other`, where
    the clamp leaves nothing on the other side, P(Y <= edge - f) = alpha
    """
    if other is None:  # P(Y <= edge - f) = alpha
        logarithm = -ln_enclosure(2 * alpha, ENOUGH_BITS) if alpha <= HALF else ln_enclosure(2 - 2 * alpha, ENOUGH_BITS)
        return logarithm * p.noise_scale + edge
    half = (other - edge) / 2
    w = half / p.noise_scale - ln_enclosure(1 / alpha, ENOUGH_BITS)
    return edge + half - arcosh_of_exp(w, ENOUGH_BITS) * p.noise_scale


# One half-length for all intervals. A release of a million cells wants one number. Where neither end of range or clamp
# is near, the interval is the output +- reach. Elsewhere the clamp only takes probability away from far outputs and the
# range only takes values away: the interval lies inside [output - reach, output + reach] and the range. planning (33)


def reach_of(p: SnappingParameters, *, alpha: Any) -> Fraction:
    """Return the half-length of the noise intervals of a mechanism, in data units.

    In finite precision it is the one of the exact law at a level that makes a finite probability at most alpha.

    >>> from snapdp.mechanism.parameters import exact_parameters
    >>> f"{float(reach_of(exact_parameters(epsilon='0.5', sensitivity=1, lower=0, upper=1000), alpha='0.05')):.3f}"
    '6.000'
    """
    return p.data_grid * _reach(p.noise_scale / p.grid, exact_level(p, confidence(alpha)))


@lru_cache(maxsize=4096)
def _reach(noise_scale: Fraction, alpha: Fraction) -> Fraction:
    """Return the reach of a mechanism whose outputs are the whole numbers: in units of the grid all are of this kind.

    P(|Y| > t scales) = e**-t < 2**-t: with two binades to spare, no value beyond `far` is compatible with index 0. The
    outputs that are as far from such a value on its other side reach to 2 far: the clamp must lie beyond them, as the
    default one does not where alpha is below its gamma.
    """
    far = noise_scale * (2 - floor_log2(alpha)) + 4
    wide = exact_parameters(
        epsilon=1, sensitivity=noise_scale, lower=-far, upper=far, grid=1, clamp=(-2 * far, 2 * far)
    )  # its own mirror image: the interval of index 0 reaches as far to the left
    reach = _last_accepted(wide, 0, alpha, far)
    assert reach < far
    return reach
