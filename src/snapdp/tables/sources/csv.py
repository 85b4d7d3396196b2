"""A CSV file as DuckDB reads it: checked byte by byte, then read as text.

Room: tables. No row can fail to be a number; every row must have all cells. The text of the statement is public, so
what the engine must know of the content (whether it may read in parallel) is told beside the text, by a variable of the
connection. Theory: docs/theory/exact-sums.md, (11).
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from snapdp.errors import DataError
from snapdp.studies import ENCODINGS, Column, CsvDialect
from snapdp.tables.sources import csv_bytes
from snapdp.tables.sources.contents import file_digest
from snapdp.tables.sources.csv_first_line import ADVICE, delimiter_seen, latin_1_told
from snapdp.tables.sources.csv_form import BOM, ROW_BYTES, NotWellFormed, header
from snapdp.tables.sources.paths import existing, is_csv_name, path_literal, stat_of
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.dialects import literal
from snapdp.tables.sql.number_format import NumberFormat
from snapdp.tables.sql.stored import TEXT, Field, Rows

R = TypeVar("R")
_PARALLEL = "snapdp_parallel"


class CsvSource(Source):
    """One CSV file, read as text: no row can fail to be a number, every row must have all cells."""

    dialect: CsvDialect

    def __init__(self, path: str | Path, *, dialect: CsvDialect | None = None) -> None:
        given = existing(path)
        is_csv_name(given.name)
        self.path = given.resolve()  # once: a link that is set to another file meanwhile changes nothing
        self._zipped = given.suffix == ".gz"
        self.dialect = (dialect or CsvDialect()).of_file(given.name)
        self._is_declared = dialect is not None and dialect.delimiter is not None

    def prepare(self, connection: Any) -> int:
        """Refuse a file that is not well formed; tell the engine whether it may read in parallel; count the rows."""
        scan = self._read(lambda raw: csv_bytes.scanned(raw, self.dialect))
        if scan.problem:
            raise self._refused(scan)
        # In parallel a line end inside quotes next to a buffer's end is at times taken for the end of a row.
        connection.execute(f"SET VARIABLE {_PARALLEL} = {'false' if scan.quoted else 'true'}")
        names = self.header()
        self._check_mark(names[0])
        blank = 0 if len(names) == 1 and "" in self.dialect.nulls else scan.empty  # lines that are no rows
        return scan.lines - 1 - blank

    def _check_mark(self, name: str) -> None:
        """Refuse a header that DuckDB takes for another number of cells, and would then lose a row."""
        quoted = BOM + self.dialect.quote.encode()
        if self.dialect.separator in name and self._read(lambda raw: raw.read(len(quoted))) == quoted:
            raise DataError(
                f"{self.path.name!r} begins with a byte order mark and a name in quotes that holds a delimiter.",
                "The engine misreads such a file: rename that column, or save the file without the mark.",
            )

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        names, numbers = self.header(), number_format(self.dialect)
        fields = [
            Field(name=name, reads=f"c{i}", stored="text", kind=TEXT, numbers=numbers) for i, name in enumerate(names)
        ]
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
        options = {
            "header": "true",
            "auto_detect": "false",
            "columns": f"{{{types}}}",
            "delim": literal(self.dialect.separator),
            "quote": literal(self.dialect.quote),
            "escape": literal(self.dialect.quote),
            "nullstr": self._null_texts(),
            "allow_quoted_nulls": "false",
            "strict_mode": "true",
            "null_padding": "false",
            "ignore_errors": "false",
            "max_line_size": str(ROW_BYTES if self.dialect.encoding == "utf-8" else 2 * ROW_BYTES),  # after decoding
            "parallel": f"COALESCE(getvariable('{_PARALLEL}'), false)",
            "compression": "'gzip'" if self._zipped else "'none'",
            **({} if self.dialect.encoding == "utf-8" else {"encoding": literal(self.dialect.encoding)}),
        }
        said = ", ".join(f"{key} = {value}" for key, value in options.items())
        certain = any(column.name in names for column in columns)
        return Rows(origin=f"read_csv({path_literal(self.path)}, {said})", fields=tuple(fields), certain=certain)

    def _null_texts(self) -> str:
        texts = [literal(each) for each in self.dialect.nulls]
        return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"

    def start(self) -> bytes:
        """Return the first bytes of the file, with the first line whole."""
        return self._read(lambda raw: raw.read(len(BOM) + ROW_BYTES + 2))

    def header(self) -> list[str]:
        """Return the column names: the first line of the file."""
        try:
            return header(self.start(), self.dialect)
        except NotWellFormed:
            pass
        raise DataError(
            f"line 1 of {self.path.name!r} is no header of column names in {ENCODINGS[self.dialect.encoding]}.",
            f"A CSV file starts with one line of names; the other lines have as many cells. {self._advice}",
        )

    def _refused(self, scan: csv_bytes.Scan) -> DataError:
        """Return what is wrong with the file: a rule and a line, never a cell."""
        if scan.problem == csv_bytes.MIXED:
            return DataError(
                f"{self.path.name!r} mixes line ends: {', '.join(sorted(scan.ends))}.",
                "End every line alike; cells that hold a line end stand in quotes, or one cell could be two rows.",
            )
        if scan.problem == csv_bytes.LONG_ROW:
            return DataError(
                f"a row of {self.path.name!r} is longer than {ROW_BYTES} bytes.", "Is a quote missing, or a line end?"
            )
        if scan.problem == csv_bytes.MARKED:
            return DataError(f"{self.path.name!r} begins with the mark of UTF-8.", "Declare no other encoding for it.")
        line = self._read(lambda raw: csv_bytes.line_of_problem(raw, self.dialect, scan.problem))
        if scan.problem == csv_bytes.STRAY_QUOTE:
            return DataError(
                f"line {line} of {self.path.name!r} is not well formed: a quote is out of place or never closed.",
                "Cells that hold a quote, a delimiter or a line end stand in quotes, and a quote in them is doubled.",
                line=line,
            )
        encoding = ENCODINGS[self.dialect.encoding]
        what = "holds a NUL byte" if scan.problem == csv_bytes.NUL else f"is not in {encoding}"
        may_be_latin = self.dialect.encoding == "utf-8" and scan.problem != csv_bytes.NUL
        told = latin_1_told(self.start(), self.dialect, is_declared=self._is_declared) if may_be_latin else None
        advice, other = told or (self._advice, {})
        return DataError(f"line {line} of {self.path.name!r} {what}.", advice, line=line, **other)

    @property
    def _advice(self) -> str:
        return ADVICE[self.dialect.encoding]

    def undeclared(self) -> dict[str, str]:
        mark = None if self._is_declared else delimiter_seen(self.start(), self.dialect)
        return {} if mark is None else {"delimiter": mark}

    def state(self) -> object:
        return stat_of([self.path])

    def fingerprint(self) -> bytes:
        return file_digest([self.path], dialect_mark(self.dialect))  # another dialect is another table

    def _read(self, action: Callable[[IO[bytes]], R]) -> R:
        try:
            with cast(IO[bytes], gzip.open(self.path)) if self._zipped else self.path.open("rb") as raw:
                return action(raw)
        except (OSError, EOFError, zlib.error):
            pass
        raise DataError(f"{self.path.name!r} cannot be read to its end.", "Is it complete, and readable?")


def number_format(dialect: CsvDialect) -> NumberFormat:
    """Return how a file writes numbers."""
    return NumberFormat(decimal=dialect.decimal, thousands=dialect.thousands)


def dialect_mark(dialect: CsvDialect) -> bytes:
    """Return what tells dialects apart in fingerprints; those of the first versions as they were marked then."""
    first = {"delimiter": dialect.separator, "quote": dialect.quote, "null": dialect.null}
    later = {key: getattr(dialect, key) for key in ("decimal", "thousands", "encoding")}
    said = first if later == {"decimal": ".", "thousands": "", "encoding": "utf-8"} else first | later
    return f"CsvDialect({', '.join(f'{key}={value!r}' for key, value in said.items())})".encode()
