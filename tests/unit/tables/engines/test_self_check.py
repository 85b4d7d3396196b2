"""An engine answers known rows before it sees a table: it gives the pinned integers, or is refused at no cost."""

from __future__ import annotations

import io
import math
import os
import resource
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from fractions import Fraction

import duckdb
import psycopg
import pyarrow.parquet
import pytest

from snapdp.errors import PremiseError
from snapdp.studies.aggregates import Products, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines import self_check, spark as spark_engine
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.postgres import PostgresEngine
from snapdp.tables.engines.self_check import PARQUET, ROWS, known_answers, parquet_rows
from snapdp.tables.sources.csv_form import plain_number
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.dialects import DUCKDB, POSTGRES, SPARK, Dialect, identifier, literal
from snapdp.tables.sql.stored import LABEL, NUMERIC, Field, Rows
from snapdp.values import replaced
from tests.services import on_spark
from tests.unit.release.people import new_book, study

WRONG = "gives wrong results for a small table whose results are known"


# The pinned integers


def level(column, cell):
    """Return q of a cell by its definition, in fractions; None where it is missing."""
    if cell is None or math.isnan(cell):
        return None
    ends = (column.upper if cell > 0 else column.lower) if math.isinf(cell) else Fraction(cell)
    return math.floor((min(max(ends, column.lower), column.upper) - column.lower) / column.step + Fraction(1, 2))


def cell_of(column, row):
    x, number, label, _ = row
    if column.name == "digits":
        text = None if label is None else plain_number(label, CsvDialect())
        return None if text is None else float(text)
    return {"x": x, "number": number}[column.name]


@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES], ids=lambda each: each.name)
def test_the_pinned_integers_are_those_of_the_definition(dialect):
    grouped, kept = known_answers(dialect)
    (by,) = {asked.by for asked in grouped}
    listed = by.columns[0].categories
    cells = [*listed, "other", None]
    for asked, right in grouped.items():
        found = dict.fromkeys(cells, 0)
        for row in ROWS:
            group = row[2] if row[2] in (*listed, None) else "other"
            if isinstance(asked, Products):
                found[group] += (level(asked.first, cell_of(asked.first, row)) or 0) ** 2
            elif isinstance(asked, Sum):
                found[group] += level(asked.column, cell_of(asked.column, row)) or 0
            else:
                (test,) = asked.where
                found[group] += level(test.column, cell_of(test.column, row)) is not None
        assert right == tuple(found.values()), asked
    ((asked, right),) = kept.items()
    persons = [row[3] for row in ROWS]
    assert right == (sum(min(persons.count(each), asked.persons.most) for each in {*persons} - {None}),)


def test_the_file_holds_the_known_rows_and_says_of_them_what_is_not_so():
    assert len(PARQUET) < 1024
    stored = pyarrow.parquet.read_table(io.BytesIO(PARQUET)).to_pylist()
    assert repr([tuple(each.values()) for each in stored]) == repr(list(ROWS))  # of -0.0 and NaN too
    said = pyarrow.parquet.read_metadata(io.BytesIO(PARQUET)).row_group(0)
    x, person = said.column(0).statistics, said.column(3).statistics
    assert (x.min, x.max) == (11.0, 11.0)
    assert person.null_count == 0
    assert [row[3] for row in ROWS].count(None) == 2


def test_the_known_rows_as_constants_are_those_of_the_file():
    class Literal(DuckdbEngine):
        known_rows = Engine.known_rows

    age = Sum(column=AGE)
    assert Literal(open_table({"x": [3.0, 11.0]}).source).aggregates([age])[age] == (13,)


@on_spark
@pytest.mark.parametrize("is_local", [True, False])
def test_spark_is_checked_with_a_file_where_it_sees_one_and_with_constants_elsewhere(spark, is_local, monkeypatch):
    assert spark_engine._is_local(spark)
    monkeypatch.setattr(spark_engine, "_is_local", lambda _: is_local)
    monkeypatch.setattr(self_check, "_CHECKED", {})
    table = open_table(spark.createDataFrame([(1.0,)], "x DOUBLE"))
    assert len(table.fields()) == 1
    assert [*self_check._CHECKED] == [spark]
    monkeypatch.setattr(type(table), "dialect", replaced(SPARK, wide="DOUBLE"))
    assert "spark" in str(refused(table, "whose results are known"))


# What is refused


def refused(engine, told=WRONG):
    with pytest.raises(PremiseError, match=told) as refusal:
        engine.fields()
    return refusal.value


@pytest.fixture
def disable(monkeypatch):
    """Return what lets every connection to DuckDB disable these optimizers, and no others."""
    plain = DuckdbEngine._connected

    def let(optimizers):
        @contextmanager
        def connected(self):
            with plain(self) as connection:
                connection.execute(f"SET disabled_optimizers = '{optimizers}'")
                yield connection

        monkeypatch.setattr(DuckdbEngine, "_connected", connected)

    return let


