"""The noise of one measured number, and bounds of a sum of noises that need only its variance and largest scale.

Where the value f is a multiple of the grid, the released number is f plus noise that does not depend on
f, but for the clamp; so numbers may be added, and the noise of the sum is a sum of independent noises. Where f is not
on the grid the noise is a Laplace variable moved by at most half the grid, and is enclosed like that. Noises with the
same law after multiplication become one summand with a count.
Theory: docs/theory/adjusted-tables.md, (12)-(19).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import HALF
from snapdp.exact.enclosure import Enclosure, refined
from snapdp.exact.functions import exp_enclosure, expm1_enclosure
from snapdp.exact.integers import exp_scaled, floor_scaled
from snapdp.exact.numbers import over_common, positive
from snapdp.mechanism.parameters import chosen_grid
from snapdp.values import Value

_NARROW = 100
LARGEST_GRID = Fraction(1)  # counts are whole: on a power of two up to this every count is on the grid


class SnappedNoise(Value):
    """Noise of a measured number, in the units of its numerator.

    noise_scale  of the Laplace variable        grid  distance of neighbouring outputs
    on_grid      the value is known to be a multiple of the grid
    """

    noise_scale: Fraction
    grid: Fraction
    on_grid: bool = True

    def _check(self) -> None:
        positive(self.noise_scale, name="noise_scale")
        positive(self.grid, name="grid")

    @property
    def ratio(self) -> Fraction:
        """Return x = grid/noise_scale."""
        return self.grid / self.noise_scale

    @property
    def weight(self) -> Fraction:
        """Return the variance that least squares reckon with: 2 noise_scale^2 + grid^2/12.        theory (15)

        Any positive numbers make unbiased tables that add up; the law's own variance is as good and is irrational.
        """
        return 2 * self.noise_scale**2 + self.grid**2 / 12

    def probability(self, k: int) -> Enclosure:
        """Return P(noise = k grid) of a value on the grid.        theory (12)"""
        if k == 0:
            return refined(lambda bits: -expm1_enclosure(-self.ratio / 2, bits), relative_bits=_NARROW)
        place, x = abs(k) - HALF, self.ratio
        return refined(
            lambda bits: exp_enclosure(-place * x, bits) * -expm1_enclosure(-x, bits) * HALF, relative_bits=_NARROW
        )

    @cached_property
    def variance(self) -> Enclosure:
        """Return the variance of the noise: of its law on the grid, elsewhere its mean over all places.

        cosh(x/2)/(2 sinh(x/2)^2) grid^2 = (1 + q) e^(-x/2)/(1 - q)^2 grid^2,  q = e^-x        theory (13), (15)
        """
        if not self.on_grid:
            return Enclosure(self.weight, self.weight)
        x = self.ratio

        def compute(bits: int) -> Enclosure:
            gap = expm1_enclosure(-x, bits)  # q - 1
            return (gap + 2) * exp_enclosure(-x / 2, bits) / (gap * gap)

        return refined(compute, relative_bits=_NARROW) * self.grid**2


class NoiseTerm(Value):
    """`count` independent noises of one law, each multiplied by one coefficient."""

    coefficient: Fraction
    noise: SnappedNoise
    count: int = 1

    def _check(self) -> None:
        if self.count < 0:
            raise ParameterError(f"count = {self.count} is negative.", "Give how many noises there are.")


def count_noise(*, epsilon: Any, sensitivity: Any = 1) -> SnappedNoise:
    """Return the noise of a count measured with a share of epsilon: exact arithmetic, on a grid that holds all counts.

    >>> count_noise(epsilon="0.1")
    SnappedNoise(noise_scale=10, grid=1, on_grid=True)
    """
    scale = positive(sensitivity, name="sensitivity") / positive(epsilon, name="epsilon")
    fine = chosen_grid("fine", noise_scale=scale, default="fine")
    return SnappedNoise(noise_scale=scale, grid=min(Fraction(fine), LARGEST_GRID))


# Sums: a variance and a largest scale bound the tail at any size (Bernstein)

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
