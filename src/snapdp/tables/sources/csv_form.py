"""What a well-formed CSV file is: the definition, as a reader of bytes that is slow and plain.

Reads bytes that it is given. Every engine accepts at most the files that this reader accepts, and gets
its rows: DuckDB after the checks of `csv`, Spark by the expressions of `spark_csv`. Tests compare both with it,
on generated files. It also reads every header.

    start    " opens a quoted cell; a delimiter ends the cell; CR LF, LF or CR ends the row; else the cell is plain
    plain    a delimiter ends the cell, a line end the row; a quote is out of place
    quoted   a quote closes; everything else, line ends too, is part of the cell
    closed   another quote is a quote inside the cell; a delimiter or line end ends it; else the quote was out of place

The bytes are UTF-8 without NUL, behind at most one byte order mark, or Latin-1 without NUL, 0x80 to 0x9f and that mark.
All line ends outside quotes are of one kind. The first row names the columns, without line ends; every other one has as
many cells, and may have more that are missing. A cell without quotes that equals one of the null texts is missing. An
empty line is a missing cell where there is one column and a missing cell may be written as nothing; else it is no row.
No row is longer than 2,000,000 bytes.

A number is text as the dialect writes numbers (`plain_number`); any other text is none, and its cell counts as missing.
Theory: docs/theory/exact-sums.md, (2) and (11).
"""

from __future__ import annotations

from collections.abc import Iterator

from snapdp.studies.csv_dialect import ENCODINGS, CsvDialect, is_text
from snapdp.values import Value

BOM, ROW_BYTES = b"\xef\xbb\xbf", 2_000_000
START, PLAIN, QUOTED, CLOSED = "start", "plain", "quoted", "closed"
LINE_ENDS = {b"\n": "LF", b"\r\n": "CR LF", b"\r": "CR"}
Row = list[str | None]


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
    _check_text(content, dialect)
    for number, line in enumerate(lines(content, dialect)):
        ends.add(line.end)
        if line.size > ROW_BYTES:
            raise NotWellFormed(f"a row is longer than {ROW_BYTES} bytes")
        if number == 0:
            names = _names(line, dialect)
        elif not line.is_empty or (len(names) == 1 and "" in dialect.nulls):
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
    _check_text(start[: _start(start, dialect) + first.size], dialect)
    return _names(first, dialect)


def plain_number(cell: str, dialect: CsvDialect) -> str | None:
    """Return a number without groups and with a point, as engines and Python read it; None for any other text.

    Groups of three digits stand behind one to three digits that do not begin with 0, before the decimal sign only, and
    without an exponent.

    >>> [plain_number(each, CsvDialect(decimal=",", thousands=".")) for each in ("1.234.567,8", " -12,5e3", "1.23")]
    ['1234567.8', '-12.5e3', None]
    """
    body = cell.strip(" ")
    sign = body[:1] if body.startswith(("+", "-")) else ""
    size = body[len(sign) :]
    if size.lower() in ("inf", "infinity"):
        return sign + size
    whole, point, fraction = size.partition(dialect.decimal)
    first, *groups = whole.split(dialect.thousands) if dialect.thousands else [whole]
    if groups:
        placed = 1 <= len(first) <= 3 and first[0] != "0" and all(len(each) == 3 for each in groups)
        digits = all(map(_is_digits, (first, *groups))) and (fraction == "" or _is_digits(fraction))
        return f"{sign}{first}{''.join(groups)}{point and '.'}{fraction}" if placed and digits else None
    mantissa, mark, power = size.replace("E", "e").partition("e")
    whole, point, fraction = mantissa.partition(dialect.decimal)
    digits = _is_digits(whole + fraction) and (mark == "" or _is_digits(power[1:] if power[:1] in "+-" else power))
    return f"{sign}{whole}{point and '.'}{fraction}{mark}{power}" if digits else None


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def lines(content: bytes, dialect: CsvDialect) -> Iterator[CsvLine]:
    """Yield the rows of a file, the header too: the automaton above."""
    quote, delimiter = dialect.quote.encode(), dialect.separator.encode()
    place = first = _start(content, dialect)
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


def _start(content: bytes, dialect: CsvDialect) -> int:
    """Return where the first row begins: behind the byte order mark of UTF-8."""
    return len(BOM) if dialect.encoding == "utf-8" and content.startswith(BOM) else 0


def _check_text(content: bytes, dialect: CsvDialect) -> None:
    if b"\x00" in content:
        raise NotWellFormed("the file holds a NUL byte")
    if not is_text(content, dialect.encoding):
        raise NotWellFormed(f"the file is not in {ENCODINGS[dialect.encoding]}")
    if dialect.encoding != "utf-8" and content.startswith(BOM):
        raise NotWellFormed("the file begins with the mark of UTF-8")


def _names(line: CsvLine, dialect: CsvDialect) -> list[str]:
    if line.is_empty or any(b"\r" in each.content or b"\n" in each.content for each in line.cells):
        raise NotWellFormed("the first line names no columns")
    return [each.content.decode(dialect.encoding) for each in line.cells]


def _row(line: CsvLine, columns: int, dialect: CsvDialect) -> Row:
    cells = [_cell(each, dialect) for each in line.cells]
    if len(cells) < columns or any(each is not None for each in cells[columns:]):
        raise NotWellFormed("a row has more or fewer cells than the header")
    return cells[:columns]


def _cell(cell: CsvCell, dialect: CsvDialect) -> str | None:
    text = cell.content.decode(dialect.encoding)
    return None if not cell.quoted and text in dialect.nulls else text
