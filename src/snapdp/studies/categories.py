"""Kinds of category columns: text, numbers, booleans, dates. Each gives a cell its place in a public list.

Room: studies. It reads nothing itself. What a cell means is said here once, by the text of the cell; every engine
computes the same place, which the tests compare cell by cell:

    text      the category with exactly these characters
    numbers   the category that is the same number: 1, 1.0 and +01 are one                   PLAIN_NUMBER
    boolean   true, t, yes, y, 1 or false, f, no, n, 0, in any capitals; 1.0 and 0.0 too     TRUE, FALSE
    date      the period of an ISO date from first to last; a time behind it is cut off      ISO_DATE
    magnitude a number, by powers of two: `magnitudes` says it

A cell that is none of these is unknown; one that is absent is null. Blanks around a cell count in text alone.
Theory: docs/theory/exact-sums.md, (13).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from snapdp.display import one_line
from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import (
    AS_NUMBERS,
    BINNED,
    CATEGORY,
    DROPPED,
    CategoryColumn,
    category_column,
    check_rules,
    storable,
)
from snapdp.studies.comparisons import compared, natural_comparison, naturally_compared
from snapdp.studies.grouping.parents import parents_table, with_parents
from snapdp.studies.magnitudes import HIGHEST, LOWEST, MAGNITUDE, MagnitudeColumn, magnitude_column
from snapdp.studies.periods import EACH, Periods, period_number, period_start
from snapdp.studies.toml_table import TomlTable

BOOLEAN, DATE = "boolean", "date"
MOST_PERIODS = 100_000

# Patterns of whole cells, spelled so that every engine reads them alike: no class but of ASCII, no mark for an end.
PLAIN_NUMBER = " *[+-]?([0-9]{1,15}([.][0-9]{0,15})?|[.][0-9]{1,15}) *"
TRUE_WORD, FALSE_WORD = " *([tT]([rR][uU][eE])?|[yY]([eE][sS])?) *", " *([fF]([aA][lL][sS][eE])?|[nN][oO]?) *"
ONE, ZERO = " *[+]?0{0,14}1([.]0{0,15})? *", " *[+-]?(0{1,15}([.]0{0,15})?|[.]0{1,15}) *"
BOOLEAN_WORDS = "true, t, yes, y, 1 and false, f, no, n, 0"  # of these patterns, for people; in English alone
TRUE, FALSE = f"({TRUE_WORD}|{ONE})", f"({FALSE_WORD}|{ZERO})"
ISO_DATE = (
    " *[0-9]{4}-[0-9]{2}-[0-9]{2}"
    "([tT ] *[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)? *([zZ]|[uU][tT][cC]|[+-][0-9]{2}(:?[0-9]{2})?)?)? *"
)

RULE_KEYS = ("unknown", "null")
KIND_KEYS = {
    CATEGORY: ("kind", "categories", *RULE_KEYS, "compare", "parents"),
    BOOLEAN: ("kind", *RULE_KEYS),
    DATE: ("kind", "from", "to", "each", *RULE_KEYS),
    MAGNITUDE: ("kind", "exponents"),
}


class BooleanColumn(CategoryColumn):
    """A column of yes and no. Build one with `boolean_column`."""

    categories: tuple[str, ...] = ("false", "true")

    @property
    def kind(self) -> str:
        return BOOLEAN

    @property
    def called(self) -> str:
        return "values, true and false"

    @property
    def listed(self) -> bool:
        return False


class DateColumn(CategoryColumn):
    """A column of dates, counted by periods from the one that holds `first` to the one that holds `last`.

    Build one with `date_column`. The categories are the periods in order, as 2024-05-17, 2024-W20, 2024-05 or 2024.
    """

    first: datetime.date
    last: datetime.date
    each: str

    @property
    def kind(self) -> str:
        return DATE

    @property
    def called(self) -> str:
        return "periods"

    @property
    def listed(self) -> bool:
        return False

    def period(self, day: datetime.date) -> int:
        """Return the position of the period of a day; any day, also one outside."""
        return period_number(day, self.each) - period_number(self.first, self.each)

    def start(self, place: int) -> datetime.date:
        """Return the first day of a period that counts: that of the first period is `first`."""
        return max(self.first, period_start(period_number(self.first, self.each) + place, self.each))


def boolean_column(name: str, *, unknown: str = DROPPED, null: str = DROPPED) -> BooleanColumn:
    """Return a column whose cells are true or false."""
    check_rules(name, unknown=unknown, null=null)
    return BooleanColumn(name=storable(name, "the name of a column"), unknown=unknown, null=null)


def date_column(
    name: str, *, start: Any, end: Any, each: str, unknown: str = DROPPED, null: str = DROPPED
) -> DateColumn:
    """Return a column of dates from start to end, both included, counted by day, week, month or year.

    >>> date_column("visit", start="2024-11-20", end="2025-01-03", each="month").labels[0:3]
    ('2024-11', '2024-12', '2025-01')
    """
    check_rules(name, unknown=unknown, null=null)
    storable(name, "the name of a column")
    first, last = _declared_day(name, "from", start), _declared_day(name, "to", end)
    if first > last:
        raise BoundError(
            f"from = {first} is after to = {last} for column {name!r}.", "Were the two swapped? Both days are included."
        )
    if each not in EACH:
        raise ParameterError(
            f"each = {each!r} of column {name!r} is not known.", 'Give each = "day", "week", "month" or "year".'
        )
    begin, stop = period_number(first, each), period_number(last, each) + 1
    if stop - begin > MOST_PERIODS:
        raise BoundError(
            f"column {name!r} has {stop - begin} periods, more than {MOST_PERIODS}.",
            "Bring from and to closer together, or take longer periods.",
        )
    periods = Periods(begin=begin, stop=stop, each=each)
    return DateColumn(name=name, categories=periods, first=first, last=last, each=each, unknown=unknown, null=null)


# What a cell means


def place_of(column: CategoryColumn, cell: str | None) -> int | None:
    """Return the position of a cell among the labels of its column, from its text; None where it is in none.

    >>> place_of(boolean_column("smokes"), " YES "), place_of(boolean_column("smokes"), "maybe")
    (1, None)
    """
    after = len(column.categories)
    if cell is None:
        return after + (column.unknown == BINNED) if column.null == BINNED else None
    found = category_place(column, cell)
    if found is None and column.unknown == BINNED:
        return after
    return found


def category_place(column: CategoryColumn, cell: str) -> int | None:
    """Return the position of a text among the categories; None where it is none of them."""
    if isinstance(column, BooleanColumn):
        return 1 if re.fullmatch(TRUE, cell) else 0 if re.fullmatch(FALSE, cell) else None
    if isinstance(column, DateColumn):
        day = _day_in(cell) if re.fullmatch(ISO_DATE, cell) else None
        return None if day is None or not column.first <= day <= column.last else column.period(day)
    if column.compare == AS_NUMBERS:
        if not re.fullmatch(PLAIN_NUMBER, cell):
            return None
        number = Fraction(cell.strip(" "))
        return next((place for place, each in enumerate(column.categories) if Fraction(each) == number), None)
    return column.categories.index(cell) if cell in column.categories else None


def named_place(column: CategoryColumn, given: Any) -> int | None:
    """Return the position of a category that somebody names: as a label, or as a cell would."""
    if isinstance(given, bool) and isinstance(column, BooleanColumn):
        return int(given)
    if isinstance(given, datetime.date) and isinstance(column, DateColumn):
        given = given.isoformat()
    if not isinstance(given, str):
        return None
    return column.categories.index(given) if given in column.categories else category_place(column, given)


def named_start(column: DateColumn, given: Any, *, key: str) -> int:
    """Return the period at whose start a condition on dates starts or ends; refuse a day inside a period."""
    place = named_place(column, given)
    text = given.isoformat() if isinstance(given, datetime.date) else given
    exact = isinstance(text, str) and place is not None
    if place is None or not exact or not (text in column.categories or column.start(place) == _day_in(str(text))):
        raise BoundError(
            f"{key} = {one_line(str(given))} is not the start of a {column.each} of column {column.name!r}.",
            f"Give one of its periods, such as {column.categories[-1]}.",
        )
    if place == 0:
        raise BoundError(
            f"{key} = {one_line(str(given))} is where column {column.name!r} begins.",
            "Every date is from there on: leave it out, or give a later one.",
        )
    return place


def _declared_day(name: str, key: str, given: Any) -> datetime.date:
    if type(given) is datetime.date:
        return given
    found = _day_in(given) if isinstance(given, str) and re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", given) else None
    if found is None:
        raise ParameterError(f"{key} of column {name!r} is no date: {one_line(str(given))}.", "Give it as 2024-12-31.")
    return found


def _day_in(cell: str) -> datetime.date | None:
    """Return the day at the start of a text; None where there is no such day."""
    try:
        return datetime.date.fromisoformat(cell.lstrip(" ")[:10])
    except ValueError:
        return None


# In study files


def category_in(table: TomlTable, name: str, kind: str) -> CategoryColumn:
    """Return the column that a table of a study file declares."""
    table.restrict(
        KIND_KEYS[kind], because=f" for a {kind} column" if kind == CATEGORY else f" for a column of kind {kind}"
    )
    if kind == MAGNITUDE:
        said = table.numbers("exponents") if "exponents" in table else (LOWEST, HIGHEST)
        return magnitude_column(name, exponents=said)
    rules = {key: table.choice(key, DROPPED) for key in RULE_KEYS}
    if kind == BOOLEAN:
        return boolean_column(name, **rules)
    if kind == DATE:
        table.need("from", "to", "each")
        return date_column(name, start=table.get("from"), end=table.get("to"), each=table.choice("each", ""), **rules)
    table.need("categories")
    column = category_column(name, categories=table.texts("categories") or [], **rules)
    found = compared(column, table.choice("compare", "")) if "compare" in table else naturally_compared(column)
    return with_parents(found, table.get("parents")) if "parents" in table else found


def category_items(column: CategoryColumn) -> Iterator[tuple[str, object]]:
    """Yield what a study file says of a column, but its kind; how it compares only where that is not natural."""
    if isinstance(column, MagnitudeColumn):
        yield "exponents", [column.lowest, column.highest]
        return
    if isinstance(column, DateColumn):
        yield from (("from", column.first.isoformat()), ("to", column.last.isoformat()), ("each", column.each))
    elif column.listed:
        yield "categories", list(column.categories)
    yield "unknown", column.unknown
    yield "null", column.null
    if column.listed and column.compare != natural_comparison(column.categories):
        yield "compare", column.compare
    if column.parents:
        yield "parents", parents_table(column)
