"""Whether a request is accepted depends on the schema of a table, never on a cell: tables of every stored type.

Each table is asked everything a release asks before it charges, its digest included, once with extreme cells and once
with none at all in the same columns: both are accepted, or both are refused in the same words.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import itertools
import tempfile
import uuid
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from snapdp.errors import SnapdpError
from snapdp.studies.aggregates import Categories, LevelCounts, People, Persons, Sum
from snapdp.studies.categories import boolean_column, compared, date_column
from snapdp.studies.columns import BINNED, category_column, integer_column, magnitude_column, number_column
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources.frames import ColumnsSource

RULES = {"unknown": BINNED, "null": BINNED}


def asked_of(name: str) -> list[Any]:
    """Return a request of each kind, of columns of their own: `name` and a number."""
    names = (f"{name}{place}" for place in itertools.count())
    return [
        Categories(column=category_column(next(names), categories=["01", "a", "true"], **RULES)),
        Categories(column=compared(category_column(next(names), categories=["1", "2.5"], **RULES), "numbers")),
        Categories(column=boolean_column(next(names), **RULES)),
        Categories(column=date_column(next(names), start="1999-12-31", end="2024-03-01", each="week", **RULES)),
        Categories(column=magnitude_column(next(names), exponents=[-3, 40])),
        Sum(column=number_column(next(names), lower=0, upper=10, missing="dropped")),
        Sum(column=number_column(next(names), lower="0.3", upper="1.7", step="0.1", missing="middle")),
        LevelCounts(column=integer_column(next(names), lower=0, upper=9, missing="dropped")),
        People(persons=Persons(columns=(next(names),), most=1), groups=1),
    ]


KINDS = len(asked_of(""))


def columns_of(name: str, cells: Any) -> dict[str, Any]:
    """Return the same cells as a column for each request."""
    return {f"{name}{place}": cells for place in range(KINDS)}


def allowed(table: Any, asked: list[Any]) -> list[bool]:
    """Return which requests the schema of a table allows; no row is read."""
    every = [(*each.every_column, *(each.persons.person_columns if each.persons else ())) for each in asked]

    def look(connection: Any) -> list[bool]:
        with contextlib.suppress(SnapdpError):
            rows = table.source.open(connection, list(itertools.chain(*every)))
            return [is_stored(columns, lambda _: rows) for columns in every]
        return [is_stored(columns, lambda each: opened(connection, each)) for columns in every]

    def opened(connection: Any, columns: Any) -> Any:
        """Open a table of these columns alone."""
        given = getattr(table.source, "columns", None)
        source = table.source if given is None else ColumnsSource({each.name: given[each.name] for each in columns})
        return source.open(connection, columns)

    def is_stored(columns: Any, opened: Any) -> bool:
        try:
            return all(opened(columns).field(column) for column in columns)
        except SnapdpError:
            return False

    return table.ask(look)


def check(cells: Any, none: Any, names: list[str], **options: Any) -> list[bool]:
    """Show that whatever the schema allows is answered, and that tables of one schema are allowed the same."""
    asked = [each for name in names for each in asked_of(name)]
    table, other = open_table(cells, **options), open_table(none, **options)
    found = allowed(table, asked)
    assert found == allowed(other, asked)
    table.fingerprint()
    answered = list(itertools.compress(asked, found))
    table.aggregates([each for each in answered if each.persons is None])
    for each in [each for each in answered if each.persons is not None][:2]:
        table.aggregates([each])
    return found


# Stored types

ENDS = [0, 1, -1, 86_399_999, 2**31 - 1, -(2**31), 2**53 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63), 253_402_300_800_000]
INSTANTS = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Asia/Kolkata")]
LONG = [pa.int64(), pa.date64(), pa.time64("us"), pa.time64("ns"), *INSTANTS]
LONG += [pa.duration(unit) for unit in ("s", "ms", "us", "ns")]
SHORT = [pa.int32(), pa.date32(), pa.time32("s"), pa.time32("ms")]
FLOATS = [
    0.0,
    -0.0,
    5e-324,
    1.7976931348623157e308,
    -1e308,
    1e-320,
    float("inf"),
    -float("inf"),
    float("nan"),
    0.5,
    11.0,
]
TEXTS = ["", "01", "a", "1e999", "-.5", "9" * 400, "true", "2024-02-30", "9999-99-99", "\x00", "'", "\U0001f71a", "nan"]
DECIMALS = ["0", "-1", "0.0000000001", "9" * 28, "-" + "9" * 28, "2.5"]
CELLS: dict[Any, Any] = {
    **{kind: st.sampled_from(ENDS) | st.integers(-(2**63), 2**63 - 1) for kind in LONG},
    **{kind: st.integers(-(2**31), 2**31 - 1) for kind in SHORT},
    **{getattr(pa, f"uint{bits}")(): st.integers(0, 2**bits - 1) for bits in (8, 16, 32, 64)},
    **{getattr(pa, f"int{bits}")(): st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16)},
    pa.float64(): st.sampled_from(FLOATS) | st.floats(),
    pa.float32(): st.floats(width=32),
    pa.float16(): st.floats(width=16).map(np.float16),
    pa.bool_(): st.booleans(),
    pa.string(): st.sampled_from(TEXTS) | st.text(max_size=6),
    pa.large_string(): st.text(max_size=6),
    pa.binary(): st.binary(max_size=4),
    pa.decimal128(38, 10): st.sampled_from(DECIMALS).map(Decimal),
    pa.decimal128(38, 0): st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal),
    pa.decimal128(4, 2): st.integers(-9999, 9999).map(lambda each: Decimal(each) / 100),
    pa.null(): st.none(),
    pa.list_(pa.int64()): st.lists(st.integers(-5, 5), max_size=2),
}


def stored(kind: Any, cells: list[Any]) -> Any:
    """Return an array of a type; of a type of times from whole numbers, which a library may have no object for."""
    if kind in LONG or kind in SHORT:
        return pa.array(cells, type=pa.int64() if kind in LONG else pa.int32()).view(kind)
    return pa.array(cells, type=kind)


Pairs = dict[str, tuple[Any, Any]]
TABLES = st.fixed_dictionaries(
    {kind: st.lists(st.none() | cells, min_size=3, max_size=3) for kind, cells in CELLS.items()}
)


def arrays(table: dict[Any, list[Any]]) -> Pairs:
    """Return an array of each type with the cells of a table, and one without a cell; some also by a dictionary."""
    found: Pairs = {}
    for number, (kind, cells) in enumerate(table.items()):
        made = stored(kind, cells), stored(kind, [None] * len(cells))
        found[f"t{number}_"] = made
        if kind in (pa.int64(), pa.string(), pa.timestamp("ms"), pa.timestamp("us", "UTC")):
            found[f"d{number}_"] = tuple(each.dictionary_encode() for each in made)
    return found


def in_pandas(array: Any) -> Any:
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([array])))


def in_polars(array: Any) -> Any:
    return pl.Series(pl.from_arrow(array))


IN_MEMORY = {
    "arrow": (lambda array: array, pa.table),
    "a dict of arrow": (lambda array: array, dict),
    "pandas": (in_pandas, pd.DataFrame),
    "polars": (in_polars, pl.DataFrame),
    "a dict of polars": (in_polars, dict),
}


def tables_of(pairs: Pairs, form: str) -> tuple[Any, Any, list[str]]:
    """Return two tables of a form, of the columns that it can hold."""
    column, table = IN_MEMORY[form]
    found: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    names = []
    for name, pair in pairs.items():
        try:
            made = [column(each) for each in pair]
            [table(columns_of(name, each)) for each in made]
        except Exception:  # the library itself holds no such column
            continue
        names.append(name)
        for one, each in zip(found, made, strict=True):
            one.update(columns_of(name, each))
    return table(found[0]), table(found[1]), names


@pytest.mark.parametrize("form", IN_MEMORY)
@given(table=TABLES)
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_cell_of_a_frame_decides_whether_a_request_is_accepted(form, table):
    cells, none, names = tables_of(arrays(table), form)
    assert sum(check(cells, none, names)) > len(names)


def in_parquet(pairs: Pairs, folder: str, **options: Any) -> tuple[Path, Path, list[str]]:
    """Write two files of the columns that the writer takes."""
    kept: Pairs = {}
    for name, pair in pairs.items():
        with contextlib.suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pq.write_table(pa.table({"x": pair[0]}), f"{folder}/trial")
            pq.write_table(pa.table({"x": pair[1]}), f"{folder}/trial")
            kept[name] = pair
    paths = Path(folder) / "cells.parquet", Path(folder) / "none.parquet"
    for place, path in enumerate(paths):
        columns = {key: each for name, pair in kept.items() for key, each in columns_of(name, pair[place]).items()}
        pq.write_table(pa.table(columns), path, **options)
    return *paths, list(kept)


@given(table=TABLES, group=st.integers(1, 3), statistics=st.booleans())
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_cell_of_a_parquet_file_decides_whether_a_request_is_accepted(table, group, statistics):
    with tempfile.TemporaryDirectory() as folder:
        options = {"row_group_size": group, "write_statistics": statistics}
        assert sum(check(*in_parquet(arrays(table), folder, **options))) > len(table)


@given(table=TABLES, first=st.booleans())
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_parquet_file_without_a_cell_in_a_column_is_one_of_missing_cells(table, first):
    """A writer that infers types has none for it: the file is one of several, and the others say the type."""
    with tempfile.TemporaryDirectory() as folder:
        cells, none, names = in_parquet(arrays(table), folder)
        empty = Path(folder) / ("1.parquet" if first else "z.parquet")
        pq.write_table(pa.table({key: pa.nulls(2) for name in names for key in columns_of(name, None)}), empty)
        assert sum(check(sorted([cells, none, empty]), [cells, none], names)) > len(table)


def test_missing_cells_of_a_file_without_a_type_are_counted_as_missing(tmp_path):
    pq.write_table(pa.table({"x": pa.nulls(2), "y": ["b", None]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"y": pa.nulls(3), "x": ["01", "a", None]}), tmp_path / "2.parquet")
    column = category_column("x", categories=["01", "a", "true"], **RULES)
    other = category_column("y", categories=["b"], **RULES)
    for paths in (["1", "2"], ["2", "1"]):
        table = open_table([tmp_path / f"{each}.parquet" for each in paths])
        found = table.aggregates([Categories(column=column), Categories(column=other)])
        assert found.rows == 5
        assert found[Categories(column=column)] == (1, 1, 0, 0, 3)
        assert found[Categories(column=other)] == (1, 0, 4)


def test_a_parquet_column_of_milliseconds_is_refused_whatever_it_holds(tmp_path):
    """DuckDB makes microseconds of them before any expression sees a cell, and fails where they overflow."""
    when = Categories(column=date_column("x", start="2024-01-01", end="2024-12-31", each="day"))
    for cells in ([0], [2**62], [None]):
        pq.write_table(pa.table({"x": stored(pa.timestamp("ms"), cells)}), tmp_path / "t.parquet")
        with pytest.raises(SnapdpError, match="TIMESTAMP_MILLIS"):
            open_table(tmp_path / "t.parquet").aggregates([when])


# Objects


class Hostile:
    """An object that fails at whatever it is asked."""

    def fail(self, *_: Any) -> Any:
        raise RuntimeError("a cell was asked")

    __repr__ = __str__ = __hash__ = __eq__ = __bool__ = __len__ = __iter__ = __float__ = __int__ = __index__ = fail
    __getattr__ = __array__ = __lt__ = __le__ = __format__ = fail


class Lying(int):
    def __repr__(self) -> str:
        return "\ud800"

    __str__ = __repr__

    def bit_length(self) -> int:
        raise RuntimeError


class UUID:  # by its name alone
    def __str__(self) -> str:
        return "\ud800"


class Day(datetime.date):
    @property
    def year(self) -> Any:
        return "\ud800"


EARLY = datetime.datetime.min.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=14)))
OBJECTS = [
    None, True, 0, -1, 10**5000, -(10**5000), Fraction(10**5000, 3), Decimal("1e999999"), Decimal("sNaN"),
    float("nan"), float("inf"), 1e308, "", "a", "\ud800", "\x00", b"\xff", Hostile(), Hostile, Lying(3), UUID(), EARLY,
    Day(2024, 2, 3), uuid.UUID(int=5), datetime.date.max, datetime.time(1), datetime.timedelta.max, [1], {"a": 1}, (),
    np.float64("nan"), np.float32(1.5), np.longdouble("1e4000"), np.int8(3), np.bool_(True), np.datetime64(2**62, "s"),
    np.datetime64("NaT"), np.timedelta64(5, "s"), np.str_("a"), np.array([1, 2]), pd.NA, pd.NaT, pd.Timestamp.max,
    pd.Interval(1, 2), pd.Period("2024-01"), pa.scalar(2**62, pa.timestamp("s")), object(), 1j, range(3),
]  # fmt: skip
IN_OBJECTS = {
    "a list": list,
    "an array": lambda cells: np.fromiter(cells, dtype=object, count=len(cells)),
    "a series": lambda cells: pd.Series(np.fromiter(cells, dtype=object, count=len(cells)), dtype=object),
    "a masked array": lambda cells: np.ma.masked_array(np.fromiter(cells, dtype=object, count=len(cells))),
}


@pytest.mark.parametrize("form", IN_OBJECTS)
@given(places=st.lists(st.integers(0, len(OBJECTS) - 1), min_size=1, max_size=9))
@settings(max_examples=8, deadline=None)
def test_no_object_decides_whether_a_request_is_accepted(form, places):
    made = IN_OBJECTS[form]([OBJECTS[each] for each in places])
    none = IN_OBJECTS[form]([None] * len(places))
    assert all(check(columns_of("x", made), columns_of("x", none), ["x"]))


@pytest.mark.parametrize("place", range(len(OBJECTS)))
def test_no_single_object_stops_its_digest(place):
    open_table({"x": [OBJECTS[place], None]}).fingerprint()


def test_objects_that_are_read_alike_have_one_digest_and_others_have_not():
    """A stored answer is for the same request on the same content: what no answer could show is no other content."""
    alike = [[Hostile()], [Hostile()]], [[Fraction(1, 3)], [1j]], [[Lying(3)], [Lying(3)]], [[10**5000], [10**5001]]
    for first, second in alike:
        assert open_table({"x": first}).fingerprint() == open_table({"x": second}).fingerprint()
    read = [None, "", "1", "01", 1, 2, 1.5, -0.0, 0.0, True, 10**5000, -(10**5000), Decimal("1.0"), Decimal("1.5"), "a"]
    read += [datetime.date(2024, 1, 1), uuid.UUID(int=1), uuid.UUID(int=2), object()]
    assert len({open_table({"x": [each]}).fingerprint() for each in read}) == len(read)


# Arrays

DTYPES = [*(f"{order}{kind}" for order in "<>" for kind in ("i2", "i8", "u8", "f2", "f4", "f8")), "?", "i1", "u1", "g"]
DTYPES += [f"M8[{unit}]" for unit in ("Y", "M", "W", "D", "h", "s", "ms", "us", "ns", "ps", "as", "25s")]


@given(content=st.binary(min_size=32, max_size=32), masked=st.booleans())
@settings(max_examples=3, deadline=None)
def test_no_cell_of_an_array_decides_whether_a_request_is_accepted(content, masked):
    cells, none, names = {}, {}, []
    for number, kind in enumerate(DTYPES):
        given_ = content[:2] if kind == "?" else content
        array = np.frombuffer(given_, dtype="u1").astype(kind) if kind in "?g" else np.frombuffer(content, dtype=kind)
        array = np.resize(array, 2)
        pair = array, np.zeros_like(array)
        if masked:
            pair = tuple(np.ma.masked_array(each, mask=[True, False]) for each in pair)
        names.append(f"t{number}_")
        cells |= columns_of(names[-1], pair[0])
        none |= columns_of(names[-1], pair[1])
    assert sum(check(cells, none, names)) > len(names)


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Kolkata"])
def test_no_instant_of_pandas_decides_whether_a_request_is_accepted(zone):
    cells, none, names = {}, {}, ["s_", "ms_", "us_", "ns_"]
    for name in names:
        array = np.array(ENDS, dtype="i8").view(f"M8[{name[:-1]}]")
        pair = [pd.Series(each) for each in (array, np.zeros_like(array))]
        if zone is not None:
            pair = [each.dt.tz_localize("UTC").dt.tz_convert(zone) for each in pair]
        cells |= columns_of(name, pair[0])
        none |= columns_of(name, pair[1])
    assert sum(check(pd.DataFrame(cells), pd.DataFrame(none), names)) == len(names)  # dates


# Files of text, and of DuckDB


@given(cells=st.lists(st.sampled_from(TEXTS) | st.text(max_size=6), min_size=1, max_size=9))
@settings(max_examples=8, deadline=None)
def test_no_cell_of_a_csv_file_decides_whether_a_request_is_accepted(cells):
    names = list(columns_of("x", None))
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for kind, texts in (("cells", cells), ("none", [""] * len(cells))):
            kept = [each.replace("\x00", "").encode("utf-8", "ignore").decode() for each in texts]
            written = io.StringIO()
            rows = [names, *([each] * len(names) for each in kept)]
            csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
            paths.append(Path(folder) / f"{kind}.csv")
            paths[-1].write_bytes(written.getvalue().encode())
        assert all(check(*paths, ["x"]))


EXTREMES = {
    "TIMESTAMP": ["infinity", "-infinity", "294246-01-01", "290308-12-22 (BC)"],
    "TIMESTAMP_S": ["infinity", "294246-01-01"],
    "TIMESTAMP_MS": ["infinity", "294246-01-01"],
    "TIMESTAMP_NS": ["infinity", "2262-04-11", "1677-09-22"],
    "TIMESTAMPTZ": ["infinity", "-infinity", "294246-01-01 00:00:00+00"],
    "DATE": ["infinity", "-infinity", "5881580-07-10", "5877642-06-25 (BC)"],
    "HUGEINT": [str(2**127 - 1), str(-(2**127))],
    "UHUGEINT": [str(2**128 - 1)],
    "DECIMAL(38, 38)": ["0." + "9" * 38],
    "DECIMAL(38, 0)": ["9" * 38, "-" + "9" * 38],
    "DOUBLE": ["nan", "infinity", "1e308", "5e-324"],
    "FLOAT": ["nan", "infinity", "3.4e38", "1e-45"],
    "UUID": ["ffffffff-ffff-ffff-ffff-ffffffffffff"],
    "BOOLEAN": ["true"],
    "UBIGINT": [str(2**64 - 1)],
}


@pytest.mark.parametrize("kind", EXTREMES)
@pytest.mark.parametrize("form", ["duckdb", "parquet"])
def test_no_cell_that_duckdb_stores_decides_whether_a_request_is_accepted(kind, form, tmp_path):
    paths = []
    for name, cells in (("cells", EXTREMES[kind]), ("none", ["NULL"])):
        path = tmp_path / f"{name}.{form}"
        paths.append(path)
        every = ", ".join(f"x AS {each}" for each in columns_of("x", None))
        rows = ", ".join(f"({each if each == 'NULL' else repr(each)})" for each in cells)
        with duckdb.connect(str(path) if form == "duckdb" else ":memory:") as connection:
            connection.execute(f"CREATE TABLE typed AS SELECT CAST(x AS {kind}) AS x FROM (VALUES {rows}) AS t(x)")
            connection.execute(f"CREATE TABLE stored AS SELECT {every} FROM typed")
            if form == "parquet":
                try:
                    connection.execute(f"COPY stored TO '{path}' (FORMAT parquet)")
                except duckdb.Error:  # the writer refuses such a cell
                    return
    check(*paths, ["x"], **({"table": "stored"} if form == "duckdb" else {}))
