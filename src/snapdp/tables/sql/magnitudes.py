"""A cell of a column of magnitudes to its place: comparisons with powers of two, which are doubles.

Room: tables. Writes SQL, runs nothing. What a place is, `studies.magnitudes` says. A cell is read as in every column of
numbers; a text that is no number is NaN here, which no number is, and what is missing is NULL. No cast and no
comparison can fail. Theory: docs/theory/exploring.md, (1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from snapdp.studies import MagnitudeColumn
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.doubles import double_constant, is_number, is_unread, number_cell
from snapdp.tables.sql.stored import TEXT, Field


def magnitude_cell(field: Field, dialect: Dialect) -> str:
    """Return a cell as a double: NaN where it is a text that is no number, NULL where it is missing."""
    read = number_cell(field, dialect)
    if field.kind != TEXT:
        return f"CASE WHEN {is_number(read, dialect)} THEN {read} END"
    text = dialect.exact_text.format(field.reads)
    return f"COALESCE({read}, CASE WHEN {is_unread(text, dialect)} THEN {dialect.nan} END)"


def magnitude_code(column: MagnitudeColumn, x: str, dialect: Dialect, *, unknown: str, null: str) -> str:
    """Return the place of a cell, found by halving; that of NaN, and that of NULL, are given."""
    powers = [math.ldexp(1.0, k) for k in range(column.lowest, column.highest + 1)]
    above = [double_constant(each, dialect) for each in powers]
    below = [double_constant(-each, dialect) for each in reversed(powers)]
    negative = _halving(f"{x} <= {{}}", below, range(column.zero))
    positive = _halving(f"{x} < {{}}", above, range(column.zero, column.places))
    return (
        f"CASE WHEN {x} IS NULL THEN {null} WHEN {x} < {double_constant(0.0, dialect)} THEN {negative} "
        f"WHEN {is_number(x, dialect)} THEN {positive} ELSE {unknown} END"
    )


def _halving(test: str, cuts: Sequence[str], places: Sequence[int]) -> str:
    """Return the first place whose cut passes the test, each before those behind it; the last one has no cut."""
    if len(places) == 1:
        return str(places[0])
    half = len(places) // 2
    inner = _halving(test, cuts[:half], places[:half]), _halving(test, cuts[half:], places[half:])
    return f"CASE WHEN {test.format(cuts[half - 1])} THEN {inner[0]} ELSE {inner[1]} END"
