"""Arrow columns of rare types: read exactly, or refused by their type with what to cast them to."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from snapdp.errors import DataError
from snapdp.studies.aggregates import Count, Sum
from snapdp.studies.columns import number_column
from snapdp.tables.engines.opening import open_table

X = number_column("x", lower=-100, upper=100, step="1/1024", missing=50)
HALVES = [1.5, -0.0999755859375, float("inf"), float("nan"), None, 65504.0]


def total(table):
    return open_table(table).aggregates([Sum(column=X)])[Sum(column=X)]


def test_half_precision_is_read_as_the_numbers_it_holds():
    cells = pa.array([None if each is None else np.float16(each) for each in HALVES], pa.float16())
    assert total(pa.table({"x": cells})) == total({"x": HALVES})
    halves = pa.chunked_array([cells[:2], cells[2:2], cells[2:]])
    assert total(pa.table({"x": halves})) == total({"x": HALVES})
    assert total(pa.table({"x": pa.chunked_array([], pa.float16())})) == (0,)


@pytest.mark.parametrize(
    ("cells", "stored"),
    [
        (pa.array([Decimal("867.53")], pa.decimal256(50, 2)), r"decimal256\(50, 2\)"),
        (pa.array([8675309], pa.int64()).cast(pa.decimal256(40, 2)), r"decimal256\(40, 2\)"),
        (pa.array([np.float16(867.5)], pa.float16()).dictionary_encode(), "dictionary"),
    ],
)
def test_a_type_that_the_engine_does_not_read_is_named_with_a_way_out(cells, stored):
    table = pa.table({"other": pa.array([1]), "x": cells})
    with pytest.raises(DataError, match=f"(?s)column 'x' is stored as {stored}.*Cast it to double") as refused:
        total(table)
    assert "867" not in str(refused.value)
    assert total(table.set_column(1, "x", pa.array([2.0]))) == (102 * 1024,)


def test_columns_that_nobody_asked_for_may_be_of_any_type():
    table = pa.table({"x": pa.array([1.0, 2.0]), "wide": pa.array([Decimal(1), None], pa.decimal256(50, 2))})
    assert total(table) == (203 * 1024,)
    assert open_table(table).aggregates([Count()])[Count()] == (2,)


def test_pandas_columns_of_these_types_are_read_by_their_cells():
    for kind in (pa.float16(), pa.decimal256(50, 2)):
        column = pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int64())).astype("float64")
        cells = [np.float16(1), np.float16(2)] if kind == pa.float16() else [Decimal(1), Decimal(2)]
        arrow = pd.Series(pd.arrays.ArrowExtensionArray(pa.array(cells, kind)))
        assert total(pd.DataFrame({"x": arrow})) == total(pd.DataFrame({"x": column}))
