"""Parquet files of one schema and tables of DuckDB database files, as DuckDB reads them.

Both are opened on a connection that the engine hands in, a database read-only. Each Parquet file says its own columns,
and those that are declared must be the same in all, or the first file would decide how the others are read. What a file
says of its cells, their extremes and how many are missing, decides nothing, because writers leave NaN out of it. Views
are refused: what filters or joins changes who a row is. Errors here speak to the data holder before anything is spent;
they name files and columns, never a cell. Theory: docs/theory/exact-sums.md (14).
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.studies.columns import Column
from snapdp.tables.sources.cells import file_digest
from snapdp.tables.sources.source import (
    Source,
    each_once,
    existing,
    matching,
    path_literal,
    refuse_twins,
    several_schemas,
    stat_of,
)
from snapdp.tables.sql.categories import epoch_day
from snapdp.tables.sql.dialects import DUCKDB, identifier, literal
from snapdp.tables.sql.stored import CALENDAR, EMPTY, LABEL, NUMERIC, OTHER, TRUTH, WHOLE, Field, Rows
from snapdp.values import replaced

_MILLIS, _TOLD = "TIMESTAMP_MILLIS", "times in milliseconds (TIMESTAMP_MILLIS)"
KEPT_OPTIMIZERS = ("column_lifetime", "common_aggregate", "common_subexpressions", "deliminator", "unused_columns")


def ignore_statistics(connection: Any) -> None:
    """Make a DuckDB connection answer from the cells of a file, whatever the file says about them.      theory (14)

    Only the optimizers listed above run: they remove what is unused or computed twice. One that uses statistics answers
    `x <= 10` without reading x, and one that moves a condition into the scan lets it skip row groups. All others are
    off, by whatever names a version has, so a new one stays off until it has been read.
    """
    optimizers = [name for (name,) in connection.execute("SELECT name FROM duckdb_optimizers()").fetchall()]
    disabled = ",".join(name for name in optimizers if name not in KEPT_OPTIMIZERS)
    connection.execute(f"SET disabled_optimizers = '{disabled}'")


class ParquetSource(Source):
    """Parquet files of one schema, in the order of their names."""

    def __init__(self, paths: str | Path | Iterable[str | Path]) -> None:
        given = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.paths = [path.resolve() for each in given for path in matching(each)]  # a link is followed once
        if not self.paths:
            raise DataError("no Parquet file was named.", "Give a path, a glob such as data/*.parquet, or a list.")
        each_once(self.paths)

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        found = [self._fields(connection, path) for path in self.paths]
        fields, same = self._one_schema(found, {column.name for column in columns})
        return Rows(origin=parquet_scan(self.paths, by_name=not same), fields=fields)

    def _fields(self, connection: Any, path: Path) -> tuple[Field, ...]:
        """Return the columns of a file by their own names: DuckDB renames those that differ in capitals only."""
        listed = f"[{path_literal(path)}]"
        known = connection.execute(
            f"SELECT name, num_children, COALESCE(converted_type, ''), COALESCE(logical_type, '') "
            f"FROM parquet_schema({listed})"
        ).fetchall()
        fields = described(connection, f"SELECT * FROM read_parquet({listed}, hive_partitioning = false)")
        return tuple(_named(each, *node) for each, node in zip(fields, _top_nodes(known), strict=True))

    def _one_schema(self, files: Sequence[Sequence[Field]], names: set[str]) -> tuple[tuple[Field, ...], bool]:
        """Return the columns, and whether all files store those that are declared alike; refuse files that do not.

        The first file would decide how the others are read. A column without a cell, which a writer gives no type, is
        one of missing cells, of whatever type the other files have.
        """
        for fields in files:
            refuse_twins((each.name for each in fields), names)
        typed: dict[str, Field] = {}
        same = True
        for fields in files:
            declared = {each.name: each for each in fields if each.name in names}
            if declared.keys() != {each.name for each in files[0]} & names:
                raise several_schemas()
            for name, field in declared.items():
                known = typed.setdefault(name, field)
                if known.kind == EMPTY != field.kind:
                    typed[name] = field
                elif field.kind != EMPTY and (field.stored, field.reads) != (known.stored, known.reads):
                    raise several_schemas()
                same = same and (field.kind == EMPTY) == (known.kind == EMPTY)
        return tuple(typed.get(each.name, each) for each in files[0]), same

    def state(self) -> object:
        return stat_of(self.paths)

    def fingerprint(self) -> bytes:
        return file_digest(self.paths)


def parquet_scan(paths: Sequence[Path], *, by_name: bool = False) -> str:
    """Return what stands behind FROM to read Parquet files.

    by_name   the first file has no type for a column, and another one has it
    """
    listed = f"[{', '.join(path_literal(path) for path in paths)}]"
    return (
        f"read_parquet({listed}, hive_partitioning = false, union_by_name = {str(by_name).lower()}, filename = false)"
    )


def _named(field: Field, name: str, _: int | None, converted: str, logical: str) -> Field:
    """Return a column by its own name. One of milliseconds is not read: DuckDB fails where they overflow its own.

    That is before any expression sees the cell, so the type is refused, whatever cells there are.
    """
    if field.kind == CALENDAR and (converted == _MILLIS or "MilliSeconds" in logical):
        return replaced(field, name=name, stored=_TOLD, kind=OTHER)
    return replaced(field, name=name)


def _top_nodes(known: Sequence[Any]) -> list[Any]:
    """Return the columns of a Parquet file from its tree, in which each node is before its children."""
    nodes, place = [], 1  # the root is first

    def after(node: int) -> int:
        following = node + 1
        for _ in range(known[node][1] or 0):
            following = after(following)
        return following

    while place < len(known):
        nodes.append(known[place])
        place = after(place)
    return nodes


# DuckDB database files

_ATTACHED = "snapdp_source"


class DuckdbSource(Source):
    """A table of a DuckDB database file, opened read-only. Views are refused: they may filter or join."""

    def __init__(self, path: str | Path, table: str) -> None:
        self.path, self.table = existing(path).resolve(), table  # rows that wait beside it bear its own name

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        self._attach(connection)
        found = connection.execute(
            "SELECT schema_name FROM duckdb_tables() WHERE database_name = $name AND table_name = $table",
            {"name": _ATTACHED, "table": self.table},
        ).fetchall()
        if len(found) != 1:
            raise DataError(
                f"{self.path.name!r} has {'no table' if not found else 'several tables'} named {self.table!r}.",
                "Name a stored table. A view may filter or join, which changes who a row is.",
            )
        origin = f"{_ATTACHED}.{identifier(found[0][0])}.{identifier(self.table)}"
        return Rows(origin=origin, fields=described(connection, f"SELECT * FROM {origin}"))

    def tables(self, connection: Any) -> tuple[str, ...]:
        """Return the names of the stored tables of the file."""
        self._attach(connection)
        found = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = $name ORDER BY table_name",
            {"name": _ATTACHED},
        ).fetchall()
        return tuple(str(name) for (name,) in found)

    def _attach(self, connection: Any) -> None:
        attached = connection.execute(
            "SELECT 1 FROM duckdb_databases() WHERE database_name = $name", {"name": _ATTACHED}
        ).fetchall()
        if not attached:
            connection.execute(f"ATTACH {literal(str(self.path))} AS {_ATTACHED} (READ_ONLY)")

    def state(self) -> object:
        return stat_of(self._files), [path.name for path in self._files]

    def fingerprint(self) -> bytes:
        return file_digest(self._files, self.table.encode("utf-8", "surrogatepass"))

    @property
    def _files(self) -> list[Path]:
        """Return the database, and the file of rows that were written and wait to be taken into it."""
        beside = sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.wal*"))
        if any(path.name != f"{self.path.name}.wal" for path in beside):
            raise DataError(
                f"{self.path.name!r} was left in the midst of a checkpoint.",
                "Open it once with DuckDB and close it again, so that it is one file.",
            )
        return [self.path, *beside]


# Fields, from the types that DuckDB names

_WHOLE_TYPES = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")} | {
    "INTEGER",
    "UINTEGER",
}
_DECIMAL = re.compile(r"DECIMAL\(([0-9]+),[0-9]+\)")
_MICROS, _NANOS = (
    "(DATE '1970-01-01' + CAST(" + epoch_day(count, per_day=per_day, dialect=DUCKDB) + " AS INTEGER))"
    for count, per_day in (("epoch_us({0})", 86_400 * 10**6), ("epoch_ns({0})", 86_400 * 10**9))
)
_DAYS = {  # the date of a stored date or time, that of an instant in UTC; DuckDB's casts round nanoseconds up
    "DATE": "{0}",
    "TIMESTAMP": "CAST({0} AS DATE)",
    "TIMESTAMP_S": "TRY_CAST({0} AS DATE)",
    "TIMESTAMP_MS": "TRY_CAST({0} AS DATE)",
    "TIMESTAMP_NS": _NANOS,
    "TIMESTAMP WITH TIME ZONE": _MICROS,
    "TIMESTAMPTZ_NS": _NANOS,
}


def described(connection: Any, query: str) -> tuple[Field, ...]:
    """Return the columns of a query as fields: by its schema alone."""
    lines = connection.execute(f"DESCRIBE {query}").fetchall()
    kinds = [(name, str(stored)) for name, stored, *_ in lines]
    return tuple(_field(n, identifier(n), t) for n, t in kinds)


def _field(name: str, reads: str, stored: str) -> Field:
    return Field(
        name=name,
        reads=reads,
        stored=stored,
        kind=_kind(stored),
        wide=_is_wide(stored),
        single=stored == "FLOAT",
        decimal=reads if _DECIMAL.fullmatch(stored) else "",
        day=_DAYS[stored].format(reads) if stored in _DAYS else "",
    )


def _is_wide(stored: str) -> bool:
    """Tell whether DuckDB casts to a double by more than one rounding: more than 15 digits do not fit exactly."""
    found = _DECIMAL.fullmatch(stored)
    return stored in ("HUGEINT", "UHUGEINT") or (found is not None and int(found[1]) > 15)


def _kind(stored: str) -> str:
    if stored in _WHOLE_TYPES:
        return WHOLE
    if stored in ("FLOAT", "DOUBLE") or stored.startswith("DECIMAL("):
        return NUMERIC
    if stored in ("VARCHAR", "UUID") or stored.startswith("ENUM("):
        return LABEL
    if stored == '"NULL"':  # a column without a single cell: all of it is missing, whatever it is declared as
        return EMPTY
    return TRUTH if stored == "BOOLEAN" else CALENDAR if stored in _DAYS else OTHER
