"""How a CSV file is written, and whether its quotes are where they belong.

Room: data. Imports values; reads bytes that it is given. DuckDB does not report every quote that stays open (not when
it reads without threads), and all rows behind one are lost. So quotes are checked
here, byte by byte but in blocks, before the engine sees the file.

    an opening quote stands at the start of a cell, a closing one at its end, one inside is doubled, none stays open
"""

from __future__ import annotations

from typing import IO

from snapdp.errors import ParameterError
from snapdp.values import Value

BOM, BLOCK = b"\xef\xbb\xbf", 1 << 22


class CsvDialect(Value):
    """How a CSV file is written. UTF-8 with a header line; declared, never guessed.

    null   what a missing cell looks like without quotes; the same text in quotes is text
    """

    delimiter: str = ","
    quote: str = '"'
    null: str = ""

    def _check(self) -> None:
        for key in ("delimiter", "quote"):
            given = getattr(self, key)
            if not (isinstance(given, str) and len(given) == 1 and given.isascii() and given not in "\r\n\x00"):
                raise ParameterError(f"{key} = {given!r} is not one ASCII character.", 'Give one, such as ",".')
        if self.delimiter == self.quote:
            raise ParameterError("delimiter and quote are the same character.", "Give two different ones.")
        if any(each in self.null for each in (self.delimiter, self.quote, "\r", "\n", "\x00")):
            raise ParameterError(f"null = {self.null!r} holds a delimiter, a quote or a line end.", "Give plain text.")


def quotes_in_place(raw: IO[bytes], dialect: CsvDialect) -> tuple[int, bool]:
    """Return how many quotes a file has, and whether all are in place. A file without quotes costs one fast count."""
    quote = dialect.quote.encode()
    count, more = 0, True
    data = b"\n" + raw.read(BLOCK).removeprefix(BOM)
    while True:
        if data.count(quote):
            import numpy as np

            beside = np.zeros(256, dtype=bool)
            beside[list((dialect.delimiter + dialect.quote + "\r\n").encode())] = True
            block = np.frombuffer(data, dtype=np.uint8)
            places = np.flatnonzero(block[1:-1] == quote[0]) + 1  # the last byte waits for the one after it
            opening = (count + np.arange(len(places))) % 2 == 0
            if not beside[np.where(opening, block[places - 1], block[places + 1])].all():
                return count, False
            count += len(places)
        if not more:
            return count, count % 2 == 0
        block_of_file = raw.read(BLOCK)
        more = bool(block_of_file)
        data = data[-2:] + (block_of_file or b"\n")


def line_ends(raw: IO[bytes], dialect: CsvDialect) -> set[str]:
    """Return which line ends stand outside quotes in a file whose quotes are in place: "LF", "CR LF" or "CR".

    An engine takes a CR in the midst of LF for the end of a row: a cell that holds one would be two rows.
    """
    quote, inside, last = dialect.quote.encode(), False, b""
    found: set[str] = set()
    while block := raw.read(BLOCK):
        data = last + block
        last = data[-1:] if data[-1:] == b"\r" else b""  # its LF may begin the next block
        data = data[: len(data) - len(last)]
        outside, quotes = not inside, data.count(quote)
        inside ^= quotes % 2 == 1
        if _kinds(data) <= found or not (outside or quotes):
            continue  # nothing new, wherever it stands
        for piece in data.split(quote)[not outside :: 2] if quotes else [data]:
            found |= _kinds(piece)
    return found | ({"CR"} if last else set())


def _kinds(text: bytes) -> set[str]:
    returns = text.count(b"\r")
    pairs = text.count(b"\r\n") if returns else 0
    counts = {"CR LF": pairs, "CR": returns - pairs, "LF": text.count(b"\n") - pairs}
    return {kind for kind, count in counts.items() if count}


def line_of_stray_quote(raw: IO[bytes], dialect: CsvDialect) -> int:
    """Return the line in which the first cell with a quote out of place begins."""
    quote, beside = ord(dialect.quote), (dialect.delimiter + dialect.quote + "\r\n").encode()
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
