"""Noises to be added, sorted by their law, and the bounds of their sum that need its two first numbers only.

Room: accuracy. Noises with the same law after multiplication become one summand with a count. Two numbers of the sum, a
variance and a largest scale, bound its tail at any size (Bernstein); Chebyshev's bound needs the variance alone.
Theory: docs/theory/adjusted-tables.md, (16)-(19).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from snapdp.accuracy.adjusted.noise import NoiseTerm
from snapdp.exact import exp_scaled, floor_scaled, over_common

_STEPS = 64  # L is a multiple of 1/64
_ROOT_BITS = 24


class Summand(NamedTuple):
    """`times` independent noises of one law: multiples of a step, or Laplace variables where half_ratio is 0.

    scale  of the Laplace variable behind it, |coefficient| * noise_scale        half_ratio  y = x/2 = step/(2 scale)
    """

    scale: Fraction
    half_ratio: Fraction
    times: int

    @property
    def step(self) -> Fraction:
        return 2 * self.scale * self.half_ratio


def summands_of(terms: Iterable[NoiseTerm]) -> list[Summand]:
    """Return the summands of terms that are not 0, largest variances first: an order that parameters decide."""
    counts: Counter[tuple[Fraction, Fraction]] = Counter()
    for term in terms:
        noise = term.noise
        half_ratio = noise.ratio / 2 if noise.on_grid else Fraction(0)
        counts[abs(term.coefficient) * noise.noise_scale, half_ratio] += term.count
    found = [Summand(scale, half_ratio, times) for (scale, half_ratio), times in counts.items()]
    scales, _ = over_common(each.scale for each in found)  # integers are compared many times faster
    placed = zip(found, scales, strict=True)
    ordered = sorted(placed, key=lambda p: (p[0].times * p[1] ** 2, p[1], p[0].half_ratio), reverse=True)
    return [each for each, _ in ordered]


def spacing_of(summands: Sequence[Summand]) -> Fraction:
    """Return the largest number of which every value of the sum is a multiple; 0 where there is none."""
    steps = [each.step for each in summands]
    if not all(steps):
        return Fraction(0)
    numerators, common = over_common(steps)
    return Fraction(math.gcd(*numerators), common)


@lru_cache(maxsize=256)
def hyperbolic_cosine(y: Fraction, bits: int) -> int:
    """Return the floor of 2**bits * cosh(y); 2**bits itself where y is 0."""

    def enclosed(width: int) -> tuple[int, int]:
        grown, shrunk = exp_scaled(y, width), exp_scaled(-y, width)
        return (grown[0] + shrunk[0]) >> 1, -(-(grown[1] + shrunk[1]) >> 1)

    return floor_scaled(enclosed, bits) if y else 1 << bits


class TailNumbers(NamedTuple):
    """What Bernstein's bound needs: ln E e^(s S) <= variance s^2/(2 (1 - scale s)), 0 <= s < 1/scale; theory (16)."""

    variance: Fraction
    scale: Fraction

    def reach(self, level: Fraction) -> Fraction:
        """Return r with P(|S| >= r) <= level: sqrt(2 v L) + b L, e^L >= 2/level.        theory (17)

        L is the least multiple of 1/64 with (1 + 1/64)^(64 L) >= 2/level; the root is rounded up.
        """
        exponent = exponent_reaching(2 / level)
        return root_up(2 * self.variance * exponent) + self.scale * exponent


@lru_cache(maxsize=256)
def exponent_reaching(factor: Fraction) -> Fraction:
    """Return the least multiple L of 1/64 with (65/64)^(64 L) >= factor; e^L is larger still.        theory (18)"""
    steps, grown, needed = 0, factor.denominator, factor.numerator
    while grown < needed:
        steps, grown, needed = steps + 1, grown * (_STEPS + 1), needed * _STEPS
    return Fraction(steps, _STEPS)


def root_up(x: Fraction) -> Fraction:
    """Return a number >= sqrt(x) with about 24 bits more than it needs: (1 + floor(sqrt(floor(x 4^s))))/2^s."""
    shift = max(0, _ROOT_BITS - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    return Fraction(1 + math.isqrt(math.floor(x * 4**shift)), 2**shift)


def tail_numbers(summands: Sequence[Summand], bits: int) -> TailNumbers:
    """Return v = 2 sum of times cosh(x/2) scale^2, with cosh rounded up at 2**-bits, and b = the largest scale."""
    scales, common = over_common(each.scale for each in summands)
    total = 0
    for each, scale in zip(summands, scales, strict=True):
        grown = hyperbolic_cosine(each.half_ratio, bits) + (1 if each.half_ratio else 0)
        total += 2 * each.times * scale**2 * grown
    return TailNumbers(Fraction(total, common**2 << bits), Fraction(max(scales), common))
