"""Persons: at most so many rows of each, chosen by a hash of person and row, the same ones on every engine.

Writes SQL, runs nothing. The rows are levels: whole numbers, alike on every engine.

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

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from snapdp.studies.aggregates import Aggregate
from snapdp.studies.grouping.keys import KeyColumn, keyed_groups
from snapdp.tables.sql.categories import category_cell, key_label
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.levels import cells_in_all, cells_of
from snapdp.tables.sql.stored import WHOLE, Field, Rows

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


# Groups by keys: a row has the code of the key that its cells are
#
# A table (k0, k1, ..., code) of keys is joined with the rows; keys are distinct, so no row is met twice, and a row that
# meets none is in no cell. As there may be millions of keys the engine answers with arrays, of the codes that some row
# has; every other cell is 0. Sums may leave 64 bits: they come in two pieces, and are put together as exact integers.
# Theory: docs/theory/exact-sums.md (8).

LIMB = 62  # bits of the lower piece of a sum
CODE, ABOVE = "code", "_above"  # of the columns that come back: the code, and the upper piece of a sum


class Columns(str):
    """A statement whose answer is read by columns: arrays of whole numbers, the first of them codes."""


def keyed_columns(column: KeyColumn) -> Sequence[KeyColumn]:
    """Return all columns of the keys that a column belongs to."""
    return keyed_groups(column.keys).columns  # type: ignore[return-value]


def key_cell(column: KeyColumn, field: Field, dialect: Dialect) -> str:
    """Return what a key is compared with: the text of a cell, or its number.

    Keys that are numbers are written as engines write whole numbers: stored ones are compared by their text.
    """
    return dialect.exact_text.format(field.reads) if field.kind == WHOLE else category_cell(column, field, dialect)


def joined_keys(column: KeyColumn, cell: str, rows: Rows, dialect: Dialect, *, name: str) -> str:
    """Return the join of rows with the table of keys by this name: all cells of a row are those of the key."""
    tests = []
    for place, each in enumerate(keyed_columns(column)):
        field, key = rows.field(each), f"{name}.k{place}"
        compared = key_label(each, key, field, dialect) if field.kind != WHOLE else key
        tests.append(f"{compared} = {cell}k{place}")
    return f"\nLEFT JOIN {name} ON {' AND '.join(tests)}"


def per_key(code: str, measures: Sequence[str], over: str) -> Columns:
    """Return a grouping by the codes that rows have: the code, then each measure, sums as quotient and rest."""
    shown = [CODE]
    for place, each in enumerate(measures):
        if each.startswith("SUM("):
            shown.append(f"CAST(COALESCE(m{place}, 0) // {1 << LIMB} AS BIGINT) AS m{place}{ABOVE}")
            shown.append(f"CAST(COALESCE(m{place}, 0) % {1 << LIMB} AS BIGINT) AS m{place}")
        else:
            shown.append(f"m{place}")
    inner = ", ".join(f"{each} AS m{i}" for i, each in enumerate(measures))
    return Columns(
        f"SELECT {', '.join(shown)}\nFROM (SELECT {code} AS code, {inner}\nFROM {over}\nGROUP BY 1) AS found\n"
        "WHERE code IS NOT NULL"
    )


def array_answers(
    asked: Sequence[Aggregate], places: Sequence[Sequence[int]], columns: Mapping[str, Any], *, coded: bool
) -> dict[Aggregate, Any]:
    """Return the answers to aggregates by keys: arrays with one exact integer for each cell.

    columns   codes and measures, as `per_key` selects them
    coded     there is one measure, and the cells of one aggregate stand behind those of another
    """
    import numpy as np

    answers = {}
    if coded:
        every = _dense(columns[CODE], columns["m0"], sum(map(cells_in_all, asked)))
        ends = np.cumsum([cells_in_all(each) for each in asked]).tolist()
        for each, end in zip(asked, ends, strict=True):
            answers[each] = every[end - cells_in_all(each) : end]
        return answers
    measures = [name for name in columns if name != CODE and not name.endswith(ABOVE)]
    measured = [_together(columns[name], columns.get(f"{name}{ABOVE}")) for name in measures]
    for each, own in zip(asked, places, strict=True):
        assert each.by is not None
        cells = each.by.cells
        found = cells_of(each, [_dense(columns[CODE], measured[place], cells) for place in own], None)
        answers[each] = found[0] if len(found) == 1 else np.stack(found, axis=1).ravel()
    return answers


def _together(rest: Any, above: Any) -> Any:
    """Return above * 2**LIMB + rest; where a sum leaves 64 bits, as integers of any length."""
    if above is None or not above.any():
        return rest
    return above.astype(object) * (1 << LIMB) + rest.astype(object)


def _dense(codes: Any, numbers: Any, cells: int) -> Any:
    """Return one number for each cell: 0 where no row has its code."""
    import numpy as np

    found = np.zeros(cells, dtype=numbers.dtype)
    found[codes] = numbers
    return found
