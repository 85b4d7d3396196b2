"""A table of a DuckDB database file.

Room: tables. Attached read-only to a DuckDB connection that the engine hands in. A source is a stored table: what
filters or joins (a view, a query) changes who a row is, and is refused.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from snapdp.errors import DataError
from snapdp.studies import Column
from snapdp.tables.sources.contents import file_digest
from snapdp.tables.sources.duckdb_types import described
from snapdp.tables.sources.paths import existing, stat_of
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.dialects import identifier, literal
from snapdp.tables.sql.stored import Rows

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
