"""The law of p-bit arithmetic in exact rationals, found without enumerating, and upper bounds on its privacy loss.

`proved_loss` is what rule="proved" charges; `mironov_loss` and `liu_loss` are claims of the literature, each refused
where its premises fail (they are false there). For a fixed sign the rounded noise is monotone in the uniform draw, so
P(|noise| >= t) is the mass of all draws below one threshold; the threshold follows from t through the product, the
logarithm and the draw, each of which is inverted exactly on its own floats, in integers: one correctly rounded
exponential per probability. A probability below 2**-65536 is enclosed by [0, 2**-65536], as in the exact law. Moments
are exact sums where there are at most 2**14 indices and all their tails are larger, else enclosures.
Trusts: MPFR rounds exp and log correctly. Checked against enumeration of every draw at p = 4..8.
Theory: docs/theory/finite-precision.md, (3)-(9) and (15)-(18).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import floor_log2, power_of_two, round_up
from snapdp.exact.enclosure import TINY_EXPONENT, Enclosure, enclose, maximum, refine
from snapdp.exact.functions import LN2, exact_mpfr, exp_enclosure, expm1_enclosure, ln_enclosure, mpfr_context
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.law import ONE, ZERO, Law
from snapdp.mechanism.parameters import Precision, SnappingParameters

# Bounds on the loss: functions of public numbers only. The verifier asks the same formula for every machine whose sum
# is exact.


def proved_loss(
    *, noise_scale: Fraction, grid: Fraction, bound: Fraction, precision: Precision, distance: Fraction = Fraction(1)
) -> Fraction | None:
    """Return a proven upper bound on the loss of two inputs `distance` apart; None where the proof gives none.

    loss <= d/lam + ln((1 + Ru)/(1 - Rd)),   holds for every grid > 0 and bound > 0        theory (3)-(6)
    """
    # ln((1 + Ru)/(1 - Rd)), rounded up: the price of p-bit arithmetic, paid once for each differing output.
    ratio = mass_ratio(noise_scale=noise_scale, grid=grid, bound=bound, precision=precision)
    return None if ratio is None else distance / noise_scale + overhead_of(ratio, _working_bits(precision))


def overhead_of(ratio: Enclosure, bits: int) -> Fraction:
    """Return ln(upper/lower) of the ratios of masses, rounded up: what two values differ by beyond the exact law."""
    # A dyadic number >= x with that many bits after the point: short rationals keep the logarithm quick.
    return ln_enclosure(Fraction(math.ceil((ratio.upper / ratio.lower) * (1 << bits)), 1 << bits), bits).upper


def mass_ratio(*, noise_scale: Fraction, grid: Fraction, bound: Fraction, precision: Precision) -> Enclosure | None:
    """Return [1 - Rd, 1 + Ru]: finite over exact probability of every output, for every value within the bound.

    None where the proof gives no positive lower end. Theory (4)-(6); q = e^(-grid/noise_scale), T the largest noise.
    """
    largest = (math.ceil(bound / grid) - Fraction(1, 2)) * grid + bound
    return ratio_of_masses(
        cell=grid / noise_scale,
        largest=largest / noise_scale,
        around=grid / noise_scale,
        stretch=(1 + Fraction(1, 1 << precision.logarithm)) * (1 + Fraction(1, 1 << precision.product)),
        granularity=Fraction(2, 1 << precision.uniform),
        working=_working_bits(precision),
    )


def ratio_of_masses(
    *,
    cell: Fraction,
    largest: Fraction,
    around: Fraction,
    stretch: Fraction,
    granularity: Fraction,
    working: int,
    missing: Fraction = Fraction(0),
) -> Enclosure | None:
    """Return [1 - Rd, 1 + Ru] of theory (4), (5) in noise scales, for this module and for the verifier alike.

    cell         width of an output's cell                     largest  T, the largest noise that matters
    around       from a value to the ends of the cell it is in  stretch  H, by which roundings move the noise
    granularity  P(U <= v) is at most v (1 + granularity) and at least v (1 - missing)
    """
    if largest * (stretch - 1) > 1:  # the bound would be larger than any epsilon in use
        return None

    def deficit(t: Fraction) -> Enclosure:  # kd(t)
        shrunk = -expm1_enclosure(-t * (stretch - 1), working)
        return shrunk + missing * exp_enclosure(-t * (stretch - 1), working) if missing else shrunk

    def surplus(t: Fraction) -> Enclosure:  # ku(t)
        growth = t * (1 - 1 / stretch)
        return expm1_enclosure(growth, working) + granularity * exp_enclosure(growth, working)

    q = exp_enclosure(-cell, working)
    one_minus_q = -expm1_enclosure(-cell, working)
    near = (q + 1) / one_minus_q
    above = maximum((surplus(largest) + q * deficit(largest)) / one_minus_q, deficit(around) * near)
    below = maximum((deficit(largest) + q * surplus(largest)) / one_minus_q, surplus(around) * near)
    return None if below.upper >= 1 else Enclosure(1 - below.upper, 1 + above.upper)


def _working_bits(precision: Precision) -> int:
    return 192 + 2 * max(precision.uniform, precision.logarithm, precision.product)


def mironov_loss(parameters: SnappingParameters) -> Fraction:
    """Return eps'(1 + 12 B eta) + 2 eta, Mironov's bound as the notes quote it, for inputs one sensitivity apart.

    Premises: one precision in every step, B > noise scale, grid >= noise scale. Tested, not proved.
    """
    eta, bound = _published_premises(parameters, "Mironov's bound")
    return mironov_formula(effective_epsilon=1 / parameters.noise_scale, bound=bound, eta=eta)


def mironov_formula(*, effective_epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction:
    """Return eps'(1 + 12 B eta) + 2 eta, whatever the premises; bound in sensitivities."""
    return effective_epsilon * (1 + 12 * bound * eta) + 2 * eta


