"""How plans look: a table for people, plain values for machines. A bare mechanism: `worth`; releases: `release_screen`.

Room: cli. Prints through the screen alone. Figures are rounded to the safe side (up).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from snapdp.accuracy import Worth
from snapdp.cli import worth
from snapdp.cli.releases.release_screen import MOST_ROWS, show_release as show_release
from snapdp.cli.screen import note, one_line, table
from snapdp.display import exact_amount, four_digits_up, hides_nothing, short_decimal
from snapdp.studies import (
    AS_NUMBERS,
    CategoryColumn,
    CellError,
    Hierarchy,
    LikelyQuantile,
    Line,
    MarginFigures,
    NumberColumn,
    Offer,
    Plan,
    RankFigures,
    Sharing,
    key_text,
)

BAR_WIDTH = 12
RANKS_MEAN = (
    "± r rows: the rank of a value is how many rows lie up to it. Compared with the rank asked for, that of any one "
    "value is misjudged by more than r rows with probability at most alpha, for every table. The interval of a "
    "quantile holds the true one, of values between their bounds and rounded to the step, with probability at least "
    "1 - alpha; how long it is depends on the rows."
)
MOST_NAMES = 12  # of the categories of one column
Likes = Mapping[int, Sequence[LikelyQuantile]]
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def bar(share: Fraction, width: int = BAR_WIDTH) -> str:
    """Return a bar of Unicode blocks for a share between 0 and 1."""
    eighths = max(0, min(8 * width, round(share * 8 * width)))
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")


def show(result: Plan | Worth, *, to_stderr: bool = False, likes: Likes | None = None) -> None:
    """Print a result for people.

    likes   what lines of quantiles would be worth if the rows were like public ones, by their numbers
    """
    if isinstance(result, Plan):
        _print_plan(result, likes or {}, to_stderr=to_stderr)
    else:
        worth.show(result)


def values(result: Plan | Worth, *, likes: Likes | None = None) -> dict[str, Any]:
    """Return a result for machines: amounts as exact fractions."""
    return _plan_values(result, likes or {}) if isinstance(result, Plan) else worth.values(result)


def _print_plan(plan: Plan, likes: Likes, *, to_stderr: bool = False) -> None:
    """Print a plan as a table, with what a tenth more epsilon would buy."""
    heads = ("statistic", "epsilon", "share", "accuracy", "with 10 % more")
    rows = [
        [
            one_line(title),
            exact_amount(line.epsilon),
            bar(line.epsilon / plan.total),
            _accuracies(line, offer.accuracies),
            "" if line.margins else _accuracies(line, offer.more_accuracies),
        ]
        for line, title, offer in zip(plan.lines, plan.titles, plan.offers(), strict=True)
    ]
    table(heads, rows, numbers=(1, 3, 4), title=_title(plan), err=to_stderr)
    for line, title in zip(plan.lines, plan.titles, strict=True):
        if line.margins:
            _print_margins(line, title, to_stderr=to_stderr)
    for place, found in likes.items():
        _print_likely(plan.titles[place], found, to_stderr=to_stderr)
    for line, title in zip(plan.lines, plan.titles, strict=True):
        if line.remarks:
            note(f"{one_line(title)}: {line.remarks}", err=to_stderr)
    for sharing in plan.sharings:
        note(sharing.in_words, err=to_stderr)
    for remark in reading_of(plan):
        note(remark, err=to_stderr)
    if arithmetic := arithmetic_of_plan(plan):
        note(arithmetic, err=to_stderr)
    relation = plan.lines[0].statistic.relation
    note(f"Neighbours: {one_line(relation.in_words)}", err=to_stderr)
    for meaning in _meanings(plan):
        note(meaning, err=to_stderr)
    if warning := hides_nothing(plan.total):
        note(warning, err=to_stderr, style="bold red")


def _print_likely(title: str, found: Sequence[LikelyQuantile], *, to_stderr: bool) -> None:
    """Print how far quantiles would be off, in units of the column, for rows that are like public ones."""
    rows = [
        [exact_amount(each.share), *map(short_decimal, (each.value, each.low, each.high)), short_decimal(each.error)]
        for each in found
    ]
    note(
        f"{one_line(title)}, if {found[0].rows} rows were distributed like the public ones: the quantile there, the "
        "values whose rank is within the radius of the one asked for, and how far the farther end is.",
        err=to_stderr,
    )
    table(("quantile", "value", "from", "to", "error"), rows, numbers=(0, 1, 2, 3, 4), err=to_stderr)


def _meanings(plan: Plan) -> list[str]:
    """Return what the figures of a plan promise, for accuracies and for ranks."""
    ranked = [line for line in plan.lines if line.ranks is not None]
    others = [line for line in plan.lines if line.ranks is None]
    found = []
    if others:
        promise = "accuracy a: |released - true| > a with probability at most alpha, for every table"
        found.append(f"{promise}; alpha = {_alphas(others)}.")
    if ranked:
        found.append(f"{RANKS_MEAN} alpha = {_alphas(ranked)}.")
    return found


def _alphas(lines: list[Line]) -> str:
    return ", ".join(sorted({exact_amount(line.alpha) for line in lines}))


def _print_margins(line: Line, title: str, *, to_stderr: bool) -> None:
    """Print what every margin of a table is worth, and what it would be worth without margins."""
    heads = ("margin", "cells", "epsilon", "measured", "adjusted", "table alone")
    rows = [
        [
            one_line(each.text),
            str(each.cells),
            exact_amount(each.epsilon),
            *map(_error, (each.measured, each.adjusted, each.alone)),
        ]
        for each in line.margins
    ]
    table(heads, rows, numbers=(1, 2, 3, 4, 5), title=one_line(title), err=to_stderr)
    note(
        "± is the accuracy of a cell and sd its standard deviation: as it is measured; adjusted, so that all margins "
        "add up; and as a sum of cells of the whole table, if that alone were released at the same epsilon.",
        err=to_stderr,
    )
    if isinstance(line.statistic.margins, Hierarchy):
        note(
            "Cells of one level may err by different amounts, depending on how many there are beside and below them: "
            "the figures are those of the cell that errs most.",
            err=to_stderr,
        )


def _error(error: CellError | None) -> str:
    if error is None:
        return "-"
    return f"± {four_digits_up(error.accuracy)}\nsd {four_digits_up(Fraction(error.deviation))}"


def arithmetic_of_plan(plan: Plan) -> str:
    """Return in which arithmetic a plan computes, as a sentence; empty where it is exact."""
    arithmetic = plan.lines[0].arithmetic
    if arithmetic is None:
        return ""
    chosen = ", chosen" if arithmetic.bits is None else ""
    only = "" if arithmetic.rule == "proved" else "; for plans only"
    return f"Arithmetic: {plan.arithmetic_in_words}{chosen}{only}."


def reading_of(plan: Plan) -> list[str]:
    """Return how cells are read, as far as the declarations of a plan tell: it depends on no data."""
    columns = dict.fromkeys(column for line in plan.lines for column in line.statistic.every_column)
    categories = [each for each in columns if isinstance(each, CategoryColumn)]
    told = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.missing_in_words))[:MOST_ROWS]
    found = [f"Missing and unreadable cells: {'; '.join(map(one_line, told))}."] if told else []
    others = list(dict.fromkeys(clause for line in plan.lines for clause in line.statistic.others_in_words))[:MOST_ROWS]
    found += [f"Other cells: {'; '.join(map(one_line, others))}."] if others else []
    found += [f"Groups: {'; '.join(named)}."] if (named := _groups(plan)) else []
    bounds = [_bounds(each) for each in columns if isinstance(each, NumberColumn)][:MOST_ROWS]
    found += [f"Cells are moved between their bounds: {'; '.join(bounds)}."] if bounds else []
    plain = [each for each in categories if each.listed and each.compare != AS_NUMBERS]
    if any(looks_like_number(name) for each in plain for name in each.categories):
        found.append("Categories are compared as text: 1 is not 1.0.")
    if any(each.compare == AS_NUMBERS for each in categories):
        found.append("Categories that are numbers are compared as numbers: 1.0 is 1.")
    return found


def _groups(plan: Plan) -> list[str]:
    """Return the declared names of groups as they will be looked for: one that nobody has costs as much."""
    by = (column for line in plan.lines if line.statistic.by is not None for column in line.statistic.by.columns)
    listed = [
        each for each in dict.fromkeys(by) if isinstance(each, CategoryColumn) and each.listed and each.categories
    ]
    return [one_line(f"{each.name} {_some(each.categories)}") for each in listed[:MOST_ROWS]]


def _some(names: Sequence[str]) -> str:
    """Return names, each in quotes where it could be taken for several; of many the first."""
    more = f", ... and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(map(key_text, names[:MOST_NAMES])) + more


def _bounds(column: NumberColumn) -> str:
    step = f", in steps of {exact_amount(column.step)}" if column.is_coarse else ""
    return one_line(f"{column.name} from {exact_amount(column.lower)} to {exact_amount(column.upper)}{step}")


def looks_like_number(text: str) -> bool:
    """Tell whether somebody may take a category for a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _title(plan: Plan) -> str:
    if plan.budget is None:
        return f"Plan: epsilon {exact_amount(plan.total)} in total"
    over = ", too much: add --fit" if plan.total > plan.budget else ""
    return f"Plan: epsilon {exact_amount(plan.total)} of a budget of {exact_amount(plan.budget)}{over}"


