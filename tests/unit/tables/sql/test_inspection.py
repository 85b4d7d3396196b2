"""The verdict of every engine on cells, and the shapes it makes: the same as a plain count in Python."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from snapdp.studies.categories import boolean_column, category_place, date_column
from snapdp.studies.columns import (
    AS_NUMBERS,
    CategoryColumn,
    NumberColumn,
    PersonColumn,
    category_column,
    integer_column,
)
from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.opening import open_table
from snapdp.tables.inspection import Tally
from snapdp.tables.sql.inspection import (
    KEPT,
    OUTSIDE,
    READINGS,
    UNREAD,
    judge_declared,
    judge_undeclared,
)
from tests.services import on_spark
from tests.unit.tables import everywhere
from tests.unit.tables.kinds import HAND_MADE, number_categories

CELLS = [each for each in HAND_MADE if each is None or not set("\r\n") & set(each)]
LISTED = [str(i) for i in range(70)] + ["true", "2024", "it's"]
WORDS = [
    boolean_column("cell"),
    date_column("cell", start="2024-01-31", end="2024-03-15", each="week"),
    date_column("cell", start="0001-01-01", end="9999-12-31", each="year"),
    category_column("cell", categories=["0", "1", "true"], unknown="binned", null="binned"),
    category_column("cell", categories=LISTED),
    number_categories("cell", ["0", "1", "2.50"]),
    PersonColumn(name="cell"),
]
AGE = integer_column("cell", lower=0, upper=1, missing="dropped")
SCRIPTS = ["Aé", "Ж", "ß", "東京", "אב", "ก", "عل", "한글", "ñandú"]


# What is counted, in Python


def is_date(cell: str) -> bool:
    any_day = date_column("cell", start="0001-01-01", end="9999-12-31", each="year")
    return category_place(any_day, cell) is not None


def plain_tally(column: Any, cells: list[str | None]) -> Tally:
    found = [verdict(column, cell) for cell in cells]
    near = [cell for cell, each in zip(cells, found, strict=True) if each == "outside" and is_near(column, cell)]
    counts = {each: found.count(each) for each in ("missing", "unread", "outside")}
    return Tally(**counts, near=len(near))


def is_near(column: Any, cell: str | None) -> bool:
    """Tell whether capitals or blanks at its ends are all that a cell and a category differ by."""
    if not isinstance(column, CategoryColumn) or not column.listed or column.compare == AS_NUMBERS:
        return False
    return cell is not None and cell.strip(" ").lower() in {each.strip(" ").lower() for each in column.categories}


def verdict(column: Any, cell: str | None) -> str:
    if cell is None:
        return "missing"
    if isinstance(column, NumberColumn):
        return number_verdict(column, cell)
    if isinstance(column, PersonColumn) or category_place(column, cell) is not None:
        return "read"
    if column.kind == "boolean" or (column.kind == "date" and not is_date(cell)):
        return "unread"
    return "outside"


def number_verdict(column: NumberColumn, cell: str) -> str:
    if re.fullmatch(r" *[+-]?nan *", cell, re.IGNORECASE | re.ASCII):
        return "missing"
    if not re.fullmatch(r" *[+-]?(([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?|(?i:inf(inity)?)) *", cell):
        return "unread"
    return "read" if column.lower <= float(cell) <= column.upper else "outside"


def shape(cell: str) -> str:
    def sign(each: str) -> str:
        if each in "0123456789":
            return "9"
        kind = unicodedata.category(each)
        return "A" if kind in ("Lu", "Lt") else "a" if kind[0] in "LM" else each if each in KEPT else "?"

    return "".join(map(sign, cell[:12])) + ("..." if len(cell) > 12 else "")


# What engines count


def counted(engine: Engine, columns: list[Any]) -> list[Tally]:
    """Return the private counts behind the classes."""

    def action(connection: Any) -> list[Tally]:
        count = engine.source.prepare(connection)
        rows = engine.source.open(connection, columns)
        judged, keys = judge_declared(columns, rows, engine.dialect)
        engine._load(connection, keys)
        return engine._tallied(connection, rows, judged, count)[1]

    return engine._guarded(action)


def all_shapes(engine: Engine, column: Any, code: int) -> list[str]:
    def action(connection: Any) -> dict[int, list[str]]:
        engine.source.prepare(connection)
        rows = engine.source.open(connection, [column])
        judged, keys = judge_declared([column], rows, engine.dialect)
        engine._load(connection, keys)
        return engine._shapes(connection, rows, judged, {0: code})

    return engine._guarded(action).get(0, [])


def csv_of(cells: list[str | None], folder: Path) -> Path:
    path = folder / "cells.csv"
    quoted = ("" if cell is None else '"' + cell.replace('"', '""') + '"' for cell in cells)
    path.write_text("".join(f"{each},1\n" for each in ["cell", *quoted]).replace("cell,1", "cell,other", 1), "utf-8")
    return path


def check(engine: Engine, columns: list[Any], cells: list[str | None] = CELLS) -> None:
    assert counted(engine, columns) == [plain_tally(column, cells) for column in columns]


def test_duckdb_counts_what_python_counts(tmp_path):
    columns = [AGE, *WORDS]
    check(open_table(csv_of(CELLS, tmp_path)), columns)
    check(open_table({"cell": CELLS}), [AGE])
    check(everywhere.on_duckdb({"cell": ("text", CELLS)}, tmp_path), WORDS)


def test_postgres_counts_what_python_counts(database):
    check(everywhere.on_postgres({"cell": ("text", CELLS)}, database), WORDS)


@on_spark
def test_spark_counts_what_python_counts(spark, tmp_path):
    check(open_table(str(csv_of(CELLS, tmp_path)), spark=spark), [AGE, WORDS[1], WORDS[4]])


NUMBERS = [None, float("nan"), -0.5, 0.0, 1.0, 1.0000000000000002, float("inf"), float("-inf"), 5e-324]


def test_stored_numbers_are_missing_or_outside_and_never_unread(tmp_path):
    expected = [Tally(missing=2, unread=0, outside=4)]
    assert counted(everywhere.on_duckdb({"cell": ("double", NUMBERS)}, tmp_path), [AGE]) == expected
    third = integer_column("cell", lower=0, upper="1/3", missing="dropped")
    assert third.upper == 1  # the bounds that count are multiples of the step


def test_stored_numbers_on_postgres_too(database):
    expected = [Tally(missing=2, unread=0, outside=4)]
    assert counted(everywhere.on_postgres({"cell": ("double", NUMBERS)}, database), [AGE]) == expected


@on_spark
@pytest.mark.long
def test_stored_numbers_on_spark_too(spark):
    expected = [Tally(missing=2, unread=0, outside=4)]
    assert counted(everywhere.on_spark({"cell": ("double", NUMBERS)}, spark), [AGE]) == expected


# Shapes


SHAPE_CELLS = [*SCRIPTS * 3, "45,000", "45,000", "x-1;", "\x01\u00b2€🙂", "a" * 12, "a" * 13, "\u0661", "", " ", "#@&",
               "ABab", "ÄǅЖж"]  # fmt: skip
NOBODY: CategoryColumn = category_column("cell", categories=["none of these"])


def in_order(cells: list[str]) -> list[str]:
    many = Counter(map(shape, cells))
    return sorted(many, key=lambda each: (-many[each], each))[:3]


def check_shapes(make: Any) -> None:
    """Compare the shape of every cell, and the three commonest of all."""
    assert all_shapes(make(SHAPE_CELLS), NOBODY, OUTSIDE) == in_order(SHAPE_CELLS)
    single = list(dict.fromkeys(SHAPE_CELLS))
    for start in range(0, len(single), 3):
        part = single[start : start + 3]
        assert all_shapes(make(part), NOBODY, OUTSIDE) == in_order(part)


def test_a_shape_has_digits_letters_and_a_little_punctuation(tmp_path):
    check_shapes(lambda cells: everywhere.on_duckdb({"cell": ("text", cells)}, tmp_path))
    assert [shape(each) for each in ("45,000", "Zoë", "x" * 13, "a\n€")] == ["99,999", "Aaa", "aaaaaaaaaaaa...", "a??"]


def test_a_shape_on_postgres_may_know_fewer_letters(database):
    ascii_only = [each for each in SHAPE_CELLS if each.isascii()]
    assert all_shapes(everywhere.on_postgres({"cell": ("text", ascii_only)}, database), NOBODY, OUTSIDE) == in_order(
        ascii_only
    )
    for each in SCRIPTS:
        (found,) = all_shapes(everywhere.on_postgres({"cell": ("text", [each])}, database), NOBODY, OUTSIDE)
        assert len(found) == len(each)
        assert set(found) <= {"a", "A", "?"}


@on_spark
@pytest.mark.long
def test_a_shape_on_spark_is_the_same(spark):
    made = everywhere.on_spark({"cell": ("text", SHAPE_CELLS)}, spark)
    assert all_shapes(made, NOBODY, OUTSIDE) == in_order(SHAPE_CELLS)
    odd = SHAPE_CELLS[-8:]
    assert all_shapes(everywhere.on_spark({"cell": ("text", odd)}, spark), NOBODY, OUTSIDE) == in_order(odd)


def test_shapes_are_of_unread_cells_alone(tmp_path):
    cells = ["1", "0", "7", None, "45,000"]
    assert all_shapes(open_table(csv_of(cells, tmp_path)), AGE, UNREAD) == ["99,999"]
    assert all_shapes(open_table(csv_of(["1", "7"], tmp_path)), AGE, UNREAD) == []


# Nothing declared


@pytest.mark.parametrize("kind", READINGS)
def test_text_of_which_nothing_is_declared_is_tried_as_every_kind(kind, tmp_path):
    engine = open_table(csv_of(CELLS, tmp_path))
    column = {"numbers": AGE, "dates": WORDS[2], "yes/no": WORDS[0]}[kind]

    def action(connection: Any) -> list[Tally]:
        count = engine.source.prepare(connection)
        rows = engine.source.open(connection, [])
        return engine._tallied(connection, rows, judge_undeclared(0, rows.fields[0], engine.dialect), count)[1]

    found = engine._guarded(action)[READINGS.index(kind)]
    nan = sum(cell is not None and cell.lower() == "nan" for cell in CELLS)
    assert found.unread == plain_tally(column, CELLS).unread - (0 if kind == "numbers" else nan)
    assert found.missing == CELLS.count(None) + nan
