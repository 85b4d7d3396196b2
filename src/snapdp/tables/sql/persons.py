"""Persons: at most so many rows of each, chosen by a hash of person and row, the same ones on every engine.

Room: tables. Writes SQL, runs nothing. The rows are levels: whole numbers, alike on every engine.

    copy   numbers the equal rows of a person: 1, 2, 3, ...
    lot    SHA-256 of salt, levels, copy and person, its first 60 bits
    kept   the rows of a person whose (lot, levels, copy) is among the `most` least

No two rows of a person have the same (levels, copy), so the order is total and the rows kept are a function of that
person's rows alone, as a bag: neither the order of the table nor anybody else matters. Without the copy equal rows
would be kept or left together. A row that names nobody is not kept.
Theory: docs/theory/persons.md, (1)-(4).
"""

from __future__ import annotations

from collections.abc import Sequence

from snapdp.tables.sql.dialects import Dialect


def kept_rows(levels: str, names: Sequence[str], *, most: int, dialect: Dialect, salt: str) -> str:
    """Return the table of levels and person, without the rows beyond the first `most` of each person."""
    row = ", ".join(["person", *names])
    # Engines place NULL differently: a level that is none stands before all others.
    order = ", ".join(["lot", *(f"COALESCE({name}, -1)" for name in names), "copy"])
    return (
        f"(SELECT {row}\nFROM (SELECT {row}, ROW_NUMBER() OVER (PARTITION BY person ORDER BY {order}) AS place\n"
        f"FROM (SELECT {row}, copy, {dialect.lot.format(lot_text(names, dialect, salt))} AS lot\n"
        f"FROM (SELECT {row}, ROW_NUMBER() OVER (PARTITION BY {row} ORDER BY person) AS copy\n"
        f"FROM {levels} AS levels\nWHERE person IS NOT NULL) AS copies) AS lots) AS places\nWHERE place <= {most})"
    )


def lot_text(names: Sequence[str], dialect: Dialect, salt: str) -> str:
    """Return the text that is hashed: one text for each row, since the person, which may hold anything, comes last."""
    numbers = [f"COALESCE(CAST({name} AS {dialect.text}), '')" for name in names]
    parts = [dialect.quoted(salt), *numbers, f"CAST(copy AS {dialect.text})", "person"]
    return " || ':' || ".join(parts)
