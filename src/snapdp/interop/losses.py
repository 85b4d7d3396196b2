"""What releases lose, as laws that dominate them: of a Laplace draw, or of anything that is epsilon-DP.

Room: interop. It cannot see data. A spend says of one or several releases which pair of laws is at least as telling as
theirs for all neighbours; nothing is charged by it.

    laplace   delta(t) = 1 - e^((t - eps)/2)                 |t| <= eps                             theory (1)
    pure      delta(t) = (e^eps - e^t)/(1 + e^eps)           |t| <= eps                             theory (2)
    both      delta(t) = 0 above eps, 1 - e^t below -eps

Theory: docs/theory/shown-composition.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact import Enclosure, exp_scaled, positive, shown
from snapdp.values import Value

LAPLACE, PURE = "laplace", "pure"


class Spend(Value):
    """So many releases with one dominating pair.

    law       "laplace": each is post-processing of one Laplace draw around a number that moves by one scale times
              epsilon, at most; "pure": each is epsilon-DP, and nothing else is known
    epsilon   of each of them
    times     how many there are
    """

    law: str
    epsilon: Fraction
    times: int = 1

    @property
    def total(self) -> Fraction:
        """Return the sum of their epsilons: what they lose together at most."""
        return self.epsilon * self.times


def spend(law: str, *, epsilon: object, times: int = 1) -> Spend:
    """Return a spend of plain numbers, checked.

    >>> spend("laplace", epsilon="0.1", times=100).total
    Fraction(10, 1)
    """
    if law not in (LAPLACE, PURE):
        raise ParameterError(f"law = {shown(law)} is none.", f'Give "{LAPLACE}" or "{PURE}".')
    if type(times) is not int or times < 1:
        raise ParameterError(f"times = {shown(times)} is no number of releases.", "Give a whole number from 1 on.")
    return Spend(law=law, epsilon=positive(epsilon, name="epsilon"), times=times)


def merged(spends: Iterable[Spend]) -> tuple[Spend, ...]:
    """Return the same spends, those of one law and epsilon together, in the order in which they first came."""
    times: dict[tuple[str, Fraction], int] = {}
    for each in spends:
        times[each.law, each.epsilon] = times.get((each.law, each.epsilon), 0) + each.times
    return tuple(Spend(law=law, epsilon=epsilon, times=count) for (law, epsilon), count in times.items())


def delta_of(each: Spend, t: Fraction, width: int) -> Enclosure:
    """Return delta(t) of one release, enclosed to about `width` bits.                        theory (1), (2)"""
    if t >= each.epsilon:
        return Enclosure(Fraction(0), Fraction(0))
    if t <= -each.epsilon:
        return 1 - _exp(t, width)
    if each.law == LAPLACE:
        return 1 - _exp((t - each.epsilon) / 2, width)
    return (1 - _exp(t - each.epsilon, width)) / (_exp(-each.epsilon, width) + 1)


def _exp(x: Fraction, width: int) -> Enclosure:
    low, high = exp_scaled(x, width)
    return Enclosure(Fraction(low, 1 << width), Fraction(high, 1 << width))