def _accuracies(line: Line, accuracies: tuple[Fraction, ...]) -> str:
    if not accuracies:
        return ""
    if line.statistic.margins is not None:
        return "see below"
    if line.ranks is not None:
        return f"± {four_digits_up(accuracies[0])} rows"
    if len(accuracies) == 1:
        return f"± {four_digits_up(accuracies[0])}"
    names = (part.numerator.name for part in line.statistic.parts)
    return "\n".join(f"{one_line(name)} ± {four_digits_up(a)}" for name, a in zip(names, accuracies, strict=True))


def _plan_values(plan: Plan, likes: Likes) -> dict[str, Any]:
    """Return a plan as plain values: amounts as exact fractions, figures for display as text rounded up.

    bits   as declared, None where they are chosen: those of each part stand there
    """
    arithmetic = plan.lines[0].arithmetic
    return {
        "ok": True,
        "total": str(plan.total),
        "budget": None if plan.budget is None else str(plan.budget),
        "relation": plan.lines[0].statistic.relation.in_words,
        "arithmetic": "exact" if arithmetic is None else arithmetic.rule,
        "bits": None if arithmetic is None else arithmetic.bits,
        "warning": hides_nothing(plan.total),
        "reading": reading_of(plan),
        "lines": [
            {**_line_values(line, offer), **_likely_values(likes.get(place))}
            for place, (line, offer) in enumerate(zip(plan.lines, plan.offers(), strict=True))
        ],
        "sharing": [_sharing_values(each) for each in plan.sharings],
    }


