"""Groups by keys in SQL: a row has the code of the key that its cells are, and what comes back are columns of numbers.

Room: tables. Writes SQL, runs nothing, and makes answers of what came back. A table (k0, k1, ..., code) of keys is
joined with the rows; keys are distinct, so no row is met twice, and a row that meets none is in no cell. As there may
be millions of keys the engine answers with arrays, of the codes that some row has; every other cell is 0. Sums may
leave 64 bits: they come in two pieces, and are put together as exact integers. Theory: docs/theory/exact-sums.md (8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snapdp.studies import Aggregate, KeyColumn, keyed_groups
from snapdp.tables.sql.categories import category_cell, key_label
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.measures import cells_in_all, cells_of
from snapdp.tables.sql.stored import WHOLE, Field, Rows

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
        if _is_sum(each):
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

    answers: dict[Aggregate, Any] = {}
    if coded:
        every = _dense(columns[CODE], columns["m0"], sum(map(cells_in_all, asked)))
        ends = np.cumsum([cells_in_all(each) for each in asked]).tolist()
        for each, end in zip(asked, ends, strict=True):
            answers[each] = every[end - cells_in_all(each) : end]
        return answers
    measured = _measures(columns)
    for each, own in zip(asked, places, strict=True):
        assert each.by is not None
        cells = each.by.cells
        found = cells_of(each, [_dense(columns[CODE], measured[place], cells) for place in own], None)
        answers[each] = found[0] if len(found) == 1 else np.stack(found, axis=1).ravel()
    return answers


def _measures(columns: Mapping[str, Any]) -> list[Any]:
    """Return the numbers of each measure: of a sum, its pieces together."""
    names = [name for name in columns if name != CODE and not name.endswith(ABOVE)]
    return [_together(columns[name], columns.get(f"{name}{ABOVE}")) for name in names]


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


def _is_sum(measure: str) -> bool:
    return measure.startswith("SUM(")