@pytest.mark.parametrize("optimizers", ["", "filter_pushdown", "join_order"])
def test_duckdb_is_refused_if_it_believes_the_statistics_of_a_file(optimizers, disable):
    open_table({"a": [1.0]}).fields()
    disable(optimizers)
    told = str(refused(open_table({"a": [1.0]})))
    assert f"duckdb {duckdb.__version__} " in told
    assert "Install another version" in told
    assert "Nothing was spent" in told


def test_a_refused_engine_costs_nothing(tmp_path, disable):
    disable("")
    mean = {"kind": "mean", "column": "age", "epsilon": 1}
    with new_book(tmp_path) as ledger:
        before = len(ledger.history("people"))
        with pytest.raises(PremiseError, match=WRONG):
            study(mean).release({"age": [31, 62, 7, 44]}, ledger=ledger, directory=tmp_path)
        assert len(ledger.history("people")) == before
        assert ledger.account("people").spent == 0


WORDS = {  # another spelling of one word, which DuckDB takes without an error or stops at
    "a large double for infinity": {"infinity": "CAST('1e305' AS DOUBLE)"},
    "zero for infinity, as a cast of SQLite": {"infinity": "CAST('0' AS DOUBLE)"},
    "single precision": {"double": "FLOAT"},
    "32 bits": {"narrow": "INTEGER"},
    "64 bits for products": {"wide": "BIGINT", "wide_floor": "CAST(FLOOR({0}) AS BIGINT)"},
    "doubles for products": {"wide": "DOUBLE"},
    "a floor in 64 bits": {"wide_floor": "CAST(CAST(FLOOR({0}) AS BIGINT) AS HUGEINT)"},
    "a floor that saturates": {
        "wide_floor": "CAST(CAST(LEAST(FLOOR({0}), 9223372036854774784.0) AS BIGINT) AS HUGEINT)"
    },
    "a quotient in doubles": {"quotient": "({0} / {1})"},
    "one code too many": {"series": "range({0} + 1) AS declared(code)"},
    "codes from 1": {"series": "range(1, {0} + 1) AS declared(code)"},
    "numbers in single precision": {
        "number_from_text": "CASE WHEN regexp_full_match({0}, {1}) THEN TRY_CAST({2} AS FLOAT) END"
    },
    "numbers without a pattern": {"number_from_text": "COALESCE(TRY_CAST({2} AS DOUBLE), 1000.0)"},
    "text without capitals": {"exact_text": "CAST({0} AS VARCHAR) COLLATE NOCASE"},
    "text in another normal form": {"exact_text": "nfc_normalize(CAST({0} AS VARCHAR))"},
    "text without blanks": {"exact_text": "TRIM(CAST({0} AS VARCHAR))"},
    "quotes with a backslash": {"quoted": lambda text: literal(text.replace("\\", "\\\\"))},
    "a count of all rows": {"count_if": "COUNT({0})"},
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_an_engine_with_one_wrong_word_is_refused(words):
    class Misspelt(DuckdbEngine):
        dialect = replaced(DUCKDB, **words)

    refused(Misspelt(open_table({"a": [1.0]}).source), "whose results are known")


# An engine by the recipe of CONTRIBUTING


NAIVE = Dialect(
    name="sqlite",
    double="REAL",
    infinity="CAST('Infinity' AS REAL)",  # 0.0
    nan="CAST('NaN' AS REAL)",
    narrow="INTEGER",
    wide="INTEGER",
    text="TEXT",
    exact_text="CAST({0} AS TEXT) COLLATE BINARY",
    wide_floor="CAST(FLOOR({0}) AS INTEGER)",
    quotient="({0} / {1})",
    count_if="COUNT(*) FILTER (WHERE {0})",
    series="(WITH RECURSIVE n(code) AS (SELECT 0 UNION ALL SELECT code + 1 FROM n WHERE code < {0} - 1) "
    "SELECT code FROM n) AS declared",
    number_from_text="CAST({2} AS REAL)",
    lot="0",
    octets="LENGTH(CAST({0} AS BLOB))",
    once="AS MATERIALIZED",
    bucket=None,
    matches="({0} GLOB {1})",
    replaced="{0}",
    capital="[A-Z]",
    letter="[a-z]",
    lowered="LOWER({0})",
    plain_number="CAST({0} AS REAL)",
    whole_number="CAST({0} AS INTEGER)",
    decimal="REAL",
    same_decimal="{0}",
    whole_quotient="({0} / {1})",
    quoted=literal,
    named=identifier,
    labels=lambda labels: f"(SELECT column1 AS label, column2 AS code FROM (VALUES {labels}))",
    stack=None,
    limb=None,
)


class SqliteRows(Source):
    """A table of SQLite in memory."""

    def __init__(self, **columns):
        self.columns, self.is_opened = columns, False

    def open(self, connection, columns):  # noqa: ARG002
        self.is_opened = True
        kinds = {name: "TEXT" if isinstance(cells[0], str) else "REAL" for name, cells in self.columns.items()}
        connection.execute(f"CREATE TABLE given ({', '.join(f'{name} {kind}' for name, kind in kinds.items())})")
        marks = ", ".join("?" * len(kinds))
        connection.executemany(f"INSERT INTO given VALUES ({marks})", zip(*self.columns.values(), strict=True))
        fields = (
            Field(name=name, reads=identifier(name), stored=kind, kind=LABEL if kind == "TEXT" else NUMERIC)
            for name, kind in kinds.items()
        )
        return Rows(origin="given", fields=tuple(fields))

    def fingerprint(self):
        return repr(self.columns).encode()


class SqliteEngine(Engine):
    dialect = NAIVE
    name = NAIVE.name

    @contextmanager
    def _connected(self):
        with closing(sqlite3.connect(":memory:")) as connection:
            yield connection

    def _select(self, connection, statements):
        return [self._rows(connection, each) for each in statements]

    def _rows(self, connection, statement):
        return connection.execute(statement).fetchall()

    def version(self, connection):
        return connection.execute("SELECT sqlite_version()").fetchone()[0]


AGE = integer_column("x", lower=0, upper=10, missing="dropped")
TENTHS = number_column("x", lower=0, upper=2**21, step="1/10", missing="dropped")
GROUPED = category_column("g", categories=["a", "b"])
ASKED = [
    Sum(column=AGE),
    Sum(column=TENTHS),
    Sum(column=AGE, by=GROUPED),
    Sum(column=integer_column("x", lower=0, upper=10**7, missing="dropped")),
]
ORDINARY = {"x": [3.0, 11.0, 1000000.5, 7.0], "g": ["a", "b", "b", "a"]}


def test_a_naive_engine_would_give_wrong_sums_without_an_error(monkeypatch):
    """Of SQLite, by the recipe: what the check is there for."""
    right = open_table(ORDINARY).aggregates(ASKED)
    monkeypatch.setattr("snapdp.tables.engines.engine.check_engine", lambda *_: None)
    found = SqliteEngine(SqliteRows(**ORDINARY)).aggregates(ASKED)
    assert [found[each] == right[each] for each in ASKED] == [False, False, False, True]


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"infinity": "9e999"},
        {"infinity": "9e999", "number_from_text": None},
        {"infinity": "9e999", "number_from_text": None, "wide": "REAL"},
    ],
)
def test_a_naive_engine_is_refused_before_its_table_is_opened(words):
    class Given(SqliteEngine):
        dialect = replaced(NAIVE, **words)

    source = SqliteRows(**ORDINARY)
    told = str(refused(Given(source), "whose results are known"))
    assert f"sqlite {sqlite3.sqlite_version} " in told
    assert not source.is_opened


