"""Noninterference of counts of people, of bounds of a statistic's own, and of units of several rows.

One person comes or goes, with rows in one group, in several or in none, named by one column or by two; or several rows
do together. With bits that give the same indices nothing that can be seen differs; and no statistic moves by more than
it is charged for.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.observing import exact_numerators, request_of
from tests.properties.test_noninterference import (
    COLUMNS,
    ROWS,
    Pair,
    assert_nothing_is_told,
    study,
    writers,
)
from tests.tiers import first_of, those_in

GAPS = {name: {**each, "missing": "dropped"} if name in "xyk" else each for name, each in COLUMNS.items()}
GAPS["k"] |= {"kind": "category", "categories": [str(number) for number in range(-3, 41)]}  # 44 cells: the vector path
del GAPS["k"]["lower"], GAPS["k"]["upper"], GAPS["k"]["missing"]
HIGH = {"column": "x", "from": 750}
PEOPLE = [
    {"kind": "persons"},
    {"kind": "persons", "where": [HIGH]},
    {"kind": "persons", "by": "g", "groups_per_person": 2},
    {"kind": "persons", "by": "g", "groups_per_person": 1, "where": [HIGH]},
    {"kind": "persons", "by": "k", "groups_per_person": 5},
    {"kind": "persons", "by": ["g", "k"], "groups_per_person": 1, "margins": [[], ["g"], ["k"], ["g", "k"]]},
    {"kind": "sum", "column": "x"},
    {"kind": "sum", "column": "x", "rows_per_person": 4, "by": "g"},
    {"kind": "count", "rows_per_person": 1},
    {"kind": "mean", "column": "y", "rows_per_person": 2},
    {"kind": "variance", "column": "y", "rows_per_person": 2, "by": "g"},
    {"kind": "quantiles", "column": "y", "at": ["1/4", "3/4"], "rows_per_person": 2},
    {"kind": "count", "by": ["g", "k"]},
    {"kind": "mean", "column": "x", "by": "g", "where": [HIGH]},
    {"kind": "covariance", "columns": ["x", "y"], "where": [HIGH]},
    {"kind": "histogram", "column": "x", "edges": [500, 750, 1000], "missing": "binned", "by": "g"},
    {"kind": "histogram", "column": "k"},
]
TOGETHER = [
    {"kind": "count"},
    {"kind": "sum", "column": "x", "by": "g"},
    {"kind": "mean", "column": "y"},
    {"kind": "histogram", "column": "k"},
    {"kind": "quantiles", "column": "y", "branching": 2},
]
OTHERS = [(*row[:4], f"person {number % 3}") for number, row in enumerate(ROWS)]
BAGS = {  # the rows of somebody
    "one row": [(800.0, 1.0, 5.0, "a", "somebody")],
    "rows in several groups": [
        (500.0 + 100 * i, 1.0, float(i), ["a", "b", "?", None][i % 4], "somebody") for i in range(5)
    ],
    "rows in no group": [(None, None, None, "a", "somebody"), (700.0, 0.0, 99.0, "b", "somebody")],
    "the only rows of a group": [(900.0, 2.0, 7.0, "absent", "somebody")] * 7,
}  # fmt: skip


def asked(person: Any) -> dict[str, Any]:
    values = study("add-remove", 20, PEOPLE, **GAPS)
    return {**values, "person": person, "rows_per_person": 3}


def pair_of(name: str) -> Pair:
    nobody = (*ROWS[1][:4], None)
    return Pair("add-remove", 20, [*OTHERS, *BAGS[name], nobody], [*OTHERS, nobody])


SHORT = "rows in several groups"


def test_somebody_moves_one_cell_of_every_margin_and_so_spends_what_is_charged(tmp_path):
    """With rows in cells of several margins, more of them than are kept elsewhere; and with rows in no cell, none."""
    (number,) = (place for place, each in enumerate(PEOPLE) if "margins" in each)
    request = request_of(asked("h"))
    for name, moved in (("one row", 1), ("rows in several groups", 1), ("rows in no group", 0)):
        one, two = (exact_numerators(request, write(tmp_path))[number] for write in writers(pair_of(name), "csv"))
        moves = [sum(abs(int(x) - int(y)) for x, y in zip(*each, strict=True)) for each in zip(one, two, strict=True)]
        assert moves == [moved] * 4
        assert [sum(cells) for cells in one] == [int(one[0][0])] * 4  # all margins add up to the persons in the table


@pytest.mark.parametrize("name", those_in([SHORT], BAGS))
def test_a_person_who_is_counted_cannot_be_told_from_nobody(name, tmp_path, capfd):
    assert_nothing_is_told(pair_of(name), "csv", tmp_path, capfd, values=asked("h"))


@pytest.mark.parametrize("kind", first_of(["parquet", "pandas"]))
def test_a_person_whom_two_columns_name_cannot_be_told_from_nobody(kind, tmp_path, capfd):
    """Somebody of group a is another person than somebody of group b."""
    bag = BAGS["rows in several groups"]
    rest = [*OTHERS, *(row for row in bag if row[3] != "a")]
    pair = Pair("add-remove", 20, [*rest, *(row for row in bag if row[3] == "a")], rest)
    assert_nothing_is_told(pair, kind, tmp_path, capfd, values=asked(["h", "g"]))


def test_several_rows_together_cannot_be_told_from_none(tmp_path, capfd):
    values = {**study("add-remove", 20, TOGETHER, **GAPS), "unit_rows": 5}
    pair = Pair("add-remove", 20, [*OTHERS, *BAGS["rows in several groups"]], OTHERS)
    assert_nothing_is_told(pair, "csv", tmp_path, capfd, values=values)
