"""Persons: at most so many rows of each, chosen by a hash of person and row, the same ones on every engine.

Room: tables. Writes SQL, runs nothing. The rows are levels: whole numbers, alike on every engine.

    copy   numbers the equal rows of a person: 1, 2, 3, ...
    lot    SHA-256 of salt, levels, copy and person, its first 60 bits
    kept   the rows of a person whose (lot, levels, copy) is among the `most` least

No two rows of a person have the same (levels, copy), so the order is total and the rows kept are a function of that
person's rows alone, as a bag: neither the order of the table nor anybody else matters. Without the copy equal rows
would be kept or left together. A row that names nobody is not kept.

Whoever has at most `most` rows keeps them all: only the rows of the others, the heavy persons, are numbered and hashed.
All of it is computed from one reading of the table, so that no person keeps more than `most` rows whatever happens to
the table meanwhile. The cells that a person counts in are chosen in the same way, by a hash of person and cell.
Theory: docs/theory/persons.md, (1)-(4) and (11)-(16).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.stored import WHOLE, Field

SEEN, FULL, HEAVY = "snapdp_seen", "snapdp_full", "snapdp_heavy"
UUID = "uuid"  # two of them are one if and only if their texts are, as with whole numbers


def person_key(field: Field, dialect: Dialect) -> str:
    """Return what tells persons apart: their exact text, or a whole number or UUID as it is stored.      theory (12)"""
    as_stored = field.kind == WHOLE or field.stored.lower() == UUID
    return field.reads if as_stored else dialect.exact_text.format(field.reads)


def person_text(keys: Collection[str], dialect: Dialect) -> str:
    """Return the text of a person: that of the one column; of several, each behind its length in bytes.  theory (11)"""
    texts = [f"({dialect.exact_text.format(key)})" for key in keys]
    if len(texts) == 1:
        return texts[0]
    return " || ".join(f"CAST({dialect.octets.format(text)} AS {dialect.text}) || ':' || {text}" for text in texts)


def named(keys: Collection[str]) -> str:
    """Return the condition that a row names somebody: no column of the person is missing."""
    return " AND ".join(f"{key} IS NOT NULL" for key in keys)


def kept_rows(
    levels: str, keys: Collection[str], names: Sequence[str], *, most: int, dialect: Dialect, salt: str
) -> str:
    """Return the table of levels and persons, without the rows beyond the first `most` of each person."""
    row = ", ".join([*keys, *names])
    seen = f"(SELECT {row}\nFROM {levels} AS levels\nWHERE {named(keys)})"
    copy = f"ROW_NUMBER() OVER (PARTITION BY {row} ORDER BY {', '.join(keys)})"
    numbers = [f"COALESCE(CAST({name} AS {dialect.text}), '')" for name in names]
    hashed = _hashed([*numbers, f"CAST(copy AS {dialect.text})"], keys, dialect=dialect, salt=salt)
    return _first(seen, keys, names, copy=copy, lot=hashed, most=most, dialect=dialect)


def chosen_cells(cells: str, keys: Collection[str], *, most: int, dialect: Dialect, salt: str) -> str:
    """Return persons and the codes of their cells, each pair once, without those beyond the first `most` of a person.

    cells   a table of persons and codes, each pair once
    """
    hashed = _hashed([f"CAST(code AS {dialect.text})"], keys, dialect=dialect, salt=salt)
    return _first(cells, keys, ["code"], copy="1", lot=hashed, most=most, dialect=dialect)


def count_kept(persons: str, keys: Collection[str], *, most: int) -> str:
    """Return the number of rows that are kept: of each person all, or `most`."""
    each = f"(SELECT COUNT(*) AS own\nFROM {persons} AS levels\nWHERE {named(keys)}\nGROUP BY {', '.join(keys)})"
    return f"SELECT COALESCE(SUM(CASE WHEN own < {most} THEN own ELSE {most} END), 0)\nFROM {each} AS persons"


def _hashed(parts: Sequence[str], keys: Collection[str], *, dialect: Dialect, salt: str) -> str:
    """Return the lot: of one text for each row, since the person, which may hold anything, comes last."""
    texts = ", ".join(["':'", dialect.quoted(salt), *parts, person_text(keys, dialect)])
    return dialect.lot.format(f"concat_ws({texts})")


def _first(
    rows: str, keys: Collection[str], names: Sequence[str], *, copy: str, lot: str, most: int, dialect: Dialect
) -> str:
    """Return the rows whose (lot, levels, copy) is among the `most` least of their person."""
    row, person = ", ".join([*keys, *names]), ", ".join(keys)
    # Engines place NULL differently: a level that is none stands before all others.
    order = ", ".join(["lot", *(f"COALESCE({name}, -1)" for name in names), "copy"])

    def placed(copies: str, lot: str) -> str:
        return (
            f"SELECT {row}\nFROM (SELECT {row}, ROW_NUMBER() OVER (PARTITION BY {person} ORDER BY {order}) AS place\n"
            f"FROM (SELECT {row}, copy, {lot} AS lot\nFROM ({copies}) AS copies) AS lots) AS places\n"
            f"WHERE place <= {most}"
        )

    if dialect.once is None:  # one reading, in which only the rows of heavy persons are hashed
        return f"({placed(_sized(rows, row, keys, names), f'CASE WHEN own > {most} THEN {lot} END')})"
    full, among = "", ""
    if dialect.bucket is not None:  # a person is heavy only where a bucket of several is: far fewer are counted
        bucket = dialect.bucket.format(person)
        full = f"{FULL} {dialect.once} (SELECT {bucket} AS bucket FROM {SEEN} GROUP BY 1 HAVING COUNT(*) > {most}),\n"
        among = f" WHERE {bucket} IN (SELECT bucket FROM {FULL})"
    same = " AND ".join(f"{HEAVY}.{key} = {SEEN}.{key}" for key in keys)
    heavy = f"EXISTS (SELECT 1 FROM {HEAVY} WHERE {same})"
    beyond = f"SELECT {row}, {copy} AS copy\nFROM (SELECT {row} FROM {SEEN} WHERE {heavy}) AS beyond"
    return (
        f"(WITH {SEEN} {dialect.once} {rows},\n{full}"
        f"{HEAVY} {dialect.once} (SELECT {person} FROM {SEEN}{among} GROUP BY {person} HAVING COUNT(*) > {most})\n"
        f"SELECT {row}\nFROM {SEEN}\nWHERE NOT {heavy}\nUNION ALL\n"
        f"{placed(beyond, lot)})"
    )


def _sized(rows: str, row: str, keys: Collection[str], names: Sequence[str]) -> str:
    """Return all rows with the number of their person's and their copy, by one window: one partition and one order.

    Equal rows stand beside each other and have the rank of the first of them: they are numbered from there.
    """
    window = f"PARTITION BY {', '.join(keys)} ORDER BY {', '.join(names or keys)}"
    every = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
    return (
        f"SELECT {row}, COUNT(*) OVER ({window} {every}) AS own,\n"
        f"ROW_NUMBER() OVER ({window}) - RANK() OVER ({window}) + 1 AS copy\nFROM {rows} AS named"
    )
