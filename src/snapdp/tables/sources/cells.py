"""Columns in memory as every engine reads them alike: Python objects as text, times as dates, and digests of contents.

Object columns hold anything: what is not a number is a missing number, and what is not a text is an unknown category.
No object can raise in `cell_text`, `cell_digest` or `unpacked`, and what is refused of an Arrow table is refused by its
types, whatever it holds: the schema alone decides whether a table is accepted. Digests let the ledger recognise data
that it has seen. They are private, and leave only keyed. Equal digests mean the same bytes and no more: the same rows
in another file format or another order are another version of the same account.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from snapdp.display.text import one_line
from snapdp.errors import DataError, PremiseError
from snapdp.studies.categories import BooleanColumn, DateColumn, boolean_column, compared, date_column
from snapdp.studies.columns import (
    AS_NUMBERS,
    AS_TEXT,
    CATEGORY,
    CategoryColumn,
    Column,
    MagnitudeColumn,
    NumberColumn,
    PersonColumn,
    category_column,
    number_column,
)
from snapdp.studies.grouping.keys import KEY

# Arrow tables: times become dates, and half precision becomes single precision, which has every number of it

LONGEST_TYPE = 60


def as_arrow(data: Any) -> Any:
    """Return a frame or column of Polars as one of Arrow; Polars itself does not bring what that takes."""
    try:
        return data.to_arrow()
    except ImportError:
        raise PremiseError(
            "tables of Polars are read through the package pyarrow, which is missing or broken.",
            "Install pyarrow. Nothing was spent.",
        ) from None


def chosen_columns(table: Any, places: Sequence[int]) -> Any:
    """Return some columns of a table as c0, c1, ...; where there are none, a column that holds nothing in each row."""
    import numpy as np
    import pyarrow as pa

    if not places:
        return pa.table({"c0": np.zeros(table.num_rows, dtype=np.int8)})
    chosen = table.select(list(places)).rename_columns([f"c{number}" for number in range(len(places))])
    for place, field in enumerate(chosen.schema):
        column = chosen.column(place)
        read = _singles(column) if pa.types.is_float16(field.type) else _dates(column)
        if read is not None:
            chosen = chosen.set_column(place, field.name, read)
    return chosen


def _singles(column: Any) -> Any:
    """Return a column of half precision as one of single precision."""
    import numpy as np
    import pyarrow as pa

    chunks = []
    for chunk in column.chunks:
        numbers = chunk.to_numpy(zero_copy_only=False).astype(np.float32)  # by numpy: not every Arrow casts them
        chunks.append(pa.array(numbers, mask=np.asarray(chunk.is_null())))
    return pa.chunked_array(chunks, type=pa.float32())


def unread(table: Any, names: Sequence[str], reads: Callable[[Any], object]) -> DataError | None:
    """Return the refusal of the first column whose type the engine does not read; None where it reads each of them.

    reads   lets the engine look at a table, and fails where it does not know a type
    """
    for place, name in enumerate(names):
        one = table.select([place])
        try:
            reads(one.slice(0, 0))
        except Exception:
            stored = one_line(str(one.schema.field(0).type), LONGEST_TYPE)
            return DataError(
                f"column {name!r} is stored as {stored}, which DuckDB does not read.",
                "Cast it to double, to decimal128 or to text first, whichever holds its numbers: pyarrow.compute.cast("
                f'table[{name!r}], "double").',
            )
    return None


# Dates and times, rounded down to the day by whole numbers
#
# Engines cast such columns by conversions that overflow, or round up to the next day. Here nothing can fail: a time
# beyond the calendar is a day beyond every declared one. The date of an instant is its date in UTC.

UNITS = {"W": 7 * 86_400 * 10**18, "D": 86_400 * 10**18, "h": 3600 * 10**18, "m": 60 * 10**18, "s": 10**18}
UNITS |= {"ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1}  # in attoseconds
EARLIEST, LATEST = -1_000_000, 4_000_000  # days from 1970: before the year 1, after the year 9999
MONTHS = 12 * 12_000  # months from 1970 that reach as far


def day_numbers(times: Any) -> Any:
    """Return an array of datetime64, of any unit, as one of microseconds at midnight; NaT stays what it is."""
    import numpy as np

    unit, count = np.datetime_data(times.dtype)
    native = times.astype(times.dtype.newbyteorder("="))
    none, numbers = np.isnat(native), native.view(np.int64)
    if unit in ("Y", "M"):
        months = 12 * count if unit == "Y" else count
        most = MONTHS // months
        days = np.clip(numbers, -most, most).astype(native.dtype).astype("datetime64[D]").view(np.int64)
    else:
        days = whole_days(numbers, UNITS[unit] * count) if unit in UNITS else np.zeros_like(numbers)
    moments = np.clip(days, EARLIEST, LATEST).astype("datetime64[D]").astype("datetime64[us]")
    moments[none] = np.datetime64("NaT")
    return moments


def whole_days(numbers: Any, unit: int) -> Any:
    """Return how many days from 1970 some numbers of a unit (in attoseconds) are, rounded down, and clipped."""
    import numpy as np

    per_day, rest = divmod(UNITS["D"], unit)
    if per_day >= 1 << 63:  # all of them are less than a day from 1970
        return np.where(numbers < 0, -1, 0)
    if rest == 0:
        return np.clip(numbers // per_day, EARLIEST, LATEST)
    days, more = divmod(unit, UNITS["D"])
    if more == 0:  # a unit of whole days
        return np.clip(numbers, -(LATEST // days) - 1, LATEST // days + 1) * days
    exact = (int(each) * unit // UNITS["D"] for each in numbers)  # such as 25 seconds
    return np.fromiter((min(max(each, EARLIEST), LATEST) for each in exact), dtype=np.int64, count=len(numbers))


def _dates(column: Any) -> Any:
    """Return a column of times as dates; None where it holds something else."""
    import numpy as np
    import pyarrow as pa

    kind, given = column.type, getattr(column, "chunks", [column])
    if pa.types.is_dictionary(kind) and pa.types.is_timestamp(kind.value_type):
        kind, given = kind.value_type, [chunk.dictionary_decode() for chunk in given]
    if not pa.types.is_timestamp(kind):
        return None
    chunks = []
    for chunk in given:
        numbers = chunk.cast(pa.int64())
        absent = np.asarray(numbers.is_null())
        days = whole_days(np.asarray(numbers.fill_null(0)), UNITS[kind.unit])
        chunks.append(pa.array(days.astype(np.int32), mask=absent).cast(pa.date32()))
    return pa.chunked_array(chunks, type=pa.date32())


# Python objects

OF_NUMBERS = (NumberColumn, MagnitudeColumn)  # columns whose cells are read as numbers
_NO_NUMBERS = re.compile("bool|date|time|duration|period|interval|month_day", re.IGNORECASE)
_TEXTS = re.compile("string|large_string|utf8|categorical|enum|dictionary<values=(large_)?string", re.IGNORECASE)
_INFERRED = re.compile("u?int[0-9]|float|half|double|decimal|bool|dictionary<values=(u?int[0-9]|bool)", re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNKNOWN = "\x00"  # no declared category can hold this character
_UNREADABLE = object()  # a cell whose library has no Python object for it: it is there, and means nothing
LONGEST_INTEGER = 2048  # bits; Python refuses to print integers of thousands of digits


def unpacked(column: Any) -> Any:
    """Return a column of pandas, Polars or Arrow as an array of numpy or a list of Python objects; others as they are.

    Scalars of these libraries are no numbers and no text. A cell that a library does not turn into an object, such as a
    date beyond the year 9999, stops nothing: it is a cell that means nothing. Times are days, as whole numbers.
    """
    import numpy as np

    library = type(column).__module__.partition(".")[0]
    if library == "polars":
        column, library = as_arrow(column), "pyarrow"
    if library == "pandas":
        dtype = column.dtype
        if isinstance(dtype, np.dtype):
            return np.asarray(column)
        if hasattr(dtype, "pyarrow_dtype"):
            column, library = getattr(column, "array", column).__arrow_array__(), "pyarrow"
        elif getattr(dtype, "kind", "O") == "M":  # instants: in UTC, without a zone
            return np.asarray(getattr(column, "array", column), dtype=f"M8[{dtype.unit}]")
    if library == "pyarrow":
        dates = _dates(column)
        if dates is not None:
            return dates.to_numpy()
    return _objects(column) if library in ("pandas", "pyarrow") else column


def _objects(column: Any) -> Sequence[Any]:
    """Return the cells of a column as Python objects, one by one where they do not come all at once."""
    try:
        return column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    except Exception:
        return [_object(column, place) for place in range(len(column))]


def _object(column: Any, place: int) -> Any:
    try:
        cell = (column.iloc if hasattr(column, "iloc") else column)[place]
        return cell.as_py() if hasattr(cell, "as_py") else cell
    except Exception:
        return _UNREADABLE


def other_type(column: Any) -> str | None:
    """Return the name of the type of a column whose cells are no numbers by its schema: truth values and times."""
    told = type_name(column)
    return told if _NO_NUMBERS.match(told) else None


def inferred_type(column: Any) -> str | None:
    """Return the name of the type of a column that a program took for numbers or truth values; None for any other."""
    listed = getattr(getattr(column, "dtype", None), "categories", None)  # of a pandas column of categories: these
    told = type_name(column if listed is None else listed)
    return told if _INFERRED.match(told.removeprefix("Sparse[")) else None


def type_name(column: Any) -> str:
    """Return the name of the type that a column has; no text where it is a list."""
    return str(getattr(column, "type", None) or getattr(column, "dtype", ""))


def is_exact_text(column: Column) -> bool:
    """Tell whether the declared values of a column are texts that are compared as they are written: "01" is not "1"."""
    return isinstance(column, CategoryColumn) and column.kind in (CATEGORY, KEY) and column.compare == AS_TEXT


def text_type(column: Any) -> str | None:
    """Return the name of the type of a column that is text by its schema; None for objects, lists and others."""
    import numpy as np

    if type(column).__module__.partition(".")[0] in ("pyarrow", "polars"):
        told = str(getattr(column, "type", None) or column.dtype)
        return told if _TEXTS.match(told) else None
    dtype = getattr(column, "dtype", None)
    listed = getattr(dtype, "categories", None)  # of a pandas column of categories: what these are
    kind = dtype if listed is None else getattr(listed, "dtype", None)
    is_text = kind.kind in "UT" if isinstance(kind, np.dtype) else getattr(kind, "type", None) is str
    return str(dtype) if is_text else None


def number_text(cell: Any) -> str | None:
    """Return the text of a number as the numeric pattern reads it; None for whatever is no number."""
    if isinstance(cell, str):
        return _storable_text(cell)
    if isinstance(cell, bool) or type(cell).__name__ in ("bool_", "bool"):
        return None
    if isinstance(cell, int):
        return _digits(cell) or ("-inf" if int.__lt__(cell, 0) else "inf")  # far beyond every bound
    if isinstance(cell, float):
        return float.__repr__(cell)
    if isinstance(cell, Decimal):
        return Decimal.__str__(cell)
    if _is_scalar(cell, "iuf"):
        return number_text(cell.item() if cell.dtype.itemsize <= 8 else _double(cell))
    return None


def _digits(cell: int) -> str | None:
    """Return a whole number in digits, whatever a kind of integers made elsewhere says of itself; None for a long one.

    >>> _digits(-12), _digits(1 << 5000)
    ('-12', None)
    """
    return int.__repr__(cell) if int.bit_length(cell) < LONGEST_INTEGER else None


def _double(cell: Any) -> float:
    """Return the double nearest to a long one; infinite beyond the doubles, without a warning."""
    import numpy as np

    with np.errstate(all="ignore"):
        return float(np.float64(cell))


def category_text(cell: Any, column: CategoryColumn) -> str | None:
    """Return the text of a category: text and whole numbers as they are, None for nothing, else an unknown one.

    Numbers, booleans and dates are written as the column reads them, where it is one of these.
    """
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(column, DateColumn) and not isinstance(cell, str):
        return _date_text(cell)
    if (column.compare == AS_NUMBERS or isinstance(column, BooleanColumn)) and not isinstance(cell, str):
        return _plain_text(cell)
    if isinstance(cell, str):
        return _storable_text(cell)
    cell = cell.item() if _is_scalar(cell, "iub") else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return (_digits(cell) if isinstance(cell, int) else None) or _UNKNOWN


def _plain_text(cell: Any) -> str | None:
    """Return a number without an exponent, a boolean as true or false; None for what is not a number."""
    if isinstance(cell, bool) or type(cell).__name__ in ("bool", "bool_"):
        return "true" if cell else "false"
    if _is_scalar(cell, "iu"):
        cell = cell.item()
    if isinstance(cell, int):
        return _digits(cell) or _UNKNOWN
    if isinstance(cell, float):
        cell = Decimal(float.__repr__(cell))
    elif _is_scalar(cell, "f"):
        cell = Decimal(str(cell))  # the shortest text that stands for it, in its own precision
    if not isinstance(cell, Decimal):
        return _UNKNOWN
    return None if cell.is_nan() else Decimal.__format__(cell, "f") if abs(cell.adjusted()) < 100 else _UNKNOWN


def _date_text(cell: Any) -> str | None:
    """Return the date of a date or time; of an instant that in UTC."""
    if _is_scalar(cell, "M"):
        (text,) = day_numbers(cell.reshape(1)).astype("datetime64[D]").astype(str).tolist()
        return None if text == "NaT" else str(text)
    if isinstance(cell, datetime.datetime) and cell.tzinfo is not None:
        cell = cell.astimezone(datetime.UTC)
    return f"{cell.year:04}-{cell.month:02}-{cell.day:02}" if isinstance(cell, datetime.date) else _UNKNOWN


def person_text(cell: Any) -> str | None:
    """Return the text of a person: text, whole numbers and UUIDs as they print; None for whatever names nobody."""
    if isinstance(cell, str):
        plain = str.__str__(cell)
        return plain if is_storable(plain) else None
    if type(cell).__name__ == "UUID":
        return str(cell)
    cell = cell.item() if _is_scalar(cell, "iu") else cell
    return _digits(cell) if isinstance(cell, int) and not isinstance(cell, bool) else None


def cell_text(cell: Any, column: Column) -> str | None:
    """Return a cell as the text that its column reads; an object that fails to answer is no number, text or person."""
    try:
        if isinstance(column, OF_NUMBERS):
            text = number_text(cell)
        else:
            text = person_text(cell) if isinstance(column, PersonColumn) else category_text(cell, column)
        if text is None or (type(text) is str and is_storable(text)):  # an object may print as anything
            return text
    except Exception:
        pass
    return None if isinstance(column, (*OF_NUMBERS, PersonColumn)) else _UNKNOWN


def cell_digest(cell: Any) -> bytes:
    """Return what a cell is to every column that could be declared, as bytes: cells of one digest are read alike.

    Nothing else of an object is asked. So no object can raise here, or say something else each time it is printed; and
    a change that no answer could show, such as that of an object which is no number, text or date, is no other content.
    """
    if cell is None:
        return b"-"
    if type(cell) is str:
        return b"t" + cell.encode("utf-8", "surrogatepass")
    if type(cell) is float:
        return b"f" + (struct.pack("<d", cell) if cell == cell else b"")
    if type(cell) is int and cell.bit_length() < LONGEST_INTEGER:
        return b"i%x" % cell
    texts = [cell_text(cell, column) for column in _EVERY_READING]
    sized = (b"-" if text is None else b"%d:" % len(text) + text.encode("utf-8", "surrogatepass") for text in texts)
    return b"o" + b"".join(sized)


def _is_scalar(cell: Any, kinds: str) -> bool:
    """Tell whether an object is a scalar of numpy, of one of these kinds of types."""
    return getattr(cell, "dtype", None) is not None and getattr(cell, "shape", None) == () and cell.dtype.kind in kinds


def _storable_text(cell: str) -> str:
    """Return text that an engine can hold; no declared category and no number has a lone surrogate."""
    plain = str.__str__(cell)  # of a kind of text made elsewhere, too
    return plain if is_storable(plain) else _UNKNOWN


def is_storable(text: str) -> bool:
    return _SURROGATE.search(text) is None


_EVERY_READING = (  # one column of each kind that reads cells in its own way
    number_column("x", lower=0, upper=1, missing="middle"),
    category_column("x", categories=["x"]),
    compared(category_column("x", categories=["1"]), AS_NUMBERS),
    boolean_column("x"),
    date_column("x", start="2000-01-01", end="2000-01-01", each="day"),
    PersonColumn(name="x"),
)

# Digests


def file_digest(paths: Iterable[Path], *more: bytes) -> bytes:
    """Return a digest of the contents of files, in order, and of what else says which table is meant."""
    whole = hashlib.sha256()
    try:
        for path in paths:
            with path.open("rb") as file:
                whole.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        raise DataError("a file of the table cannot be read.", "Check that it is there and readable.") from None
    for each in more:
        whole.update(hashlib.sha256(each).digest())
    return whole.digest()


def columns_digest(columns: Mapping[Any, Any]) -> bytes:
    """Return a digest of columns in memory: names, types, and what their cells are read as."""
    import numpy as np

    whole = hashlib.sha256()
    for name in columns:
        given = columns[name]
        cells = unpacked(given)
        if isinstance(cells, np.ma.MaskedArray):
            array = np.ma.filled(cells)
        elif hasattr(cells, "dtype"):
            array = np.asarray(cells)
        else:  # a list: each object as it is, for numpy would make one kind of 1 and True, and refuse a list in a list
            array = np.fromiter(cells, dtype=object, count=len(cells))
        what = repr((str(name), type_name(given), str(array.dtype), array.shape))
        whole.update(what.encode("utf-8", "surrogatepass"))
        if isinstance(cells, np.ma.MaskedArray):
            whole.update(np.ma.getmaskarray(cells).tobytes())
        if array.dtype.kind in "OUST":
            for cell in array.ravel().tolist():
                read = cell_digest(cell)
                whole.update(len(read).to_bytes(8, "little") + read)
        else:
            whole.update(_array_bytes(np.ascontiguousarray(array)))
    return whole.digest()


def _array_bytes(array: Any) -> bytes:
    """Return the bytes of the numbers in an array, without those between them: long doubles of 80 bits have some."""
    import numpy as np

    if array.dtype.kind == "f" and np.finfo(array.dtype).nmant == 63:
        return bytes(array.reshape(-1, 1).view(np.uint8)[:, :10].tobytes())
    return bytes(array.tobytes())
