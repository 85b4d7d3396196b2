"""What one part of a statistic is worth: its accuracy at an epsilon, the epsilon for an accuracy, and their curve.

Room: studies. It cannot see data. Accuracies are in units of the statistic, factor * accuracy of the numerator, at the
epsilon typed for the whole statistic.

    numerators are whole: an accuracy is the least that holds for every whole number of the range   theory (14)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from snapdp.accuracy import Curve, curve_of
from snapdp.errors import PremiseError
from snapdp.exact import shown
from snapdp.mechanism import FinitePrecision, SnappingParameters
from snapdp.studies.statistics.parts import Part, finite_steps, mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import replaced

WHOLE = Fraction(1)  # numerators are whole numbers


def part_accuracy(
    part: Part,
    epsilon: Fraction,
    alpha: Fraction,
    *,
    title: str | None = None,
    arithmetic: FinitePrecision | None = None,
) -> Fraction:
    """Return the accuracy of one cell of a part, in units of the statistic, at the epsilon typed for the whole."""
    m = mechanism(part, epsilon, title=title, arithmetic=arithmetic)
    return part.numerator.factor * numerator_accuracy(m.parameters, alpha)


def epsilon_needed(
    statistic: Statistic, accuracy: Fraction, alpha: Fraction, *, arithmetic: FinitePrecision | None = None
) -> Fraction:
    """Return the epsilon to type so that a statistic of one part has the accuracy asked for."""
    (part,) = statistic.parts
    steps = accuracy / part.numerator.factor
    try:
        return numerator_epsilon(part, steps, alpha, arithmetic=arithmetic) / part.share
    except PremiseError as refusal:
        if (bits := refusal.numbers.get("bits")) is None:
            raise
        raise PremiseError(
            f"{statistic.shown}: {bits} bits are too few for accuracy = {shown(accuracy)} on this range, whatever "
            "epsilon is tried: rounding would use up a visible part of it.",
            "Give more bits, or leave bits out to have them chosen. Nothing was read and nothing spent.",
            accuracy=accuracy,
            bits=bits,
        ) from None


@lru_cache(maxsize=4096)  # a plan that is edited asks for most of its accuracies again
def numerator_accuracy(p: SnappingParameters, alpha: Fraction) -> Fraction:
    """Return the tight accuracy of a mechanism for whole values, in units of its numerator.        theory (14)"""
    from snapdp.accuracy import accuracy

    return accuracy(replaced(p, step=WHOLE), alpha=alpha, method="tight")


def numerator_epsilon(
    part: Part, accuracy: Fraction, alpha: Fraction, *, arithmetic: FinitePrecision | None = None
) -> Fraction:
    """Return the least epsilon at which one cell has an accuracy in numerator units.

    Rounded up to four digits; in finite precision that of one step is so rounded, and then taken for every step.
    """
    from snapdp.accuracy import epsilon_for

    numerator, steps = part.numerator, 1 if arithmetic is None else finite_steps(part)
    found = epsilon_for(
        accuracy=accuracy,
        alpha=alpha,
        sensitivity=Fraction(numerator.sensitivity, steps),
        lower=numerator.lower,
        upper=numerator.upper,
        step=WHOLE,
        finest=Fraction(1) if numerator.integers and arithmetic is None else Fraction(0),
        arithmetic=arithmetic,
    )
    return found.epsilon * steps


def curve_of_part(part: Part, alpha: Fraction, *, finite: SnappingParameters | None = None) -> Curve:
    """Return the curve of one cell of a statistic, in its own units, against the epsilon typed for the whole.

    finite   the mechanism of the cell, where it computes in finite precision
    """
    numerator = part.numerator
    if finite is not None:
        factor = numerator.factor * finite.unit
        return replaced(curve_of(finite, alpha), sensitivity=finite_steps(part) / part.share, factor=factor)
    return Curve(
        sensitivity=numerator.sensitivity / part.share,
        alpha=alpha,
        grid="fine" if part.margin is None else Fraction(1),
        finest=Fraction(1) if numerator.integers else Fraction(0),
        factor=numerator.factor,
        whole=numerator.integers,
    )
