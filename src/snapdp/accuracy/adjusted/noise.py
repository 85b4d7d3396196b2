"""The noise of one measured number whose value lies on the grid: a symmetric law on the multiples of the grid.

Room: accuracy. Where the value f is a multiple of the grid, the released number is f plus noise that does not depend on
f, but for the clamp; so numbers may be added, and the noise of the sum is a sum of independent noises. Where f is not
on the grid the noise is a Laplace variable moved by at most half the grid, and is enclosed like that.
Theory: docs/theory/adjusted-tables.md, (12)-(15).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import HALF, Enclosure, exp_enclosure, expm1_enclosure, positive, refined
from snapdp.mechanism import chosen_grid
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
