"""The logarithm of a dyadic number, enclosed by integers and computed with nothing but integers.

The exact decision of a release needs a few dozen bits of one logarithm, rarely: with Python's integers it
takes some ten microseconds in the first call as in every other. MPFR would be as quick, but for its import, which takes
ten thousand times as long, and timing a release would show it.

    x = m/2**k in [2/3, 4/3],  ln x = 2 artanh z,  z = (x - 1)/(x + 1) in [-1/5, 1/7],  artanh z = z + z^3/3 + ...
    ln(m/2**count) = ln x + (k - count) ln 2        docs/theory/mechanism.md (8)

Every step of the series rounds toward zero in units of 2**-w, so the sum is never above the true one, and below it by
at most w + 8 units: a power of z is short by e' <= z^2 e + |z| (2 |z| + 1) + 1, that is by at most 2 where |z| <= 1/3
(ln 2 = 2 artanh(1/3)), its quotient by an odd number by 2/3 + 1; there are at most w/3 + 2 terms; and those after the
last one are less than 3 units together.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache


def ln_scaled(m: int, count: int, scale: int) -> tuple[int, int]:
    """Return integers (a, b), b - a <= 2, with a <= 2**scale * ln(m * 2**-count) <= b, for m > 0.

    >>> ln_scaled(1, 1, 10)  # 1024 ln(1/2) = -709.78
    (-710, -709)
    """
    guard = (scale + count + m.bit_length() + 64).bit_length() * 2 + 4
    least, most = _enclosed(m, count, scale + guard)
    return least >> guard, -(-most >> guard)


def _enclosed(m: int, count: int, width: int) -> tuple[int, int]:
    """Return integers that enclose 2**width * ln(m * 2**-count), before they are rounded outward."""
    k = m.bit_length()
    if 3 * m < 2 << k:  # below 2/3
        k -= 1
    one = 1 << k
    root, slack = _artanh(abs(m - one), m + one, width)
    least, most = (2 * root, 2 * (root + slack)) if m >= one else (-2 * (root + slack), -2 * root)
    low, high = _ln2(width)
    twos = k - count
    return least + twos * (low if twos >= 0 else high), most + twos * (high if twos >= 0 else low)


def _artanh(numerator: int, denominator: int, width: int) -> tuple[int, int]:
    """Return (sum, slack) with sum <= 2**width * artanh(numerator/denominator) <= sum + slack, for 0 <= z <= 1/3."""
    power = total = (numerator << width) // denominator
    square = power * power >> width
    odd = 3
    while power := power * square >> width:
        total += power // odd
        odd += 2
    return total, width + 8


@lru_cache(maxsize=16)
def _ln2(width: int) -> tuple[int, int]:
    total, slack = _artanh(1, 3, width)
    return 2 * total, 2 * (total + slack)


# Exponential, cosine and pi, and floors decided by them. A number that is published and derived again elsewhere must
# come out the same on every machine. A floor of 2**bits times a real number does, because it does not depend on how it
# is found.
#
#     e^x = (e^s)^(2^h),  s = |x|/2^h <= 1/2;   pi = 16 arctan(1/5) - 4 arctan(1/239);   cos and arctan by their series
#
# Every series is added in units of 2**-width with its rounding errors and its remainder counted outward.

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
