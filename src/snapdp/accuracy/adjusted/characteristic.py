"""The characteristic function of a sum of noises at the frequencies of a circle, in integers with a proved error.

Room: accuracy. Laid on a circle of circumference `period`, the law of a sum is given by its Fourier coefficients, and
those of a sum are products: no table of the law is made, and a million equal noises cost twenty squarings. Every number
here is an integer in units of 2**-width; what rounds does so by floors that are written down, so that whoever repeats
the steps finds the same integers. Frequencies that cannot matter are dropped from the top and accounted for.

    E e^(i w step K) = 1 - cosh(x/2) sin^2(w step/2)/(sinh^2(x/2) + sin^2(w step/2))
    E e^(i w Y) = 1/(1 + (scale w)^2)

Theory: docs/theory/adjusted-tables.md, (14), (20)-(26).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from snapdp.accuracy.adjusted.summands import Summand, hyperbolic_cosine
from snapdp.exact import exp_scaled, floor_cos, floor_scaled, pi_scaled

SIDE = 1024
FREQUENCIES = 2 * SIDE - 2  # the kernel has no others
_SQUARED = 22  # FREQUENCIES^2 < 2**22
EXACT_BITS = 128  # a product of all factors misses by at most 2**-EXACT_BITS
SPARE = 64  # a 64th of the level pays for the frequencies that are dropped


class CircleLaw(NamedTuple):
    """The law of S + V on a circle: kappa_n phi_n/n for the frequencies n = 1, 2, ... that are kept; theory (24).

    dropped  an upper bound of the sum of all others        width  both in units of 2**-width
    """

    kept: list[int]
    dropped: int
    width: int


@cache
def kernel() -> list[int]:
    """Return K_0, K_1, ...: the weights of Jackson's kernel, the square of Fejer's.        theory (21)"""
    return [math.comb(2 * SIDE + 1 - n, 3) - 4 * math.comb(max(SIDE + 1 - n, 0), 3) for n in range(FREQUENCIES + 1)]


def width_for(summands: Sequence[Summand]) -> int:
    """Return a width at which the product of all factors misses by at most 2**-128.        theory (23)"""
    return EXACT_BITS + sum(each.times * (_units_lost(each) + 1) for each in summands).bit_length()


def _units_lost(summand: Summand) -> int:
    """Return by how many units of 2**-width a factor may miss.        theory (22)"""
    y = summand.half_ratio
    steep = math.ceil((1 + y) / y**2) if y else 1
    return (steep << _SQUARED) + 2


def circle_law(summands: Sequence[Summand], *, period: Fraction, level: Fraction) -> CircleLaw:
    """Return the coefficients of the law on a circle, without those at the top that add up to a 64th of the level."""
    width = width_for(summands)
    one, weights = 1 << width, kernel()
    budget = math.floor(level * 3 / (2 * SPARE) * one)
    error = one >> EXACT_BITS
    products, dropped = [one] * FREQUENCIES, 0
    for each in summands:
        factors = _on_grid if each.half_ratio else _laplace
        products = _multiplied(products, factors(each, period, width, len(products)), each.times, width)
        while products:
            top = len(products)
            largest = weights[top] * (products[-1] + error) // (weights[0] * top) + 1
            if dropped + largest > budget:
                break
            dropped += largest
            products.pop()
    kept = [weights[n] * product // (weights[0] * n) for n, product in enumerate(products, 1)]
    return CircleLaw(kept, dropped, width)


def _multiplied(products: list[int], factors: list[int], times: int, width: int) -> list[int]:
    """Return product * factor^times for each pair; powers from the leading digit of times on, every product floored."""
    powers = factors
    for digit in bin(times)[3:]:
        powers = [power * power >> width for power in powers]
        if digit == "1":
            powers = [power * factor >> width for power, factor in zip(powers, factors, strict=True)]
    return [product * power >> width for product, power in zip(products, powers, strict=True)]


def _on_grid(summand: Summand, period: Fraction, width: int, frequencies: int) -> list[int]:
    """Return the factors of step K; cos(n t) = 2 cos(t) cos((n-1) t) - cos((n-2) t).        theory (22)"""
    one, shift = 1 << width, width - 1
    cosh, twice = hyperbolic_cosine(summand.half_ratio, width), 2 * _sinh_squared(summand.half_ratio, width)
    cosine = floor_cos(summand.step / period, width)
    before, now = one, cosine
    found = []
    for _ in range(frequencies):
        sine = one - now if now < one else 0  # 2 sin^2(n t/2)
        found.append(max(0, one - cosh * sine // (twice + sine)))
        before, now = now, (cosine * now >> shift) - before
    return found


def _laplace(summand: Summand, period: Fraction, width: int, frequencies: int) -> list[int]:
    """Return the factors of a Laplace variable.        theory (22)"""
    turns = (2 * summand.scale / period) ** 2

    def enclosed(bits: int) -> tuple[int, int]:
        low, high = pi_scaled(bits)
        return math.floor(low * low * turns) >> bits, -(math.floor(-high * high * turns) >> bits)

    square, one = floor_scaled(enclosed, width), 1 << width
    return [(one << width) // (one + square * n * n) for n in range(1, frequencies + 1)]


@lru_cache(maxsize=256)
def _sinh_squared(y: Fraction, bits: int) -> int:
    """Return the floor of 2**bits * sinh(y)^2 = 2**bits * (cosh(2y) - 1)/2."""

    def enclosed(width: int) -> tuple[int, int]:
        grown, shrunk, two = exp_scaled(2 * y, width), exp_scaled(-2 * y, width), 2 << width
        return (grown[0] + shrunk[0] - two) >> 2, -(-(grown[1] + shrunk[1] - two) >> 2)

    return floor_scaled(enclosed, bits)
