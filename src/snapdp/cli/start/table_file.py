"""Questions about the file itself: which table of it, and how it is written. Of its rows nothing is read.

Room: cli. The names of columns are public here; a first line that may be one of cells is never shown before somebody
has said that it is one of names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snapdp.cli.start.columns import KnownColumns
from snapdp.cli.start.pages import name_of
from snapdp.cli.start.questions import Choice, Flow, Question, one_of, yes_or_no
from snapdp.errors import DataError, ParameterError
from snapdp.studies import CsvDialect, dialect_from
from snapdp.tables import (
    StoredColumn,
    is_csv,
    is_database,
    may_be_cells,
    other_delimiter,
    other_encoding,
    stored_columns,
    stored_tables,
)
from snapdp.values import Value

CALLED = {";": "semicolons", "\t": "tabs", "|": "bars"}
WRITTEN = (
    Choice(word="1234.5", means="a decimal point"),
    Choice(word="1234,5", means="a decimal comma"),
    Choice(word="1.234,5", means="a decimal comma, points between groups of digits"),
    Choice(word="1,234.5", means="a decimal point, commas between groups of digits"),
    Choice(word="1 234,5", means="a decimal comma, blanks between groups of digits"),
)
SIGNS: tuple[dict[str, str], ...] = (
    {},
    {"decimal": ","},
    {"decimal": ",", "thousands": "."},
    {"thousands": ","},
    {"decimal": ",", "thousands": "space"},
)


class Opened(Value):
    """A file as it is to be read: its columns, the table of a database, and how a CSV file is written."""

    columns: KnownColumns
    table: str | None = None
    csv: Mapping[str, Any] = {}

    @property
    def dialect(self) -> CsvDialect | None:
        return dialect_from(self.csv) if self.csv else None


class TableFile:
    """A file of which questions are asked. Its names are read once."""

    def __init__(self, path: Path, *, table: str | None, csv: dict[str, Any]) -> None:
        self.path, self._table, self._csv = path, table, csv
        self._read: dict[str, tuple[StoredColumn, ...]] = {}

    def ask(self) -> Flow[Opened]:
        """Ask what the file does not say itself; return its columns."""
        table = (yield from self._ask_table()) if is_database(self.path) else self._table
        csv = (yield from self._ask_form()) if is_csv(self.path) else self._csv
        found = self._columns(table, csv)
        if is_csv(self.path) and may_be_cells(found):
            yield Question(
                key=("file", "names", *(each.name for each in found)),  # of another first line it is asked anew
                text="Is the first line of the file one of column names?",
                hint="y or n. One of its words looks like a number, a date or an address.",
                more="Every CSV file here begins with a line of names. If this one does not, its first row would be "
                "taken for names: it would be shown, and lost.",
                check=_named,
            )
        return Opened(columns=KnownColumns(found), table=table, csv=csv)

    def _ask_table(self) -> Flow[str | None]:
        tables = stored_tables(self.path) if self._table is None else (self._table,)
        if not tables:
            raise DataError(f"{self.path.name!r} has no table.", "Name another file.")
        if len(tables) == 1:
            return tables[0]
        place = yield Question(
            key=("file", "table"),
            text="Which table of the file?",
            menu=tuple(Choice(word=name_of(name), means="") for name in tables),
            more="A release is about one table. Of the others nothing is read.",
            check=lambda text: _place(text, tables),
        )
        return tables[place]

    def _ask_form(self) -> Flow[dict[str, Any]]:
        """Ask how the file is written, where its first line shows that it is no plain one; flags are not asked for."""
        known = yield from self._ask_encoding()
        mark = None if "delimiter" in known else other_delimiter(self.path, dialect_from(known) if known else None)
        if mark is None:
            return known
        between = yield Question(
            key=("file", "delimiter"),
            text=f"Do {CALLED[mark]} stand between the cells of the file?",
            hint="y or n. There are some in its first line.",
            more="Commas are usual; where decimals have a comma programs write something else. Whoever answers n sees "
            "the first line as one name, and can start over.",
            check=yes_or_no,
        )
        if not between:
            return known
        delimiter = {"delimiter": "tab" if mark == "\t" else mark}
        if "decimal" in known or "thousands" in known:
            return {**delimiter, **known}
        written = yield Question(
            key=("file", "numbers"),
            text="How are numbers written in it?",
            menu=WRITTEN,
            hint="A number from 1 to 5.",
            more="A number that is written otherwise cannot be read, and counts as a missing cell.",
            check=one_of(WRITTEN),
        )
        place = [each.word for each in WRITTEN].index(written)
        return {**delimiter, **SIGNS[place], **known}

    def _ask_encoding(self) -> Flow[dict[str, Any]]:
        """Ask whether the file is one of Latin-1, where its first line is no text in UTF-8."""
        known = self._csv
        found = None if "encoding" in known else other_encoding(self.path, dialect_from(known) if known else None)
        if found is None:
            return known
        is_so = yield Question(
            key=("file", "encoding"),
            text="Is the file written in Latin-1?",
            hint="y or n. It is not in UTF-8; older files with letters such as ä or é are.",
            more="A text file is bytes, and there are several ways to write letters as such. UTF-8 is usual now; "
            "Latin-1 was, in western Europe. If you are not sure, answer y and look at the names of the columns.",
            check=yes_or_no,
        )
        return {**known, "encoding": found} if is_so else known

    def _columns(self, table: str | None, csv: dict[str, Any]) -> tuple[StoredColumn, ...]:
        key = repr((table, csv))
        if key not in self._read:
            dialect = dialect_from(csv) if csv else None
            self._read[key] = stored_columns(self.path, table=table, dialect=dialect)
        return self._read[key]


def _place(text: str, tables: tuple[str, ...]) -> int:
    if text in tables:
        return tables.index(text)
    if text.isascii() and text.isdigit() and 0 < int(text[:9]) <= len(tables):
        return int(text) - 1
    raise ParameterError(f'there is no table "{name_of(text)}".', "Type a name or a number of the list.")


def _named(text: str) -> bool:
    if not yes_or_no(text):
        raise ParameterError("a table needs names for its columns.", "Write them into a first line; then start again.")
    return True
