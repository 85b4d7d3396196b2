"""Where rows come from: CSV, Parquet, DuckDB tables, frames and numpy columns, all seen as one shape.

Room: data. Imports sql; opens sources on a DuckDB connection that the engine hands in. Nothing is guessed: a CSV file
has a declared dialect and is read as text, a Parquet glob must hold one schema, Python objects become text by one rule.

    text that matches one numeric pattern is a number; any other text is a missing number      theory (2)

A source is a table or a projection of one: what filters or joins (a view, a query) changes who a row is: refused.
Errors here speak to the data holder before anything is spent: they name files, columns and lines, never a cell.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import csv
import glob
import gzip
import io
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

from snapdp.data.cells import cell_text, is_storable, pandas_array
from snapdp.data.contents import arrow_digest, columns_digest, file_digest
from snapdp.data.csvtext import CsvDialect, line_ends, line_of_stray_quote, quotes_in_place
from snapdp.data.dialects import identifier, literal
from snapdp.data.schema import Column
from snapdp.data.sql import LABEL, NUMERIC, OTHER, TEXT, TRUTH, WHOLE, Field, Rows
from snapdp.errors import DataError, ParameterError

_WHOLE_TYPES = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG", "HUGE")} | {
    "INTEGER",
    "UINTEGER",
}
_ATTACHED, _REGISTERED = "snapdp_source", "snapdp_columns"
_DATABASES, _PARQUETS = (".duckdb", ".db", ".ddb"), (".parquet", ".pq")
CSV_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt")


class Source(ABC):
    """A table that can be opened on a connection, as often as needed."""

    @abstractmethod
    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        """Return the table as statements see it, with at least the columns asked for."""

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return None

    @abstractmethod
    def fingerprint(self) -> bytes:
        """Return a digest of the content, to recognise the same data again. It never leaves the ledger unkeyed."""

    @property
    def is_csv(self) -> bool:
        return False


class CsvSource(Source):
    """One CSV file, read as text: no row can fail to be a number, every row must have all cells."""

    def __init__(self, path: str | Path, *, dialect: CsvDialect | None = None) -> None:
        self.path = _existing(path)
        self.dialect = dialect or CsvDialect()

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        names = self.header()
        quoted = self._check_quotes()
        fields = [Field(name=name, reads=f"c{i}", stored="text", kind=TEXT) for i, name in enumerate(names)]
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
        options = {
            "header": "true",
            "auto_detect": "false",
            "columns": f"{{{types}}}",
            "delim": literal(self.dialect.delimiter),
            "quote": literal(self.dialect.quote),
            "escape": literal(self.dialect.quote),
            "nullstr": literal(self.dialect.null),
            "allow_quoted_nulls": "false",
            "strict_mode": "true",
            "null_padding": "false",
            "ignore_errors": "false",
            # In parallel a line end inside quotes next to a buffer's end is at times taken for the end of a row.
            "parallel": "false" if quoted else "true",
            "compression": "'gzip'" if self._zipped else "'none'",
        }
        said = ", ".join(f"{key} = {value}" for key, value in options.items())
        return Rows(origin=f"read_csv({_path_literal(self.path)}, {said})", fields=tuple(fields))

    def header(self) -> list[str]:
        """Return the column names: the first line of the file."""
        try:
            with self._bytes() as raw, io.TextIOWrapper(raw, "utf-8-sig", "surrogateescape", newline="") as stream:
                reader = csv.reader(stream, delimiter=self.dialect.delimiter, quotechar=self.dialect.quote, strict=True)
                names = next(reader, [])
        except (OSError, EOFError, csv.Error):
            names = []
        if not names or not all(is_storable(name) for name in names):
            raise DataError(
                f"line 1 of {self.path.name!r} is no header of column names in UTF-8.",
                "A CSV file starts with one line of names; the other lines have as many cells.",
            )
        return names

    def _check_quotes(self) -> bool:
        """Tell whether the file has quotes; refuse it if one of them is out of place, naming the line.

        The engine does not see every open quote, and rows are lost behind one. Here an opening quote must stand at the
        start of a cell, a closing one at its end, one inside must be doubled, and none may stay open.
        """
        with self._bytes() as raw:
            count, sound = quotes_in_place(raw, self.dialect)
        if not sound:
            with self._bytes() as raw:
                line = line_of_stray_quote(raw, self.dialect)
            raise DataError(
                f"line {line} of {self.path.name!r} is not well formed: a quote is out of place or never closed.",
                "Cells that hold a quote, a delimiter or a line end stand in quotes, and a quote in them is doubled.",
                line=line,
            )
        with self._bytes() as raw:
            ends = line_ends(raw, self.dialect)
        if len(ends) > 1:
            raise DataError(
                f"{self.path.name!r} mixes line ends: {', '.join(sorted(ends))}.",
                "End every line alike; cells that hold a line end stand in quotes, or one cell could be two rows.",
            )
        return count > 0

    def state(self) -> object:
        return _stat([self.path])

    def fingerprint(self) -> bytes:
        return file_digest([self.path], repr(self.dialect).encode())  # another dialect is another table

    @property
    def is_csv(self) -> bool:
        return True

    @property
    def _zipped(self) -> bool:
        return self.path.suffix == ".gz"

    def _bytes(self) -> IO[bytes]:
        return cast(IO[bytes], gzip.open(self.path)) if self._zipped else self.path.open("rb")


class ParquetSource(Source):
    """Parquet files of one schema, in the order of their names."""

    def __init__(self, paths: str | Path | Iterable[str | Path]) -> None:
        given = [paths] if isinstance(paths, (str, Path)) else list(paths)
        self.paths = [path for each in given for path in _matching(each)]
        if not self.paths:
            raise DataError("no Parquet file was named.", "Give a path, a glob such as data/*.parquet, or a list.")

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        listed = f"[{', '.join(_path_literal(path) for path in self.paths)}]"
        origin = f"read_parquet({listed}, hive_partitioning = false, union_by_name = false, filename = false)"
        if len(self.paths) > 1:
            self._check_one_schema(connection, columns)
        return Rows(origin=origin, fields=_described(connection, f"SELECT * FROM {origin}"))

    def _check_one_schema(self, connection: Any, columns: Sequence[Column]) -> None:
        """Refuse files whose columns differ in type: the first file would decide how the others are read."""
        names = {column.name for column in columns}
        seen = set()
        for path in self.paths:
            fields = _described(connection, f"SELECT * FROM read_parquet([{_path_literal(path)}])")
            seen.add(frozenset((each.name, each.stored) for each in fields if each.name in names))
        if len(seen) > 1:
            raise DataError(
                "the Parquet files do not store the declared columns in the same types.",
                "Write them with one schema; a table is one set of typed columns.",
            )

    def state(self) -> object:
        return _stat(self.paths)

    def fingerprint(self) -> bytes:
        return file_digest(self.paths)


class DuckdbSource(Source):
    """A table of a DuckDB database file, opened read-only. Views are refused: they may filter or join."""

    def __init__(self, path: str | Path, table: str) -> None:
        self.path, self.table = _existing(path), table

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
        return _stat([self.path])

    def fingerprint(self) -> bytes:
        return file_digest([self.path], self.table.encode("utf-8", "surrogatepass"))


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
        fields = [
            Field(name=name, reads=each, stored=stored[each].stored, kind=stored[each].kind)
            for name, each in names.items()
        ]
        return Rows(origin=_REGISTERED, fields=tuple(fields))

    def fingerprint(self) -> bytes:
        return columns_digest(self.columns)

    def _lengths(self) -> Iterable[Any]:
        return (self.columns[name] for name in self.columns)

    def _array(self, column: Column) -> Any:
        import numpy as np

        given = self.columns[column.name]
        if type(given).__module__.partition(".")[0] == "pandas":
            given = pandas_array(given, column)
        if isinstance(given, np.ma.MaskedArray):
            given = np.fromiter(given.tolist(), dtype=object, count=len(given))  # a masked cell is None
        if not isinstance(given, np.ndarray):
            given = np.fromiter(given, dtype=object, count=len(given))
        if given.ndim != 1:
            raise DataError(f"column {column.name!r} is not one-dimensional.", "Give one number or text for each row.")
        if given.dtype.kind in "OU":
            texts = [cell_text(each, column) for each in given.tolist()]
            return np.fromiter(texts, dtype=object, count=len(texts))
        if given.dtype.kind == "f":
            given = given.astype(np.float64)  # exact, except for long doubles: these go to the nearest
        return np.ascontiguousarray(given.astype(given.dtype.newbyteorder("=")))


class ArrowSource(Source):
    """An Arrow table, or a Polars frame seen as one."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        present = list(self.table.column_names)
        wanted = list(dict.fromkeys(column.name for column in columns if present.count(column.name) == 1))
        chosen = self.table.select([present.index(name) for name in wanted]) if wanted else self.table
        chosen = chosen.rename_columns([f"c{i}" for i in range(chosen.num_columns)])
        connection.register(_REGISTERED, chosen)
        stored = _described(connection, f"SELECT * FROM {_REGISTERED}")
        fields = [
            Field(name=name, reads=each.reads, stored=each.stored, kind=each.kind)
            for name, each in zip(wanted, stored, strict=False)
        ]
        return Rows(origin=_REGISTERED, fields=tuple(fields))

    def fingerprint(self) -> bytes:
        return arrow_digest(self.table)


