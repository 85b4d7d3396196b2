"""The least epsilon for a target accuracy, with four significant digits, checked rather than solved.

A `Family` is everything that is declared of a mechanism but its epsilon; what a member is worth to any value follows
from its `Constants`: here, and nowhere else, an accuracy without a clamp gets its unit and the rounding of what is
printed. On one grid a larger epsilon never makes any value of the range worse; between grids it may, where the range is
narrow. So the decimals of four digits are taken band by band, a band having one grid: each is asked at its last
decimal, and in the first that meets the target bisection ends at the least decimal of all that do. The search begins at
an epsilon below which none meets it. The published formulas are solved for any value.
Theory: docs/theory/planning.md, (5), (6), (9)-(11), (36), (37).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import (
    ENOUGH_BITS,
    METHODS,
    Event,
    accuracy as accuracy_of,
    confidence,
    exact_level,
    exceeds,
    published_accuracy,
    unclamped_accuracy,
    unclamped_chance,
    worst_events,
    worst_exceeds,
)
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, floor_log10, least_above, power_of_ten, power_of_two_at_least
from snapdp.exact.functions import ln_enclosure
from snapdp.exact.numbers import positive, probability, shown
from snapdp.mechanism.mechanism import dividing_step
from snapdp.mechanism.parameters import (
    EXACT_GAMMA,
    FINE,
    FINITE_GAMMA,
    DataUnits,
    FinitePrecision,
    Precision,
    SnappingParameters,
    arithmetic_of,
    chosen_grid,
    exact_parameters,
)
from snapdp.values import Value, replaced

# Mechanisms that differ in epsilon alone


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
            from snapdp.mechanism.finite_precision import finite_parameters  # a release of a table never needs it

            finite = {"grid": self.grid, "gamma": self.gamma, "bound": self.bound}
            p = finite_parameters(**premises, **finite, arithmetic=self.arithmetic)
        return p if self.step is None else replaced(p, step=dividing_step(self.step, p))

    def exact_grid(self, epsilon: Fraction) -> Fraction:
        return exact_grid(self.grid, self.sensitivity / epsilon, self.finest)

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


def exact_grid(choice: Any, noise_scale: Fraction, finest: Fraction) -> Fraction:
    """Return the grid of exact arithmetic for a spelling and a noise scale, never below the finest."""
    return max(Fraction(chosen_grid(choice, noise_scale=noise_scale, default="fine")), finest)


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


# The decimals of four significant digits, counted: decimal(n) grows with n, and bisection is over whole numbers

DIGITS = 4
_FIRST: int = 10 ** (DIGITS - 1)
DECADE = 9 * _FIRST  # how many there are from one power of ten to the next


def decimal(n: int) -> Fraction:
    """Return the n-th decimal of four digits; the 0th is 1.

    >>> decimal(0), decimal(1), decimal(-1)
    (Fraction(1, 1), Fraction(1001, 1000), Fraction(9999, 10000))
    """
    exponent, rest = divmod(n, DECADE)
    return (_FIRST + rest) * power_of_ten(exponent - DIGITS + 1)


def index_up(x: Fraction) -> int:
    """Return the n of the least decimal >= x, x > 0."""
    below = index_down(x)
    return below + (decimal(below) < x)


def index_down(x: Fraction) -> int:
    """Return the n of the greatest decimal <= x, x > 0."""
    exponent = floor_log10(x)
    return exponent * DECADE + math.floor(x / power_of_ten(exponent - DIGITS + 1)) - _FIRST


def next_four_digits(x: Fraction) -> Fraction:
    """Return the next decimal of four significant digits after one, x > 0."""
    return decimal(index_down(x) + 1)


Meets = Callable[[Fraction], bool]
_PATIENCE = 4 * DECADE  # an arithmetic that refuses all epsilons so far up refuses the request


class EpsilonNeeded(Value):
    """The least epsilon with four digits that meets a target, and what it gives.

    accuracy          by the method asked for, at most the target; a published formula knows no clamp
    clamped_accuracy  the tight one of the mechanism with its range and clamp: at most `accuracy`
    arithmetic        "exact", "proved" or "notes"
    """

    epsilon: Fraction
    target: DataUnits
    alpha: Fraction
    method: str
    noise_scale: DataUnits
    grid: DataUnits
    accuracy: DataUnits
    clamped_accuracy: DataUnits
    arithmetic: str = "exact"


def epsilon_for(
    *,
    accuracy: Any,
    alpha: Any = "0.05",
    sensitivity: Any,
    lower: Any,
    upper: Any,
    grid: Any = None,
    method: str = "tight",
    arithmetic: Any = None,
    bits: int | None = None,
    gamma: Any = None,
    step: Any = None,
    finest: Fraction = Fraction(0),
) -> EpsilonNeeded:
    """Return the least epsilon, four significant digits, at which every value of the range has an accuracy.

    accuracy    the error that may be exceeded with probability alpha, data units
    grid        "fine" or "natural", which follow epsilon, or a power of two; finest is the least that follows
    method      "tight", the true minimum; "notes" and "simple" are what the published formulas would spend
    arithmetic, bits, gamma, step    as in Snapping
    """
    target = DataUnits(positive(accuracy, name="accuracy"))
    level = confidence(alpha)
    if method not in METHODS:
        raise ParameterError(f"method = {method!r} is unknown.", 'Give "tight", "notes" or "simple".')
    family = Family(
        sensitivity=positive(sensitivity, name="sensitivity"),
        lower=lower,
        upper=upper,
        grid=grid,
        finest=finest,
        step=step,
        arithmetic=arithmetic_of(arithmetic, bits),
        gamma=gamma,
    )
    is_tight = method == "tight"
    epsilon = _over_the_range(family, target, level) if is_tight else _by_a_formula(family, target, level, method)
    p = family.at(epsilon)
    found = tight = accuracy_of(p, alpha=level)
    if not is_tight:
        inner = published_accuracy(method, noise_scale=p.noise_scale, grid=p.grid, alpha=exact_level(p, level))
        found = DataUnits(p.unit * inner + p.printing_error)
    return EpsilonNeeded(
        epsilon=epsilon,
        target=target,
        alpha=level,
        method=method,
        noise_scale=DataUnits(p.unit * p.noise_scale),
        grid=p.data_grid,
        accuracy=found,
        clamped_accuracy=tight,
        arithmetic=p.rule or "exact",
    )


# Every value of the range, clamp included


def _over_the_range(family: Family, target: Fraction, alpha: Fraction) -> Fraction:
    """Return the least decimal that meets the target: planning (36), (37)."""
    start = floor_epsilon(family, target, alpha)
    _check_reachable(family, start, target, alpha)

    def meets(epsilon: Fraction) -> bool:
        p = family.at(epsilon)
        distance = (target - p.printing_error) / p.unit
        return distance >= 0 and not worst_exceeds(p, distance, exact_level(p, alpha))

    patient, first = _patiently(meets, start, target), index_down(start)
    return least_in_bands(lambda n: patient(decimal(n)), first, lambda grid: family.sensitivity / grid)


def _patiently(meets: Meets, start: Fraction, target: Fraction) -> Meets:
    """Return the same question, no for an epsilon that is refused; all so far up refused, the target is."""
    last = decimal(index_down(start) + _PATIENCE)

    def asked(epsilon: Fraction) -> bool:
        try:
            return meets(epsilon)
        except PremiseError as refusal:
            if epsilon > last:
                # The refusal of a target, by what was asked for, not by the epsilon that was refused last.
                bits, slack = refusal.numbers.get("bits"), refusal.numbers.get("slack")
                few = "this arithmetic is refused" if bits is None else f"{bits} bits are too few"
                lost = (
                    "use up a visible part of it"
                    if slack is None
                    else f"lose more than slack = {shown(slack)} beyond it"
                )
                raise PremiseError(
                    f"{few} for accuracy = {shown(target)} on this range, whatever epsilon is tried: rounding would "
                    f"{lost}.",
                    "Give more bits (or leave bits out to have them chosen), or a narrower range.",
                    accuracy=target,
                    bits=bits,
                ) from None
            return False  # too few bits for so small an epsilon

    return asked


def least_in_bands(meets: Callable[[int], bool], first: int, halves_at: Callable[[Fraction], Fraction]) -> Fraction:
    """Return the least decimal from the one numbered first that meets a target, as all after it on the same grid do.

    halves_at  the epsilon at which the noise scale is a power of two, and the grid that follows it halves
    """
    last = _meeting(meets, first)
    for low, high in _bands(first, last, halves_at):
        if high == last or meets(high):
            return decimal(least_above(low - 1, high, meets))
    raise AssertionError("the last decimal meets the target")


def _meeting(meets: Callable[[int], bool], first: int) -> int:
    """Return a number from the first on that meets a target, found in strides that double."""
    last, stride = first, 1
    while not meets(last):
        last, stride = last + stride, 2 * stride
    return last


def _bands(first: int, last: int, halves_at: Callable[[Fraction], Fraction]) -> Iterator[tuple[int, int]]:
    """Yield runs of decimals with one grid each, upward.

    A grid that follows epsilon halves where the noise scale is a power of two, or, where that is a little larger than
    it is taken for, at the next decimal; a run that is cut once too often does no harm.
    """
    cut, power = first, Fraction(1)
    while halves_at(power) > decimal(first):
        power *= 2
    while cut <= last:
        power /= 2
        edge = index_up(halves_at(power))
        for end in (edge - 1, edge):
            if cut <= end:
                yield cut, min(end, last)
                cut = end + 1
            if cut > last:
                return


def floor_epsilon(family: Family, target: Fraction, alpha: Fraction) -> Fraction:
    """Return an epsilon below which none meets the target: planning (37).

    P(|output - f| > a) >= e^(-(a + grid/2)/lam)/2 unless the clamp leaves no such output, which takes as many noise
    scales. Where alpha is so large that this says nothing, the epsilon of the Laplace mechanism.
    """
    # How many noise scales the clamp lies outside the range, less half a grid step at most: ln(1/gamma).
    default = EXACT_GAMMA if family.arithmetic is None else FINITE_GAMMA
    gamma = default if family.gamma is None else probability(family.gamma, name="gamma", sure=True)
    scales = min(ln_enclosure(1 / (2 * alpha), ENOUGH_BITS).lower, ln_enclosure(1 / gamma, ENOUGH_BITS).lower)
    follows, fixed = family.follows, family.fixed_grid
    if scales <= (follows or 0):
        return laplace_epsilon(target, alpha, family.sensitivity)
    found = [] if follows is None else [(scales - follows) / target]
    if fixed:
        found.append(scales / (target + fixed / 2))
    return family.sensitivity * min(found)


def _check_reachable(family: Family, epsilon: Fraction, target: Fraction, alpha: Fraction) -> None:
    """Refuse a target that no epsilon meets because the grid is fixed and too coarse for it."""
    if family.follows is not None:
        return
    p = family.at(epsilon)
    limit = max(_without_noise(p, event) for event in worst_events(p, target / p.unit))
    if limit and limit >= alpha:
        raise _unreachable(target, p.data_grid)


def _without_noise(p: SnappingParameters, event: Event) -> Fraction:
    """Return what the probability of an event tends to as epsilon grows without bound."""
    if event.above <= event.below + 1:
        return Fraction(1)
    tied = 0
    if p.low < event.above <= p.high:
        tied += (event.above - HALF) * p.grid == event.value
    if p.low <= event.below < p.high:
        tied += (event.below + HALF) * p.grid == event.value
    return HALF * tied


def _unreachable(target: Fraction, grid: Fraction) -> ParameterError:
    return ParameterError(
        f"accuracy = {target} is met by no epsilon on a grid of {grid}: rounding alone can err by {grid / 2}.",
        f"Ask for an accuracy above {grid / 2}, take a grid below {2 * target}, or leave the grid out.",
        accuracy=target,
        grid=grid,
    )


# Any value, without a clamp


def _by_a_formula(family: Family, target: Fraction, alpha: Fraction, method: str) -> Fraction:
    """Return the least epsilon at which a published formula promises the target."""
    if family.follows is None and target <= family.fixed_grid / 2:
        raise _unreachable(target, family.fixed_grid)

    def meets(epsilon: Fraction) -> bool:
        c = family.constants(epsilon, alpha)
        left = (target - c.printing_error) / c.unit - (c.grid / 2 if method == "notes" else c.noise_scale)
        # lam ln(1/alpha) <= left; the logarithm of a rational other than 1 is irrational: decided.
        return exceeds(lambda bits: -ln_enclosure(1 / c.alpha, bits), -left / c.noise_scale)

    start = laplace_epsilon(target, alpha, family.sensitivity)
    return least_epsilon(_patiently(meets, start, target), start=start)


def laplace_epsilon(target: Fraction, alpha: Fraction, sensitivity: Fraction) -> Fraction:
    """Return an epsilon that Laplace noise cannot undercut for any value, up to rounding: planning (11)."""
    return ln_enclosure(1 / alpha, ENOUGH_BITS).lower * sensitivity / target


def least_epsilon(meets: Meets, *, start: Fraction) -> Fraction:
    """Return the least decimal of four significant digits that meets a target, which all after it do.

    start > 0 is a lower bound.
    """

    def meets_at(n: int) -> bool:
        return meets(decimal(n))

    first = index_down(start)
    return decimal(least_above(first - 1, _meeting(meets_at, first), meets_at))
