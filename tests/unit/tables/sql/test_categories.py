"""Every engine gives a cell the code that its text has by definition, and no cell stops one."""

from __future__ import annotations

import datetime
from decimal import Decimal
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from snapdp.errors import DataError
from snapdp.studies.categories import EACH, KIND_KEYS, DateColumn, boolean_column, date_column, place_of
from snapdp.studies.columns import AS_NUMBERS, AS_TEXT, INTEGER, MAGNITUDE, NUMBER, PERSON, category_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.studies.grouping.keys import KEY
from snapdp.tables.engines import postgres
from snapdp.tables.engines.opening import open_table
from snapdp.tables.engines.spark import SparkFrame
from snapdp.tables.sources.stored import described
from snapdp.tables.sql.stored import ALLOWED
from tests.services import on_spark
from tests.unit.tables.everywhere import on_duckdb, on_postgres, on_spark as spark_table
from tests.unit.tables.kinds import COLUMNS, RULES, cells, codes, number_categories
from tests.unit.tables.tables import csv_text

DAYS = date_column("cell", start="0001-01-01", end="0150-12-31", each="day", **RULES)


def typed(texts):
    return {"place": ("bigint", list(range(len(texts)))), "cell": ("text", texts)}


def by_definition(column, texts):
    return [place_of(column, each) for each in texts]


def compared_everywhere(open_typed, texts, columns=COLUMNS):
    table = open_typed(typed(texts))
    for column in columns:
        assert dict(zip(texts, codes(table, column), strict=True)) == dict(
            zip(texts, by_definition(column, texts), strict=True)
        ), column


def test_every_text_gets_the_code_that_it_has_by_definition(open_typed):
    compared_everywhere(open_typed, cells(1, 700))


@pytest.mark.parametrize(
    "wrong", [{"start": "2024-02-07"}, {"each": "day"}, {"unknown": "dropped"}, {"end": "2024-03-14"}]
)
def test_the_comparison_sees_another_definition(wrong, tmp_path):
    said = {"start": "2024-01-31", "end": "2024-03-15", "each": "week", **RULES}
    texts = ["2024-01-31", "2024-03-15", "x"]
    assert codes(on_duckdb(typed(texts), tmp_path), date_column("cell", **said)) != by_definition(
        date_column("cell", **{**said, **wrong}), texts
    )


