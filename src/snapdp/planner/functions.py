"""Real functions of enclosures that the planner's closed forms need, and rounding to the safe side.

Room: planner. Each function is monotone, so ends go to ends; elementary functions come from snapdp.exact.
Theory: docs/theory/planning.md, (6).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.exact.dyadic import floor_log2, round_down, round_up
from snapdp.exact.elementary import exp_enclosure, expm1_enclosure, ln_enclosure
from snapdp.exact.enclosure import Enclosure

SIGNIFICANT_BITS = 53  # results that must round are doubles: within 2**-52 of the number, far inside 1e-9
NARROW_BITS = 64  # enclosures are refined to this many relative bits before they are rounded


def sqrt_enclosure(x: Fraction, bits: int) -> Enclosure:
    """Return an enclosure of the square root of x >= 0; a single point where x is the square of a short dyadic.

    >>> sqrt_enclosure(Fraction(9, 4), 64)
    Enclosure(3/2)
    """
    if x == 0:
        return Enclosure(x, x)
    shift = max(0, bits - floor_log2(x) // 2)
    scaled = x * (1 << 2 * shift)
    root = math.isqrt(math.floor(scaled))
    above = root if root * root == scaled else root + 1
    return Enclosure(Fraction(root, 1 << shift), Fraction(above, 1 << shift))


def sqrt_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of the square root of a number >= 0 that is enclosed by e."""
    return Enclosure(
        sqrt_enclosure(max(e.lower, Fraction(0)), bits).lower,
        sqrt_enclosure(max(e.upper, Fraction(0)), bits).upper,
    )


def ln_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of the logarithm of a positive enclosed number."""
    return Enclosure(ln_enclosure(e.lower, bits).lower, ln_enclosure(e.upper, bits).upper)


def exp_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of e to an enclosed power."""
    return Enclosure(exp_enclosure(e.lower, bits).lower, exp_enclosure(e.upper, bits).upper)


def arcosh_of_exp(w: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of arcosh(e^w) = w + ln(1 + sqrt(1 - e^(-2w))), for an enclosed w >= 0: planning (6).

    Nothing overflows: e^w itself may be far beyond what can be stored.
    """
    lower, upper = max(w.lower, Fraction(0)), max(w.upper, Fraction(0))
    ends = [-expm1_enclosure(-2 * end, bits) for end in (lower, upper)]
    root = sqrt_of(Enclosure(ends[0].lower, ends[1].upper), bits)
    return ln_of(root + 1, bits) + Enclosure(lower, upper)


def rounded_up(x: Fraction, bits: int = SIGNIFICANT_BITS) -> Fraction:
    """Return a short dyadic number >= x, within 2**(1-bits) of it, relatively.

    >>> rounded_up(Fraction(1, 3), 2), rounded_up(Fraction(-1, 3), 2)
    (Fraction(3, 8), Fraction(-1, 4))
    """
    if x == 0:
        return x
    return round_up(x, bits) if x > 0 else -round_down(-x, bits)
