"""Where rows come from: Parquet, DuckDB tables, frames and numpy columns, all seen as one shape; CSV is in `csv`.

Room: tables. Opens sources on a DuckDB connection that the engine hands in. Nothing is guessed: a CSV file
has a declared dialect and is read as text, a Parquet glob must hold one schema, Python objects become text by one rule.

    text that matches one numeric pattern is a number; any other text is a missing number      theory (2)

A source is a table or a projection of one: what filters or joins (a view, a query) changes who a row is: refused.
Errors here speak to the data holder before anything is spent: they name files, columns and lines, never a cell.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from snapdp.errors import DataError, ParameterError, PremiseError
from snapdp.studies import Column, CsvDialect, NumberColumn
from snapdp.tables.sources.arrow import chosen_columns, unread
from snapdp.tables.sources.calendar import day_numbers
from snapdp.tables.sources.cells import cell_text, other_type, pandas_array, text_type, unpacked
from snapdp.tables.sources.contents import arrow_digest, columns_digest, file_digest
from snapdp.tables.sources.csv import CsvSource
from snapdp.tables.sources.paths import (
    CSV_ENDINGS,
    each_once,
    existing,
    is_csv_name,
    matching,
    path_literal,
    refuse_twins,
    refuse_unread,
    stat_of,
)
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.categories import epoch_day
from snapdp.tables.sql.dialects import DUCKDB, identifier, literal
from snapdp.tables.sql.stored import CALENDAR, EMPTY, LABEL, NUMERIC, OTHER, TEXT, TRUTH, WHOLE, Field, Rows
from snapdp.values import replaced

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
_ATTACHED, _REGISTERED = "snapdp_source", "snapdp_columns"
_DATABASES, _PARQUETS = (".duckdb", ".db", ".ddb"), (".parquet", ".pq")


class ParquetSource(Source):
    """Parquet files of one schema, in the order of their names."""

    def __init__(self, paths: str | Path | Iterable[str | Path]) -> None:
        given = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.paths = [path.resolve() for each in given for path in matching(each)]  # a link is followed once
        if not self.paths:
            raise DataError("no Parquet file was named.", "Give a path, a glob such as data/*.parquet, or a list.")
        each_once(self.paths)

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        listed = f"[{', '.join(path_literal(path) for path in self.paths)}]"
        origin = f"read_parquet({listed}, hive_partitioning = false, union_by_name = false, filename = false)"
        found = [self._fields(connection, path) for path in self.paths]
        self._check_one_schema(found, {column.name for column in columns})
        return Rows(origin=origin, fields=found[0])

    def _fields(self, connection: Any, path: Path) -> tuple[Field, ...]:
        """Return the columns of a file by their own names: DuckDB renames those that differ in capitals only."""
        listed = f"[{path_literal(path)}]"
        known = connection.execute(f"SELECT name, num_children FROM parquet_schema({listed})").fetchall()
        fields = _described(connection, f"SELECT * FROM read_parquet({listed}, hive_partitioning = false)")
        return tuple(replaced(each, name=name) for each, name in zip(fields, _top_names(known), strict=True))

    def _check_one_schema(self, files: Sequence[Sequence[Field]], names: set[str]) -> None:
        """Refuse files whose columns differ in type: the first file would decide how the others are read."""
        for fields in files:
            refuse_twins((each.name for each in fields), names)
        seen = {
            frozenset((each.name, each.stored, each.reads) for each in fields if each.name in names) for fields in files
        }
        if len(seen) > 1:
            raise DataError(
                "the Parquet files do not store the declared columns in the same types.",
                "Write them with one schema; a table is one set of typed columns.",
            )

    def state(self) -> object:
        return stat_of(self.paths)

    def fingerprint(self) -> bytes:
        return file_digest(self.paths)


class DuckdbSource(Source):
    """A table of a DuckDB database file, opened read-only. Views are refused: they may filter or join."""

    def __init__(self, path: str | Path, table: str) -> None:
        self.path, self.table = existing(path).resolve(), table  # rows that wait beside it bear its own name

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        attached = connection.execute(
            "SELECT 1 FROM duckdb_databases() WHERE database_name = $name", {"name": _ATTACHED}
        ).fetchall()
        if not attached:
            connection.execute(f"ATTACH {literal(str(self.path))} AS {_ATTACHED} (READ_ONLY)")
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
        return Rows(origin=origin, fields=_described(connection, f"SELECT * FROM {origin}"))

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


class ColumnsSource(Source):
    """Columns in memory: a dict of one-dimensional numpy arrays or lists, or a pandas frame."""

    def __init__(self, columns: Mapping[Any, Any]) -> None:
        self.columns = columns

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        import numpy as np

        arrays: dict[str, Any] = {}
        names: dict[str, str] = {}
        for column in columns:
            if column.name in names or column.name not in list(self.columns):
                continue
            names[column.name] = f"c{len(names)}"
            arrays[names[column.name]] = self._array(column)
        sizes = {len(each) for each in arrays.values()} | {len(each) for each in list(self._lengths())}
        if len(sizes) > 1:
            raise DataError("the columns do not have the same number of rows.", "Give columns of one table.")
        arrays["rows"] = np.zeros(sizes.pop() if sizes else 0, dtype=np.int8)  # a table without columns has rows too
        connection.register(_REGISTERED, arrays)
        stored = {each.name: each for each in _described(connection, f"SELECT * FROM {_REGISTERED}")}
        fields = [self._named(stored[each], name) for name, each in names.items()]
        return Rows(origin=_REGISTERED, fields=tuple(fields), names=tuple(map(str, self.columns)))

    def _named(self, field: Field, name: str) -> Field:
        """Return the field of a column: cells that were made text have no schema, unless they were text before."""
        told = text_type(self.columns[name])
        if told is not None:
            return replaced(field, name=name, stored=told, kind=LABEL)
        return replaced(field, name=name, kind=TEXT if field.kind == LABEL else field.kind)

    def fingerprint(self) -> bytes:
        return columns_digest(self.columns)

    def _lengths(self) -> Iterable[Any]:
        return (self.columns[name] for name in self.columns)

    def _array(self, column: Column) -> Any:
        import numpy as np

        given = self.columns[column.name]
        told = other_type(given) if isinstance(column, NumberColumn) else None
        if told is not None:
            raise DataError(
                f"column {column.name!r} is declared as {column.kind} but stored as {told}.",
                "Store it as numbers, or declare it otherwise.",
            )
        if type(given).__module__.partition(".")[0] == "pandas":
            given = pandas_array(given, column)
        given = unpacked(given)
        if isinstance(given, np.ma.MaskedArray):
            given = np.fromiter(given.tolist(), dtype=object, count=len(given))  # a masked cell is None
        if not isinstance(given, np.ndarray):
            given = np.fromiter(given, dtype=object, count=len(given))
        if given.ndim != 1:
            raise DataError(f"column {column.name!r} is not one-dimensional.", "Give one number or text for each row.")
        if given.dtype.kind == "M":
            return day_numbers(given)
        if given.dtype.kind not in "OUTfiubm":
            raise DataError(
                f"column {column.name!r} is an array of {given.dtype.name}.", "Give numbers, text or whole numbers."
            )
        if given.dtype.kind in "OUT":
            texts = [cell_text(each, column) for each in given.tolist()]
            return np.fromiter(texts, dtype=object, count=len(texts))
        if given.dtype.kind == "f":
            single = given.dtype.itemsize <= 4
            with np.errstate(all="ignore"):  # a cell beyond the doubles is infinite, and nobody is told
                # Exact, except for long doubles: these go to the nearest.
                given = given.astype(np.float32 if single else np.float64)
        return np.ascontiguousarray(given.astype(given.dtype.newbyteorder("=")))


class ArrowSource(Source):
    """An Arrow table, or a Polars frame seen as one."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        present = list(self.table.column_names)
        wanted = list(dict.fromkeys(column.name for column in columns if column.name in present))
        twice = next((name for name in wanted if present.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"the table has several columns named {twice!r}.", "Each name may stand once.")
        chosen = chosen_columns(self.table, [present.index(name) for name in wanted])

        def described(table: Any) -> tuple[Field, ...]:
            connection.register(_REGISTERED, table)
            return _described(connection, f"SELECT * FROM {_REGISTERED}")

        try:
            stored = described(chosen)
        except Exception:
            refusal = unread(chosen, wanted, described)
            if refusal is None:
                raise
            raise refusal from None
        fields = [replaced(each, name=name) for name, each in zip(wanted, stored, strict=False)]
        return Rows(origin=_REGISTERED, fields=tuple(fields), names=tuple(present))

    def fingerprint(self) -> bytes:
        return arrow_digest(self.table)


def open_source(data: Any, *, table: str | None = None, dialect: CsvDialect | None = None) -> Source:
    """Return the source that some data are: a path, a glob, a frame, an Arrow table, a dict of columns.

    table     the table of a DuckDB file
    dialect   how a CSV file is written
    """
    if isinstance(data, (str, Path)):
        return _file_source(Path(data), table, dialect)
    found = _source_of(data)
    if dialect is not None:
        raise no_dialect()
    return found


def no_dialect(name: str = "") -> ParameterError:
    """Return the refusal of a dialect for what is no CSV file: nothing that is declared may go unread."""
    what = f"{name!r} is no CSV file and has" if name else "tables that are no CSV files have"
    return ParameterError(f"{what} no dialect.", "Leave the dialect out: delimiter, signs, encoding and null texts.")


def _source_of(data: Any) -> Source:
    if isinstance(data, Source):
        return data
    if isinstance(data, Mapping):
        return ColumnsSource(data)
    room, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if room == "pandas" and kind == "DataFrame":
        return ColumnsSource(_PandasColumns(data))
    if room == "polars" and kind in ("DataFrame", "LazyFrame"):
        return ArrowSource(_as_arrow(data if kind == "DataFrame" else _collected(data)))
    if room == "pyarrow" and kind == "Table":
        return ArrowSource(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, (str, Path)) for each in data):
        return ParquetSource(data)
    raise DataError(
        f"a value of type {kind} is no table.",
        "Give a path, a list of Parquet paths, a pandas, Polars or Arrow table, or a dict of numpy columns.",
    )


