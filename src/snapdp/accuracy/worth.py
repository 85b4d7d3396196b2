"""Everything worth knowing about one mechanism before it is used: one value that front ends print.

Room: accuracy. Collects accuracy, moments, clamping, price and hints from their modules.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.accuracy.clamping import binding_probability
from snapdp.accuracy.epsilon import epsilon_for
from snapdp.accuracy.error import accuracy as accuracy_of
from snapdp.accuracy.hints import Hint, cliff_hint
from snapdp.accuracy.moments import bias_range
from snapdp.accuracy.price import Price, price_of_snapping
from snapdp.accuracy.tails import confidence
from snapdp.errors import ParameterError
from snapdp.exact import Enclosure
from snapdp.mechanism import DataUnits, SnappingParameters, exact_parameters
from snapdp.values import Value


class Worth(Value):
    """One mechanism and what it is worth, in data units."""

    parameters: SnappingParameters
    alpha: Fraction
    tight: DataUnits
    notes: DataUnits
    simple: DataUnits | None
    bias: Enclosure
    binding: Enclosure
    price: Price
    hints: tuple[Hint, ...]


def worth_of_mechanism(
    *,
    sensitivity: Any,
    lower: Any,
    upper: Any,
    epsilon: Any = None,
    accuracy: Any = None,
    alpha: Any = "0.05",
    grid: Any = None,
) -> Worth:
    """Return what a mechanism is worth in exact arithmetic, given its epsilon or the accuracy it must have."""
    if (epsilon is None) == (accuracy is None):
        given = "neither" if epsilon is None else "both"
        raise ParameterError(
            f"a plan needs an epsilon or a target accuracy, one of the two; {given} given.",
            "Give epsilon to see the accuracy, or accuracy to see the epsilon.",
        )
    declared = {"sensitivity": sensitivity, "lower": lower, "upper": upper, "grid": grid}
    if epsilon is None:
        epsilon = epsilon_for(accuracy=accuracy, alpha=alpha, **declared).epsilon
    return worth_of(exact_parameters(epsilon=epsilon, **declared), alpha=alpha)


def worth_of(p: SnappingParameters, *, alpha: Any = "0.05") -> Worth:
    """Return what a mechanism with given parameters is worth."""
    level = confidence(alpha)
    return Worth(
        parameters=p,
        alpha=level,
        tight=accuracy_of(p, alpha=level),
        notes=accuracy_of(p, alpha=level, method="notes"),
        simple=accuracy_of(p, alpha=level, method="simple") if p.grid <= 2 * p.noise_scale else None,
        bias=bias_range(p),
        binding=binding_probability(p, p.upper),
        price=price_of_snapping(p, alpha=level),
        hints=cliff_hint(p, alpha=level),
    )


Report, report = Worth, worth_of_mechanism  # the former names: old imports go on working
