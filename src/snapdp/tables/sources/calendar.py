"""Dates and times in memory as dates that every engine reads alike: rounded down to the day, by whole numbers.

Room: tables. Takes columns of numpy and Arrow. Engines cast such columns by conversions that overflow, or round up to
the next day; here nothing can fail: a time beyond the calendar is a day beyond every declared one. The date of an
instant is its date in UTC.
"""

from __future__ import annotations

from typing import Any

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


def in_days(table: Any) -> Any:
    """Return an Arrow table whose times are dates."""
    for place, field in enumerate(table.schema):
        dates = _dates(table.column(place))
        if dates is not None:
            table = table.set_column(place, field.name, dates)
    return table


def arrow_days(column: Any) -> Any:
    """Return the dates of an Arrow column of times, as an array of numpy; None where it holds something else."""
    dates = _dates(column)
    return None if dates is None else dates.to_numpy()


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
