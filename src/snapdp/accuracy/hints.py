"""The cliff hint: an epsilon near the one asked for that buys more than it costs, or costs less for the same.

Room: accuracy. A grid that follows epsilon halves at sensitivity/epsilon = a power of two: just below such an epsilon
the worst-case accuracy jumps. And where accuracy sits at a multiple of half the grid it does not change with epsilon at
all: a smaller epsilon then gives the same. Both are said, with both figures, from the worst case without a clamp.
Theory: docs/theory/planning.md, (31)-(32).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.accuracy.epsilon import DIGITS, laplace_epsilon, least_epsilon, meets_target, next_four_digits
from snapdp.accuracy.error import unclamped_accuracy
from snapdp.accuracy.tails import confidence, exact_level
from snapdp.exact import power_of_two_at_least, round_digits_up
from snapdp.mechanism import FINE, DataUnits, FinitePrecision, SnappingParameters, chosen_grid, finite_parameters
from snapdp.values import Value

NEAR = Fraction(11, 10)  # at most a tenth more epsilon is suggested
WORTH_SAYING = Fraction(99, 100)  # a gain of less than one percent is not mentioned


class Hint(Value):
    """A better epsilon than the one asked for, with both accuracies (worst case without a clamp, data units).

    kind  "cheaper": less epsilon, the same accuracy or better;
          "sharper": at most a tenth more epsilon, and the error shrinks by more than that
    """

    kind: str
    alpha: Fraction
    epsilon: Fraction
    accuracy: DataUnits
    better_epsilon: Fraction
    better_accuracy: DataUnits


def cliff_hint(p: SnappingParameters, *, alpha: Any = "0.05") -> tuple[Hint, ...]:
    """Return what a slightly different epsilon would buy: no hint, one, or one of each kind.

    The grid is taken to follow epsilon as it does in p: natural, fine (a sixteenth of it), or fixed.
    """
    level = confidence(alpha)
    now = _accuracy(p, p.epsilon, level)
    found = []
    for kind, epsilon in (("cheaper", _cheaper(p, now, level)), ("sharper", _sharper(p, now, level))):
        if epsilon is not None:
            found.append(
                Hint(
                    kind=kind,
                    alpha=level,
                    epsilon=p.epsilon,
                    accuracy=DataUnits(now),
                    better_epsilon=epsilon,
                    better_accuracy=DataUnits(_accuracy(p, epsilon, level)),
                )
            )
    return tuple(found)


def grid_choice(p: SnappingParameters) -> Any:
    """Return the spelling under which the grid of p follows epsilon, or the grid itself where it does not."""
    natural = _natural(p)
    return {natural: "natural", natural / FINE: "fine"}.get(p.grid, p.grid)


def _natural(p: SnappingParameters) -> Fraction:
    """Return the natural grid: the notes take it from the noise scale, which is a little above sensitivity/epsilon."""
    return power_of_two_at_least(p.noise_scale if p.rule == "notes" else p.sensitivity / p.unit / p.epsilon)


def _constants(p: SnappingParameters, epsilon: Fraction, alpha: Fraction) -> dict[str, Fraction]:
    """Return noise scale, grid and exact level that another epsilon gives, in inner units."""
    if p.precision is None:
        scale = p.sensitivity / epsilon
        grid = chosen_grid(grid_choice(p), noise_scale=scale, default="fine")
        return {"noise_scale": scale, "grid": grid, "alpha": alpha}
    other = p if epsilon == p.epsilon else _rebuilt(p, epsilon)
    return {"noise_scale": other.noise_scale, "grid": other.grid, "alpha": exact_level(other, alpha)}


def _accuracy(p: SnappingParameters, epsilon: Fraction, alpha: Fraction) -> Fraction:
    """Return the tight accuracy without a clamp that another epsilon gives, in data units."""
    return p.unit * unclamped_accuracy(**_constants(p, epsilon, alpha))


def _rebuilt(p: SnappingParameters, epsilon: Fraction) -> SnappingParameters:
    """Return the mechanism of finite precision with another epsilon, the same bits, rule and bound."""
    assert p.precision is not None
    return finite_parameters(
        epsilon=epsilon,
        sensitivity=p.sensitivity,
        lower=p.lower,
        upper=p.upper,
        arithmetic=FinitePrecision(bits=p.precision.uniform, rule=p.rule or "proved"),
        grid=grid_choice(p),
        bound=p.bound,
    )


def _cheaper(p: SnappingParameters, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return the least epsilon with the accuracy of p, where it saves a percent: planning (31). Exact arithmetic."""
    if p.precision is not None:
        return None

    def meets(epsilon: Fraction) -> bool:
        return meets_target(target=now, **_constants(p, epsilon, alpha))

    found = least_epsilon(meets, start=laplace_epsilon(now, alpha, p.sensitivity))
    return found if found <= p.epsilon * WORTH_SAYING else None


def _sharper(p: SnappingParameters, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return an epsilon just above the next cliff, if near, where the error shrinks by more than it adds.

    planning (32).
    In finite precision the noise scale lies a little above sensitivity/epsilon; so the cliff lies a little above the
    power of two, and the next decimal is tried too.
    """
    if grid_choice(p) == p.grid or (p.precision is not None and p.rule is None):
        return None
    edge = round_digits_up(p.sensitivity / p.unit / (_natural(p) / 2), DIGITS)  # from there on the grid is half as wide
    for epsilon in (edge, next_four_digits(edge)):
        near = p.epsilon < epsilon <= NEAR * p.epsilon
        if near and _constants(p, epsilon, alpha)["grid"] < p.grid:
            # The Laplace mechanism has the same product of epsilon and accuracy everywhere.
            gain = _accuracy(p, epsilon, alpha) * epsilon / (now * p.epsilon)
            return epsilon if gain <= WORTH_SAYING else None
    return None
