"""How the first line of a CSV file seems to be written, where that is not what is declared.

Room: tables. Reads bytes that it is given, of the first line alone: its names are public, and no row is looked at. What
it finds is a guess that somebody confirms by declaring it.
"""

from __future__ import annotations

from typing import Any

from snapdp.studies import CsvDialect
from snapdp.tables.first_line import may_be_cell
from snapdp.tables.sources.csv_form import NotWellFormed, header
from snapdp.tables.sql.stored import SEPARATORS
from snapdp.values import replaced

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
