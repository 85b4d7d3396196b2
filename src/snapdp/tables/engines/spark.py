"""Tables of Spark: the statements run in the cluster, and only their sums travel to the driver.

A table is a SparkSession with the name of a stored table, a DataFrame, or files with a session or a master URL; pyspark
is loaded when it is opened. Columns are renamed c0, c1, ... so that capitals, dots and quotes in names mean nothing.
The text is total and exact with ANSI mode on or off and looks at no time stamps, so no setting of the session matters.
CSV files are judged and read by `spark_csv`; nothing is thrown about a line, because Spark would write it into its
logs. Spark leaves out files by their names, and empty ones, without a word: here such files are refused.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import functools
import glob
import hashlib
import logging
import os
import uuid
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from snapdp.errors import DataError, ParameterError, PremiseError
from snapdp.studies.columns import Column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables import engine_names
from snapdp.tables.engines.engine import INSTALL, Engine, version_text
from snapdp.tables.engines.self_check import NAMES, literal_rows, parquet_rows
from snapdp.tables.engines.spark_csv import CsvLines, headed
from snapdp.tables.sources.csv import number_format
from snapdp.tables.sources.source import (
    CSV_ENDINGS,
    Source,
    each_once,
    is_csv_name,
    matching,
    no_dialect,
    refuse_twins,
    refuse_unread,
    several_schemas,
)
from snapdp.tables.sql.categories import epoch_day
from snapdp.tables.sql.dialects import SPARK
from snapdp.tables.sql.stored import CALENDAR, EMPTY, LABEL, NUMERIC, OTHER, PLAIN, TEXT, TRUTH, WHOLE, Field, Rows

# Parquet files
#
# Spark alone gives a file that lacks a column nothing but missing cells, and whether `Age` is read as `age` is a
# setting of the session. So declared columns are compared file by file, by exact names, as DuckDB's are; a name that
# differs from a declared one in capitals only is refused. What is read then has the declared columns alone.

_NO_TYPE, _MILLIS = "UNKNOWN", "TIMESTAMP(MILLIS,"  # as parquet-java names them
AT_ONCE = 8  # footers that are asked for at the same time; each is a job of Spark


def schemas(reader: Any, paths: Sequence[str]) -> list[Any]:
    """Return the schema of each file."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda path: reader.parquet(escaped(path)).schema, paths))


def footer_types(session: Any, paths: Sequence[str]) -> list[dict[str, str]]:
    """Return for each file what its footer says of the types of its columns, which Spark's own schema leaves out."""
    jvm = getattr(session, "_jvm", None)
    if jvm is None:
        raise PremiseError(
            "through Spark Connect the types in Parquet files cannot be checked.",
            "Give a SparkSession of its own, or the name of a stored table. Nothing was spent.",
        )
    parquet, settings = jvm.org.apache.parquet.hadoop, session._jsc.hadoopConfiguration()

    def of_file(path: str) -> dict[str, str]:
        given = parquet.util.HadoopInputFile.fromPath(jvm.org.apache.hadoop.fs.Path(path), settings)
        footer = parquet.ParquetFileReader.open(given)
        try:
            fields = footer.getFileMetaData().getSchema().getFields()
            every = (fields.get(place) for place in range(fields.size()))
            return {str(each.getName()): str(each.getLogicalTypeAnnotation()) for each in every}
        finally:
            footer.close()

    return list(map(of_file, paths))


