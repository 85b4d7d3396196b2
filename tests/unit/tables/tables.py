"""One table in every format a source can have."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.opening import open_table

Columns = Mapping[str, Sequence[Any]]  # floats or text, None where a cell is missing


def _is_text(cells: Sequence[Any]) -> bool:
    return any(isinstance(cell, str) for cell in cells)


def csv_text(columns: Columns) -> str:
    """Return a CSV file: text in quotes, numbers as Python prints them, nothing at all for None."""
    names = io.StringIO()
    csv.writer(names, lineterminator="\n", quoting=csv.QUOTE_ALL).writerow(columns)
    lines = [
        ",".join("" if c is None else '"' + c.replace('"', '""') + '"' if isinstance(c, str) else repr(c) for c in row)
        for row in zip(*columns.values(), strict=True)
    ]
    return names.getvalue() + "".join(line + "\n" for line in lines)


def _in_duckdb(connection: Any, columns: Columns, where: str) -> None:
    kinds = ", ".join(
        f'"{name.replace(chr(34), chr(34) * 2)}" {"VARCHAR" if _is_text(cells) else "DOUBLE"}'
        for name, cells in columns.items()
    )
    connection.execute(f"CREATE TABLE {where} ({kinds})")
    connection.execute("SET pandas_analyze_sample = 0")
    arrays, reads = {}, []
    for i, cells in enumerate(columns.values()):
        if _is_text(cells):
            arrays[f"c{i}"] = np.array([*cells, None], dtype=object)[:-1]
            reads.append(f"c{i}")
        else:  # an object array of text keeps both NaN and NULL
            arrays[f"c{i}"] = np.array([None if c is None else repr(c) for c in cells] + [None], dtype=object)[:-1]
            reads.append(f"CAST(c{i} AS DOUBLE)")
    connection.register("given", arrays)
    connection.execute(f"INSERT INTO {where} SELECT {', '.join(reads)} FROM given")
    connection.unregister("given")


def csv_table(columns: Columns, folder: Path, **options: Any) -> Engine:
    path = folder / "table.csv"
    path.write_text(csv_text(columns), encoding="utf-8", newline="")
    return open_table(path, **options)


def parquet_table(columns: Columns, folder: Path, **options: Any) -> Engine:
    path = folder / "table.parquet"
    with duckdb.connect() as connection:
        _in_duckdb(connection, columns, "stored")
        connection.execute(f"COPY stored TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 500)")
    return open_table(str(path), **options)


def parquet_glob(columns: Columns, folder: Path, **options: Any) -> Engine:
    with duckdb.connect() as connection:
        _in_duckdb(connection, columns, "stored")
        for part in range(3):
            chosen = f"SELECT * FROM stored WHERE rowid % 3 = {part}"
            connection.execute(f"COPY ({chosen}) TO '{folder}/part{part}.parquet' (FORMAT parquet)")
    return open_table(folder / "part*.parquet", **options)


def duckdb_table(columns: Columns, folder: Path, **options: Any) -> Engine:
    path = folder / "tables.duckdb"
    with duckdb.connect(str(path)) as connection:
        _in_duckdb(connection, columns, '"a ""table"" of people"')
    return open_table(path, table='a "table" of people', **options)


def numpy_table(columns: Columns, _: Path, **options: Any) -> Engine:
    def array(cells: Sequence[Any]) -> Any:
        if _is_text(cells):
            return np.array([*cells, None], dtype=object)[:-1]
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)

    return open_table({name: array(cells) for name, cells in columns.items()}, **options)


def list_table(columns: Columns, _: Path, **options: Any) -> Engine:
    return open_table({name: list(cells) for name, cells in columns.items()}, **options)


def pandas_table(columns: Columns, _: Path, **options: Any) -> Engine:
    import pandas

    return open_table(pandas.DataFrame({name: list(cells) for name, cells in columns.items()}), **options)


def pandas_objects(columns: Columns, _: Path, **options: Any) -> Engine:
    import pandas

    return open_table(pandas.DataFrame({name: list(cells) for name, cells in columns.items()}, dtype=object), **options)


def polars_table(columns: Columns, _: Path, **options: Any) -> Engine:
    import polars

    return open_table(polars.DataFrame({name: list(cells) for name, cells in columns.items()}), **options)


def arrow_table(columns: Columns, _: Path, **options: Any) -> Engine:
    import pyarrow

    return open_table(pyarrow.table({name: list(cells) for name, cells in columns.items()}), **options)


FORMATS: dict[str, Callable[..., Engine]] = {
    "csv": csv_table,
    "parquet": parquet_table,
    "parquet glob": parquet_glob,
    "duckdb": duckdb_table,
    "numpy": numpy_table,
    "lists": list_table,
    "pandas": pandas_table,
    "pandas objects": pandas_objects,
    "polars": polars_table,
    "arrow": arrow_table,
}
