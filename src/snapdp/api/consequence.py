"""What a line of a plan means at a guess of the true value: sentences and four pictures, for the page.

A slider moves the guess and asks many times, so what does not depend on the guess is remembered. Only public parameters
and the guess are used. Figures are exact or rounded to the safe side: outward, chances and errors up; comparisons are
rounded to nearest. How pictures look is `display`'s.
Theory: docs/theory/exact-law.md, (3); docs/theory/planning.md, (6), (29), (31), (32), (39).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snapdp.accuracy.curve import LawBar, LawBars, bars_of_law
from snapdp.display.html import Html
from snapdp.display.numbers import decimal_nearest, exact_amount, four_digits_up, noise_digits, two_digits
from snapdp.display.pictures import (
    Bar,
    Chosen,
    Compared,
    LawPicture,
    Odds,
    curve_picture,
    interval_picture,
    odds_picture,
)
from snapdp.display.text import above_or_below, confidence, guessed_right, how_often, one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact.numbers import parameter, shown, to_float_nearest
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.studies.plans.advice import UNADJUSTED, cliff_in_words, cliffs_of, offer_in_words
from snapdp.studies.plans.lines import Line, RankCurve, ReleasedPart, called_groups, remembered, shown_parts
from snapdp.studies.plans.text import error_in_words
from snapdp.studies.protection import describe_most_units, describe_rise, explain_protection
from snapdp.values import Value, Values

if TYPE_CHECKING:
    from snapdp.ledger.accounts import Account
    from snapdp.mechanism.law.law import Law
    from snapdp.studies.plans.plan import Plan

SLIDER_STEPS = 200


class Consequence(Value):
    """What one released number of a line means, if the true value were a guess.

    title    of the statistic, as people read it
    parts    names of the numbers that it releases; `part` is the one that is shown
    range    between which numbers the true value lies, whatever the table is
    value    the guess that is used: what was given, or the number nearest to it that the statistic can be, where that
             is visibly another
    says     sentences
    odds     what somebody learns from this statistic, from the whole plan, and from everything ever charged
    """

    title: str
    parts: tuple[str, ...]
    part: int
    range: tuple[Fraction, Fraction]
    range_texts: tuple[str, str]
    value: Fraction
    value_text: str
    is_whole: bool
    says: tuple[str, ...]
    odds: tuple[OddsOf, ...]
    law: Html
    odds_picture: Html
    interval: Html
    curve: Html

    def values(self) -> Values:
        """Return everything as plain values: amounts exactly, as short texts, and as doubles for a slider."""
        # The range in doubles, in steps that hit both ends and the middle; of few whole numbers, each.
        low, high = self.range
        width = high - low
        step = Fraction(1) if self.is_whole and width <= SLIDER_STEPS else width / SLIDER_STEPS
        found = {"min": low, "max": high, "value": self.value, "step": step}
        return {
            "title": self.title,
            "parts": list(self.parts),
            "part": self.part,
            "range": list(map(exact_amount, self.range)),
            "range_shown": list(self.range_texts),
            "value": exact_amount(self.value),
            "value_shown": self.value_text,
            "slider": {name: to_float_nearest(each) for name, each in found.items()},
            "says": list(self.says),
            "odds": [each.values() for each in self.odds],
            "pictures": {
                "law": str(self.law),
                "odds": str(self.odds_picture),
                "interval": str(self.interval),
                "curve": str(self.curve),
            },
        }


def consequence(
    plan: Plan, place: int, *, part: int = 0, value: Any = None, account: Account | None = None, paid: bool = False
) -> Consequence:
    """Return what a line of a plan means.

    place    of the line, from 0
    part     which of its released numbers is shown, from 0
    value    a guess of the true number, in units of the statistic: the middle of its range, unless told; beyond an end
             of the range, that end
    account  what was charged to it before is said beside the odds
    paid     this plan was released already, and is among it
    """
    released = _released(plan, place, part)
    low, high = released.range
    asked = (low + high) / 2 if value is None else parameter(value, name="value")
    guess = released.possible(asked)
    fall = Fall(released=released, guess=guess)
    odds = odds_of_line(plan, place, account, paid=paid)
    # To what one release, the plan, or all that was ever charged may raise an even chance of guessing right.
    sentence = explain_protection(plan.relation, odds[0].epsilon)
    said = f"{sentence} {'; '.join(map(odds_sentence, odds))}."
    bars = [  # the axis begins at 50, so a bar says only to what the chance may rise
        Odds(f"{each.name} (epsilon {each.epsilon_text})", each.right, each.text.removeprefix("from 50% to "))
        for each in odds
    ]
    return Consequence(
        title=one_line(plan.titles[place]),
        parts=tuple(shown_parts(released.line.statistic)),
        part=part,
        range=(low, high),
        range_texts=(number_text(low, released), number_text(high, released)),
        value=guess,
        value_text=fall.text,
        is_whole=released.part.numerator.integers,
        says=tuple(sentences(plan, place, fall)),
        odds=odds,
        law=law_drawn(fall),
        odds_picture=odds_picture(bars, title="An even chance of guessing right, and to what it may rise", said=said),
        interval=interval_drawn(fall),
        curve=curve_drawn(released.line, part),
    )


def line_words(plan: Plan, place: int) -> dict[str, str]:
    """Return what a table says beside a line: what a tenth more epsilon buys, and whether a cliff is near."""
    line = _released(plan, place, 0).line
    return {
        "offer": offer_in_words(line, plan.errors[place], plan.if_rows),
        "cliff": " ".join(map(cliff_in_words, cliffs_of(line))),
    }


def _released(plan: Plan, place: int, part: int) -> ReleasedPart:
    if type(place) is not int or not 0 <= place < len(plan.lines):
        raise ParameterError(
            f"place = {shown(place)} is no line of the plan.", f"Give 0 to {len(plan.lines) - 1}. Nothing was spent."
        )
    line = plan.lines[place]
    if type(part) is not int or not 0 <= part < len(line.statistic.parts):
        most = len(line.statistic.parts) - 1
        raise ParameterError(
            f"part = {shown(part)} is none of the numbers that {line.statistic.shown} releases.",
            f"Give 0 to {most}. Nothing was spent.",
        )
    return ReleasedPart(line=line, place=part)


# Sentences

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

    def values(self) -> Values:
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
    # What a tenth more epsilon buys, and of what where that is not the number shown.
    offer = offer_in_words(line, plan.errors[place], plan.if_rows)
    of = "" if line.accuracy is not None else f"{one_line(plan.titles[place])}: "
    if offer:
        yield f"{of}{offer if ': still' in offer else offer.replace(':', ' buys', 1)}."
    yield from map(cliff_in_words, cliffs_of(line))
    yield from _beside_laplace(released)


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
        yield (
            "The law shown is of what is measured. Tables are adjusted afterwards so that they add up, at no extra "
            "cost."
        )
        if (adjusted := adjusted_accuracy(released)) is not None:
            name = one_line(next(each.text for each in released.line.margins if each.margin == released.part.margin))
            yield f"Adjusted, numbers {name} are off by ± {four_digits_up(adjusted)} at most: these are published."
    elif line.statistic.derivation is not None:
        # How far the numbers are off that are computed from what is released.
        title = one_line(plan.titles[place])
        yield f"{title} is computed from the released numbers, at no extra cost; it has no single law to draw."
        for number in plan.errors[place]:
            name = one_line(number.name) or title
            yield f"{name}: {error_in_words(line.statistic, number)}."


def _called(released: ReleasedPart) -> str:
    """Return what a number is released for."""
    statistic = released.line.statistic
    is_read_off = statistic.derivation is not None and statistic.by is None
    return "range of values" if is_read_off else called_groups(statistic)


def adjusted_accuracy(released: ReleasedPart) -> Fraction | None:
    """Return how far the adjusted numbers of a margin are off; None where nothing is adjusted."""
    found = (each for each in released.line.margins if each.margin == released.part.margin)
    return next((each.adjusted.accuracy for each in found if each.measured is not None), None)


def odds_sentence(odds: OddsOf) -> str:
    """Return what one bar of the odds says."""
    return f"{odds.name}, epsilon {odds.epsilon_text}: {odds.text}"


# Pictures: distribution, odds, intervals, curve

RANK_PIECES = 12  # of a curve that is straight but for what nobody sees: each point takes long
WIDTH = 10  # the curve goes from a tenth of epsilon to ten times as much


def law_drawn(fall: Fall) -> Html:
    """Return where the released number may fall, if the true value were a guess."""
    released = fall.released
    (low, high), often = released.range, released.line.alpha
    return law_picture(
        released.law(fall.guess),
        released.statistic,
        released.part.numerator.factor * released.parameters.data_grid / 2,
        dict(zip(released.parameters.ends, fall.end_chances, strict=True)),
        value=(fall.guess, fall.text),
        band=(*fall.band, " to ".join(dict.fromkeys(fall.ends_of_band))),
        range=(low, high, number_text(low, released), number_text(high, released)),
        often=(confidence(often), how_often(often)),
        measured=_measured(released),
        name=released.name,
    )


def law_picture(
    law: ExactLaw,
    number: Callable[[int], Fraction],
    half: Fraction,
    chances: Mapping[int, Fraction],
    *,
    value: tuple[Fraction, str],
    band: tuple[Fraction, Fraction, str],
    range: tuple[Fraction, Fraction, str, str],
    often: tuple[str, str],
    measured: str = "",
    name: str,
) -> Html:
    """Return where an output may fall whose law is known.

    number    returns the output of an index; `half` is half the distance of two, so far a bar reaches to both sides
    chances   of the indices of both ends
    value     the guess, and as it is written; likewise the ends of the band together, and those of the range
    often     how many releases are in the band, for a heading and in a sentence
    measured  what figures are called that are adjusted afterwards
    """
    found, (first, last, between) = bars_of_law(law), band
    picture = LawPicture(
        bars=[_bar(each, number, half, law.parameters.low, chances) for each in found.bars],
        band=(first - half, last + half, f"{often[0]}{measured and f',{measured}'}: {between}"),
        value=(value[0], f"true value {value[1]}"),
        range=range,
        each=_together(found),
    )
    said = (
        f"If the true value were {value[1]}, {often[1]} the released number{measured} is {between}."
        f" Bars are as high as probabilities; {_together(found)}."
    )
    return picture.svg(title=f"Where the released number may fall: {name}", said=said)


def _bar(
    bar: LawBar, number: Callable[[int], Fraction], half: Fraction, lowest: int, chances: Mapping[int, Fraction]
) -> Bar:
    which = "lowest" if bar.first == lowest else "highest"
    said = f"{which} possible: {chance_text(chances[bar.first])}" if bar.is_end else ""
    low, high = number(bar.first) - half, number(bar.last) + half
    return Bar(low=low, high=high, probability=bar.height, is_end=bar.is_end, said=said)


def _measured(released: ReleasedPart) -> str:
    """Return that a figure is one before adjusting, where tables are adjusted afterwards."""
    return f" {UNADJUSTED}" if released.line.margins else ""


def _together(bars: LawBars) -> str:
    """Return what one bar is."""
    if bars.together == 1:
        return "each bar: one number that can be released"
    return f"each bar: {bars.together:,} neighbouring numbers together"


def interval_drawn(fall: Fall) -> Html:
    """Return the interval of the release beside others at the same epsilon, and the number itself."""
    released, guess = fall.released, fall.guess
    adjusted = adjusted_accuracy(released)
    errors = [
        *([] if adjusted is None else [("this release, adjusted", adjusted)]),
        ("this release" if adjusted is None else UNADJUSTED, released.accuracy),
        ("pure Laplace mechanism", released.laplace_accuracy),
        ("on the natural grid", released.natural_accuracy),
    ]
    rows = [Compared(name, f"± {four_digits_up(each)}", guess - each, guess + each) for name, each in errors]
    rows.append(Compared("without privacy", "exact", guess, guess))
    told = "; ".join(f"{each.name} {each.text}" for each in rows)
    said = f"At epsilon {exact_amount(released.line.epsilon)}, {how_often(released.line.alpha)}: {told}."
    return interval_picture(rows, value=guess, title=f"How far off: {released.name}", said=said)


@remembered
def curve_drawn(line: Line, place: int) -> Html:
    """Return the error of one part against epsilon, with its jumps, and the chosen point."""
    released = ReleasedPart(line=line, place=place)
    (epsilon, error), ranks = released.here, line.ranks is not None
    unit = " rows" if ranks else ""
    curve = RankCurve(line=line, pieces=RANK_PIECES) if ranks else released.curve
    at, height = to_float_nearest(epsilon), to_float_nearest(error)
    try:
        points = curve.points(epsilon / WIDTH, epsilon * WIDTH) or [(at, height)]
    except (SnapdpError, OverflowError, ZeroDivisionError):
        points = [(at, height)]
    of_what = "a rank" if ranks else released.name
    measured, often = _measured(released), confidence(line.alpha)
    text = f"± {four_digits_up(error)}{unit}{measured and f',{measured}'}"
    return curve_picture(
        points,
        Chosen(at, height, text),
        heights=f"± {'rows of a rank' if ranks else 'error'} ({often}), both axes in logarithms",
        title=f"Error of {of_what} against epsilon",
        said=f"At epsilon {exact_amount(epsilon)} the error is {text}. More epsilon, smaller error, in jumps where the "
        "distance of two possible numbers halves.",
    )
