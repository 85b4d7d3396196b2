"""Arrays of every kind of numpy: numbers are read without a word, what is no number is refused by its kind."""

from __future__ import annotations

import datetime
import warnings

import numpy as np
import pytest

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Categories, Count, Persons, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.tables.engines.opening import open_table

X = integer_column("x", lower=0, upper=100, missing=50)
FAR = np.longdouble("1e4000")  # infinite where long doubles are doubles
SIGNALLING = np.frombuffer(np.uint32(0x7FA00000).tobytes(), dtype=np.float32)
NUMBERS = {
    "long doubles": (np.array([1, FAR, -FAR, np.nan], dtype=np.longdouble), 1 + 100 + 0 + 50),
    "long doubles in a list": ([np.longdouble(1), FAR, -FAR, np.longdouble("nan")], 1 + 100 + 0 + 50),
    "objects": (np.array([FAR, SIGNALLING[0], np.float16(3), 10**5000], dtype=object), 100 + 50 + 3 + 100),
    "singles": (np.concatenate([SIGNALLING, np.float32([1e38, -1e38])]), 50 + 100 + 0),
    "halves": (np.array([np.inf, 3, -0.0], dtype=np.float16), 103),
    "masked long doubles": (np.ma.masked_array(np.array([1, FAR], dtype=np.longdouble), mask=[False, True]), 51),
    **{f"int of {size}": (np.array([5, 99], dtype=size), 104) for size in ("i1", "u1", ">i2", "<u4", "i8", "u8")},
    "largest unsigned": (np.array([2**64 - 1], dtype=np.uint64), 100),
    "objects that are text": (np.array(["7", " 8 ", "x"], dtype=object), 65),
}
TEXTS = [np.array(["7", "8"])]
if hasattr(np.dtypes, "StringDType"):  # numpy 2
    TEXTS.append(np.array(["7", "8"], dtype=np.dtypes.StringDType()))


@pytest.mark.parametrize("kind", NUMBERS)
def test_no_cell_of_any_kind_of_number_warns(kind):
    cells, total = NUMBERS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = open_table({"x": cells})
        assert table.aggregates([Sum(column=X)])[Sum(column=X)] == (total,)
        assert table.fingerprint() == open_table({"x": cells}).fingerprint()


@pytest.mark.parametrize("cells", TEXTS)
def test_an_array_of_text_is_no_column_of_numbers(cells):
    with pytest.raises(DataError, match="'x' is declared as integer but stored as"):
        open_table({"x": cells}).aggregates([Sum(column=X)])


@pytest.mark.parametrize("kind", ["c8", "c16", "clongdouble", "S3", "V4", "i4,f4"])
def test_an_array_of_something_else_is_refused_by_its_kind(kind):
    with pytest.raises(DataError, match="'x' is an array of"):
        open_table({"x": np.zeros(2, dtype=kind)}).aggregates([Sum(column=X)])


def test_the_fingerprint_of_long_doubles_is_of_their_numbers_only():
    """The bytes between two long doubles of 80 bits are whatever was in memory before."""
    one = np.full(64, 255, dtype=np.uint8).view(np.longdouble)
    two = np.zeros(64, dtype=np.uint8).view(np.longdouble)
    one[:] = two[:] = [np.longdouble(i) / 3 for i in range(len(one))]
    assert open_table({"x": one}).fingerprint() == open_table({"x": two}).fingerprint()


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "nul\x00"])
def test_a_name_that_no_file_can_hold_is_refused(text):
    for declare in (
        lambda: integer_column(text, lower=0, upper=1, missing="middle"),
        lambda: number_column(text, lower=0, upper=1, missing="middle"),
        lambda: category_column(text, categories=["a"]),
        lambda: category_column("g", categories=["a", text]),
        lambda: Count(persons=Persons(columns=(text,), most=1)),
    ):
        with pytest.raises(ParameterError, match="cannot store") as refused:
            declare()
        str(refused.value).encode()


class Silent:
    def __getattr__(self, name):
        raise RuntimeError("secret")


class Mute(str):
    __slots__ = ()

    def __str__(self):
        raise RuntimeError("secret")


class Odd(float):
    def __ne__(self, other):
        raise RuntimeError("secret")


def test_no_object_in_a_frame_can_raise():
    x = integer_column("x", lower=0, upper=9, missing=2)
    g = category_column("x", categories=["5"], unknown="binned", null="binned")
    for cell, level, counts in ((Silent(), 2, (0, 1, 0)), (Mute("5"), 5, (1, 0, 0)), (Odd(3.0), 3, (0, 1, 0))):
        table = open_table({"x": [cell, None]})
        assert table.aggregates([Sum(column=x)])[Sum(column=x)] == (level + 2,)
        known, unknown, null = table.aggregates([Categories(column=g)])[Categories(column=g)]
        assert (known, unknown, null - 1) == counts
        assert open_table({"x": [cell]}).aggregates([Count(persons=Persons(columns=("x",), most=1))]).rows <= 1


LIBRARIES = {
    "arrow": ("pyarrow", lambda library, cells: library.array(cells)),
    "polars": ("polars", lambda library, cells: library.Series(cells, strict=False)),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_columns_of_other_libraries_are_read_beside_lists_by_their_own_types(name):
    """Their scalars are no numbers of Python: cell by cell all of them would be missing."""
    module, column = LIBRARIES[name]
    library = pytest.importorskip(module)
    groups = category_column("g", categories=["a", "b"])
    table = open_table({"x": column(library, [1, 2, None]), "g": ["a", "b", "a"]})
    assert table.aggregates([Sum(column=X, by=groups)])[Sum(column=X, by=groups)] == (1 + 50, 2)
    table = open_table({"x": [1, 2, 3], "g": column(library, ["a", "b", "a"])})
    assert table.aggregates([Categories(column=groups)])[Categories(column=groups)] == (2, 1)
    for cells in (["1", "45,000"], [True, False], [datetime.date(2024, 1, 2)]):
        with pytest.raises(DataError, match="stored as"):
            open_table({"x": column(library, cells)}).aggregates([Sum(column=X)])


@pytest.mark.parametrize(
    "dtype", ["boolean", "bool[pyarrow]", "datetime64[ns, UTC]", "period[D]", "timestamp[s][pyarrow]"]
)
def test_types_of_pandas_that_are_no_numbers_are_refused_as_numbers(dtype):
    cells = [True, False] if "bool" in dtype else ["2024-01-02", "2024-01-03"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": pandas.Series(pandas.to_datetime(cells) if "bool" not in dtype else cells)})
    frame["x"] = (
        frame["x"].dt.to_period("D")
        if "period" in dtype
        else (frame["x"].dt.tz_localize("UTC") if "UTC" in dtype else frame["x"].astype(dtype))
    )
    with pytest.raises(DataError, match="stored as"):
        open_table(frame).aggregates([Sum(column=X)])