def declared_frame(
    reader: Any, paths: Sequence[str], files: Sequence[Any], said: Sequence[dict[str, str]], names: set[str]
) -> Any:
    """Return the declared columns as every file stores them; refuse files that do not agree.

    A column without a cell, which a writer gives no type, is one of missing cells, of the type that other files have.
    Times in milliseconds are refused, whatever cells there are: Spark fails at one that leaves its microseconds.
    """
    from pyspark.sql.functions import lit
    from pyspark.sql.types import NullType, StructField, StructType

    typed: dict[str, Any] = {}
    groups: dict[frozenset[str], list[str]] = {}
    for path, schema, types in zip(paths, files, said, strict=True):
        refuse_twins(schema.fieldNames(), names)
        if names & {*schema.fieldNames()} != names & {*files[0].fieldNames()}:
            raise several_schemas()
        untyped = frozenset(name for name in names if types.get(name) == _NO_TYPE)
        groups.setdefault(untyped, []).append(path)
        for field in schema.fields:
            if field.name not in names - untyped:
                continue
            if types.get(field.name, "").startswith(_MILLIS):
                raise DataError(
                    f"column {field.name!r} is stored as times in milliseconds (TIMESTAMP_MILLIS).",
                    "Store it as dates, or as times in microseconds: Spark fails at some times in milliseconds.",
                )
            if typed.setdefault(field.name, field).dataType != field.dataType:
                raise several_schemas()
    order = [each for each in files[0].fieldNames() if each in names]
    fields = [typed.get(name) or StructField(name, NullType()) for name in order]
    frames = []
    for untyped, group in groups.items():
        found = reader.schema(StructType([each for each in fields if each.name not in untyped])).parquet(
            *map(escaped, group)
        )
        for each in fields:
            if each.name in untyped:
                found = found.withColumn(each.name, lit(None).cast(each.dataType))
        frames.append(found)
    return functools.reduce(lambda one, other: one.unionByName(other), frames)


def escaped(path: str) -> str:
    """Return a path of which Spark takes no character for a pattern."""
    return "".join(f"\\{each}" if each in "{}[]*?\\" else each for each in path)


_KINDS = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), WHOLE),
    **dict.fromkeys(("float", "double"), NUMERIC),
    "boolean": TRUTH,
    "void": EMPTY,
}
# A cell as it is. The function is not deterministic, so Spark moves no condition past it into the scan, where a file
# would be believed what its writer says of its cells.                                       theory, exact-sums (14)
_OPAQUE = "IF(spark_partition_id() >= 0, {0}, NULL) AS {0}"
_MICROS = epoch_day("unix_micros({0})", per_day=86_400 * 10**6, dialect=SPARK)
_DAYS = {  # the date of a stored date or time, that of an instant in UTC
    "date": "{0}",
    "timestamp_ntz": "CAST({0} AS DATE)",
    "timestamp": f"date_from_unix_date(CAST({_MICROS} AS INT))",
}
_KNOWN = "x DOUBLE, number DOUBLE, label STRING, person STRING"  # of self_check.PARQUET: no job is spent on asking

CALENDAR_SETTINGS = {  # dates are what the file says: Spark would stop at one before 1582 that an old version wrote
    "datetimeRebaseMode": "CORRECTED",
    "int96RebaseMode": "CORRECTED",
}


