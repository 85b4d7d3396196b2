"""What a line of a plan means, in sentences: where its number falls, what more epsilon buys, what somebody learns.

Room: api. Public parameters and a guess only. Numbers are rounded outward, chances and errors up, comparisons to
nearest.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.display import (
    above_or_below,
    decimal_nearest,
    exact_amount,
    four_digits_up,
    guessed_right,
    how_often,
    noise_digits,
    one_line,
    two_digits,
)
from snapdp.exact import to_float_nearest
from snapdp.studies import (
    UNADJUSTED,
    ReleasedPart,
    called_groups,
    cliff_in_words,
    cliffs_of,
    describe_most_units,
    describe_rise,
    error_in_words,
    offer_in_words,
)
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.ledger import Account
    from snapdp.mechanism import Law
    from snapdp.studies import Line, Plan

LONGEST_EXACT = 12  # characters
VISIBLE = Fraction(1, 1000)  # a chance that a picture shows
SAME = Fraction(1, 2000)  # a difference that one digit of a percent does not show
CLEARLY = Fraction(1, 50)
NEVER = Fraction(1, 10**30)  # a smaller chance is said to be below this


class OddsOf(Value):
    """To what an epsilon may raise an even chance of guessing right."""

    name: str
    epsilon: Fraction

    @property
    def right(self) -> int:
        return guessed_right(self.epsilon)

    @property
    def text(self) -> str:
        """Return from where to where the chance may rise."""
        return describe_rise(self.epsilon)

    @property
    def epsilon_text(self) -> str:
        """Return epsilon exactly, or to six places where it is a long fraction."""
        exact = exact_amount(self.epsilon)
        return exact if len(exact) <= LONGEST_EXACT else f"about {decimal_nearest(self.epsilon, 6)}"

    def values(self) -> dict[str, Any]:
        """Return it as plain values."""
        return {"name": self.name, "epsilon": str(self.epsilon), "right_of_100": self.right, "text": self.text}


def odds_of_line(plan: Plan, place: int, account: Account | None, *, paid: bool = False) -> tuple[OddsOf, ...]:
    """Return the odds after one line, after the whole plan, and after all that was ever charged and the plan.

    paid   the plan was released: it is among what was charged                                       planning (39)
    """
    found = [
        OddsOf(name="this statistic", epsilon=plan.lines[place].epsilon),
        OddsOf(name="the whole plan", epsilon=plan.total),
    ]
    if (most := plan.relation.most_units or 1) > 1:
        found.append(OddsOf(name=f"the whole plan, {describe_most_units(plan.relation)}", epsilon=most * plan.total))
    if account is not None and paid:
        found.append(OddsOf(name="all that was ever charged", epsilon=account.spent))
    elif account is not None:
        before = "with all charged before" if account.spent else "with all charged before: nothing yet"
        found.append(OddsOf(name=before, epsilon=account.spent + plan.total))
    return tuple(found)


def number_text(x: Fraction, released: ReleasedPart) -> str:
    """Return a number of the statistic for people: exactly where that is short, else as a released one."""
    exact = exact_amount(x)
    return exact if len(exact) <= LONGEST_EXACT and "/" not in exact else released_text(x, released, ROUND_HALF_EVEN)


def released_text(x: Fraction, released: ReleasedPart, rounding: str) -> str:
    """Return a released number for people, with the digits that its error leaves meaningful."""
    half = Decimal(to_float_nearest(released.accuracy))
    return noise_digits(int(x) if x.denominator == 1 else to_float_nearest(x), half_width=half, rounding=rounding)


class Fall(Value):
    """Where the released number falls if the true value is a guess: everything that is printed of its law."""

    released: ReleasedPart
    guess: Fraction

    @cached_property
    def _law(self) -> Law:
        return self.released.law(self.guess)

    @cached_property
    def band(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest number of most releases: at most alpha/2 of them are below, and above."""
        half, number = self.released.line.alpha / 2, self.released.statistic
        return number(self._law.quantile_index(half)), number(self._law.quantile_index(1 - half))

    @property
    def ends_of_band(self) -> tuple[str, str]:
        """Return the two ends of the band as they are shown, rounded outward."""
        low, high = self.band
        return released_text(low, self.released, ROUND_FLOOR), released_text(high, self.released, ROUND_CEILING)

    @cached_property
    def end_chances(self) -> tuple[Fraction, Fraction]:
        """Return the chances, rounded up, that the released number is the lowest and the highest possible one."""
        low, high = (self._law.index_probability(k).upper for k in self.released.parameters.ends)
        return low, high

    @property
    def text(self) -> str:
        """Return the guess as it is shown."""
        return number_text(self.guess, self.released)


def chance_text(chance: Fraction) -> str:
    """Return a chance in percent, rounded up; where it is tiny, below what it is.

    >>> chance_text(Fraction(1, 3)), chance_text(Fraction(1, 10**9)), chance_text(Fraction(1, 10**99))
    ('34 %', 'below 1e-9', 'below 1e-30')
    """
    if chance >= VISIBLE:
        return f"{two_digits(100 * chance, ROUND_CEILING)} %"
    return f"below {two_digits(max(chance, NEVER), ROUND_CEILING)}"


