"""Rational enclosures: intervals with exact ends that contain a real number, and the loop that refines them.

Arithmetic on enclosures is exact on the ends, so only the elementary functions round, outward.
Ziv's strategy lives here once: compute at growing precision until the question is decided. Every caller says why its
question is decided at some precision (the number is irrational, or the enclosure becomes a single point).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

FIRST_PRECISION = 128
LAST_PRECISION = 1 << 20
TINY_EXPONENT = -(1 << 16)  # below 2**this a number is enclosed by [0, 2**this]: rationals must stay storable
_TINY = Fraction(4, 1 << -TINY_EXPONENT)  # an enclosure no wider than this may stay as wide at every precision


class Enclosure:
    """The closed interval [lower, upper]; a known rational is the interval of one point.

    Enclosures have no order: ask for `upper < other.lower` and mean it. (A plain class, like all values of the core:
    importing dataclasses costs more than a whole scalar release.)
    """

    __slots__ = ("lower", "upper")

    def __init__(self, lower: Fraction, upper: Fraction) -> None:
        assert lower <= upper
        self.lower = lower
        self.upper = upper

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Enclosure) and (self.lower, self.upper) == (other.lower, other.upper)

    def __hash__(self) -> int:
        return hash((self.lower, self.upper))

    @property
    def is_exact(self) -> bool:
        return self.lower == self.upper

    @property
    def width(self) -> Fraction:
        return self.upper - self.lower

    @property
    def is_tiny(self) -> bool:
        """Tell whether no precision may make it narrower, although it is no point."""
        return 0 < self.width <= _TINY

    def __contains__(self, x: object) -> bool:
        return isinstance(x, (int, Fraction)) and self.lower <= x <= self.upper

    def __add__(self, other: Enclosure | Fraction | int) -> Enclosure:
        y = enclose(other)
        return Enclosure(self.lower + y.lower, self.upper + y.upper)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.upper, -self.lower)

    def __sub__(self, other: Enclosure | Fraction | int) -> Enclosure:
        return self + (-enclose(other))

    def __rsub__(self, other: Fraction | int) -> Enclosure:
        return enclose(other) - self

    def __mul__(self, other: Enclosure | Fraction | int) -> Enclosure:
        y = enclose(other)
        ends = [a * b for a in (self.lower, self.upper) for b in (y.lower, y.upper)]
        return Enclosure(min(ends), max(ends))

    def __truediv__(self, other: Enclosure | Fraction | int) -> Enclosure:
        y = enclose(other)
        if y.lower <= 0 <= y.upper:
            raise ZeroDivisionError("the divisor's enclosure contains zero")
        return self * Enclosure(1 / y.upper, 1 / y.lower)

    __radd__ = __add__
    __rmul__ = __mul__

    def hull(self, other: Enclosure) -> Enclosure:
        return Enclosure(min(self.lower, other.lower), max(self.upper, other.upper))

    def __abs__(self) -> Enclosure:
        if self.lower >= 0:
            return self
        return -self if self.upper <= 0 else Enclosure(Fraction(0), max(-self.lower, self.upper))

    def __float__(self) -> float:
        """Return a double near the middle, for display."""
        return float((self.lower + self.upper) / 2)

    def __repr__(self) -> str:
        if self.is_exact:
            return f"Enclosure({self.lower})"
        return f"Enclosure({float(self):.12g}, width {float(self.width):.1g})"


def enclose(x: Enclosure | Fraction | int) -> Enclosure:
    """Return an exact number as an enclosure of width 0; an enclosure as it is."""
    return x if isinstance(x, Enclosure) else Enclosure(Fraction(x), Fraction(x))


def maximum(*items: Enclosure) -> Enclosure:
    """Return an enclosure of the largest of the enclosed numbers."""
    return Enclosure(max(e.lower for e in items), max(e.upper for e in items))


def refine(compute: Callable[[int], Enclosure], *, until: Callable[[Enclosure], bool]) -> Enclosure:
    """Return compute(precision) at the first doubled precision whose result satisfies `until`."""
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        result = compute(precision)
        if until(result):
            return result
        precision *= 2
    raise ArithmeticError(f"undecided at {LAST_PRECISION} bits")


def refined(compute: Callable[[int], Enclosure], *, relative_bits: int) -> Enclosure:
    """Return an enclosure whose width is at most 2**-relative_bits of its smaller end, or that is exact or tiny."""

    def narrow(e: Enclosure) -> bool:
        return e.is_tiny or e.width * (1 << relative_bits) <= min(abs(e.lower), abs(e.upper))

    return refine(compute, until=narrow)


def decided_floor(compute: Callable[[int], Enclosure]) -> int:
    """Return the floor of the enclosed number; it must not be an integer unless it is enclosed exactly."""
    return math.floor(refine(compute, until=lambda e: math.floor(e.lower) == math.floor(e.upper)).lower)


def decided_ceil(compute: Callable[[int], Enclosure]) -> int:
    """Return the ceiling of the enclosed number; it must not be an integer unless it is enclosed exactly."""
    return -decided_floor(lambda precision: -compute(precision))