class SparkSource(Source):
    """A table that Spark can read. `session` is a SparkSession, or the URL of a master."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self._names: tuple[str, ...] = ()  # of all columns, where a frame has only the declared ones

    @property
    def session(self) -> Any:
        """Return the session, started at first use where a master URL was given."""
        if isinstance(self._session, str):
            self._session = _started(self._session)
        return self._session

    @abstractmethod
    def frame(self) -> Any:
        """Return the table as a DataFrame; nothing is read yet."""

    def _frame_of(self, names: set[str]) -> Any:  # noqa: ARG002
        """Return it with at least the declared columns."""
        return self.frame()

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        """Return the table as a view of this connection, with its columns renamed."""
        declared = {column.name for column in columns}
        frame = self._frame_of(declared)
        kinds = [(field.name, field.dataType.simpleString()) for field in frame.schema.fields]
        reads = [f"c{i}" for i in range(len(kinds))]
        origin = connection.view(frame.toDF(*reads).selectExpr(*map(_OPAQUE.format, reads)))
        fields = (self._field(name, each, kind) for (name, kind), each in zip(kinds, reads, strict=True))
        names = self._names or tuple(name for name, _ in kinds)
        certain = self.dialect is None or not declared.isdisjoint(names)
        return Rows(origin=origin, fields=tuple(fields), names=names, certain=certain)

    def _field(self, name: str, reads: str, stored: str) -> Field:
        decimal = reads if stored.startswith("decimal(") else ""
        day = _DAYS[stored].format(reads) if stored in _DAYS else ""
        kind = TEXT if self.dialect else _kind(stored)  # the cells of a CSV file have no schema
        numbers = number_format(self.dialect) if self.dialect else PLAIN
        single = stored == "float"
        return Field(
            name=name, reads=reads, stored=stored, kind=kind, single=single, decimal=decimal, day=day, numbers=numbers
        )

    def fingerprint(self) -> bytes:
        """Return a digest of the content, whatever the order of its rows. Private."""
        return SparkEngine(self)._guarded(self._digest)

    def _digest(self, connection: Any) -> bytes:
        self.prepare(connection)
        rows = self.open(connection, [])
        cells = ", ".join(each.reads for each in rows.fields)
        hashed = (
            f"SELECT sha2(to_json(named_struct('row', array(to_json(struct({cells}))))), 256) AS h FROM {rows.origin}"
        )
        words = ", ".join(f"SUM(CAST(conv(substr(h, {i}, 15), 16, 10) AS DECIMAL(38, 0)))" for i in (1, 16, 31, 46))
        (sums,) = connection.session.sql(f"SELECT COUNT(*), {words} FROM ({hashed}) AS hashed").collect()
        kinds = [(each.name, each.stored) for each in rows.fields]
        formats = {each.numbers for each in rows.fields} - {PLAIN}  # in another one equal cells are other numbers
        return hashlib.sha256(repr((kinds, [str(each) for each in sums], *formats)).encode()).digest()


class SparkFrame(SparkSource):
    """A DataFrame, taken as it is: whoever made it answers for what its rows are."""

    def __init__(self, frame: Any) -> None:
        super().__init__(frame.sparkSession)
        self._frame = frame

    def frame(self) -> Any:
        return self._frame


class SparkStored(SparkSource):
    """A stored table of the session's catalog. Views are refused: they may filter or join."""

    def __init__(self, session: Any, table: str) -> None:
        super().__init__(session)
        if "${" in table:  # Spark would put a setting in its place
            raise ParameterError(f"{table!r} names no table for certain.", "Name a table without ${...}.")
        self.table = table

    def prepare(self, connection: Any) -> None:  # noqa: ARG002
        """Refuse a table that is stored as CSV: Spark's own reader decides what its rows are, and splits cells."""
        self.frame()
        described = self.session.sql("DESCRIBE TABLE EXTENDED IDENTIFIER(:name)", {"name": self.table}).collect()
        if any(row[0] == "Provider" and str(row[1]).lower() == "csv" for row in described):
            raise DataError(
                f"the table {self.table!r} is stored as CSV.", "Give the paths of its files instead, or store Parquet."
            )

    def frame(self) -> Any:
        catalog = self.session.catalog
        if not catalog.tableExists(self.table) or catalog.getTable(self.table).tableType not in ("MANAGED", "EXTERNAL"):
            raise DataError(
                f"Spark has no stored table named {self.table!r}.",
                "A view may filter or join, which changes who a row is; a DataFrame is taken as it is.",
            )
        return self.session.read.options(**CALENDAR_SETTINGS).table(self.table)


