"""Exponential, cosine and pi, enclosed by integers and computed with nothing but integers; and floors decided by them.

Room: exact. A number that is published and derived again elsewhere must come out the same on every machine. A floor of
2**bits times a real number is such a number: it does not depend on how it is found, and whoever computes it in another
way, with plain integers too, finds the same one.

    e^x = (e^s)^(2^h),  s = |x|/2^h <= 1/2;   pi = 16 arctan(1/5) - 4 arctan(1/239);   cos and arctan by their series

Every series is added in units of 2**-width with its rounding errors and its remainder counted outward.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

_GUARD = 16
_MOST_GUARD = 1 << 16
# cos of f turns is rational exactly where f has one of these denominators (Niven): there it is 0, 1/2 or 1 but for sign
_RATIONAL_COSINES = (1, 2, 3, 4, 6)
Scaled = tuple[int, int]  # integers around 2**width times a number


def floor_scaled(enclosed: Callable[[int], Scaled], bits: int) -> int:
    """Return the floor of 2**bits times the number that enclosed(width) encloses; an irrational one is decided.

    >>> floor_scaled(pi_scaled, 10)  # 3216.99
    3216
    """
    guard = _GUARD
    while guard <= _MOST_GUARD:
        low, high = enclosed(bits + guard)
        if low >> guard == high >> guard:
            return low >> guard
        guard *= 2
    raise ArithmeticError("undecided: the number may be rational")


@lru_cache(maxsize=64)
def pi_scaled(width: int) -> Scaled:
    """Return integers around 2**width * pi, by Machin's formula."""
    wide = width + _GUARD + width.bit_length()
    fifth, slack = _arctan(5, wide)
    small, other = _arctan(239, wide)
    least, most = 16 * (fifth - slack) - 4 * (small + other), 16 * (fifth + slack) - 4 * (small - other)
    return least >> (wide - width), -(-most >> (wide - width))


def _arctan(divisor: int, width: int) -> tuple[int, int]:
    """Return (sum, slack) with |2**width * arctan(1/divisor) - sum| <= slack.

    A floor of a floor is the floor of the quotient: each term is short by less than 2, and the first one that is left
    out, which is less than 2, bounds the rest of an alternating series.
    """
    power = total = (1 << width) // divisor
    odd, sign = 1, 1
    while power := power // (divisor * divisor):
        odd, sign = odd + 2, -sign
        total += sign * (power // odd)
    return total, odd + 3


def exp_scaled(x: Fraction, width: int) -> Scaled:
    """Return integers around 2**width * e**x.

    >>> exp_scaled(Fraction(1), 10)  # 2783.53
    (2783, 2784)
    """
    size = abs(x)
    h = (2 * size.numerator // size.denominator).bit_length()
    wide = width + h + _GUARD + 3 * (size.numerator // size.denominator + 1)
    s = (size.numerator << wide) // (size.denominator << h)
    total, term, k = 0, 1 << wide, 0
    while term:
        total, k = total + term, k + 1
        term = term * s // (k << wide)
    # s is short by less than a unit, and e^s grows by less than 2 for one; each of the k terms is at most half of the
    # one before and short by at most 2, so the first that is left out is below 2 and all of them are below 4.
    low, high = total, total + 2 * k + 6
    for _ in range(h):
        low, high = low * low >> wide, -(-high * high >> wide)
    if x < 0:
        low, high = (1 << 2 * wide) // high, -(-(1 << 2 * wide) // low)
    return low >> (wide - width), -(-high >> (wide - width))


def cos_scaled(turns: Fraction, width: int) -> Scaled:
    """Return integers around 2**width * cos(2 pi turns)."""
    part = turns % 1
    part = min(part, 1 - part)
    if part > Fraction(1, 4):
        low, high = cos_scaled(Fraction(1, 2) - part, width)
        return -high, -low
    wide = width + _GUARD
    pi_low, pi_high = pi_scaled(wide)
    angle = 2 * pi_low * part.numerator // part.denominator, -(-2 * pi_high * part.numerator // part.denominator)
    square = angle[0] ** 2 >> wide, -(-(angle[1] ** 2) >> wide)
    least = most = 0
    low = high = 1 << wide
    k = 0
    while high > 1:  # the terms fall from the third on, and the rest of an alternating series is below its first one
        least, most = (least - high, most - low) if k % 4 else (least + low, most + high)
        low, high = (low * square[0] >> wide) // ((k + 1) * (k + 2)), -(-high * square[1] >> wide)
        k += 2
        high = -(-high // (k * (k - 1)))
    return (least - 1) >> _GUARD, -(-(most + 1) >> _GUARD)


def floor_cos(turns: Fraction, bits: int) -> int:
    """Return the floor of 2**bits * cos(2 pi turns), which is rational for few turns and decided for all others."""
    if turns.denominator in _RATIONAL_COSINES:
        low, high = cos_scaled(turns, bits + _GUARD)
        nearest = (low + high + (1 << (bits + _GUARD - 1))) >> (bits + _GUARD)  # of the halves that it may be
        return (nearest << bits) >> 1
    return floor_scaled(lambda width: cos_scaled(turns, width), bits)
