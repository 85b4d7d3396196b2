"""A radius that a sum of noises exceeds with at most a given probability, from its characteristic function.

Room: accuracy. To the sum S an independent variable V is added, on a circle: its density is Jackson's kernel, with
finitely many frequencies, so that the law of S + V is a finite sum, exactly. V is short, and where S lies further out
than h and V is within its reach t, the sum of both lies further out than h - t:

    P(|S| > h) <= P(S + V further out than h - t)/P(|V| <= t) + P(|S| >= period/2)        theory (20)

The radius is one of 2**14 places on the circle, found by bisection, plus t; where all values of S are multiples of a
number that is not smaller than the distance of two places, it is rounded down to one of them, which loses nothing.
Theory: docs/theory/adjusted-tables.md, (20)-(28).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from snapdp.accuracy.adjusted.characteristic import CircleLaw, circle_law, width_for
from snapdp.accuracy.adjusted.summands import Summand, spacing_of, tail_numbers
from snapdp.exact import floor_cos, floor_log2, floor_scaled, pi_scaled, power_of_two

PLACES = 1 << 14  # on the circle
SMEAR = 13  # places that V moves S by at most, with probability >= KEPT
KEPT = Fraction(255, 256)
FAR = 256  # the sum leaves its circle with at most this part of the level
PERIOD_BITS = 8  # of the circumference: radii are short dyadic numbers
_UNCERTAIN = power_of_two(-100)  # all errors of rounding together: theory (25)
QUARTER = Fraction(1, 4)


@lru_cache(maxsize=1024)
def inverted_radius(summands: tuple[Summand, ...], *, level: Fraction) -> Fraction:
    """Return h with P(|S| > h) <= level, near the least one. Premise: 2**-64 <= level < 1."""
    period = period_of(summands, level=level)
    found = circle_law(summands, period=period, level=level)
    low, high = -1, PLACES // 2  # the whole circle lies within its half
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(found, middle, level=level) else (middle, high)
    place = period / PLACES
    radius = min(high + SMEAR, PLACES // 2) * place
    spacing = spacing_of(summands)
    return spacing * math.floor(radius / spacing) if spacing >= place else radius


def period_of(summands: Sequence[Summand], *, level: Fraction) -> Fraction:
    """Return the circumference, rounded up to 8 bits: |S| reaches half of it with probability <= level/256."""
    width = width_for(summands)
    needed = 2 * tail_numbers(summands, width).reach(level / FAR)
    unit = power_of_two(floor_log2(needed) + 1 - PERIOD_BITS)
    return unit * math.ceil(needed / unit)


def holds(found: CircleLaw, place: int, *, level: Fraction) -> bool:
    """Tell whether P(S + V further out than a place) <= 255/256 of KEPT of the level is proved.        theory (26)"""
    outside = 1 - inside(found, place) + _UNCERTAIN + Fraction(2 * found.dropped, 3 << found.width)
    return outside <= KEPT * (1 - Fraction(1, FAR)) * level


def inside(found: CircleLaw, place: int) -> Fraction:
    """Return P(S + V within a place of 0), by the frequencies that are kept.        theory (24)

    2 j/J + (2/pi) sum over n of kappa_n phi(n)/n sin(2 pi n j/J),   j = place, J = PLACES
    """
    width = found.width
    cosine, now = floor_cos(Fraction(place, PLACES), width), floor_cos(Fraction(place, PLACES) - QUARTER, width)
    before = total = 0
    for coefficient in found.kept:
        total += coefficient * now
        before, now = now, (cosine * now >> (width - 1)) - before
    return Fraction(2 * place, PLACES) + Fraction(2 * _inverse_pi(width) * total, 1 << (3 * width))


@lru_cache(maxsize=64)
def _inverse_pi(bits: int) -> int:
    """Return the floor of 2**bits/pi."""

    def enclosed(width: int) -> tuple[int, int]:
        low, high = pi_scaled(width)
        return (1 << 2 * width) // high, -(-(1 << 2 * width) // low)

    return floor_scaled(enclosed, bits)
