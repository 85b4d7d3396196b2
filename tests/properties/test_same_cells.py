"""The same cells give the same integers from every source: a list, CSV, Arrow, a database, Parquet by every writer.

Writers of Parquet say of the cells what they like: the files here also lie about extremes and missing cells. Theory:
docs/theory/exact-sums.md (14).
"""

from __future__ import annotations

import datetime
import math
import tempfile
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from snapdp.errors import DataError
from snapdp.studies.aggregates import (
    Bins,
    Categories,
    Count,
    LevelCounts,
    Levels,
    Member,
    People,
    Persons,
    Present,
    Products,
    Sum,
)
from snapdp.studies.categories import boolean_column, compared, date_column
from snapdp.studies.columns import category_column, magnitude_column, number_column
from snapdp.studies.grouping.groups import binned
from snapdp.tables.engines import duckdb as duckdb_engine
from snapdp.tables.engines.opening import open_table
from tests.services import on_spark, spark_session
from tests.tiers import first_of
from tests.unit.tables.parquet_files import ALL_MISSING, LIES, WRITERS, parquet_file
from tests.unit.tables.tables import csv_text

BINNED = {"unknown": "binned", "null": "binned"}
CODES = ["0", "5", "11", "-3", "0.5"]
X, SINGLE, N, M = (number_column(name, lower=0, upper=10, step=1, missing="dropped") for name in ("x", "s", "n", "m"))
FILLED = number_column("x", lower=-2, upper=12, step="1/10", missing=3)
# A NaN is missing where numbers are stored, and in text, as in a list, no known category: here both are in no cell.
FEW = [
    compared(category_column(name, categories=CODES, **({} if name == "x" else BINNED)), "numbers")
    for name in ("x", "n", "m")
]
MANY = compared(category_column("x", categories=[str(i) for i in range(100)]), "numbers")
WORDS = category_column("t", categories=["a", "b", "", "it's"], **BINNED)
YES = boolean_column("b", **BINNED)
DAYS = [date_column(name, start="2024-01-30", end="2024-02-03", each="day", **BINNED) for name in ("d", "w")]
SIZES = [magnitude_column(name, exponents=(-3, 5)) for name in ("x", "s", "n", "m")]
BANDS = binned(X, edges=[0, 5, 10], outside="binned", null="binned")
COLUMNS = [X, SINGLE, N, M, *FEW, MANY, WORDS, YES, *DAYS]
CONDITIONS = [
    (Present(column=X),),
    (Present(column=M), Present(column=SINGLE)),
    (Levels(column=X, start=6, below=11),),
    (Levels(column=SINGLE, start=0, below=6), Levels(column=N, start=1, below=11)),
    (Levels(column=DAYS[0], start=1, below=3),),
    (Member(column=WORDS, category="a"),),
    (Member(column=FEW[0], category="5"), Present(column=N)),
    (Member(column=YES, category="true"),),
]
ROWS = [
    Count(),
    *(Count(where=each) for each in CONDITIONS),
    *(Sum(column=each, where=where) for each in (X, FILLED, SINGLE, N, M) for where in ((), *CONDITIONS[:3])),
    Products(first=X, second=M, where=CONDITIONS[1]),
    *(Bins(column=each, cuts=(0, 3, 6, 11), missing=True) for each in (X, SINGLE, N, M)),
    *(LevelCounts(column=each) for each in (X, M)),
    *(Categories(column=each) for each in (*FEW, MANY, WORDS, YES, *DAYS, *SIZES)),
    *(Sum(column=X, by=each, where=CONDITIONS[0]) for each in (WORDS, FEW[1], DAYS[0], BANDS, MANY)),
    Count(by=[WORDS, BANDS]),
    Categories(column=DAYS[1], by=[YES], where=CONDITIONS[2]),
]
PERSONS = [Persons(columns=columns, most=most) for columns, most in [(("p",), 1), (("k",), 2), (("p", "k"), 1)]]


def asked_of(who):
    """Return what is asked about persons."""
    return [
        Count(persons=who),
        Sum(column=X, where=CONDITIONS[0], persons=who),
        Sum(column=FILLED, by=WORDS, persons=who),
        Categories(column=FEW[0], persons=who),
        People(persons=who),
        People(where=CONDITIONS[2], persons=who),
        People(by=[WORDS, BANDS], groups=1, persons=who),
        People(by=FEW[0], groups=2, persons=who),
    ]


# Cells

