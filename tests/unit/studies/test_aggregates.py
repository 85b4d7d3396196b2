"""Requests and answers: counts, sums and histograms against plain Python, groups from declared keys, empty tables."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from snapdp.errors import ParameterError
from snapdp.studies.aggregates import (
    Bins,
    Categories,
    Count,
    LevelCounts,
    Levels,
    Member,
    Present,
    Products,
    Sum,
)
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.grouping.groups import BinnedColumn, binned
from snapdp.studies.quantiser import first_level_above, first_level_from
from snapdp.tables.engines.opening import open_table

X = integer_column("x", lower=-5, upper=200, missing=0)
Y = number_column("y", lower=0, upper=8, step="1/4", missing="middle")
FEW = category_column("few", categories=["a", "b", "absent"], unknown="binned", null="dropped")
MANY = category_column("many", categories=[f"k{i}" for i in range(70)], unknown="dropped", null="binned")
ASKED = [
    Count(),
    Count(where=(Levels(column=X, start=10, below=50), Member(column=FEW, category="b"))),
    Count(where=(Member(column=MANY, category="k3"),), by=FEW),
    Sum(column=X),
    Sum(column=X, by=FEW),
    Sum(column=X, by=MANY),
    Products(first=X, second=X),
    Products(first=X, second=Y, by=FEW),
    Bins(column=X, cuts=(0, 10, 10, 100)),
    Bins(column=X, cuts=tuple(range(0, 206, 2))),
    Bins(column=X, cuts=tuple(range(0, 206, 2)), by=FEW),
    Bins(column=Y, cuts=(4, 8), by=MANY),
    Categories(column=FEW),
    Categories(column=MANY),
    Categories(column=MANY, by=FEW),
    Categories(column=FEW, by=MANY),
    LevelCounts(column=X),
    LevelCounts(column=Y, by=FEW),
]
# A missing cell has no level, and adds what stands in for it, or nothing.
GAPS = integer_column("x", lower=-5, upper=200, missing="dropped")
FILLED = number_column("y", lower=0, upper=8, step="1/4", missing=3)
TESTS = (Present(column=GAPS), Member(column=FEW, category="b"), Levels(column=FILLED, start=0, below=20))
CUTS = tuple(range(0, 206, 2))
SOME = [
    Count(where=TESTS[:1]),
    Count(where=TESTS),
    Count(where=TESTS[:1], by=MANY),
    Count(where=(Levels(column=GAPS, start=0, below=206),), by=FEW),
    Sum(column=GAPS),
    Sum(column=FILLED),
    Sum(column=GAPS, where=TESTS[1:], by=MANY),
    Sum(column=FILLED, where=TESTS[:2], by=FEW),
    Products(first=GAPS, second=FILLED, where=TESTS[1:]),
    Products(first=GAPS, second=GAPS, by=FEW),
    Products(first=GAPS, second=FILLED, where=TESTS[:2], by=MANY),
    Bins(column=GAPS, cuts=(0, 10, 100)),
    Bins(column=GAPS, cuts=(0, 10, 100), missing=True),
    Bins(column=GAPS, cuts=(5, 100), missing=True, where=TESTS[1:], by=FEW),
    Bins(column=GAPS, cuts=CUTS, missing=True),
    Bins(column=GAPS, cuts=CUTS, missing=True, where=TESTS[2:], by=FEW),
    Bins(column=GAPS, cuts=CUTS, where=TESTS[:2]),
    Categories(column=FEW, where=TESTS[:1]),
    Categories(column=MANY, where=TESTS[2:]),
    Categories(column=MANY, where=TESTS, by=FEW),
    LevelCounts(column=GAPS),
    LevelCounts(column=FILLED),
    LevelCounts(column=GAPS, where=TESTS[1:]),
    LevelCounts(column=FILLED, where=TESTS[:2], by=FEW),
]
# Groups by several columns, and by bins of numbers.
AGES = binned(GAPS, edges=[0, 18, 65, 120])
EVERYBODY = binned(GAPS, edges=[0, 18, 65, 120], outside="binned", null="binned")
HALVES = binned(FILLED, edges=[0, "5/2", 8], outside="binned", null="binned")  # no room outside
SEVERAL = [
    Count(by=AGES),
    Count(by=[EVERYBODY]),
    Count(by=[FEW, MANY]),
    Count(by=[MANY, FEW], where=TESTS[:1]),
    Count(by=[FEW, EVERYBODY, HALVES]),
    Sum(column=GAPS, by=[AGES, FEW]),
    Sum(column=GAPS, by=[HALVES, EVERYBODY], where=TESTS[1:]),
    Products(first=GAPS, second=FILLED, by=[EVERYBODY, FEW]),
    Bins(column=GAPS, cuts=(0, 10, 100), missing=True, by=[FEW, HALVES]),
    Bins(column=GAPS, cuts=CUTS, missing=True, by=[FEW, HALVES], where=TESTS[2:]),
    Categories(column=FEW, by=[MANY, AGES]),
    Categories(column=MANY, by=[EVERYBODY, FEW]),
    LevelCounts(column=FILLED, by=[AGES, FEW]),
]


def cells_of(column, label) -> int | None:
    """Return the cell of a category, in plain Python."""
    special = {"unknown": len(column.categories), "null": len(column.categories) + (column.unknown == "binned")}
    if label is None:
        return special["null"] if column.null == "binned" else None
    if label in column.categories:
        return column.categories.index(label)
    return special["unknown"] if column.unknown == "binned" else None


def plain(asked, rows) -> tuple[int, ...]:
    """Return the answer to a request by going through rows of (x, y, few, many) levels."""
    place = {"x": 0, "y": 1, "few": 2, "many": 3}

    def level(row, column):
        return row[place[column.name]]

    def met(row, test):
        found = level(row, test.column)
        if isinstance(test, Member):
            return found == test.column.categories.index(test.category)
        return found is not None and (isinstance(test, Present) or test.start <= found < test.below)

    def added(row, column):
        """Return what a row adds to a sum: None where it adds nothing."""
        found, missing = level(row, column), column.missing
        return int((missing - column.lower) / column.step) if found is None and missing is not None else found

    def answer(group):
        if isinstance(asked, Count):
            return [len(group)]
        if isinstance(asked, Sum):
            return [sum(added(row, asked.column) or 0 for row in group)]
        if isinstance(asked, Products):
            return [sum((added(row, asked.first) or 0) * (added(row, asked.second) or 0) for row in group)]
        if isinstance(asked, Categories):
            return [sum(level(row, asked.column) == cell for row in group) for cell in range(asked.column.cells)]
        if isinstance(asked, LevelCounts):
            found = [added(row, asked.column) for row in group]
            return [found.count(q) for q in range(asked.cells)]
        levels = [level(row, asked.column) for row in group]
        ends = list(zip(asked.cuts, asked.cuts[1:], strict=False))
        bins = [sum(each is not None and low <= each < high for each in levels) for low, high in ends]
        return [*bins, *([levels.count(None)] if asked.missing else [])]

    rows = [row for row in rows if all(met(row, test) for test in asked.where)]
    if asked.by is None:
        return tuple(answer(rows))
    cells = product(*(range(column.cells) for column in asked.by.columns))
    groups = (
        [row for row in rows if tuple(place_of(c, level(row, c)) for c in asked.by.columns) == cell] for cell in cells
    )
    return tuple(value for group in groups for value in answer(group))


def place_of(column, level) -> int | None:
    """Return the place of a row among the cells of a column, from its level; of a bin by its edges."""
    if not isinstance(column, BinnedColumn):
        return level
    inside, below, above = column.outside == "binned", column.edges[0] > column.lower, column.edges[-1] < column.upper
    first = inside and below
    if level is None:
        return column.cells - 1 if column.null == "binned" else None
    x, edges = column.lower + level * column.step, column.edges
    if x < edges[0]:
        return 0 if inside else None
    if x > edges[-1]:
        return first + len(edges) - 1 if inside and above else None
    return first + min(sum(edge <= x for edge in edges), len(edges) - 1) - 1


def random_table(count: int):
    draw = random.Random(count)
    raw = [
        (
            draw.choice([None, draw.randrange(-5, 201)]),
            draw.choice([draw.randrange(33) / 4, None]),
            draw.choice(["a", "b", "A", "", None]),
            draw.choice([f"k{draw.randrange(80)}", None]),
        )
        for _ in range(count)
    ]
    levels = [
        (
            None if x is None else x + 5,
            None if y is None else int(y * 4),
            cells_of(FEW, few),
            cells_of(MANY, many),
        )
        for x, y, few, many in raw
    ]
    return {name: [row[i] for row in raw] for i, name in enumerate(("x", "y", "few", "many"))}, levels


@pytest.mark.parametrize("count", [0, 1, 2, 500, pytest.param(3000, marks=pytest.mark.long)])
@pytest.mark.parametrize("every", [ASKED, SOME, SEVERAL], ids=["plain", "tests and gaps", "several columns and bins"])
def test_every_request_is_answered_as_plain_python_does(every, count):
    columns, levels = random_table(count)
    found = open_table(columns).aggregates(every)
    for asked in every:
        assert found[asked] == plain(asked, levels), asked
        assert all(type(each) is int for each in found[asked])
    assert found.rows == count
    assert count <= 2 or all(any(found[asked]) for asked in every)


def test_sums_over_no_rows_are_zero_and_declared_keys_keep_their_cells():
    empty = open_table({"x": [], "y": [], "few": [], "many": []}).aggregates(ASKED)
    for asked in ASKED:
        groups = asked.by.cells if asked.by else 1
        assert empty[asked] == (0,) * (groups * asked.cells)


def test_a_table_without_requests_still_tells_its_rows():
    found = open_table({"x": [1, 2, 3]}).aggregates([])
    assert (found.rows, len(found)) == (3, 0)


def test_requests_asked_alone_or_together_have_the_same_answers():
    columns, _ = random_table(500)
    table = open_table(columns)
    every = [*ASKED, *SOME, *SEVERAL]
    together = table.aggregates(every)
    for asked in every:
        assert table.aggregates([asked])[asked] == together[asked]
    assert table.aggregates(reversed(every)) == together == table.aggregates(every * 2)


def test_a_hundred_thousand_declared_keys():
    keys = category_column("key", categories=[f"key {i}" for i in range(100_000)], unknown="binned")
    draw = np.random.default_rng(1)
    chosen = draw.integers(0, 100_100, 50_000)
    found = open_table({"key": np.array([f"key {i}" for i in chosen], dtype=object)}).aggregates([Count(by=keys)])
    expected = np.bincount(np.minimum(chosen, 100_000), minlength=100_001)
    assert found[Count(by=keys)] == tuple(expected.tolist())


@pytest.mark.parametrize("count", [62, 63, 64, 65])
def test_cells_next_to_the_number_from_which_on_they_are_counted_otherwise(count):
    edge = category_column("c", categories=[str(i) for i in range(count)], unknown="binned", null="binned")
    cells = ["0", None, "x", str(count - 1), None]
    found = open_table({"c": cells}).aggregates([Categories(column=edge), Count(by=edge)])
    assert found[Categories(column=edge)] == found[Count(by=edge)] == (1, *[0] * (count - 2), 1, 1, 2)


def test_the_statement_is_the_text_that_runs_over_the_source_itself(tmp_path):
    path = tmp_path / "it's.csv"
    path.write_text("x\n1\n")
    text = open_table(path).statement([Sum(column=X)])
    assert "it''s.csv" in text
    assert "ignore_errors = false" in text
    assert "auto_detect = false" in text


def test_answers_do_not_print_what_they_hold():
    found = open_table({"x": [123]}).aggregates([Sum(column=X)])
    assert "128" not in repr(found)
    assert "128" not in str(found)


def test_levels_at_values_on_and_between_steps():
    for value, at_least, above in [("0", 0, 1), ("1/4", 1, 2), ("1/8", 1, 1), ("8", 32, 33), ("9", 33, 33)]:
        assert first_level_from(Y, Fraction(value)) == at_least
        assert first_level_above(Y, Fraction(value)) == above
    assert first_level_from(Y, Fraction(-3)) == 0


def test_requests_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="no declared category"):
        Member(column=FEW, category="A")
    for cuts in ((), (1,), (2, 1)):
        with pytest.raises(ParameterError, match="do not increase"):
            Bins(column=X, cuts=cuts)
