"""One typed table on DuckDB, Spark and PostgreSQL."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from snapdp.tables.engines.engine import Engine
from snapdp.tables.engines.opening import open_table

Typed = Mapping[str, tuple[str, Sequence[Any]]]  # name: (type, cells)
TYPES = {  # the type on DuckDB, PostgreSQL and Spark
    "double": ("DOUBLE", "DOUBLE PRECISION", "double"),
    "bigint": ("BIGINT", "BIGINT", "bigint"),
    "decimal": ("DECIMAL(18, 4)", "NUMERIC(18, 4)", "decimal(18, 4)"),
    "huge": ("HUGEINT", "NUMERIC(38, 0)", "decimal(38, 0)"),
    "long": ("DECIMAL(38, 0)", "NUMERIC(38, 0)", "decimal(38, 0)"),
    "fine": ("DECIMAL(38, 18)", "NUMERIC(38, 18)", "decimal(38, 18)"),
    "text": ("VARCHAR", "TEXT", "string"),
}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def on_duckdb(columns: Typed, folder: Path) -> Engine:
    path = folder / f"{uuid.uuid4().hex}.duckdb"
    arrays, reads = {}, []
    for i, (kind, cells) in enumerate(columns.values()):
        texts = [None if c is None else c if kind == "text" else str(c) for c in cells]
        arrays[f"c{i}"] = np.array([*texts, None], dtype=object)[:-1]
        reads.append(f"CAST(c{i} AS {TYPES[kind][0]}) AS {quoted(list(columns)[i])}")
    with duckdb.connect(str(path), config={"pandas_analyze_sample": "0"}) as connection:
        connection.register("given", arrays)
        connection.execute(f"CREATE TABLE stored AS SELECT {', '.join(reads)} FROM given")
    return open_table(path, table="stored")


def on_postgres(columns: Typed, address: str) -> Engine:
    import psycopg

    name = f"t{uuid.uuid4().hex}"
    kinds = ", ".join(f"{quoted(column)} {TYPES[kind][1]}" for column, (kind, _) in columns.items())
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} ({kinds})")
        with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(*(cells for _, cells in columns.values()), strict=True):
                copy.write_row(row)
    return open_table(address, table=name)


def on_spark(columns: Typed, session: Any) -> Engine:
    from pyspark.sql.types import DecimalType, DoubleType, LongType, StringType, StructField, StructType

    kinds = {"double": DoubleType(), "bigint": LongType(), "decimal": DecimalType(18, 4), "text": StringType()}
    kinds |= {"huge": DecimalType(38, 0), "long": DecimalType(38, 0), "fine": DecimalType(38, 18)}
    schema = StructType([StructField(name, kinds[kind]) for name, (kind, _) in columns.items()])
    rows = list(zip(*(cells for _, cells in columns.values()), strict=True))
    return open_table(session.createDataFrame(rows, schema))
