"""Arrow tables as DuckDB reads them: times as dates, half precision as single, and a type it does not know by its name.

Room: tables. Looks at types, never at a cell: what is refused here is refused whatever the column holds. Half precision
becomes single precision, which has every number of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from snapdp.display import one_line
from snapdp.errors import DataError, PremiseError
from snapdp.tables.sources.calendar import in_days

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
    return _in_singles(in_days(chosen))


def _in_singles(table: Any) -> Any:
    """Return a table whose columns of half precision are of single precision."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_float16(field.type):
            chunks = [_singles(chunk) for chunk in table.column(place).chunks]
            table = table.set_column(place, field.name, pa.chunked_array(chunks, type=pa.float32()))
    return table


def _singles(chunk: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    numbers = chunk.to_numpy(zero_copy_only=False).astype(np.float32)  # by numpy: not every Arrow casts them
    return pa.array(numbers, mask=np.asarray(chunk.is_null()))


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
