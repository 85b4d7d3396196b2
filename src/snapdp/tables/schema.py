"""What a table calls its columns, before anything is declared: names and stored types, never a cell.

Room: tables. The first line of a CSV file, the schema of a Parquet file or of a table in a DuckDB file. A CSV file has
no types: what its cells are is declared, never guessed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.studies import BOOLEAN, CATEGORY, DATE, NUMBER, CsvDialect
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.opening import open_table
from snapdp.tables.first_line import may_be_cell
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.duckdb_file import DuckdbSource
from snapdp.tables.sources.opening import DATABASES
from snapdp.tables.sources.paths import is_csv_name
from snapdp.tables.sql.stored import CALENDAR, LABEL, NUMERIC, SEPARATORS, TEXT, TRUTH, WHOLE
from snapdp.values import Value, replaced

UTF_8, LATIN_1 = "utf-8", "latin-1"
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


def stored_tables(path: str | Path) -> tuple[str, ...]:
    """Return the stored tables of a DuckDB file, by name."""
    source = DuckdbSource(path, "")
    return DuckdbEngine(source).ask(source.tables)


def is_database(path: str | Path) -> bool:
    """Tell whether a file is a DuckDB database, by its name."""
    return Path(path).name.lower().endswith(DATABASES)


def is_csv(path: str | Path) -> bool:
    """Tell whether a file is a CSV file, by its name."""
    return is_csv_name(Path(path).name)


def other_delimiter(path: str | Path, dialect: CsvDialect | None = None) -> str | None:
    """Return what stands between the names in the first line of a CSV file, where that is not what is declared.

    Looked for only where the line is one name otherwise, or none, or may be one of cells that were cut at decimal
    commas: nothing else of the file is read.
    """
    try:
        names = CsvSource(path, dialect=dialect).header()
    except DataError:  # names in quotes, with something else between them
        names = []
    marks = [mark for mark in SEPARATORS if len(names) < 2 or any(mark in name for name in names)]
    if len(names) > 1 and not any(map(may_be_cell, names)):
        return None
    return next((mark for mark in marks if _names(path, dialect, mark) > 1), None)


def other_encoding(path: str | Path, dialect: CsvDialect | None = None) -> str | None:
    """Return Latin-1 where the first line of a CSV file is one of names in it, and none in UTF-8 with any delimiter.

    Every file can be read as Latin-1: whether it is written so somebody must say.
    """
    declared = dialect or CsvDialect()
    marks = (declared.separator, *SEPARATORS)
    if declared.encoding != UTF_8 or any(_names(path, declared, mark) for mark in marks):
        return None
    other = replaced(declared, encoding=LATIN_1)
    return LATIN_1 if any(_names(path, other, mark) for mark in marks) else None


def _names(path: str | Path, dialect: CsvDialect | None, delimiter: str) -> int:
    """Return how many names the first line has with a delimiter; 0 where it has none that can be read."""
    try:
        return len(CsvSource(path, dialect=replaced(dialect or CsvDialect(), delimiter=delimiter)).header())
    except DataError:
        return 0


def may_be_cells(columns: tuple[StoredColumn, ...]) -> bool:
    """Tell whether the first line of a file may be one of cells: a name of a column hardly begins as a number does."""
    return any(each.kind is None and may_be_cell(each.name) for each in columns)


def _kind(field: Any) -> str | None:
    return _CALLED.get(field.kind)
