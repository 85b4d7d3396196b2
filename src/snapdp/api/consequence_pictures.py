"""The four pictures of a line of a plan: law, odds, intervals, curve.

Room: api. Chooses what is drawn; how it looks is `display`. What does not depend on the guess is remembered: a slider
asks many times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from snapdp.accuracy import LawBar, LawBars, bars_of_law
from snapdp.api.consequence_words import Fall, OddsOf, adjusted_accuracy, chance_text, number_text, odds_sentence
from snapdp.display import (
    Bar,
    Chosen,
    Compared,
    Html,
    LawPicture,
    Odds,
    confidence,
    curve_picture,
    exact_amount,
    four_digits_up,
    how_often,
    interval_picture,
    odds_picture,
)
from snapdp.errors import SnapdpError
from snapdp.exact import to_float_nearest
from snapdp.mechanism import ExactLaw
from snapdp.studies import UNADJUSTED, Line, RankCurve, Relation, ReleasedPart, explain_protection, remembered

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


def odds_drawn(odds: Sequence[OddsOf], relation: Relation) -> Html:
    """Return to what one release, the plan, or all that was ever charged may raise an even chance of guessing right."""
    sentence = explain_protection(relation, odds[0].epsilon)
    said = f"{sentence} {'; '.join(map(odds_sentence, odds))}."
    bars = [Odds(f"{each.name} (epsilon {each.epsilon_text})", each.right, each.text) for each in odds]
    return odds_picture(bars, title="An even chance of guessing right, and to what it may rise", said=said)


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
