"""Parquet files of one schema, as DuckDB reads them.

Room: tables. Opens them on a DuckDB connection that the engine hands in. Each file says its own columns; those that are
declared must be the same in all: the first file would decide how the others are read.
What a file says of its cells, their extremes and how many are missing, decides nothing: writers leave NaN out of it.
Errors here speak to the data holder before anything is spent: they name files and columns, never a cell.
Theory: docs/theory/exact-sums.md (14).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.studies import Column
from snapdp.tables.sources.contents import file_digest
from snapdp.tables.sources.duckdb_types import described
from snapdp.tables.sources.paths import each_once, matching, path_literal, refuse_twins, several_schemas, stat_of
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.stored import CALENDAR, EMPTY, OTHER, Field, Rows
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
