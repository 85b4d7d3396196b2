"""Columns of numbers of which nothing is known: their cells by powers of two, within a public range of exponents.

Room: studies. It reads nothing itself. A cell has one of 2 (highest - lowest + 1) + 1 places, in the order of numbers:

    x <= -2**highest;  -2**(k+1) < x <= -2**k;  |x| < 2**lowest;  2**k <= x < 2**(k+1);  x >= 2**highest

for k from lowest to highest - 1, so that infinities lie in the outermost places and zero in the middle one. Behind them
are two more: what is no number, and what is missing. Every edge is a double, so that comparisons decide exactly.
Theory: docs/theory/exploring.md, (1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.errors import BoundError, ParameterError
from snapdp.exact import parameter, power_of_two
from snapdp.studies.columns import BINNED, CategoryColumn, storable

MAGNITUDE = "magnitude"
LOWEST, HIGHEST = -10, 40  # about 0.001 to 1,000,000,000,000
LEAST, LARGEST = -1022, 1023  # of doubles that are no denormals
MOST_POWERS = 256
LONGEST = 60  # exponents of powers of two that are written out
UNREADABLE_CELL, MISSING_CELL = "(unreadable)", "(missing)"
End = Fraction | None  # of a place: None where it is open


class MagnitudeColumn(CategoryColumn):
    """A column of numbers, counted by powers of two. Build one with `magnitude_column`.

    lowest    what is nearer to zero than 2**lowest counts as zero
    highest   the outermost places begin at 2**highest, on both sides of zero
    """

    unknown: str = BINNED
    null: str = BINNED
    lowest: int = LOWEST
    highest: int = HIGHEST

    @property
    def kind(self) -> str:
        return MAGNITUDE

    @property
    def called(self) -> str:
        return "magnitudes"

    @property
    def listed(self) -> bool:
        return False

    @property
    def others_in_words(self) -> str:
        return f"cells of {self.name} that are no number, and empty ones, have cells of their own"

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the cells in order; the two behind the magnitudes are in brackets."""
        return (*self.categories, UNREADABLE_CELL, MISSING_CELL)

    @property
    def powers(self) -> int:
        """Return how many powers of two there are on each side of zero."""
        return self.highest - self.lowest + 1

    @property
    def places(self) -> int:
        """Return how many magnitudes there are, those of both signs and zero."""
        return 2 * self.powers + 1

    def ends(self, place: int) -> tuple[End, End]:
        """Return between which numbers the cells of a place lie; None where it is open.

        >>> column = magnitude_column("pay", exponents=(0, 2))
        >>> [tuple(map(str, column.ends(place))) for place in (0, 3, 5, 6)]
        [('None', '-4'), ('-1', '1'), ('2', '4'), ('4', 'None')]
        """
        if place < self.powers:
            low, high = self.ends(self.places - 1 - place)
            return None if high is None else -high, None if low is None else -low
        if place == self.powers:
            return -power_of_two(self.lowest), power_of_two(self.lowest)
        exponent = self.lowest + place - self.powers - 1
        return power_of_two(exponent), power_of_two(exponent + 1) if exponent < self.highest else None

    def middle(self, place: int) -> Fraction:
        """Return a number that stands for a place: the middle of its ends, or the end of one that is open."""
        low, high = self.ends(place)
        if low is None or high is None:
            return Fraction(low or high or 0)
        return (low + high) / 2

    def place(self, number: float) -> int:
        """Return the place of a double that is a number, an infinite one too.

        >>> magnitude_column("pay", exponents=(0, 2)).place(-2.0)
        1
        """
        if abs(number) < math.ldexp(1.0, self.lowest):
            return self.powers
        exponent = self.highest if math.isinf(number) else min(math.frexp(number)[1] - 1, self.highest)
        beyond = 1 + exponent - self.lowest
        return self.powers + (beyond if number > 0 else -beyond)


def magnitude_column(name: str, *, exponents: Any = (LOWEST, HIGHEST)) -> MagnitudeColumn:
    """Return a column of numbers that is counted by powers of two, from 2**lowest to 2**highest and their negatives.

    >>> magnitude_column("pay", exponents=(-1, 1)).labels[3:]
    ('(-1/2, 1/2)', '[1/2, 1)', '[1, 2)', 'from 2', '(unreadable)', '(missing)')
    """
    storable(name, "the name of a column")
    lowest, highest = _checked(name, exponents)
    return MagnitudeColumn(name=name, categories=tuple(_names(lowest, highest)), lowest=lowest, highest=highest)


def _checked(name: str, exponents: Any) -> tuple[int, int]:
    """Return the two exponents; refuse others than whole ones of doubles, in order and not too far apart."""
    listed = [] if isinstance(exponents, str) else list(exponents)
    found = [parameter(each, name=f"an exponent of column {name!r}") for each in listed]
    if len(found) != 2 or any(each.denominator != 1 for each in found):
        raise ParameterError(
            f"the exponents of column {name!r} are not two whole numbers.",
            f"Give the least and the largest power of two, such as exponents = [{LOWEST}, {HIGHEST}].",
        )
    lowest, highest = map(int, found)
    if lowest > highest:
        raise BoundError(
            f"exponent {lowest} is above {highest} for column {name!r}.", "Were the two swapped? The least comes first."
        )
    if lowest < LEAST or highest > LARGEST:
        raise BoundError(
            f"the exponents {lowest} to {highest} of column {name!r} leave those of doubles.",
            f"Give exponents from {LEAST} to {LARGEST}.",
        )
    if highest - lowest >= MOST_POWERS:
        raise BoundError(
            f"the exponents of column {name!r} are {highest - lowest + 1} powers of two, more than {MOST_POWERS}.",
            "Bring them closer together: bounds and quartiles are the better, the fewer there are.",
        )
    return lowest, highest


def _names(lowest: int, highest: int) -> Iterator[str]:
    """Yield the names of all magnitudes in order: those below zero mirror those above."""
    exponents = range(lowest, highest)
    yield f"to -{_power(highest)}"
    yield from (f"(-{_power(k + 1)}, -{_power(k)}]" for k in reversed(exponents))
    yield f"(-{_power(lowest)}, {_power(lowest)})"
    yield from (f"[{_power(k)}, {_power(k + 1)})" for k in exponents)
    yield f"from {_power(highest)}"


def _power(exponent: int) -> str:
    """Return a power of two as names have it: written out, where that is not too long."""
    return str(power_of_two(exponent)) if abs(exponent) <= LONGEST else f"2^{exponent}"
