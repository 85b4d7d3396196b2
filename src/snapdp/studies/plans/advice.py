"""What a line of a plan would gain from another epsilon: offers, cliffs, and lines that say little.

It cannot see data. Everything is computed and said, never done.
Theory: docs/theory/planning.md, (31)-(32); docs/theory/sensitivities.md, (10), (14), (30) and (33).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.accuracy.curve import NEAR, WORTH_SAYING, Curve, Hint
from snapdp.display.numbers import exact_amount, four_digits_up
from snapdp.display.text import one_line
from snapdp.errors import SnapdpError
from snapdp.exact.dyadic import floor_log10, least_above, power_of_ten, round_digits_up
from snapdp.mechanism.parameters import DataUnits
from snapdp.studies.plans.lines import Line, ReleasedPart, part_accuracy, remembered
from snapdp.studies.statistics.parts import NumberError, Numerator, Part, sum_above_lower
from snapdp.studies.statistics.variance import Variance
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.studies.plans.plan import Plan

TENTH = Fraction(1, 10)
UNADJUSTED = "before adjusting"  # said of every figure of a table as it is measured, where it is adjusted afterwards


class Offer(Value):
    """What a line would gain from more epsilon: accuracies of its parts, or the radius of its ranks, now and then.

    more_accuracies   none where so much epsilon is refused: nobody asked for it, and the line itself is as good
    """

    title: str
    epsilon: Fraction
    more_epsilon: Fraction
    accuracies: tuple[Fraction, ...]
    more_accuracies: tuple[Fraction, ...]

    @property
    def gains(self) -> tuple[Fraction, ...]:
        """Return by what part of itself each accuracy shrinks."""
        return tuple(1 - then / now if now else Fraction(0) for now, then in self.pairs())

    def pairs(self) -> Iterable[tuple[Fraction, Fraction]]:
        """Return each accuracy, and what it would be; nothing where so much epsilon is refused."""
        return zip(self.accuracies, self.more_accuracies, strict=True) if self.more_accuracies else ()

    def __repr__(self) -> str:
        steps = ", ".join(f"{four_digits_up(now)} -> {four_digits_up(then)}" for now, then in self.pairs())
        steps = steps or "refused"
        return f"{one_line(self.title)}: epsilon {self.epsilon} -> {self.more_epsilon}, accuracy {steps}"


def _accuracies(line: Line) -> tuple[Fraction, ...]:
    """Return what is worth more with more epsilon: accuracies, or the radius of ranks."""
    return line.accuracies if line.ranks is None else (line.ranks.radius,)


@remembered
def errors_with_more(line: Line, more: Fraction, if_rows: Any = None) -> tuple[NumberError, ...]:
    """Return how far the numbers of a line would be off with so much more epsilon; nothing where it is refused."""
    try:
        return replaced(line, epsilon=line.epsilon * (1 + more), target=None).number_errors(if_rows)
    except SnapdpError:
        return ()


def offer_in_words(line: Line, errors: Sequence[NumberError], if_rows: Any = None) -> str:
    """Return what a tenth more epsilon buys for the first number of a line; empty where it is refused.

    Of margins, which are adjusted together, for the first one as it is measured: that is known at once. Where no number
    has an error of its own, for the first one that is released.

    errors   those of the line as it is
    """
    if line.statistic.margins is not None or not errors:
        offer = offer_of(line, line.epsilon * (1 + TENTH))
        pairs, unit = list(offer.pairs())[:1], ""
    else:
        more = errors_with_more(line, TENTH, if_rows)
        pairs = [(now.error, then.error) for now, then in zip(errors, more, strict=False)][:1]
        unit = " rows" if errors and errors[0].in_rows else ""
    if not pairs:
        return ""
    before, after = (f"± {four_digits_up(each)}{unit}" for each in pairs[0])
    changed = f"still {after}" if before == after else f"{after} instead of {before}"
    of = f", {UNADJUSTED}" if line.statistic.margins is not None else ""
    return f"10 % more epsilon: {changed}{of}"


def offer_of(line: Line, epsilon: Fraction) -> Offer:
    try:
        more = _accuracies(replaced(line, epsilon=epsilon))
    except SnapdpError:
        more = ()
    return Offer(
        title=line.statistic.readable_title,
        epsilon=line.epsilon,
        more_epsilon=epsilon,
        accuracies=_accuracies(line),
        more_accuracies=more,
    )


# Cliffs: an epsilon near the one typed that buys more than it costs, or costs less for the same. As in
# `accuracy.cliff_hint`, but at the epsilon typed for the whole statistic, in its own units, for whole numbers (whose
# errors are whole, so that they do not change over wide stretches of epsilon), and in a few milliseconds: candidates
# are read off the curve, in doubles and on the safe side, and each is kept only if the accuracy that a plan would show
# there says so.

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


# Lines that say little: errors above a tenth of the range, and the epsilon that would make them a tenth. It is found by
# trying, with the exact accuracies of the line: a decimal of two digits at which every number of the line is useful,
# while the next smaller one leaves one that is not. From epsilon 5 on an attacker could guess right in all of 100
# cases: no such epsilon is named.

BEYOND = Fraction(5)  # from here on `guessed_right` is 100 of 100 cases
_LEADING = 90  # numbers of two digits: 1.0, 1.1, ... 9.9


class Useless(Value):
    """A line with an error above a tenth of its range.

    place      of the line in the plan
    number     that which is off by the largest part of its range
    """

    place: int
    line: Line
    number: NumberError
    if_rows: int | None = None

    @cached_property
    def epsilon(self) -> Fraction | None:
        """Return at which epsilon all numbers of the line would be useful; None where none below 5 is enough."""
        return useful_epsilon(self.line, self.if_rows)


def useless_lines(plan: Plan) -> list[Useless]:
    """Return the lines that say little: of what follows from several no one line could be mended alone."""
    found = []
    for place, (line, errors) in enumerate(zip(plan.lines, plan.errors, strict=True)):
        weak = [each for each in errors if each.lines == 1 and not each.is_useful]
        if weak:
            worst = max(weak, key=lambda each: each.share)
            found.append(Useless(place=place, line=line, number=worst, if_rows=plan.if_rows))
    return found


def useful_epsilon(line: Line, if_rows: Any = None) -> Fraction | None:
    """Return a decimal of two digits at which all numbers of a line are useful, while at the next smaller one they are
    not, and which is above the epsilon of the line; None where none below 5 is.
    """
    low, high = _place(line.epsilon), _place(BEYOND) - 1
    if low >= high or not _is_useful(line, short_decimal_at(high), if_rows):
        return None
    return short_decimal_at(least_above(low, high, lambda k: _is_useful(line, short_decimal_at(k), if_rows)))


def short_decimal_at(place: int) -> Fraction:
    """Return the decimal of two digits at a place among all of them: 1.0 is at 0, 1.1 at 1, 0.99 at -1.

    >>> [str(short_decimal_at(place)) for place in (0, 1, 89, 90, -1)]
    ['1', '11/10', '99/10', '10', '99/100']
    """
    tens, more = divmod(place, _LEADING)
    return (10 + more) * power_of_ten(tens - 1)


def _place(x: Fraction) -> int:
    """Return the place of the largest decimal of two digits that is not above x."""
    tens = floor_log10(x)
    return _LEADING * tens + int(x / power_of_ten(tens - 1)) - 10


def _is_useful(line: Line, epsilon: Fraction, if_rows: Any) -> bool:
    try:
        return all(each.is_useful for each in replaced(line, epsilon=epsilon, target=None).number_errors(if_rows))
    except SnapdpError:  # nobody asked for it
        return False


# The other way to a variance where n is public, compared at every mean: squares and a sum instead of one number.
# Nothing is released this way. With X the sum of distances from the middle of the bounds, and squares and sum within
# a_q and a_x of theirs, each missing with alpha/2,
#
#     |variance~ - variance| <= (a_q + 2 |mean - middle| a_x + a_x**2/n)/(n - 1)                 sensitivities (33)
#
# which is less than the error of the one number where the mean is near the middle, and more elsewhere.

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
        of_squares, of_sum = _accuracies_of_squares_and_sum(line, variance, share)
        at_middle = of_squares + of_sum * of_sum / n
        least = min(least, at_middle)
        within = max(within, (allowed - at_middle) / (2 * of_sum))
    if within <= 0:
        return None
    half = (variance.column.upper - variance.column.lower) / 2
    return OtherWay(middle=variance.column.middle, within=min(within, half), better=1 - least / allowed)


def _accuracies_of_squares_and_sum(line: Line, variance: Variance, share: Fraction) -> tuple[Fraction, Fraction]:
    """Return those of squares at a share of epsilon, and of the sum at what is left; each may miss with alpha/2."""
    column, relation = variance.column, variance.relation
    square = column.levels**2
    squares = Numerator(
        name="squares", sensitivity=square, lower=0, upper=relation.rows * square, factor=column.step**2 / 4
    )
    total = sum_above_lower(column, relation, factor=column.step, shift=relation.rows * column.lower)
    of_squares = part_accuracy(Part(numerator=squares, share=share), line.epsilon, line.alpha / 2)
    return of_squares, part_accuracy(Part(numerator=total, share=1 - share), line.epsilon, line.alpha / 2)
