"""Cells of numbers as doubles: how they are read, what is told from a missing one, and doubles as constants.

Room: tables. Writes SQL, runs nothing. Text is read by the pattern of its source alone; what does not match is NULL, as
NULL and NaN are missing. Theory: docs/theory/exact-sums.md, (2).
"""

from __future__ import annotations

import math

from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.stored import TEXT, Field

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
