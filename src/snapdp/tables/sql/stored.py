"""How columns are stored: the kinds of stored types, which declared kinds they may have, and numbers in text.

Nothing runs here. What a source says of its schema decides before a cell is read: text is never read as numbers if a
schema calls it text (a label); cells without a schema, as of CSV files and of lists, are read by the pattern of their
source alone. A matched number becomes a plain one by taking the separators out, so no engine reads a sign by itself;
the definition without patterns is `csv_form.plain_number`. What does not match is NULL, and NULL and NaN are missing.
Refusals name columns and types, never a cell. Theory: docs/theory/exact-sums.md, (2).
"""

from __future__ import annotations

import difflib
import math
import struct
from collections.abc import Callable, Sequence

from snapdp.display.text import one_line
from snapdp.errors import DataError
from snapdp.studies.categories import BOOLEAN, DATE
from snapdp.studies.columns import (
    AS_NUMBERS,
    CATEGORY,
    INTEGER,
    MAGNITUDE,
    NUMBER,
    PERSON,
    CategoryColumn,
    Column,
    PersonColumn,
)
from snapdp.studies.grouping.keys import KEY
from snapdp.tables.sql.dialects import Dialect
from snapdp.values import Value

# Numbers in text

_INFINITY = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"


class NumberFormat(Value):
    """The signs of numbers in text; without thousands there are no groups.

    >>> import re
    >>> german = NumberFormat(decimal=",", thousands=".")
    >>> [bool(re.fullmatch(german.pattern, each)) for each in ("1.234.567,8", "1234,5", "1.23", "12.5", "0.123")]
    [True, True, False, False, False]
    """

    decimal: str = "."
    thousands: str = ""

    @property
    def pattern(self) -> str:
        """Return what numbers look like: spaces may stand around them, an exponent only behind digits without groups.

        A number in groups begins with 1 to 9: 0.123 is a small number in another format, never 123.
        """
        point = f"[{self.decimal}]"
        plain = f"([0-9]+({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?"
        if self.thousands:
            plain += f"|[1-9][0-9]?[0-9]?([{self.thousands}][0-9][0-9][0-9])+({point}[0-9]*)?"
        return f" *[+-]?({plain}|{_INFINITY}) *"

    def plain(self, text: str, quoted: Callable[[str], str]) -> str:
        """Return the SQL of a text that matches, without groups and with a point."""
        found = text
        if self.thousands:
            found = f"replace({found}, {quoted(self.thousands)}, '')"
        return found if self.decimal == "." else f"replace({found}, {quoted(self.decimal)}, '.')"


PLAIN = NumberFormat()  # of all other sources of text

NUMERIC, TEXT, LABEL, WHOLE, TRUTH = "numeric", "text", "label", "whole", "truth"
CALENDAR, EMPTY, OTHER = "calendar", "empty", "other"
_NUMBERS = ((NUMERIC, WHOLE, TEXT), "numbers")
ALLOWED = {  # what a column of each kind may be stored as; EMPTY, which has no cell at all, as everything
    NUMBER: _NUMBERS,
    INTEGER: _NUMBERS,
    MAGNITUDE: _NUMBERS,
    CATEGORY: ((TEXT, LABEL), "text"),
    AS_NUMBERS: ((TEXT, LABEL, WHOLE, NUMERIC), "numbers or text"),
    BOOLEAN: ((TEXT, LABEL, WHOLE, NUMERIC, TRUTH), "booleans, 0 and 1, or text"),
    DATE: ((TEXT, LABEL, CALENDAR), "dates or text such as 2024-05-17"),
    PERSON: ((TEXT, LABEL, WHOLE), "text or whole numbers"),
    KEY: ((TEXT, LABEL), "text"),
}
TYPED_BY_CELLS = (
    'A program that took the type from the cells, as read_csv of pandas does, reads "01" as the number 1 as long as no '
    "other cell is text: then give the path of its file instead."
)
INSTEAD = {LABEL: CATEGORY, TRUTH: BOOLEAN, CALENDAR: DATE}  # the kind that a stored type calls for
LONGEST_NAME, MOST_NAMES = 40, 20  # of columns, in a refusal
SEPARATORS = {";": "a semicolon", "\t": "a tab", "|": "a bar"}
DECLARE_IT = (
    "Then declare it: the delimiter of the CSV dialect. Look at its numbers too: their decimal sign and thousands are "
    "declared there as well."
)
CLOSE, VERY_CLOSE = 0.6, 0.75  # likeness of names that are taken for a slip of the pen


class Field(Value):
    """A column as it is stored: the name people use, the SQL that reads it, its type.

    wide      numbers that the engine casts to a double which is not always the nearest: they are cast by their text
    single    numbers of single precision, most of which are not what a category prints
    decimal   of decimals: the SQL of the cell as it is, without NaN
    day       of dates and times: the SQL of its date; that of an instant is its date in UTC
    numbers   how text writes numbers: a CSV file may declare it
    names_persons   its objects are written as names of persons; other fields of this name as their kind has it
    """

    name: str
    reads: str
    stored: str
    kind: str
    wide: bool = False
    single: bool = False
    decimal: str = ""
    day: str = ""
    numbers: NumberFormat = PLAIN
    names_persons: bool = False


