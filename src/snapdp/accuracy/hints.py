"""The cliff hint: an epsilon near the one asked for that buys more than it costs, or costs less for the same.

Room: accuracy. A grid that follows epsilon halves at sensitivity/epsilon = a power of two: just below such an epsilon
the worst-case accuracy jumps. And where accuracy sits at a multiple of half the grid it does not change with epsilon at
all: a smaller epsilon then gives the same. Both are said, with both figures, from the worst case without a clamp.
Theory: docs/theory/planning.md, (31)-(32).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.accuracy.epsilon import laplace_epsilon, least_epsilon
from snapdp.accuracy.family import Constants, Family, constants_of, natural_grid, unclamped_family
from snapdp.accuracy.four_digits import DIGITS, next_four_digits
from snapdp.accuracy.tails import confidence
from snapdp.errors import SnapdpError
from snapdp.exact import round_digits_up
from snapdp.mechanism import DataUnits, SnappingParameters
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
    family = unclamped_family(p)
    if family is None:
        return ()
    now = constants_of(p, level).accuracy
    found = []
    for kind, epsilon in (("cheaper", _cheaper(p, family, now, level)), ("sharper", _sharper(p, family, now, level))):
        better = None if epsilon is None else _constants(family, epsilon, level)
        if epsilon is not None and better is not None:
            found.append(
                Hint(
                    kind=kind,
                    alpha=level,
                    epsilon=p.epsilon,
                    accuracy=now,
                    better_epsilon=epsilon,
                    better_accuracy=better.accuracy,
                )
            )
    return tuple(found)


def _constants(family: Family, epsilon: Fraction, alpha: Fraction) -> Constants | None:
    """Return the constants of another epsilon than the one asked for; None where it is refused: no hint is an error."""
    try:
        return family.constants(epsilon, alpha)
    except SnapdpError:
        return None


def _cheaper(p: SnappingParameters, family: Family, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return the least epsilon with the accuracy of p, where it saves a percent: planning (31).

    In finite precision a smaller epsilon may need more bits than p has: then nothing is said.
    """

    def meets(epsilon: Fraction) -> bool:
        return family.constants(epsilon, alpha).meets(now)

    try:
        found = least_epsilon(meets, start=laplace_epsilon(now, alpha, p.sensitivity))
    except SnapdpError:
        return None
    return found if found <= p.epsilon * WORTH_SAYING else None


def _sharper(p: SnappingParameters, family: Family, now: Fraction, alpha: Fraction) -> Fraction | None:
    """Return an epsilon just above the next cliff, if near, where the error shrinks by more than it adds.

    planning (32).
    In finite precision the noise scale lies a little above sensitivity/epsilon; so the cliff lies a little above the
    power of two, and the next decimal is tried too.
    """
    if family.follows is None:
        return None
    # From this epsilon on the grid is half as wide.
    edge = round_digits_up(p.sensitivity / p.unit / (natural_grid(p) / 2), DIGITS)
    for epsilon in (edge, next_four_digits(edge)):
        near = p.epsilon < epsilon <= NEAR * p.epsilon
        then = _constants(family, epsilon, alpha) if near else None
        if then is not None and then.grid < p.grid:
            # The Laplace mechanism has the same product of epsilon and accuracy everywhere.
            gain = then.accuracy * epsilon / (now * p.epsilon)
            return epsilon if gain <= WORTH_SAYING else None
    return None
