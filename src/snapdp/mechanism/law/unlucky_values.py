"""Values at which p-bit rounding errors add up: where a search for the largest loss should look.

Room: mechanism. Far from the value the loss of an output is distance/scale plus the rounding errors of four thresholds,
each of which is known without an exponential: |Y| >= t iff |ln U*| exceeds a threshold m(t), and the error t/lam - m(t)
jumps at every float. One of the four is made as large as it can be by choosing the value; the others are tried at many
values near the end of the range, where the noise is largest and its floats are furthest apart. The draw has floats of
its own, furthest apart just above a power of two, which add something between nothing and a most that is known: such
pairs promise most, and law/unlucky_draws.py looks around them.
Theory: docs/theory/exact-law.md, (10).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from snapdp.exact import floor_log2, nearest_index, power_of_two, round_nearest, round_up
from snapdp.mechanism.law.finite import FiniteLaw
from snapdp.mechanism.parameters import Inner, SnappingParameters

TRIES = 2400  # values whose errors are added up, for all outputs together
KEPT = 3  # pairs that are handed on
BINADES = 2  # powers of two that are looked at, from the largest
NEAR = 2  # outputs on each side of a place that are looked at
_SPREAD = Fraction(0x9E3779B97F4A7C15F39CC0605CEDC835, 1 << 128)  # the golden section: multiples of it fill evenly


class Unlucky(NamedTuple):
    """A value, its neighbour nearer to the output, the output, and by how much it loses more than distance/scale.

    errors  of the four thresholds        draw  what its floats add, at most or as it is guessed; in 2**-product bits
    """

    value: Fraction
    neighbour: Fraction
    output: int
    errors: float
    draw: float

    @property
    def promised(self) -> float:
        return self.errors + self.draw


class Breakpoint(NamedTuple):
    """How far a breakpoint of an output lies from a value, and the weight of ln P(|Y| >= distance) in the loss."""

    distance: Fraction
    weight: float


def unlucky_values(p: SnappingParameters, apart: Fraction) -> list[Unlucky]:
    """Return the pairs of values, `apart` from each other, and their outputs that promise most."""
    outputs = _outputs(p, apart)
    found = [each for k in outputs for each in _tried(p, k, apart, TRIES // len(outputs))]
    return sorted(found, key=lambda each: -each.promised)[:KEPT]


def breakpoints(p: SnappingParameters, value: Fraction, neighbour: Fraction, k: int) -> list[Breakpoint]:
    """Return the breakpoints of output k beyond a value and its neighbour, with their weights in (10)."""
    inner = (k - Fraction(1, 2)) * p.grid
    if k == p.high:
        return [Breakpoint(inner - neighbour, 1.0), Breakpoint(inner - value, -1.0)]
    q = math.exp(-float(p.grid / p.noise_scale))
    own, other = 1 / (1 - q), q / (1 - q)
    outer = inner + p.grid
    return [
        Breakpoint(inner - neighbour, own),
        Breakpoint(outer - neighbour, -other),
        Breakpoint(inner - value, -own),
        Breakpoint(outer - value, other),
    ]


def _outputs(p: SnappingParameters, apart: Fraction) -> list[int]:
    """Return the outermost outputs, and those near which noise or logarithm crosses one of the largest powers of two.

    Between two powers of two the floats are evenly spaced, so errors of breakpoints that are a fixed distance apart
    are tied to each other; where some lie beyond a power of two and some before, they are free.
    """
    most = p.end_upper - p.value_lower
    places = {most}
    for unit in (Fraction(1), p.noise_scale):
        top = floor_log2(most / unit)
        places |= {unit * power_of_two(top - i) for i in range(BINADES)}
    near = {nearest_index(p.value_lower + t, p.grid) + i for t in places for i in range(-NEAR, NEAR + 1)}
    return sorted(k for k in near if k <= p.high and _farthest(p, k, apart) > 0)


def _farthest(p: SnappingParameters, k: int, apart: Fraction) -> Fraction:
    """Return the distance of output k's lower breakpoint from the neighbour of the lowest value."""
    return (k - Fraction(1, 2)) * p.grid - (p.value_lower + apart)


def _tried(p: SnappingParameters, k: int, apart: Fraction, tries: int) -> Iterator[Unlucky]:
    """Yield values near the lower end, such that one of the four breakpoints lies at a jump of its error.

    The neighbour's error at the inner breakpoint and the value's at the outer one add to the loss, and are largest at a
    product; the other two take from it, and are least just after one.
    """
    assert p.precision is not None
    law = FiniteLaw(Inner(Fraction(0)), p)
    edge, farthest = (k - Fraction(1, 2)) * p.grid, _farthest(p, k, apart)
    window = min(p.grid, farthest / 2, p.value_upper - p.value_lower - apart)
    after = power_of_two(-p.precision.product - 16)
    jumps = ((Fraction(0), 1), (apart, 1 + after), (apart + p.grid, 1), (p.grid, 1 + after))
    for i in range(tries):
        beyond, hair = jumps[i % len(jumps)]
        target = farthest - window * (i * _SPREAD % 1) + beyond
        logarithm = round_up(target / p.noise_scale, p.precision.logarithm)
        product = round_nearest(p.noise_scale * logarithm, p.precision.product)
        neighbour = edge + beyond - product * hair
        if p.value_lower + apart <= neighbour <= p.value_upper:
            yield _unlucky(law, neighbour - apart, neighbour, k)


def _unlucky(law: FiniteLaw, value: Fraction, neighbour: Fraction, k: int) -> Unlucky:
    """Return a pair with what errors add to ln P(k | neighbour)/P(k | value), to first order, and the draw at most."""
    points = breakpoints(law.parameters, value, neighbour, k)
    errors = sum(weight * _error(law, distance) for distance, weight in points)
    draw = sum(weight * _granule(law.parameters, distance) for distance, weight in points if weight > 0)
    return Unlucky(value, neighbour, k, errors, draw)


def _granule(p: SnappingParameters, t: Fraction) -> float:
    """Return the spacing of the draw's floats near e^(-t/lam), relative to it, in units of 2**-product bits: (12)."""
    assert p.precision is not None
    halvings = float(t / p.noise_scale) / math.log(2)
    return math.ldexp(2 ** (halvings - math.ceil(halvings)), p.precision.product - p.precision.uniform + 1)


def _error(law: FiniteLaw, t: Fraction) -> float:
    """Return t/lam - m(t) in units of 2**-product bits, from whole numbers: a Fraction would be cancelled each time."""
    scale, precision = law.parameters.noise_scale, law.parameters.precision
    assert precision is not None
    significand, exponent = law.threshold(t, strict=False)
    whole, part = t.numerator * scale.denominator, t.denominator * scale.numerator
    shift = max(-exponent, 0)
    gap = (whole << shift) - part * (significand << exponent + shift)
    return (gap << precision.product) / (part << shift)
