"""A preview of how cells are read: classes for each column, and shapes of what was not read. Never a cell or a count.

It is for those who may read the table, it is not part of any request, and no epsilon covers it. From the classes it
asks whether a column means what is declared of it, and from the shapes it suggests the decimal sign and the thousands
separator of the file. Counts become classes at once, and only classes are kept:

    none    0        up to 1 %    0 < count <= rows/100        1 to 10 %    up to rows/10        more    beyond that
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap

from snapdp.display.html import html_card
from snapdp.display.text import one_line, visible
from snapdp.studies.categories import BOOLEAN_WORDS, BooleanColumn, DateColumn
from snapdp.studies.columns import CategoryColumn, Column, MagnitudeColumn, NumberColumn, PersonColumn
from snapdp.tables.sql.inspection import BY_SCHEMA, LONGEST_SHAPE, NUMBERS, OUTSIDE, READINGS, UNREAD, VERDICTS, Judged
from snapdp.tables.sql.stored import LABEL, PLAIN, TEXT, Field, NumberFormat
from snapdp.values import Value

NONE, UP_TO_1, UP_TO_10, MORE = CLASSES = ("none", "up to 1 %", "1 to 10 %", "more")
LONGEST_NAME, WIDTH = 60, 79
NOT_PUBLIC = (
    "Outside: of the bounds, dates or categories as declared. One that is changed because of this is no longer public: "
    "it tells about the cells, and epsilon does not cover that. A mistyped one may be corrected to what was known "
    "before."
)
SHAPES = (
    f'Shapes: 9 is a digit, "A" a capital, "a" another letter, ? anything else; at most {LONGEST_SHAPE} characters. No '
    "cell is shown."
)
SPELT_OTHERWISE = (
    "some cells outside differ from a category by capitals or blanks at their ends only. Put the spelling right where "
    "the file is made, before a release; the categories stay as they are."
)
OF_ROWS = "Classes are shares of all rows: none, up to 1 %, 1 to 10 %, more."
FIRST_LINE = "The first line of the file is taken for the names of the columns."
DECLARE = (
    "Declare what you know about the table, not what you see in it: bounds and categories are never shown, since from "
    "the cells they would not be public."
)


def class_of(count: int, rows: int) -> str:
    """Return the class of a share of rows.

    >>> [class_of(count, 1000) for count in (0, 1, 10, 11, 100, 101)]
    ['none', 'up to 1 %', 'up to 1 %', '1 to 10 %', '1 to 10 %', 'more']
    """
    if count == 0:
        return NONE
    return UP_TO_1 if 100 * count <= rows else UP_TO_10 if 10 * count <= rows else MORE


class Look(Value):
    """What a look shows: a line for each column. Lines have classes and shapes; there is nothing else to be had.

    heads, lines   a table
    notes          sentences under it
    signs          of numbers, decimal and thousands, in which cells that were not read could be, by their shapes
    neither        columns declared as booleans of which many cells are neither true nor false
    """

    heads: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    signs: tuple[tuple[str, str], ...] = ()
    neither: tuple[str, ...] = ()

    def __repr__(self) -> str:
        split = ([each.split("\n") for each in line] for line in (self.heads, *self.lines))
        flat = [row for line in split for row in zip_longest(*line, fillvalue="")]
        widths = [max(map(len, column)) for column in zip(*flat, strict=True)]
        rows = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in flat)
        return "\n".join([*rows, *(line for each in self.notes for line in wrap(each, WIDTH))])

    def _repr_html_(self) -> str:
        return html_card(
            "how the cells are read", [(self.heads, self.lines), (("",), [(each,) for each in self.notes])]
        )


class Tally(Value):
    """How many cells of a column are missing, were not read, and are outside; and how many of these differ from a
    category by capitals or blanks alone. Private: made into classes at once.
    """

    missing: int
    unread: int
    outside: int
    near: int = 0


def tallies(row: Sequence[int], judged: Sequence[Judged]) -> list[Tally]:
    """Return the counts of each column from a row of numbers, the first of which is that of the rows."""
    each = len(VERDICTS)
    starts = range(1, 1 + each * len(judged), each)
    nearby = iter(row[1 + each * len(judged) :])
    near = (int(next(nearby)) if how.near else 0 for how in judged)
    parts = (map(int, row[start : start + each]) for start in starts)
    return [Tally(missing=m, unread=u, outside=o, near=n) for (m, u, o), n in zip(parts, near, strict=True)]


# Declared columns


def shaped_verdicts(columns: Sequence[Column], judged: Sequence[Judged], found: Sequence[Tally]) -> dict[int, int]:
    """Return for which columns shapes are asked, and of which cells: of unread ones, and of unknown categories."""
    wanted = {}
    for place, (column, how, tally) in enumerate(zip(columns, judged, found, strict=True)):
        listed = isinstance(column, CategoryColumn) and column.listed
        if how.text and (tally.outside if listed else tally.unread):
            wanted[place] = OUTSIDE if listed else UNREAD
    return wanted


def declared_look(
    columns: Sequence[Column],
    found: Sequence[Tally],
    rows: int,
    shapes: Mapping[int, Sequence[str]],
    *,
    is_csv: bool = False,
) -> Look:
    """Return what is shown of declared columns. `is_csv`: the signs of its numbers can be declared."""
    lines = []
    for place, (column, tally) in enumerate(zip(columns, found, strict=True)):
        classes = [class_of(count, rows) for count in (tally.missing, tally.unread, tally.outside)]
        if isinstance(column, PersonColumn):
            classes[1:] = "", ""
        elif isinstance(column, (BooleanColumn, MagnitudeColumn)):
            classes[2] = ""
        elif isinstance(column, CategoryColumn) and column.listed:
            classes[1] = ""
        lines.append((_named(column.name), column.kind, *classes, _shown(shapes.get(place, ()))))
    heads = ("column", "kind", "missing", "not read", "outside", "shapes")
    near = [_named(column.name) for column, tally in zip(columns, found, strict=True) if tally.near]
    numbers = [place for place, column in enumerate(columns) if isinstance(column, NumberColumn)]
    signs, told = written_so([(lines[at][0], shapes.get(at, ())) for at in numbers]) if is_csv else ({}, "")
    spelt = f"{', '.join(near)}: {SPELT_OTHERWISE}" if near else ""
    concluded = [_concluded(column, tally, rows) for column, tally in zip(columns, found, strict=True)]
    for at in numbers:
        if told and written_so([(lines[at][0], shapes.get(at, ()))])[1]:
            concluded[at] = ""  # it is told already how these are written
    misread = in_notes(zip((line[0] for line in lines), concluded, strict=True))
    notes = filter(None, (told, *misread, spelt, OF_ROWS, SHAPES, NOT_PUBLIC))
    truths = (each for each, text in zip(columns, concluded, strict=True) if text and isinstance(each, BooleanColumn))
    neither = tuple(each.name for each in truths)
    return Look(heads=heads, lines=tuple(lines), notes=tuple(notes), signs=tuple(signs.items()), neither=neither)


def _concluded(column: Column, tally: Tally, rows: int) -> str:
    """Return what is concluded of a column many of whose cells failed: by classes, as everything is that is shown."""
    listed = isinstance(column, CategoryColumn) and column.listed
    failed = tally.outside if listed else tally.unread  # a number outside of its bounds was read
    if class_of(failed, rows) != MORE:
        return ""
    read = rows - tally.missing - failed
    return conclusion(column, is_hardly_read=class_of(read, rows) in (NONE, UP_TO_1))


# Columns of which nothing is declared


class Reading(Value):
    """What the cells of a field can be read as: the kinds with the fewest cells not read, in classes.

    place   of the judgement whose unread cells have their shapes shown; None where none are
    """

    kinds: str
    unread: str
    place: int | None = None


def best_reading(field: Field, start: int, found: Sequence[Tally], rows: int) -> Reading:
    """Return the kinds that suit a field best; text, where none does.

    start   the place of the first judgement on it
    """
    if field.kind not in (TEXT, LABEL):
        return Reading(kinds=BY_SCHEMA[field.kind], unread="")
    classes = [class_of(tally.unread, rows) for tally in found]
    best = min(classes, key=CLASSES.index)
    if found[0].missing == rows:
        return Reading(kinds="no cell", unread="")
    if best == MORE:
        return Reading(kinds="text", unread="", place=start + READINGS.index(NUMBERS))
    suits = [place for place, each in enumerate(classes) if each == best]
    place = None if best == NONE else start + suits[0]
    return Reading(kinds=" or ".join(READINGS[each] for each in suits), unread=best, place=place)


def undeclared_look(
    fields: Iterable[Field],
    readings: Sequence[Reading],
    missing: Sequence[str],
    shapes: Mapping[int, Sequence[str]],
    *,
    headed: bool,
) -> Look:
    """Return what is shown of a table of which nothing is declared. `headed`: its names are the line of a file."""
    lines = tuple(
        (
            _named(field.name),
            lacking,
            reading.kinds,
            reading.unread,
            _shown(() if reading.place is None else shapes.get(reading.place, ())),
        )
        for field, reading, lacking in zip(fields, readings, missing, strict=True)
    )
    heads = ("column", "missing", "reads as", "not read", "shapes")
    pairs = zip(lines, readings, strict=True)
    unread = [(line[0], shapes.get(each.place, ())) for line, each in pairs if each.place is not None]
    signs, told = written_so(unread) if headed else ({}, "")
    notes = filter(None, (FIRST_LINE if headed else "", told, OF_ROWS, SHAPES, DECLARE))
    return Look(heads=heads, lines=lines, notes=tuple(notes), signs=tuple(signs.items()))


def _named(name: str) -> str:
    return one_line(name, LONGEST_NAME)


def _shown(shapes: Sequence[str]) -> str:
    return "\n".join(f'"{visible(each)}"' for each in shapes)


# Doubts: questions about columns whose cells hardly mean what is declared of them
#
# A column of which most cells are missing is none of these. A sentence is about many columns at once, and names no word
# that comes from the table.

OTHER_WORDS = f"Read are {BOOLEAN_WORDS}, in any capitals."
NO_TRUTHS = "nearly no cell reads as true or false. Is it two categories, such as ja and nein? " + OTHER_WORDS
FEW_TRUTHS = (
    "more than 10 % of the cells read as neither true nor false. Is it two categories, such as j and n? " + OTHER_WORDS
)
NO_NUMBERS = "nearly no cell reads as a number. Is it a column of categories, or another column than was meant?"
NO_DATES = (
    "nearly no cell reads as a date. Dates are written as 2024-05-17; others are put right where the file is made."
)
NO_CATEGORIES = (
    "nearly no cell is in a category. Are the categories written as in the file, such as m and not male? They may be "
    "put right to what was known before."
)


def conclusion(column: Column, *, is_hardly_read: bool) -> str:
    """Return what is concluded of a column of which many cells failed; empty where that may well be so.

    is_hardly_read   nearly none of its cells was read
    """
    if isinstance(column, BooleanColumn):
        return NO_TRUTHS if is_hardly_read else FEW_TRUTHS
    if not is_hardly_read or isinstance(column, PersonColumn):
        return ""
    if isinstance(column, DateColumn):
        return NO_DATES
    if isinstance(column, CategoryColumn) and column.listed:
        return NO_CATEGORIES
    return NO_NUMBERS


def in_notes(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return notes of (name, conclusion), one for all columns of which the same is concluded.

    >>> in_notes([("pay", "few."), ("seen", ""), ("age", "few.")])
    ['pay, age: few.']
    """
    names: dict[str, list[str]] = {}
    for name, told in found:
        names.setdefault(told, []).append(name)
    return [f"{', '.join(columns)}: {told}" for told, columns in names.items() if told]


