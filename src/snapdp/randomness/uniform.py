"""A fair sign and a uniform number on (0, 1), both read lazily from one string of fair bits.

Packing of the first word w, a signed 64-bit integer: its sign is S; its low 52 bits are the first 52
binary digits of U, most significant first; bits 62 to 52 are the next 11; extension words follow, 64 digits each. Any
fixed order of fair bits is fair. This one lets a double be made of the first 52 digits by two bit operations.
The first half of the word is its sign and its first 31 digits, the second half the other 32: `halves` and `joined`.
The exponent of U is never capped: digits are read until the first one appears, however long that takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FIRST_DIGITS = 63
DOUBLE_DIGITS = 52  # the digits that the filters read as a double
DOUBLE_MASK = (1 << DOUBLE_DIGITS) - 1
_REST_DIGITS = FIRST_DIGITS - DOUBLE_DIGITS
_REST_MASK = (1 << _REST_DIGITS) - 1
_WORD_BITS = 64
HALF_DIGITS = 31  # the digits in the first half of a first word
HALF_MASK = (1 << HALF_DIGITS) - 1
_LATER_DIGITS = DOUBLE_DIGITS - HALF_DIGITS
_LATER_MASK = (1 << _LATER_DIGITS) - 1


def halves(word: Any) -> tuple[Any, Any]:
    """Return (first, second) of signed 64-bit words: first a signed 32-bit integer, second an unsigned one.

    Takes an integer or an int64 array.

    >>> halves(-1), halves(1 << 51)
    ((-1, 4294967295), (1073741824, 0))
    """
    first = word >> FIRST_DIGITS << HALF_DIGITS | (word & DOUBLE_MASK) >> _LATER_DIGITS
    return first, (word & _LATER_MASK) << _REST_DIGITS | word >> DOUBLE_DIGITS & _REST_MASK


def joined(first: Any, second: Any) -> Any:
    """Return the first words of two halves: the inverse of `halves`."""
    digits = (first & HALF_MASK) << _LATER_DIGITS | second >> _REST_DIGITS
    return first >> HALF_DIGITS << FIRST_DIGITS | (second & _REST_MASK) << DOUBLE_DIGITS | digits


class LazyUniform:
    """Sign S and digits of U, as deep as they are asked for."""

    __slots__ = ("_digits", "_extension", "_known", "sign")

    def __init__(self, word: int, extension: Iterator[int]) -> None:
        self.sign = 1 if word >= 0 else -1
        self._digits = (word & DOUBLE_MASK) << _REST_DIGITS | (word >> DOUBLE_DIGITS & _REST_MASK)
        self._known = FIRST_DIGITS
        self._extension = extension

    def digits(self, count: int) -> int:
        """Return floor(U * 2**count).

        >>> LazyUniform(1 << 51, iter(())).digits(3)
        4
        """
        while self._known < count:
            self._digits = (self._digits << _WORD_BITS) | next(self._extension)
            self._known += _WORD_BITS
        return self._digits >> (self._known - count)

    def truncated(self, bits: int) -> tuple[int, int]:
        """Return (m, e) with U* = m * 2**e, U truncated to `bits` significant bits: 2**(bits-1) <= m < 2**bits.

        P(U* < v) = v for every float v of that many bits in (0, 1] (docs/theory/finite-precision.md, (1)).
        """
        count = FIRST_DIGITS
        while (found := self.digits(count).bit_length()) < bits:
            count += max(_WORD_BITS, bits - found)
        surplus = found - bits
        return self.digits(count) >> surplus, surplus - count
