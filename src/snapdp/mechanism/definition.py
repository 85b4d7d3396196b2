"""The one deterministic inner function: (value, parameters, bits) -> index. Release, replay and law mean this one.

This is the definition; the filters of `sampling` only ever answer what this answers.
Exact arithmetic: the digits of U are read until the clamped index is the same at both ends of an interval that
contains value + Y, so the index is that of a real Laplace draw. Finite precision: U, its logarithm and the product are
rounded to their precisions, the sum is exact. All of exact arithmetic is integer arithmetic, the logarithm too; the
correctly rounded one of finite precision is MPFR's.
Theory: docs/theory/mechanism.md, (5)-(8).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.exact.dyadic import HALF, exponent_of_power, power_of_two
from snapdp.exact.functions import exact_mpfr, mpfr_context
from snapdp.exact.integers import ln_scaled
from snapdp.mechanism.parameters import Inner, Precision, SnappingParameters
from snapdp.randomness.uniform import FIRST_DIGITS, LazyUniform

_GUARD_BITS = 16


def decide(value: Inner, parameters: SnappingParameters, uniform: LazyUniform) -> int:
    """Return the output index of a clamped inner value for one string of bits.

    The sign convention is Y = S * noise_scale * ln U.
    """
    if parameters.precision is None:
        return _by_refinement(value, parameters, uniform)
    noise = uniform.sign * rounded_noise(uniform, parameters.noise_scale, parameters.precision)
    return clamped_index(math.floor((value + noise) / parameters.grid + HALF), parameters)


def clamped_index(index: int, parameters: SnappingParameters) -> int:
    """Return an index moved inside the clamp."""
    return min(max(index, parameters.low), parameters.high)


def _by_refinement(value: Inner, parameters: SnappingParameters, uniform: LazyUniform) -> int:
    t, rho = value / parameters.grid, parameters.noise_scale / parameters.grid
    # floor(t + 1/2 + S rho ln U) = floor((centre + S slope L / 2**s) / denominator), L = 2**s ln U, all integers.
    centre = (2 * t.numerator + t.denominator) * rho.denominator
    slope = uniform.sign * 2 * t.denominator * rho.numerator
    denominator = 2 * t.denominator * rho.denominator
    count = FIRST_DIGITS
    while True:
        digits = uniform.digits(count)
        if digits:
            scale = count + _GUARD_BITS
            # Integers that enclose 2**scale * ln U for U in [digits, digits + 1] * 2**-count, digits > 0.
            # ln(1 + 1/digits) <= 1/digits for the unread digits
            lower, upper = ln_scaled(digits, count, scale)
            ends = lower, upper + (1 << scale) // digits + 1
            low, high = (
                clamped_index(((centre << scale) + slope * end) // (denominator << scale), parameters) for end in ends
            )
            if low == high:
                return low
        count += count + 1  # 63, 127, 255, ...: whole words


def rounded_noise(uniform: LazyUniform, noise_scale: Fraction, precision: Precision) -> Fraction:
    """Return RN(noise_scale * RN(ln U*)), a number <= 0, each step rounded to its own precision."""
    significand, exponent = uniform.truncated(precision.uniform)
    return noise_of(significand, exponent, noise_scale, precision)


def noise_of(significand: int, exponent: int, noise_scale: Fraction, precision: Precision) -> Fraction:
    """Return the rounded noise of U* = significand * 2**exponent; the uniform's own precision plays no part here."""
    logarithm = mpfr_context(precision.logarithm, "nearest").log(exact_mpfr(significand, exponent))
    product = mpfr_context(precision.product, "nearest").mul(_dyadic_mpfr(noise_scale), logarithm)
    mantissa, power = product.as_mantissa_exp()
    return int(mantissa) * power_of_two(int(power))


@lru_cache(maxsize=64)
def _dyadic_mpfr(x: Fraction) -> Any:
    exponent = exponent_of_power(Fraction(x.denominator))
    assert exponent is not None, "the noise scale of finite precision is a float"
    return exact_mpfr(x.numerator, -exponent)
