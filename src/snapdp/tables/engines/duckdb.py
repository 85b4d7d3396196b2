"""DuckDB, inside this process.

Each call has a connection of its own: no setting of the caller, no extension from a network, no private
row left behind. Of its errors only the number of a line of a CSV file is kept. Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

from snapdp.errors import DataError, PremiseError
from snapdp.studies.grouping.keys import KeyColumn
from snapdp.tables.engines.engine import Engine, Watch, version_text
from snapdp.tables.engines.self_check import parquet_rows
from snapdp.tables.keys import load_keys, load_texts
from snapdp.tables.sources.stored import ignore_statistics, parquet_scan
from snapdp.tables.sql.dialects import DUCKDB
from snapdp.tables.sql.generator import KeyTable
from snapdp.tables.sql.persons import Columns

_LINE = re.compile(r"Invalid Input Error: CSV Error on Line: ([0-9]+)\b")  # at the start: what follows quotes the line
_INTERRUPTED = "Query interrupted"  # how DuckDB passes Ctrl-C on, in the thread that hears of it
_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",  # sums of integers do not depend on it
    "python_enable_replacements": "false",  # no variable of a caller is a table
    "temp_directory": "",  # no private row is written to a disk
    "pandas_analyze_sample": "0",  # objects are text, whatever the first of them look like
}


class DuckdbEngine(Engine):
    """A table answered by DuckDB."""

    dialect = DUCKDB
    name = dialect.name

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        connection = _connection(self.threads)
        try:
            yield connection
        except RuntimeError as error:
            if str(error) == _INTERRUPTED:
                raise KeyboardInterrupt from None
            raise
        finally:
            connection.close()

    def version(self, connection: Any) -> str:
        return version_text(connection.execute("SELECT version()").fetchone()[0].removeprefix("v"))

    @contextmanager
    def known_rows(self, connection: Any) -> Iterator[str]:  # noqa: ARG002
        with parquet_rows() as path:
            yield parquet_scan([path])

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
        results = [self._rows(connection, each) for each in statements]
        connection.execute("COMMIT")
        return results

    def _rows(self, connection: Any, statement: str) -> list[tuple[Any, ...]]:
        from concurrent.futures import ThreadPoolExecutor

        def run() -> Any:
            result = connection.execute(statement)
            return result.fetchnumpy() if isinstance(statement, Columns) else result.fetchall()

        # In a thread of its own: this one would not hear Ctrl-C before DuckDB returns to it, at worst after the scan.
        # The executor waits for it whatever happens: a connection that is closed under a query ends the process.
        with ThreadPoolExecutor(max_workers=1) as worker:
            query = worker.submit(run)
            try:
                found: list[tuple[Any, ...]] = query.result()
            except KeyboardInterrupt:
                connection.interrupt()
                raise
        return found

    def _refusal(self, error: Exception) -> DataError | None:
        """Return what may be said about an error of the engine beyond the one sentence: a line number."""
        line = _LINE.match(str(error)) if self.source.dialect else None
        if not line:
            return None
        return DataError(
            f"line {line[1]} of the CSV file is not well formed.",
            "Each line needs as many cells as the header, with every quote closed and doubled inside. A file with "
            "something else than commas between its cells, or with decimal commas, needs them declared.",
            **self.source.undeclared(),
        )

    def _load(self, connection: Any, keys: Sequence[KeyTable]) -> None:
        """Fill the tables of declared categories: public text, numbered in order."""
        for key in keys:
            if isinstance(key.column, KeyColumn):
                load_keys(connection, key.name, key.column.keys)
            else:
                load_texts(connection, key.name, {"label": key.column.categories})


def _connection(threads: int | None) -> Any:
    try:
        import duckdb
    except ImportError:
        raise PremiseError("DuckDB, the engine that reads tables, is not installed.", "pip install duckdb") from None
    settings = _SETTINGS if threads is None else {**_SETTINGS, "threads": str(threads)}
    connection = duckdb.connect(":memory:", config=dict(settings))
    ignore_statistics(connection)
    with suppress(duckdb.Error):  # in a notebook it would show a bar; without widgets it has none and changes nothing
        connection.execute("SET enable_progress_bar = false")
    return connection
