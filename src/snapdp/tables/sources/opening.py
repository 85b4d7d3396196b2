"""Which source some data are, by their type and name: a CSV or Parquet file, a DuckDB table, a frame, columns.

Opens no file. Nothing is guessed: a file is what its name says, CSV has a declared dialect, and what is
declared but would not be read is refused. A source is a table or a projection of one: what filters or joins changes who
a row is.
"""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snapdp.errors import DataError, ParameterError
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.sources.cells import as_arrow
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.frames import ArrowSource, ColumnsSource, PandasColumns
from snapdp.tables.sources.source import (
    CSV_ENDINGS,
    PARQUETS,
    Source,
    is_csv_name,
    no_dialect,
    refuse_directory,
    refuse_unread,
)
from snapdp.tables.sources.stored import DuckdbSource, ParquetSource

DATABASES = (".duckdb", ".db", ".ddb")


def open_source(data: Any, *, table: str | None = None, dialect: CsvDialect | None = None) -> Source:
    """Return the source that some data are: a path, a glob, a frame, an Arrow table, a dict of columns.

    table     the table of a DuckDB file
    dialect   how a CSV file is written
    """
    if isinstance(data, (str, Path)):
        path = Path(data)
        name = path.name.lower()
        refuse_unread(path.name)
        if name.endswith(DATABASES):
            if table is None:
                raise ParameterError(f"{path.name!r} is a database.", "Name the table in it as well.")
            if dialect is not None:
                raise no_dialect(path.name)
            return DuckdbSource(path, table)
        if table is not None:
            raise ParameterError(f"{path.name!r} is no database and has no table {table!r}.", "Leave table out.")
        if is_csv_name(path.name):
            return CsvSource(path, dialect=dialect)
        if dialect is not None:
            raise no_dialect(path.name)
        if name.endswith(PARQUETS) or glob.has_magic(str(path)):
            return ParquetSource(path)
        refuse_directory(path)
        raise DataError(
            f"{path.name!r} is not known as a table by its name.",
            f"Known endings: {', '.join((*CSV_ENDINGS, *PARQUETS, *DATABASES))}.",
        )
    found = _source_of(data)
    if dialect is not None:
        raise no_dialect()
    return found


def _source_of(data: Any) -> Source:
    if isinstance(data, Source):
        return data
    if isinstance(data, Mapping):
        return ColumnsSource(data)
    package, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if package == "pandas" and kind == "DataFrame":
        return ColumnsSource(PandasColumns(data))
    if package == "polars" and kind in ("DataFrame", "LazyFrame"):
        return ArrowSource(as_arrow(data if kind == "DataFrame" else _collected(data)))
    if package == "pyarrow" and kind == "Table":
        return ArrowSource(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, (str, Path)) for each in data):
        return ParquetSource(data)
    raise DataError(
        f"a value of type {kind} is no table.",
        "Give a path, a list of Parquet paths, a pandas, Polars or Arrow table, or a dict of numpy columns.",
    )


def _collected(lazy: Any) -> Any:
    """Return the frame that a lazy one of Polars describes; what goes wrong in it may speak of cells."""
    try:
        return lazy.collect()
    except Exception:
        raise DataError(
            "the lazy frame cannot be collected.", "Call its collect() to see why; give its frame."
        ) from None
