"""Logarithm and exponential of rationals: outward enclosures, and correct rounding to p bits.

Room: exact. MPFR (through gmpy2) rounds each function correctly in the asked direction at any precision; the argument
is first enclosed the same way, and the functions used here increase, so lower end goes to lower end.
Trap: unary minus (and any operator) on an mpfr rounds to gmpy2's ambient 53-bit context. Hence no operator is used on
an mpfr here, only methods of a context of our own.
gmpy2 is imported when first needed, and then first asked whether it rounds as it is told (`directed`): releases in
exact arithmetic never need it. ln of a power of two needs no library at all.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.exact.directed import check_directed_rounding
from snapdp.exact.dyadic import exponent_of_power, floor_log2, power_of_two, round_nearest
from snapdp.exact.enclosure import TINY_EXPONENT, Enclosure, refine

# floor(ln 2 * 2**256): compared with MPFR and with Arb in the tests.
_LN2_BITS = 256
_LN2_SCALED = 0xB17217F7D1CF79ABC9E3B39803F2F6AF40F343267298B62D8A0D175B8BAAFA2B
LN2 = Enclosure(Fraction(_LN2_SCALED, 1 << _LN2_BITS), Fraction(_LN2_SCALED + 1, 1 << _LN2_BITS))

_WIDE = 1 << 60  # exponents that no computation here can leave


@lru_cache(maxsize=64)
def mpfr_context(precision: int, direction: str) -> Any:
    """Return an MPFR context of our own; direction is "down", "up" or "nearest"."""
    require_directed_rounding()
    return _unchecked_context(precision, direction)


@lru_cache(maxsize=1)
def require_directed_rounding() -> None:
    """Import MPFR and refuse to go on where it does not round as it is told. Takes time in the first call only."""
    check_directed_rounding(_unchecked_context)


def _unchecked_context(precision: int, direction: str) -> Any:
    import gmpy2

    modes = {"down": gmpy2.RoundDown, "up": gmpy2.RoundUp, "nearest": gmpy2.RoundToNearest}
    return gmpy2.context(precision=precision, round=modes[direction], emin=-_WIDE, emax=_WIDE)


def exact_mpfr(numerator: int, exponent: int = 0) -> Any:
    """Return numerator * 2**exponent as an mpfr, without rounding."""
    import gmpy2

    context = mpfr_context(max(2, numerator.bit_length()), "nearest")
    return context.mul_2exp(gmpy2.mpfr(numerator, 1), exponent)


def fraction_of_mpfr(x: Any) -> Fraction:
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def _mpfr_of(x: Fraction, precision: int, direction: str) -> Any:
    """Return x as an mpfr, rounded in one direction; exact where x is dyadic."""
    exponent = exponent_of_power(Fraction(x.denominator))
    if exponent is not None:
        return exact_mpfr(x.numerator, -exponent)
    digits_before_the_point = max(0, floor_log2(abs(x)) + 1)
    return mpfr_context(precision + digits_before_the_point, direction).div(
        exact_mpfr(x.numerator), exact_mpfr(x.denominator)
    )


def _increasing(function: str, x: Fraction, precision: int) -> Enclosure:
    ends = []
    for direction in ("down", "up"):
        result = getattr(mpfr_context(precision, direction), function)(_mpfr_of(x, precision, direction))
        ends.append(fraction_of_mpfr(result))
    return Enclosure(ends[0], ends[1])


def ln_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of ln x, x > 0, to about `precision` bits; a single point where x == 1.

    >>> float(ln_enclosure(Fraction(10), 128))
    2.302585092994046
    """
    exponent = exponent_of_power(x)
    if exponent is not None and precision < _LN2_BITS - 8:
        return LN2 * exponent
    return _increasing("log", x, precision)


def exp_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of e**x to about `precision` bits; a single point where x == 0."""
    if x <= TINY_EXPONENT:  # e**x < 2**x <= 2**TINY_EXPONENT
        return Enclosure(Fraction(0), power_of_two(TINY_EXPONENT))
    return _increasing("exp", x, precision)


def expm1_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of e**x - 1 without cancellation near 0."""
    if x <= TINY_EXPONENT:
        return exp_enclosure(x, precision) - 1
    return _increasing("expm1", x, precision)


def ln_nearest(x: Fraction, bits: int) -> Fraction:
    """Return ln x rounded correctly to a float of `bits` bits, ties to even, for any bits >= 2 and rational x > 0.

    >>> ln_nearest(Fraction(1, 2), 8)
    Fraction(-177, 256)
    """
    if exponent_of_power(Fraction(x.denominator)) is not None:
        return fraction_of_mpfr(mpfr_context(bits, "nearest").log(_mpfr_of(x, bits, "nearest")))
    # ln of a rational other than 1 is irrational, so it is no midpoint and some precision decides (Ziv).
    decided = refine(
        lambda precision: ln_enclosure(x, precision),
        until=lambda e: e.lower * e.upper > 0 and _nearest(e.lower, bits) == _nearest(e.upper, bits),
    )
    return _nearest(decided.lower, bits)


def _nearest(x: Fraction, bits: int) -> Fraction:
    return round_nearest(x, bits) if x > 0 else -round_nearest(-x, bits)