# Signs of numbers, from shapes in which 9 stands for a digit
#
# A way of writing numbers suits a column iff it reads every shape in it that could be a number. Where two ways do, as
# of "9,999", nothing is suggested: you know the file, and which it is.

LIKE_A_NUMBER = re.compile(r" *[+-]?9[9.,'_ ]*[.,'_ ][9.,'_ ]*9 *")
THOUSANDS = {"": "", ".": "points", ",": "commas", "'": "apostrophes", "_": "underscores", " ": "spaces"}
WAYS = [NumberFormat(decimal=d, thousands=t) for t in THOUSANDS for d in ".," if d != t]
IF_SO = "If the file is written so, declare it"


def written_so(columns: Iterable[tuple[str, Sequence[str]]]) -> tuple[dict[str, str], str]:
    """Return the signs in which unread numbers could be read, as keys of a table [csv], and a sentence about them;
    nothing where no column shows them, or two columns show different ones.

    columns   names, and shapes of the cells that were not read

    >>> written_so([("pay", ["9.999,99", "aa"])])[0], written_so([("pay", ["9,999"])])
    ({'decimal': ',', 'thousands': '.'}, ({}, ''))
    """
    found = {name: way for name, shapes in columns if (way := only_way(_like_numbers(shapes))) is not None}
    decimals = {way.decimal for way in found.values()}
    thousands = {way.thousands for way in found.values()} - {""}
    if len(decimals) != 1 or len(thousands) > 1:
        return {}, ""
    way = NumberFormat(decimal=decimals.pop(), thousands="".join(thousands))
    comma = "a decimal comma" if way.decimal == "," else ""
    between = f"{THOUSANDS[way.thousands]} between thousands" if way.thousands else ""
    written = " and ".join(filter(None, (comma, between)))
    return _keys(way), f"{', '.join(found)}: some shapes look like numbers with {written}. {IF_SO}."


