"""Questions about what is public of a column: bounds, step, categories, dates. Each column is declared once.

Room: cli. Bounds, categories and rules are declared by whoever answers, never taken from a row. A declaration is judged
by the library as soon as an answer can be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from snapdp.api.outline import check_column
from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.pages import name_of
from snapdp.cli.start.questions import (
    Choice,
    Flow,
    Question,
    above_zero,
    is_number,
    listed,
    number,
    numbers,
    one_of,
    two_ends,
    two_numbers,
)
from snapdp.display import exact_amount, one_line
from snapdp.errors import ParameterError, SnapdpError
from snapdp.exact import parameter
from snapdp.studies import AS_TEXT, BINNED, BOOLEAN, BOOLEAN_WORDS, CATEGORY, DATE, DROPPED, EACH, INTEGER, NUMBER

HOLDS = (
    Choice(
        word="categories", means="names or codes: north, south; ja, nein; 1, 2, 3", others=("text",), stated=CATEGORY
    ),
    Choice(
        word="yes/no", means="true, t, yes, y, 1 or false, f, no, n, 0; not ja, nein", others=("truth",), stated=BOOLEAN
    ),
    Choice(word="dates", means="days, written as 2024-05-17; a year alone is a code", stated=DATE),
    Choice(word="numbers", means="counted between edges: 0, 18, 65", stated=NUMBER),
)
OTHERS = (
    Choice(word="leave", means="leave these rows out", others=("leave out", "out"), stated=DROPPED),
    Choice(word="count", means="count them, in groups of their own", others=("own",), stated=BINNED),
)
LEFT_OUT = Choice(word="leave", means="leave the row out: what is published is about rows that have one")
MIDDLE = "middle"
FINE = "1 for whole numbers, 0.01 for cents, 1000 for thousands."
COARSE = "Coarse, for a median: 50 or 100 for incomes, 1 for ages."
PERIODS = {"day": "2024-05-17", "week": "2024-W20", "month": "2024-05", "year": "2024"}
EACH_MENU = tuple(Choice(word=each, means=PERIODS.get(each, "")) for each in EACH)
MOST_CODES = 1000
CODES = re.compile(r"(\d{1,9})\.\.(\d{1,9})", re.ASCII)


def declare_numbers(columns: KnownColumns, name: str, *, summed: bool = True, ranked: bool = False) -> Flow[None]:
    """Ask for bounds and step of a column of numbers, and for missing cells where numbers are made of it.

    ranked   a median or quantiles are asked of it, which a coarse step makes more accurate
    """
    known, shown = columns.declared.setdefault(name, {}), name_of(name)
    if "lower" not in known:
        low, high = yield Question(
            key=("column", name, "bounds"),
            text=f"Between which values does {shown} lie?",
            hint="Known without looking: 0 to 120 for ages, 0 to 20000 for a month's pay. Cells beyond "
            "count as the nearer end.",
            more="Bounds must not come from the table: say what is possible, not what you have seen. The noise grows "
            "with their distance, so do not make them much wider than needed. Cells outside count as the nearer "
            "bound. If nobody knows any bounds: snapdp explore finds some, at a price.",
            check=two_numbers,
            after=lambda ends: f"From {' to '.join(exact_amount(number(each)) for each in ends)}.",
        )
        step = yield _step_question(name, low, high, hint=COARSE if ranked else FINE)
        known.update(_bounded(low, high, step))
    if summed and "missing" not in known:
        middle = exact_amount((parameter(known["lower"], name="low") + parameter(known["upper"], name="high")) / 2)
        known["missing"] = yield Question(
            key=("column", name, "missing"),
            text=f"And where a cell of {shown} is empty or is no number?",
            menu=(LEFT_OUT, Choice(word=MIDDLE, means=f"count it as {middle}, the middle of the bounds")),
            hint="1, 2, or a number that stands in for it.",
            more="Left out: statistics are about the rows that have a number, and how many these are is private too. "
            "A number that stands in keeps every row, and pulls averages towards it; 1 and 2 "
            "themselves are typed as 1.0 and 2.0.",
            check=lambda text: _checked_missing(name, known, text),
        )


def _step_question(name: str, low: str, high: str, edges: Sequence[str] = (), hint: str = FINE) -> Question:
    return Question(
        key=("column", name, "step"),
        text=f"To what are the values of {name_of(name)} rounded?",
        hint=hint,
        more="Values are rounded to multiples of this before anything is added up, so that sums are exact. A "
        "coarser step changes sums little, and makes medians and quartiles more accurate.",
        check=lambda text: _checked_step(name, low, high, text, edges),
    )


def declare_groups(columns: KnownColumns, names: Sequence[str]) -> Flow[None]:
    """Ask for what each column that rows are counted by can hold."""
    for name in names:
        if columns.declared.get(name, {}).get("kind") is None:
            stored = columns.stored_kind(name)
            kind = yield Question(
                key=("column", name, "holds"),
                text=f"What does {name_of(name)} hold?",
                menu=HOLDS,
                more="Rows are counted by its categories, by true and false, by periods, or between edges. Of yes/no "
                f"the words are {BOOLEAN_WORDS}, in any capitals. Other words, such as ja and nein or oui and non, are "
                "two categories: as yes/no none of them would be read.",
                hint="A number from 1 to 4.",
                default=next((each.word for each in HOLDS if each.stated == stored), None),
                check=one_of(HOLDS),
            )
            if kind != NUMBER:
                columns.declared[name] = {"kind": kind}
        known = columns.declared.get(name, {})
        if known.get("kind") in (None, NUMBER, INTEGER):
            yield from _declare_bins(columns, name)
        elif len(known) == 1:
            yield from _DECLARE[known["kind"]](name, known)


def _declare_bins(columns: KnownColumns, name: str) -> Flow[None]:
    """Ask for the edges of groups; the outer ones are the bounds, unless these were said before."""
    known = columns.declared.setdefault(name, {})
    if "lower" not in known:
        edges: list[str] = yield Question(
            key=("column", name, "edges"),
            text=f"Between which edges is {name_of(name)} counted?",
            hint="Known without looking. Rising, with commas: 0, 18, 65, 120 makes three groups.",
            more="A row counts between two edges if its value is at least the first and below the second; the last "
            "group holds its end too. Cells beyond the outer edges count as the nearer one. Edges must not come from "
            "the table.",
            check=_rising,
            after=_beyond,
        )
        step = yield _step_question(name, edges[0], edges[-1], edges)
        known.update({**_bounded(edges[0], edges[-1], step), "edges": edges})
    elif "edges" not in known:
        known["edges"] = yield Question(
            key=("column", name, "edges"),
            text=f"Between which edges is {name_of(name)} counted?",
            hint="Rising, with commas: 0, 18, 65, 120 makes three groups.",
            more="A row counts between two edges if its value is at least the first and below the second; the last "
            "group holds its end too. Edges lie inside the bounds and on the step.",
            check=lambda text: _checked_edges(name, known, text),
        )


def _declare_categories(name: str, known: dict[str, Any]) -> Flow[None]:
    said: dict[str, Any] = yield Question(
        key=("column", name, "categories"),
        text=f"Which categories can {name_of(name)} have?",
        hint="All that can be, as in the file: north, south. Codes: 1, 2, 3 or 1..3.",
        more="The list must not come from the table: a category that only one person has would tell of that person. "
        "One that nobody has is released as well, with noise. A name that holds a comma stands in double quotes.",
        check=lambda text: _listed_categories(name, known, text),
        after=lambda found: "Compared as text: a cell 1.0 is not 1." if "compare" in found else "",
    )
    known.update(said)
    yield from _declare_others(name, known)


def _declare_dates(name: str, known: dict[str, Any]) -> Flow[None]:
    first, last = yield Question(
        key=("column", name, "days"),
        text=f"From which day to which is {name_of(name)} counted?",
        hint="Both days count: 2024-01-01 to 2024-12-31.",
        more="Known without looking, such as the year that the table is about: the first and last day in it would tell "
        "of somebody. Every period in between is published, also where nobody is in it. What lies outside is asked for "
        "next.",
        check=lambda text: _checked_days(name, text),
    )
    each = yield Question(
        key=("column", name, "each"),
        text="Counted by what?",
        menu=EACH_MENU,
        more="There is one number for each day, week, month or year. All have the same noise: longer periods have more "
        "rows, and it matters less.",
        check=lambda text: _checked_each(name, first, last, text),
    )
    known.update({"from": first, "to": last, "each": each})
    yield from _declare_others(name, known)


def _declare_others(name: str, known: dict[str, Any]) -> Flow[None]:
    rule = yield Question(
        key=("column", name, "others"),
        text=f"And rows where {name_of(name)} is empty or something else?",
        menu=OTHERS,
        more="Left out, they are in no group: totals of the groups are about the other rows. Counted, they are "
        "groups beside the others, with noise as all groups have.",
        default=OTHERS[0].word,
        check=one_of(OTHERS),
    )
    known.update({"unknown": rule, "null": rule})


_DECLARE: Mapping[str, Callable[[str, dict[str, Any]], Flow[None]]] = {
    CATEGORY: _declare_categories,
    DATE: _declare_dates,
    BOOLEAN: _declare_others,
}


def _bounded(low: str, high: str, step: str) -> dict[str, Any]:
    if above_zero(step) == 1:
        return {"kind": INTEGER, "lower": low, "upper": high}
    return {"kind": NUMBER, "lower": low, "upper": high, "step": step}


def with_step(name: str, known: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the declaration of a column of numbers with another step, which an answer says."""
    others = {key: value for key, value in known.items() if key not in ("kind", "lower", "upper", "step")}
    return _checked(name, {**_bounded(known["lower"], known["upper"], str(above_zero(text))), **others})


