"""The mechanism that the notes write about: effective epsilon, noise scale and grid as they print them.

Room: accuracy. Everything is in units of the sensitivity, as in the notes from section 5 on. The noise is a real
Laplace variable, as the notes treat it when they speak of error; their p-bit arithmetic is in the effective epsilon
alone. So the exact law of `parameters` decides what a printed sentence about this mechanism is worth.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.accuracy.tails import guessed
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact import positive, power_of_two_at_least, shown
from snapdp.mechanism import (
    SnappingParameters,
    arithmetic_of,
    explicit_parameters,
    notes_effective_epsilon,
    required_bits,
)
from snapdp.values import Value


class PrintedMechanism(Value):
    """Constants of one mechanism of the notes: eps, B, eta, eps', lambda' = 1/eps', Lambda'; bits None is exact.

    grid_given  whether the grid is as somebody asked for, or follows the noise scale
    """

    epsilon: Fraction
    bound: Fraction
    bits: int | None
    grid: Fraction
    grid_given: bool = False

    def _check(self) -> None:
        explicit = self.parameters  # outputs that are too many, or no doubles, are refused at once
        assert explicit.grid == self.grid

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
        return (1 + 12 * self.bound * self.eta) / noise_scale + 2 * self.eta

    @property
    def eta(self) -> Fraction:
        return Fraction(0) if self.bits is None else Fraction(1, 1 << self.bits)

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
    grid        another Lambda' than theirs, for those who try

    >>> printed_mechanism(epsilon=1, bound=10).grid, printed_mechanism(epsilon=1, bound=10, arithmetic="exact").grid
    (Fraction(2, 1), Fraction(1, 1))
    """
    eps, half_width = positive(epsilon, name="epsilon"), positive(bound, name="bound")
    asked = arithmetic_of(arithmetic, bits)
    if asked is not None and asked.rule != "notes":
        raise ParameterError(f"arithmetic = {shown(arithmetic)} is not in the notes.", 'Give "notes" or "exact".')
    chosen = None if asked is None else asked.bits or required_bits(epsilon=eps, bound=half_width)
    eta = Fraction(0) if chosen is None else Fraction(1, 1 << chosen)
    if eps <= 2 * eta:
        raise PremiseError("the notes need epsilon > 2 eta.", "Give more bits, or a larger epsilon.", epsilon=eps)
    scale = 1 / notes_effective_epsilon(epsilon=eps, bound=half_width, eta=eta)
    own = power_of_two_at_least(scale) if grid is None else positive(grid, name="grid")
    return PrintedMechanism(epsilon=eps, bound=half_width, bits=chosen, grid=own, grid_given=grid is not None)
