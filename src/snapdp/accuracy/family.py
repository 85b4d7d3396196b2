"""Mechanisms that differ in epsilon alone: what a search for an epsilon walks along.

Room: accuracy. A family is everything that is declared but epsilon: sensitivity, range, how the grid follows epsilon,
step, arithmetic, and how wide the clamp is. What one member is worth to any value, clamp or no clamp, follows from its
constants: here, and nowhere else, an accuracy without a clamp gets its unit and the rounding of what is printed.
Theory: docs/theory/planning.md, (5), (6), (9)-(11).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import unclamped_accuracy, unclamped_chance
from snapdp.accuracy.tails import ENOUGH_BITS, exact_level, exceeds
from snapdp.exact import ln_enclosure, power_of_two_at_least, probability
from snapdp.mechanism import (
    EXACT_GAMMA,
    FINE,
    FINITE_GAMMA,
    DataUnits,
    FinitePrecision,
    Precision,
    SnappingParameters,
    chosen_grid,
    dividing_step,
    exact_parameters,
    finite_parameters,
)
from snapdp.values import Value, replaced


class Constants(Value):
    """Noise scale, grid and exact level of one member, inner units; data = unit * inner, printed numbers may be off."""

    noise_scale: Fraction
    grid: Fraction
    alpha: Fraction
    unit: Fraction = Fraction(1)
    printing_error: Fraction = Fraction(0)

    @property
    def accuracy(self) -> DataUnits:
        """Return the tight accuracy of what is printed, for every value and without a clamp: planning (6)."""
        inner = unclamped_accuracy(noise_scale=self.noise_scale, grid=self.grid, alpha=self.alpha)
        return DataUnits(self.unit * inner + self.printing_error)

    def meets(self, target: Fraction) -> bool:
        """Return whether that accuracy is at most a target in data units: planning (5)."""
        distance = (target - self.printing_error) / self.unit
        chance = unclamped_chance(distance=distance, noise_scale=self.noise_scale, grid=self.grid)
        return 2 * distance >= self.grid and not exceeds(chance, self.alpha)


class Family(Value):
    """Everything that is declared of a mechanism but its epsilon.

    grid        as in Snapping: "fine" or "natural", which follow epsilon, or a power of two
    finest      a grid that follows epsilon is never below this (exact arithmetic)
    arithmetic  None is exact arithmetic
    gamma       probability with which the clamp may change an output; None: as the arithmetic has it
    bound       the clamp of finite precision, in sensitivities, where it is given and not chosen by gamma
    """

    sensitivity: Fraction
    lower: Any
    upper: Any
    grid: Any = None
    finest: Fraction = Fraction(0)
    step: Any = None
    arithmetic: FinitePrecision | None = None
    gamma: Any = None
    bound: Fraction | None = None

    def at(self, epsilon: Fraction) -> SnappingParameters:
        """Return the member with that epsilon; it may be refused, as it would be by Snapping."""
        premises = {"epsilon": epsilon, "sensitivity": self.sensitivity, "lower": self.lower, "upper": self.upper}
        if self.arithmetic is None:
            p = exact_parameters(**premises, grid=self.exact_grid(epsilon), gamma=self.gamma)
        else:
            finite = {"grid": self.grid, "gamma": self.gamma, "bound": self.bound}
            p = finite_parameters(**premises, **finite, arithmetic=self.arithmetic)
        return p if self.step is None else replaced(p, step=dividing_step(self.step, p))

    def exact_grid(self, epsilon: Fraction) -> Fraction:
        found = chosen_grid(self.grid, noise_scale=self.sensitivity / epsilon, default="fine")
        return max(Fraction(found), self.finest)

    def constants(self, epsilon: Fraction, alpha: Fraction) -> Constants:
        """Return what the accuracy of any value without a clamp depends on; no range can be refused here."""
        if self.arithmetic is None:
            scale = self.sensitivity / epsilon
            return Constants(noise_scale=scale, grid=self.exact_grid(epsilon), alpha=alpha)
        return constants_of(self.at(epsilon), alpha)

    @property
    def follows(self) -> Fraction | None:
        """Return the most that half the grid is in noise scales where it follows epsilon; None where it is fixed."""
        choice = self.grid or ("fine" if self.arithmetic is None else "natural")
        return {"natural": Fraction(1), "fine": Fraction(1, FINE)}.get(choice) if isinstance(choice, str) else None

    @property
    def fixed_grid(self) -> Fraction:
        """Return a grid, in data units, below which the grid never falls; 0 where it follows epsilon without end."""
        if self.follows is not None:
            return self.finest
        unit = Fraction(1) if self.arithmetic is None else self.sensitivity
        return max(unit * chosen_grid(self.grid, noise_scale=Fraction(1), default="fine"), self.finest)

    def clamp_scales(self) -> Fraction:
        """Return how many noise scales the clamp lies outside the range, less half a grid step at most: ln(1/gamma)."""
        default = EXACT_GAMMA if self.arithmetic is None else FINITE_GAMMA
        gamma = default if self.gamma is None else probability(self.gamma, name="gamma", sure=True)
        return ln_enclosure(1 / gamma, ENOUGH_BITS).lower


def unclamped_family(p: SnappingParameters) -> Family | None:
    """Return mechanisms whose constants differ from those of p in epsilon alone; the clamp may be another.

    Their grid follows epsilon as it does in p. None where no epsilon is behind the constants of p, which are as given.
    """
    finite = None
    if p.precision is not None:
        if p.rule is None or p.precision != Precision.of(p.precision.uniform):
            return None
        finite = FinitePrecision(bits=p.precision.uniform, rule=p.rule, slack=p.slack)
    return Family(
        sensitivity=p.sensitivity,
        lower=p.lower,
        upper=p.upper,
        grid=grid_choice(p),
        step=p.step,
        arithmetic=finite,
        bound=p.bound,
    )


def grid_choice(p: SnappingParameters) -> Any:
    """Return the spelling under which the grid of p follows epsilon, or the grid itself where it does not."""
    natural = natural_grid(p)
    return {natural: "natural", natural / FINE: "fine"}.get(p.grid, p.grid)


def natural_grid(p: SnappingParameters) -> Fraction:
    """Return the natural grid: the notes take it from the noise scale, which is a little above sensitivity/epsilon."""
    return power_of_two_at_least(p.noise_scale if p.rule == "notes" else p.sensitivity / p.unit / p.epsilon)


def constants_of(p: SnappingParameters, alpha: Fraction) -> Constants:
    return Constants(
        noise_scale=p.noise_scale,
        grid=p.grid,
        alpha=exact_level(p, alpha),
        unit=p.unit,
        printing_error=p.printing_error,
    )
