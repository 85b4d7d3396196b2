"""Tables of plain cells, and what writes them: CSV, Parquet, frames, lists, DuckDB files, Spark and PostgreSQL.

A table is data: a type and the cells of each column. Which writer makes the source of a case is data as well. Nothing
here knows snapdp, so that what is replayed rests on none of it.
"""

from __future__ import annotations

import datetime
import gzip
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

TYPES: dict[str, Any] = {
    "integer": pyarrow.int64(),
    "double": pyarrow.float64(),
    "text": pyarrow.string(),
    "boolean": pyarrow.bool_(),
    "date": pyarrow.date32(),
    "timestamp": pyarrow.timestamp("us"),
    "decimal": pyarrow.decimal128(18, 4),
}
IN_POSTGRES = {
    "integer": "BIGINT",
    "double": "DOUBLE PRECISION",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "decimal": "NUMERIC(18, 4)",
}
GROUPS = {".": ".", ",": ",", "'": "'", "_": "_", "space": " ", "no-break space": "\u00a0"}
Given = tuple[Any, dict[str, Any]]  # what snapdp.open_table is given


class Table(NamedTuple):
    """A table: the names, types and cells of its columns; a missing cell is None."""

    name: str
    types: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.types]

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column in the types of Python."""
        place = self.names.index(name)
        kind = self.types[place][1]
        return [typed(row[place], kind) for row in self.rows]


def table_of(values: dict[str, Any]) -> Table:
    """Return a table from a line of tests/corpus/inputs/tables.jsonl."""
    return Table(values["name"], tuple(values["types"].items()), tuple(map(tuple, values["rows"])))


def typed(cell: Any, kind: str) -> Any:
    if cell is None:
        return None
    if kind == "double":
        return float(cell)
    if kind == "date":
        return datetime.date.fromisoformat(cell)
    if kind == "timestamp":
        return datetime.datetime.fromisoformat(cell)
    return Decimal(cell) if kind == "decimal" else cell


def in_arrow(table: Table) -> pyarrow.Table:
    return pyarrow.table({name: pyarrow.array(table.cells(name), TYPES[kind]) for name, kind in table.types})


@contextmanager
def opened(table: Table, source: dict[str, Any], folder: Path) -> Iterator[Given]:
    """Yield a table as a source says, for as long as it is read."""
    engine = source.get("engine", "duckdb")
    if engine == "postgresql":
        yield from _in_postgres(table)
    elif engine == "spark":
        yield _in_spark(table, source, folder)
    else:
        yield _on_duckdb(table, source, folder)


def _on_duckdb(table: Table, source: dict[str, Any], folder: Path) -> Given:
    writer = source.get("writer", "arrow")
    if writer == "arrow":
        return in_arrow(table), {}
    if writer == "lists":
        return {name: table.cells(name) for name in table.names}, {}
    if writer == "polars":
        return polars.from_arrow(in_arrow(table)), {}
    if writer == "pandas":
        return pandas_frame(table), {}
    if writer == "duckdb":
        path = folder / "rows.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.register("given", in_arrow(table))
            connection.execute("CREATE TABLE people AS SELECT * FROM given")
        return path, {"table": "people"}
    if writer == "text":  # a file that nothing would write
        path = folder / source["file"]
        path.write_bytes(bytes.fromhex(source["hex"]) if "hex" in source else source["text"].encode())
        return path, {}
    if writer == "csv":
        return csv_file(table, source, folder), {}
    return parquet_files(table, source, folder), {}


def pandas_frame(table: Table) -> pandas.DataFrame:
    """Return a frame in which whole numbers stay whole beside missing ones, and text is text."""
    kinds = {"integer": "Int64", "boolean": "boolean", "double": "float64"}
    columns = {}
    for name, kind in table.types:
        columns[name] = pandas.Series(table.cells(name), dtype=kinds.get(kind, "object"))
    return pandas.DataFrame(columns)


def csv_file(table: Table, source: dict[str, Any], folder: Path) -> Path:
    """Write a CSV file in the dialect of the source."""
    dialect, name = source.get("csv", {}), source.get("file", "rows.csv")
    delimiter = dialect.get("delimiter", "\t" if ".tsv" in name else ",")
    quote = dialect.get("quote", '"')
    missing = dialect.get("null", "")
    between = "\t" if delimiter == "tab" else delimiter
    special = (between, quote, "\n", "\r")

    def written(text: str) -> str:
        if source.get("quoted") or any(each in text for each in special):
            return quote + text.replace(quote, 2 * quote) + quote
        return text

    lines = [table.names]
    for row in table.rows:  # what is missing has no quotes: with them it would be a text
        cells = zip(row, table.types, strict=True)
        null = missing if isinstance(missing, str) else missing[0]
        lines.append([null if cell is None else written(_in_csv(cell, kind, dialect)) for cell, (_, kind) in cells])
    end = source.get("lines", "\n")
    text = end.join([between.join(line) for line in lines]) + end
    content = (b"\xef\xbb\xbf" if source.get("mark") else b"") + text.encode(dialect.get("encoding", "utf-8"))
    path = folder / name
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return path


def _in_csv(cell: Any, kind: str, dialect: dict[str, Any]) -> str:
    if kind == "boolean":
        return "true" if cell else "false"
    if kind not in ("double", "integer", "decimal"):
        return str(cell)
    text = repr(float(cell)) if kind == "double" else str(cell)
    whole, point, rest = text.partition(".")
    group = GROUPS.get(dialect.get("thousands", ""))
    if group is not None and "e" not in text:
        sign, figures = ("-", whole[1:]) if whole[0] == "-" else ("", whole)
        whole = sign + f"{int(figures):,}".replace(",", group)
    return whole + (dialect.get("decimal", ".") if point else "") + rest


def parquet_files(table: Table, source: dict[str, Any], folder: Path) -> str | Path:
    """Write one Parquet file, or several that a pattern names, by the library that the source names."""
    whole, count = in_arrow(table), source.get("files", 1)
    size = -(-len(table.rows) // count) if count > 1 else max(len(table.rows), 1)
    for number in range(count):
        part = slice(number * size, (number + 1) * size)
        rows = table._replace(rows=table.rows[part]) if source["writer"] == "pandas parquet" else whole[part]
        _write_parquet(rows, source, folder / f"rows{number}.parquet")
    return folder / "rows0.parquet" if count == 1 else str(folder / "rows*.parquet")


def _write_parquet(rows: Any, source: dict[str, Any], path: Path) -> None:
    by = source["writer"]
    if by == "pandas parquet":
        frame = pandas_frame(rows)
        frame.to_parquet(path, row_group_size=source.get("group") or max(len(frame), 1), index=False)
        return
    group = source.get("group") or max(rows.num_rows, 1)
    if by == "pyarrow":
        pyarrow.parquet.write_table(rows, path, row_group_size=group, write_statistics=source.get("statistics", True))
    elif by == "polars parquet":
        polars.DataFrame(rows).write_parquet(path, row_group_size=group, statistics=source.get("statistics", True))
    else:
        assert by == "duckdb parquet", by
        with duckdb.connect() as connection:
            connection.register("given", rows)
            connection.execute(f"COPY given TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {group})")


# Engines that run elsewhere


@cache
def spark_session() -> Any:
    """Return the one Spark session of this process."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("corpus")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.sql.session.timeZone": "UTC",
    }.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _in_spark(table: Table, source: dict[str, Any], folder: Path) -> Given:
    session = spark_session()
    if source.get("writer", "arrow") != "arrow":
        return _on_duckdb(table, source, folder)[0], {"spark": session}
    from pyspark.sql import types

    kinds = {
        "integer": types.LongType(),
        "double": types.DoubleType(),
        "text": types.StringType(),
        "boolean": types.BooleanType(),
        "date": types.DateType(),
        "timestamp": types.TimestampNTZType(),
        "decimal": types.DecimalType(18, 4),
    }
    schema = types.StructType([types.StructField(name, kinds[kind]) for name, kind in table.types])
    rows = list(zip(*(table.cells(name) for name in table.names), strict=True))
    return session.createDataFrame(rows, schema), {}


def _in_postgres(table: Table) -> Iterator[Given]:
    import psycopg

    address, name = os.environ["SNAPDP_POSTGRES"], f"t{uuid.uuid4().hex}"
    kinds = ", ".join(f'"{column}" {IN_POSTGRES[kind]}' for column, kind in table.types)
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} ({kinds})")
        with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(*(table.cells(column) for column in table.names), strict=True):
                copy.write_row(row)
        try:
            yield address, {"table": name}
        finally:
            connection.execute(f"DROP TABLE {name}")
