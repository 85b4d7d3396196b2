"""How cells are read, as SQL: a verdict on every cell, how many have each, and the shapes of those that were not read.

Writes SQL, runs nothing. Cells are read by the same expressions as in a release. A verdict is a number:

    0 read    1 missing    2 not read as declared    3 read, but outside the bounds, the dates or the categories

A shape is made inside the engine, of the first twelve characters: digits are 9, capitals A, other letters a, blanks and
a little punctuation stay, everything else is ?. Cells never leave it. Two scans at most: all counts, then all shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.studies.categories import BooleanColumn, DateColumn
from snapdp.studies.columns import (
    AS_NUMBERS,
    DROPPED,
    CategoryColumn,
    Column,
    MagnitudeColumn,
    NumberColumn,
    PersonColumn,
)
from snapdp.tables.sql.categories import calendar_day, category_code, is_day, truth
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.generator import KeyTable, listed, long_lists
from snapdp.tables.sql.levels import read_cell
from snapdp.tables.sql.stored import (
    CALENDAR,
    EMPTY,
    LABEL,
    NUMERIC,
    OTHER,
    TEXT,
    TRUTH,
    WHOLE,
    Field,
    Rows,
    double_constant,
    is_number,
    is_unread,
)
from snapdp.values import Value, replaced

READ, MISSING, UNREAD, OUTSIDE = range(4)
VERDICTS = (MISSING, UNREAD, OUTSIDE)
MOST_SHAPES, LONGEST_SHAPE = 3, 12
MOST_COMPARED = 1000  # categories: cells of longer lists are not compared without capitals
KEPT = " .,:;+/_'()%$<>=-"  # the last stands there because of what it means inside brackets
SHAPED = (TEXT, LABEL, WHOLE)  # stored as what people wrote; engines print other numbers each in their own way
NUMBERS, DATES, YES_NO, NO_KIND = "numbers", "dates", "yes/no", "not known"
READINGS = (NUMBERS, DATES, YES_NO)  # of text that nothing is declared of
BY_SCHEMA = {
    **dict.fromkeys((NUMERIC, WHOLE), NUMBERS),
    TRUTH: YES_NO,
    CALENDAR: DATES,
    EMPTY: NO_KIND,
    OTHER: NO_KIND,
}
FIRST_DAY = 10101  # yyyymmdd: there is no year 0


class Judged(Value):
    """A column whose cells are judged, at some place i: what is selected of a row, and the verdict on it.

    cell      the SQL of what is read of a cell, which is then named v0, v1, ...
    text      the SQL of the cell as people wrote it, named t0, t1, ...; none where no shape is shown
    verdict   of these names
    join      the list of categories, where it is a table
    near      tells of the text of a cell that is in no category whether capitals or blanks at its ends alone are why;
              none where that is not asked
    """

    cell: str
    verdict: str
    text: str = ""
    join: str = ""
    near: str = ""


def count_verdicts(judged: Sequence[Judged], rows: Rows, dialect: Dialect) -> str:
    """Return a SELECT of the number of rows, and for each judged column of missing, unread and outside cells; then, of
    those columns that ask for it, of outside cells that are near a category.
    """
    counts = [dialect.count_if.format(f"k{i} = {code}") for i in range(len(judged)) for code in VERDICTS]
    near = [dialect.count_if.format(f"k{i} = {OUTSIDE} AND {each.near}") for i, each in enumerate(judged) if each.near]
    return f"SELECT {', '.join(['COUNT(*)', *counts, *near])}\nFROM {_verdicts(judged, rows, dialect, shaped={})}"


def commonest_shapes(judged: Sequence[Judged], rows: Rows, dialect: Dialect, *, shaped: Mapping[int, int]) -> str:
    """Return a SELECT of (place, shape): the commonest ones of the cells with one verdict, for some of the columns.

    shaped   places of columns, and the verdict whose cells are looked at
    """
    names = [f"s{i}" for i in shaped]
    place = " ".join(f"WHEN s{i} IS NOT NULL THEN {i}" for i in shaped)
    shape = dialect.exact_text.format(f"COALESCE({', '.join([*names, 'NULL'])})")
    return (
        f"SELECT place, shape\nFROM (SELECT place, shape, many, ROW_NUMBER() OVER (PARTITION BY place "
        f"ORDER BY many DESC, shape) AS rank\nFROM (SELECT CASE {place} END AS place, {shape} AS shape, many\n"
        f"FROM (SELECT {', '.join(names)}, COUNT(*) AS many\nFROM {_verdicts(judged, rows, dialect, shaped=shaped)}\n"
        f"GROUP BY GROUPING SETS ({', '.join(f'({name})' for name in names)})) AS found) AS placed\n"
        f"WHERE place IS NOT NULL) AS ranked\nWHERE rank <= {MOST_SHAPES}\nORDER BY place, rank"
    )


def shape_of(text: str, dialect: Dialect) -> str:
    """Return the shape of a text."""
    found = f"SUBSTR({text}, 1, {LONGEST_SHAPE})"
    for pattern, sign in (("[0-9]", "9"), (dialect.capital, "A"), (dialect.letter, "a"), (f"[^9aA{KEPT}]", "?")):
        found = dialect.replaced.format(found, dialect.quoted(pattern), dialect.quoted(sign))
    return f"CASE WHEN LENGTH({text}) > {LONGEST_SHAPE} THEN {found} || '...' ELSE {found} END"


def _verdicts(judged: Sequence[Judged], rows: Rows, dialect: Dialect, *, shaped: Mapping[int, int]) -> str:
    read, made, joins = [], [], []
    for i, each in enumerate(judged):
        read += [f"{each.cell} AS v{i}", *([f"{each.text} AS t{i}"] if each.text else [])]
        made += [f"{each.verdict} AS k{i}", *([f"t{i}"] if each.text else [])]
        joins.append(each.join)
    found = f"(SELECT {', '.join(made)}\nFROM (SELECT {', '.join(read)}\nFROM {rows.origin}) AS cells{''.join(joins)})"
    if not shaped:
        return f"{found} AS judged"
    shapes = (f"CASE WHEN k{i} = {code} THEN {shape_of(f't{i}', dialect)} END AS s{i}" for i, code in shaped.items())
    return f"(SELECT {', '.join(shapes)}\nFROM {found} AS judged) AS shapes"


# Declared columns


def judge_declared(columns: Sequence[Column], rows: Rows, dialect: Dialect) -> tuple[list[Judged], list[KeyTable]]:
    """Return how the cells of declared columns are judged, and the lists that must be loaded first."""
    lists = long_lists(columns)
    names = [lists.get(each) if isinstance(each, CategoryColumn) else None for each in columns]
    judged = [_declared(i, each, rows.field(each), dialect, names[i]) for i, each in enumerate(columns)]
    keys = [KeyTable(name=name, column=column) for column, name in lists.items() if dialect.labels is None]
    return judged, keys


def _declared(place: int, column: Column, field: Field, dialect: Dialect, keys: str | None) -> Judged:
    text = dialect.exact_text.format(field.reads) if field.kind in SHAPED else ""
    cell, v = read_cell(column, field, dialect), f"v{place}"
    if isinstance(column, NumberColumn):
        return Judged(cell=cell, verdict=_number(column, v, f"t{place}", field, dialect), text=text)
    if isinstance(column, PersonColumn):
        return Judged(cell=cell, verdict=f"CASE WHEN {v} IS NULL THEN {MISSING} ELSE {READ} END")
    join = "" if keys is None else listed(column, v, field, dialect, name=keys)
    near = _near(column, f"t{place}", dialect) if text else ""
    code = category_code(replaced(column, unknown=DROPPED, null=DROPPED), v, field, dialect, keys=keys)
    other = str(UNREAD if isinstance(column, (BooleanColumn, MagnitudeColumn)) else OUTSIDE)
    if isinstance(column, DateColumn):
        other = f"CASE WHEN {v} >= {FIRST_DAY} AND {is_day(v, dialect)} THEN {OUTSIDE} ELSE {UNREAD} END"
    return Judged(
        cell=cell,
        verdict=f"CASE WHEN {v} IS NULL THEN {MISSING} WHEN ({code}) IS NULL THEN {other} ELSE {READ} END",
        text=text,
        join=join,
        near=near,
    )


def _number(column: NumberColumn, v: str, t: str, field: Field, dialect: Dialect) -> str:
    low, high = to_float_up(column.lower), to_float_down(column.upper)  # for doubles as good as the bounds themselves
    outside = f"{v} < {double_constant(low, dialect)} OR {v} > {double_constant(high, dialect)}"
    known = is_number(v, dialect)
    unread = f"WHEN {is_unread(t, dialect)} THEN {UNREAD} " if field.kind == TEXT else ""
    return f"CASE WHEN {known} THEN CASE WHEN {outside} THEN {OUTSIDE} ELSE {READ} END {unread}ELSE {MISSING} END"


def _near(column: CategoryColumn, t: str, dialect: Dialect) -> str:
    """Return a test whether a text differs from a category by capitals or blanks at its ends alone, or not at all."""
    if not column.listed or column.compare == AS_NUMBERS or len(column.categories) > MOST_COMPARED:
        return ""
    ends = "TRIM(BOTH ' ' FROM {0})"  # spaces alone: without them DuckDB takes blanks of other kinds for such
    cell, *alike = (dialect.lowered.format(ends.format(e)) for e in (t, *map(dialect.quoted, column.categories)))
    return f"{cell} IN ({', '.join(alike)})"


# Columns of which nothing is declared


def judge_undeclared(place: int, field: Field, dialect: Dialect) -> list[Judged]:
    """Return how the cells of a field are judged: text by each of the kinds, anything else as what it is stored as."""
    if field.kind in (TEXT, LABEL):
        return [_undeclared(place + i, kind, field, dialect) for i, kind in enumerate(READINGS)]
    known = f"v{place} IS NOT NULL"
    if field.kind == NUMERIC:
        known = is_number(f"CAST(v{place} AS {dialect.double})", dialect)
    return [Judged(cell=field.reads, verdict=f"CASE WHEN {known} THEN {READ} ELSE {MISSING} END")]


def _undeclared(place: int, kind: str, field: Field, dialect: Dialect) -> Judged:
    text, v, t = dialect.exact_text.format(field.reads), f"v{place}", f"t{place}"
    if kind == NUMBERS:
        cell, read = text, dialect.matches.format(v, dialect.quoted(field.numbers.pattern))
    elif kind == DATES:
        cell, read = calendar_day(field, dialect), f"{v} >= {FIRST_DAY} AND {is_day(v, dialect)}"
    else:
        assert kind == YES_NO, "a new reading says here what is read as it"
        cell, read = truth(field, dialect), f"{v} <> 2"
    verdict = (
        f"CASE WHEN {v} IS NOT NULL AND {read} THEN {READ} WHEN {is_unread(t, dialect)} THEN {UNREAD} "
        f"ELSE {MISSING} END"
    )
    return Judged(cell=cell, verdict=verdict, text=text)
