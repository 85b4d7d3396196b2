"""One released number of a line, for pictures: its law at a guess, and its error against the epsilon typed.

Room: studies. It cannot see data. A statistic releases one number or several (its parts), each in every group by the
same mechanism; the pictures of command and page are of one of them. Numbers are in units of the statistic.
Theory: docs/theory/sensitivities.md, (3); docs/theory/quantiles.md, (9).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from snapdp.display import one_line
from snapdp.exact import HALF, ln_enclosure, power_of_two_at_least, rounded_up
from snapdp.mechanism import ExactLaw, SnappingParameters, exact_parameters
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.part_worth import curve_of_part, numerator_accuracy
from snapdp.studies.plans.remarks import part_names
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.accuracy import Curve

RANK_PIECES = 40
ENOUGH_BITS = 128
UNSEEN = Fraction(1, 1000)  # of the error: between numbers that are closer no picture tells


def shown_parts(statistic: Statistic) -> list[str]:
    """Return the names of what is released, for people: the title of the statistic where that is one number."""
    names = part_names(statistic) if len(statistic.parts) > 1 else [statistic.readable_title]
    return [one_line(each) for each in names]


class RankCurve(Value):
    """The radius of the ranks of a line, against the epsilon typed for it: in so many pieces."""

    line: Line
    pieces: int = RANK_PIECES

    def points(self, first: Fraction, last: Fraction) -> list[tuple[float, float]]:
        """Return points of the curve from one epsilon to another, equally far apart on the picture."""
        ratio = float(last / first) ** (1 / self.pieces)
        epsilons = [first * Fraction(ratio**place) for place in range(self.pieces + 1)]
        found = ((each, self.line.statistic.ranks(each, self.line.alpha)) for each in epsilons)
        return [(float(each), float(figures.radius)) for each, figures in found if figures is not None]


class ReleasedPart(Value):
    """One part of a line, by its place among the parts."""

    line: Line
    place: int = 0

    @property
    def part(self) -> Part:
        return self.line.statistic.parts[self.place]

    @property
    def name(self) -> str:
        """Return its name as people read it: that of the statistic where it is all that is released."""
        return shown_parts(self.line.statistic)[self.place]

    @property
    def parameters(self) -> SnappingParameters:
        """Return those of its mechanism, which acts on the numerator."""
        return self.line.mechanisms[self.place].parameters

    @property
    def range(self) -> tuple[Fraction, Fraction]:
        """Return between which numbers the statistic lies, whatever the table is."""
        return self.part.numerator.statistic_range

    @property
    def accuracy(self) -> Fraction:
        """Return how far the released number may be off, at the alpha of the line."""
        return self.line.accuracies[self.place]

    def possible(self, value: Fraction) -> Fraction:
        """Return the number nearest to a guess that the statistic can be; the guess itself where nobody sees a
        difference: numerators are whole.                                                         sensitivities (3)
        """
        numerator, (low, high) = self.part.numerator, self.range
        inside = min(max(value, low), high)
        found = numerator.statistic(math.floor((inside - numerator.shift) / numerator.factor + HALF))
        return inside if not numerator.integers and abs(found - inside) <= UNSEEN * self.accuracy else found

    def law(self, value: Fraction | None = None) -> ExactLaw:
        """Return the law of what is released at a guess, or in the middle of the range."""
        p, numerator = self.parameters, self.part.numerator
        guess = (p.lower + p.upper) / 2 if value is None else (value - numerator.shift) / numerator.factor
        return ExactLaw(p.inner(guess), p)

    def statistic(self, index: int) -> Fraction:
        """Return the number that is released for an index."""
        return self.part.numerator.statistic(self.parameters.data_value(index))

    @property
    def laplace_accuracy(self) -> Fraction:
        """Return the error of the pure Laplace mechanism at the same epsilon, without any grid, rounded up.

        lam ln(1/alpha)                                                                              planning (29)
        """
        scale = self.part.numerator.statistic_sensitivity / (self.line.epsilon * self.part.share)
        return rounded_up(scale * ln_enclosure(1 / self.line.alpha, ENOUGH_BITS).upper)

    @cached_property
    def natural_accuracy(self) -> Fraction:
        """Return the error on the natural grid; whole statistics stay whole.    planning (6)"""
        numerator, epsilon = self.part.numerator, self.line.epsilon * self.part.share
        natural = power_of_two_at_least(numerator.sensitivity / epsilon)
        p = exact_parameters(
            epsilon=epsilon,
            sensitivity=numerator.sensitivity,
            lower=numerator.lower,
            upper=numerator.upper,
            grid=max(natural, Fraction(1)) if numerator.integers else natural,
        )
        return numerator.factor * numerator_accuracy(p, self.line.alpha)

    @cached_property
    def curve(self) -> Curve | RankCurve:
        """Return error against epsilon: of quantiles, which are read off very many counts, that of their ranks."""
        if self.line.ranks is not None:
            return RankCurve(line=self.line)
        return curve_of_part(self.part, self.line.alpha)

    @property
    def here(self) -> tuple[Fraction, Fraction]:
        """Return the point of the line itself: what is typed, and the error that it buys."""
        ranks = self.line.ranks
        return self.line.epsilon, self.accuracy if ranks is None else ranks.radius
