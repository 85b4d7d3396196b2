"""A fair sign and a uniform number on (0, 1), both read lazily from one string of fair bits.

Room: randomness. The first bit of the string is the sign, the following bits are the binary digits of U. Packing: with
w the first word as a signed integer, S = +1 and W = w for w >= 0, S = -1 and W = ~w for w < 0; W holds the first 63
digits. Flipping all bits of a fair string leaves it fair, so S and W are independent and fair; and float(w) carries both
in one conversion, which the filter uses.
The exponent of U is never capped: digits are read until the first one appears, however long that takes.
"""

from __future__ import annotations

from collections.abc import Iterator

FIRST_DIGITS = 63
_WORD_BITS = 64


class LazyUniform:
    """Sign S and digits of U, as deep as they are asked for."""

    __slots__ = ("_digits", "_extension", "_known", "sign")

    def __init__(self, word: int, extension: Iterator[int]) -> None:
        self.sign = 1 if word >= 0 else -1
        self._digits = word if word >= 0 else ~word
        self._known = FIRST_DIGITS
        self._extension = extension

    def digits(self, count: int) -> int:
        """Return floor(U * 2**count).

        >>> LazyUniform(1 << 62, iter(())).digits(3)
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
