"""The law of p-bit arithmetic: exact rationals, found without enumerating.

Room: mechanism. For a fixed sign the rounded noise is monotone in the uniform draw, so P(|noise| >= t) is the mass of
all draws below one threshold; the threshold follows from t through the product, the logarithm and the draw, each of
which is inverted exactly on its own floats. One correctly rounded exponential per probability.
Trusts: MPFR rounds exp and log correctly. Checked against enumeration of every draw at p = 4..8.
Theory: docs/theory/finite-precision.md, (15)-(18).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import exponent_of_power, floor_log2, next_above, next_below, power_of_two, round_up
from snapdp.exact.elementary import exact_mpfr, mpfr_context
from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.mechanism.bounds import mass_ratio
from snapdp.mechanism.ideal import IdealLaw
from snapdp.mechanism.law import Law
from snapdp.mechanism.parameters import Precision

_MOMENT_BITS = 512
SUMMABLE = 1 << 14  # moments over more indices than this are enclosed instead of summed


class Mass(NamedTuple):
    """The number significand * 2**exponent: exponents may be far beyond what a Fraction can store."""

    significand: int
    exponent: int

    def minus(self, other: Mass) -> Mass:
        low = min(self.exponent, other.exponent)
        return Mass(
            (self.significand << self.exponent - low) - (other.significand << other.exponent - low),
            low,
        )

    def fraction(self) -> Fraction:
        return self.significand * power_of_two(self.exponent)


WHOLE = Mass(1, 0)
NOTHING = Mass(0, 0)


class RoundedLaw(Law):
    """Law of the mechanism run with p-bit draws, logarithms and products and an exact sum."""

    @property
    def _precision(self) -> Precision:
        assert self.parameters.precision is not None
        return self.parameters.precision

    def upper_tail(self, j: int) -> Enclosure:
        return enclose(self.upper_mass(j).fraction())

    def lower_tail(self, j: int) -> Enclosure:
        return enclose(self.lower_mass(j).fraction())

    def probability(self, index: int) -> Enclosure:
        return enclose(self.mass(index).fraction())

    def mass(self, index: int) -> Mass:
        """Return P(index) exactly, as a difference of the two tails on the side away from the value."""
        if not self.parameters.low <= index <= self.parameters.high:
            return NOTHING
        if self.breakpoint(index) > 0:
            return self.upper_mass(index).minus(self.upper_mass(index + 1))
        return self.lower_mass(index + 1).minus(self.lower_mass(index))

    def upper_mass(self, j: int) -> Mass:
        """Return P(index >= j)."""
        if j <= self.parameters.low:
            return WHOLE
        if j > self.parameters.high:
            return NOTHING
        t = self.breakpoint(j)
        return _halved(self._noise_tail(t, strict=False)) if t > 0 else WHOLE.minus(self.lower_mass(j))

    def lower_mass(self, j: int) -> Mass:
        """Return P(index < j): the sum stays below b_j, so negative noise must exceed value - b_j strictly."""
        if j <= self.parameters.low:
            return NOTHING
        if j > self.parameters.high:
            return WHOLE
        t = self.breakpoint(j)
        return _halved(self._noise_tail(-t, strict=True)) if t <= 0 else WHOLE.minus(self.upper_mass(j))

    def _noise_tail(self, t: Fraction, *, strict: bool) -> Mass:
        """Return P(|Y| >= t), or P(|Y| > t), for t >= 0: theory (15)-(17)."""
        if t == 0:
            return WHOLE  # |ln U*| > 0, and nothing underflows
        p = self._precision
        product = next_above(t, p.product) if strict else round_up(t, p.product)
        midpoint = (next_below(product, p.product) + product) / 2
        least = midpoint / self.parameters.noise_scale
        # A product at the midpoint rounds to the even neighbour; so it reaches `product` only if that is even.
        logarithm = round_up(least, p.logarithm) if _is_even(product, p.product) else next_above(least, p.logarithm)
        # ln of a float other than 1 is irrational: it is never the midpoint of two floats.
        threshold = (next_below(logarithm, p.logarithm) + logarithm) / 2
        exponent = exponent_of_power(Fraction(threshold.denominator))
        assert exponent is not None
        reached = mpfr_context(p.uniform, "up").exp(exact_mpfr(-threshold.numerator, -exponent))
        significand, power = reached.as_mantissa_exp()
        return Mass(int(significand), int(power))

    def _cdf_reaches(self, index: int, level: Fraction) -> bool:
        return self.lower_tail(index + 1).lower >= level

    def _expectation(self, h: Callable[[Fraction], Fraction], *, absolute: bool) -> Enclosure:  # noqa: ARG002
        p, c = self.parameters, self.centre
        if p.high - p.low <= SUMMABLE:
            up = (self.step_up(h, j) * self.upper_mass(j).fraction() for j in range(c + 1, p.high + 1))
            down = (self.step_up(h, j) * self.lower_mass(j).fraction() for j in range(p.low + 1, c + 1))
            return enclose(h(p.inner_value(c)) + sum(up) - sum(down))
        bound = p.bound or p.end_upper
        ratio = mass_ratio(noise_scale=p.noise_scale, grid=p.grid, bound=bound, precision=self._precision)
        if ratio is None:
            raise PremiseError("the precision is too small for this range.", "Use more bits or a coarser grid.")
        # Every tail is the ideal one times something in `ratio`; the rises on one side of the value have one sign.
        return IdealLaw(self.inner_value, p).expectation_parts(h, _MOMENT_BITS, ratio)


def _halved(mass: Mass) -> Mass:
    return Mass(mass.significand, mass.exponent - 1)


def _is_even(x: Fraction, bits: int) -> bool:
    """Return whether a p-bit float has an even significand."""
    return int(x / power_of_two(floor_log2(x) - bits + 1)) % 2 == 0
