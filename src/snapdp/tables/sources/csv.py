"""A CSV file as DuckDB reads it: checked byte by byte, then read as text.

DuckDB alone does not do. It misses quotes that stay open, takes a CR in the midst of LF for the end of a row, drops a
last line that is longer than its buffer, and looks at no cell that was not asked for. So `Scan` decides these before
DuckDB reads the file; only the number of cells in each row is left to the engine. It also counts the lines, and an
engine that reads another number of rows is not believed. The text of the statement is public, so what the engine must
know of the content (whether it may read in parallel) travels beside it, in a variable of the connection.
The first line alone decides what is suggested about delimiter and encoding: names are public, no row is read, and a
guess counts only once it is declared. Theory: docs/theory/exact-sums.md, (11).
"""

from __future__ import annotations

import codecs
import gzip
import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from snapdp.errors import DataError
from snapdp.studies.columns import Column
from snapdp.studies.csv_dialect import ENCODINGS, CsvDialect, is_text
from snapdp.tables.sources.cells import file_digest
from snapdp.tables.sources.csv_form import BOM, LINE_ENDS, ROW_BYTES, NotWellFormed, header
from snapdp.tables.sources.source import Source, existing, is_csv_name, path_literal, stat_of
from snapdp.tables.sql.dialects import literal
from snapdp.tables.sql.stored import SEPARATORS, TEXT, Field, NumberFormat, Rows
from snapdp.values import replaced

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
        scan = self._read(lambda raw: scanned(raw, self.dialect))
        if scan.problem:
            raise self._refused(scan)
        # In parallel a line end inside quotes next to a buffer's end is at times taken for the end of a row.
        connection.execute(f"SET VARIABLE {_PARALLEL} = {'false' if scan.quoted else 'true'}")
        names = self.header()
        # Refuse a header that DuckDB takes for another number of cells, and would then lose a row.
        name = names[0]
        quoted = BOM + self.dialect.quote.encode()
        if self.dialect.separator in name and self._read(lambda raw: raw.read(len(quoted))) == quoted:
            raise DataError(
                f"{self.path.name!r} begins with a byte order mark and a name in quotes that holds a delimiter.",
                "The engine misreads such a file: rename that column, or save the file without the mark.",
            )
        blank = 0 if len(names) == 1 and "" in self.dialect.nulls else scan.empty  # lines that are no rows
        return scan.lines - 1 - blank

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:  # noqa: ARG002
        names, numbers = self.header(), number_format(self.dialect)
        fields = [
            Field(name=name, reads=f"c{i}", stored="text", kind=TEXT, numbers=numbers) for i, name in enumerate(names)
        ]
        types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(names)))
        nulls = [literal(each) for each in self.dialect.nulls]
        options = {
            "header": "true",
            "auto_detect": "false",
            "columns": f"{{{types}}}",
            "delim": literal(self.dialect.separator),
            "quote": literal(self.dialect.quote),
            "escape": literal(self.dialect.quote),
            "nullstr": nulls[0] if len(nulls) == 1 else f"[{', '.join(nulls)}]",
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

    def _refused(self, scan: Scan) -> DataError:
        """Return what is wrong with the file: a rule and a line, never a cell."""
        if scan.problem == MIXED:
            return DataError(
                f"{self.path.name!r} mixes line ends: {', '.join(sorted(scan.ends))}.",
                "End every line alike; cells that hold a line end stand in quotes, or one cell could be two rows.",
            )
        if scan.problem == LONG_ROW:
            return DataError(
                f"a row of {self.path.name!r} is longer than {ROW_BYTES} bytes.", "Is a quote missing, or a line end?"
            )
        if scan.problem == MARKED:
            return DataError(f"{self.path.name!r} begins with the mark of UTF-8.", "Declare no other encoding for it.")
        line = self._read(lambda raw: line_of_problem(raw, self.dialect, scan.problem))
        if scan.problem == STRAY_QUOTE:
            return DataError(
                f"line {line} of {self.path.name!r} is not well formed: a quote is out of place or never closed.",
                "Cells that hold a quote, a delimiter or a line end stand in quotes, and a quote in them is doubled.",
                line=line,
            )
        encoding = ENCODINGS[self.dialect.encoding]
        what = "holds a NUL byte" if scan.problem == NUL else f"is not in {encoding}"
        may_be_latin = self.dialect.encoding == "utf-8" and scan.problem != NUL
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


# Well-formed bytes, judged in blocks
#
#     text     UTF-8 or Latin-1, as declared, without NUL
#     quotes   an opening one stands at the start of a cell, a closing one at its end, one inside is doubled, none is
#              open
#     rows     all end alike, and none is longer than a block

BLOCK = 1 << 22  # more than the longest row
NUL, NOT_TEXT, MARKED = "nul", "not in the declared encoding", "marked as UTF-8"
STRAY_QUOTE, MIXED, LONG_ROW = "stray quote", "mixed line ends", "long row"


class Scan:
    """What was seen of a file so far. Feed all of it, block by block, then `finish`.

    quoted   whether it has a quote
    ends     which line ends stand outside quotes: "LF", "CR LF", "CR"
    lines    how many lines it has, the header and empty ones too; a cell may hold line ends
    empty    how many of them are empty
    problem  the first rule that is broken, or None
    """

    def __init__(self, dialect: CsvDialect) -> None:
        self.quoted, self.problem = False, ""
        self.ends: set[str] = set()
        self.lines = self.empty = 0
        self._encoding, self._decoder = dialect.encoding, codecs.getincrementaldecoder("utf-8")()
        self._quote = dialect.quote.encode()
        beside = (dialect.separator + dialect.quote + "\r\n").encode()
        # The bytes that may stand before an opening quote and after a closing one; every other byte is 0.
        self._beside = bytes(byte if byte in beside else 0 for byte in range(256))
        self._inside = self._started = False
        self._last, self._waiting = b"\n", b""  # the byte that was judged last, and one that needs the byte after it

    def feed(self, block: bytes) -> None:
        """Look at more bytes; nothing more once there is a problem."""
        if self.problem:
            return
        self._check_text(block)
        if not self._started:
            self._started = True
            if self._encoding != "utf-8" and block.startswith(BOM):  # only UTF-8 has a byte order mark
                self._found(MARKED)
            block = block.removeprefix(BOM)
        data = self._waiting + block if self._waiting else block
        self._waiting = data[-1:] if data.endswith((self._quote, b"\r")) else b""
        row_ends = self._judge(data[:-1] if self._waiting else data)
        if not row_ends and len(block) > ROW_BYTES:
            self._found(LONG_ROW)

    def finish(self) -> None:
        """Judge what waited for the end of the file."""
        if self._decoder.getstate()[0]:
            self._found(NOT_TEXT)
        self._judge(self._waiting)
        self.lines += self._started and self._last not in (b"\r", b"\n")
        if self._inside:
            self._found(STRAY_QUOTE)
        if len(self.ends) > 1:
            self._found(MIXED)

    def _found(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _check_text(self, block: bytes) -> None:
        if b"\x00" in block:
            self._found(NUL)
        if self._encoding != "utf-8":  # one byte is one character
            if not is_text(block, self._encoding):
                self._found(NOT_TEXT)
        elif not block.isascii() or self._decoder.getstate()[0]:
            try:
                self._decoder.decode(block)
            except UnicodeDecodeError:
                self._found(NOT_TEXT)

    def _judge(self, data: bytes) -> bool:
        """Judge the quotes and line ends of bytes that need none after them; tell whether a row ends in them."""
        if not data:
            return False
        if not self._inside and self._quote not in data and b"\r" not in data:
            ends, empty = {b"\n": data.count(b"\n")}, _repeated(data) + (self._last in LINE_ENDS and data[:1] == b"\n")
        else:  # numpy is faster, but loading it takes as long as it saves in 10 MB of quotes
            ends, empty = self._large(data) if len(data) >= BLOCK - 1 else self._small(data)
        self._last = data[-1:]
        self.ends |= {LINE_ENDS[end] for end, count in ends.items() if count}
        self.lines += sum(ends.values())
        self.empty += empty
        return any(ends.values())

    def _small(self, data: bytes) -> tuple[dict[bytes, int], int]:
        """Return how often each line end stands outside quotes, and how many lines are empty; judge the quotes."""
        parts = data.split(self._quote)
        before = self._quote if self._inside else self._last
        rows = before + self._quote.join(parts[self._inside :: 2])  # one quote for each part in quotes
        self._note_quotes(len(parts) - 1)
        if len(parts) > 1:
            beside = (rows + self._quote if self._inside else rows).translate(self._beside)
            if b"\0" + self._quote in beside or self._quote + b"\0" in beside:
                self._found(STRAY_QUOTE)
        pairs, every = rows.count(b"\r\n", 1), rows.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        returns = rows.count(b"\r", 1) - pairs
        ends = {b"\r\n": pairs, b"\r": returns, b"\n": every.count(b"\n", 1) - pairs - returns}
        return ends, _repeated(every)

    def _large(self, data: bytes) -> tuple[dict[bytes, int], int]:
        """Return the same of a long block."""
        import numpy as np

        block = np.frombuffer(self._last + data + self._quote, dtype=np.uint8)
        quotes = np.flatnonzero(block[1:-1] == self._quote[0]) + 1
        first = int(self._inside)  # every second quote opens
        feeds, returns = (np.flatnonzero(block[1:-1] == byte) + 1 for byte in b"\n\r")
        if first or len(quotes):
            feeds, returns = (each[(first + np.searchsorted(quotes, each)) % 2 == 0] for each in (feeds, returns))
            beside = np.frombuffer(self._beside, dtype=np.uint8)
            if not (beside[block[quotes[first::2] - 1]].all() and beside[block[quotes[1 - first :: 2] + 1]].all()):
                self._found(STRAY_QUOTE)
            self._note_quotes(len(quotes))
        paired, pairing = block[feeds - 1] == 13, block[returns + 1] == 10
        before = {  # what stands before the places of each line end
            b"\n": block[feeds[~paired] - 1],
            b"\r\n": block[feeds[paired] - 2],
            b"\r": block[returns[~pairing] - 1],
        }
        empty = sum(int(np.count_nonzero((each == 10) | (each == 13))) for each in before.values())
        return {end: len(each) for end, each in before.items()}, empty

    def _note_quotes(self, count: int) -> None:
        self.quoted |= count > 0
        self._inside ^= count % 2 == 1


def _repeated(rows: bytes) -> int:
    """Return how many line feeds stand behind another one."""
    size = len(rows)
    while b"\n\n" in rows:  # one of each run of them stays
        rows = rows.replace(b"\n\n", b"\n")
    return size - len(rows)


def scanned(raw: IO[bytes], dialect: CsvDialect) -> Scan:
    """Return what the bytes of a file say, read once."""
    scan = Scan(dialect)
    while not scan.problem and (block := raw.read(BLOCK)):
        scan.feed(block)
    scan.finish()
    return scan


def line_of_problem(raw: IO[bytes], dialect: CsvDialect, problem: str) -> int:
    """Return the line in which a file that was refused first breaks a rule of text or quotes."""
    if problem == STRAY_QUOTE:
        # The line in which the first cell with a quote out of place begins.
        quote, beside = ord(dialect.quote), (dialect.separator + dialect.quote + "\r\n").encode()
        inside, opened = False, 1
        for number, line in enumerate(raw, start=1):
            framed = b"\n" + (line.removeprefix(BOM) if number == 1 else line) + b"\n"
            for place in (i for i, byte in enumerate(framed) if byte == quote):
                if framed[place + 1 if inside else place - 1] not in beside:
                    return opened if inside else number
                if not inside and framed[place - 1] != quote:
                    opened = number
                inside = not inside
        return opened
    lines = enumerate(raw, start=1)
    return next((number for number, line in lines if b"\x00" in line or not is_text(line, dialect.encoding)), 1)


# The first line: how it seems to be written, where that is not what is declared

UTF_8, LATIN_1 = "utf-8", "latin-1"
SAVED = 'Save the file as UTF-8 (in Excel: Save as, "CSV UTF-8")'
ADVICE = {  # by the encoding that was declared, and is not that of the file
    UTF_8: f"{SAVED}, or declare that its encoding is latin-1, where it is.",
    LATIN_1: f"{SAVED}: one in windows-1252 has characters that Latin-1 does not have.",
}


def names_in(start: bytes, dialect: CsvDialect) -> list[str]:
    """Return the names in the first line; none where they cannot be read, as in quotes with something else between."""
    try:
        return header(start, dialect)
    except NotWellFormed:
        return []


def delimiter_seen(start: bytes, dialect: CsvDialect) -> str | None:
    """Return what stands between the names, where that is not what is declared.

    Looked for only where the line is one name otherwise, or none, or may be one of cells that were cut at decimal
    commas.
    """
    names = names_in(start, dialect)
    if len(names) > 1 and not any(map(may_be_cell, names)):
        return None
    marks = [mark for mark in SEPARATORS if len(names) < 2 or any(mark in name for name in names)]
    return next((mark for mark in marks if len(names_in(start, replaced(dialect, delimiter=mark))) > 1), None)


def encoding_seen(start: bytes, dialect: CsvDialect) -> str | None:
    """Return Latin-1 where the line is one of names in it, and none in UTF-8 with any delimiter.

    Every file can be read as Latin-1: whether it is written so somebody must say.
    """
    every = [replaced(dialect, delimiter=mark) for mark in (dialect.separator, *SEPARATORS)]
    if dialect.encoding != UTF_8 or any(names_in(start, each) for each in every):
        return None
    return LATIN_1 if any(names_in(start, replaced(each, encoding=LATIN_1)) for each in every) else None


def latin_1_told(start: bytes, dialect: CsvDialect, *, is_declared: bool) -> tuple[str, dict[str, Any]]:
    """Return what to do with a file that is not in UTF-8: the advice, and all that is to be declared, at once.

    is_declared   somebody has said what stands between its cells
    """
    mark = None if is_declared else delimiter_seen(start, replaced(dialect, encoding=LATIN_1))
    if mark is None:
        return ADVICE[UTF_8], {"encoding": LATIN_1}
    told = f"{ADVICE[UTF_8]} It seems to have {SEPARATORS[mark]} between its cells: declare that too."
    return told, {"encoding": LATIN_1, "delimiter": mark}


MANY_DIGITS = re.compile(r"\d\D{0,3}\d{4}|\d{6}")  # a day with its year, a telephone number, an identifier


def may_be_cell(name: str) -> bool:
    """Tell whether a name looks like a number, an amount of money, a share, a date, a card number or an address.

    >>> [may_be_cell(each) for each in ("age", "2020-01-01", "$12", "ann@example.org", "5 May", "May 5, 2020", "q1")]
    [False, True, True, True, True, True, False]
    """
    first = name.strip(" '\"\t")[:1]
    signs = first.isnumeric() or first in tuple("+-.,(#") or unicodedata.category(first or "a") == "Sc"
    return signs or "@" in name or "%" in name or MANY_DIGITS.search(name) is not None
