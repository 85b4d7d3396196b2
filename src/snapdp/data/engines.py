"""Runs the statements on DuckDB, inside one read transaction, and turns every failure into one fixed sentence.

Room: data. Imports sql and sources; an engine is started only when it is asked for. `spark` and `postgres` are the same
class with other steps. On DuckDB each call has
a connection of its own: no setting of the caller, no extension from a network, no private row left behind.
Every engine error becomes one that carries no text of the engine, not even as its context: engines quote cells.
Only the number of a line of a CSV file and the kind of an error are kept.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any, TypeVar

from snapdp.data.aggregates import Aggregate, Aggregates
from snapdp.data.csvform import CsvDialect
from snapdp.data.dialects import DUCKDB, storable
from snapdp.data.failures import refusal
from snapdp.data.quantiser import quantiser
from snapdp.data.schema import Column, NumberColumn
from snapdp.data.source import Source
from snapdp.data.sources import open_source
from snapdp.data.sql import KeyTable, Script, columns_of, declared_rows, persons_of, script
from snapdp.errors import DataError, ParameterError, PremiseError, SnapdpError

R = TypeVar("R")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,40}")
Watch = Callable[[Any], AbstractContextManager[object]]
_LINE = re.compile(r"Invalid Input Error: CSV Error on Line: ([0-9]+)\b")  # at the start: what follows quotes the line
_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",  # sums of integers do not depend on it
    "python_enable_replacements": "false",  # no variable of a caller is a table
    "temp_directory": "",  # no private row is written to a disk
    "pandas_analyze_sample": "0",  # objects are text, whatever the first of them look like
}


class Table:
    """A source and an engine: answers requests with exact integers. This one runs on DuckDB.

    Other engines override the steps at the end. Every call opens and closes what it needs.
    """

    dialect = DUCKDB
    engine = "duckdb"  # as records name it

    def __init__(self, source: Source, *, threads: int | None = None) -> None:
        self.source, self.threads = source, threads

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return self.source.state()

    def engine_versions(self) -> dict[str, str]:
        """Return the versions of an engine that is no library of every release, as records name them."""
        return {}

    def fingerprint(self) -> bytes:
        """Return a digest of the content: private, since who knows all rows but one could test the last."""
        try:
            return self.source.fingerprint()
        except SnapdpError:
            raise
        except Exception:  # an object that cannot be printed, a column that is no sequence
            pass
        raise DataError(  # out here: the error of an object may quote it
            "the content of the table cannot be read.", "Give columns of numbers and text: arrays, lists, or files."
        )

    def aggregates(self, asked: Iterable[Aggregate], *, salt: str = "", watch: Watch | None = None) -> Aggregates:
        """Return the exact integers of all requests, from one state of the table.

        salt    public text that decides, with the rows themselves, which of its rows a person keeps
        watch   is given the connection and returns a context manager that is open while the engine scans
        """
        wanted = list(asked)
        check_columns(columns_of(wanted))
        return self._guarded(lambda connection: self._run(connection, wanted, salt, watch))

    def statement(self, asked: Iterable[Aggregate], *, salt: str = "") -> str:
        """Return the SQL text that `aggregates` would run."""
        wanted = list(asked)
        check_columns(columns_of(wanted))
        return self._guarded(lambda connection: self._script(connection, wanted, salt).text)

    def check(self, columns: Iterable[Column]) -> None:
        """Read the whole table once; refuse it if it is not well formed or lacks a column. Nothing is returned."""
        wanted = list(dict.fromkeys(columns))
        check_columns(wanted)
        self._guarded(lambda connection: self._read_through(connection, wanted))

    def _read_through(self, connection: Any, columns: Sequence[Column]) -> None:
        counted = self.source.prepare(connection)
        rows = self.source.open(connection, columns)
        fields = [rows.field(column) for column in columns]
        reads = ", ".join(["COUNT(*)", *(f"COUNT({each.reads})" for each in fields)])
        results = self._select(connection, [f"SELECT {reads} FROM {rows.origin}"])
        _check_rows(counted, results[0][0][0])

    def _script(self, connection: Any, asked: Sequence[Aggregate], salt: str) -> Script:
        persons = persons_of(asked)
        columns = [*columns_of(asked), *([persons.cell] if persons else [])]
        return script(asked, self.source.open(connection, columns), dialect=self.dialect, salt=salt)

    def _run(self, connection: Any, asked: Sequence[Aggregate], salt: str, watch: Watch | None) -> Aggregates:
        before = self.source.state()
        counted = self.source.prepare(connection)
        todo = self._script(connection, asked, salt)
        for key in todo.keys:
            _load(connection, key)
        texts = [each.text for each in todo.statements]
        if counted is not None and persons_of(asked):  # the first number is then that of the rows that are kept
            texts.append(f"SELECT COUNT(*) FROM {self.source.open(connection, []).origin}")
        with nullcontext() if watch is None else self._watched(connection, watch):
            results = self._select(connection, texts)
        _check_rows(counted, results[-1 if len(results) > len(todo.statements) else 0][0][0])
        if self.source.state() != before:
            raise DataError("the files changed while they were read.", "Try again when nobody writes to them.")
        return todo.read(results[: len(todo.statements)])

    def _guarded(self, action: Callable[[Any], R]) -> R:
        """Run with the engine at hand. Its errors are told by one sentence, with no trace of the original."""
        try:
            with self._connected() as connection:
                return action(connection)
        except SnapdpError:
            raise
        except Exception as error:
            failure = self._refusal(error) or refusal(error)
        raise failure  # out here, so that the engine's own error is not even its context

    # What engines do differently

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        connection = _connection(self.threads)
        try:
            yield connection
        finally:
            connection.close()

    def _watched(self, connection: Any, watch: Watch) -> AbstractContextManager[object]:
        """Let a front end ask how far a scan is, where the engine can tell; it never shows a bar of its own."""
        try:
            connection.execute("SET enable_progress_bar_print = false")
            connection.execute("SET enable_progress_bar = true")
        except Exception:  # in a notebook without widgets it cannot
            return nullcontext()
        return watch(connection)

    def _select(self, connection: Any, statements: Sequence[str]) -> list[list[tuple[int, ...]]]:
        """Return the rows of all statements, read from one state of the table."""
        connection.execute("BEGIN TRANSACTION READ ONLY")
        results = [connection.execute(each).fetchall() for each in statements]
        connection.execute("COMMIT")
        return results

    def _refusal(self, error: Exception) -> DataError | None:
        """Return what may be said about an error of the engine beyond the one sentence: a line number."""
        line = _LINE.match(str(error)) if self.source.is_csv else None
        if not line:
            return None
        return DataError(
            f"line {line[1]} of the CSV file is not well formed.",
            "Each line needs as many cells as the header, in UTF-8, with every quote closed and doubled inside.",
        )


def open_table(
    data: Any,
    *,
    table: str | None = None,
    dialect: CsvDialect | None = None,
    threads: int | None = None,
    spark: Any = None,
) -> Table:
    """Return a table from a path, a glob, a frame, a dict of columns, a Spark table or a PostgreSQL address.

    table   the table of a DuckDB file, of a SparkSession or of a PostgreSQL server
    spark   a SparkSession or the URL of a master: the paths are then read by Spark

    >>> from snapdp.data.aggregates import Sum
    >>> from snapdp.data.schema import integer_column
    >>> age = integer_column("age", lower=0, upper=120)
    >>> open_table({"age": [31, None, 200]}).aggregates([Sum(column=age)])[Sum(column=age)]  # 31 + 60 + 120
    (211,)
    """
    from snapdp.data.postgres import PostgresSource, PostgresTable, is_address
    from snapdp.data.spark import SparkTable, spark_source

    if is_address(data):
        if table is None or spark is not None or dialect is not None:
            raise ParameterError("a PostgreSQL address needs the name of a table, and nothing else.", "Give table.")
        return PostgresTable(PostgresSource(data, table))
    found = spark_source(data, table=table, session=spark, dialect=dialect)
    if found is not None:
        return SparkTable(found)
    return Table(open_source(data, table=table, dialect=dialect), threads=threads)


def statement(asked: Iterable[Aggregate], *, table: str = "data") -> str:
    """Return the SQL text for a table that is not there yet, with every column in its natural type."""
    wanted = list(asked)
    columns = columns_of(wanted)
    check_columns(columns)
    return script(wanted, declared_rows(columns, table=table)).text


def check_columns(columns: Iterable[Column]) -> None:
    """Refuse declarations that no exact statement can serve. Public: for use when a study is loaded."""
    for column in columns:
        if isinstance(column, NumberColumn):
            quantiser(column)


def _check_rows(counted: int | None, read: int) -> None:
    """Refuse what an engine read if it is another number of rows than the source has."""
    if counted is not None and counted != read:
        raise DataError(
            "the engine read another number of rows than the file has.", "Please report it; nothing was spent."
        )


def version_text(told: object) -> str:
    """Return the version that an engine tells, without what follows it: "16.4 (Debian 16.4-1)" is 16.4."""
    found = _VERSION.match(str(told))
    return found[0] if found else "0"


def _connection(threads: int | None) -> Any:
    try:
        import duckdb
    except ImportError:
        raise PremiseError("DuckDB, the engine that reads tables, is not installed.", "pip install duckdb") from None
    settings = _SETTINGS if threads is None else {**_SETTINGS, "threads": str(threads)}
    connection = duckdb.connect(":memory:", config=dict(settings))
    with suppress(duckdb.Error):  # in a notebook it would show a bar; without widgets it has none and changes nothing
        connection.execute("SET enable_progress_bar = false")
    return connection


def _load(connection: Any, key: KeyTable) -> None:
    """Fill the table of declared categories: public text, numbered in order."""
    import numpy as np

    labels = key.column.categories
    storable("".join(labels), "a category")
    given = {"label": np.fromiter(labels, dtype=object, count=len(labels)), "code": np.arange(len(labels))}
    connection.register("snapdp_labels", given)
    connection.execute(f"CREATE TEMP TABLE {key.name} AS SELECT label, code FROM snapdp_labels")
    connection.unregister("snapdp_labels")
