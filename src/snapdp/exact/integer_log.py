"""The logarithm of a dyadic number, enclosed by integers and computed with nothing but integers.

Room: exact. The exact decision of a release needs a few dozen bits of one logarithm, rarely: with Python's integers it
takes some ten microseconds in the first call as in every other. MPFR would be as quick, but for its import, which takes
ten thousand times as long, and whoever times a release would see it.

    x = m/2**k in [2/3, 4/3],  ln x = 2 artanh z,  z = (x - 1)/(x + 1) in [-1/5, 1/7],  artanh z = z + z^3/3 + ...
    ln(m/2**count) = ln x + (k - count) ln 2        docs/theory/mechanism.md (8)

Every step of the series rounds toward zero in units of 2**-w, so the sum is never above the true one, and below it by
at most w + 8 units: a power of z is short by e' <= z^2 e + |z| (2 |z| + 1) + 1, that is by at most 2 where |z| <= 1/3
(ln 2 = 2 artanh(1/3)), its quotient by an odd number by 2/3 + 1; there are at most w/3 + 2 terms; and those after the
last one are less than 3 units together.
"""

from __future__ import annotations

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
