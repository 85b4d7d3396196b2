"""The least epsilon for a target accuracy, with four significant digits, checked rather than solved.

Room: accuracy. Exact arithmetic. A larger epsilon never makes the worst case without a clamp worse, not even where the
grid that follows it halves: so the epsilons that meet a target are all from some number on, and bisection over the
decimals of four digits, each decided exactly, ends at the least of them. The clamp may do better; it is reported.
Theory: docs/theory/planning.md, (9)-(11).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import METHODS, published_accuracy, unclamped_accuracy, unclamped_chance, worst_accuracy
from snapdp.accuracy.tails import confidence, exceeds
from snapdp.errors import ParameterError
from snapdp.exact import floor_log10, ln_enclosure, positive, power_of_ten
from snapdp.mechanism import DataUnits, Inner, chosen_grid, exact_parameters
from snapdp.values import Value

DIGITS = 4
_FIRST: int = 10 ** (DIGITS - 1)
Meets = Callable[[Fraction], bool]


class EpsilonNeeded(Value):
    """The least epsilon with four digits that meets a target, and what it gives.

    accuracy          by the method asked for, without a clamp: at most the target
    clamped_accuracy  the tight one of the mechanism with its clamp: at most `accuracy`
    """

    epsilon: Fraction
    target: DataUnits
    alpha: Fraction
    method: str
    noise_scale: DataUnits
    grid: DataUnits
    accuracy: DataUnits
    clamped_accuracy: DataUnits


def epsilon_for(
    *,
    accuracy: Any,
    alpha: Any = "0.05",
    sensitivity: Any,
    lower: Any,
    upper: Any,
    grid: Any = None,
    method: str = "tight",
) -> EpsilonNeeded:
    """Return the least epsilon, four significant digits, at which any value has an accuracy at level alpha.

    accuracy  the error that may be exceeded with probability alpha, data units
    grid      "fine" (default) or "natural", which follow epsilon, or a power of two in data units
    method    "tight", the true minimum; "notes" and "simple" are what the published formulas would spend
    """
    target = DataUnits(positive(accuracy, name="accuracy"))
    level = confidence(alpha)
    delta = positive(sensitivity, name="sensitivity")
    if method not in METHODS:
        raise ParameterError(f"method = {method!r} is unknown.", 'Give "tight", "notes" or "simple".')
    _check_reachable(target, level, grid, method)
    epsilon = least_epsilon(_meets(target, level, delta, grid, method), start=laplace_epsilon(target, level, delta))
    p = exact_parameters(epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid)
    return EpsilonNeeded(
        epsilon=epsilon,
        target=target,
        alpha=level,
        method=method,
        noise_scale=DataUnits(p.noise_scale),
        grid=p.data_grid,
        accuracy=DataUnits(_free_accuracy(method, noise_scale=p.noise_scale, grid=p.grid, alpha=level)),
        clamped_accuracy=DataUnits(worst_accuracy(p, level)),
    )


def meets_target(*, target: Fraction, noise_scale: Fraction, grid: Fraction, alpha: Fraction) -> bool:
    """Return whether P(|output - f| > target) <= alpha for every f, without a clamp: planning (5)."""
    return 2 * target >= grid and not exceeds(
        unclamped_chance(distance=target, noise_scale=noise_scale, grid=grid), alpha
    )


def _meets(target: Fraction, alpha: Fraction, sensitivity: Fraction, grid: Any, method: str) -> Meets:
    """Return the question whether an epsilon meets the target; true from some epsilon on: planning (9), (10)."""

    def tight(epsilon: Fraction) -> bool:
        scale = sensitivity / epsilon
        return meets_target(target=target, noise_scale=scale, grid=_grid(grid, scale), alpha=alpha)

    def published(epsilon: Fraction) -> bool:
        scale = sensitivity / epsilon
        extra = _grid(grid, scale) / 2 if method == "notes" else scale
        # lam ln(1/alpha) <= target - extra; the logarithm of a rational other than 1 is irrational: decided.
        return exceeds(lambda bits: -ln_enclosure(1 / alpha, bits), -(target - extra) / scale)

    return tight if method == "tight" else published


def _grid(asked: Any, noise_scale: Fraction) -> Inner:
    return chosen_grid(asked, noise_scale=noise_scale, default="fine")


def _check_reachable(target: Fraction, alpha: Fraction, grid: Any, method: str) -> None:
    """Refuse a target that no epsilon meets because the grid is fixed and too coarse for it."""
    if grid is None or grid in ("natural", "fine"):
        return
    fixed = _grid(grid, Fraction(1))
    least = fixed / 2
    reachable = target > least or (target == least and method == "tight" and alpha > Fraction(1, 2))
    if not reachable:
        raise ParameterError(
            f"accuracy = {target} is met by no epsilon on a grid of {fixed}: rounding alone can err by {least}.",
            f"Ask for an accuracy above {least}, take a grid below {2 * target}, or leave the grid out.",
            accuracy=target,
            grid=fixed,
        )


def laplace_epsilon(target: Fraction, alpha: Fraction, sensitivity: Fraction) -> Fraction:
    """Return an epsilon that no mechanism with Laplace noise can undercut, up to rounding: planning (11)."""
    return ln_enclosure(1 / alpha, 128).lower * sensitivity / target


def least_epsilon(meets: Meets, *, start: Fraction) -> Fraction:
    """Return the least decimal of four significant digits that meets a target; `start` > 0 is a lower bound."""
    exponent = floor_log10(start) - DIGITS + 1
    while not meets(10 * _FIRST * power_of_ten(exponent)):
        exponent += 1
    low, high = _FIRST - 1, 10 * _FIRST
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if meets(middle * power_of_ten(exponent)) else (middle, high)
    return high * power_of_ten(exponent)


def next_four_digits(x: Fraction) -> Fraction:
    """Return the next decimal of four significant digits after one, x > 0."""
    return x + power_of_ten(floor_log10(x) - DIGITS + 1)


def _free_accuracy(method: str, *, noise_scale: Fraction, grid: Fraction, alpha: Fraction) -> Fraction:
    if method == "tight":
        return unclamped_accuracy(noise_scale=noise_scale, grid=grid, alpha=alpha)
    return published_accuracy(method, noise_scale=noise_scale, grid=grid, alpha=alpha)
