"""Powers of two, p-bit floats and the grid, on rationals and on doubles through their IEEE representation.

Every function here is exact. The two routes (rational, IEEE bits) are proven equal by property tests;
the scalar path of the mechanism uses the second. A p-bit float is m * 2**e with 2**(p-1) <= m < 2**p, e unbounded.
Source: Covington's notes, section 4, corrected (docs/errata.md, 3): ties go toward +infinity on both sides of zero.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

HALF = Fraction(1, 2)
_FRACTION_BITS = 52
_FRACTION_MASK = (1 << _FRACTION_BITS) - 1
_pack_double, _unpack_pattern = struct.Struct("<d").pack, struct.Struct("<q").unpack


def power_of_two(exponent: int) -> Fraction:
    """Return 2**exponent, exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def floor_log2(x: Fraction) -> int:
    """Return the exponent e with 2**e <= x < 2**(e+1), for x > 0."""
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return exponent if power_of_two(exponent) <= x else exponent - 1


def exponent_at_least(x: Fraction) -> int:
    """Return the least e with 2**e >= x, for x > 0.

    >>> exponent_at_least(Fraction(2)), exponent_at_least(Fraction(21, 10)), exponent_at_least(Fraction(1, 3))
    (1, 2, -1)
    """
    exponent = floor_log2(x)
    return exponent if power_of_two(exponent) == x else exponent + 1


def power_of_two_at_least(x: Fraction) -> Fraction:
    """Return the least power of two that is not below x > 0."""
    return power_of_two(exponent_at_least(x))


def exponent_of_power(x: Fraction) -> int | None:
    """Return e where x == 2**e, or None where x is no power of two."""
    if x <= 0:
        return None
    exponent = floor_log2(x)
    return exponent if power_of_two(exponent) == x else None


def nearest_index(x: Fraction, grid: Fraction) -> int:
    """Return the k for which k * grid is nearest to x; a tie goes toward +infinity.

    >>> [nearest_index(Fraction(n, 2), Fraction(1)) for n in (-5, -3, -1, 7)]
    [-2, -1, 0, 4]
    """
    # floor(x + 1/2), not round(): sign-magnitude rounding would send -1/2 to -1, and the law would be another one.
    return math.floor(x / grid + HALF)


def nearest_multiple(x: Fraction, grid: Fraction) -> Fraction:
    """Return the multiple of the grid that is nearest to x; ties go toward +infinity."""
    return grid * nearest_index(x, grid)


def double_fields(x: float) -> tuple[int, int]:
    """Return (m, e) with x == m * 2**e exactly, read from the IEEE representation of a finite double."""
    (pattern,) = _unpack_pattern(_pack_double(x))
    biased = (pattern >> _FRACTION_BITS) & 0x7FF
    significand = pattern & _FRACTION_MASK
    if biased:  # a normal number has a hidden leading one; a subnormal one shares the smallest exponent
        significand |= 1 << _FRACTION_BITS
    else:
        biased = 1
    return (-significand if pattern < 0 else significand), biased - 1075


def nearest_index_of_double(x: float, grid_exponent: int) -> int:
    """Return nearest_index(x, 2**grid_exponent) for a finite double, by shifting its significand.

    >>> [nearest_index_of_double(x, 0) for x in (-2.5, -1.5, -0.5, 3.5)]
    [-2, -1, 0, 4]
    """
    significand, exponent = double_fields(x)
    shift = grid_exponent - exponent
    # An arithmetic right shift is a floor, also below zero: adding half first makes it floor(x + 1/2).
    return significand << -shift if shift <= 0 else (significand + (1 << (shift - 1))) >> shift


def round_up(x: Fraction, bits: int) -> Fraction:
    """Return the smallest p-bit float >= x, for x > 0."""
    ulp = power_of_two(floor_log2(x) - bits + 1)
    return ulp * math.ceil(x / ulp)


def round_down(x: Fraction, bits: int) -> Fraction:
    """Return the largest p-bit float <= x, for x > 0."""
    ulp = power_of_two(floor_log2(x) - bits + 1)
    return ulp * math.floor(x / ulp)


def round_nearest(x: Fraction, bits: int) -> Fraction:
    """Return the p-bit float nearest to x, ties to the even significand, for any x.

    >>> round_nearest(Fraction(-9, 2), 3)
    Fraction(-4, 1)
    """
    # In integers: this is the inner loop of every execution by definition.
    size, unit = abs(x.numerator), x.denominator
    shift = size.bit_length() - unit.bit_length() - bits  # size / (unit 2**shift) lies between 2**(bits +- 1)
    size, unit = (size, unit << shift) if shift >= 0 else (size << -shift, unit)
    if size >= unit << bits:
        shift, unit = shift + 1, unit << 1
    whole, rest = divmod(size, unit)
    whole += 2 * rest > unit or (2 * rest == unit and whole % 2)
    whole = whole if x > 0 else -whole
    return Fraction(whole << shift) if shift >= 0 else Fraction(whole, 1 << -shift)


def next_above(x: Fraction, bits: int) -> Fraction:
    """Return the smallest p-bit float > x, for x > 0."""
    ulp = power_of_two(floor_log2(x) - bits + 1)
    return ulp * (math.floor(x / ulp) + 1)


def least_above(low: int, high: int, passes: Callable[[int], bool]) -> int:
    """Return the least integer above low that passes, if high does and all after one that does; neither is tried."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def next_below(x: Fraction, bits: int) -> Fraction:
    """Return the largest p-bit float < x, for x > 0."""
    below = round_down(x, bits)
    if below < x:
        return below
    ulp = power_of_two(floor_log2(x) - bits + 1)
    return x - ulp / 2 if exponent_of_power(x) is not None else x - ulp


# Powers of ten, and rationals rounded up to decimals of few digits; `display` writes numbers


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