def only_way(shapes: Sequence[str]) -> NumberFormat | None:
    """Return the one way of writing numbers that reads all shapes and has no sign that is not needed; else None.

    >>> [only_way(each) for each in (["9,999"], ["99-99"], [])]
    [None, None, None]
    >>> only_way(["9,9", "9,999"]), only_way(["9,999,999"]).thousands
    (NumberFormat(decimal=',', thousands=''), ',')
    """
    suits = [way for way in WAYS if all(re.fullmatch(way.pattern, each) for each in shapes)]
    needed = [way for way in suits if not way.thousands or NumberFormat(decimal=way.decimal) not in suits]
    if not any("," in each for each in shapes):  # a decimal sign that no cell has is not said
        needed = [way for way in needed if way.decimal == "."] or needed
    return needed[0] if shapes and len(needed) == 1 and needed[0] != PLAIN else None


def _like_numbers(shapes: Iterable[str]) -> list[str]:
    return [each for each in shapes if LIKE_A_NUMBER.fullmatch(each)]


def _keys(way: NumberFormat) -> dict[str, str]:
    said = {"decimal": way.decimal, "thousands": "space" if way.thousands == " " else way.thousands}
    return {key: value for key, value in said.items() if value and value != PLAIN.decimal * (key == "decimal")}
