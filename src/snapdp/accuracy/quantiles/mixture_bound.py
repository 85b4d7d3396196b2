"""How far a sum of Laplace variables goes: a bound from three numbers, within a few percent of the shortest.

Room: accuracy. A Laplace variable is a normal one whose variance is itself random, twice the square of its scale times
an exponential variable; so a sum S of them is normal with a random variance V, and

    P(|S| > r) = E erfc(r/sqrt(2 V)),   erfc(1/sqrt(2 u)) <= A(tau) e^(tau u) for every u

turns the tail of the sum into exponential moments of V alone. What is normal about the sum costs nothing, as it does
where exponential moments of S itself are taken. Any tau serves; the best of a list is taken. With scales b_i,

    W2 = sum b_i^2,   kappa = sum b_i^4/W2^2,   largest = max b_i^2/W2

are all it needs. Doubles, in a fixed order of + - * / and square roots, so that whoever repeats them finds the same;
every result is enlarged by 2^-20 of itself, more than all roundings together.
Theory: docs/theory/quantiles.md, (5)-(9).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import decided_ceil, ln_enclosure

SPARE = 1 + 2.0**-20  # for every rounding of doubles on the way
BUCKET_BITS = 5  # kappa and the largest square are rounded up to so many bits: the radius grows by less than 0.5 %
_HALVINGS = 24
_LN_STEPS = 1 << 20  # ln(level) is rounded down to a multiple of 2^-20: whoever repeats it finds the same
# (tau, ln A(tau) rounded up), A(tau) = sup over u > 0 of erfc(1/sqrt(2 u)) e^(-tau u)                  theory (6)
EXPONENTS: tuple[tuple[float, float], ...] = (
    (0.25, -1.233), (0.375, -1.443), (0.5, -1.616), (0.75, -1.897), (1, -2.129), (1.5, -2.510), (2, -2.825),
    (3, -3.343), (4, -3.772), (6, -4.482), (8, -5.072), (12, -6.050), (16, -6.866), (24, -8.221),
    (32, -9.353), (48, -11.239), (64, -12.818), (96, -15.451), (128, -17.660), (192, -21.349), (256, -24.448),
    (384, -29.628), (512, -33.984), (768, -41.272), (1024, -47.405), (1536, -57.674), (2048, -66.318),
    (3072, -80.801), (4096, -92.997), (6144, -113.438), (8192, -130.658),
)  # fmt: skip


@lru_cache(maxsize=64)
def _slopes(level: Fraction) -> tuple[tuple[float, float], ...]:
    """Return (tau, ln(level/A(tau))), ln(level) rounded down, where that is positive: what the moments of V may reach.

    The difference is rounded to the nearest double: SPARE is on the other side of the comparison.
    """
    reached = -decided_ceil(lambda bits: ln_enclosure(level, bits) * -_LN_STEPS) / _LN_STEPS
    found = ((tau, reached - bound) for tau, bound in EXPONENTS)
    return tuple((tau, room) for tau, room in found if room > 0)


@lru_cache(maxsize=4096)
def spread_factor(kappa: float, largest: float, level: Fraction) -> float:
    """Return rho with P(|S| > rho sqrt(W2)) <= level, 0 < kappa <= largest <= 1.        theory (8)

    Of the list of tau that with the smallest rho^2 = 2 tau/t, t the longest that the moments of V leave room for.
    """
    least = min((tau / _longest(room, kappa, largest) for tau, room in _slopes(level)), default=None)
    if least is None:
        raise ParameterError(f"alpha = {level} is too small for an interval.", "Give alpha >= 2^-63.", alpha=level)
    return math.sqrt(2 * least) * SPARE


def _longest(room: float, kappa: float, largest: float) -> float:
    """Return t with t + kappa t^2 (1/2 + x/3 + x^2/4 + x^3/(5 (1 - x))) <= room, x = largest t < 1.    theory (7)"""
    low, high = 0.0, min(room, 1 / largest)
    for _ in range(_HALVINGS):
        t = (low + high) / 2
        x = largest * t
        if x < 1 and (t + kappa * t * t * (0.5 + x / 3 + x * x / 4 + x * x * x / (5 * (1 - x)))) * SPARE <= room:
            low = t
        else:
            high = t
    return low if low else room * 2.0**-_HALVINGS


def rounded_up(x: Any) -> Any:
    """Return an array of numbers in (0, 1], each rounded up to a double of five bits."""
    import numpy as np

    fraction, exponent = np.frexp(x)
    return np.ldexp(np.ceil(fraction * 2**BUCKET_BITS), exponent - BUCKET_BITS)


def radii(squares: Any, fourths: Any, largest: Any, *, level: Fraction) -> Any:
    """Return for arrays of W2, sums of b^4 and max b^2 the radii r with P(|S| > r) <= level.        theory (8)"""
    import numpy as np

    kappa = np.minimum(rounded_up(np.minimum(fourths / (squares * squares) * SPARE, 1.0)), 1.0)
    shares = np.minimum(rounded_up(np.minimum(largest / squares * SPARE, 1.0)), 1.0)
    pairs, place = np.unique(kappa + 1j * np.maximum(shares, kappa), return_inverse=True)
    factors = np.array([spread_factor(pair.real, pair.imag, level) for pair in pairs.tolist()])
    return factors[place.ravel()] * np.sqrt(squares) * SPARE
