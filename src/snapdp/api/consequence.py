"""What a line of a plan means, at a guess of the true value: sentences and pictures. Public parameters only.

Room: api. For the page: one slider moves the guess, and everything here follows. Nothing of it depends on data; a guess
is anybody's. Figures are exact or rounded to the safe side, as they are in plans.
Theory: docs/theory/exact-law.md, (3); docs/theory/planning.md, (6), (29), (31), (32), (39).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.api.consequence_pictures import curve_drawn, interval_drawn, law_drawn, odds_drawn
from snapdp.api.consequence_words import Fall, OddsOf, number_text, odds_of_line, sentences
from snapdp.display import Html, exact_amount, one_line
from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown, to_float_nearest
from snapdp.studies import ReleasedPart, cliff_in_words, cliffs_of, offer_in_words, shown_parts
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.ledger import Account
    from snapdp.studies import Plan

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

    def values(self) -> dict[str, Any]:
        """Return everything as plain values: amounts exactly, as short texts, and as doubles for a slider."""
        return {
            "title": self.title,
            "parts": list(self.parts),
            "part": self.part,
            "range": list(map(exact_amount, self.range)),
            "range_shown": list(self.range_texts),
            "value": exact_amount(self.value),
            "value_shown": self.value_text,
            "slider": self._slider,
            "says": list(self.says),
            "odds": [each.values() for each in self.odds],
            "pictures": {
                "law": str(self.law),
                "odds": str(self.odds_picture),
                "interval": str(self.interval),
                "curve": str(self.curve),
            },
        }

    @property
    def _slider(self) -> dict[str, float]:
        """Return the range in doubles, in steps that hit both ends and the middle; of few whole numbers, each."""
        low, high = self.range
        width = high - low
        step = Fraction(1) if self.is_whole and width <= SLIDER_STEPS else width / SLIDER_STEPS
        found = {"min": low, "max": high, "value": self.value, "step": step}
        return {name: to_float_nearest(each) for name, each in found.items()}


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
        odds_picture=odds_drawn(odds, plan.relation),
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
