"""An engine: a source opened where statements run, in one read transaction, answered with exact integers.

An engine is started only when it is asked for. Every error of an engine becomes one that carries no text of the engine,
not even as its context, because texts of engines and of Python quote cells. The name of an exception's class and a line
of the program do not, so an error says its kind and its place in the code. What is not about the table (a missing
package, no memory, a defect here) is not blamed on it. Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from snapdp.display.text import one_line
from snapdp.errors import DataError, ParameterError, PremiseError, SnapdpError
from snapdp.studies.aggregates import Aggregate, Aggregates
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.grouping.keys import KeyColumn
from snapdp.studies.quantiser import quantiser_of
from snapdp.tables.engines.self_check import check_engine, literal_rows
from snapdp.tables.sources.source import Source, changed_file
from snapdp.tables.sql.dialects import DIALECTS, Dialect
from snapdp.tables.sql.generator import KeyTable, Script, columns_of, declared_rows, persons_of, script
from snapdp.tables.sql.stored import Field, Rows

if TYPE_CHECKING:
    from snapdp.tables.inspection import Look, Tally
    from snapdp.tables.sql.inspection import Judged

R = TypeVar("R")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+-]{0,40}")
Watch = Callable[[Any], AbstractContextManager[object]]
Gate = Callable[[], None]  # it lets a reading go on, or ends it by an exception


class Engine(ABC):
    """A source opened on an engine: it answers what is asked with exact integers.

    Each engine says the steps at the end in its own way. Every call opens and closes what it needs.

    name      as records name the engine
    dialect   how it spells SQL
    """

    name: ClassVar[str]
    dialect: ClassVar[Dialect]

    def __init__(self, source: Source, *, threads: int | None = None) -> None:
        self.source, self.threads = source, threads

    @property
    def csv(self) -> dict[str, Any]:
        """Return how the CSV files behind the table are written, as records state it; nothing where that is plain."""
        return {} if self.source.dialect is None else self.source.dialect.stated()

    def state(self) -> object:
        """Return something that changes when the files behind the table do."""
        return self.source.state()

    def engine_versions(self) -> dict[str, str]:
        """Return the versions of an engine that is no library of every release, as records name them."""
        return {}

    def check_unchanged(self, state: object) -> None:
        """Refuse a table whose files are no longer as they were in this state."""
        if self.state() != state:
            raise changed_file()

    def fingerprint(self) -> bytes:
        """Return a digest of the content: private, since who knows all rows but one could test the last."""
        return self._while_unchanged(self._digest)

    def _digest(self) -> bytes:
        try:
            return self.source.fingerprint()
        except SnapdpError:
            raise
        except Exception:  # an object that cannot be printed, a column that is no sequence
            pass
        raise DataError(  # out here: the error of an object may quote it
            "the content of the table cannot be read.", "Give columns of numbers and text: arrays, lists, or files."
        )

    def aggregates(
        self,
        asked: Iterable[Aggregate],
        *,
        salt: str = "",
        watch: Watch | None = None,
        check: Gate | None = None,
    ) -> Aggregates:
        """Return the exact integers of everything asked, from one state of the table.

        salt    public text that decides, with the rows themselves, which of its rows a person keeps
        watch   is given the connection and returns a context manager that is open while the engine scans
        check   is called once all columns are known to be there, before any row is read; it may refuse
        """
        wanted = list(asked)
        check_columns([*columns_of(wanted), *persons_of(wanted)])

        def read(connection: Any) -> Aggregates:
            if check is not None:
                self._script(connection, wanted, salt)
                check()
            return self._run(connection, wanted, salt, watch)

        return self._read(read)

    def statement(self, asked: Iterable[Aggregate], *, salt: str = "") -> str:
        """Return the SQL text that `aggregates` would run."""
        wanted = list(asked)
        check_columns([*columns_of(wanted), *persons_of(wanted)])
        return self._read(lambda connection: self._script(connection, wanted, salt).text)

    def check(self, columns: Iterable[Column]) -> None:
        """Read the whole table once; refuse it if it is not well formed or lacks a column. Nothing is returned."""
        wanted = list(dict.fromkeys(columns))
        check_columns(wanted)
        self._read(lambda connection: self._read_through(connection, wanted))

    def fields(self) -> tuple[Field, ...]:
        """Return the columns of the table as they are stored: their names and types, from no row."""
        return self._read(lambda connection: self.source.open(connection, []).fields)

    def ask(self, question: Callable[[Any], R]) -> R:
        """Return what a connection of this engine answers about what is stored; refusals are those of the engine."""
        return self._guarded(question)

    def inspect(
        self, columns: Iterable[Column] | None = None, *, others: Iterable[Column] = (), watch: Watch | None = None
    ) -> Look:
        """Return how the cells of columns are read, in classes; without columns, what all of them could be read as.

        For whoever may read the table, and no part of a release. Nothing is written anywhere.
        others   columns that are looked at as well, where the table has them
        """
        if columns is None:
            return self._read(lambda connection: self._look_at_all(connection, watch))
        wanted, more = list(dict.fromkeys(columns)), list(others)
        check_columns([*wanted, *more])
        return self._read(lambda connection: self._look(connection, wanted, more, watch))

    def _look(self, connection: Any, wanted: list[Column], others: list[Column], watch: Watch | None) -> Look:
        from snapdp.tables.inspection import declared_look, shaped_verdicts
        from snapdp.tables.sql.inspection import judge_declared

        counted = self.source.prepare(connection)
        rows = self.source.open(connection, [*wanted, *others])
        left = {field.name for field in rows.fields} - {column.name for column in wanted}
        columns = [*wanted, *(each for each in others if each.name in left)]
        if not columns:  # a count of all rows reads no cell
            return declared_look([], [], 0, {})
        judged, keys = judge_declared(columns, rows, self.dialect)
        self._load(connection, keys)
        with self._watching(connection, watch):
            total, found = self._tallied(connection, rows, judged, counted)
            shapes = self._shapes(connection, rows, judged, shaped_verdicts(columns, judged, found))
        return declared_look(columns, found, total, shapes, is_csv=self.source.dialect is not None)

    def _look_at_all(self, connection: Any, watch: Watch | None) -> Look:
        from snapdp.tables.inspection import best_reading, class_of, undeclared_look
        from snapdp.tables.sql.inspection import UNREAD, judge_undeclared

        counted = self.source.prepare(connection)
        rows = self.source.open(connection, [])
        if not rows.fields:
            raise ParameterError(
                "a frame is looked at as a study declares its columns.", "Give a study: study.inspect(frame)."
            )
        judged: list[Judged] = []
        starts = []
        for field in rows.fields:
            starts.append(len(judged))
            judged += judge_undeclared(len(judged), field, self.dialect)
        with self._watching(connection, watch):
            total, found = self._tallied(connection, rows, judged, counted)
            ends = [*starts[1:], len(judged)]
            readings = [
                best_reading(field, start, found[start:end], total)
                for field, start, end in zip(rows.fields, starts, ends, strict=True)
            ]
            unread = {each.place: UNREAD for each in readings if each.place is not None}
            shapes = self._shapes(connection, rows, judged, unread)
        missing = [class_of(found[start].missing, total) for start in starts]
        return undeclared_look(rows.fields, readings, missing, shapes, headed=self.source.dialect is not None)

    def _tallied(
        self, connection: Any, rows: Rows, judged: Sequence[Judged], counted: int | None
    ) -> tuple[int, list[Tally]]:
        """Return the number of rows, and the private counts behind every class."""
        from snapdp.tables.inspection import tallies
        from snapdp.tables.sql.inspection import count_verdicts

        ((row,),) = self._select(connection, [count_verdicts(judged, rows, self.dialect)])
        _check_rows(counted, row[0])
        return row[0], tallies(row, judged)

    def _shapes(
        self, connection: Any, rows: Rows, judged: Sequence[Judged], shaped: dict[int, int]
    ) -> dict[int, list[str]]:
        from snapdp.tables.sql.inspection import commonest_shapes

        shapes: dict[int, list[str]] = {}
        if shaped:
            text = commonest_shapes(judged, rows, self.dialect, shaped=shaped)
            for place, shape in self._rows(connection, text):
                shapes.setdefault(int(place), []).append(str(shape))
        return shapes

    def _read_through(self, connection: Any, columns: Sequence[Column]) -> None:
        counted = self.source.prepare(connection)
        rows = self.source.open(connection, columns)
        fields = [rows.field(column) for column in columns]
        reads = ", ".join(["COUNT(*)", *(f"COUNT({each.reads})" for each in fields)])
        results = self._select(connection, [f"SELECT {reads} FROM {rows.origin}"])
        _check_rows(counted, results[0][0][0])

    def _script(self, connection: Any, asked: Sequence[Aggregate], salt: str) -> Script:
        columns = [*columns_of(asked), *persons_of(asked)]
        _check_keys(columns, self.dialect)
        return script(asked, self.source.open(connection, columns), dialect=self.dialect, salt=salt)

    def _run(self, connection: Any, asked: Sequence[Aggregate], salt: str, watch: Watch | None) -> Aggregates:
        counted = self.source.prepare(connection)
        todo = self._script(connection, asked, salt)
        self._load(connection, todo.keys)
        texts = [each.text for each in todo.statements]
        if counted is not None and persons_of(asked):  # the first number is then that of the rows that are kept
            texts.append(f"SELECT COUNT(*) FROM {self.source.open(connection, []).origin}")
        with self._watching(connection, watch):
            results = self._select(connection, texts)
        _check_rows(counted, results[-1 if len(results) > len(todo.statements) else 0][0][0])
        return todo.read(results[: len(todo.statements)])

    def _watching(self, connection: Any, watch: Watch | None) -> AbstractContextManager[object]:
        return nullcontext() if watch is None else self._watched(connection, watch)

    def _read(self, action: Callable[[Any], R]) -> R:
        """Return what an action on a connection reads from one state of the files."""
        return self._while_unchanged(lambda: self._guarded(action))

    def _while_unchanged(self, read: Callable[[], R]) -> R:
        """Return what is read. If a file changes meanwhile, that is the refusal, whatever else seems to be wrong.

        A file that is being written may look cut off, not well formed, or like a table with other columns, and an
        engine that meets it may count other rows than we did: none of that is true of the file, or a defect of ours.
        """
        state = self.state()
        refused = None
        try:
            found = read()
        except SnapdpError as problem:
            refused = problem
        self.check_unchanged(state)
        if refused is not None:
            raise refused
        return found

    def _guarded(self, action: Callable[[Any], R]) -> R:
        """Run with the engine at hand. Its errors are told by one sentence, with no trace of the original."""
        try:
            with self._connected() as connection:
                check_engine(self, connection)
                return action(connection)
        except SnapdpError:
            raise
        except Exception as error:
            failure = self._refusal(error) or refusal(error)
        raise failure  # out here, so that the engine's own error is not even its context

    # What engines do differently

    @abstractmethod
    def _connected(self) -> AbstractContextManager[Any]:
        """Return a connection that is open for one call."""

    def _select(self, connection: Any, statements: Sequence[str]) -> list[list[tuple[int, ...]]]:
        """Return the rows of all statements, read from one state of the table."""
        return [[tuple(map(int, row)) for row in self._rows(connection, each)] for each in statements]

    @abstractmethod
    def _rows(self, connection: Any, statement: str) -> Sequence[Sequence[Any]]:
        """Return the rows of one statement as the engine gives them."""

    def _load(self, connection: Any, keys: Sequence[KeyTable]) -> None:  # noqa: ARG002
        """Fill the tables of declared categories, where the dialect keeps long lists in tables."""
        assert not keys, "this dialect writes its lists into the statement"

    def version(self, connection: Any) -> str:  # noqa: ARG002
        """Return the version of the engine, to name one that is refused."""
        return ""

    def check_scope(self, connection: Any) -> object:  # noqa: ARG002
        """Return that for which the engine is checked once, before anything else is asked of it."""
        return self

    def known_rows(self, connection: Any) -> AbstractContextManager[str]:  # noqa: ARG002
        """Return, as SQL behind a FROM, the rows of `self_check`; from a Parquet file if the engine reads such."""
        return nullcontext(literal_rows(self.dialect))

    def _watched(self, connection: Any, watch: Watch) -> AbstractContextManager[object]:
        """Let a front end ask how far a scan is, where the engine can tell; it never shows a bar of its own."""
        return watch(connection)

    def _refusal(self, error: Exception) -> DataError | None:  # noqa: ARG002
        """Return what may be said about an error of the engine beyond the one sentence."""
        return None


def statement(asked: Iterable[Aggregate], *, table: str = "data", dialect: str = "duckdb", salt: str = "") -> str:
    """Return the SQL text for a table that is not there yet, with every column in its natural type.

    dialect   the engine whose words it is in, by the name that records have
    """
    if dialect not in DIALECTS:
        said = one_line(str(dialect), 40)
        raise ParameterError(f"no engine here speaks {said}.", f"Give dialect = {', '.join(DIALECTS)}.")
    wanted = list(asked)
    columns = columns_of(wanted)
    check_columns(columns)
    others = {column.name for column in columns}
    persons = [each for each in persons_of(wanted) if each.name not in others]
    words = DIALECTS[dialect]
    _check_keys(columns, words)
    rows = declared_rows([*columns, *persons], table=table, dialect=words)
    return script(wanted, rows, dialect=words, salt=salt).text


def _check_keys(columns: Iterable[Column], dialect: Dialect) -> None:
    """Refuse to count by keys from a file where the engine loads no tables of lists."""
    if dialect.labels is not None and any(isinstance(each, KeyColumn) for each in columns):
        raise PremiseError(
            f"{dialect.name} does not count by keys from a file; DuckDB does.",
            "Give the rows as CSV or Parquet files, or declare the categories of each column. Nothing was spent.",
        )


def check_columns(columns: Iterable[Column]) -> None:
    """Refuse declarations that no exact statement can serve. Public: for use when a study is loaded."""
    for column in columns:
        if isinstance(column, NumberColumn):
            quantiser_of(column)


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


# Errors

ENGINE_PACKAGES = ("duckdb", "_duckdb", "pyspark", "py4j", "psycopg", "pyarrow")
INSTALL = {  # what the extras of this package ask for; itself it is in no index
    "psycopg": "pip install 'psycopg[binary]>=3.2.1'",
    "pyspark": "pip install 'pyspark>=4.1'; it needs Java 17 or newer as well.",
}
PACKAGE = Path(__file__).parents[2]


def refusal(error: Exception) -> SnapdpError:
    """Return what may be said: the table cannot be read, or something else is wrong."""
    kind, package = type(error).__name__, type(error).__module__.partition(".")[0]
    if isinstance(error, MemoryError) or "OutOfMemory" in kind:
        return PremiseError("there is not enough memory to read the table.", "Nothing was spent.")
    if isinstance(error, ImportError):
        missing = f" {error.name!r}" if isinstance(error.name, str) else ""
        advice = INSTALL.get(str(error.name).partition(".")[0], "Install it again.")
        return PremiseError(f"a Python package{missing} that is needed to read the table is missing or broken.", advice)
    if package in ENGINE_PACKAGES or isinstance(error, OSError):
        return DataError(
            f"the engine could not read the table ({kind}).", "Check that it is complete and readable.", kind=kind
        )
    return PremiseError(
        f"reading the table was stopped by a {kind} {_place(error)}.",
        "That is a defect of the program or of its environment, not of the table: please report it. Nothing was spent.",
        kind=kind,
    )


def _place(error: Exception) -> str:
    """Return the last line of this package that an error passed."""
    frame, place = error.__traceback__, "outside snapdp"
    while frame is not None:
        path = Path(frame.tb_frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE):
            place = f"in {path.relative_to(PACKAGE).as_posix()}, line {frame.tb_lineno}"
        frame = frame.tb_next
    return place
