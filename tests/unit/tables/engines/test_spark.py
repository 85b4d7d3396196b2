"""Spark as an engine: which tables it takes, what is refused, and that nothing is told."""

from __future__ import annotations

import duckdb
import pyarrow
import pyarrow.parquet
import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.spark import SparkEngine
from tests.services import on_spark
from tests.tiers import one_in
from tests.unit.tables.sql.test_generator import NO_NUMBERS, TEXTS
from tests.unit.tables.tables import csv_text

pytestmark = on_spark
X = integer_column("x", lower=0, upper=100, missing=50)
G = category_column("g", categories=["a", 'say "hi"', "a,b", "", "it's"], unknown="binned", null="binned")
ASKED = [Count(), Sum(column=X), Categories(column=G)]
CSV = 'x,g\n1,a\n 2.4 ,"say ""hi"""\nabc,"a,b"\n,""\n7,\n1_0,other\n1e1,it\'s\n'


@pytest.fixture
def frame(spark):
    return spark.createDataFrame([(1, "a"), (2, "it's"), (None, None)], "x int, g string")


@pytest.mark.long
def test_text_is_a_number_by_the_one_pattern_on_spark_too(spark, tmp_path):
    column = number_column("x", lower=0, upper=16, step=1, missing=3)
    row = integer_column("row", lower=0, upper=1000, missing="middle")
    odd = [each for each in NO_NUMBERS if not set("\r\n\x00") & set(each)]  # Spark reads no cell with a line end
    texts = [*TEXTS, *odd]
    path = tmp_path / "texts.csv"
    path.write_text(csv_text({"row": list(range(len(texts))), "x": texts}), encoding="utf-8", newline="")
    table = open_table(str(path), spark=spark)
    by = category_column("row", categories=[str(i) for i in range(len(texts))])
    found = table.aggregates([Sum(column=column, by=by), Sum(column=row)])[Sum(column=column, by=by)]
    assert dict(zip(texts, found, strict=True)) == {**TEXTS, **dict.fromkeys(odd, 3)}


def test_csv_and_parquet_files_give_what_duckdb_gives(spark, tmp_path):
    path = tmp_path / "some, people's.csv"
    path.write_text(CSV, encoding="utf-8")
    parquet = tmp_path / "people.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT i AS x, CAST(i % 2 AS VARCHAR) AS g FROM range(90) AS t(i)) TO '{parquet}'")
    for file in (path, parquet):
        on_duckdb = open_table(file)
        table = open_table(str(file), spark=spark)
        assert isinstance(table, SparkEngine)
        assert table.aggregates(ASKED) == on_duckdb.aggregates(ASKED)
        table.check([X, G])


def parquet(path, columns):
    """Write a file with each column of two cells, by names that DuckDB itself would not keep apart."""
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return str(path)


def told(table, asked):
    try:
        found = table.aggregates(asked)
    except DataError as refusal:
        return refusal.problem
    return found.rows, [found[each] for each in asked]


SETS = {
    "one column": ([{"x": [1, 2]}, {"x": [90, 90]}], (4, [(183,)])),
    "capitals": ([{"x": [1, 2]}, {"X": [90, 90]}], "the Parquet files have a column 'X' beside the declared 'x'."),
    "both": ([{"x": [1, 2], "X": [90, 90]}], "the Parquet files have a column 'X' beside the declared 'x'."),
    "a file without it": ([{"x": [1, 2]}, {"y": [90, 90]}], "same types"),
    "another type": ([{"x": [1, 2]}, {"x": [1.5, 2.5]}], "same types"),
    "other columns differ": ([{"x": [1, 2], "y": [1, 2]}, {"z": ["a", "b"], "x": [3, 4]}], (4, [(10,)])),
    "nowhere": ([{"y": [1, 2]}], "the table has no column named 'x'."),
}


@pytest.mark.parametrize("case", one_in(2, SETS))
def test_sets_of_parquet_files_are_judged_as_by_duckdb_whatever_the_session_is_set_to(case, spark, tmp_path):
    columns, expected = SETS[case]
    paths = [parquet(tmp_path / f"{i}.parquet", each) for i, each in enumerate(columns)]
    found = [told(open_table(paths), [Sum(column=X)])]
    kept = spark.conf.get("spark.sql.caseSensitive")
    try:
        for setting in ("false", "true"):
            spark.conf.set("spark.sql.caseSensitive", setting)
            found.append(told(open_table(paths, spark=spark), [Sum(column=X)]))
    finally:
        spark.conf.set("spark.sql.caseSensitive", kept)
    if isinstance(expected, str):
        assert all(isinstance(each, str) for each in found)
        assert expected in found[0]
        assert expected in found[2]
    else:
        assert found == [expected] * 3


def test_a_master_url_finds_the_session_that_runs(spark, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CSV, encoding="utf-8")
    table = open_table(path, spark="local[1]")
    assert table.aggregates(ASKED) == open_table(path).aggregates(ASKED)
    assert table.source.session.sparkContext is spark.sparkContext


