"""A number that a printed formula gives: an enclosure at every precision, a float for who wants to see it.

Room: accuracy.
"""

from __future__ import annotations

from collections.abc import Callable

from snapdp.exact import NARROW_BITS, Enclosure, refined


class PrintedNumber:
    """A real number that can be enclosed at any precision: what compares it with another can decide.

    >>> from snapdp.exact import ln_enclosure
    >>> from fractions import Fraction
    >>> float(PrintedNumber(lambda bits: ln_enclosure(Fraction(2), bits)))
    0.6931471805599453
    """

    __slots__ = ("_at",)

    def __init__(self, at: Callable[[int], Enclosure]) -> None:
        self._at = at

    def __call__(self, bits: int) -> Enclosure:
        """Return an enclosure at a working precision."""
        return self._at(bits)

    @property
    def enclosure(self) -> Enclosure:
        """Return an enclosure that is narrow relative to the number."""
        return refined(self._at, relative_bits=NARROW_BITS)

    def __float__(self) -> float:
        return float(self.enclosure)

    def __repr__(self) -> str:
        return f"PrintedNumber({float(self):.12g})"
