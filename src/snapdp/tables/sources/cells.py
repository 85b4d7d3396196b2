"""Cells of Python objects as text that every engine reads alike.

Room: tables. Object columns hold anything; what is no number is a missing number, what is no text an unknown category.
No object can raise in `cell_text`.
"""

from __future__ import annotations

import datetime
import re
from decimal import Decimal
from typing import Any

from snapdp.studies import (
    AS_NUMBERS,
    BooleanColumn,
    CategoryColumn,
    Column,
    DateColumn,
    MagnitudeColumn,
    NumberColumn,
    PersonColumn,
)
from snapdp.tables.sources.calendar import day_numbers

OF_NUMBERS = (NumberColumn, MagnitudeColumn)  # columns whose cells are read as numbers
_NO_NUMBERS = re.compile("bool|date|time|duration|period|interval|month_day", re.IGNORECASE)
_TEXTS = re.compile("string|large_string|utf8|categorical|enum|dictionary<values=(large_)?string", re.IGNORECASE)
_UNKNOWN = "\x00"  # no declared category can hold this character


def pandas_array(series: Any, column: Column) -> Any:
    import numpy as np

    if isinstance(series.dtype, np.dtype):
        return np.asarray(series)
    if isinstance(column, OF_NUMBERS) and getattr(series.dtype, "kind", "O") in "iuf":
        return series.to_numpy(dtype="float64", na_value=np.nan)
    return np.asarray(series.astype(object), dtype=object)


def unpacked(column: Any) -> Any:
    """Return a column of Arrow or Polars as Python objects: its own scalars are no numbers and no text."""
    library = type(column).__module__.partition(".")[0]
    if library == "pyarrow":
        return column.to_pylist()
    return column.to_list() if library == "polars" else column


def other_type(column: Any) -> str | None:
    """Return the name of the type of a column whose cells are no numbers by its schema: truth values and times."""
    told = str(getattr(column, "type", None) or getattr(column, "dtype", ""))
    return told if _NO_NUMBERS.match(told) else None


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
        # Far beyond every bound: Python refuses to print integers of thousands of digits.
        return str(cell) if cell.bit_length() < 2048 else ("-" if cell < 0 else "") + "inf"
    if isinstance(cell, float):
        return float.__repr__(cell)
    if isinstance(cell, Decimal):
        return str(cell)
    if _is_scalar(cell, "iuf"):
        return number_text(cell.item() if cell.dtype.itemsize <= 8 else _double(cell))
    return None


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
    if isinstance(cell, int) and cell.bit_length() < 2048:
        return str(cell)
    return _UNKNOWN


def _plain_text(cell: Any) -> str | None:
    """Return a number without an exponent, a boolean as true or false; None for what is not a number."""
    if isinstance(cell, bool) or type(cell).__name__ in ("bool", "bool_"):
        return "true" if cell else "false"
    if _is_scalar(cell, "iu"):
        cell = cell.item()
    if isinstance(cell, int):
        return str(cell) if cell.bit_length() < 2048 else _UNKNOWN
    if isinstance(cell, float):
        cell = Decimal(float.__repr__(cell))
    elif _is_scalar(cell, "f"):
        cell = Decimal(str(cell))  # the shortest text that stands for it, in its own precision
    if not isinstance(cell, Decimal):
        return _UNKNOWN
    return None if cell.is_nan() else format(cell, "f") if abs(cell.adjusted()) < 100 else _UNKNOWN


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
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) and cell.bit_length() < 2048 else None


def cell_text(cell: Any, column: Column) -> str | None:
    """Return a cell as the text that its column reads; an object that fails to answer is no number, text or person."""
    try:
        if isinstance(column, OF_NUMBERS):
            return number_text(cell)
        return person_text(cell) if isinstance(column, PersonColumn) else category_text(cell, column)
    except Exception:
        return None if isinstance(column, (*OF_NUMBERS, PersonColumn)) else _UNKNOWN


def _is_scalar(cell: Any, kinds: str) -> bool:
    """Tell whether an object is a scalar of numpy, of one of these kinds of types."""
    return getattr(cell, "dtype", None) is not None and getattr(cell, "shape", None) == () and cell.dtype.kind in kinds


def _storable_text(cell: str) -> str:
    """Return text that an engine can hold; no declared category and no number has a lone surrogate."""
    plain = str.__str__(cell)  # of a kind of text made elsewhere, too
    return plain if is_storable(plain) else _UNKNOWN


def is_storable(text: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in text)
