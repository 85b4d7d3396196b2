"""What a Parquet file says of its types, and Spark's schema leaves out, decides alike whatever the cells are."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from snapdp.errors import DataError
from snapdp.studies.aggregates import Categories
from snapdp.studies.categories import date_column
from snapdp.studies.columns import category_column
from snapdp.tables.engines.opening import open_table
from tests.services import on_spark

RULES = {"unknown": "binned", "null": "binned"}
CATEGORY = Categories(column=category_column("x", categories=["01", "a"], **RULES))
DATE = Categories(column=date_column("x", start="2024-01-01", end="2024-12-31", each="year", **RULES))


@on_spark
def test_times_in_milliseconds_are_refused_whatever_they_are(tmp_path, spark):
    for cells in ([0], [2**62], [None]):
        path = tmp_path / "ms.parquet"
        pq.write_table(pa.table({"x": pa.array(cells, type=pa.int64()).view(pa.timestamp("ms"))}), path)
        with pytest.raises(DataError, match="TIMESTAMP_MILLIS"):
            open_table(path, spark=spark).aggregates([DATE])


@on_spark
def test_a_column_without_a_type_is_one_of_missing_cells(tmp_path, spark):
    pq.write_table(pa.table({"x": pa.nulls(2), "y": ["b", None]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"y": pa.nulls(3), "x": ["01", "a", None]}), tmp_path / "2.parquet")
    other = Categories(column=category_column("y", categories=["b"], **RULES))
    found = open_table(str(tmp_path), spark=spark).aggregates([CATEGORY, other])
    assert (found.rows, found[CATEGORY], found[other]) == (5, (1, 1, 0, 3), (1, 0, 4))
    alone = open_table(str(tmp_path / "1.parquet"), spark=spark).aggregates([DATE])
    assert alone[DATE] == (0, 0, 2)
