"""Rows that meet tests, rows with gaps, and persons: on every engine the integers that plain Python counts."""

from __future__ import annotations

import random

import pytest

from snapdp.studies.aggregates import Bins, Count, Levels, Persons, Present, Products, Sum
from snapdp.studies.columns import integer_column, number_column
from snapdp.studies.grouping.groups import binned
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.statistic import numerators
from snapdp.tables.engines.opening import open_table
from tests.unit.studies.test_aggregates import SOME, plain, random_table
from tests.unit.tables.everywhere import on_duckdb

WIDE = integer_column("x", lower=0, upper=2**31 - 1, missing="dropped")  # more than one piece of a sum on Spark
FILLED = integer_column("x", lower=0, upper=2**31 - 1, missing=2**31 - 1)
HIGH = (Levels(column=WIDE, start=2**30, below=2**31),)
PIECES = [
    Sum(column=WIDE),
    Sum(column=FILLED),
    Sum(column=WIDE, where=HIGH),
    Products(first=WIDE, second=FILLED, where=HIGH),
    Products(first=WIDE, second=WIDE),
]
NUMBERS = [0, 1, 2**21 - 1, 2**21, 2**30 - 1, 2**30, 2**31 - 1, None]


def test_rows_that_meet_tests_and_rows_with_gaps_are_counted(open_typed):
    """Compare all aggregates over a random table, and sums in pieces, with plain Python."""
    columns, levels = random_table(400)
    kinds = {"x": "bigint", "y": "double", "few": "text", "many": "text"}
    found = open_typed({name: (kinds[name], cells) for name, cells in columns.items()}).aggregates(SOME)
    assert found.rows == 400
    for asked in SOME:
        assert found[asked] == plain(asked, levels), asked
    sums = open_typed({"x": ("bigint", NUMBERS)}).aggregates(PIECES)
    there = [each for each in NUMBERS if each is not None]
    high = [each for each in there if each >= 2**30]
    wanted = [sum(there), sum(there) + 2**31 - 1, sum(high), *(sum(x * x for x in each) for each in (high, there))]
    assert [sums[each] for each in PIECES] == [(each,) for each in wanted]


# Means of several columns: one count, and sums over the same rows

GAPPY = [
    integer_column("x", lower=0, upper=9, missing="dropped"),
    number_column("y", lower=0, upper=4, step="1/2", missing="dropped"),
]


def test_complete_rows_are_those_that_have_all_columns(open_typed):
    """The sums of each column by itself would be over other rows; here every one of them is about the same."""
    table = households(20)
    (_, xs), (_, ys) = table["x"], table["y"]
    pairs = [(x, int(2 * y)) for x, y in zip(xs, ys, strict=True) if x is not None and y is not None]
    query = mean_query(GAPPY, change_one(n=60), complete=True)
    wanted = (*((sum(2 * pair[i] - column.levels for pair in pairs),) for i, column in enumerate(GAPPY)), (len(pairs),))
    found = numerators(query, open_typed(table).aggregates(query.aggregates))
    assert tuple(map(tuple, found)) == wanted
    assert 0 < len(pairs) < min(sum(cell is not None for cell in cells) for cells in (xs, ys))
    moments_are_over_the_same_rows(open_typed(table), list(zip(xs, ys, strict=True)))


def moments_are_over_the_same_rows(table, rows):
    """Sums, products and squares of two columns by groups: each by its definition, over the rows that have both."""
    x, y = GAPPY
    groups = binned(x, edges=[0, 5, 9])
    query = covariance_query(x, y, add_remove(n_max=99), by=groups, correlation=True)
    wanted = []
    for low, high in ((0, 5), (5, 10)):
        pairs = [(2 * x - 9, int(4 * y) - 8) for x, y in rows if x is not None and y is not None and low <= x < high]
        sums = [sum(pair[i] for pair in pairs) for i in (0, 1)]
        squares = [sum(2 * pair[i] ** 2 - levels**2 for pair in pairs) for i, levels in ((0, 9), (1, 8))]
        wanted.append([*sums, sum(a * b for a, b in pairs), *squares, len(pairs)])
    found = numerators(query, table.aggregates(query.aggregates))
    assert list(map(list, found)) == list(map(list, zip(*wanted, strict=True)))
    assert min(wanted[0][-1], wanted[1][-1]) > 1


# Persons


X = integer_column("x", lower=0, upper=9, missing="dropped")
Y = number_column("y", lower=0, upper=4, step="1/2", missing="middle")
ONE = Persons(columns=("who",), most=1)
PARTS = [  # of the rows that persons keep, each is in one of these
    Count(where=(Levels(column=X, start=0, below=5),), persons=ONE),
    Count(where=(Levels(column=X, start=5, below=10),), persons=ONE),
    Bins(column=X, cuts=(0, 5, 10), missing=True, persons=ONE),
    Count(where=(Present(column=X),), persons=ONE),
    Sum(column=X, persons=ONE),
    Sum(column=X, where=(Levels(column=X, start=0, below=5),), persons=ONE),
    Sum(column=X, where=(Levels(column=X, start=5, below=10),), persons=ONE),
    Sum(column=Y, persons=ONE),
]


def households(people: int) -> dict[str, tuple[str, list]]:
    """Return people with a row below 5, one from 5 on, and one without x."""
    rows = [(who, x) for who in range(people) for x in (who % 5, 5 + who % 5, None)]
    random.Random(people).shuffle(rows)
    ys = [None if row % 3 else float(row % 5) for row in range(len(rows))]
    who, xs = ([row[i] for row in rows] for i in range(2))
    return {"who": ("bigint", who), "x": ("bigint", xs), "y": ("double", ys)}


def test_conditions_choose_among_the_rows_that_persons_keep(open_typed, tmp_path):
    """With conditions first, a person would be counted in every part: three times as many."""
    found = open_typed(households(60)).aggregates(PARTS)
    assert found == on_duckdb(households(60), tmp_path).aggregates(PARTS)
    low, high, bins, present, total, below, above, _ = (found[each] for each in PARTS)
    assert low + high == bins[:2]
    assert sum(bins) == 60
    assert present == (low[0] + high[0],)
    assert total[0] == below[0] + above[0]
    assert all(bins)  # of 60 people some keep each kind of row


def test_a_condition_does_not_change_which_rows_are_kept():
    """The same rows are asked about with and without the condition: the columns of a request decide, not its tests."""
    cells = {name: values for name, (_, values) in households(40).items()}
    table = open_table(cells)
    alone = [table.aggregates([each, PARTS[4], PARTS[7]])[PARTS[4]] for each in PARTS]
    assert len(set(alone)) == 1


@pytest.mark.parametrize("cells", [[], [None], [None, None, 3]], ids=["no row", "a gap", "gaps"])
def test_sums_of_nobody_are_zero_and_gaps_have_their_bin(cells):
    asked = [Sum(column=X), Count(where=(Present(column=X),)), Bins(column=X, cuts=(0, 10), missing=True)]
    found = open_table({"x": cells}).aggregates(asked)
    there = [each for each in cells if each is not None]
    assert [found[each] for each in asked] == [(sum(there),), (len(there),), (len(there), len(cells) - len(there))]
