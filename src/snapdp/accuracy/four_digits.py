"""The decimals of four significant digits, counted: epsilons are found among them by whole-number bisection.

Room: accuracy. decimal(n) grows with n; 9000 of them make a decade.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.exact import floor_log10, power_of_ten

DIGITS = 4
_FIRST: int = 10 ** (DIGITS - 1)
DECADE = 9 * _FIRST  # how many there are from one power of ten to the next


def decimal(n: int) -> Fraction:
    """Return the n-th decimal of four digits; the 0th is 1.

    >>> decimal(0), decimal(1), decimal(-1)
    (Fraction(1, 1), Fraction(1001, 1000), Fraction(9999, 10000))
    """
    exponent, rest = divmod(n, DECADE)
    return (_FIRST + rest) * power_of_ten(exponent - DIGITS + 1)


def index_up(x: Fraction) -> int:
    """Return the n of the least decimal >= x, x > 0."""
    exponent = floor_log10(x)
    return exponent * DECADE + math.ceil(x / power_of_ten(exponent - DIGITS + 1)) - _FIRST


def index_down(x: Fraction) -> int:
    """Return the n of the greatest decimal <= x, x > 0."""
    exponent = floor_log10(x)
    return exponent * DECADE + math.floor(x / power_of_ten(exponent - DIGITS + 1)) - _FIRST


def next_four_digits(x: Fraction) -> Fraction:
    """Return the next decimal of four significant digits after one, x > 0."""
    return decimal(index_down(x) + 1)