def liu_loss(parameters: SnappingParameters) -> Fraction:
    """Return eps'(1 + 23 B eta), Liu's bound, for inputs one sensitivity apart.

    Premises: those of Mironov's bound, and B eps' eta <= 2**-11.
    """
    eta, bound = _published_premises(parameters, "Liu's bound")
    if bound * eta / parameters.noise_scale > Fraction(1, 1 << 11):
        raise PremiseError("Liu's bound needs bound * epsilon * eta <= 2**-11.", "Use the proved bound instead.")
    return liu_formula(effective_epsilon=1 / parameters.noise_scale, bound=bound, eta=eta)


def liu_formula(*, effective_epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction:
    """Return eps + 23 B eps eta, whatever the premises; bound in sensitivities."""
    return effective_epsilon * (1 + 23 * bound * eta)


def _published_premises(parameters: SnappingParameters, claim: str) -> tuple[Fraction, Fraction]:
    precision, bound = parameters.precision, parameters.bound
    if precision is None or bound is None:
        raise PremiseError(f"{claim} is about finite precision.", "In exact arithmetic the loss is epsilon itself.")
    if not precision.uniform == precision.logarithm == precision.product:
        raise PremiseError(f"{claim} needs one precision in every step, the uniform too.", "Use the proved bound.")
    if bound <= parameters.noise_scale:
        raise PremiseError(f"{claim} needs bound > noise scale.", "Widen the bound, or use the proved bound.")
    if parameters.grid < parameters.noise_scale:
        raise PremiseError(f"{claim} needs grid >= noise scale.", "Coarsen the grid, or use the proved bound.")
    return precision.eta, bound


_MOMENT_BITS = 512
_LOG_BITS = 256
_DIRECT_BITS = 28  # e^-t for t up to 2**28 is MPFR's
SUMMABLE = 1 << 14  # moments over more indices than this are enclosed instead of summed


class Mass(NamedTuple):
    """The number significand * 2**exponent: exponents may be far beyond what a Fraction can store."""

    significand: int
    exponent: int

    @property
    def magnitude(self) -> int:
        """Return e with 2**(e - 1) <= mass < 2**e."""
        return self.significand.bit_length() + self.exponent

    @property
    def enclosed(self) -> Enclosure:
        """Return the number itself, or [0, tiny] where it is too small to be stored as a Fraction."""
        if self.significand and self.magnitude <= TINY_EXPONENT:
            return Enclosure(Fraction(0), power_of_two(TINY_EXPONENT))
        return enclose(self.fraction())

    def fraction(self) -> Fraction:
        return self.significand * power_of_two(self.exponent)

    def ln_minus(self, other: Mass) -> Enclosure | None:
        """Return ln(self - other) for other <= self; None where nothing is left."""
        if other.significand and self.magnitude - other.magnitude > -TINY_EXPONENT:
            lost = Enclosure(Fraction(-1, 1 << _LOG_BITS), Fraction(0))  # ln(1 - x) >= -2x, x < 2**-65535
            return _ln(self.significand, self.exponent) + lost
        low = min(self.exponent, other.exponent) if other.significand else self.exponent
        left = (self.significand << self.exponent - low) - (other.significand << max(other.exponent - low, 0))
        return _ln(left, low) if left else None


NOTHING = Mass(0, 0)


def _ln(significand: int, exponent: int) -> Enclosure:
    return ln_enclosure(Fraction(significand), _LOG_BITS) + LN2 * exponent


def is_summable(p: SnappingParameters) -> bool:
    """Return whether moments are summed exactly: few indices, and no tail too small to store."""
    span = (p.high - p.low) * p.grid / p.noise_scale
    return p.high - p.low <= SUMMABLE and 3 * span <= -2 * TINY_EXPONENT  # e^-x > 2^-(3x/2)


class FiniteLaw(Law):
    """Law of the mechanism run with p-bit draws, logarithms and products and an exact sum."""

    @property
    def _precision(self) -> Precision:
        assert self.parameters.precision is not None
        return self.parameters.precision

    def upper_tail(self, j: int) -> Enclosure:
        if not self.parameters.low < j <= self.parameters.high:
            return ONE if j <= self.parameters.low else ZERO
        return self._outward(j).enclosed if self.breakpoint(j) > 0 else 1 - self._outward(j).enclosed

    def lower_tail(self, j: int) -> Enclosure:
        if not self.parameters.low < j <= self.parameters.high:
            return ZERO if j <= self.parameters.low else ONE
        return 1 - self._outward(j).enclosed if self.breakpoint(j) > 0 else self._outward(j).enclosed

    def index_probability(self, index: int) -> Enclosure:
        """Return P(index), a difference of the two tails on the side away from the value: exact where they are."""
        if not self.parameters.low <= index <= self.parameters.high:
            return ZERO
        if self.breakpoint(index) > 0:
            found = self.upper_tail(index) - self.upper_tail(index + 1)
        else:
            found = self.lower_tail(index + 1) - self.lower_tail(index)
        return Enclosure(max(found.lower, Fraction(0)), found.upper)

    def index_log_probability(self, index: int) -> Enclosure | None:
        """Return ln P(index), however small it is; None where the output is impossible."""
        p = self.parameters
        if self.breakpoint(index) > 0 and index > p.low:
            return self._outward(index).ln_minus(NOTHING if index == p.high else self._outward(index + 1))
        if self.breakpoint(index + 1) <= 0 and index < p.high:
            return self._outward(index + 1).ln_minus(NOTHING if index == p.low else self._outward(index))
        inside = self.index_probability(index)  # the cell of the value, or an end that has more than half of all
        if inside.upper == 0:
            return None
        return Enclosure(ln_enclosure(inside.lower, _LOG_BITS).lower, ln_enclosure(inside.upper, _LOG_BITS).upper)

    def _outward(self, j: int) -> Mass:
        """Return the tail from b_j on, away from the value: P(index >= j) where b_j > value, else P(index < j).

        Below the value the sum must stay below b_j, so negative noise must exceed value - b_j strictly.
        """
        t = self.breakpoint(j)
        tail = self._noise_tail(t, strict=False) if t > 0 else self._noise_tail(-t, strict=True)
        return Mass(tail.significand, tail.exponent - 1)

    def _noise_tail(self, t: Fraction, *, strict: bool) -> Mass:
        """Return P(|Y| >= t), or P(|Y| > t), for t >= 0: theory (15)-(17)."""
        if t == 0:
            return Mass(1, 0)  # |ln U*| > 0, and nothing underflows
        return exp_up(*self.threshold(t, strict=strict), self._precision.uniform)

    def threshold(self, t: Fraction, *, strict: bool) -> tuple[int, int]:
        """Return (m, e): |Y| >= t (or > t) iff |ln U*| exceeds m 2**e, for t > 0: theory (15), (16)."""
        p, scale = self._precision, self.parameters.noise_scale
        product = _float_from(t.numerator, t.denominator, p.product, beyond=strict)
        odd = product[0] % 2 == 1
        middle, exponent = _middle_below(*product, p.product)
        # A product at the midpoint rounds to the even neighbour; so it reaches `product` only if that is even.
        significand, power = _float_from(middle * scale.denominator, scale.numerator, p.logarithm, beyond=odd)
        # ln of a float other than 1 is irrational: it is never the midpoint of two floats.
        return _middle_below(significand, power + exponent, p.logarithm)

    def _cdf_reaches(self, index: int, least: Fraction) -> bool:
        return self.lower_tail(index + 1).lower >= least

    def _expectation(self, h: Callable[[Fraction], Fraction], *, absolute: bool) -> Enclosure:  # noqa: ARG002
        p = self.parameters
        if is_summable(p):
            return enclose(h(p.inner_value(self.centre)) + self.tail_sum(h, 1) - self.tail_sum(h, -1))
        bound = p.bound or p.end_upper
        ratio = mass_ratio(noise_scale=p.noise_scale, grid=p.grid, bound=bound, precision=self._precision)
        if ratio is None:
            raise PremiseError("the precision is too small for this range.", "Use more bits or a coarser grid.")
        # Every tail is the exact one times something in `ratio`; the rises on one side of the value have one sign.
        return ExactLaw(self.inner_value, p).expectation_parts(h, _MOMENT_BITS, ratio)

    def tail_sum(self, h: Callable[[Fraction], Fraction], direction: int) -> Fraction:
        """Return the sum of (h(v_j) - h(v_(j-1))) * tail_j over the j above, or below, the value: exact-law (5).

        h is a polynomial of degree two at most, so its rises are linear in j, except where the clamp cuts a step.
        """
        c, p = self.centre, self.parameters
        first, last = (c + 1, p.high) if direction > 0 else (c, p.low + 1)
        if (last - first) * direction < 0:
            return Fraction(0)
        rise = self.full_rise(h, first)
        slope = self.full_rise(h, first + direction) - rise
        whole, weighted = self._sums_above if direction > 0 else self._sums_below
        cut = ((j, self.step_up(h, j) - self.full_rise(h, j)) for j in {first, last})
        return whole * rise + weighted * slope + sum(self._outward(j).fraction() * lost for j, lost in cut if lost)

    @cached_property
    def _sums_above(self) -> tuple[Fraction, Fraction]:
        return self._sums(range(self.centre + 1, self.parameters.high + 1))

    @cached_property
    def _sums_below(self) -> tuple[Fraction, Fraction]:
        return self._sums(range(self.centre, self.parameters.low, -1))

    def _sums(self, indices: range) -> tuple[Fraction, Fraction]:
        """Return the sums of tail_j and of i * tail_j, j the i-th of the indices, in integers of one unit."""
        tails = [self._outward(j) for j in indices]
        least = min(tail.exponent for tail in tails)
        whole = weighted = 0
        for i, tail in enumerate(tails):
            scaled = tail.significand << tail.exponent - least
            whole += scaled
            weighted += i * scaled
        unit = power_of_two(least)
        return whole * unit, weighted * unit


def exp_up(significand: int, exponent: int, bits: int) -> Mass:
    """Return the least float of `bits` bits that is >= e^-t, t = significand * 2**exponent > 0, however small it is."""
    if significand.bit_length() + exponent <= _DIRECT_BITS:
        reached = mpfr_context(bits, "up").exp(exact_mpfr(-significand, exponent)).as_mantissa_exp()
        return Mass(int(reached[0]), int(reached[1]))
    t = significand * power_of_two(exponent)
    twos = int(t / LN2.upper)  # e^-t = 2^-twos e^-(t - twos ln 2): MPFR's own exponents end at 2**30

    def rest(precision: int) -> Enclosure:
        left = t - ln_enclosure(Fraction(2), precision + twos.bit_length()) * twos
        return Enclosure(exp_enclosure(-left.upper, precision).lower, exp_enclosure(-left.lower, precision).upper)

    # e to a rational power other than 0 is no rational: some precision decides.
    decided = refine(rest, until=lambda e: round_up(e.lower, bits) == round_up(e.upper, bits))
    reached = round_up(decided.lower, bits)
    shift = floor_log2(reached) - bits + 1
    return Mass(int(reached / power_of_two(shift)), shift - twos)


def _float_from(numerator: int, denominator: int, bits: int, *, beyond: bool) -> tuple[int, int]:
    """Return (m, e): m * 2**e is the smallest float of `bits` bits >= numerator/denominator > 0, or > it (beyond)."""
    exponent = numerator.bit_length() - denominator.bit_length() - bits
    quotient, rest = _shifted_division(numerator, denominator, exponent)
    if quotient >> bits:
        exponent += 1
        quotient, rest = _shifted_division(numerator, denominator, exponent)
    if rest or beyond:
        quotient += 1
    return (quotient >> 1, exponent + 1) if quotient >> bits else (quotient, exponent)


def _shifted_division(numerator: int, denominator: int, exponent: int) -> tuple[int, int]:
    if exponent >= 0:
        return divmod(numerator, denominator << exponent)
    return divmod(numerator << -exponent, denominator)


def _middle_below(significand: int, exponent: int, bits: int) -> tuple[int, int]:
    """Return the midpoint of a float and the one below it, which is nearer at a power of two."""
    if significand == 1 << bits - 1:
        return 4 * significand - 1, exponent - 2
    return 2 * significand - 1, exponent - 1
