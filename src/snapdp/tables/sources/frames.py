"""Columns in memory: dicts of numpy columns or lists, frames of pandas and Polars, Arrow tables.

Registered on a DuckDB connection that the engine hands in. Nothing is guessed: Python objects become text
and times become dates by one rule each (`cells`), and what has a schema keeps it.
Errors here speak to the data holder before anything is spent: they name columns and types, never a cell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from snapdp.errors import DataError
from snapdp.studies.columns import Column, PersonColumn
from snapdp.tables.sources.cells import (
    OF_NUMBERS,
    cell_text,
    chosen_columns,
    columns_digest,
    day_numbers,
    inferred_type,
    is_exact_text,
    other_type,
    text_type,
    unpacked,
    unread,
)
from snapdp.tables.sources.source import Source
from snapdp.tables.sources.stored import described
from snapdp.tables.sql.stored import LABEL, TEXT, TYPED_BY_CELLS, Field, Rows
from snapdp.values import replaced

_REGISTERED = "snapdp_columns"


class ColumnsSource(Source):
    """Columns in memory: a dict of one-dimensional numpy arrays or lists, or a pandas frame."""

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        self.columns = columns

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        import numpy as np

        arrays = {}
        names: dict[tuple[str, bool], str] = {}
        for column in columns:
            read = column.name, isinstance(column, PersonColumn)  # who names persons is read for that, and once more
            if read in names or column.name not in list(self.columns):
                continue
            names[read] = f"c{len(names)}"
            arrays[names[read]] = self._array(column)
        sizes = {*map(len, arrays.values()), *(len(self.columns[name]) for name in self.columns)}
        if len(sizes) > 1:
            raise DataError("the columns do not have the same number of rows.", "Give columns of one table.")
        arrays["rows"] = np.zeros(sizes.pop() if sizes else 0, dtype=np.int8)  # a table without columns has rows too
        connection.register(_REGISTERED, arrays)
        stored = {each.name: each for each in described(connection, f"SELECT * FROM {_REGISTERED}")}
        fields = [
            replaced(self._named(stored[each], name), names_persons=person) for (name, person), each in names.items()
        ]
        return Rows(origin=_REGISTERED, fields=tuple(fields), names=tuple(map(str, self.columns)))

    def _named(self, field: Field, name: str) -> Field:
        """Return the field of a column: cells that were made text have no schema, unless they were text before."""
        told = text_type(self.columns[name])
        if told is not None:
            return replaced(field, name=name, stored=told, kind=LABEL)
        return replaced(field, name=name, kind=TEXT if field.kind == LABEL else field.kind)

    def fingerprint(self) -> bytes:
        return columns_digest(self.columns)

    def _array(self, column: Column) -> Any:
        import numpy as np

        given = self.columns[column.name]
        told, advice = None, ""
        if isinstance(column, OF_NUMBERS):
            told, advice = other_type(given), "Store it as numbers, or declare it otherwise."
        elif is_exact_text(column):
            told, advice = inferred_type(given), f"Store it as text. {TYPED_BY_CELLS}"
        if told is not None:
            raise DataError(f"column {column.name!r} is declared as {column.kind} but stored as {told}.", advice)
        dtype = getattr(given, "dtype", None)
        of_pandas = type(dtype).__module__.startswith("pandas.")  # its own types, in which numbers may be missing
        if isinstance(column, OF_NUMBERS) and of_pandas and getattr(dtype, "kind", "O") in "iuf":
            given = given.to_numpy(dtype="float64", na_value=np.nan)
        given = unpacked(given)
        if isinstance(given, np.ma.MaskedArray) and given.dtype.kind == "M":
            given = given.filled(np.datetime64("NaT"))
        elif isinstance(given, np.ma.MaskedArray):
            given = np.fromiter(given.tolist(), dtype=object, count=len(given))  # a masked cell is None
        if not isinstance(given, np.ndarray):
            given = np.fromiter(given, dtype=object, count=len(given))
        if given.ndim != 1:
            raise DataError(f"column {column.name!r} is not one-dimensional.", "Give one number or text for each row.")
        if given.dtype.kind == "M":
            return day_numbers(given)
        if given.dtype.kind not in "OUTfiubm":
            raise DataError(
                f"column {column.name!r} is an array of {given.dtype.name}.", "Give numbers, text or whole numbers."
            )
        if given.dtype.kind in "OUT":
            texts = [cell_text(each, column) for each in given.tolist()]
            return np.fromiter(texts, dtype=object, count=len(texts))
        if given.dtype.kind == "f":
            single = given.dtype.itemsize <= 4
            with np.errstate(all="ignore"):  # a cell beyond the doubles is infinite, and nobody is told
                # Exact, except for long doubles: these go to the nearest.
                given = given.astype(np.float32 if single else np.float64)
        return np.ascontiguousarray(given.astype(given.dtype.newbyteorder("=")))


class PandasColumns(Mapping[Any, Any]):
    """A frame as a mapping of its columns; a name that stands twice is refused when asked for."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, name: Any) -> Any:
        found = self.frame[name]
        if found.ndim != 1:
            raise DataError(f"the table has several columns named {name!r}.", "Each name may stand once.")
        return found

    def __iter__(self) -> Any:
        return iter(dict.fromkeys(self.frame.columns))

    def __len__(self) -> int:
        return len(self.frame.columns)


class ArrowSource(Source):
    """An Arrow table, or a Polars frame seen as one."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        present = list(self.table.column_names)
        wanted = list(dict.fromkeys(column.name for column in columns if column.name in present))
        twice = next((name for name in wanted if present.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"the table has several columns named {twice!r}.", "Each name may stand once.")
        chosen = chosen_columns(self.table, [present.index(name) for name in wanted])

        def registered(table: Any) -> tuple[Field, ...]:
            connection.register(_REGISTERED, table)
            return described(connection, f"SELECT * FROM {_REGISTERED}")

        try:
            stored = registered(chosen)
        except Exception:
            refusal = unread(chosen, wanted, registered)
            if refusal is None:
                raise
            raise refusal from None
        fields = [replaced(each, name=name) for name, each in zip(wanted, stored, strict=False)]
        return Rows(origin=_REGISTERED, fields=tuple(fields), names=tuple(present))

    def fingerprint(self) -> bytes:
        # A digest of an Arrow table, whatever its chunks.
        import pyarrow as pa

        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table.combine_chunks())
        return hashlib.sha256(sink.getvalue()).digest()