TYPES = {
    "x": pyarrow.float64(), "s": pyarrow.float32(), "n": pyarrow.int64(), "m": pyarrow.decimal128(18, 4),
    "t": pyarrow.string(), "b": pyarrow.bool_(), "d": pyarrow.date32(), "w": pyarrow.timestamp("us"),
    "p": pyarrow.string(), "k": pyarrow.int64(),
}  # fmt: skip
STRANGE = [None, math.nan, math.inf, -math.inf, -0.0, 5e-324, -5e-324, 5.0, 11.0, 0.5, -3.0]
SMALL = [None, math.nan, math.inf, -math.inf, -0.0, 2.0**-149, -(2.0**-149), 5.0, 11.0, 0.5, -3.0]
WHOLE = [None, 0, 5, 11, -3, 2**63 - 1, -(2**63)]
EXACT = [None, *map(Decimal, ("0", "5", "11", "-3", "0.5", "99999999999999.9999"))]
DATES = [None, *(datetime.date(2024, 1, day) for day in (29, 30, 31)), datetime.date(1970, 1, 1)]
TIMES = [None if each is None else datetime.datetime(each.year, each.month, each.day, 23, 59) for each in DATES]
CELLS = {
    "x": st.sampled_from(STRANGE) | st.floats(), "s": st.sampled_from(SMALL) | st.floats(width=32),
    "n": st.sampled_from(WHOLE), "m": st.sampled_from(EXACT),
    "t": st.sampled_from([None, "a", "b", "", "other"]), "b": st.sampled_from([None, True, False]),
    "d": st.sampled_from(DATES), "w": st.sampled_from(TIMES),
    "p": st.sampled_from([None, "ann", "bob", ""]), "k": st.sampled_from([None, 0, 1, 2**62]),
}  # fmt: skip
TABLES = st.lists(st.fixed_dictionaries(CELLS), min_size=1, max_size=8).map(
    lambda rows: {name: [row[name] for row in rows] for name in TYPES}
)


def arrow_arrays(columns):
    return {name: pyarrow.array(cells, TYPES[name]) for name, cells in columns.items()}


def arrow(columns):
    return pyarrow.table(arrow_arrays(columns))


def parquet(folder, columns, writer, rows, lie):
    return parquet_file(folder, arrow_arrays(columns), writer, rows, lie)


def integers(table):
    """Return everything that is asked of a table."""
    return [table.aggregates(asked, salt="it's") for asked in (ROWS, *map(asked_of, PERSONS))]


def as_csv(columns, folder):
    texts = {name: [c if c is None or type(c) is float else str(c) for c in cells] for name, cells in columns.items()}
    path = folder / "cells.csv"
    path.write_text(csv_text(texts), encoding="utf-8", newline="")
    return open_table(path)


def stored(columns, folder):
    """Return a table of a DuckDB file."""
    path = folder / "cells.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("given", arrow(columns))
        connection.execute("CREATE TABLE cells AS SELECT * FROM given")
    return open_table(path, table="cells")


def check_files(columns, writers, sizes, lie, folder, *, wanted=None):
    """Compare Parquet files with the list of cells, and what inspection says of them with the cells in Arrow."""
    wanted = integers(open_table(columns)) if wanted is None else wanted
    look = open_table(arrow(columns)).inspect(COLUMNS)
    for writer in writers:
        for size in sizes:
            table = open_table(parquet(folder, columns, writer, size, lie))
            assert integers(table) == wanted, (writer, size)
            assert table.inspect(COLUMNS) == look, (writer, size)


def check_sources(columns, folder):
    """Compare CSV, Arrow and a DuckDB file with the list of cells, and return what that gives."""
    wanted = integers(open_table(columns))
    for table in (as_csv(columns, folder), open_table(arrow(columns)), stored(columns, folder)):
        assert integers(table) == wanted
    return wanted


@settings(max_examples=5, suppress_health_check=[HealthCheck.too_slow])
@given(columns=TABLES, writer=st.sampled_from([*WRITERS]), size=st.sampled_from([1, 3, 8]), lie=st.sampled_from(LIES))
def test_a_parquet_file_gives_the_integers_of_its_cells_whatever_its_statistics_say(columns, writer, size, lie):
    with tempfile.TemporaryDirectory() as folder:
        check_files(columns, [writer], [size], lie, Path(folder))


