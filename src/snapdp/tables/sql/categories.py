"""Cells of category and magnitude columns to their places, in SQL that no cell can stop.

This writes SQL and runs nothing. What a cell means is defined in `studies.categories` and `studies.columns`. Casts
of text stand behind a pattern that lets through nothing they could fail on; dates are computed with whole numbers
alone, from yyyymmdd:

    ordinal = 365 z + z/4 - z/100 + z/400 + (367 m - 362)/12 - {0, 1, 2} + d,  z = y - 1      theory, exact-sums (13)

A cell that is present and means nothing is a stand-in that is no category: ODD among numbers, 2 among booleans, the day
0 among dates. Magnitudes are compared with powers of two, which are doubles: a text that is no number is NaN, which is
in no place, and what is missing is NULL. Theory: docs/theory/exact-sums.md, (13); docs/theory/exploring.md, (1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from snapdp.studies.categories import (
    DAY,
    FALSE_WORD,
    ISO_DATE,
    MONTH,
    ONE,
    PLAIN_NUMBER,
    TRUE_WORD,
    YEAR,
    ZERO,
    BooleanColumn,
    DateColumn,
)
from snapdp.studies.columns import AS_NUMBERS, BINNED, CategoryColumn, MagnitudeColumn
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.stored import (
    CALENDAR,
    EMPTY,
    LABEL,
    NUMERIC,
    PLAIN,
    TEXT,
    TRUTH,
    WHOLE,
    Field,
    double_constant,
    is_number,
    is_unread,
    number_cell,
)

ODD = "1" + "0" * 20  # farther from zero than any category, and still a decimal of every engine


def category_cell(column: CategoryColumn, field: Field, dialect: Dialect) -> str:
    """Return what is read of a cell: text, a number, 0 or 1, or yyyymmdd; NULL where it is missing."""
    if isinstance(column, DateColumn):
        return calendar_day(field, dialect)
    if isinstance(column, BooleanColumn):
        return truth(field, dialect)
    if column.compare == AS_NUMBERS:
        return _number(field, dialect)
    return dialect.exact_text.format(field.reads)


def category_code(column: CategoryColumn, cell: str, field: Field, dialect: Dialect, *, keys: str | None) -> str:
    """Return the place of a cell among the labels; NULL where it is in none. `keys`: the table that has the list."""
    after = len(column.categories)
    unknown = str(after) if column.unknown == BINNED else "NULL"
    null = str(after + (column.unknown == BINNED)) if column.null == BINNED else "NULL"
    if keys is not None:
        return f"CASE WHEN {cell} IS NULL THEN {null} ELSE COALESCE({keys}.code, {unknown}) END"
    if isinstance(column, MagnitudeColumn):
        # The place of a cell, found by halving; that of NaN, and that of NULL, are given.
        powers = [math.ldexp(1.0, k) for k in range(column.lowest, column.highest + 1)]
        above = [double_constant(each, dialect) for each in powers]
        below = [double_constant(-each, dialect) for each in reversed(powers)]
        negative = _halving(f"{cell} <= {{}}", below, range(column.zero))
        positive = _halving(f"{cell} < {{}}", above, range(column.zero, column.places))
        return (
            f"CASE WHEN {cell} IS NULL THEN {null} WHEN {cell} < {double_constant(0.0, dialect)} THEN {negative} "
            f"WHEN {is_number(cell, dialect)} THEN {positive} ELSE {unknown} END"
        )
    if isinstance(column, DateColumn):
        first, last = (day.isoformat().replace("-", "") for day in (column.first, column.last))
        inside, place = is_day(cell, dialect), _period(column, cell, dialect)
        return (
            f"CASE WHEN {cell} IS NULL THEN {null} WHEN {cell} >= {int(first)} AND {cell} <= {int(last)} AND {inside} "
            f"THEN {place} ELSE {unknown} END"
        )
    labels = ("0", "1") if isinstance(column, BooleanColumn) else column.categories
    known = " ".join(
        f"WHEN {cell} = {_constant(column, each, field, dialect)} THEN {code}" for code, each in enumerate(labels)
    )
    return f"CASE WHEN {cell} IS NULL THEN {null} {known} ELSE {unknown} END"


def key_label(column: CategoryColumn, label: str, field: Field, dialect: Dialect) -> str:
    """Return a label in a table of the list as what its cells are compared with."""
    return f"CAST({label} AS {_type(field, dialect)})" if column.compare == AS_NUMBERS else label


def _constant(column: CategoryColumn, text: str, field: Field, dialect: Dialect) -> str:
    if isinstance(column, BooleanColumn) and field.kind not in (WHOLE, NUMERIC):
        return text
    if isinstance(column, BooleanColumn) or column.compare == AS_NUMBERS:
        return f"CAST('{text}' AS {_type(field, dialect)})"
    return dialect.quoted(text)


def _type(field: Field, dialect: Dialect) -> str:
    """Return the type in which numbers are compared: decimals are exact; doubles are, where both sides are."""
    return dialect.double if field.kind == NUMERIC and not field.decimal else dialect.decimal


def _number(field: Field, dialect: Dialect) -> str:
    if field.kind == EMPTY:
        return f"CAST(NULL AS {dialect.decimal})"
    if field.kind == NUMERIC and not field.decimal:
        x = f"CAST({field.reads} AS {dialect.double})"
        return f"CASE WHEN {is_number(x, dialect)} THEN {x} END"
    odd = f"CAST('{ODD}' AS {dialect.decimal})"
    if field.kind == NUMERIC:
        exact = dialect.same_decimal.format(field.decimal, field.stored)
        return f"CASE WHEN {field.decimal} IS NULL THEN NULL ELSE COALESCE({exact}, {odd}) END"
    text, quoted = dialect.exact_text.format(field.reads), dialect.quoted
    read, plain = field.numbers.plain(text, quoted), _is_number(text, PLAIN_NUMBER, field, dialect)
    return f"CASE WHEN {text} IS NULL THEN NULL WHEN {plain} THEN {dialect.plain_number.format(read)} ELSE {odd} END"


def truth(field: Field, dialect: Dialect) -> str:
    if field.kind == TRUTH:
        return f"CASE WHEN {field.reads} THEN 1 WHEN NOT {field.reads} THEN 0 END"
    if field.kind not in (TEXT, LABEL):
        return _number(field, dialect)
    text = dialect.exact_text.format(field.reads)
    true, false = (
        f"{dialect.matches.format(text, dialect.quoted(word))} OR {_is_number(text, number, field, dialect)}"
        for word, number in ((TRUE_WORD, ONE), (FALSE_WORD, ZERO))
    )
    return f"CASE WHEN {text} IS NULL THEN NULL WHEN {true} THEN 1 WHEN {false} THEN 0 ELSE 2 END"


def _is_number(text: str, pattern: str, field: Field, dialect: Dialect) -> str:
    """Return a test whether a text, written with the signs of its file, is a number of some form."""
    found = dialect.matches.format(field.numbers.plain(text, dialect.quoted), dialect.quoted(pattern))
    if field.numbers == PLAIN:
        return found
    return f"({dialect.matches.format(text, dialect.quoted(field.numbers.pattern))} AND {found})"


# Dates


def calendar_day(field: Field, dialect: Dialect) -> str:
    """Return yyyymmdd, 0 for what is no date between the years 1 and 9999; 30 February is looked at later."""
    if field.kind == EMPTY:
        return f"CAST(NULL AS {dialect.narrow})"
    if field.kind == CALENDAR:
        day = field.day
        parts = zip(("YEAR", "MONTH", "DAY"), (10000, 100, 1), strict=True)
        number = " + ".join(f"CAST(EXTRACT({part} FROM {day}) AS {dialect.narrow}) * {times}" for part, times in parts)
        inside = f"{day} >= DATE '0001-01-01' AND {day} <= DATE '9999-12-31'"
        return f"CASE WHEN {field.reads} IS NULL THEN NULL WHEN {inside} THEN {number} ELSE 0 END"
    text = dialect.exact_text.format(field.reads)
    dated = dialect.matches.format(text, dialect.quoted(ISO_DATE))
    digits = dialect.whole_number.format(f"REPLACE(SUBSTR(TRIM({text}), 1, 10), '-', '')")
    return f"CASE WHEN {text} IS NULL THEN NULL WHEN {dated} THEN {digits} ELSE 0 END"


def is_day(p: str, dialect: Dialect) -> str:
    """Return a test whether yyyymmdd, in a year from 0 on, is a day of the calendar."""
    y, m, d = _parts(p, dialect)
    length = f"CASE WHEN {m} IN (4, 6, 9, 11) THEN 30 WHEN {m} <> 2 THEN 31 WHEN {_is_leap(y)} THEN 29 ELSE 28 END"
    return f"{m} >= 1 AND {m} <= 12 AND {d} >= 1 AND {d} <= {length}"


def _period(column: DateColumn, p: str, dialect: Dialect) -> str:
    """Return the position of the period of a day that is inside."""
    y, m, d = _parts(p, dialect)
    first = column.first
    if column.each == YEAR:
        return f"{y} - {first.year}"
    if column.each == MONTH:
        return f"{y} * 12 + {m} - {first.year * 12 + first.month}"
    z = f"({y} - 1)"
    years = f"365 * {z} + {_over(z, 4, dialect)} - {_over(z, 100, dialect)} + {_over(z, 400, dialect)}"
    shorter = f"CASE WHEN {m} <= 2 THEN 0 WHEN {_is_leap(y)} THEN 1 ELSE 2 END"
    ordinal = f"{years} + {_over(f'(367 * {m} - 362)', 12, dialect)} - {shorter} + {d}"
    if column.each == DAY:
        return f"{ordinal} - {first.toordinal()}"
    monday = first.toordinal() - first.weekday()
    return _over(f"({ordinal} - {monday})", 7, dialect)


def _parts(p: str, dialect: Dialect) -> tuple[str, str, str]:
    return _over(p, 10000, dialect), f"({_over(p, 100, dialect)} % 100)", f"({p} % 100)"


def _is_leap(y: str) -> str:
    return f"{y} % 4 = 0 AND ({y} % 100 <> 0 OR {y} % 400 = 0)"


def _over(number: str, divisor: int, dialect: Dialect) -> str:
    """Return the quotient of whole numbers that are not negative."""
    return dialect.whole_quotient.format(number, divisor)


def epoch_day(count: str, *, per_day: int, dialect: Dialect) -> str:
    """Return the whole days in a number of units since 1970, rounded down; nothing here can overflow."""
    return f"({dialect.whole_quotient.format(count, per_day)} - CASE WHEN {count} % {per_day} < 0 THEN 1 ELSE 0 END)"


# Magnitudes


def magnitude_cell(field: Field, dialect: Dialect) -> str:
    """Return a cell as a double: NaN where it is a text that is no number, NULL where it is missing."""
    read = number_cell(field, dialect)
    if field.kind != TEXT:
        return f"CASE WHEN {is_number(read, dialect)} THEN {read} END"
    text = dialect.exact_text.format(field.reads)
    return f"COALESCE({read}, CASE WHEN {is_unread(text, dialect)} THEN {dialect.nan} END)"


def _halving(test: str, cuts: Sequence[str], places: Sequence[int]) -> str:
    """Return the first place whose cut passes the test, each before those behind it; the last one has no cut."""
    if len(places) == 1:
        return str(places[0])
    half = len(places) // 2
    inner = _halving(test, cuts[:half], places[:half]), _halving(test, cuts[half:], places[half:])
    return f"CASE WHEN {test.format(cuts[half - 1])} THEN {inner[0]} ELSE {inner[1]} END"
