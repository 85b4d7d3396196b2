"""Runs the statements on DuckDB, inside one read transaction, and turns every failure into one fixed sentence.

Room: data. Imports sql and sources; the only module that starts an engine, and only when it is asked to. Each call has
a connection of its own: no setting of the caller, no extension from a network, no private row left behind.
Every engine error becomes a DataError that carries no text of the engine, not even as its context: engines quote cells.
Only the number of a line of a CSV file is kept.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from snapdp.data.aggregates import Aggregate, Aggregates
from snapdp.data.csvtext import CsvDialect
from snapdp.data.quantiser import quantiser
from snapdp.data.schema import Column, NumberColumn
from snapdp.data.sources import Source, open_source
from snapdp.data.sql import DUCKDB, Dialect, KeyTable, declared_rows, script, storable
from snapdp.errors import DataError, PremiseError, SnapdpError

R = TypeVar("R")
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
    """A source and an engine: answers requests with exact integers."""

    def __init__(self, source: Source, *, threads: int | None = None, dialect: Dialect = DUCKDB) -> None:
        self.source, self.threads, self.dialect = source, threads, dialect

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return self.source.state()

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

    def aggregates(self, asked: Iterable[Aggregate], *, watch: Watch | None = None) -> Aggregates:
        """Return the exact integers of all requests, from one state of the table.

        watch   is given the connection and returns a context manager that is open while the engine scans
        """
        wanted = list(asked)
        columns = columns_of(wanted)
        check_columns(columns)
        return self._guarded(lambda connection: self._run(connection, wanted, columns, watch))

    def statement(self, asked: Iterable[Aggregate]) -> str:
        """Return the SQL text that `aggregates` would run."""
        wanted = list(asked)
        columns = columns_of(wanted)
        check_columns(columns)
        return self._guarded(
            lambda connection: script(wanted, self.source.open(connection, columns), dialect=self.dialect).text
        )

    def check(self, columns: Iterable[Column]) -> None:
        """Read the whole table once; refuse it if it is not well formed or lacks a column. Nothing is returned."""
        wanted = list(dict.fromkeys(columns))
        check_columns(wanted)
        self._guarded(lambda connection: self._read_through(connection, wanted))

    def _read_through(self, connection: Any, columns: Sequence[Column]) -> None:
        rows = self.source.open(connection, columns)
        fields = [rows.field(column) for column in columns]
        reads = ", ".join(f"COUNT({each.reads})" for each in fields) or "COUNT(*)"
        connection.execute(f"SELECT {reads} FROM {rows.origin}").fetchall()

    def _run(
        self, connection: Any, asked: Sequence[Aggregate], columns: Sequence[Column], watch: Watch | None
    ) -> Aggregates:
        before = self.source.state()
        todo = script(asked, self.source.open(connection, columns), dialect=self.dialect)
        for key in todo.keys:
            _load(connection, key)
        connection.execute("BEGIN TRANSACTION READ ONLY")
        with nullcontext() if watch is None else watch(connection):
            results = [connection.execute(each.text).fetchall() for each in todo.statements]
        connection.execute("COMMIT")
        if self.source.state() != before:
            raise DataError("the files changed while they were read.", "Try again when nobody writes to them.")
        return todo.read(results)

    def _guarded(self, action: Callable[[Any], R]) -> R:
        """Run on a fresh connection. An engine error is told by one sentence, with no trace of the original."""
        connection = _connection(self.threads)
        line = None
        try:
            return action(connection)
        except SnapdpError:
            raise
        except Exception as error:
            line = _LINE.match(str(error)) if self.source.is_csv else None
        finally:
            connection.close()
        # Raised out here, so that the engine's own error is not even its context.
        if line:
            raise DataError(
                f"line {line[1]} of the CSV file is not well formed.",
                "Each line needs as many cells as the header, in UTF-8, with every quote closed and doubled inside.",
            )
        raise DataError("the engine could not read the table.", "Check that the file is complete and readable.")


def open_table(
    data: Any, *, table: str | None = None, dialect: CsvDialect | None = None, threads: int | None = None
) -> Table:
    """Return a table from a path, a glob, a frame or a dict of columns.

    >>> from snapdp.data.aggregates import Sum
    >>> from snapdp.data.schema import integer_column
    >>> age = integer_column("age", lower=0, upper=120)
    >>> open_table({"age": [31, None, 200]}).aggregates([Sum(column=age)])[Sum(column=age)]  # 31 + 60 + 120
    (211,)
    """
    return Table(open_source(data, table=table, dialect=dialect), threads=threads)


def statement(asked: Iterable[Aggregate], *, table: str = "data") -> str:
    """Return the SQL text for a table that is not there yet, with every column in its natural type."""
    wanted = list(asked)
    columns = columns_of(wanted)
    check_columns(columns)
    return script(wanted, declared_rows(columns, table=table)).text


def columns_of(asked: Iterable[Aggregate]) -> list[Column]:
    """Return every column that requests speak of, each once."""
    return list(dict.fromkeys(c for each in asked for c in (*each.columns, *([each.by] if each.by else []))))


def check_columns(columns: Iterable[Column]) -> None:
    """Refuse declarations that no exact statement can serve. Public: for use when a study is loaded."""
    for column in columns:
        if isinstance(column, NumberColumn):
            quantiser(column)


def _connection(threads: int | None) -> Any:
    try:
        import duckdb
    except ImportError:
        raise PremiseError("DuckDB, the engine that reads tables, is not installed.", "pip install duckdb") from None
    settings = _SETTINGS if threads is None else {**_SETTINGS, "threads": str(threads)}
    connection = duckdb.connect(":memory:", config=dict(settings))
    connection.execute("SET enable_progress_bar = true")  # how far a scan is can be asked ...
    connection.execute("SET enable_progress_bar_print = false")  # ... and is shown by front ends, never by the engine
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
