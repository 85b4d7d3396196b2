"""What a well-formed CSV file is: the definition, as a reader of bytes that is slow and plain.

Room: tables. Reads bytes that it is given. Every engine accepts at most the files that this reader accepts, and gets
its rows: DuckDB after the checks of `csv_bytes`, Spark by the expressions of `spark_csv`. Tests compare both with it,
on generated files. It also reads every header.

    start    " opens a quoted cell; a delimiter ends the cell; CR LF, LF or CR ends the row; else the cell is plain
    plain    a delimiter ends the cell, a line end the row; a quote is out of place
    quoted   a quote closes; everything else, line ends too, is part of the cell
    closed   another quote is a quote inside the cell; a delimiter or line end ends it; else the quote was out of place

The bytes are UTF-8 without NUL, behind at most one byte order mark. All line ends outside quotes are of one kind. The
first row names the columns, without line ends; every other one has as many cells, and may have more that are missing.
An empty line is a missing cell where there is one column and a missing cell is written as nothing; else
it is no row. No row is longer than 2,000,000 bytes.
Theory: docs/theory/exact-sums.md, (11).
"""

from __future__ import annotations

from collections.abc import Iterator

from snapdp.errors import ParameterError
from snapdp.exact import shown
from snapdp.values import Value

BOM, ROW_BYTES = b"\xef\xbb\xbf", 2_000_000
START, PLAIN, QUOTED, CLOSED = "start", "plain", "quoted", "closed"
QUOTES, DELIMITERS = "\"'`|~^", ",;:|~^\t\x01\x1f"  # for these the tests compare every engine with the definition
LINE_ENDS = {b"\n": "LF", b"\r\n": "CR LF", b"\r": "CR"}
Row = list[str | None]


class CsvDialect(Value):
    """How a CSV file is written. UTF-8 with a header line; declared, never guessed.

    delimiter, quote   of closed lists: engines read a blank, a letter or a digit there as they please
    null               what a missing cell looks like without quotes; the same text in quotes is text
    """

    delimiter: str = ","
    quote: str = '"'
    null: str = ""

    def _check(self) -> None:
        for key in ("delimiter", "quote"):
            given, known = getattr(self, key), QUOTES if key == "quote" else DELIMITERS
            if not (isinstance(given, str) and given in list(known)):
                listed = ", ".join(map(repr, known))
                raise ParameterError(
                    f"{key} = {shown(given)} is none that every engine reads alike.", f"One of {listed}."
                )
        if not isinstance(self.null, str):
            raise ParameterError(f"null = {shown(self.null)} is no text.", 'Give text, such as "NA".')
        if self.delimiter == self.quote:
            raise ParameterError("delimiter and quote are the same character.", "Give two different ones.")
        if any(each in self.null for each in (self.delimiter, self.quote, "\r", "\n", "\x00")):
            raise ParameterError(f"null = {self.null!r} holds a delimiter, a quote or a line end.", "Give plain text.")


class NotWellFormed(ValueError):
    """Why a file is refused, by a rule of the definition; it holds nothing of the file."""


class CsvCell(Value):
    """The bytes of a cell, and whether they stood in quotes."""

    content: bytes
    quoted: bool


class CsvLine(Value):
    """The cells of a row, how many bytes it took, and the line end behind it; none at the end of a file."""

    cells: tuple[CsvCell, ...]
    size: int
    end: bytes

    @property
    def is_empty(self) -> bool:
        return self.size == 0


def read(content: bytes, dialect: CsvDialect) -> tuple[list[str], list[Row]]:
    """Return the names and the rows of a whole file, a missing cell as None; raise NotWellFormed.

    >>> read(b'age,name\\n31,"a ""b"", c"\\n,x\\n', CsvDialect())
    (['age', 'name'], [['31', 'a "b", c'], [None, 'x']])
    """
    names, rows, ends = [], [], set()
    _check_text(content)
    for number, line in enumerate(lines(content, dialect)):
        ends.add(line.end)
        if line.size > ROW_BYTES:
            raise NotWellFormed(f"a row is longer than {ROW_BYTES} bytes")
        if number == 0:
            names = _names(line)
        elif not line.is_empty or (len(names) == 1 and not dialect.null):
            rows.append(_row(line, len(names), dialect))
    if not names:
        raise NotWellFormed("the first line names no columns")
    if len(ends - {b""}) > 1:
        raise NotWellFormed("line ends are mixed")
    return names, rows


def header(start: bytes, dialect: CsvDialect) -> list[str]:
    """Return the names from the first bytes of a file; at least ROW_BYTES and a few more, where it has so many."""
    first = next(lines(start, dialect), None)
    if first is None or first.size > ROW_BYTES:
        raise NotWellFormed("the first line names no columns")
    for each in first.cells:
        _check_text(each.content)
    return _names(first)


def lines(content: bytes, dialect: CsvDialect) -> Iterator[CsvLine]:
    """Yield the rows of a file, the header too: the automaton above."""
    quote, delimiter = dialect.quote.encode(), dialect.delimiter.encode()
    place = first = len(BOM) if content.startswith(BOM) else 0
    state, cell, quoted, cells = START, bytearray(), False, list[CsvCell]()
    while place < len(content):
        byte = content[place : place + 1]
        end = b"\r\n" if content[place : place + 2] == b"\r\n" else byte if byte in (b"\r", b"\n") else b""
        if state == QUOTED:
            state = CLOSED if byte == quote else QUOTED
            cell += b"" if byte == quote else byte
        elif byte == quote:
            if state == PLAIN:
                raise NotWellFormed("a quote is out of place")
            cell += quote if state == CLOSED else b""
            state, quoted = QUOTED, True
        elif byte == delimiter or end:
            cells.append(CsvCell(content=bytes(cell), quoted=quoted))
            state, cell, quoted = START, bytearray(), False
            if end:
                yield CsvLine(cells=tuple(cells), size=place - first, end=end)
                cells, place = [], place + len(end) - 1
                first = place + 1
        elif state == CLOSED:
            raise NotWellFormed("a quote is out of place")
        else:
            state = PLAIN
            cell += byte
        place += 1
    if state == QUOTED:
        raise NotWellFormed("a quote is never closed")
    if place > first:
        cells.append(CsvCell(content=bytes(cell), quoted=quoted))
        yield CsvLine(cells=tuple(cells), size=place - first, end=b"")


def _check_text(content: bytes) -> None:
    if b"\x00" in content:
        raise NotWellFormed("the file holds a NUL byte")
    try:
        content.decode()
    except UnicodeDecodeError:
        pass
    else:
        return
    raise NotWellFormed("the file is not in UTF-8")  # out here: the original quotes a byte


def _names(line: CsvLine) -> list[str]:
    if line.is_empty or any(b"\r" in each.content or b"\n" in each.content for each in line.cells):
        raise NotWellFormed("the first line names no columns")
    return [each.content.decode() for each in line.cells]


def _row(line: CsvLine, columns: int, dialect: CsvDialect) -> Row:
    cells, more = line.cells[:columns], line.cells[columns:]
    if len(cells) < columns or any(each.quoted or each.content != dialect.null.encode() for each in more):
        raise NotWellFormed("a row has more or fewer cells than the header")
    texts = [each.content.decode() for each in cells]
    return [None if not each.quoted and text == dialect.null else text for each, text in zip(cells, texts, strict=True)]
