"""Draws: the floats a random draw can be, in order, and the probability of all that lie below one of them.

Room: verifier. A draw is a row of floats numbered by consecutive integers, so a preimage of a monotone program is a
range of integers and its probability a difference of two values of `below`. Exact for `ulp`, `nearest` and `grid53`;
for `ideal` an enclosure, because the ends of a preimage are exponentials.
Draws deeper than 2**-8192 are one element, numbered `first`, whose number is the limit (0, or -infinity for ln U):
enough for every loss that a certificate can state, and rationals stay storable.
Theory: docs/theory/verifier-loss.md, (3) and (20)-(21).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import Enclosure, enclose, exact_mpfr, exp_enclosure, mpfr_context, power_of_two
from snapdp.verifier.machine.machine import Machine

DEEPEST = -(1 << 13)
GRID_BITS = 53
_TAIL_BITS = 320


class Draw(ABC):
    """Floats in increasing order, numbered from `first` to `last`."""

    too_deep: int | None = None  # the number where a preimage seems to end that ends deeper than draws are told apart

    def __init__(self, p: int, first: int, last: int) -> None:
        self.p, self.first, self.last = p, first, last

    @abstractmethod
    def number(self, ordinal: int) -> Any:
        """Return the float as an mpfr."""

    @abstractmethod
    def value(self, ordinal: int) -> Fraction:
        """Return the float as a rational; also for last + 1, the next float above all draws."""

    @abstractmethod
    def ordinal(self, x: Any) -> int:
        """Return the number of a draw next to x, an mpfr; at the ends that of the last or first draw."""

    @abstractmethod
    def below(self, ordinal: int) -> Enclosure:
        """Return the probability of all draws numbered less than `ordinal`."""

    @property
    def nearest_zero(self) -> int:
        """Return the number of a draw with the least noise worth trying: |ln U| about 2**-p."""
        return self.last

    def is_float(self, ordinal: int) -> bool:
        """Return whether a number is that of one float: the first may stand for a limit instead."""
        return self.first + (self.too_deep is not None) <= ordinal <= self.last

    def near(self, ordinal: int) -> int:
        return max(self.first, min(self.last, ordinal))


def fields_of(ordinal: int, p: int) -> tuple[int, int]:
    """Return (m, e) of the positive float m 2**e with this number.

    m 2**(e-p+1) with p bits has the number e 2**(p-1) + m - 2**(p-1): the order of the floats, and 1 has the number 0.
    """
    leading = 1 << (p - 1)
    return leading + (ordinal & (leading - 1)), (ordinal >> (p - 1)) - (p - 1)


def ordinal_of(x: Any, p: int) -> int:
    """Return the number of the p-bit float nearest to x > 0, an mpfr."""
    significand, exponent = (int(part) for part in mpfr_context(p, "nearest").plus(x).as_mantissa_exp())
    shift = p - significand.bit_length()
    return ((exponent - shift + p - 1) << (p - 1)) + (significand << shift) - (1 << (p - 1))


class PositiveFloats(Draw):
    """The p-bit floats of (0, 1), or of (0, 1] where a real uniform is rounded to nearest."""

    def __init__(self, p: int, umin: int | None, *, nearest: bool) -> None:
        self.nearest, self.bounded = nearest, umin is not None
        super().__init__(p, (DEEPEST if umin is None else umin) << (p - 1), 0 if nearest else -1)
        self.too_deep = self.first + 1 if umin is None else None
        import gmpy2

        self._mpfr, self._shifted = gmpy2.mpfr, mpfr_context(p, "nearest").mul_2exp

    def number(self, ordinal: int) -> Any:
        if ordinal == self.first and not self.bounded:
            return exact_mpfr(0)
        leading = 1 << (self.p - 1)  # as fields_of, without the calls: this runs a dozen times for every preimage
        significand, exponent = leading + (ordinal & (leading - 1)), (ordinal >> (self.p - 1)) - (self.p - 1)
        return self._shifted(self._mpfr(significand, self.p), exponent)

    def value(self, ordinal: int) -> Fraction:
        significand, exponent = fields_of(ordinal, self.p)
        return significand * power_of_two(exponent)

    def ordinal(self, x: Any) -> int:
        return self.near(ordinal_of(x, self.p)) if x > 0 else self.first

    def below(self, ordinal: int) -> Enclosure:
        if ordinal <= self.first:
            return enclose(0)
        if ordinal > self.last:
            return enclose(1)
        return enclose((self.value(ordinal - 1) + self.value(ordinal)) / 2 if self.nearest else self.value(ordinal))


class Multiples(Draw):
    """The multiples of 2**-53 in [0, 1), equally likely: what random() gives; ln 0 counts as -infinity."""

    too_deep = 0  # no loss is stated for an output that U = 0 gives: most programs would stop there instead

    def __init__(self, p: int) -> None:
        super().__init__(p, 0, (1 << GRID_BITS) - 1)

    def number(self, ordinal: int) -> Any:
        return exact_mpfr(ordinal, -GRID_BITS)

    def value(self, ordinal: int) -> Fraction:
        return ordinal * power_of_two(-GRID_BITS)

    def ordinal(self, x: Any) -> int:
        return self.near(int(mpfr_context(self.p, "nearest").mul_2exp(x, GRID_BITS)))

    def below(self, ordinal: int) -> Enclosure:
        return enclose(self.value(max(0, min(ordinal, self.last + 1))))


class RoundedLogarithm(Draw):
    """scale * ln U of a real uniform U, rounded to nearest: the negative p-bit floats."""

    def __init__(self, p: int, scale: Fraction = Fraction(1)) -> None:
        self.scale = scale
        largest = scale.numerator.bit_length() - scale.denominator.bit_length() + 14
        super().__init__(p, -largest << (p - 1), -DEEPEST << (p - 1))
        self.too_deep = self.first + 1

    @property
    def nearest_zero(self) -> int:
        return self.p << (self.p - 1)

    def number(self, ordinal: int) -> Any:
        import gmpy2

        if ordinal == self.first:
            return gmpy2.mpfr("-inf")
        significand, exponent = fields_of(-ordinal, self.p)
        return exact_mpfr(-significand, exponent)

    def value(self, ordinal: int) -> Fraction:
        significand, exponent = fields_of(-ordinal, self.p)
        return -significand * power_of_two(exponent)

    def ordinal(self, x: Any) -> int:
        return self.near(-ordinal_of(mpfr_context(self.p, "nearest").minus(x), self.p)) if x < 0 else self.last

    def below(self, ordinal: int) -> Enclosure:
        if ordinal <= self.first:
            return enclose(0)
        if ordinal > self.last:
            return enclose(1)
        middle = (self.value(ordinal - 1) + self.value(ordinal)) / 2
        return exp_enclosure(middle / self.scale, _TAIL_BITS)


def uniform_draw(machine: Machine) -> Draw:
    """Return the floats that U can be on a machine (for `ideal`: those that the rounded ln U can be)."""
    if machine.sampler == "ideal":
        return RoundedLogarithm(machine.p)
    if machine.sampler == "grid53":
        if machine.p < GRID_BITS:
            raise ParameterError(
                f"sampler = grid53 draws multiples of 2**-53, which {machine.p} bits cannot hold.", "Give p >= 53."
            )
        return Multiples(machine.p)
    return PositiveFloats(machine.p, machine.umin, nearest=machine.sampler == "nearest")
