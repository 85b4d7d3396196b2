"""Neighbours that break sums in floating point, read from files: in any format, order and number of threads.

tests/unit/studies/statistics/test_exact.py has the same tables in memory and compares numerators with their definition.
Here the rows go through CSV, Parquet, DuckDB and frames, in another order and with other threads for each of two
neighbours: the numerators still move by no more than their sensitivity, all cells together by no more than is charged.
"""

from __future__ import annotations

import math
import operator
import random
from functools import reduce

import duckdb
import numpy as np
import pyarrow
import pytest

from snapdp.release.release import exact_values
from snapdp.studies.columns import number_column
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
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


@pytest.mark.parametrize("writer", WRITERS)
def test_one_number_among_nan_in_parquet_of_any_writer_loses_epsilon_and_no_more(writer, tmp_path):
    """A file's statistics speak of that number alone; an engine that trusts them counts a thousand rows like it."""
    worst = 0
    for column in (COLUMNS[6], COLUMNS[7]):
        far, near = float(column.upper) + 1, float(column.upper)
        for place, last in enumerate((far, near, math.inf)):
            relation = (add_remove(n_max=2000), change_one(n=1001))[place % 2]
            rows = [(math.nan, 1.0, "a", "u")] * 1000
            pair = [*rows, (last, 1.0, "a", "u")], rows if place % 2 == 0 else [*rows, (math.nan, 1.0, "a", "u")]
            queries = queries_of(column, relation)
            for lies in ((None, None), (LIES[2], None)):  # of one table, and of its neighbour
                found = []
                for table, lie in zip(pair, lies, strict=True):
                    columns = dict(zip(NAMES, zip(*table, strict=True), strict=True))
                    cells = {name: pyarrow.array(columns[name], TYPES[name]) for name in NAMES}
                    path = parquet_file(tmp_path, cells, writer, 2000, lie)
                    found.append(exact_values(queries, open_table(path)))
                worst = max([worst, *(assert_close(q, *both) for q, *both in zip(queries, *found, strict=True))])
    assert worst == 1


# Tables made to break


def parquet(path, cells, kind="DOUBLE"):
    """Write one column x; cells is a SQL expression of i and the number of rows."""
    expression, count = cells
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT CAST({expression} AS {kind}) AS x FROM range({count}) AS r(i)) TO '{path}' "
            "(FORMAT parquet, ROW_GROUP_SIZE 50000)"
        )
    return path


def csv_file(path, cells):
    path.write_text("x\n" + "".join("\n" if c is None else f"{c!r}\n" for c in cells))
    return path


def numerators(path, *queries):
    """Return the numerators of queries, the same for one thread and for several."""
    found = [exact_values(queries, open_table(path, threads=threads)) for threads in (1, 4)]
    assert found[0] == found[1]
    return found[0]


def test_eight_rows_near_2_to_the_52_move_by_one_sensitivity_and_by_eight_in_doubles(tmp_path):
    column = COLUMNS[3]
    high, low = 2.0**52 + 1, 2.0**52
    table, changed = [high] * 8, [low] + [high] * 7
    one, other = (reduce(operator.add, cells) for cells in (table, changed))  # sum() compensates since Python 3.12
    assert abs(one - other) > 1  # plain doubles: farther than one row can move the sum of the numbers
    query = sum_query(column, change_one(n=8))
    (here,), (there,) = (
        numerators(csv_file(tmp_path / f"{name}.csv", cells), query)
        for name, cells in (("one", table), ("two", changed))
    )
    assert here[0][0] - there[0][0] == query.parts[0].numerator.sensitivity == column.levels


@pytest.mark.parametrize("place", ["i = 0", "i = 999999", "i = 500000"])
def test_a_million_tiny_rows_and_a_one_anywhere_have_one_sum(place, tmp_path):
    tiny = number_column("x", lower=0, upper=2.0**-33, step="1/9007199254740992", missing=0)  # 2**-53
    query = sum_query(tiny, change_one(n=1_000_000))
    one = parquet(tmp_path / "one.parquet", (f"CASE WHEN {place} THEN 1.0 ELSE pow(2, -53) END", 1_000_000))
    none = parquet(tmp_path / "none.parquet", ("pow(2, -53)", 1_000_000))
    assert numerators(one, query) == [((999_999 + tiny.levels,),)]
    assert numerators(none, query) == [((1_000_000,),)]
    assert tiny.levels - 1 <= query.parts[0].numerator.sensitivity


@pytest.mark.parametrize(
    "count", [pytest.param(2**22, id="2**22"), pytest.param(2**25, id="2**25", marks=pytest.mark.long)]
)
def test_ones_stored_as_float32_are_all_counted(count, tmp_path):
    """A sum in float32 stops at 2**24; here 2**22 rows of 5 pass it too."""
    column = number_column("x", lower=0, upper=5, step=1, missing="middle")
    relation = change_one(n=count)
    queries = [sum_query(column, relation), variance_query(column, relation)]
    fives = parquet(tmp_path / "fives.parquet", ("5", count), "FLOAT")
    moved = parquet(tmp_path / "moved.parquet", ("CASE WHEN i = 7 THEN 0 ELSE 5 END", count), "FLOAT")
    (total, spread), (less, more) = (exact_values(queries, open_table(path)) for path in (fives, moved))
    assert (total, spread) == (((5 * count,),), ((0,),))
    assert total[0][0] - less[0][0] == queries[0].parts[0].numerator.sensitivity
    assert more[0][0] - spread[0][0] == queries[1].parts[0].numerator.sensitivity


@pytest.mark.parametrize("other", [None, math.nan, math.inf, -math.inf, -0.0, 5e-324, -5e-324, 1.7e308], ids=str)
def test_one_strange_cell_in_a_file_of_missing_cells_moves_by_one_sensitivity_at_most(other, tmp_path):
    """999 of 1000 cells are missing: each of them is its declared stand-in in sums."""
    column = number_column("x", lower=500, upper=1000, step="1/8", missing=510)
    edges = [500, 505, 600, 1000]
    for number, (relation, second) in enumerate(
        ((change_one(n=1000), [other] + [None] * 999), (add_remove(n_max=1000), [None] * 999))
    ):
        first = [750.0] + [None] * 999
        queries = [sum_query(column, relation), mean_query(column, relation)]
        queries.append(histogram_query(column, relation, edges=edges))
        here = numerators(csv_file(tmp_path / f"{number} one.csv", first), *queries)
        there = numerators(csv_file(tmp_path / f"{number} two.csv", second), *queries)
        for query, near, far in zip(queries, here, there, strict=True):
            assert_close(query, near, far)
        assert here[-1] == ((0, 0, 1),)  # a missing cell is in no bin
        assert sum(there[-1][0]) in (0, 1)


def test_what_moves_in_these_files_is_seen():
    """Teeth: a sum that leaves out missing cells would move by a whole row under change-one, beyond the sensitivity."""
    column = number_column("x", lower=500, upper=1000, step=1, missing=500)
    table = np.array([1000.0] * 3)
    moved = np.array([1000.0, 1000.0, np.nan])
    dropped = abs(np.nansum(table) - np.nansum(moved))
    query = sum_query(column, change_one(n=3))
    (here,), (there,) = (exact_values([query], open_table({"x": each})) for each in (table, moved))
    assert dropped > query.parts[0].numerator.sensitivity == 500
    assert_close(query, here, there)