class SparkFiles(SparkSource):
    """CSV files of one header, or Parquet files, by paths as Spark reads them: files, folders, patterns, stores."""

    def __init__(self, session: Any, paths: Sequence[str], *, dialect: CsvDialect | None = None) -> None:
        super().__init__(session)
        names = [str(each).rstrip("/").rpartition("/")[2] for each in paths]
        for name in names:
            refuse_unread(name)
        known = {is_csv_name(name) for name in names}
        if len(known) > 1:
            raise DataError("some of the files are CSV files and others are not.", "A table is in one format.")
        found = [path for each in paths for path in files_here(str(each))]
        for each in found:
            # Refuse a file that Spark would leave out because of its name, and so count fewer rows than DuckDB.
            file_name = os.path.basename(each)
            hidden = file_name.startswith(("_", ".")) or file_name.endswith("._COPYING_")
            if hidden and (os.path.isfile(each) or not (glob.has_magic(file_name) or os.path.isdir(each))):
                raise DataError(
                    f"Spark leaves out {file_name!r} because of its name.", "Rename it: no leading _ or dot."
                )
        self.paths = [as_itself(each) for each in found]
        if len(set(self.paths)) < len(self.paths):
            raise DataError("a file is named twice.", "Name each file once: its rows would count twice.")
        if dialect is not None and not any(known):
            raise no_dialect()
        self.dialect = (dialect or CsvDialect()).of_file(names[0]) if any(known) else None
        self._checked: tuple[object, int] | None = None
        self._schemas: tuple[object, list[Any]] | None = None
        self._footers: list[dict[str, str]] = []

    def state(self) -> list[tuple[str, int, int]]:
        """Return the files behind the paths, with their sizes and when they were last written. Nothing is read."""
        found = self._listed().selectExpr("path", "length", "unix_micros(modificationTime)").collect()
        return sorted((path, size, time) for path, size, time in found)

    def prepare(self, connection: Any) -> None:  # noqa: ARG002
        """Refuse files that are named twice, and CSV files that are not well formed; once for each state of them."""
        state = self.state()
        if self._checked is not None and self._checked[0] == state:
            return
        names = [path.removeprefix("file:") for path, _, _ in state]
        if len(self._listed().inputFiles()) > len(set(names)):  # Spark scans no file without a byte
            raise DataError("one of the files is empty.", "A file has at least a header; leave an empty one out.")
        if not names:
            raise _no_files()
        each_once(names)
        if self.dialect and not all(is_csv_name(name.rpartition("/")[2]) for name in names):
            raise DataError("a file among the CSV files is none by its name.", f"Known: {', '.join(CSV_ENDINGS)}.")
        if self.dialect and self.dialect.encoding != "utf-8" and any(name.endswith(".gz") for name in names):
            raise DataError(  # Spark takes a byte order mark away, and of a packed file nobody sees it
                "a compressed CSV file is read on Spark in UTF-8 only.", "Unpack it, or write it in UTF-8."
            )
        self._checked = state, self._lines().check(len(names)) if self.dialect else 0

    def frame(self) -> Any:
        """Return the rows; those of CSV files that were not checked are only good to be shown."""
        if not self.dialect:
            return self._reader().option("mergeSchema", "true").parquet(*self.paths)
        return self._lines().frame(0 if self._checked is None else self._checked[1])

    def _listed(self) -> Any:
        return self._reader().format("binaryFile").load(self.paths)

    def _frame_of(self, names: set[str]) -> Any:
        if self.dialect or not names:
            return self.frame()
        state = self.state()
        if self._schemas is None or self._schemas[0] != state:
            paths = [path for path, _, _ in state]
            self._schemas = state, schemas(self._reader(), paths)
            self._footers = footer_types(self.session, paths)
            self._names = tuple(self._schemas[1][0].fieldNames()) if state else ()
        if not state:
            raise _no_files()
        paths = [path for path, _, _ in state]
        return declared_frame(self._reader(), paths, self._schemas[1], self._footers, names)

    def _lines(self) -> CsvLines:
        assert self.dialect is not None
        first = headed(self._reader(), self.paths[0], self.dialect)
        return CsvLines(self._reader(), self.paths, self.dialect, first)

    def _reader(self) -> Any:
        """Return a reader that fails where a file is damaged or gone, whatever the session is set to."""
        settings = {"recursiveFileLookup": "true", "ignoreCorruptFiles": "false", "ignoreMissingFiles": "false"}
        return self.session.read.options(**settings, **CALENDAR_SETTINGS)


