"""Columns of numbers of which nothing is known: their cells by powers of two, within a public range of exponents.

Room: studies. It reads nothing itself. A cell has one of 2 (highest - lowest + 2) places, in the order of numbers:

    x <= -2**highest;  -2**(k+1) < x <= -2**k;  -2**lowest < x < 0;  0 <= x < 2**lowest;  2**k <= x < 2**(k+1);
    x >= 2**highest

for k from lowest to highest - 1, so that infinities lie in the outermost places, and zero, with all that is very small,
just above the middle. Behind them are two more: what is no number, and what is missing. Every edge is a double, so that
comparisons decide exactly.
Theory: docs/theory/exploring.md, (1).
"""

from __future__ import annotations

import math
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

    lowest    what is nearer to zero than 2**lowest is in the place beside it, or in that of zero
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
        return f"rows whose {self.name} is no number, or empty, are counted by themselves"

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
        """Return how many magnitudes there are, of both signs."""
        return 2 * self.zero

    @property
    def zero(self) -> int:
        """Return the place of zero: all below it are negative."""
        return self.powers + 1

    def ends(self, place: int) -> tuple[End, End]:
        """Return between which numbers the cells of a place lie; None where it is open.

        >>> column = magnitude_column("pay", exponents=(0, 2))
        >>> [tuple(map(str, column.ends(place))) for place in (0, 3, 4, 6, 7)]
        [('None', '-4'), ('-1', '0'), ('0', '1'), ('2', '4'), ('4', 'None')]
        """
        if place < self.zero:
            low, high = self.ends(self.places - 1 - place)
            return None if high is None else -high, None if low is None else -low
        beyond = place - self.zero
        low = power_of_two(self.lowest + beyond - 1) if beyond else Fraction(0)
        return low, power_of_two(self.lowest + beyond) if beyond < self.powers else None

    def middle(self, place: int) -> Fraction:
        """Return a number that stands for a place: zero, the middle of its ends, or the end of one that is open."""
        low, high = self.ends(place)
        if low is None or high is None:
            return Fraction(low or high or 0)
        return Fraction(0) if place == self.zero else (low + high) / 2

    def place(self, number: float) -> int:
        """Return the place of a double that is a number, an infinite one too.

        >>> magnitude_column("pay", exponents=(0, 2)).place(-2.0)
        1
        """
        beyond = 0
        if abs(number) >= math.ldexp(1.0, self.lowest):
            exponent = self.highest if math.isinf(number) else min(math.frexp(number)[1] - 1, self.highest)
            beyond = 1 + exponent - self.lowest
        return self.zero + beyond if number >= 0 else self.zero - 1 - beyond


def magnitude_column(name: str, *, exponents: Any = (LOWEST, HIGHEST)) -> MagnitudeColumn:
    """Return a column of numbers that is counted by powers of two, from 2**lowest to 2**highest and their negatives.

    >>> magnitude_column("pay", exponents=(-1, 1)).labels[3:]
    ('(-1/2, 0)', '[0, 1/2)', '[1/2, 1)', '[1, 2)', 'from 2', '(unreadable)', '(missing)')
    """
    storable(name, "the name of a column")
    lowest, highest = _checked(name, exponents)
    places = range(2 * (highest - lowest + 2))
    names = tuple(span_name(each, each, lowest=lowest, highest=highest) for each in places)
    return MagnitudeColumn(name=name, categories=names, lowest=lowest, highest=highest)


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


def span_name(first: int, last: int, *, lowest: int, highest: int) -> str:
    """Return the name of all places from one to another: the ends of what lies in them.

    >>> [span_name(first, last, lowest=0, highest=2) for first, last in ((0, 2), (3, 3), (3, 5), (4, 4), (4, 7))]
    ['to -1', '(-1, 0)', '(-1, 2)', '[0, 1)', 'from 0']
    """
    zero = highest - lowest + 2
    low = _edge(first - zero, lowest) if first > 0 else None
    high = _edge(last - zero + 1, lowest) if last < 2 * zero - 1 else None
    if low is None:
        return "all" if high is None else f"{'to' if last < zero - 1 else 'below'} {high}"
    if high is None:
        return f"{'from' if first >= zero else 'above'} {low}"
    return f"{'[' if first >= zero else '('}{low}, {high}{']' if last < zero - 1 else ')'}"


def _edge(step: int, lowest: int) -> str:
    """Return the lower edge of the place so many steps above that of zero: a power of two, or the negative of one."""
    if step == 0:
        return "0"
    sign, exponent = ("", lowest + step - 1) if step > 0 else ("-", lowest - step - 1)
    return sign + (str(power_of_two(exponent)) if abs(exponent) <= LONGEST else f"2^{exponent}")
