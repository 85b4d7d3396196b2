"""Pairs near an unlucky one: rounding errors that are as large, and a draw whose own floats add most to the loss.

Room: mechanism. Between two powers of two floats are evenly spaced. So when a pair is moved by floats of the noise, its
thresholds follow by one division each, and e^-threshold moves among the floats of the draw by steps that are known once
it is computed for the pair itself. A place costs a hundredth of its exact loss, and tens of thousands are looked at.
What they promise is only a guess, beyond a power of two even a wrong one: the caller computes the loss exactly.
Theory: docs/theory/exact-law.md, (11), (12).
"""

from __future__ import annotations

import heapq
import math
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from snapdp.exact import floor_log2, power_of_two
from snapdp.mechanism.law.finite import FiniteLaw, exp_up
from snapdp.mechanism.law.unlucky_values import Unlucky, breakpoints
from snapdp.mechanism.parameters import Inner, SnappingParameters

MOVES = 12_000  # floats of the noise that a pair is moved by, on both sides; fewer of more than 128 bits
KEPT = 8  # pairs that are handed on
_GUARD = 64  # bits by which e^-threshold is known beyond the floats of the draw


class _Threshold(NamedTuple):
    """The threshold of one breakpoint and the draw at it, as functions of the number of moves.

    weight    of ln P(|Y| >= breakpoint) in the loss
    distance  of the breakpoint, in moves, rounded up; a float of the noise is 2**coarser of them
    ratio     (a, b): half a float of the noise, divided by the scale, is a/b floats of the logarithm
    spacing   of the logarithm's floats, a pure number         cost     the same in units of 2**-product bits
    beyond    e^-threshold, in floats of the draw, less the whole number below it
    fall      of e^-threshold with the next float of the logarithm, in floats of the draw, to first order
    granule   a float of the draw, relative to e^-threshold, in units of 2**-product bits
    """

    weight: float
    distance: int
    coarser: int
    ratio: tuple[int, int]
    spacing: float
    cost: float
    beyond: float
    fall: float
    granule: float

    def steps(self, moves: range) -> list[int]:
        """Return by how many floats of the logarithm the threshold is further away after each of the moves: (11)."""
        (a, b), shift, distance = self.ratio, self.coarser, self.distance
        products = [-(-(distance + i) >> shift) for i in (0, *moves)]
        first, *others = [((2 * k - 1) * a - 1 + k % 2) // b for k in products]  # the least float, or the one beyond
        return [each - first for each in others]

    def rounded_up(self, steps: int) -> float:
        """Return by how much the draw exceeds e^-threshold after so many steps, in units of 2**-product bits: (12)."""
        x = steps * self.spacing
        fallen = -math.expm1(-x) / x if x else 1.0
        return (self.fall * fallen * steps - self.beyond) % 1 * self.granule


def moved(p: SnappingParameters, found: Unlucky) -> list[Unlucky]:
    """Return the pairs that promise most among those near one, moved by whole floats of the noise, or not at all."""
    assert p.precision is not None
    points = breakpoints(p, found.value, found.neighbour, found.output)
    finest = floor_log2(min(point.distance for point in points)) + 1 - p.precision.product
    thresholds = [_threshold(p, *point, finest) for point in points]
    move = power_of_two(finest)
    moves = _moves(p, found, move)
    costs = [-each.weight * each.cost for each in thresholds]
    places = list(zip(*(each.steps(moves) for each in thresholds), strict=True))
    gains = [sum(map(mul, costs, place)) for place in places]
    enough = max(gains) - found.draw  # what is less is not made up for by any draw
    guesses = [
        (gain + _draw(thresholds, place), i, gain)
        for gain, i, place in zip(gains, moves, places, strict=True)
        if gain >= enough
    ]
    return [
        Unlucky(found.value - i * move, found.neighbour - i * move, found.output, found.errors + gain, both - gain)
        for both, i, gain in heapq.nlargest(KEPT, guesses)
    ]


def _moves(p: SnappingParameters, found: Unlucky, move: Fraction) -> range:
    """Return the moves outward and inward that leave both values in the range.

    Of many bits they are fewer, since each costs as much as its digits, and of few bits too, lest most of them cross a
    power of two.
    """
    assert p.precision is not None
    bits = p.precision.product
    most = min(MOVES * 128 // max(bits, 128), 1 << max(bits - 4, 0))
    inward = min(most, math.floor((p.value_upper - found.neighbour) / move))
    outward = min(most, math.floor((found.value - p.value_lower) / move))
    return range(-inward, outward + 1)


def _draw(thresholds: list[_Threshold], steps: tuple[int, ...]) -> float:
    """Return what the granularity of the draw adds to the loss, in units of 2**-product bits."""
    return sum(each.weight * each.rounded_up(step) for each, step in zip(thresholds, steps, strict=True))


def _threshold(p: SnappingParameters, distance: Fraction, weight: float, finest: int) -> _Threshold:
    """Return the threshold of a breakpoint for moves of 2**finest."""
    assert p.precision is not None
    bits = p.precision
    noise_exponent = floor_log2(distance) + 1 - bits.product
    significand, exponent = FiniteLaw(Inner(Fraction(0)), p).threshold(distance, strict=False)
    spacing = power_of_two(significand.bit_length() + exponent - bits.logarithm)
    reached = exp_up(significand, exponent, bits.uniform + _GUARD).significand
    draw = reached << bits.uniform + _GUARD - reached.bit_length()
    return _Threshold(
        weight=weight,
        distance=math.ceil(distance / power_of_two(finest)),
        coarser=noise_exponent - finest,
        ratio=(power_of_two(noise_exponent - 1) / (p.noise_scale * spacing)).as_integer_ratio(),
        spacing=float(spacing),
        cost=float(spacing * power_of_two(bits.product)),
        beyond=draw % (1 << _GUARD) / (1 << _GUARD),
        fall=float(draw * spacing / (1 << _GUARD)),
        granule=float((1 << bits.product + _GUARD) / Fraction(draw)),
    )
