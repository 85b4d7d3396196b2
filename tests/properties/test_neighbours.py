"""Neighbours that break sums in floating point, read from files: in any format, order and number of threads.

tests/unit/studies/statistics/test_exact.py has the same tables in memory and compares numerators with their definition.
Here the rows go through CSV, Parquet, DuckDB and frames, in another order and with other threads for each of two
neighbours: the numerators still move by no more than their sensitivity, all cells together by no more than is charged.
"""

from __future__ import annotations

import random

import duckdb
import pyarrow
import pytest

from snapdp.release.release import exact_values
from snapdp.studies.columns import number_column
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.sum import sum_query
from snapdp.tables.engines.opening import open_table
from tests.tiers import first_of
from tests.unit.studies.statistics.test_exact import COLUMNS, SECOND, SPECIAL, G, Y, assert_close, queries_of
from tests.unit.tables.parquet_files import LIES, WRITERS, parquet_file
from tests.unit.tables.tables import FORMATS

KINDS = ["csv", "parquet", "parquet glob", "duckdb", "numpy", "pandas", "polars"]
NAMES = ["x", "y", "g", "h"]
TYPES = {name: pyarrow.float64() if name in "xy" else pyarrow.string() for name in NAMES}
FILES = {f"parquet by {writer}": writer for writer in WRITERS}
ALWAYS = (1.0, 1.0, "a", "u")  # a row in all tables: the writers know a column of text by a cell with text


def cell(dice, column):
    low, high = float(column.lower), float(column.upper)
    return dice.choice([dice.choice(SPECIAL), low, high, dice.uniform(low, high), dice.gauss(0, 1e300), low - 1e-9])


def rows_of(dice, column, count):
    groups, others = [*G.categories, None, "?", "a ", "B"], [*SECOND.categories, None, "?"]
    return [(cell(dice, column), cell(dice, Y), dice.choice(groups), dice.choice(others)) for _ in range(count)]


def opened(rows, dice, folder):
    """Return a table of the rows, shuffled, in some format, read by some threads."""
    shuffled = dice.sample(rows, len(rows))
    folder.mkdir()
    columns = {name: [row[i] for row in shuffled] for i, name in enumerate(NAMES)}
    kind, threads = dice.choice([*KINDS, *FILES]), dice.choice([1, 2, 5])
    if kind in FORMATS:
        return FORMATS[kind](columns, folder, threads=threads)
    group = dice.choice([1, 3, len(rows)]) if len(rows) < 100 else len(rows)
    cells = {name: pyarrow.array(cells, TYPES[name]) for name, cells in columns.items()}
    return open_table(parquet_file(folder, cells, FILES[kind], group, dice.choice(LIES)), threads=threads)


@pytest.mark.parametrize("seed", first_of(range(12), len(COLUMNS)))
@pytest.mark.parametrize("kind", ["change-one", "add-remove"])
def test_files_of_neighbours_in_any_format_order_and_threads_move_no_farther_than_declared(kind, seed, tmp_path):
    dice = random.Random(f"{kind} {seed}")
    column = COLUMNS[seed % len(COLUMNS)]
    rows = [*rows_of(dice, column, dice.choice([1, 2, 40, 700])), ALWAYS]
    other = list(rows)
    place = dice.randrange(len(rows) - 1)
    if kind == "change-one":
        relation = change_one(n=len(rows))
        other[place] = rows_of(dice, column, 1)[0]
    else:
        relation = add_remove(n_max=dice.choice([1, len(rows), 2 * len(rows)]))
        del other[place]
    queries = queries_of(column, relation)
    here, again, there = (
        exact_values(queries, opened(table, dice, tmp_path / str(number)))
        for number, table in enumerate((rows, rows, other))
    )
    assert here == again  # another format, order and number of threads
    for query, near, far in zip(queries, here, there, strict=True):
        assert_close(query, near, far)


# Tables made to break


def parquet(path, cells):
    """Write one column x; cells is a SQL expression of i and the number of rows."""
    expression, count = cells
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT CAST({expression} AS DOUBLE) AS x FROM range({count}) AS r(i)) TO '{path}' "
            "(FORMAT parquet, ROW_GROUP_SIZE 50000)"
        )
    return path


def numerators(path, *queries):
    """Return the numerators of queries, the same for one thread and for several."""
    found = [exact_values(queries, open_table(path, threads=threads)) for threads in (1, 4)]
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("place", ["i = 0", "i = 999999", "i = 500000"])
def test_a_million_tiny_rows_and_a_one_anywhere_have_one_sum(place, tmp_path):
    tiny = number_column("x", lower=0, upper=2.0**-33, step="1/9007199254740992", missing=0)  # 2**-53
    query = sum_query(tiny, change_one(n=1_000_000))
    one = parquet(tmp_path / "one.parquet", (f"CASE WHEN {place} THEN 1.0 ELSE pow(2, -53) END", 1_000_000))
    none = parquet(tmp_path / "none.parquet", ("pow(2, -53)", 1_000_000))
    assert numerators(one, query) == [((999_999 + tiny.levels,),)]
    assert numerators(none, query) == [((1_000_000,),)]
    assert tiny.levels - 1 <= query.parts[0].numerator.sensitivity
