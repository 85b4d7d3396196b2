"""The refusal of a column that is not there: what it names, and what it must not repeat."""

from __future__ import annotations

import re

import pandas as pd
import polars as pl
import pytest

from snapdp.errors import DataError
from snapdp.studies.columns import integer_column
from snapdp.tables.engines.opening import open_table
from tests.services import on_spark

AGE, PAY = (integer_column(name, lower=0, upper=120, missing="middle") for name in ("age", "pay"))
PEOPLE = {"Age ": [1], "income": [2], "region": ["north"]}
NAMED = "the table has no column named 'age'. It has 3 columns: 'Age ', 'income', 'region'."


def refusal(data, *columns, **options):
    with pytest.raises(DataError) as refused:
        open_table(data, **options).check(columns)
    return refused.value


def test_frames_and_files_with_a_schema_name_their_columns_and_the_nearest(tmp_path):
    path = tmp_path / "people.parquet"
    pl.DataFrame({"wage": [1], "income": [2]}).write_parquet(path)
    for data in (PEOPLE, pd.DataFrame(PEOPLE), pl.DataFrame(PEOPLE)):
        found = refusal(data, AGE)
        assert found.problem == NAMED
        assert found.advice.startswith("Did you mean 'Age '?")
    found = refusal(path, AGE)
    assert found.problem == "the table has no column named 'age'. It has 2 columns: 'wage', 'income'."
    assert "'wage'" in found.advice


@on_spark
def test_spark_names_all_columns_of_parquet_files_and_those_of_frames(spark, tmp_path):
    frame = spark.createDataFrame([(1, 2)], "wage int, income int")
    frame.write.parquet(str(tmp_path / "p.parquet"))
    for data, options in ((frame, {}), (str(tmp_path / "p.parquet"), {"spark": spark})):
        found = refusal(data, integer_column("wage", lower=0, upper=1, missing="middle"), PAY, **options)
        assert found.problem == "the table has no column named 'pay'. It has 2 columns: 'wage', 'income'."


def test_the_header_of_a_csv_file_is_told_where_a_declared_column_is_in_it(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,income,\x1b[2J\n1,2,3\n")
    found = refusal(path, AGE, PAY)
    assert found.problem == ("the table has no column named 'pay'. It has 3 columns: 'age', 'income', '\\x1b[2J'.")


@on_spark
def test_so_it_is_on_spark(spark, tmp_path):
    (tmp_path / "people.csv").write_text("age,income\n1,2\n")
    assert "'age', 'income'" in refusal(str(tmp_path / "people.csv"), AGE, PAY, spark=spark).problem
    (tmp_path / "bare.csv").write_text("Anna Schmidt,31\nBen,40\n")
    assert "Anna" not in str(refusal(str(tmp_path / "bare.csv"), AGE, PAY, spark=spark))


def test_the_first_row_of_a_file_without_a_header_is_not_repeated(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Anna Schmidt,31,north\nBen,40,south\n")
    found = refusal(path, AGE, PAY)
    assert found.problem == "the table has no column named 'age'. It has 3 columns."
    assert not re.search("Anna|Schmidt|31|north", str(found))


def test_a_name_that_is_hardly_distinguishable_is_told_all_the_same(tmp_path):
    path = tmp_path / "people.csv"
    for header, told in (
        ("AGE", True),
        (" age", True),
        ("ages", True),
        ("wage", True),
        ("page 1", False),
        ("gae", False),
    ):
        path.write_text(f"{header},x\n1,2\n")
        assert ("Did you mean" in refusal(path, AGE).advice) == told, header