@on_spark
def test_spark_does_so_whatever_its_settings_are(spark):
    settings = {"spark.sql.ansi.enabled": "false", "spark.sql.session.timeZone": "Asia/Tokyo"}
    before = {key: spark.conf.get(key) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        compared_everywhere(lambda table: spark_table(table, spark), cells(3, 320), COLUMNS[:5])
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_duckdb_does_so_for_many_more_texts(seed, tmp_path):
    compared_everywhere(lambda table: on_duckdb(table, tmp_path), cells(1000 + seed, 20_000))


def test_cells_of_csv_files_lists_and_frames_have_the_same_codes(tmp_path):
    texts = cells(5, 500)
    places = list(range(len(texts)))
    plain = [each if each is None or "\r" not in each else "?" for each in texts]
    path = tmp_path / "cells.csv"
    path.write_text(csv_text({"place": places, "cell": plain}), encoding="utf-8", newline="")
    frame = {"place": places, "cell": texts}
    for column in (COLUMNS[0], COLUMNS[2], COLUMNS[5]):
        assert codes(open_table(path), column) == by_definition(column, plain)
        for made in (frame, pd.DataFrame(frame), pd.DataFrame(frame).astype({"cell": object}), pl.DataFrame(frame)):
            assert codes(open_table(made), column) == by_definition(column, texts)


def test_the_ordinals_of_all_days_of_150_years_are_those_of_the_calendar(tmp_path):
    days = [datetime.date.fromordinal(1 + i).isoformat() for i in range(150 * 365 + 36)]
    assert days[-1] == "0150-12-31"
    assert codes(on_duckdb(typed(days), tmp_path), DAYS) == list(range(len(days)))


# Stored types

WEEKS = date_column("cell", start="2023-12-20", end="2024-03-05", each="week", **RULES)
FAR = date_column("cell", start="0001-01-01", end="9999-12-31", each="year", **RULES)
MOMENTS = [
    None, "2024-01-01 00:00:00", "2024-01-01 23:59:59.999999", "2023-12-31 23:59:59.999999", "2024-02-29 12:00:00",
    "1969-12-31 23:59:59.999999", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1582-10-10 00:00:00",
]  # fmt: skip
BEYOND = {"duckdb": ["0044-03-15 (BC)", "12024-01-01", "infinity", "-infinity"]}
BEYOND["postgresql"] = ["0044-03-15 BC", "12024-01-01", "infinity", "-infinity"]


def selected(kind, literals):
    rows = ", ".join(f"({i}, {'NULL' if each is None else repr(each)})" for i, each in enumerate(literals))
    return f"SELECT place, CAST(cell AS {kind}) AS cell FROM (VALUES {rows}) AS t(place, cell)"


def expected(column, literals, beyond=()):
    return [place_of(column, each) for each in literals] + [len(column.categories)] * len(beyond)


@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMPTZ"])
@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_stored_dates_and_times_of_duckdb_count_in_their_period(kind, form, tmp_path):
    given = [each if each is None or kind != "TIMESTAMPTZ" else f"{each}+00" for each in MOMENTS]
    if kind in ("TIMESTAMP_S", "TIMESTAMP_MS"):  # a cast to these rounds up
        given = [None if each is None else each.partition(".")[0] for each in given]
    beyond = BEYOND["duckdb"] if form == "duckdb" else []
    path = tmp_path / f"t.{form}"
    with duckdb.connect(str(path) if form == "duckdb" else ":memory:") as connection:
        connection.execute(f"CREATE TABLE stored AS {selected(kind, [*given, *beyond])}")
        if form == "parquet":
            connection.execute(f"COPY stored TO '{path}' (FORMAT parquet)")
    table = open_table(path, table="stored") if form == "duckdb" else open_table(path)
    if (kind, form) == ("TIMESTAMP_MS", "parquet"):  # DuckDB fails at a cell that leaves its microseconds
        with pytest.raises(DataError, match="stored as times in milliseconds"):
            codes(table, WEEKS)
        return
    for column in (WEEKS, FAR):
        assert codes(table, column) == expected(column, given, beyond)


@pytest.mark.parametrize("kind", ["date", "timestamp", "timestamptz"])
def test_stored_dates_and_times_of_postgresql_count_in_their_period(kind, database):
    import psycopg

    given = [each if each is None or kind != "timestamptz" else f"{each}+00" for each in MOMENTS]
    beyond = BEYOND["postgresql"]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE moments_{kind} AS {selected(kind, [*given, *beyond])}")
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET timezone = 'Asia/Tokyo'")
        connection.execute(f"ALTER DATABASE {connection.info.dbname} SET datestyle = 'German'")
    table = open_table(database, table=f"moments_{kind}")
    for column in (WEEKS, FAR):
        assert codes(table, column) == expected(column, given, beyond)


@on_spark
@pytest.mark.parametrize("kind", ["DATE", "TIMESTAMP", "TIMESTAMP_NTZ"])
@pytest.mark.parametrize("form", ["table", "parquet"])
def test_stored_dates_and_times_of_spark_count_in_their_period(kind, form, spark, tmp_path):
    given = [each if each is None or kind != "TIMESTAMP" else f"{each}Z" for each in MOMENTS]
    frame = spark.sql(selected(kind, given))
    if form == "parquet":
        frame.write.parquet(str(tmp_path / "moments.parquet"))
    table = open_table(frame) if form == "table" else open_table(str(tmp_path / "moments.parquet"), spark=spark)
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
        for column in (WEEKS, FAR):
            assert codes(table, column) == expected(column, given)
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


@on_spark
def test_parquet_files_of_others_with_old_and_impossible_times_do_not_stop_spark(spark, tmp_path):
    times = pa.array([0, -(2**63), 2**63 - 1, -(2**60), None], pa.int64())
    days = pa.array([0, -(2**31), 2**31 - 1, -800_000, None], pa.int32())
    for name, array in {
        "zoned": times.cast(pa.timestamp("us", "UTC")),
        "plain": times.cast(pa.timestamp("us")),
    }.items():
        table = opened_parquet(pa.table({"place": range(5), "cell": array}), tmp_path / f"{name}.parquet", spark=spark)
        assert codes(table, FAR) == [1969, 9999, 9999, 9999, 10000]
    table = opened_parquet(
        pa.table({"place": range(5), "cell": days.cast(pa.date32())}), tmp_path / "d.parquet", spark=spark
    )
    assert codes(table, FAR) == [1969, 9999, 9999, 9999, 10000]


def opened_parquet(table, path, **options):
    import pyarrow.parquet as pq

    pq.write_table(table, path)
    return open_table(str(path), **options)


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_of_arrow_are_rounded_down_to_the_day_and_none_of_them_stops_the_engine(unit, zone):
    numbers = [0, -1, 1, None, 2**63 - 1, -(2**63), 2**62, -(2**62), 1_704_067_199]
    array = pa.array(numbers, pa.int64()).cast(pa.timestamp(unit, zone))
    per_day = 86_400 * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    table = open_table(pa.table({"place": range(len(numbers)), "cell": array}))

    def year(number):
        if number is None:
            return 10000
        day = number // per_day + datetime.date(1970, 1, 1).toordinal()
        return datetime.date.fromordinal(day).year - 1 if 1 <= day <= datetime.date.max.toordinal() else 9999

    assert codes(table, FAR) == [year(each) for each in numbers]


def test_a_nanosecond_before_midnight_is_the_day_before_in_duckdb_and_parquet(tmp_path):
    path = tmp_path / "t.duckdb"
    literals = ["2024-01-01 23:59:59.999999999", "1960-01-01 23:59:59.999999999", "infinity", None]
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE stored AS {selected('TIMESTAMP_NS', literals)}")
        connection.execute(f"COPY (SELECT * FROM stored WHERE place <> 2) TO '{tmp_path}/t.parquet' (FORMAT parquet)")
    column = date_column("cell", start="1960-01-01", end="2024-01-01", each="day", **RULES)
    last = len(column.categories)
    assert codes(open_table(path, table="stored"), column) == [last - 1, 0, last, last + 1]


TWO_HOURS = datetime.timezone(datetime.timedelta(hours=2))
DATES = [
    datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 23, 59), None, pd.Timestamp("2024-02-29 23:59"), pd.NaT,
    np.datetime64("2024-02-29"), np.datetime64("NaT"), datetime.datetime(2024, 3, 1, 1, tzinfo=TWO_HOURS),
    pd.Timestamp("2024-03-01 00:30", tz="Europe/Berlin"), "2024-02-29", float("nan"), pd.NA, 20240229, 1.5, object(),
    datetime.datetime.max.replace(tzinfo=datetime.timezone(-datetime.timedelta(hours=5))),
]  # fmt: skip


