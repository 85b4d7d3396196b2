"""The cliff hint of a line: an epsilon near the one typed that buys more than it costs, or costs less for the same.

Room: studies. It cannot see data. The same as `accuracy.cliff_hint`, but at the epsilon typed for the whole statistic,
in its own units, for whole numbers (whose errors are whole, so that they do not change over wide stretches of epsilon),
and in a few milliseconds: candidates are read off the curve, in doubles and on the safe side, and
each is kept only if the accuracy that a plan would show there says so.
Theory: docs/theory/planning.md, (31)-(32); docs/theory/sensitivities.md, (14).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from snapdp.accuracy import NEAR, WORTH_SAYING, Curve, Hint
from snapdp.display import exact_amount, four_digits_up
from snapdp.errors import SnapdpError
from snapdp.exact import round_digits_up
from snapdp.mechanism import DataUnits
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.released_part import ReleasedPart
from snapdp.studies.plans.remembered import remembered
from snapdp.values import replaced

DIGITS = 4  # of an epsilon that is suggested
HAIR = 1 + 1e-9  # relative: curve and accuracies are known to less than half of it


@remembered
def cliffs_of(line: Line) -> tuple[Hint, ...]:
    """Return what a slightly different epsilon would buy: nothing, one hint, or one of each kind.

    Only where one number is released and nothing is computed from it with others: several have no cliff in common.
    """
    if line.accuracy is None:
        return ()
    curve = ReleasedPart(line=line).curve
    assert isinstance(curve, Curve)
    return (*_cheaper(line, line.accuracy, curve), *_sharper(line, line.accuracy, curve))


def cliff_in_words(hint: Hint) -> str:
    """Return what a slightly different epsilon would buy, as a sentence."""
    better, now = four_digits_up(hint.better_accuracy), four_digits_up(hint.accuracy)
    if hint.kind == "cheaper":
        same = f"± {better} as well" if better == now else f"± {better}, which is better than ± {now}"
        return f"Epsilon {exact_amount(hint.better_epsilon)} gives {same}: the rest buys nothing here."
    return f"A cliff is near: epsilon {exact_amount(hint.better_epsilon)} gives ± {better} instead of ± {now}."


def _cheaper(line: Line, now: Fraction, curve: Curve) -> Iterator[Hint]:
    """Yield the least epsilon of four digits with the accuracy of the line, where it saves a percent: planning (31)."""
    target = float(now) * HAIR
    high = line.epsilon * WORTH_SAYING
    if curve.at(high) > target:
        return
    while curve.at(low := high / 2) <= target:
        high = low
    while high - low > low / 10 ** (DIGITS + 1):  # the curve falls, and reaches the target at `high`
        middle = (low + high) / 2
        low, high = (low, middle) if curve.at(middle) <= target else (middle, high)
    yield from _hint(line, "cheaper", now, round_digits_up(high, DIGITS), least_gain=1 / Fraction(HAIR))


def _sharper(line: Line, now: Fraction, curve: Curve) -> Iterator[Hint]:
    """Yield an epsilon just above the next cliff, if near, where the error shrinks by more than epsilon grows: (32)."""
    for jump in curve.jumps(line.epsilon, line.epsilon * NEAR)[:1]:
        epsilon = round_digits_up(jump * Fraction(curve.shift), DIGITS)
        if line.epsilon < epsilon <= line.epsilon * NEAR:
            # The Laplace mechanism has the same product of epsilon and accuracy everywhere.
            yield from _hint(line, "sharper", now, epsilon, least_gain=epsilon / line.epsilon / WORTH_SAYING)


def _hint(line: Line, kind: str, now: Fraction, epsilon: Fraction, *, least_gain: Fraction) -> Iterator[Hint]:
    """Yield a hint where the error shrinks by that factor at least; an epsilon that is refused is none."""
    if kind == "cheaper" and epsilon > line.epsilon * WORTH_SAYING:
        return
    try:
        then = replaced(line, epsilon=epsilon, target=None).accuracy
    except SnapdpError:
        return
    if then is not None and then * least_gain <= now:
        found, better = DataUnits(now), DataUnits(then)
        yield Hint(
            kind=kind,
            alpha=line.alpha,
            epsilon=line.epsilon,
            accuracy=found,
            better_epsilon=epsilon,
            better_accuracy=better,
        )
