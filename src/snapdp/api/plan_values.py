"""What machines read of a plan: plain values, amounts as exact fractions.

For --json and for the page. Figures for display are texts, rounded up; keys stay what they were, new ones
are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snapdp.display.numbers import four_digits_up
from snapdp.display.text import guessed_right, hides_nothing
from snapdp.studies.plans.advice import Offer, OtherWay, Useless, other_way
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.plan import Excess, Plan, excess_of
from snapdp.studies.plans.text import error_in_words, reading_of, useless_in_words
from snapdp.studies.protection import describe_protected, explain_protection
from snapdp.studies.statistics.adjusted import CellError, MarginFigures
from snapdp.studies.statistics.trees import LikelyQuantile, RankFigures
from snapdp.values import Values

Likes = Mapping[int, Sequence[LikelyQuantile]]  # by the number of a line: what it would be worth for public rows


def plan_values(plan: Plan, likes: Likes) -> Values:
    """Return a plan as plain values: amounts as exact fractions, figures for display as text rounded up."""
    useless = {each.place: each for each in plan.useless}
    return {
        "ok": True,
        "total": str(plan.total),
        "budget": None if plan.budget is None else str(plan.budget),
        "if_rows": plan.if_rows,
        "relation": describe_protected(plan.relation),
        "odds": {
            "text": explain_protection(plan.relation, plan.total),
            "right_of_100": guessed_right(plan.total),
            "most_units": plan.relation.most_units,
        },
        "over": None if (excess := excess_of(plan)) is None else _excess_values(plan, excess),
        "warning": hides_nothing(plan.total),
        "reading": reading_of(plan),
        "lines": [
            {**_line_values(line, offer), **_error_values_of(plan, place, useless), **_likely_values(likes.get(place))}
            for place, (line, offer) in enumerate(zip(plan.lines, plan.offers(), strict=True))
        ],
        "sharing": [
            {
                "columns": list(each.columns),
                "epsilon": str(each.epsilon),
                "rows": each.rows,
                "apart": list(map(str, each.apart)),
                "together": list(map(str, each.together)),
                "remark": each.in_words,
            }
            for each in plan.sharings
        ],
    }


def _excess_values(plan: Plan, excess: Excess) -> Values:
    """Return by how much a plan is over its budget, and which lines are, each by itself, enough to leave out."""
    fitted = excess.fitted
    return {
        "epsilon": str(excess.over),
        "fitted": None if fitted is None else [str(line.epsilon) for line in fitted.lines],
        "enough": [plan.lines[place].statistic.title for place in excess.enough],
    }


def _error_values_of(plan: Plan, place: int, useless: Mapping[int, Useless]) -> Values:
    """Return how far the numbers of a line may be off, at the guess of rows, and whether that is useful."""
    line, found = plan.lines[place], plan.errors[place]
    errors = [
        {
            "name": number.name or line.statistic.title,
            "text": error_in_words(line.statistic, number),
            "exact": str(number.error),
            "range": str(number.width),
            "rows": number.rows,
            "promised": number.promised,
            "in_rows": number.in_rows,
            "if_deviations": list(map(str, number.spreads)),
        }
        for number in found
    ]
    weak, way = useless.get(place), other_way(line)
    return {
        "error": errors[0] if errors else None,
        "errors": errors,
        "useful": {
            "useful": weak is None,
            "epsilon": None if weak is None or weak.epsilon is None else str(weak.epsilon),
            "text": None if weak is None else useless_in_words(weak),
        },
        **({} if way is None else {"other_way": _way_values(way)}),
    }


def _way_values(way: OtherWay) -> Values:
    return {
        "middle": str(way.middle),
        "within": str(way.within),
        "better": str(way.better),
        "text": way.in_words,
    }


def _line_values(line: Line, more: Offer) -> Values:
    return {
        "statistic": line.statistic.title,
        "epsilon": str(line.epsilon),
        "alpha": str(line.alpha),
        "locked": line.lock,
        "target": None if line.target is None else str(line.target),
        "meets_target": line.meets_target,
        "cells": line.statistic.cells,
        "parts": [
            {
                "name": part.numerator.name,
                "accuracy": str(accuracy),
                "accuracy_shown": four_digits_up(accuracy),
                "share": str(part.share),
                "sensitivity": str(part.numerator.statistic_sensitivity),
                "range": [str(end) for end in part.numerator.statistic_range],
            }
            for part, accuracy in zip(line.statistic.parts, line.accuracies, strict=True)
        ],
        **({"margins": [_margin_values(each) for each in line.margins]} if line.margins else {}),
        **({} if line.ranks is None else {"ranks": _rank_values(line.ranks, more)}),
        "remarks": line.remarks,
    }


def _margin_values(figures: MarginFigures) -> Values:
    return {
        "margin": figures.text,
        "cells": figures.cells,
        "epsilon": str(figures.epsilon),
        "measured": _error_values(figures.measured),
        "adjusted": _error_values(figures.adjusted),
        "table_alone": _error_values(figures.alone),
    }


def _rank_values(figures: RankFigures, more: Offer) -> Values:
    """Return how far ranks may be misjudged; with a tenth more epsilon, too."""
    then = more.more_accuracies[0] if more.more_accuracies else None
    return {
        "radius": str(figures.radius),
        "radius_shown": four_digits_up(figures.radius),
        "radius_with_10_percent_more": None if then is None else str(then),
        "rows": figures.rows,
        "rows_are_public": figures.size_is_public,
        "share_shown": four_digits_up(100 * figures.share),
        "levels": figures.levels,
        "branches": list(figures.branches),
    }


def _likely_values(found: Sequence[LikelyQuantile] | None) -> Values:
    if found is None:
        return {}
    names = ("share", "value", "low", "high", "error")
    return {"if_like": [{name: str(getattr(each, name)) for name in names} for each in found]}


def _error_values(error: CellError | None) -> Values | None:
    if error is None:
        return None
    shown = four_digits_up(error.accuracy)
    return {"accuracy": str(error.accuracy), "accuracy_shown": shown, "deviation": error.deviation}