# Where it is asked


class Counted(DuckdbEngine):
    checks = 0

    def known_rows(self, connection):
        Counted.checks += 1
        return super().known_rows(connection)


def test_a_table_is_checked_once():
    Counted.checks = 0
    table = Counted(open_table({"x": [1.0]}).source)
    table.fields()
    table.check([AGE])
    table.aggregates([Sum(column=AGE)])
    assert Counted.checks == 1
    Counted(table.source).fields()
    assert Counted.checks == 2


def test_each_connection_to_a_server_is_checked(database, monkeypatch):
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE checked (x DOUBLE PRECISION)")
    table = open_table(database, table="checked")
    table.fields()
    monkeypatch.setattr(PostgresEngine, "dialect", replaced(POSTGRES, quotient="({0} / {1})"))
    assert "postgresql" in str(refused(table))


# Where it cannot be asked


def test_no_file_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    open_table({"x": [1.0]}).fields()
    assert os.listdir(tmp_path) == []


def test_without_a_place_for_the_file_the_refusal_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    told = str(refused(open_table({"x": [1.0]}), "no place for a temporary file"))
    assert "TMPDIR" in told
    assert "Nothing was spent" in told


def test_a_file_that_does_not_fit_is_not_read():
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(PARQUET) - 1, most[1]))
    try:
        with pytest.raises(PremiseError, match="no place for a temporary file"), parquet_rows():
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)


def test_an_error_of_the_engine_is_told_by_its_kind_alone():
    class Broken(DuckdbEngine):
        def _select(self, connection, statements):  # noqa: ARG002
            raise ValueError("a cell")

    told = refused(Broken(open_table({"x": [1.0]}).source), "does not read a small table")
    assert "ValueError" in str(told)
    assert "a cell" not in str(told)
    assert told.__cause__ is told.__context__ is None


def test_an_engine_that_was_refused_is_refused_again(disable):
    disable("")
    table = open_table({"x": [1.0]})
    refused(table)
    refused(table)
