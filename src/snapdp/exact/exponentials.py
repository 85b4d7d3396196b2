"""Finite sums of rational multiples of e to rational powers, whose signs are decided.

Room: exact. Every probability of a Laplace variable between rational ends is one of these numbers. Two such sums are
equal only if they are equal term by term (Lindemann-Weierstrass: e to different rational powers are linearly
independent over the rationals), so a sum is 0 exactly where no term is left, and elsewhere some precision tells its
sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from snapdp.exact.dyadic import HALF
from snapdp.exact.enclosure import Enclosure, enclose, refine, refined
from snapdp.exact.functions import NARROW_BITS, exp_enclosure


class Exponentials:
    """The number sum of c e^r over its terms {r: c}; a rational number is a term with r = 0.

    >>> third = Exponentials({Fraction(-1): Fraction(1, 3)})
    >>> (third * 3 - Exponentials({Fraction(-1): Fraction(1)})).sign()
    0
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        self.terms = {power: factor for power, factor in terms.items() if factor}

    def __add__(self, other: Exponentials | Fraction | int) -> Exponentials:
        added = _as_terms(other)
        powers = self.terms.keys() | added.keys()
        zero = Fraction(0)
        return Exponentials({power: self.terms.get(power, zero) + added.get(power, zero) for power in powers})

    def __mul__(self, other: Exponentials | Fraction | int) -> Exponentials:
        product: dict[Fraction, Fraction] = {}
        for power, factor in self.terms.items():
            for other_power, other_factor in _as_terms(other).items():
                both = power + other_power
                product[both] = product.get(both, Fraction(0)) + factor * other_factor
        return Exponentials(product)

    def __neg__(self) -> Exponentials:
        return self * -1

    def __sub__(self, other: Exponentials | Fraction | int) -> Exponentials:
        return self + Exponentials(_as_terms(other)) * -1

    def __rsub__(self, other: Fraction | int) -> Exponentials:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __repr__(self) -> str:
        return " + ".join(f"{factor}*e^({power})" for power, factor in sorted(self.terms.items())) or "0"

    def enclosed(self, bits: int) -> Enclosure:
        """Return an enclosure at a precision; a point where the number is rational."""
        total = enclose(0)
        for power, factor in self.terms.items():
            total = total + exp_enclosure(power, bits) * factor
        return total

    def enclosure(self) -> Enclosure:
        """Return an enclosure that is narrow relative to the number."""
        return refined(self.enclosed, relative_bits=NARROW_BITS)

    def __float__(self) -> float:
        """Return a double near the number, for display."""
        return float(self.enclosure())

    def sign(self) -> int:
        """Return -1, 0 or 1. The largest power is divided out: beside 1 no term is too small to be told from 0."""
        if not self.terms:
            return 0
        largest = max(self.terms)
        scaled = Exponentials({power - largest: factor for power, factor in self.terms.items()})
        decided = refine(scaled.enclosed, until=lambda e: e.lower > 0 or e.upper < 0)
        return 1 if decided.lower > 0 else -1


def _as_terms(x: Exponentials | Fraction | int) -> dict[Fraction, Fraction]:
    return x.terms if isinstance(x, Exponentials) else {Fraction(0): Fraction(x)}


def exponential(power: Fraction) -> Exponentials:
    """Return e**power."""
    return Exponentials({power: Fraction(1)})


def laplace_cdf(x: Fraction, scale: Fraction) -> Exponentials:
    """Return P(Y <= x) of a Laplace variable around 0."""
    half = exponential(-abs(x) / scale) * HALF
    return half if x < 0 else 1 - half