def test_dates_of_python_pandas_and_numpy_are_read_by_the_same_rule():
    column = date_column("cell", start="2024-02-28", end="2024-03-01", each="day", **RULES)
    expected = [1, 1, 4, 1, 4, 1, 4, 1, 1, 1, 4, 4, 3, 3, 3, 3]
    array = np.fromiter(DATES, dtype=object, count=len(DATES))
    for made in (DATES, array, pd.Series(DATES, dtype=object)):
        assert codes(open_table({"place": range(len(DATES)), "cell": made}), column) == expected


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "7h"])
def test_arrays_of_numpy_times_of_every_unit_are_rounded_down_to_the_day(unit):
    near = np.array(["2024-02-29", "NaT", "1969-12-31", "1970-01-01"], dtype="datetime64[D]").astype(
        f"datetime64[{unit}]"
    )
    ends = np.array([2**63 - 1, -(2**63) + 1], dtype=np.int64).view(f"datetime64[{unit}]")
    array = np.concatenate([near, ends])
    days = [None if np.isnat(each) else int(each.astype("datetime64[D]").astype(np.int64)) for each in near]
    beyond = {"ns"}  # these reach from 1677 to 2262

    def year(day):
        return 10000 if day is None else datetime.date.fromordinal(day + 719_163).year - 1

    found = codes(open_table({"place": range(len(array)), "cell": array}), FAR)
    assert found[:4] == [year(day) for day in days]
    assert unit in beyond or found[4:] == [9999, 9999]


def test_columns_of_pandas_times_with_and_without_a_zone_count_in_utc():
    column = date_column("cell", start="2024-02-28", end="2024-03-01", each="day", **RULES)
    plain = pd.Series(pd.to_datetime(["2024-02-29 23:30", None, "2024-03-01 00:30"]))
    for made, want in ((plain, [1, 4, 2]), (plain.dt.tz_localize("Asia/Tokyo"), [1, 4, 1])):
        assert codes(open_table(pd.DataFrame({"place": range(3), "cell": made})), column) == want
        assert codes(open_table(pl.from_pandas(pd.DataFrame({"place": range(3), "cell": made}))), column) == want


YES = boolean_column("cell", **RULES)
NUMBERS = number_categories("cell", ["0", "1", "0.1", "-3"])


