"""The law of exact arithmetic: closed forms of a Laplace draw, rounded to a grid and clamped.

Every probability is evaluated on the side where it is small, so that enclosures stay narrow.
Theory: docs/theory/exact-law.md, (2)-(7).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from snapdp.exact.dyadic import HALF
from snapdp.exact.enclosure import Enclosure, enclose, refine, refined
from snapdp.exact.functions import exp_enclosure, expm1_enclosure, ln_enclosure
from snapdp.mechanism.law.law import ONE, ZERO, Law, narrow_enough

RELATIVE_BITS = 100
_LOG_BITS = 256


class ExactLaw(Law):
    """Law of clamp(floor((value + Y)/grid + 1/2)), Y a real Laplace variable."""

    def upper_tail(self, j: int) -> Enclosure:
        if j <= self.parameters.low:
            return ONE
        return ZERO if j > self.parameters.high else self._noise_at_least(self.breakpoint(j))

    def lower_tail(self, j: int) -> Enclosure:
        if j <= self.parameters.low:
            return ZERO
        return ONE if j > self.parameters.high else self._noise_at_least(-self.breakpoint(j))

    def _noise_at_least(self, t: Fraction) -> Enclosure:
        return refined(lambda bits: self._laplace_tail(t, bits), relative_bits=RELATIVE_BITS)

    def _laplace_tail(self, t: Fraction, bits: int) -> Enclosure:
        """Return P(Y >= t) = P(Y > t)."""
        half = exp_enclosure(-abs(t) / self.parameters.noise_scale, bits) * Fraction(1, 2)
        return half if t >= 0 else 1 - half

    def _cdf_reaches(self, index: int, least: Fraction) -> bool:
        if index >= self.parameters.high:
            return True
        t = -self.breakpoint(index + 1)
        # e to a rational power other than 0 is irrational, so some precision decides; at 0 the enclosure is 1/2. A tail
        # too small to store leaves an enclosure that is tiny but never a point: then a q inside it is not reached.
        decided = refine(
            lambda bits: self._laplace_tail(t, bits),
            until=lambda e: e.lower >= least or e.upper < least or e.is_tiny,
        )
        return decided.lower >= least

    def index_probability(self, index: int) -> Enclosure:
        p = self.parameters
        if not p.low <= index <= p.high:
            return ZERO
        if index == p.high:
            return self.upper_tail(index)
        if index == p.low:
            return self.lower_tail(index + 1)
        return refined(lambda bits: self._between(index, bits), relative_bits=RELATIVE_BITS)

    def index_log_probability(self, index: int) -> Enclosure:
        """Return ln P(index): of a cell beside the value without the exponential, which may be too small to store."""
        p = self.parameters
        left = None if index == p.low else self.breakpoint(index)
        right = None if index == p.high else self.breakpoint(index + 1)
        if left is not None and left >= 0:
            return self._log_beside(left, whole=right is None)
        if right is not None and right <= 0:
            return self._log_beside(-right, whole=left is None)
        inside = self.index_probability(index)
        return Enclosure(ln_enclosure(inside.lower, _LOG_BITS).lower, ln_enclosure(inside.upper, _LOG_BITS).upper)

    def _log_beside(self, distance: Fraction, *, whole: bool) -> Enclosure:
        """Return ln of half the mass beyond a distance, or of the part of it within one grid step."""
        p = self.parameters
        part = HALF if whole else -expm1_enclosure(-p.grid / p.noise_scale, _LOG_BITS) * HALF
        found = enclose(part)
        logarithm = Enclosure(ln_enclosure(found.lower, _LOG_BITS).lower, ln_enclosure(found.upper, _LOG_BITS).upper)
        return logarithm - distance / p.noise_scale

    def _between(self, index: int, bits: int) -> Enclosure:
        """Return the mass of the cell [b_k, b_(k+1)) of an inner index: theory (3)."""
        scale = self.parameters.noise_scale
        left, right = self.breakpoint(index), self.breakpoint(index + 1)
        if left < 0 < right:  # the cell holds the value: 1 - (e^(left/lam) + e^(-right/lam))/2
            return (expm1_enclosure(left / scale, bits) + expm1_enclosure(-right / scale, bits)) * Fraction(-1, 2)
        nearest = min(abs(left), abs(right))
        return (
            exp_enclosure(-nearest / scale, bits)
            * expm1_enclosure(-self.parameters.grid / scale, bits)
            * Fraction(-1, 2)
        )

    def _expectation(self, h: Callable[[Fraction], Fraction], *, absolute: bool) -> Enclosure:
        return narrow_enough(
            lambda bits: self.expectation_parts(h, bits, ONE),
            absolute=self.parameters.grid if absolute else None,
        )

    def expectation_parts(self, h: Callable[[Fraction], Fraction], bits: int, ratio: Enclosure) -> Enclosure:
        """Return E h(out) = h(v_c) + sum of rises * upper tails - sum of rises * lower tails, theory (5)-(7).

        Tails may be multiplied by a common enclosure `ratio` of finite over exact mass.
        """
        p, c = self.parameters, self.centre
        up = self._tail_sum(h, first=c + 1, last=p.high, direction=1, bits=bits)
        down = self._tail_sum(h, first=c, last=p.low + 1, direction=-1, bits=bits)
        return up * ratio - down * ratio + h(p.inner_value(c))

    def _tail_sum(
        self, h: Callable[[Fraction], Fraction], *, first: int, last: int, direction: int, bits: int
    ) -> Enclosure:
        """Return the sum over j from first to last of (h(v_j) - h(v_(j-1))) * tail_j, tail_j = a q^|j - first|.

        The rises of a polynomial of degree <= 2 are linear in j, except where the clamp cuts a step at its ends.
        """
        count = (last - first) * direction + 1
        if count <= 0:
            return ZERO
        rise = self.full_rise(h, first)
        slope = self.full_rise(h, first + direction) - rise
        # The sums over 0 <= i < count of q^i and of i q^i, q = e^-x: theory (6).
        x = self.parameters.grid / self.parameters.noise_scale
        q = exp_enclosure(-x, bits)
        one_minus_q = -expm1_enclosure(-x, bits)
        one_minus_qn = -expm1_enclosure(-x * count, bits)
        qn = exp_enclosure(-x * count, bits)
        sums = (q * one_minus_qn - qn * one_minus_q * count) / (one_minus_q * one_minus_q)
        geometric, weighted = one_minus_qn / one_minus_q, sums
        total = self._tail(first, bits) * (geometric * rise + weighted * slope)
        for j in {first, last}:  # the clamp may cut the steps at its ends
            total += self._tail(j, bits) * (self.step_up(h, j) - self.full_rise(h, j))
        return total

    def _tail(self, j: int, bits: int) -> Enclosure:
        """Return the probability that the sum lies beyond b_j, on the side away from the value."""
        return exp_enclosure(-abs(self.breakpoint(j)) / self.parameters.noise_scale, bits) * Fraction(1, 2)
