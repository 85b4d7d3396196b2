"""The other way to a variance where n is public, compared at every mean: squares and a sum instead of one number.

Room: studies. It cannot see data, and nothing is released this way. With X the sum of distances from the middle of the
bounds, and squares and sum within a_q and a_x of theirs, each missing with alpha/2,

    |variance~ - variance| <= (a_q + 2 |mean - middle| a_x + a_x**2/n)/(n - 1)                 theory (33)

which is less than the error of the one number where the mean is near the middle, and more elsewhere.
Theory: docs/theory/sensitivities.md, (10), (30) and (33).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import exact_amount
from snapdp.studies.plans.part_worth import part_accuracy
from snapdp.studies.statistics.parts import Numerator, Part
from snapdp.studies.statistics.shared_parts import sum_above_lower
from snapdp.studies.statistics.variance import Variance
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.studies.plans.lines import Line

SHARES = tuple(Fraction(k, 10) for k in (5, 6, 7, 8, 9))  # of epsilon, what squares may get


class OtherWay(Value):
    """Where a variance would err less as squares and a sum.

    middle    of the bounds
    within    so far from it the mean may be, in units of the column: further away the other way errs more
    better    by what part of itself the error would be smaller, if the mean were the middle
    """

    middle: Fraction
    within: Fraction
    better: Fraction

    @property
    def in_words(self) -> str:
        """Return it as a sentence for people; a gain is rounded down, and so is the distance."""
        share, places = int(100 * self.better), exact_amount(Fraction(int(100 * self.within), 100))
        return (
            f"released as one number, which errs the same for every mean. Computed from a sum of squares and a sum it "
            f"would err up to {share} % less where the mean is within {places} of {exact_amount(self.middle)}, and "
            "more elsewhere; that way is not offered."
        )


def other_way(line: Line) -> OtherWay | None:
    """Return where the other way would be better; None where it nowhere is, or the line is no such variance."""
    variance, n = line.statistic, line.statistic.relation.rows
    if not isinstance(variance, Variance) or variance.count_share is not None:
        return None
    allowed = (n - 1) * line.accuracies[0]
    within, least = Fraction(-1), allowed
    for share in SHARES:
        of_squares, of_sum = _accuracies(line, variance, share)
        at_middle = of_squares + of_sum * of_sum / n
        least = min(least, at_middle)
        within = max(within, (allowed - at_middle) / (2 * of_sum))
    if within <= 0:
        return None
    half = (variance.column.upper - variance.column.lower) / 2
    return OtherWay(middle=variance.column.middle, within=min(within, half), better=1 - least / allowed)


def _accuracies(line: Line, variance: Variance, share: Fraction) -> tuple[Fraction, Fraction]:
    """Return those of squares at a share of epsilon, and of the sum at what is left; each may miss with alpha/2."""
    column, relation = variance.column, variance.relation
    square = column.levels**2
    squares = Numerator(
        name="squares", sensitivity=square, lower=0, upper=relation.rows * square, factor=column.step**2 / 4
    )
    total = sum_above_lower(column, relation, factor=column.step, shift=relation.rows * column.lower)
    parts = (Part(numerator=squares, share=share), Part(numerator=total, share=1 - share))
    of_squares, of_sum = (part_accuracy(part, line.epsilon, line.alpha / 2) for part in parts)
    return of_squares, of_sum
