"""Whether the bytes of a CSV file are well formed, in blocks and fast: what DuckDB does not see or does not refuse.

Room: tables. Reads bytes that it is given. DuckDB alone does not do: it misses quotes that stay open, takes a CR in the
midst of LF for the end of a row, drops a last line that is longer than its buffer, and looks at no cell that was not
asked for. So these are decided here, before it reads the file:

    text     UTF-8 or Latin-1, as declared, without NUL
    quotes   an opening one stands at the start of a cell, a closing one at its end, one inside is doubled, none is open
    rows     all end alike, and none is longer than a block

What is left to the engine is the number of cells in each row. The lines are counted as well: an engine that reads
another number of rows than the file has is not believed. A file without quotes and CR, the usual one, costs a few
searches for a byte.
"""

from __future__ import annotations

import codecs
from typing import IO, Any

from snapdp.studies import CsvDialect, is_text
from snapdp.tables.sources.csv_form import BOM, LINE_ENDS, ROW_BYTES

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
        self._quote = dialect.quote.encode()
        self._beside = (dialect.separator + dialect.quote + "\r\n").encode()
        self._encoding, self._decoder = dialect.encoding, codecs.getincrementaldecoder("utf-8")()
        self._quotes = 0
        self._last = b"\n\n"  # the last two bytes: one that is judged, one that waits for the byte after it
        self._started = False

    def feed(self, block: bytes) -> None:
        """Look at more bytes; nothing more once there is a problem."""
        if self.problem:
            return
        self._text(block)
        if not self._started:
            self._started, block = True, self._unmarked(block)
        inside, waiting = self._quotes % 2 == 1, self._last[1:]
        if inside or waiting in (self._quote, b"\r") or self._quote in block or b"\r" in block:
            row_ends = self._closely(self._last + block)
        else:
            row_ends = self._feeds(waiting + block)
        self._last = (self._last + block[-2:])[-2:]
        if not row_ends and len(block) > ROW_BYTES:
            self._found(LONG_ROW)

    def finish(self) -> None:
        """Judge what waited for the end of the file."""
        if self._decoder.getstate()[0]:
            self._found(NOT_TEXT)
        if self._last[1:] in (self._quote, b"\r"):
            self._closely(self._last + self._beside[:1])  # as if one more cell began
        self.lines += self._started and self._last[1:] not in (b"\r", b"\n")
        if self._quotes % 2:
            self._found(STRAY_QUOTE)
        if len(self.ends) > 1:
            self._found(MIXED)

    def _found(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _unmarked(self, block: bytes) -> bytes:
        """Return the start of a file behind its byte order mark, which only UTF-8 has."""
        if self._encoding != "utf-8" and block.startswith(BOM):
            self._found(MARKED)
        return block.removeprefix(BOM)

    def _text(self, block: bytes) -> None:
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

    def _feeds(self, data: bytes) -> bool:
        """Count the line ends of bytes behind the first, where each LF is one; tell whether there is any."""
        import numpy as np

        feeds = np.frombuffer(data, dtype=np.uint8) == 10
        count = int(np.count_nonzero(feeds[1:]))
        if count:
            self.ends.add(LINE_ENDS[b"\n"])
            self.lines += count
            self.empty += int(np.count_nonzero(feeds[1:] & feeds[:-1]))
        return count > 0

    def _closely(self, data: bytes) -> bool:
        """Judge all bytes but the first, and the last if it needs the one after it; tell whether a row ends there."""
        import numpy as np

        block = np.frombuffer(data, dtype=np.uint8)
        quotes = np.flatnonzero(block[1:-1] == self._quote[0]) + 1
        if len(quotes):
            self._placed(block, quotes)
        row_ends = self._row_ends(block, quotes)
        self._quotes += len(quotes)
        return row_ends

    def _placed(self, block: Any, quotes: Any) -> None:
        """Find a quote that opens elsewhere than at the start of a cell, or closes elsewhere than at its end."""
        import numpy as np

        self.quoted = True
        beside = np.zeros(256, dtype=bool)
        beside[list(self._beside)] = True
        first = self._quotes % 2  # every second quote opens
        if not (beside[block[quotes[first::2] - 1]].all() and beside[block[quotes[1 - first :: 2] + 1]].all()):
            self._found(STRAY_QUOTE)

    def _row_ends(self, block: Any, quotes: Any) -> bool:
        """Count the line ends outside quotes; tell whether there is one. An LF was judged when it came last."""
        import numpy as np

        feeds = self._outside(np.flatnonzero(block[2:] == 10) + 2, quotes)
        returns = self._outside(np.flatnonzero(block[1:-1] == 13) + 1, quotes)
        paired, pairing = block[feeds - 1] == 13, block[returns + 1] == 10
        found = {  # what stands before the places of each line end
            b"\n": block[feeds[~paired] - 1],
            b"\r\n": block[feeds[paired] - 2],
            b"\r": block[returns[~pairing] - 1],
        }
        self.ends |= {LINE_ENDS[end] for end, before in found.items() if len(before)}
        self.lines += sum(map(len, found.values()))
        self.empty += sum(int(np.count_nonzero((each == 10) | (each == 13))) for each in found.values())
        return bool(len(feeds) + len(returns))

    def _outside(self, places: Any, quotes: Any) -> Any:
        """Return the places that an even number of quotes stands before."""
        import numpy as np

        if not len(quotes):
            return places[:0] if self._quotes % 2 else places
        return places[(self._quotes + np.searchsorted(quotes, places)) % 2 == 0]


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
        return _line_of_stray_quote(raw, dialect)
    lines = enumerate(raw, start=1)
    return next((number for number, line in lines if b"\x00" in line or not is_text(line, dialect.encoding)), 1)


def _line_of_stray_quote(raw: IO[bytes], dialect: CsvDialect) -> int:
    """Return the line in which the first cell with a quote out of place begins."""
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
