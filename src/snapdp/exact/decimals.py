"""Powers of ten, and rationals rounded up to decimals of few digits.

Room: exact. Rationals in, rationals out; how numbers are written is the room display's.
"""

from __future__ import annotations

import math
from fractions import Fraction


def power_of_ten(exponent: int) -> Fraction:
    """Return 10**exponent, exactly."""
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def floor_log10(x: Fraction) -> int:
    """Return the e with 10**e <= x < 10**(e+1), for x > 0.

    >>> floor_log10(Fraction(1, 1000)), floor_log10(Fraction(999))
    (-3, 2)
    """
    guess = math.floor((x.numerator.bit_length() - x.denominator.bit_length()) * math.log10(2))
    while power_of_ten(guess) > x:
        guess -= 1
    while power_of_ten(guess + 1) <= x:
        guess += 1
    return guess


def round_digits_up(x: Fraction, digits: int) -> Fraction:
    """Return the least decimal of so many significant digits >= x, for x > 0.

    >>> round_digits_up(Fraction(1, 1024), 4)
    Fraction(4883, 5000000)
    """
    step = power_of_ten(floor_log10(x) - digits + 1)
    return step * math.ceil(x / step)


def round_places_up(x: Fraction, places: int) -> Fraction:
    """Return the least decimal with so many places after the point >= x.

    >>> round_places_up(Fraction(1, 3), 2), round_places_up(Fraction(-1, 3), 2)
    (Fraction(17, 50), Fraction(-33, 100))
    """
    return Fraction(math.ceil(x * 10**places), 10**places)
