"""What a table calls its columns, before a row of it is read: names and stored types, never a cell.

Room: tables. The first line of a CSV file, the schema of a Parquet file or of a table in a DuckDB file. A CSV file has
no types: what its cells are is declared, never guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.studies import BOOLEAN, CATEGORY, DATE, NUMBER, Column, CsvDialect
from snapdp.tables.engines.opening import open_table
from snapdp.tables.first_line import may_be_cell
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.csv_first_line import delimiter_seen, encoding_seen, latin_1_told, names_in
from snapdp.tables.sources.paths import CSV_ENDINGS, PARQUETS, is_csv_name
from snapdp.tables.sql.stored import CALENDAR, DECLARE_IT, LABEL, NUMERIC, SEPARATORS, TEXT, TRUTH, WHOLE, Rows
from snapdp.values import Value

_CALLED = {NUMERIC: NUMBER, WHOLE: NUMBER, LABEL: CATEGORY, TRUTH: BOOLEAN, CALENDAR: DATE}


class StoredColumn(Value):
    """A column as a file has it. `kind` is what its stored type calls for; None where the file does not say."""

    name: str
    kind: str | None = None


def stored_columns(
    path: str | Path, *, table: str | None = None, dialect: CsvDialect | None = None
) -> tuple[StoredColumn, ...]:
    """Return the columns of a file in their order."""
    fields = open_table(path, table=table, dialect=dialect).fields()
    return tuple(StoredColumn(name=each.name, kind=None if each.kind == TEXT else _kind(each)) for each in fields)


def check_columns(path: str | Path, columns: Iterable[Column], *, dialect: CsvDialect | None = None) -> None:
    """Refuse declared columns that a CSV or Parquet file does not have, or stores as something else; no row is read.

    The first line of a CSV file is taken for one of names, unless it may be one of cells: none of these is shown.
    """
    wanted = list(columns)
    if is_csv(path):
        _check_form(path, {each.name for each in wanted}, dialect)
    fields = open_table(path, dialect=dialect).fields()
    certain = not (is_csv(path) and any(may_be_cell(each.name) for each in fields))
    rows = Rows(origin="", fields=fields, certain=certain)
    for each in wanted:
        rows.field(each)


def _check_form(path: str | Path, wanted: set[str], dialect: CsvDialect | None) -> None:
    """Refuse a first line that seems to be written otherwise than is declared."""
    name, (start, read) = Path(path).name, _start(path, dialect)
    is_declared = dialect is not None and dialect.delimiter is not None
    if encoding_seen(start, read) is not None:
        advice, other = latin_1_told(start, read, is_declared=is_declared)
        raise DataError(f"line 1 of {name!r} is not in UTF-8.", advice, **other)
    mark = None if is_declared else delimiter_seen(start, read)
    if mark is not None and wanted.isdisjoint(names_in(start, read)):
        raise DataError(f"{name!r} seems to have {SEPARATORS[mark]} between its cells.", DECLARE_IT, delimiter=mark)


def is_readable(path: str | Path) -> bool:
    """Tell whether a path is a CSV or Parquet file, by its name, that can be opened here."""
    is_one = Path(path).name.lower().endswith((*CSV_ENDINGS, *PARQUETS))
    return is_one and os.path.isfile(path) and os.access(path, os.R_OK)


def is_csv(path: str | Path) -> bool:
    """Tell whether a file is a CSV file, by its name."""
    return is_csv_name(Path(path).name)


def _start(path: str | Path, dialect: CsvDialect | None) -> tuple[bytes, CsvDialect]:
    """Return the first bytes of a CSV file, none where it cannot be read, and how it is read."""
    try:
        source = CsvSource(path, dialect=dialect)
        return source.start(), source.dialect
    except DataError:
        return b"", dialect or CsvDialect()


def may_be_cells(columns: tuple[StoredColumn, ...]) -> bool:
    """Tell whether the first line of a file may be one of cells: a name of a column hardly begins as a number does."""
    return any(each.kind is None and may_be_cell(each.name) for each in columns)


def _kind(field: Any) -> str | None:
    return _CALLED.get(field.kind)
