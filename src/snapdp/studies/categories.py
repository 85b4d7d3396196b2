"""Category columns: text, numbers, booleans and dates, each cell with its place in a public list.

Nothing is read here. What a cell means is defined once, by its text; every engine computes the same place, and the
tests compare them cell by cell:

    text      the category with exactly these characters
    numbers   the category that is the same number: 1, 1.0 and +01 are one                   PLAIN_NUMBER
    boolean   true, t, yes, y, 1 or false, f, no, n, 0, in any capitals; 1.0 and 0.0 too     TRUE, FALSE
    date      the period of an ISO date from first to last; a time behind it is cut off      ISO_DATE
    magnitude a number, by powers of two: see `columns`

A cell that is none of these is unknown; one that is absent is null. Blanks around a cell count in text alone. A study
need not say how categories are compared where they show it: all of them plain numbers, or none of them anything like a
number. A column may have parents, public levels that are each coarser than the one below: municipality, county,
country. Theory: docs/theory/exact-sums.md, (13); parents: docs/theory/sensitivities.md (22).
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from snapdp.display.text import one_line
from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import (
    AS_NUMBERS,
    AS_TEXT,
    BINNED,
    CATEGORY,
    DROPPED,
    HIGHEST,
    LOWEST,
    MAGNITUDE,
    CategoryColumn,
    MagnitudeColumn,
    category_column,
    check_rules,
    magnitude_column,
    storable,
)
from snapdp.studies.toml import TomlTable
from snapdp.values import Value, replaced

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

    kind = BOOLEAN
    called = "values, true and false"
    listed = False
    categories: tuple[str, ...] = ("false", "true")


class DateColumn(CategoryColumn):
    """A column of dates, counted by periods from the one that holds `first` to the one that holds `last`.

    Build one with `date_column`. The categories are the periods in order, as 2024-05-17, 2024-W20, 2024-05 or 2024.
    """

    kind = DATE
    called = "periods"
    listed = False
    first: datetime.date
    last: datetime.date
    each: str

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


# Parents. Every category is in one node of the first level, every node of a level in one of the next. Names tell nodes
# of one level apart; a town, its county and its country may have one name.
#
#     [columns.municipality.parents]      county = {NRW = ["Aachen", "Bonn"], RLP = ["Mainz"]}, country = {...}
#
# Nodes are kept in the order of their first category, whatever order they are typed in: two orders are one request.
# The cells behind the categories (unknown, null) are their own parents at every level.

MOST_LEVELS = 16  # above the categories
ADVICE = (
    'Give each level by its name, from the categories up: parents = {county = {Kent = ["Dover", "Deal"], ...}, '
    'country = {England = ["Kent", ...], ...}}. Nothing was read and nothing spent.'
)
_ONE_CELL = "Every row counts in one cell of each level. Nothing was read and nothing spent."


class ParentLevel(Value):
    """One level above the categories of a column.

    name    what the level is called, as a column would be
    nodes   the names of its cells, in the order of their first category
    above   of each cell below, a category or a node, the place of its parent among the nodes
    """

    name: str
    nodes: tuple[str, ...]
    above: tuple[int, ...]


def with_parents(column: CategoryColumn, given: Any) -> CategoryColumn:
    """Return a column with its parents: {level: {node: names of the cells below it}}, from the categories up.

    >>> from snapdp.studies.columns import category_column
    >>> town = category_column("town", categories=["Aachen", "Mainz", "Bonn"])
    >>> found = with_parents(town, {"county": {"RLP": ["Mainz"], "NRW": ["Bonn", "Aachen"]}})
    >>> found.parents[0].nodes, found.parents[0].above
    (('NRW', 'RLP'), (0, 1, 0))
    """
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f"the parents of column {column.name!r} are no table of levels.", ADVICE)
    if len(given) > MOST_LEVELS:
        raise BoundError(f"column {column.name!r} has {len(given)} levels of parents.", f"Give at most {MOST_LEVELS}.")
    below = column.categories
    levels = []
    for name, nodes in given.items():
        levels.append(_level(name, _parents_by_cell(column, name, nodes, below)))
        below = levels[-1].nodes
    return _with_levels(column, levels)


def parents_from(column: CategoryColumn, stated: Sequence[Mapping[str, Any]]) -> CategoryColumn:
    """Return a column with the parents that a record states."""
    levels = [_level(each["level"], each["of"]) for each in stated]
    return _with_levels(column, levels)


def parents_values(column: CategoryColumn) -> list[dict[str, Any]]:
    """Return the parents as records state them: of every level its name, and the parent of each cell below."""
    return [{"level": each.name, "of": [each.nodes[place] for place in each.above]} for each in column.parents]


def parents_table(column: CategoryColumn) -> dict[str, dict[str, list[str]]]:
    """Return the parents as study files state them."""
    found = {}
    below = column.categories
    for level in column.parents:
        nodes: dict[str, list[str]] = {node: [] for node in level.nodes}
        for cell, place in zip(below, level.above, strict=True):
            nodes[level.nodes[place]].append(cell)
        found[level.name], below = nodes, level.nodes
    return found


def level_columns(column: CategoryColumn) -> tuple[CategoryColumn, ...]:
    """Return the column and its levels, each as the column that it would be, from the categories up."""
    above = (
        CategoryColumn(name=each.name, categories=each.nodes, unknown=column.unknown, null=column.null)
        for each in column.parents
    )
    return (column, *above)


def parent_places(column: CategoryColumn) -> list[list[int]]:
    """Return for each level, from the categories up, the place of every cell's parent; not of the last one's."""
    found = []
    for level, (below, above) in zip(column.parents, pairwise(level_columns(column)), strict=True):
        special = above.cells - len(level.nodes)
        assert below.cells == len(level.above) + special
        found.append([*level.above, *range(len(level.nodes), above.cells)])
    return found


def _parents_by_cell(column: CategoryColumn, level: Any, nodes: Any, below: Sequence[str]) -> list[str]:
    """Return the name of the parent of each cell below, in their order; each has one."""
    if not isinstance(level, str) or not isinstance(nodes, Mapping) or not nodes:
        raise ParameterError(f"level {_named(level)} of column {column.name!r} is no table of parents.", ADVICE)
    at, known = f"level {_named(level)} of column {column.name!r}", frozenset(below)
    found: dict[str, str] = {}
    for node, cells in nodes.items():
        listed = isinstance(cells, Sequence) and not isinstance(cells, str) and all(isinstance(c, str) for c in cells)
        if not isinstance(node, str) or not listed or not cells:
            raise ParameterError(f"{_named(node)} at {at} is no parent with a list of names.", ADVICE)
        for cell in cells:
            if cell in found:
                twice = f"{_named(cell)} is in two parents at {at}: {_named(found[cell])} and {_named(node)}."
                if found[cell] == node:
                    twice = f"{_named(cell)} stands twice below {_named(node)} at {at}."
                raise ParameterError(twice, f"Name it once. {_ONE_CELL}")
            if cell not in known:
                raise ParameterError(
                    f"{_named(node)} at {at} is said to be the parent of {_named(cell)}, which is not below it.",
                    f"Below it are {_several(below)}. {ADVICE}",
                )
            found[cell] = node
    lacking = [cell for cell in below if cell not in found]
    if lacking:
        raise ParameterError(
            f"{_several(lacking)} {'has' if len(lacking) == 1 else 'have'} no parent at {at}.",
            f"Name a parent for each. {_ONE_CELL}",
        )
    return [found[cell] for cell in below]


def _level(name: Any, parents: Sequence[str]) -> ParentLevel:
    """Return a level by the name of each parent, of the cells below in their order."""
    places = {node: place for place, node in enumerate(dict.fromkeys(parents))}
    return ParentLevel(name=name, nodes=tuple(places), above=tuple(places[node] for node in parents))


def _with_levels(column: CategoryColumn, levels: Sequence[ParentLevel]) -> CategoryColumn:
    """Return the column with these levels; refuse names that cannot be told apart, or stored, and parents of others."""
    found = replaced(column, parents=tuple(levels))
    names = [each.name for each in level_columns(found)]
    if len({*names}) != len(names):
        raise ParameterError(
            f"two levels of column {column.name!r} have one name, or that of the column.", "Give each its own."
        )
    cells = len(column.categories)
    for level, as_column in zip(levels, level_columns(found)[1:], strict=True):
        if len(level.above) != cells:
            raise ParameterError(f"level {_named(level.name)} has parents of other cells.", ADVICE)
        if not level.name.strip():
            raise ParameterError(f"a level of column {column.name!r} has no name.", ADVICE)
        for text in (level.name, *level.nodes):
            storable(text, f"level {_named(level.name)} of column {column.name!r}")
        if len({*as_column.labels}) != as_column.cells:
            raise ParameterError(
                f"a node of level {_named(level.name)} has the name of a cell for other texts, or for nothing.",
                "Rename it: released numbers are told apart by these names.",
            )
        cells = len(level.nodes)
    return found


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(_named, names[:3])) + more


def _named(text: Any) -> str:
    return repr(one_line(text)) if isinstance(text, str) else "a name that is no text"


# Periods. Each has a number, one more than that of the period before; weeks are those of ISO 8601, and 1 January of the
# year 1 is a Monday.

DAY, WEEK, MONTH, YEAR = "day", "week", "month", "year"
EACH = (DAY, WEEK, MONTH, YEAR)


class Periods(tuple[str, ...]):
    """The labels of consecutive periods, each made when it is asked for: a column may have a hundred thousand."""

    begin: int
    stop: int
    each: str

    def __new__(cls, *, begin: int, stop: int, each: str) -> Periods:
        found = super().__new__(cls)
        found.begin, found.stop, found.each = begin, stop, each
        return found

    def __len__(self) -> int:
        return self.stop - self.begin

    def __iter__(self) -> Iterator[str]:
        return (_label(number, self.each) for number in range(self.begin, self.stop))

    def __getitem__(self, place: Any) -> Any:
        chosen = range(self.begin, self.stop)[place]
        if isinstance(chosen, int):
            return _label(chosen, self.each)
        return tuple(_label(number, self.each) for number in chosen)

    def __contains__(self, label: object) -> bool:
        return self._place(label) is not None

    def index(self, label: object, *_: Any) -> int:
        place = self._place(label)
        if place is None:
            raise ValueError("no such period")
        return place

    def _place(self, label: object) -> int | None:
        number = _labelled(label, self.each) if isinstance(label, str) else None
        return number - self.begin if number is not None and self.begin <= number < self.stop else None

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Periods):
            return (self.begin, self.stop, self.each) == (other.begin, other.stop, other.each)
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash((self.begin, self.stop, self.each))

    def __add__(self, other: Any) -> tuple[str, ...]:
        return (*self, *other)

    def __repr__(self) -> str:
        return f"<{len(self)} periods>"


def period_number(day: datetime.date, each: str) -> int:
    """Return the number of the period of a day: days and weeks from the first Monday of year 1, months, years."""
    if each == YEAR:
        return day.year
    if each == MONTH:
        return day.year * 12 + day.month - 1
    return day.toordinal() - 1 if each == DAY else (day.toordinal() - 1) // 7


def period_start(number: int, each: str) -> datetime.date:
    """Return the first day of a period."""
    if each == YEAR:
        return datetime.date(number, 1, 1)
    if each == MONTH:
        return datetime.date(number // 12, number % 12 + 1, 1)
    return datetime.date.fromordinal((number if each == DAY else number * 7) + 1)


def _label(number: int, each: str) -> str:
    start = period_start(number, each)
    if each == WEEK:
        year, week, _ = start.isocalendar()
        return f"{year:04}-W{week:02}"
    return start.isoformat()[: {DAY: 10, MONTH: 7, YEAR: 4}[each]]


def _labelled(label: str, each: str) -> int | None:
    """Return the number of the period that a label names; None where it is no label."""
    try:
        if each == WEEK:
            start = datetime.date.fromisocalendar(int(label[:4]), int(label[6:]), 1)
        else:
            start = datetime.date.fromisoformat({DAY: label, MONTH: f"{label}-01", YEAR: f"{label}-01-01"}[each])
    except ValueError:
        return None
    number = period_number(start, each)
    return number if _label(number, each) == label else None  # 2024-1 and 20240101 are none


# How cells are compared

MOST_DIGITS = 15  # of a category that is a number: two such numbers are never the same double
_SOME_NUMBER = re.compile("[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?")
_CANONICAL = re.compile("-?(0|[1-9][0-9]*)([.][0-9]+)?")


def compared(column: CategoryColumn, compare: str) -> CategoryColumn:
    """Return a category column that compares its cells as text or as numbers.

    >>> from snapdp.studies.columns import category_column
    >>> compared(category_column("smokes", categories=["0", "1"]), "numbers").compare
    'numbers'
    """
    if compare not in (AS_TEXT, AS_NUMBERS):
        raise ParameterError(
            f"compare = {compare!r} of column {column.name!r} is not known.", 'Give compare = "text" or "numbers".'
        )
    if compare == AS_NUMBERS:
        odd = next((each for each in column.categories if not is_plain(each)), None)
        if odd is not None:
            raise ParameterError(
                f"category {one_line(odd)!r} of column {column.name!r} is no plain number.",
                f'Give numbers such as -3, 0 or 1.5, of at most {MOST_DIGITS} digits, or compare = "text".',
            )
        seen: dict[Fraction, str] = {}
        for each in column.categories:
            same = seen.setdefault(Fraction(each), each)
            if same != each:
                raise ParameterError(
                    f"categories {same!r} and {each!r} of column {column.name!r} are the same number.",
                    'Keep one of them, or give compare = "text" if they are different.',
                )
    return replaced(column, compare=compare)


def natural_comparison(categories: Sequence[str]) -> str | None:
    """Return how categories are compared where a study does not say: as numbers if all of them are plain ones.

    None where it has to say: next to a number that is not plain, or to a blank at an end, text is easily not meant.

    >>> [natural_comparison(each) for each in (["0", "1"], ["no", "yes"], ["0", "1", "2+"])]
    ['numbers', 'text', None]
    """
    if all(map(is_plain, categories)):
        return AS_NUMBERS
    in_doubt = any(each != each.strip(" \t") or _SOME_NUMBER.fullmatch(each) for each in categories)
    return None if in_doubt else AS_TEXT


def naturally_compared(column: CategoryColumn) -> CategoryColumn:
    """Return a column of which a study does not say how it compares; refuse one where that is not clear."""
    found = natural_comparison(column.categories)
    if found is not None:
        return compared(column, found)
    odd = next(each for each in column.categories if not is_plain(each))
    blank = next((each for each in column.categories if each != each.strip(" \t")), None)
    if blank is not None:
        raise ParameterError(
            f"category {one_line(blank)!r} of column {column.name!r} begins or ends with a blank.",
            'Leave the blank out; where cells have it too, give compare = "text".',
        )
    raise ParameterError(
        f"some categories of column {column.name!r} are numbers, but {one_line(odd)!r} is no plain one: as "
        "text a cell 1.0 would not be 1.",
        'Give compare = "text" (--compare text) if that is meant; otherwise plain numbers alone, such as 0, 1, 2.',
    )


def is_plain(category: str) -> bool:
    """Tell whether a category is a number as people write it: -3, 0, 12, 1.5, not 007, 1e3 or +1."""
    return _CANONICAL.fullmatch(category) is not None and sum(map(str.isdigit, category)) <= MOST_DIGITS
