"""Cells of Python objects as text that every engine reads alike.

Room: tables. Object columns hold anything; what is no number is a missing number, what is no text an unknown category.
No object can raise here.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from snapdp.studies import Column, NumberColumn, PersonColumn

_UNKNOWN = "\x00"  # no declared category can hold this character


def pandas_array(series: Any, column: Column) -> Any:
    import numpy as np

    if isinstance(series.dtype, np.dtype):
        return np.asarray(series)
    if isinstance(column, NumberColumn) and getattr(series.dtype, "kind", "O") in "iuf":
        return series.to_numpy(dtype="float64", na_value=np.nan)
    return np.asarray(series.astype(object), dtype=object)


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
    if getattr(cell, "dtype", None) is not None and getattr(cell, "shape", None) == () and cell.dtype.kind in "iuf":
        return number_text(cell.item() if cell.dtype.itemsize <= 8 else _double(cell))
    return None


def _double(cell: Any) -> float:
    """Return the double nearest to a long one; infinite beyond the doubles, without a warning."""
    import numpy as np

    with np.errstate(all="ignore"):
        return float(np.float64(cell))


def category_text(cell: Any) -> str | None:
    """Return the text of a category: text and whole numbers as they are, None for nothing, else an unknown one."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType") or (isinstance(cell, float) and cell != cell):
        return None
    if isinstance(cell, str):
        return _storable_text(cell)
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int) and cell.bit_length() < 2048:
        return str(cell)
    return _UNKNOWN


def person_text(cell: Any) -> str | None:
    """Return the text of a person: text, whole numbers and UUIDs as they print; None for whatever names nobody."""
    if isinstance(cell, str):
        plain = str.__str__(cell)
        return plain if is_storable(plain) else None
    if type(cell).__name__ == "UUID":
        return str(cell)
    return str(cell) if isinstance(cell, int) and not isinstance(cell, bool) and cell.bit_length() < 2048 else None


def cell_text(cell: Any, column: Column) -> str | None:
    """Return a cell as the text that its column reads; an object that fails to answer is no number, text or person."""
    try:
        if isinstance(column, NumberColumn):
            return number_text(cell)
        return person_text(cell) if isinstance(column, PersonColumn) else category_text(cell)
    except Exception:
        return None if isinstance(column, NumberColumn | PersonColumn) else _UNKNOWN


def _storable_text(cell: str) -> str:
    """Return text that an engine can hold; no declared category and no number has a lone surrogate."""
    plain = str.__str__(cell)  # of a kind of text made elsewhere, too
    return plain if is_storable(plain) else _UNKNOWN


def is_storable(text: str) -> bool:
    return not any("\ud800" <= each <= "\udfff" for each in text)