class SparkEngine(Engine):
    """A table of Spark, answered by Spark."""

    source: SparkSource
    dialect = SPARK
    name = dialect.name

    def engine_versions(self) -> dict[str, str]:
        return self._guarded(lambda connection: {engine_names.SPARK.library: self.version(connection)})

    def version(self, connection: Any) -> str:
        return version_text(connection.session.version)

    def check_scope(self, connection: Any) -> object:
        """Return the session: the check takes jobs."""
        return connection.session

    @contextmanager
    def known_rows(self, connection: Any) -> Iterator[str]:
        """Return the known rows; of a file only where all of Spark is on this machine and sees what is written."""
        if not _is_local(connection.session):
            yield literal_rows(self.dialect)
            return
        with parquet_rows() as path:
            frame = connection.session.read.schema(_KNOWN).parquet(f"file://{as_itself(str(path))}")
            yield connection.view(frame.selectExpr(*map(_OPAQUE.format, NAMES)))

    def state(self) -> object:
        return self._guarded(lambda _: self.source.state())

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        from pyspark.logger import PySparkLogger

        connection = _Connection(self.source.session)
        bridge = logging.getLogger("py4j")  # at level DEBUG it writes down every answer
        errors = PySparkLogger.getLogger("SQLQueryContextLogger")  # it prints the errors of statements
        levels = bridge.level, errors.level
        bridge.setLevel(logging.WARNING)
        errors.setLevel(logging.CRITICAL)
        try:
            yield connection
        finally:
            connection.close()
            bridge.setLevel(levels[0])
            errors.setLevel(levels[1])

    def _rows(self, connection: Any, statement: str) -> Sequence[Any]:
        found: list[Any] = connection.session.sql(statement).collect()
        return found


class _Connection:
    """A session, and the temporary views that were made in it: each has a name of its own and is dropped."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._views: list[str] = []

    def view(self, frame: Any) -> str:
        self._views.append(f"snapdp_{uuid.uuid4().hex}")
        frame.createTempView(self._views[-1])
        return self._views[-1]

    def close(self) -> None:
        for each in self._views:
            self.session.catalog.dropTempView(each)


def spark_source(data: Any, *, table: str | None, session: Any, dialect: CsvDialect | None) -> SparkSource:
    """Return the source that some data of Spark are: a session with a table, a DataFrame, or paths with a session."""
    if type(data).__module__.startswith("pyspark."):
        if dialect is not None:
            raise no_dialect()
        if type(data).__name__ == "DataFrame":
            return SparkFrame(data)
        if type(data).__name__ == "SparkSession":
            if table is None:
                raise ParameterError("a Spark session is no table.", "Name the table in it as well.")
            return SparkStored(data, table)
    paths = [data] if isinstance(data, (str, Path)) else data
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(each, (str, Path)) for each in paths):
        raise DataError(f"a value of type {type(data).__name__} is no table of Spark.", "Give paths, or a DataFrame.")
    if table is not None:
        raise ParameterError("files have no tables.", "Leave table out, or give the session instead of paths.")
    return SparkFiles(session, [str(each) for each in paths], dialect=dialect)


def _started(master: str) -> Any:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PremiseError("PySpark is not installed.", INSTALL["pyspark"]) from None
    session = None
    try:
        session = (
            SparkSession.builder.master(master).appName("snapdp").config("spark.ui.enabled", "false").getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")  # its log would quote cells when a file is damaged
    except Exception:
        session = None
    if session is None:
        raise PremiseError("Spark cannot be started with this master.", "Check the URL, and that Java is installed.")
    return session


def _no_files() -> DataError:
    return DataError("Spark finds no file there.", "It leaves out names that begin with _ or a dot.")


def _is_local(session: Any) -> bool:
    """Tell whether all of Spark is on this machine: a session of Spark Connect may be anywhere."""
    return type(session).__module__ == "pyspark.sql.session" and session.sparkContext.master.startswith("local")


def files_here(path: str) -> list[str]:
    """Return the files of this machine that a pattern means, as for DuckDB; any other path as it is."""
    here = path.removeprefix("file://") if path.startswith("file:///") else path
    if os.path.isfile(here):
        return [here]
    if not glob.has_magic(here) or not any(map(os.path.isfile, glob.iglob(here, recursive=True))):
        return [path]  # a folder, or something in a store that only Spark can list
    return [str(each) for each in matching(here)]


def as_itself(path: str) -> str:
    """Return the path of a file here in such a way that Spark takes no character of its name for a pattern."""
    if not os.path.isfile(path):
        return path
    return escaped(path)


def _kind(stored: str) -> str:
    if stored == "string" or stored.startswith(("string collate", "varchar(", "char(")):
        return LABEL
    if stored in _DAYS:
        return CALENDAR
    return NUMERIC if stored.startswith("decimal(") else _KINDS.get(stored, OTHER)
