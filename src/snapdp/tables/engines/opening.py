"""Which engine answers for some data (DuckDB, Spark or PostgreSQL), and what a table calls its columns.

The modules of Spark and PostgreSQL are loaded when a table of theirs is opened. Names and stored types come from the
first line of a CSV file, the schema of a Parquet file or of a table in a DuckDB file, before a row is read. A CSV file
has no types: what its cells are is declared, never guessed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from snapdp.display.text import is_address
from snapdp.errors import DataError, ParameterError
from snapdp.studies.categories import BOOLEAN, DATE
from snapdp.studies.columns import CATEGORY, NUMBER, Column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.engine import Engine
from snapdp.tables.sources.csv import CsvSource, delimiter_seen, encoding_seen, latin_1_told, may_be_cell, names_in
from snapdp.tables.sources.opening import open_source
from snapdp.tables.sources.source import CSV_ENDINGS, PARQUETS, is_csv_name, no_dialect
from snapdp.tables.sql.stored import CALENDAR, DECLARE_IT, LABEL, NUMERIC, SEPARATORS, TRUTH, WHOLE, Rows
from snapdp.values import Value, replaced


def open_table(
    data: Any,
    *,
    table: str | None = None,
    dialect: CsvDialect | None = None,
    threads: int | None = None,
    spark: Any = None,
) -> Engine:
    """Return a table from a path, a glob, a frame, a dict of columns, a Spark table or a PostgreSQL address.

    Give the path of a CSV file rather than a frame that `read_csv` made of it: the types of such a frame depend on its
    cells, so one row may change how all others are read. A column of text categories stored as numbers is refused.

    table     the table of a DuckDB file, of a SparkSession or of a PostgreSQL server
    dialect   how a CSV file is written, where it is not a plain one; refused for any other table
    spark     a SparkSession or the URL of a master: the paths are then read by Spark

    >>> from snapdp.studies.aggregates import Sum
    >>> from snapdp.studies.columns import integer_column
    >>> age = integer_column("age", lower=0, upper=120, missing="middle")
    >>> open_table({"age": [31, None, 200]}).aggregates([Sum(column=age)])[Sum(column=age)]  # 31 + 60 + 120
    (211,)
    """
    if is_address(data):
        if dialect is not None:
            raise no_dialect()
        if table is None or spark is not None:
            raise ParameterError("a PostgreSQL address needs the name of a table, and nothing else.", "Give table.")
        from snapdp.tables.engines.postgres import PostgresEngine, PostgresSource

        return PostgresEngine(PostgresSource(data, table))
    if spark is not None or type(data).__module__.startswith("pyspark."):
        from snapdp.tables.engines.spark import SparkEngine, spark_source

        return SparkEngine(spark_source(data, table=table, session=spark, dialect=dialect))
    return DuckdbEngine(open_source(data, table=table, dialect=dialect), threads=threads)


def check_dialect(declared: CsvDialect | None, table: Engine) -> None:
    """Refuse a table that was opened with another dialect than a study declares; one that declares none takes any."""
    if declared is None:
        return
    read = table.source.dialect
    if read is None:
        raise no_dialect()
    if read != (declared if declared.delimiter is not None else replaced(declared, delimiter=read.delimiter)):
        raise ParameterError(
            "the table was opened with another CSV dialect than the study declares.",
            "Open it with the study's own: study.table(path). Nothing was read and nothing spent.",
        )


# Columns of a file, by names and stored types alone

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
    return tuple(StoredColumn(name=each.name, kind=_CALLED.get(each.kind)) for each in fields)


def check_columns(path: str | Path, columns: Iterable[Column], *, dialect: CsvDialect | None = None) -> None:
    """Refuse declared columns that a CSV or Parquet file does not have, or stores as something else; no row is read.

    The first line of a CSV file is taken for one of names, unless it may be one of cells: none of these is shown.
    """
    wanted = list(columns)
    if is_csv(path):
        # Refuse a first line that seems to be written otherwise than is declared.
        name, (start, read) = Path(path).name, _start(path, dialect)
        is_declared = dialect is not None and dialect.delimiter is not None
        if encoding_seen(start, read) is not None:
            advice, other = latin_1_told(start, read, is_declared=is_declared)
            raise DataError(f"line 1 of {name!r} is not in UTF-8.", advice, **other)
        mark = None if is_declared else delimiter_seen(start, read)
        if mark is not None and {each.name for each in wanted}.isdisjoint(names_in(start, read)):
            raise DataError(f"{name!r} seems to have {SEPARATORS[mark]} between its cells.", DECLARE_IT, delimiter=mark)
    fields = open_table(path, dialect=dialect).fields()
    certain = not (is_csv(path) and any(may_be_cell(each.name) for each in fields))
    rows = Rows(origin="", fields=fields, certain=certain)
    for each in wanted:
        rows.field(each)


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
