"""Which engine answers for some data: DuckDB, Spark or PostgreSQL.

Room: tables. One place for each engine.
"""

from __future__ import annotations

from typing import Any

from snapdp.display import is_address
from snapdp.errors import ParameterError
from snapdp.studies import CsvDialect
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.postgres import PostgresEngine, PostgresSource
from snapdp.tables.engines.spark import SparkEngine, spark_source
from snapdp.tables.sources.opening import open_source
from snapdp.tables.sources.source import no_dialect
from snapdp.values import replaced


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

    >>> from snapdp.studies import Sum
    >>> from snapdp.studies import integer_column
    >>> age = integer_column("age", lower=0, upper=120, missing="middle")
    >>> open_table({"age": [31, None, 200]}).aggregates([Sum(column=age)])[Sum(column=age)]  # 31 + 60 + 120
    (211,)
    """
    if is_address(data):
        if dialect is not None:
            raise no_dialect()
        if table is None or spark is not None:
            raise ParameterError("a PostgreSQL address needs the name of a table, and nothing else.", "Give table.")
        return PostgresEngine(PostgresSource(data, table))
    found = spark_source(data, table=table, session=spark, dialect=dialect)
    if found is not None:
        return SparkEngine(found)
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
