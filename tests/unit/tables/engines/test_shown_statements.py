"""`snapdp plan --sql --dialect`: what is shown for an engine runs there as it stands, and computes the same."""

from __future__ import annotations

import duckdb
import pytest

import snapdp
from snapdp.errors import ParameterError
from tests.services import new_database, on_spark, postgres_server, spark_session

COLUMNS = {'a "b` c': "DOUBLE PRECISION", "region": "TEXT", "id": "TEXT"}
ROWS = [(2.0, "it's", "p1"), (9.5, "north", "p1"), (-3.0, "$x", "p2"), (4.25, "north", None), (None, None, "p3")]
STUDY = {
    "format": 1,
    "dataset": "it's ${HOME}",
    "relation": "add-remove",
    "n_max": 100,
    "person": "id",
    "rows_per_person": 1,
    "columns": {
        'a "b` c': {"kind": "number", "lower": 0, "upper": 6, "step": 1, "missing": "dropped"},
        "region": {"kind": "category", "categories": ["north", "it's", "$x"]},
    },
    "statistic": [
        {"kind": "mean", "column": 'a "b` c', "epsilon": 1},
        {"kind": "sum", "column": 'a "b` c', "by": "region", "epsilon": 1},
        {"kind": "histogram", "column": "region", "epsilon": 1},
        {"kind": "quantiles", "column": 'a "b` c', "epsilon": 1},
    ],
}


def quoted(name: str, mark: str = '"') -> str:
    return mark + name.replace(mark, 2 * mark) + mark


def statements(dialect: str) -> list[str]:
    text = snapdp.study(STUDY).sql(dialect=dialect)
    return [each for each in text.split(";\n") if each.strip().strip(";")]


def numbers(rows) -> list[tuple[int, ...]]:
    return [tuple(map(int, row)) for row in rows]


@pytest.fixture(scope="module")
def expected():
    connection = duckdb.connect()
    named = ", ".join(f"{quoted(name)} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE data ({named})")
    connection.executemany("INSERT INTO data VALUES (?, ?, ?)", ROWS)
    return [numbers(connection.execute(each.rstrip(";")).fetchall()) for each in statements("duckdb")]


def test_the_statement_for_duckdb_counts_one_row_of_each_person(expected):
    assert expected[0][0][0] == 3


def test_the_statement_for_postgresql_runs_there(expected):
    import psycopg

    with new_database(postgres_server()) as address, psycopg.connect(address) as connection:
        named = ", ".join(f"{quoted(name)} {kind}" for name, kind in COLUMNS.items())
        connection.execute(f"CREATE TABLE data ({named})")
        connection.cursor().executemany("INSERT INTO data VALUES (%s, %s, %s)", ROWS)
        found = [numbers(connection.execute(each.rstrip(";")).fetchall()) for each in statements("postgresql")]
    assert sorted(found) == sorted(expected)


@on_spark
def test_the_statement_for_spark_runs_there(expected):
    session = spark_session()
    kinds = {"DOUBLE PRECISION": "DOUBLE", "TEXT": "STRING"}
    schema = ", ".join(f"{quoted(name, '`')} {kinds[kind]}" for name, kind in COLUMNS.items())
    session.createDataFrame(ROWS, schema).createOrReplaceTempView("data")
    found = [numbers(session.sql(each.rstrip(";")).collect()) for each in statements("spark")]
    session.catalog.dropTempView("data")
    assert sorted(found) == sorted(expected)


def test_a_dialect_that_nobody_speaks_is_refused():
    with pytest.raises(ParameterError, match="no engine here speaks oracle"):
        snapdp.study(STUDY).sql(dialect="oracle")
    with pytest.raises(ParameterError, match="a table has the dialect of its engine"):
        snapdp.study(STUDY).sql({"id": ["a"]}, dialect="spark")