class Rows(Value):
    """A table as a statement sees it: what stands after FROM, its fields, and the names of all its columns.

    names    where only declared columns were opened; otherwise the fields have them all
    certain  the names are names for certain; those of a CSV file may be cells, where it has no header
    """

    origin: str
    fields: tuple[Field, ...]
    names: tuple[str, ...] = ()
    certain: bool = True

    def field(self, column: Column) -> Field:
        """Return the field of a declared column; refuse one that is absent or stored as something else."""
        found = [field for field in self.fields if field.name == column.name]
        if len({field.names_persons for field in found}) > 1:  # one for each of two uses
            found = [field for field in found if field.names_persons == isinstance(column, PersonColumn)]
        if not found:
            raise absent(column.name, self.names or tuple(each.name for each in self.fields), certain=self.certain)
        if len(found) > 1:
            raise DataError(
                f"the table has several columns named {column.name!r}.",
                "Names are compared exactly, capitals and spaces included, and each may stand once.",
            )
        _check_stored(column, found[0])
        return found[0]


def _check_stored(column: Column, field: Field) -> None:
    numbers = column.categories if isinstance(column, CategoryColumn) and column.compare == AS_NUMBERS else ()
    allowed, what = ALLOWED[AS_NUMBERS if numbers else column.kind]
    if column.kind == KEY and isinstance(column, CategoryColumn) and column.compare == AS_NUMBERS:
        allowed, what = ALLOWED[PERSON]
    if field.kind not in (*allowed, EMPTY):
        declared = "categories that are numbers" if numbers else column.kind
        better = INSTEAD.get(field.kind)
        otherwise = f'declare it with kind = "{better}"' if better and better != column.kind else "declare it otherwise"
        advice = f"Store it as {what}, or {otherwise}."
        if column.kind in (CATEGORY, KEY, PERSON) and field.kind in (WHOLE, NUMERIC, TRUTH):
            advice += f" {TYPED_BY_CELLS}"
        raise DataError(f"column {column.name!r} is declared as {declared} but stored as {field.stored}.", advice)
    if field.single:
        inexact = next((each for each in numbers if not _is_single(each)), None)
        if inexact is not None:
            raise DataError(
                f"column {column.name!r} is stored in single precision ({field.stored}), which has no "
                f"{one_line(inexact, LONGEST_NAME)}.",
                "Store it as a double, a decimal or text.",
            )


def _is_single(category: str) -> bool:
    """Tell whether a number is one of single precision exactly, as the double nearest to it is."""
    number = float(category)
    return bool(struct.unpack("f", struct.pack("f", number))[0] == number)


def absent(name: str, names: Sequence[str], *, certain: bool) -> DataError:
    """Return the refusal of a column that is not there: the columns there are, and the one that was meant.

    Where a file has no header its first row stands for the names: of these none is repeated but one that is hardly
    distinguishable from the name that is looked for.
    """
    told = f"It has {len(names)} column{'s' * (len(names) != 1)}"
    if certain and names:
        told += f": {', '.join(_shown(each) for each in names[:MOST_NAMES])}"
        told += f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    advice = "Names are compared exactly, capitals and spaces included; a file starts with a line of names."
    mark = next((each for each in SEPARATORS if not certain and len(names) == 1 and each in names[0]), None)
    if mark is not None:
        advice = f"Is {SEPARATORS[mark]} between its cells? {DECLARE_IT}"
    near = _nearest(name, names, least=CLOSE if certain else VERY_CLOSE)
    if near is not None:
        advice = f"Did you mean {_shown(near)}? {advice}"
    numbers = {} if mark is None else {"delimiter": mark}
    return DataError(f"the table has no column named {name!r}. {told}.", advice, absent=name, **numbers)


def _nearest(name: str, names: Sequence[str], *, least: float) -> str | None:
    """Return the name that is most like another, capitals and blanks aside."""
    small = {each.strip().casefold(): each for each in reversed(names) if len(each) <= 4 * LONGEST_NAME}
    found = difflib.get_close_matches(name.strip().casefold(), small, n=1, cutoff=least)
    return small[found[0]] if found else None


def _shown(name: str) -> str:
    return one_line(repr(name), LONGEST_NAME)


# Doubles

_NAN = " *[+-]?[nN][aA][nN] *"


def number_cell(field: Field, dialect: Dialect) -> str:
    """Return a cell as a double; NULL where it is missing, or text that is no number."""
    if field.kind == TEXT:
        assert dialect.number_from_text is not None, "no source of this engine has text for numbers"
        text, quoted = f"CAST({field.reads} AS {dialect.text})", dialect.quoted
        return dialect.number_from_text.format(text, quoted(field.numbers.pattern), field.numbers.plain(text, quoted))
    given = f"CAST({field.reads} AS {dialect.text})" if field.wide else field.reads
    return f"CAST({given} AS {dialect.double})"


def is_unread(text: str, dialect: Dialect) -> str:
    """Return a test whether there is a text, where none was read: NaN is how programs write that there is none."""
    return f"{text} IS NOT NULL AND NOT {dialect.matches.format(text, dialect.quoted(_NAN))}"


def is_number(x: str, dialect: Dialect) -> str:
    """Return a test whether a double is a number, an infinite one too: engines sort NaN above it."""
    return f"{x} <= {double_constant(math.inf, dialect)}"


def double_constant(value: float, dialect: Dialect) -> str:
    """Return a double as a constant of a statement."""
    if not math.isfinite(value):
        return dialect.infinity
    return f"CAST('{value + 0.0!r}' AS {dialect.double})"  # + 0.0: no negative zero
