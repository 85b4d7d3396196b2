"""Generated CSV files, sound and broken, and what the definition (`snapdp.tables.sources.csv_form`) says about them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

from snapdp.errors import DataError
from snapdp.studies.aggregates import Aggregate, Aggregates, Categories, Count, Sum
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.csv_dialect import CsvDialect
from snapdp.tables.engines.engine import Engine
from snapdp.tables.sources.csv_form import NotWellFormed, plain_number, read

X = integer_column("x", lower=0, upper=1000, missing=7)
G = category_column("g", categories=["a", "", "é", 'a"b', "${x}", " ", "NA", "a,b"], unknown="binned", null="binned")
HEADERS = (b"x,g", b"x,g,y", b"g", b'"x",g', b"x")
CELLS = (b"", b"1", b"23", b" 4 ", b"a", b"NA", b"${x}", "é".encode(), b'""', b'"a"', b'"a""b"', b'"a,b"', b'"5"', b" ")
ODD = (
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\r\n",
    b"\xe9",
    b"\xed\xa0\x80",
    b"\x00",
    b"\xef\xbb\xbf",
    b'"\n"',
    b'"\r"',
    b'"a\nb"',
)
ENDS = (b"\n", b"\r\n", b"\r")


NUMBERS = (
    "1.234,5",
    "12.5",
    "12,5",
    "1,234",
    "1.23",
    "0.123",
    "1'234",
    "1_234",
    "1 234",
    "1\u00a0234",
    "1.234.567",
    ".",
)


def files(
    seed: int, count: int, *, header: bytes | None = None, end: bytes | None = None, numbers: bool = False
) -> Iterator[bytes]:
    """Yield files: rows of cells, then none, one or several strokes of chance.

    numbers   whether there are numbers of many formats as well: <0>, <1> and so on, which `translated` writes
    """
    draw = random.Random(seed)
    cells = (*CELLS, *(f"<{i}>".encode() for i in range(len(NUMBERS)))) if numbers else CELLS
    for _ in range(count):
        first, line_end = header or draw.choice(HEADERS), end or draw.choice(ENDS)
        columns = first.count(b",") + 1
        lines = [b",".join(draw.choice(cells) for _ in range(columns)) for _ in range(draw.randrange(5))]
        content = line_end.join([first, *lines, *([b""] if draw.random() < 0.7 else [])])
        start = len(first) + len(line_end) if header else 0  # a given header stays as it is
        for _ in range(draw.choice((0, 0, 1, 1, 2, 3))):
            place = draw.randrange(min(start, len(content)), len(content) + 1)
            cut = place + draw.choice((0, 0, 1, 2))
            content = content[:place] + draw.choice((*ODD, *ENDS, *cells)) + content[cut:]
        yield draw.choice((b"", b"", b"", b"\xef\xbb\xbf")) + content


def translated(content: bytes, dialect: CsvDialect) -> bytes:
    """Return a generated file as another dialect writes it; a number stands in quotes where it holds a delimiter."""
    cut, quote = dialect.separator.encode(), dialect.quote.encode()
    found = content.replace(b",", b"\xff").replace(b'"', b"\xfe").replace(b"\xff", cut).replace(b"\xfe", quote)
    if dialect.encoding == "latin-1":
        found = found.replace("é".encode(), b"\xe9").replace(b"\xed\xa0\x80", b"\x93")
    for i, number in enumerate(NUMBERS):
        text = number.encode(dialect.encoding)
        text = quote + text.replace(quote, quote * 2) + quote if cut in text or quote in text else text
        found = found.replace(f"<{i}>".encode(), text)
    return found


def expected(content: bytes, dialect: CsvDialect) -> tuple[int, dict[Aggregate, tuple[int, ...]]] | None:
    """Return the number of rows and the integers that the definition says; None for a file that is not well formed."""
    try:
        names, rows = read(content, dialect)
    except NotWellFormed:
        return None
    found: dict[Aggregate, tuple[int, ...]] = {Count(): (len(rows),)}
    if names.count("x") == 1:
        found[Sum(column=X)] = (sum(level(row[names.index("x")], dialect) for row in rows),)
    if names.count("g") == 1:
        cells = [row[names.index("g")] for row in rows]
        known = [cells.count(each) for each in G.categories]
        unknown = len(cells) - cells.count(None) - sum(known)
        found[Categories(column=G)] = (*known, unknown, cells.count(None))
    return len(rows), found


def level(cell: str | None, dialect: CsvDialect) -> int:
    number = None if cell is None else plain_number(cell, dialect)
    return 7 if number is None else math.floor(min(max(float(number), 0), 1000) + 0.5)


def told(table: Engine, content: bytes, dialect: CsvDialect) -> tuple[int, dict[Aggregate, tuple[int, ...]]] | None:
    """Return what an engine says about the same columns; None where it refuses."""
    known = expected(content, dialect)
    asked = list(known[1]) if known else [Count()]
    try:
        found: Aggregates = table.aggregates(asked)
    except DataError:
        return None
    return found.rows, {each: found[each] for each in asked}


def written(folder: Path, content: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
