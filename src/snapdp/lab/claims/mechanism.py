"""The mechanism as the notes have it, by their constants, and numbers that can be enclosed at any precision.

As in the notes from section 5 on, everything is in units of the sensitivity, f is not negative, and the noise is a real
Laplace variable: p-bit arithmetic is in the effective epsilon alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.accuracy.error import guessed
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import power_of_two_at_least
from snapdp.exact.enclosure import Enclosure, refined
from snapdp.exact.functions import NARROW_BITS
from snapdp.exact.numbers import positive, shown
from snapdp.mechanism.finite_precision import explicit_parameters, notes_effective_epsilon, required_bits
from snapdp.mechanism.law.finite import mironov_formula
from snapdp.mechanism.parameters import SnappingParameters, arithmetic_of
from snapdp.values import Value


class PrintedNumber:
    """A real number that can be enclosed at any precision: what compares it with another can decide."""

    __slots__ = ("enclosed",)

    def __init__(self, enclosed: Callable[[int], Enclosure]) -> None:
        self.enclosed = enclosed

    @property
    def enclosure(self) -> Enclosure:
        """Return an enclosure that is narrow relative to the number."""
        return refined(self.enclosed, relative_bits=NARROW_BITS)

    def __float__(self) -> float:
        return float(self.enclosure)


class PrintedMechanism(Value):
    """Constants of one mechanism of the notes: eps, B, bits (None: exact), eta, Lambda', and with them eps', lambda'.

    grid_given  whether the grid was asked for, or follows the noise scale
    """

    epsilon: Fraction
    bound: Fraction
    bits: int | None
    eta: Fraction
    grid: Fraction
    grid_given: bool = False

    def _check(self) -> None:
        _ = self.parameters  # outputs that are too many, or no doubles, are refused at once

    def at(self, *, epsilon: Fraction | None = None, bound: Fraction | None = None) -> PrintedMechanism:
        """Return the mechanism in the same arithmetic for another epsilon or bound; a grid that was given stays."""
        return printed_mechanism(
            epsilon=epsilon or self.epsilon,
            bound=bound or self.bound,
            arithmetic="exact" if self.bits is None else "notes",
            bits=self.bits,
            grid=self.grid if self.grid_given else None,
        )

    def epsilon_at(self, noise_scale: Fraction) -> Fraction:
        """Return the epsilon whose lambda' that is."""
        return mironov_formula(effective_epsilon=1 / noise_scale, bound=self.bound, eta=self.eta)

    @property
    def effective_epsilon(self) -> Fraction:
        return notes_effective_epsilon(epsilon=self.epsilon, bound=self.bound, eta=self.eta)

    @property
    def noise_scale(self) -> Fraction:
        return 1 / self.effective_epsilon

    @cached_property
    def parameters(self) -> SnappingParameters:
        """Return the constants in the form that has an exact law; every value within the bound is public range."""
        return explicit_parameters(
            noise_scale=self.noise_scale, grid=self.grid, bound=self.bound, precision=None, epsilon=self.epsilon
        )

    def value(self, if_value: Any) -> Fraction:
        """Return a guess as the notes take it: within the bound, and not negative (the mechanism is symmetric)."""
        f = abs(guessed(if_value))
        if f > self.bound:
            raise BoundError(
                f"value = {shown(if_value)} lies outside the bound, -{shown(self.bound)} to {shown(self.bound)}.",
                "The notes assume that the value lies within the bound: guess one that does.",
                value=f,
            )
        return f


def printed_mechanism(
    *, epsilon: Any, bound: Any, arithmetic: str = "notes", bits: int | None = None, grid: Any = None
) -> PrintedMechanism:
    """Return the mechanism of the notes for an epsilon and a bound B in sensitivities.

        eps' = (eps - 2 eta)/(1 + 12 B eta),  lambda' = 1/eps',  Lambda' the least power of two >= lambda'

    arithmetic  "notes": eta = 2**-bits, bits as the notes choose them, at least 118; "exact": eta = 0
    grid        another Lambda' than theirs, to see what happens

    >>> printed_mechanism(epsilon=1, bound=10).grid, printed_mechanism(epsilon=1, bound=10, arithmetic="exact").grid
    (Fraction(2, 1), Fraction(1, 1))
    """
    eps, half_width = positive(epsilon, name="epsilon"), positive(bound, name="bound")
    if arithmetic == "exact" and bits is not None:
        raise ParameterError("bits belongs to the notes' arithmetic.", 'Give arithmetic="notes", or leave bits out.')
    asked = arithmetic_of(arithmetic, bits)
    if asked is not None and asked.rule != "notes":
        raise ParameterError(f"arithmetic = {shown(arithmetic)} is not in the notes.", 'Give "notes" or "exact".')
    chosen = None if asked is None else asked.bits or required_bits(epsilon=eps, bound=half_width)
    eta = Fraction(0) if chosen is None else Fraction(1, 1 << chosen)
    if eps <= 2 * eta:
        raise PremiseError("the notes need epsilon > 2 eta.", "Give more bits, or a larger epsilon.", epsilon=eps)
    scale = 1 / notes_effective_epsilon(epsilon=eps, bound=half_width, eta=eta)
    own = power_of_two_at_least(scale) if grid is None else positive(grid, name="grid")
    return PrintedMechanism(epsilon=eps, bound=half_width, bits=chosen, eta=eta, grid=own, grid_given=grid is not None)