def open_source(data: Any, *, table: str | None = None, dialect: CsvDialect | None = None) -> Source:
    """Return the source that some data are: a path, a glob, a frame, an Arrow table, a dict of columns.

    table     the table of a DuckDB file
    dialect   how a CSV file is written
    """
    if isinstance(data, Source):
        return data
    if isinstance(data, (str, Path)):
        return _file_source(Path(data), table, dialect)
    if isinstance(data, Mapping):
        return ColumnsSource(data)
    room, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if room == "pandas" and kind == "DataFrame":
        return ColumnsSource(_PandasColumns(data))
    if room == "polars" and kind == "DataFrame":
        return ArrowSource(data.to_arrow())
    if room == "pyarrow" and kind == "Table":
        return ArrowSource(data)
    if isinstance(data, (list, tuple)) and data and all(isinstance(each, (str, Path)) for each in data):
        return ParquetSource(data)
    raise DataError(
        f"a value of type {kind} is no table.",
        "Give a path, a list of Parquet paths, a pandas, Polars or Arrow table, or a dict of numpy columns.",
    )


def _file_source(path: Path, table: str | None, dialect: CsvDialect | None) -> Source:
    name = path.name.lower()
    if name.endswith(_DATABASES):
        if table is None:
            raise ParameterError(f"{path.name!r} is a database.", "Name the table in it as well.")
        return DuckdbSource(path, table)
    if table is not None:
        raise ParameterError(f"{path.name!r} is no database and has no table {table!r}.", "Leave table out.")
    if name.endswith(CSV_ENDINGS):
        return CsvSource(path, dialect=dialect or CsvDialect(delimiter="\t" if name.endswith(".tsv") else ","))
    if dialect is not None:
        raise ParameterError(f"{path.name!r} is no CSV file and has no dialect.", "Leave the dialect out.")
    if name.endswith(_PARQUETS) or glob.has_magic(str(path)):
        return ParquetSource(path)
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