def test_booleans_and_numbers_of_python_are_read_by_the_same_rule():
    given = [True, np.bool_(False), 1, 0, 1.0, -0.0, 2, float("nan"), None, pd.NA, Decimal("1.00"), Decimal("NaN")]
    given += [np.float32(0.1), 0.1, np.int64(-3), 10**400, 1e300, float("inf"), "yes", b"1", Decimal("1e1000000"), -3.0]
    table = open_table({"place": range(len(given)), "cell": given})
    assert codes(table, YES) == [1, 0, 1, 0, 1, 0, 2, 3, 3, 3, 1, 3, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2]
    assert codes(table, NUMBERS) == [4, 4, 1, 0, 1, 0, 4, 5, 5, 5, 1, 5, 2, 2, 3, 4, 4, 4, 4, 4, 4, 3]


DOUBLES = [
    0.0,
    -0.0,
    1.0,
    0.1,
    -3.0,
    0.10000000000000002,
    1.0000000000000002,
    float("inf"),
    -1e308,
    float("nan"),
    None,
    5e-324,
]
DOUBLE_CODES = [0, 0, 1, 2, 3, 4, 4, 4, 4, 5, 5, 4]
DECIMALS = ["0", "1.0000", "0.1", "-3", "0.1001", None, "99999999999999"]
DECIMAL_CODES = [0, 1, 2, 3, 4, 5, 4]
FINE = ["0", "1", "0.1", "0.100000000000000001", "-3", "1.000000000000000001", "12345678901234567890", None]
FINE_CODES = [0, 1, 2, 4, 3, 4, 4, 5]
WHOLES = [0, 1, -3, 2, 10**17, -(2**63), None]
WHOLE_CODES = [0, 1, 3, 4, 4, 4, 5]
STORED = [("double", DOUBLES, DOUBLE_CODES), ("decimal", DECIMALS, DECIMAL_CODES), ("fine", FINE, FINE_CODES)]
STORED += [("bigint", WHOLES, WHOLE_CODES)]


def truth_of(codes):
    return [code if code < 2 else code - 2 if code == 5 else 2 for code in codes]


def check_numbers(open_typed, *, decimals=str):
    for kind, stored, want in STORED:
        given = [None if c is None else decimals(c) if kind in ("decimal", "fine") else c for c in stored]
        table = open_typed({"place": ("bigint", list(range(len(stored)))), "cell": (kind, given)})
        many = number_categories("cell", [*NUMBERS.categories, *(str(i) for i in range(1000, 1100))])
        assert codes(table, NUMBERS) == want, kind
        assert codes(table, many) == [code if code < 4 else code + 100 for code in want], kind
        assert codes(table, YES) == truth_of(want), kind


def test_numbers_stored_on_duckdb_compare_as_numbers(tmp_path):
    check_numbers(lambda table: on_duckdb(table, tmp_path))


@on_spark
@pytest.mark.long
def test_numbers_stored_on_spark_compare_as_numbers(spark):
    check_numbers(lambda table: spark_table(table, spark), decimals=Decimal)


def test_numbers_stored_on_postgresql_compare_as_numbers(database):
    check_numbers(lambda table: on_postgres(table, database))


def test_numeric_cells_of_postgresql_without_a_limit_compare_exactly(database):
    import psycopg

    literals = ["1", "1." + "0" * 500, "1." + "0" * 500 + "1", "NaN", "Infinity", "1e400", "1e-400", None]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE exact_numbers AS {selected('numeric', literals)}")
    table = open_table(database, table="exact_numbers")
    assert codes(table, NUMBERS) == [1, 1, 4, 5, 4, 4, 4, 5]
    assert codes(table, YES) == [1, 1, 2, 3, 2, 2, 2, 3]


def test_booleans_and_categories_of_a_csv_file_with_other_signs_are_read_as_the_file_writes_numbers(tmp_path):
    texts = ["1,0", "1", "1.000", "0,0", "yes", "1.0", "-3,00", "0,1", "1,000", "0.1"]
    path = tmp_path / "t.csv"
    path.write_text("place;cell\n" + "".join(f"{i};{text}\n" for i, text in enumerate(texts)))
    table = open_table(path, dialect=CsvDialect(delimiter=";", decimal=",", thousands="."))
    assert codes(table, YES) == [1, 1, 2, 0, 1, 2, 2, 2, 1, 2]
    assert codes(table, NUMBERS) == [1, 1, 4, 0, 4, 4, 3, 2, 1, 4]


# What a schema refuses