@settings(max_examples=1, suppress_health_check=[HealthCheck.too_slow])
@given(columns=TABLES)
def test_the_same_cells_give_the_same_integers_from_every_source(columns):
    with tempfile.TemporaryDirectory() as folder:
        check_sources(columns, Path(folder))


@pytest.mark.long
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(columns=TABLES, lie=st.sampled_from(LIES))
def test_every_source_writer_and_row_group_gives_the_same_integers(columns, lie):
    with tempfile.TemporaryDirectory() as folder:
        wanted = check_sources(columns, Path(folder))
        check_files(columns, WRITERS, [1, 3, 8], lie, Path(folder), wanted=wanted)


# Other engines


@on_spark
@pytest.mark.parametrize("writer", first_of(WRITERS))
@settings(max_examples=1, suppress_health_check=[HealthCheck.too_slow])
@given(columns=TABLES, size=st.sampled_from([1, 3, 8]), lie=st.sampled_from([ALL_MISSING, *LIES]))
def test_spark_gives_the_integers_of_the_cells_whatever_the_statistics_of_a_file_say(writer, columns, size, lie):
    with tempfile.TemporaryDirectory() as folder:
        path = parquet(Path(folder), columns, writer, size, lie)
        assert integers(open_table(path, spark=spark_session())) == integers(open_table(columns))


# Tables made to break


def awkward(last, count=1000):
    """Return many rows whose numbers are NaN, and one last row of which a writer's statistics speak."""
    cells = {name: [None] * count for name in TYPES} | {"x": [math.nan] * count, "s": [math.nan] * count}
    people = {"p": [str(i) for i in range(count)], "k": list(range(count)), "t": ["a"] * count}
    return {name: [*column, last if name in ("x", "s") else column[-1]] for name, column in (cells | people).items()}


@pytest.mark.parametrize(("writer", "last"), [(writer, 11.0 - 6 * (i % 2)) for i, writer in enumerate(WRITERS)])
def test_a_thousand_nan_are_missing_beside_any_number(writer, last, tmp_path):
    """Statistics leave NaN out: an engine that trusts them counts a thousand rows, or fails on a cast of NaN."""
    columns = awkward(last)
    table = open_table(parquet(tmp_path, columns, writer, 2000, None))
    assert integers(table) == integers(open_table(columns))
    found = table.aggregates([*ROWS])
    assert found[Sum(column=X, where=CONDITIONS[0])] == (min(last, 10),)
    assert found[Count(where=CONDITIONS[0])] == (1,)


@pytest.mark.parametrize("writer", WRITERS)
def test_false_statistics_mislead_duckdb_as_it_comes(writer, tmp_path, monkeypatch):
    """Teeth: with the optimizers that DuckDB runs by itself these files give another number."""
    columns = awkward(5.0, 10)
    table = open_table(parquet(tmp_path, columns, writer, 3, {"extreme": 0x7F, "nulls": "none"}))
    right = table.aggregates(ROWS)
    monkeypatch.setattr(duckdb_engine, "ignore_statistics", lambda _: None)
    with suppress(DataError):  # it casts what is NaN, and by the statistics cannot be
        assert table.aggregates(ROWS) != right


def people_of(table):
    """Return how many people a table has, and how many rows they keep at one each."""
    who = Persons(columns=("p",), most=1)
    return [table.aggregates([asked])[asked] for asked in (People(persons=who), Count(persons=who))]


@pytest.mark.parametrize("writer", WRITERS)
def test_people_of_whom_most_are_called_missing_are_counted(writer, tmp_path):
    table = open_table(parquet(tmp_path, awkward(5.0, 10), writer, 3, LIES[-1]))
    assert people_of(table) == [(10,), (10,)]


@on_spark
def test_people_who_are_all_called_missing_are_counted_on_spark(tmp_path):
    path = parquet(tmp_path, awkward(5.0, 10), "pyarrow", 3, ALL_MISSING)
    assert people_of(open_table(path, spark=spark_session())) == [(10,), (10,)]


def test_a_column_that_is_called_missing_as_a_whole_is_the_one_thing_that_a_reader_may_believe(tmp_path):
    """DuckDB does from version 2.0 on, without a look at the pages: all such cells are then missing, in each answer."""
    columns = awkward(5.0, 10)
    found = integers(open_table(parquet(tmp_path, columns, "pyarrow", 20, ALL_MISSING)))
    empty = {name: [None] * len(cells) for name, cells in columns.items()}
    assert found in (integers(open_table(columns)), integers(open_table(arrow(empty))))