def sentences(plan: Plan, place: int, fall: Fall) -> Iterator[str]:
    """Yield everything that is said: what is shown first, then what it means, then what could be changed."""
    released, line = fall.released, fall.released.line
    yield from _what_is_shown(plan, place, released)
    low, high = fall.ends_of_band
    where = low if low == high else f"between {low} and {high}"
    what = f"the number measured, {UNADJUSTED}," if line.margins else "the released number"
    yield f"If the true value were {fall.text}: {how_often(line.alpha)} {what} is {where}."
    yield _ends(fall)
    yield from _offer(plan, place, line)
    yield from map(cliff_in_words, cliffs_of(line))
    yield from _beside_laplace(released)


def _offer(plan: Plan, place: int, line: Line) -> Iterator[str]:
    """Yield what a tenth more epsilon buys, and of what where that is not the number shown."""
    offer = offer_in_words(line, plan.errors[place], plan.if_rows)
    of = "" if line.accuracy is not None else f"{one_line(plan.titles[place])}: "
    if offer:
        yield f"{of}{offer if ': still' in offer else offer.replace(':', ' buys', 1)}."


def _beside_laplace(released: ReleasedPart) -> Iterator[str]:
    """Yield how the error compares with that of the pure Laplace mechanism, to nearest: planning (29)."""
    pure = released.laplace_accuracy
    share = released.accuracy / pure - 1
    told = above_or_below(share) if abs(share) >= SAME else "the same as that of"
    of = f", {UNADJUSTED}," if released.line.margins else ""
    yield f"± {four_digits_up(released.accuracy)}{of} is {told} the pure Laplace mechanism, ± {four_digits_up(pure)}."
    if share < -CLEARLY and not released.part.numerator.integers:
        yield "It is smaller because the range of the number leaves less room for errors than the noise would take."


def _ends(fall: Fall) -> str:
    """Return how often the released number is one of the two ends of what can be released."""
    released = fall.released
    ends = [released.statistic(k) for k in released.parameters.ends]
    low, high = released_text(ends[0], released, ROUND_FLOOR), released_text(ends[1], released, ROUND_CEILING)
    chance = chance_text(sum(fall.end_chances, Fraction(0)))
    return f"It almost never falls on an end of what can be released, {low} or {high}: a chance {chance}."


def _what_is_shown(plan: Plan, place: int, released: ReleasedPart) -> Iterator[str]:
    """Yield which number the pictures are of, and what else there is that they do not show."""
    line, cells = released.line, released.part.cells
    several = len(line.statistic.parts)
    if several > 1:
        what = "tables that are measured" if line.margins else "numbers that are released"
        yield f"Shown is {released.name}, one of the {several} {what}."
    if cells > 1:
        does = "measured" if line.margins else "released"
        yield f"It is {does} {cells:,} times, once for each {_called(released)}: each of them follows the law shown."
    if line.ranks is not None:
        yield (
            f"Quantiles are read off all these counts together, and have no single law to draw. The curve is of ranks: "
            f"{how_often(line.alpha)} the number of rows at or below any one given value is known to {line.ranks.text}."
        )
    elif line.margins:
        yield from _of_margins(released)
    elif line.statistic.derivation is not None:
        yield from _of_derived(plan, place, line)


def _called(released: ReleasedPart) -> str:
    """Return what a number is released for."""
    statistic = released.line.statistic
    is_read_off = statistic.derivation is not None and statistic.by is None
    return "range of values" if is_read_off else called_groups(statistic)


def _of_margins(released: ReleasedPart) -> Iterator[str]:
    yield "The law shown is of what is measured. Tables are adjusted afterwards so that they add up, at no extra cost."
    if (adjusted := adjusted_accuracy(released)) is not None:
        name = one_line(next(each.text for each in released.line.margins if each.margin == released.part.margin))
        yield f"Adjusted, numbers {name} are off by ± {four_digits_up(adjusted)} at most: these are published."


def adjusted_accuracy(released: ReleasedPart) -> Fraction | None:
    """Return how far the adjusted numbers of a margin are off; None where nothing is adjusted."""
    found = (each for each in released.line.margins if each.margin == released.part.margin)
    return next((each.adjusted.accuracy for each in found if each.measured is not None), None)


def _of_derived(plan: Plan, place: int, line: Line) -> Iterator[str]:
    """Yield how far the numbers are off that are computed from what is released."""
    title = one_line(plan.titles[place])
    yield f"{title} is computed from the released numbers, at no extra cost; it has no single law to draw."
    for number in plan.errors[place]:
        name = one_line(number.name) or title
        yield f"{name}: {error_in_words(line.statistic, number)}."


def odds_sentence(odds: OddsOf) -> str:
    """Return what one bar of the odds says."""
    return f"{odds.name}, epsilon {odds.epsilon_text}: {odds.text}"