def with_levels(known: Mapping[str, Any], levels: int) -> dict[str, Any]:
    """Return the declaration with a step so wide that there are about so many values."""
    low, high = (number(known[key]) for key in ("lower", "upper"))
    return {**known, "kind": NUMBER, "step": str((high - low) / levels)}


def _checked(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    """Return a declaration that a study could have; a refusal needs no word of where in the study it would stand."""
    try:
        check_column(name, declared)
    except SnapdpError as refusal:
        told = refusal.problem.removeprefix(f"columns.{one_line(name)}: ")
        raise ParameterError(told, refusal.advice) from None
    return declared


def _listed_categories(name: str, known: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the categories of an answer; numbers among other names are compared as text, as all of them then are."""
    found = {**known, "categories": _codes(text)}
    try:
        return _checked(name, found)
    except ParameterError:
        if not any(map(is_number, found["categories"])):
            raise
        return _checked(name, {**found, "compare": AS_TEXT})


def _codes(text: str) -> list[str]:
    """Return categories; 1980..1987 stands for all whole numbers from one to the other."""
    found: list[str] = []
    for each in listed(text):
        ends = CODES.fullmatch(each)
        codes = range(int(ends[1]), int(ends[2]) + 1) if ends else (each,)
        if len(codes) > MOST_CODES:
            raise ParameterError(f"{each} are more than {MOST_CODES} codes.", "Count numbers between edges instead.")
        found += map(str, codes)
    return found


def _checked_step(name: str, low: str, high: str, text: str, edges: Sequence[str]) -> str:
    step = str(above_zero(text))
    _checked(name, {**_bounded(low, high, step), **({"edges": list(edges)} if edges else {})})
    return step


def _beyond(edges: Sequence[str]) -> str:
    low, high = (exact_amount(number(edges[place])) for place in (0, -1))
    return f"Cells below {low} count as {low}, above {high} as {high}."


def _rising(text: str) -> list[str]:
    found = numbers(text)
    if len(found) < 2 or sorted(set(found)) != found:
        raise ParameterError("these are no edges that rise, two or more.", "Type them such as 0, 18, 65, 120.")
    return list(map(str, found))


def _checked_missing(name: str, known: dict[str, Any], text: str) -> str:
    """Return the rule of an answer: 1 and 2 are the choices, and a one that stands in is typed as 1.0."""
    choices = {"1": DROPPED, "leave": DROPPED, "leave out": DROPPED, "2": MIDDLE}
    return str(_checked(name, {**known, "missing": choices.get(text.lower(), text)})["missing"])


def _checked_edges(name: str, known: dict[str, Any], text: str) -> list[str]:
    found = list(map(str, numbers(text)))
    return list(_checked(name, {**known, "edges": found})["edges"])


def _checked_days(name: str, text: str) -> tuple[str, str]:
    first, last = two_ends(text)
    _checked(name, {"kind": DATE, "from": first, "to": last, "each": "year"})
    return first, last


def _checked_each(name: str, first: str, last: str, text: str) -> str:
    each = one_of(EACH_MENU)(text)
    _checked(name, {"kind": DATE, "from": first, "to": last, "each": each})
    return each
