"""Questions about columns: which one, and what is public about it. Each column is declared once.

Room: cli. Names are those of the file's first line or schema. Bounds, categories and rules are declared by whoever
answers, never taken from a row. A declaration is judged by the library as soon as an answer can be.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from snapdp.api.outline import check_column
from snapdp.cli.start.pages import name_of, show_names
from snapdp.cli.start.questions import (
    Choice,
    Flow,
    Question,
    above_zero,
    listed,
    numbers,
    one_of,
    two_ends,
    two_numbers,
)
from snapdp.display import exact_amount
from snapdp.errors import ParameterError
from snapdp.exact import parameter
from snapdp.studies import BINNED, BOOLEAN, CATEGORY, DATE, DROPPED, EACH, INTEGER, MAGNITUDE, NUMBER, storable
from snapdp.tables import StoredColumn

Declared = dict[str, dict[str, Any]]
CLOSE = 0.6  # likeness of names that are taken for a slip of the pen
HOLDS = (
    Choice(word="categories", means="names or codes of a list: north, south", others=("text",), stated=CATEGORY),
    Choice(word="yes/no", means="yes or no, true or false, 0 or 1", others=("truth",), stated=BOOLEAN),
    Choice(word="dates", means="days, written as 2024-05-17", stated=DATE),
    Choice(word="numbers", means="counted between edges: 0, 18, 65", stated=NUMBER),
)
OTHERS = (
    Choice(word="leave", means="leave these rows out", others=("leave out", "out"), stated=DROPPED),
    Choice(word="count", means="count them, in groups of their own", others=("own",), stated=BINNED),
)
LEFT_OUT = Choice(word="leave", means="leave the row out: what is published is about rows that have one")
MIDDLE = "middle"
EACH_MENU = tuple(Choice(word=each, means=f"by {each}") for each in EACH)
KINDS_IN_WORDS = {CATEGORY: "categories", BOOLEAN: "yes and no", DATE: "dates", MAGNITUDE: "numbers without bounds"}


class KnownColumns:
    """The columns of a table: those that a file names, or any where no file is opened; and what is declared of them."""

    def __init__(self, stored: Sequence[StoredColumn] | None = None) -> None:
        self.stored, self.declared = stored, Declared()

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.stored or ()]

    def show(self) -> None:
        """Print the names, where they are known."""
        if self.stored is not None:
            show_names(self.names)

    def named(self, text: str) -> str:
        """Return the column that an answer means: its name, or its number in the list."""
        if self.stored is None:
            return storable(text, "the name of a column")
        names = self.names
        numbered = text.isascii() and text.isdigit() and 0 < int(text[:9]) <= len(names)
        found = text if text in names else names[int(text) - 1] if numbered else None
        if found is None:
            raise _no_column(text, names)
        if not found.strip():
            raise ParameterError("this column has no name.", "Name it in the first line of the file, and start again.")
        if names.count(found) > 1:
            raise ParameterError(
                f"the table has several columns named {name_of(found)}.", "Rename one of them in the file."
            )
        return storable(found, "the name of a column")

    def of_numbers(self, text: str) -> str:
        """Return a column that holds, or may hold, numbers."""
        return self._fit(text, (NUMBER,), "numbers")

    def of_groups(self, text: str) -> str:
        """Return a column that rows can be counted by."""
        return self._fit(text, (CATEGORY, BOOLEAN, DATE, NUMBER), "groups")

    def of_sizes(self, text: str) -> str:
        """Return a column of numbers of which no bounds are declared."""
        return self._fit(text, (MAGNITUDE,), "numbers without bounds")

    def groups(self, text: str, about: Sequence[str] = ()) -> list[str]:
        """Return several columns that rows are grouped by, none that a statistic is about; an empty answer is none."""
        names = [self.of_groups(each) for each in listed(text)] if text else []
        if own := set(names).intersection(about):
            raise ParameterError(f"{name_of(own.pop())!r} is what this is about.", "Name another column.")
        if len(set(names)) < len(names):
            raise ParameterError("a column is named twice.", "Name each once, such as region, sex.")
        return names

    def _fit(self, text: str, kinds: Sequence[str], what: str) -> str:
        name = self.named(text)
        kind = self.declared.get(name, {}).get("kind")
        stored = next((each.kind for each in self.stored or () if each.name == name), None)
        said = NUMBER if kind == INTEGER else kind
        if said is not None and said not in kinds:
            told = KINDS_IN_WORDS.get(said, "numbers with bounds")
            raise ParameterError(f'"{name_of(name)}" was said to hold {told}, not {what}.', "Name another column.")
        wanted = NUMBER if MAGNITUDE in kinds else kinds[0]
        if said is None and stored is not None and stored not in (*kinds, wanted):
            raise ParameterError(
                f"the file stores {name_of(name)!r} as {KINDS_IN_WORDS.get(stored, stored)}, not as {what}.",
                "Name another column.",
            )
        return name

    def stored_kind(self, name: str) -> str | None:
        return next((each.kind for each in self.stored or () if each.name == name), None)


def which(
    columns: KnownColumns, *, key: tuple[str, ...], text: str, check: Callable[[str], Any], **more: Any
) -> Question:
    """Return a question for a column: the names are shown with it."""
    every = "  ".join(f"{number} {name_of(name)}" for number, name in enumerate(columns.names, start=1))
    told = f"Type its name as the file has it, or its number. All columns: {every}" if every else "Type its name."
    hint = more.pop("hint", "A name, or its number." if every else "Its name as the table has it, such as age.")
    return Question(key=key, text=text, hint=hint, check=check, more=told, listing=columns.show, **more)


def _no_column(text: str, names: Sequence[str]) -> ParameterError:
    small = {each.casefold(): each for each in reversed(names) if len(each) <= 200}
    near = difflib.get_close_matches(text[:200].casefold(), small, n=1, cutoff=CLOSE)
    if not near:
        return ParameterError(f'there is no column "{name_of(text)}".', "Type a name or a number of the list.")
    found = small[near[0]]
    return ParameterError(
        f'there is no column "{name_of(text)}".',
        f'Did you mean "{name_of(found)}"? Enter takes it.',
        nearest=found,
        given=text,
    )


# What is public about a column


def declare_numbers(columns: KnownColumns, name: str, *, summed: bool = True) -> Flow[None]:
    """Ask for bounds and step of a column of numbers, and for missing cells where numbers are made of it."""
    known, shown = columns.declared.setdefault(name, {}), name_of(name)
    if "lower" not in known:
        low, high = yield Question(
            key=("column", name, "bounds"),
            text=f"Between which values does {shown} lie?",
            hint="Known without looking, such as 0 to 120. Cells beyond are moved to the end.",
            more="Bounds must not come from the table: say what is possible, not what you have seen. The noise grows "
            "with their distance, so do not make them much wider than needed. Cells outside count as the nearer "
            "bound. If nobody knows any bounds: snapdp explore finds some, at a price.",
            check=two_numbers,
        )
        step = yield Question(
            key=("column", name, "step"),
            text=f"To what are the values of {shown} rounded?",
            hint="1 for whole numbers, 0.01 for cents, 1000 for thousands.",
            more="Values are rounded to multiples of this before anything is added up, so that sums are exact. A "
            "coarser step changes sums little, and makes medians and quartiles more accurate.",
            check=lambda text: _checked_step(name, low, high, text),
        )
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


def declare_groups(columns: KnownColumns, names: Sequence[str]) -> Flow[None]:
    """Ask for what each column that rows are counted by can hold."""
    for name in names:
        if columns.declared.get(name, {}).get("kind") is None:
            stored = columns.stored_kind(name)
            kind = yield Question(
                key=("column", name, "holds"),
                text=f"What does {name_of(name)} hold?",
                menu=HOLDS,
                more="Rows are counted by its categories, by true and false, by periods, or between edges.",
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
    yield from declare_numbers(columns, name, summed=False)
    known = columns.declared[name]
    if "edges" not in known:
        known["edges"] = yield Question(
            key=("column", name, "edges"),
            text=f"Between which edges is {name_of(name)} counted?",
            hint="Rising, with commas: 0, 18, 65, 120 makes three groups.",
            more="A row counts between two edges if its value is at least the first and below the second; the last "
            "group holds its end too. Edges lie inside the bounds and on the step.",
            check=lambda text: _checked_edges(name, known, text),
        )


def _declare_categories(name: str, known: dict[str, Any]) -> Flow[None]:
    known["categories"] = yield Question(
        key=("column", name, "categories"),
        text=f"Which categories can {name_of(name)} have?",
        hint='All that can be, as in the file: north, south. One with a comma: "a, b".',
        more="The list must not come from the table: a category that only one person has would tell of that person. "
        "One that nobody has is released as well, with noise.",
        check=lambda text: _checked(name, {**known, "categories": listed(text)})["categories"],
    )
    yield from _declare_others(name, known)


def _declare_dates(name: str, known: dict[str, Any]) -> Flow[None]:
    first, last = yield Question(
        key=("column", name, "days"),
        text=f"From which day to which is {name_of(name)} counted?",
        hint="Both days count: 2024-01-01 to 2024-12-31.",
        check=lambda text: _checked_days(name, text),
    )
    each = yield Question(
        key=("column", name, "each"),
        text="Counted by what?",
        menu=EACH_MENU,
        check=lambda text: _checked_each(name, first, last, text),
    )
    known.update({"from": first, "to": last, "each": each})
    yield from _declare_others(name, known)


def _declare_others(name: str, known: dict[str, Any]) -> Flow[None]:
    rule = yield Question(
        key=("column", name, "others"),
        text=f"And rows where {name_of(name)} is empty or something else?",
        menu=OTHERS,
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


def _checked(name: str, declared: dict[str, Any]) -> dict[str, Any]:
    check_column(name, declared)
    return declared


def _checked_step(name: str, low: str, high: str, text: str) -> str:
    _checked(name, _bounded(low, high, text))
    return text


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
