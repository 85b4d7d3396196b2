"""What one part of a statistic is worth: its accuracy at an epsilon, the epsilon for an accuracy, and their curve.

Room: studies. It cannot see data. Accuracies are in units of the statistic, factor * accuracy of the numerator, at the
epsilon typed for the whole statistic.

    numerators are whole: an accuracy is the least that holds for every whole number of the range   theory (14)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from snapdp.mechanism import SnappingParameters
from snapdp.studies.statistics.parts import Part, mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import replaced

if TYPE_CHECKING:
    from snapdp.accuracy import Curve

WHOLE = Fraction(1)  # numerators are whole numbers


def part_accuracy(part: Part, epsilon: Fraction, alpha: Fraction) -> Fraction:
    """Return the accuracy of one cell of a part, in units of the statistic, at the epsilon typed for the whole."""
    return part.numerator.factor * numerator_accuracy(mechanism(part, epsilon).parameters, alpha)


def epsilon_needed(statistic: Statistic, accuracy: Fraction, alpha: Fraction) -> Fraction:
    """Return the epsilon to type so that a statistic of one part has the accuracy asked for."""
    (part,) = statistic.parts
    return numerator_epsilon(part, accuracy / part.numerator.factor, alpha) / part.share


@lru_cache(maxsize=4096)  # a plan that is edited asks for most of its accuracies again
def numerator_accuracy(p: SnappingParameters, alpha: Fraction) -> Fraction:
    """Return the tight accuracy of a mechanism for whole values, in units of its numerator.        theory (14)"""
    from snapdp.accuracy import accuracy

    return accuracy(replaced(p, step=WHOLE), alpha=alpha, method="tight")


def numerator_epsilon(part: Part, accuracy: Fraction, alpha: Fraction) -> Fraction:
    """Return the least epsilon, rounded up to four digits, at which one cell has an accuracy in numerator units."""
    from snapdp.accuracy import epsilon_for

    numerator = part.numerator
    found = epsilon_for(
        accuracy=accuracy,
        alpha=alpha,
        sensitivity=numerator.sensitivity,
        lower=numerator.lower,
        upper=numerator.upper,
        step=WHOLE,
        finest=Fraction(1) if numerator.integers else Fraction(0),
    )
    return found.epsilon


def curve_of_part(part: Part, alpha: Fraction) -> Curve:
    """Return the curve of one cell of a statistic, in its own units, against the epsilon typed for the whole."""
    from snapdp.accuracy import Curve

    numerator = part.numerator
    return Curve(
        sensitivity=numerator.sensitivity / part.share,
        alpha=alpha,
        grid="fine" if part.margin is None else Fraction(1),
        finest=Fraction(1) if numerator.integers else Fraction(0),
        factor=numerator.factor,
        whole=numerator.integers,
    )
