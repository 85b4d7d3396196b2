"""A second logarithm and a second rounding, in Python's integers alone: slow, short, and like nothing else here.

Shares no code and no idea with `exact`: no series of artanh and no MPFR, but binary digits of log2 one
by one. With 1 <= y < 2, log2 y has the digit 1 iff y^2 >= 2; then y^2/2 goes on, otherwise y^2:

    x = 2^k y,   log2 x = k + 0.d1 d2 d3 ...,   ln x = log2 x * ln 2,   ln 2 = 1/2 + 1/(2*4) + 1/(3*8) + ...

Numbers are enclosed by two integers over a power of two, the lower rounded down and the upper up at every step. Where a
square cannot be told from 2 the digits end there, and the enclosure is as wide as they are few: whoever needs more asks
with more bits. Theory: docs/theory/second-arithmetic.md, (1), (2).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

FEW_BITS = 24  # digits of the first try; each further try has three times as many
Enclosed = tuple[int, int, int]  # lower, upper, scale: lower <= 2**scale * x <= upper


def ln_enclosed(numerator: int, denominator: int, bits: int, *, wider: int = 0) -> Enclosed:
    """Return (lower, upper, scale) around the logarithm of a positive rational, from about so many digits of log2.

    wider   the logarithms of all numbers up to (numerator + wider)/denominator lie between them as well; there is
            no power of two among them, as there is none between neighbours over a power of two

    >>> lower, upper, scale = ln_enclosed(10, 1, 30)
    >>> lower / 2**scale < 2.302585092994046 < upper / 2**scale
    True
    """
    low, high, places = _log2(numerator, numerator + wider, denominator, bits)
    least, most, scale = _ln2(bits + 8)
    ends = [end * factor for end in (low, high) for factor in (least, most)]
    return min(ends), max(ends), places + scale


def ln_tries(numerator: int, denominator: int, bits: int = FEW_BITS) -> Iterator[Enclosed]:
    """Yield enclosures of the logarithm, each from three times the digits of the one before; without end."""
    while True:
        yield ln_enclosed(numerator, denominator, bits)
        bits *= 3


def _log2(numerator: int, largest: int, denominator: int, bits: int) -> Enclosed:
    """Enclose log2 of all numbers from numerator/denominator to largest/denominator."""
    whole = numerator.bit_length() - denominator.bit_length()
    if numerator << max(0, -whole) < denominator << max(0, whole):
        whole -= 1
    width = 2 * bits + 16  # a square has twice the relative error of its root: half of the digits are lost
    left, under = max(0, width - whole), denominator << max(0, whole - width)
    low, high = (numerator << left) // under, -(-(largest << left) // under)
    two, digits = 2 << width, whole
    if high > two:
        raise ValueError("a power of two lies between the numbers")
    for place in range(bits):
        low, high = low * low >> width, -(-high * high >> width)
        if low >= two:
            digits, low, high = 2 * digits + 1, low >> 1, high + 1 >> 1
        elif high < two:
            digits *= 2
        else:
            return digits, digits + 1, place  # all that is known of the next digit is that it is one
    return digits, digits + 1, bits


@lru_cache(maxsize=64)
def _ln2(scale: int) -> Enclosed:
    """Return ln 2 = sum of 1/(n 2^n): every term is cut off by less than one unit, and all behind the last are one."""
    total = sum((1 << scale) // (n << n) for n in range(1, scale + 1))
    return total, total + scale + 1, scale


def rounded(numerator: int, denominator: int, bits: int) -> tuple[int, int]:
    """Return (m, e): m * 2**e is the float of so many bits nearest to a positive rational, ties to even m.

    >>> rounded(7, 1, 2), rounded(5, 1, 2), rounded(1, 3, 4)
    ((2, 2), (2, 1), (11, -5))
    """
    exponent = (
        numerator.bit_length() - denominator.bit_length() - bits
    )  # m is at least 2**(bits - 1), or one place short
    while True:
        over, under = numerator << max(0, -exponent), denominator << max(0, exponent)
        whole, rest = divmod(over, under)
        if whole < 1 << bits:
            break
        exponent += 1
    if 2 * rest > under or (2 * rest == under and whole % 2):
        whole += 1
    return (whole, exponent) if whole < 1 << bits else (whole >> 1, exponent + 1)


@lru_cache(maxsize=1 << 14)  # an enumeration asks for few, again and again
def minus_ln_rounded(significand: int, exponent: int, bits: int) -> tuple[int, int]:
    """Return (m, e) with m * 2**e = -ln(significand * 2**exponent), rounded to nearest, for a number below 1.

    The logarithm of a rational other than 1 is irrational, so some enclosure rounds to one float.
    """
    numerator, denominator = significand << max(0, exponent), 1 << max(0, -exponent)
    for lower, upper, scale in ln_tries(numerator, denominator, max(FEW_BITS, bits + 16)):
        if upper < 0:
            found = {rounded(-end, 1 << scale, bits) for end in (lower, upper)}
            if len(found) == 1:
                return found.pop()
    raise AssertionError("tries have no end")