def _as_arrow(frame: Any) -> Any:
    """Return a frame of Polars as an Arrow table; Polars itself does not bring what that takes."""
    try:
        return frame.to_arrow()
    except ImportError:
        raise PremiseError(
            "tables of Polars are read through the package pyarrow, which is missing or broken.",
            "Install pyarrow. Nothing was spent.",
        ) from None


def _collected(lazy: Any) -> Any:
    """Return the frame that a lazy one of Polars describes; what goes wrong in it may speak of cells."""
    try:
        return lazy.collect()
    except Exception:
        raise DataError(
            "the lazy frame cannot be collected.", "Call its collect() to see why; give its frame."
        ) from None


def _file_source(path: Path, table: str | None, dialect: CsvDialect | None) -> Source:
    name = path.name.lower()
    refuse_unread(path.name)
    if name.endswith(_DATABASES):
        if table is None:
            raise ParameterError(f"{path.name!r} is a database.", "Name the table in it as well.")
        if dialect is not None:
            raise no_dialect(path.name)
        return DuckdbSource(path, table)
    if table is not None:
        raise ParameterError(f"{path.name!r} is no database and has no table {table!r}.", "Leave table out.")
    if is_csv_name(path.name):
        return CsvSource(path, dialect=dialect)
    if dialect is not None:
        raise no_dialect(path.name)
    if name.endswith(_PARQUETS) or glob.has_magic(str(path)):
        return ParquetSource(path)
    if path.is_dir():
        raise DataError(f"{str(path)!r} is a directory.", "Name a file in it, or many by a glob: data/*.parquet.")
    raise DataError(
        f"{path.name!r} is not known as a table by its name.",
        f"Known endings: {', '.join((*CSV_ENDINGS, *_PARQUETS, *_DATABASES))}.",
    )


class _PandasColumns(Mapping[Any, Any]):
    """A frame as a mapping of its columns; a name that stands twice is refused when asked for."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    def __getitem__(self, name: Any) -> Any:
        found = self.frame[name]
        if found.ndim != 1:
            raise DataError(f"the table has several columns named {name!r}.", "Each name may stand once.")
        return found

    def __iter__(self) -> Any:
        return iter(dict.fromkeys(self.frame.columns))

    def __len__(self) -> int:
        return len(self.frame.columns)


# Files and fields


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


def _described(connection: Any, query: str) -> tuple[Field, ...]:
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