def _sharing_values(sharing: Sharing) -> dict[str, Any]:
    return {
        "columns": list(sharing.columns),
        "epsilon": str(sharing.epsilon),
        "rows": sharing.rows,
        "apart": list(map(str, sharing.apart)),
        "together": list(map(str, sharing.together)),
        "remark": sharing.in_words,
    }


def _line_values(line: Line, more: Offer) -> dict[str, Any]:
    bits = line.bits or (None,) * len(line.statistic.parts)
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
                "bits": each,
            }
            for part, accuracy, each in zip(line.statistic.parts, line.accuracies, bits, strict=True)
        ],
        **({"margins": [_margin_values(each) for each in line.margins]} if line.margins else {}),
        **({} if line.ranks is None else {"ranks": _rank_values(line.ranks, more)}),
        "remarks": line.remarks,
    }


def _margin_values(figures: MarginFigures) -> dict[str, Any]:
    return {
        "margin": figures.text,
        "cells": figures.cells,
        "epsilon": str(figures.epsilon),
        "measured": _error_values(figures.measured),
        "adjusted": _error_values(figures.adjusted),
        "table_alone": _error_values(figures.alone),
    }


def _rank_values(figures: RankFigures, more: Offer) -> dict[str, Any]:
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


def _likely_values(found: Sequence[LikelyQuantile] | None) -> dict[str, Any]:
    if found is None:
        return {}
    names = ("share", "value", "low", "high", "error")
    return {"if_like": [{name: str(getattr(each, name)) for name in names} for each in found]}


def _error_values(error: CellError | None) -> dict[str, Any] | None:
    if error is None:
        return None
    shown = four_digits_up(error.accuracy)
    return {"accuracy": str(error.accuracy), "accuracy_shown": shown, "deviation": error.deviation}