def _described(connection: Any, query: str) -> tuple[Field, ...]:
    lines = connection.execute(f"DESCRIBE {query}").fetchall()
    return tuple(Field(name=n, reads=identifier(n), stored=str(t), kind=_kind(str(t))) for n, t, *_ in lines)


def _kind(stored: str) -> str:
    if stored in _WHOLE_TYPES:
        return WHOLE
    if stored in ("FLOAT", "DOUBLE") or stored.startswith("DECIMAL("):
        return NUMERIC
    if stored == "VARCHAR" or stored.startswith("ENUM("):
        return TEXT
    if stored == '"NULL"':  # a column without a single cell: all of it is missing, whatever it is declared as
        return WHOLE
    return {"BOOLEAN": TRUTH, "UUID": LABEL}.get(stored, OTHER)


def _existing(path: str | Path) -> Path:
    found = Path(path)
    if not os.path.isfile(found):  # unlike the method of a path it never raises
        raise DataError(f"there is no file {str(path)!r}.", "Check the path.")
    return found.absolute()


def _matching(path: str | Path) -> list[Path]:
    if os.path.isfile(path) or not glob.has_magic(str(path)):
        return [_existing(path)]
    found = sorted(each for each in glob.glob(str(path), recursive=True) if os.path.isfile(each))
    if not found:
        raise DataError(f"no file matches {str(path)!r}.", "Check the pattern.")
    return [Path(each).absolute() for each in found]


def _path_literal(path: Path) -> str:
    """Return a path that engines read as itself, also where its name looks like a pattern."""
    return literal("".join(f"[{each}]" if each in "*?[" else each for each in str(path)))


def _stat(paths: Sequence[Path]) -> object:
    try:
        found = [path.stat() for path in paths]
    except OSError:
        return None
    return [(each.st_ino, each.st_size, each.st_mtime_ns) for each in found]
