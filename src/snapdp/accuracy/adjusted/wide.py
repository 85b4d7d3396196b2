"""A radius from four numbers of a sum: wider than need be, and found at once whatever the sum is made of.

Room: accuracy. The noise with the largest scale is taken out: by itself it decides how far the sum goes where it is
much larger than the others, and its tail is known. All others enter by their variance and their largest scale. Any
exponent gives a bound that holds; the best of 48 is taken, in rationals, and rounded up.
Theory: docs/theory/adjusted-tables.md, (16), (18), (19).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from snapdp.accuracy.adjusted.summands import Summand, exponent_reaching, hyperbolic_cosine
from snapdp.exact import power_of_two, round_up

COSH_BITS = 64
RATIO_BITS = 32
RADIUS_BITS = 24
LN_2 = Fraction(9, 13)  # below ln 2: e^9 < 2^13
EXPONENTS = [Fraction(k, 8) * power_of_two(-i) for i in range(12) for k in (8, 7, 6, 5)]  # in units of 1/scale


class SumNumbers(NamedTuple):
    """What the wide bound needs of a sum of noises.

    scale, half_ratio  of the noise with the largest scale, one of them        second  the largest scale of the others
    rest               2 sum of times cosh(x/2) scale^2 of the others, cosh rounded up
    """

    scale: Fraction
    half_ratio: Fraction
    second: Fraction
    rest: Fraction


def cosh_up(half_ratio: Fraction) -> Fraction:
    """Return cosh(x/2), rounded up at 2**-64."""
    grown = hyperbolic_cosine(half_ratio, COSH_BITS) + (1 if half_ratio else 0)
    return Fraction(grown, 1 << COSH_BITS)


def sum_numbers(summands: Sequence[Summand]) -> SumNumbers:
    """Return the four numbers of a sum."""
    scales = sorted(((s.scale, s.half_ratio) for s in summands for _ in range(min(s.times, 2))), reverse=True)
    scale, half_ratio = scales[0]
    total = sum((2 * s.times * cosh_up(s.half_ratio) * s.scale**2 for s in summands), Fraction(0))
    rest = total - 2 * cosh_up(half_ratio) * scale**2
    return SumNumbers(scale, half_ratio, scales[1][0] if len(scales) > 1 else Fraction(0), rest)


def wide_radius(numbers: SumNumbers, *, level: Fraction) -> Fraction:
    """Return h with P(|S| >= h) <= level.        theory (19)

    h = b (y - 9/13 + min over a of L/a + w a g((r a)^2)/2),   w = rest/b^2 and r = second/b rounded up to 32 bits
    """
    scale = numbers.scale
    reached = exponent_reaching(2 / level)
    width, ratio = (_rounded_up(each) for each in (numbers.rest / scale**2, numbers.second / scale))
    least = None
    for a in (each for each in EXPONENTS if ratio * each < 1):
        found = reached / a + width * a * growth((ratio * a) ** 2) / 2
        if least is not None and found >= least:
            break  # it is convex in a: nothing smaller follows
        least = found
    assert least is not None, "the first noise is the largest"
    return round_up(scale * (numbers.half_ratio - LN_2 + least), RADIUS_BITS)


def growth(q: Fraction) -> Fraction:
    """Return g >= -ln(1 - q)/q, 0 <= q < 1: 1/(4 (1 - q)) + 3/(4 (1 - q/3)).        theory (19)"""
    return (6 - 5 * q) / ((1 - q) * (6 - 2 * q))


def _rounded_up(x: Fraction) -> Fraction:
    return round_up(x, RATIO_BITS) if x else x
