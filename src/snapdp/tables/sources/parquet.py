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
from snapdp.tables.sql.stored import Field, Rows
from snapdp.values import replaced

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
        self._check_one_schema(found, {column.name for column in columns})
        return Rows(origin=parquet_scan(self.paths), fields=found[0])

    def _fields(self, connection: Any, path: Path) -> tuple[Field, ...]:
        """Return the columns of a file by their own names: DuckDB renames those that differ in capitals only."""
        listed = f"[{path_literal(path)}]"
        known = connection.execute(f"SELECT name, num_children FROM parquet_schema({listed})").fetchall()
        fields = described(connection, f"SELECT * FROM read_parquet({listed}, hive_partitioning = false)")
        return tuple(replaced(each, name=name) for each, name in zip(fields, _top_names(known), strict=True))

    def _check_one_schema(self, files: Sequence[Sequence[Field]], names: set[str]) -> None:
        """Refuse files whose columns differ in type: the first file would decide how the others are read."""
        for fields in files:
            refuse_twins((each.name for each in fields), names)
        seen = {
            frozenset((each.name, each.stored, each.reads) for each in fields if each.name in names) for fields in files
        }
        if len(seen) > 1:
            raise several_schemas()

    def state(self) -> object:
        return stat_of(self.paths)

    def fingerprint(self) -> bytes:
        return file_digest(self.paths)


def parquet_scan(paths: Sequence[Path]) -> str:
    """Return what stands behind FROM to read Parquet files."""
    listed = f"[{', '.join(path_literal(path) for path in paths)}]"
    return f"read_parquet({listed}, hive_partitioning = false, union_by_name = false, filename = false)"


def _top_names(known: Sequence[tuple[str, int | None]]) -> list[str]:
    """Return the names of the columns of a Parquet file from its tree, in which each node is before its children."""
    names, place = [], 1  # the root is first

    def after(node: int) -> int:
        following = node + 1
        for _ in range(known[node][1] or 0):
            following = after(following)
        return following

    while place < len(known):
        names.append(known[place][0])
        place = after(place)
    return names
