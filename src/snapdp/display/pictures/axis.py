"""An axis with numbers: round ticks, 1, 2 or 5 times a power of ten apart, and the place of a value between its ends.

Room: display. Exact: ticks and places are rationals, so a tick is the number that stands beside it. Values may be any
finite doubles or whole numbers: a record may be anybody's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Self

from snapdp.display.numbers import exact_amount
from snapdp.exact import floor_log10, power_of_ten
from snapdp.values import Value

MOST_TICKS = 4  # between the least and the largest value; the ends of the axis may add one on each side
LONGEST_PLAIN = 7  # digits before the point
FACTORS = (1, 2, 5)
Real = int | float | Fraction


def tick_step(low: Fraction, high: Fraction, most: int = MOST_TICKS) -> Fraction:
    """Return the finest step of 1, 2 or 5 times a power of ten of which at most so many multiples lie in a range.

    >>> tick_step(Fraction(0), Fraction(23), 6), tick_step(Fraction(0), Fraction(1, 3), 4)
    (Fraction(5, 1), Fraction(1, 10))
    """
    assert low < high
    assert most >= 2
    least = floor_log10((high - low) / most)
    steps = (factor * power_of_ten(exponent) for exponent in range(least, least + 3) for factor in FACTORS)
    return next(step for step in steps if len(_multiples(low, high, step)) <= most)


def ticks(low: Real, high: Real, most: int = MOST_TICKS) -> list[Fraction]:
    """Return at most so many round numbers between two, at equal distances; none where these are one number.

    >>> [str(each) for each in ticks(-2601.6, -2538.2, 4)], ticks(3, 3)
    (['-2600', '-2580', '-2560', '-2540'], [])
    """
    first, last = Fraction(low), Fraction(high)
    if not first < last:
        return []
    step = tick_step(first, last, most)
    return [step * each for each in _multiples(first, last, step)]


def tick_text(x: Fraction) -> str:
    """Return a tick as it is printed: exactly, and briefly where it is far from 1.

    >>> [tick_text(Fraction(each)) for each in ("0", "-0.25", "50000", "20000000", "-1.5e12", "2e-9")]
    ['0', '-0.25', '50000', '2e7', '-1.5e12', '2e-9']
    """
    if x == 0 or abs(x) < 10**LONGEST_PLAIN:
        return exact_amount(x)
    exponent = floor_log10(abs(x))
    return f"{exact_amount(x / power_of_ten(exponent))}e{exponent}"


class Axis(Value):
    """A line from one round number to another, with ticks between them."""

    low: Fraction
    high: Fraction
    ticks: tuple[Fraction, ...]

    @classmethod
    def over(cls, values: Iterable[Real], *, from_zero: bool = False, most: int = MOST_TICKS) -> Self:
        """Return the axis that holds all values, and zero where lengths are compared: for bars.

        >>> [str(each) for each in Axis.over([2330, 3090]).ticks], str(Axis.over([700], from_zero=True).low)
        (['2200', '2400', '2600', '2800', '3000', '3200'], '0')
        """
        ends = [*(Fraction(each) for each in values), *[Fraction(0)] * from_zero] or [Fraction(0)]
        low, high = min(ends), max(ends)
        if low == high:  # one value: between it and zero, or between 0 and 1
            low, high = (min(low, Fraction(0)), max(high, Fraction(0))) if low else (Fraction(0), Fraction(1))
        step = tick_step(low, high, most)
        first, last = math.floor(low / step), math.ceil(high / step)
        found = tuple(step * each for each in range(first, last + 1))
        return cls(low=found[0], high=found[-1], ticks=found)

    @classmethod
    def within(cls, values: Iterable[Real], *, most: int = MOST_TICKS + 2) -> Self:
        """Return the axis from the least to the largest of some values, with ticks between them: for curves.

        >>> axis = Axis.within([0, 121])
        >>> str(axis.high), [str(each) for each in axis.ticks]
        ('121', ['0', '50', '100'])
        """
        ends = [Fraction(each) for each in values]
        low, high = min(ends), max(ends)
        high = high if low < high else low + 1
        return cls(low=low, high=high, ticks=tuple(ticks(low, high, most)))

    def place(self, x: Real) -> float:
        """Return where a value stands, in percent of the line; beyond an end, at that end."""
        share = (Fraction(x) - self.low) / (self.high - self.low)
        return 100 * float(min(max(share, Fraction(0)), Fraction(1)))

    @property
    def in_words(self) -> str:
        return f"from {tick_text(self.low)} to {tick_text(self.high)}"


def _multiples(low: Fraction, high: Fraction, step: Fraction) -> range:
    return range(math.ceil(low / step), math.floor(high / step) + 1)
