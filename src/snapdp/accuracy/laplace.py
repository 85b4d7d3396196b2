"""Laplace beside snapping: the distance of the two mechanisms on the same draw.

Room: accuracy. The Laplace mechanism publishes f + Y; snapping clamps f, adds the same Y, rounds and clamps. Four
cases: neither clamp binds, the inner one, the outer one, both. Where the outer clamp does not bind, the distance is at
most half a grid step and what the inner clamp took off; where it does, the tail and its expectation are closed forms.
The draw is a real Laplace variable, in finite precision too: of its own scale. Theory: docs/theory/planning.md,
(26)-(28).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from snapdp.accuracy.clamping import binding_at
from snapdp.accuracy.tails import guessed, laplace_tail
from snapdp.errors import ParameterError
from snapdp.exact import HALF, NARROW_BITS, Enclosure, exp_enclosure, expm1_enclosure, parameter, refined
from snapdp.mechanism import ZERO, DataUnits, SnappingParameters
from snapdp.values import Value, replaced


class DistanceCase(Value):
    """One of the four cases: which clamps bind, how probable that is, and the bound on the distance there, if any."""

    number: int
    inner_binds: bool
    outer_binds: bool
    probability: Enclosure
    bound: DataUnits | None


class Distance(Value):
    """Distance of the Laplace and the snapping mechanism for one value and the same draw, in data units.

    cases   the two of the four cases that this value can meet
    bound   the distance where the outer clamp does not bind, at most: grid/2 plus what the inner clamp takes off
    excess  E (distance - bound)^+, all of it from the outer clamp
    """

    value: Fraction
    cases: tuple[DistanceCase, DistanceCase]
    bound: DataUnits
    excess: Enclosure


def distance(p: SnappingParameters, value: Any) -> Distance:
    """Return the cases of the distance for a guessed value, which may lie outside the public range."""
    asked = guessed(value)
    shift = _split(p, asked)[1]
    inner = shift != 0
    bound = DataUnits(p.unit * (abs(shift) + p.grid / 2))
    outer = binding_at(replaced(p, precision=None), p.inner(asked))
    quiet = DistanceCase(number=1 + inner, inner_binds=inner, outer_binds=False, probability=1 - outer, bound=bound)
    loud = DistanceCase(number=3 + inner, inner_binds=inner, outer_binds=True, probability=outer, bound=None)
    excess = distance_excess(p, value, distance=bound)
    return Distance(value=asked, cases=(quiet, loud), bound=bound, excess=excess)


def distance_excess(p: SnappingParameters, value: Any, *, distance: Any) -> Enclosure:
    """Return E (|Laplace - snapping| - distance)^+ on the same draw, for a distance that only the outer clamp exceeds.

    That is one of at least grid/2 and what the inner clamp takes off, `Distance.bound`.        planning (27)
    """
    z = parameter(distance, name="distance") / p.unit
    f, shift = _split(p, guessed(value))
    if z < abs(shift) + p.grid / 2:
        raise ParameterError("distance is below what rounding and the inner clamp reach.", "Give bound, or more.")
    return refined(lambda bits: _outer_tail(p, f, z, bits), relative_bits=NARROW_BITS) * (p.noise_scale * p.unit)


def distance_tail(p: SnappingParameters, value: Any, *, distance: Any) -> Enclosure:
    """Return P(|Laplace - snapping| > distance) on the same draw; distance >= 0 in data units."""
    z = parameter(distance, name="distance") / p.unit
    if z < 0:
        raise ParameterError("distance is negative.", "Give distance >= 0.")
    f, shift = _split(p, guessed(value))
    if z >= abs(shift) + p.grid / 2:
        return refined(lambda bits: _outer_tail(p, f, z, bits), relative_bits=NARROW_BITS)
    return refined(lambda bits: 1 - _near(p, f - shift, shift, z, bits), relative_bits=NARROW_BITS)


def _split(p: SnappingParameters, value: Fraction) -> tuple[Fraction, Fraction]:
    """Return the inner value, and how much of it the inner clamp (and a step) takes off."""
    f = (value - p.offset) / p.unit
    return f, f - p.inner(value)


def _outer_tail(p: SnappingParameters, f: Fraction, z: Fraction, bits: int) -> Enclosure:
    """Return P(distance > z) for z >= |shift| + grid/2, f as it was before the inner clamp.

    (e^(-(end_upper - f + z)/lam) + e^(-(f - end_lower + z)/lam))/2        planning (27)
    """
    up, down = p.end_upper - f + z, f - p.end_lower + z
    return laplace_tail(up, p.noise_scale, bits) + laplace_tail(down, p.noise_scale, bits)


def _near(p: SnappingParameters, c: Fraction, shift: Fraction, z: Fraction, bits: int) -> Enclosure:
    """Return P(distance <= z): in each cell the draws that leave c + Y within z of v_k - shift. planning (28)."""
    left, right = -shift - z, z - shift
    lowest, highest = (p.low + HALF) * p.grid, (p.high - HALF) * p.grid
    ends = [
        (p.end_lower + left, min(p.end_lower + right, lowest)),
        (max(p.end_upper + left, highest), p.end_upper + right),
    ]
    total = _cells(p, c, max(left, -p.grid / 2), min(right, p.grid / 2), bits)
    for start, stop in ends:
        total = total + _between(start - c, stop - c, p.noise_scale, bits)
    return total


def _between(start: Fraction, stop: Fraction, scale: Fraction, bits: int) -> Enclosure:
    """Return P(start <= Y <= stop)."""
    if start >= stop:
        return ZERO
    if start < 0 < stop:
        return (expm1_enclosure(start / scale, bits) + expm1_enclosure(-stop / scale, bits)) * -HALF
    nearest = min(abs(start), abs(stop))
    return exp_enclosure(-nearest / scale, bits) * expm1_enclosure(-(stop - start) / scale, bits) * -HALF


def _cells(p: SnappingParameters, c: Fraction, left: Fraction, right: Fraction, bits: int) -> Enclosure:
    """Return the sum of P(k grid + left <= c + Y <= k grid + right) over the cells low < k < high: geometric sums."""
    if left >= right:
        return ZERO
    g, first, last = p.grid, p.low + 1, p.high - 1
    above = max(first, math.ceil((c - left) / g))  # from here on all draws are positive
    below = min(last, math.floor((c - right) / g))
    total = _run(p, above * g + left - c, right - left, last - above + 1, bits)
    total = total + _run(p, c - below * g - right, right - left, below - first + 1, bits)
    for k in range(max(first, below + 1), min(last, above - 1) + 1):  # the cell of c
        total = total + _between(k * g + left - c, k * g + right - c, p.noise_scale, bits)
    return total


def _run(p: SnappingParameters, nearest: Fraction, width: Fraction, count: int, bits: int) -> Enclosure:
    """Return the mass of `count` intervals of one width, a grid step apart, the nearest at a distance from 0."""
    if count <= 0:
        return ZERO
    x = p.grid / p.noise_scale
    first = _between(nearest, nearest + width, p.noise_scale, bits)
    return first * expm1_enclosure(-x * count, bits) / expm1_enclosure(-x, bits)