def test_text_by_its_schema_is_no_column_of_numbers(tmp_path):
    from snapdp.studies.columns import number_column

    column = number_column("cell", lower=0, upper=9, missing="middle")
    cells = {"place": [0, 1], "cell": ["1", "2"]}
    path = tmp_path / "t.parquet"
    pl.DataFrame(cells).write_parquet(path)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE stored AS SELECT '1' AS cell")
        connection.execute("CREATE TABLE listed AS SELECT CAST('a' AS ENUM ('a', 'b')) AS cell")
    for table in (
        open_table(path),
        open_table(pl.DataFrame(cells)),
        open_table(pl.DataFrame(cells).to_arrow()),
        open_table(tmp_path / "t.duckdb", table="stored"),
        open_table(tmp_path / "t.duckdb", table="listed"),
        open_table(pd.DataFrame(cells).astype({"cell": "string"})),
        open_table(pd.DataFrame(cells).astype({"cell": "category"})),
        open_table({"cell": np.array(["1", "2"])}),
    ):
        with pytest.raises(DataError, match=r"column 'cell' is declared as number but stored as"):
            table.check([column])
    for loose in (cells, pd.DataFrame(cells).astype({"cell": object})):
        open_table(loose).check([column])


@on_spark
def test_text_by_its_schema_is_no_column_of_numbers_on_spark(spark, tmp_path):
    from snapdp.studies.columns import number_column

    column = number_column("cell", lower=0, upper=9, missing="middle")
    frame = spark.createDataFrame([("1",)], "cell string")
    frame.write.parquet(str(tmp_path / "t.parquet"))
    for table in (open_table(frame), open_table(str(tmp_path / "t.parquet"), spark=spark)):
        with pytest.raises(DataError, match="column 'cell' is declared as number but stored as string"):
            table.check([column])
    (tmp_path / "t.csv").write_text("cell\n1\n")
    open_table(str(tmp_path / "t.csv"), spark=spark).check([column])


def test_single_precision_is_refused_where_a_category_is_none_of_its_numbers():
    array = np.array([0.1, 1.0], dtype=np.float32)
    with pytest.raises(DataError, match=r"single precision \(FLOAT\), which has no 0.1"):
        open_table({"cell": array}).check([NUMBERS])
    table = open_table({"place": range(2), "cell": array})
    assert codes(table, number_categories("cell", ["0", "1", "0.5"])) == [3, 1]


def test_every_engine_names_its_own_type_of_single_precision():
    with duckdb.connect(":memory:") as connection:
        told = [*described(connection, "SELECT CAST(0 AS REAL) AS a, CAST(0 AS DOUBLE) AS b, 0 AS c, 0.1 AS d")]
    assert [each.single for each in told] == [True, False, False, False]
    spark = [SparkFrame._field(SimpleNamespace(dialect=None), "a", "c0", each) for each in ("float", "double", "int")]
    assert [each.single for each in spark] == [True, False, False]
    server = [postgres._field("a", each, "b") for each in ("real", "double precision", "numeric", "integer")]
    assert [each.single for each in server] == [True, False, False, False]


def test_every_kind_of_category_column_is_compared_with_its_definition_cell_by_cell():
    assert {each.kind for each in COLUMNS} == {*KIND_KEYS} - {MAGNITUDE}  # read as numbers are: test_magnitudes.py
    assert {each.compare for each in COLUMNS} == {AS_TEXT, AS_NUMBERS}
    assert {each.each for each in COLUMNS if isinstance(each, DateColumn)} == {*EACH}
    assert {*ALLOWED} == {NUMBER, INTEGER, PERSON, KEY, AS_NUMBERS, *KIND_KEYS}  # those of keys: test_keys.py


@pytest.mark.parametrize(
    ("kind", "column", "advice"),
    [
        ("BOOLEAN", NUMBERS, 'kind = "boolean"'),
        ("DATE", category_column("cell", categories=["2024-01-01"]), 'kind = "date"'),
        ("DOUBLE", category_column("cell", categories=["a"]), "declare it otherwise"),
        ("INTEGER", WEEKS, "dates or text such as 2024-05-17"),
        ("TIME", WEEKS, "dates or text such as 2024-05-17"),
    ],
)
def test_a_type_that_no_rule_reads_is_refused_with_the_kind_that_would(kind, column, advice, tmp_path):
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE stored AS SELECT CAST(NULL AS {kind}) AS cell")
    with pytest.raises(DataError, match=advice):
        open_table(tmp_path / "t.duckdb", table="stored").check([column])


def test_a_column_without_a_single_cell_is_all_missing_for_every_kind():
    for made in ({"place": [0, 1], "cell": [None, None]}, pl.DataFrame({"place": [0, 1], "cell": [None, None]})):
        for column in (YES, NUMBERS, WEEKS, number_categories("cell", [str(i) for i in range(100)])):
            assert codes(open_table(made), column) == [len(column.categories) + 1] * 2