def test_several_csv_files_need_one_header(spark, tmp_path):
    paths = [tmp_path / f"{i}.csv" for i in range(2)]
    for path in paths:
        path.write_text("x,g\n1,a\n", encoding="utf-8")
    assert open_table(paths, spark=spark).aggregates(ASKED).rows == 2
    paths[1].write_text("g,x\na,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="start with one header"):
        open_table(paths, spark=spark).aggregates(ASKED)


@pytest.mark.parametrize("line", ["5432\n", "5432,a,b\n", '5432,"two\nlines"\n'])
def test_a_line_with_the_wrong_number_of_cells_is_refused_without_its_cells(spark, tmp_path, line, capfd):
    path = tmp_path / "t.csv"
    path.write_text("x,g\n1,a\n" + line, encoding="utf-8")
    with pytest.raises(DataError, match="not well formed") as refused:
        open_table(path, spark=spark).aggregates(ASKED)
    assert refused.value.__context__ is None
    assert "5432" not in str(refused.value) + "".join(capfd.readouterr())


def test_a_damaged_file_is_told_by_one_sentence(spark, tmp_path, capfd):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1 secret cells PAR1")
    with pytest.raises(DataError, match="could not read the table") as refused:
        open_table(path, spark=spark).aggregates(ASKED)
    assert refused.value.__cause__ is None
    assert refused.value.__context__ is None
    assert "secret" not in str(refused.value) + "".join(capfd.readouterr())


def test_stored_tables_are_read_by_name_and_views_are_refused(spark, frame, tmp_path):
    spark.sql(f"CREATE TABLE snapdp_people USING parquet LOCATION '{tmp_path}/people' AS SELECT 3 AS x, 'a' AS g")
    frame.filter("x > 1").createOrReplaceTempView("snapdp_filtered")
    try:
        assert open_table(spark, table="snapdp_people").aggregates(ASKED)[Sum(column=X)] == (3,)
        for name in ("snapdp_filtered", "snapdp_nothing"):
            with pytest.raises(DataError, match="no stored table"):
                open_table(spark, table=name).aggregates(ASKED)
    finally:
        spark.sql("DROP TABLE snapdp_people")
        spark.catalog.dropTempView("snapdp_filtered")


def test_capitals_dots_and_quotes_in_names_mean_nothing(spark):
    names = ["x", "X", "a.b", "a `b`", "c'd"]
    table = open_table(spark.createDataFrame([(1, 2, 3, 4, 5)], ", ".join(f"c{i} int" for i in range(5))).toDF(*names))
    columns = [integer_column(name, lower=0, upper=9, missing="middle") for name in names]
    found = table.aggregates([Sum(column=c) for c in columns])
    assert [found[Sum(column=c)] for c in columns] == [(1,), (2,), (3,), (4,), (5,)]


def test_no_view_is_left_behind(spark, frame):
    before = {each.name for each in spark.catalog.listTables()}
    open_table(frame).aggregates(ASKED)
    with pytest.raises(DataError, match="no column named"):
        open_table(frame).aggregates([Sum(column=integer_column("y", lower=0, upper=1, missing="middle"))])
    assert {each.name for each in spark.catalog.listTables()} == before


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamp_ntz", "binary", "array<int>", "boolean"])
def test_what_is_no_number_is_refused_as_one(spark, kind):
    table = open_table(spark.sql(f"SELECT CAST(NULL AS {kind}) AS x"))
    with pytest.raises(DataError, match="declared as integer but stored as"):
        table.aggregates([Sum(column=X)])


def test_arguments_that_do_not_fit_are_refused(spark):
    with pytest.raises(ParameterError, match="no table"):
        open_table(spark)
    with pytest.raises(ParameterError, match="files have no tables"):
        open_table("x.parquet", spark=spark, table="t")
    with pytest.raises(DataError, match="one format"):
        open_table(["x.csv", "y.parquet"], spark=spark)
    with pytest.raises(DataError, match="named twice"):
        open_table(["x.csv", "x.csv"], spark=spark)
    with pytest.raises(ParameterError, match="no dialect"):
        open_table("x.parquet", spark=spark, dialect=CsvDialect())
    with pytest.raises(DataError, match="no table of Spark"):
        open_table({"x": [1]}, spark=spark)


@pytest.mark.long
def test_a_hundred_thousand_declared_keys(spark):
    keys = category_column("key", categories=[f"key {i}" for i in range(100_000)], unknown="binned")
    frame = spark.range(1000).selectExpr("'key ' || (id * 100 + 7) AS key")
    found = open_table(frame).aggregates([Count(by=keys)])[Count(by=keys)]
    assert sum(found) == 1000
    assert [i for i, n in enumerate(found) if n] == list(range(7, 100_000, 100))


def test_the_fingerprint_is_of_the_rows_not_their_order(frame):
    other = frame.orderBy("x")
    assert open_table(other).source.fingerprint() == open_table(frame).source.fingerprint()
    assert open_table(frame.limit(2)).source.fingerprint() != open_table(frame).source.fingerprint()


def test_only_sums_reach_the_driver(spark):
    """Ten thousand rows of a thousand persons in: one row out of each statement, or one for each declared cell."""
    frame = spark.range(10_000).selectExpr("id % 101 AS x", "CAST(id % 1000 AS STRING) AS id", "'a' AS g")
    asked = [
        Sum(column=X, persons=Persons(columns=("id",), most=2)),
        Count(by=G, persons=Persons(columns=("id",), most=2)),
    ]
    table = open_table(frame)
    collected = []
    select = table._select
    table._select = lambda *given: collected.extend(select(*given)) or collected
    assert table.aggregates(asked).rows == 2000
    assert [len(rows) for rows in collected] == [1, G.cells]
