"""Means of several columns with one count: what they charge, proven by enumerating all small tables, and what they are.

A row is (x, y, z, group); None stands for a missing cell. Statistics are computed from the rows by their definition.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

import pytest

from snapdp.errors import ParameterError, PremiseError, SnapdpError
from snapdp.studies.aggregates import Present
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import Line, ask
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.mean import MOST_COLUMNS, Mean, mean_query
from snapdp.studies.statistics.statistic import aggregates_of, numerators
from snapdp.studies.study_file import study_from_values
from snapdp.tables.engines.opening import open_table
from tests.unit.studies.statistics.enumeration import Extremes, grid_values, proven

F = Fraction
PLACES = {"x": 0, "y": 1, "z": 2}
GROUP = category_column("g", categories=["a", "b"])


def columns_of(*rules):
    """Return columns x, y and z, as many as there are rules for their missing cells: of unlike widths and steps."""
    made = [
        lambda rule: integer_column("x", lower=0, upper=1, missing=rule),
        lambda rule: number_column("y", lower=4, upper=8, step=4, missing=rule),
        lambda rule: number_column("z", lower=500, upper="500.5", step="1/2", missing=rule),
    ]
    return [make(rule) for make, rule in zip(made, rules, strict=False)]


def rows_of(columns, groups=("a",)):
    """Return every row: each cell on the grid, or missing."""
    cells = [[*grid_values(column), None] for column in columns] + [[None]] * (3 - len(columns))
    return list(product(*cells, groups))


def by_definition(query, table):
    """Return the numerator of every cell of every part: of the rows that have all that is dropped where missing."""
    found = []
    for key in [None] if query.by is None else query.by.columns[0].categories:
        rows = [row for row in table if key in (None, row[3])]
        rows = [row for row in rows if all(row[3] == test.equals for test in query.where)]
        rows = [row for row in rows if all(row[PLACES[c.name]] is not None for c in query.columns if c.dropped)]
        cells = [[c.missing if (x := row[PLACES[c.name]]) is None else x for row in rows] for c in query.columns]
        if query.count_share is None:
            found.append([sum(xs) / len(rows) for xs in cells])
        else:
            found.append(
                [*(sum(x - c.middle for x in xs) for c, xs in zip(query.columns, cells, strict=True)), len(rows)]
            )
    parts = zip(query.parts, zip(*found, strict=True), strict=True)
    return [[(F(x) - part.numerator.shift) / part.numerator.factor for x in cells] for part, cells in parts]


RULES = {
    "both dropped": ("dropped", "dropped"),
    "one dropped": ("dropped", "middle"),
    "three, all dropped": ("dropped", "dropped", "dropped"),
}
rules = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
FEW = pytest.mark.parametrize("rows", [1, pytest.param(2, marks=pytest.mark.long)])


@rules
@FEW
def test_change_one_means_of_complete_rows_have_a_count_at_half_of_epsilon_for_nothing(rule, rows):
    columns = columns_of(*rule)
    query = mean_query(columns, change_one(n=rows), complete=True)
    found = proven(query, rows_of(columns), by_definition)
    *sums, count = query.parts
    assert [part.share for part in sums] == [F(1, len(columns))] * len(columns)
    assert count.share == F(1, 2)
    stays, stops = F(1), F(1, 2)  # of the sensitivity of each sum
    assert (*[stays] * len(columns), 0) in found.moves
    assert (*[stops] * len(columns), 1) in found.moves
    assert max(max(each[:-1]) for each in found.moves if each[-1]) == stops


def test_change_one_two_rows_of_two_columns_are_proven_in_the_default_suite():
    columns = columns_of("dropped", "dropped")
    proven(mean_query(columns, change_one(n=2), complete=True), rows_of(columns), by_definition)


@rules
@FEW
@pytest.mark.parametrize("share", [None, "1/5"])
def test_add_remove_means_share_epsilon_with_one_count(rule, rows, share):
    columns = columns_of(*rule)
    query = mean_query(columns, add_remove(n_max=rows), complete=True, count_share=share)
    proven(query, rows_of(columns), by_definition)
    *sums, count = query.parts
    assert sum(part.share for part in sums) + count.share == 1
    assert len({part.share for part in sums}) == 1
    assert [part.numerator.statistic_sensitivity for part in sums] == [(c.upper - c.lower) / 2 for c in columns]


@pytest.mark.parametrize("relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"])
def test_means_where_something_stands_in_and_by_groups_and_conditions_charge_what_they_lose(relation):
    middle, gone = columns_of("middle", "4"), columns_of("dropped", "dropped")
    north = [condition(GROUP, equals="a")]
    proven(mean_query(middle, relation), rows_of(middle), by_definition)
    proven(mean_query(middle, relation, where=north), rows_of(middle, ("a", "b")), by_definition)
    proven(mean_query(gone, relation, where=north, complete=True), rows_of(gone, ("a", "b")), by_definition)
    proven(mean_query(gone, relation, by=GROUP, complete=True), rows_of(gone, ("a", "b")), by_definition)


@pytest.mark.parametrize("unit", [{"person": "id", "rows_per_person": 2}, {"unit_rows": 2}], ids=["person", "unit"])
def test_means_of_a_person_or_unit_of_two_rows_move_two_sensitivities(unit):
    columns = columns_of("dropped", "middle")
    proven(mean_query(columns, add_remove(n_max=2, **unit), complete=True), rows_of(columns), by_definition)


def test_means_of_all_rows_are_a_number_each_and_no_count_where_n_is_public():
    columns = columns_of("middle", "4")
    query = mean_query(columns, change_one(n=2))
    proven(query, rows_of(columns), by_definition)
    assert [part.numerator.name for part in query.parts] == ["mean of x", "mean of y"]
    assert [part.share for part in query.parts] == [F(1, 2)] * 2
    assert query.derivation is None
    assert "no count is released" in Line(statistic=query, epsilon=F(1)).remarks


def test_the_joint_charge_is_tight_and_larger_shares_exceed_it():
    """The twins that fail: a larger count, or a larger sum, and neighbours lose more than is charged."""
    columns = columns_of("dropped", "dropped")
    half, some = F(1, 2), F(1, 8)
    free = Extremes(mean_query(columns, change_one(n=1), complete=True), rows_of(columns), by_definition)
    assert free.loss(half, half, half) == 1
    assert free.loss(half, half, half + some) == 1 + some
    assert free.loss(half + some, half, half) == 1 + some
    added = Extremes(mean_query(columns, add_remove(n_max=1), complete=True), rows_of(columns), by_definition)
    assert added.loss(F(3, 10), F(3, 10), F(2, 5)) == 1
    assert added.loss(F(3, 10), F(3, 10), F(1, 2)) == F(11, 10)
    public = Extremes(mean_query(columns_of("1", "4"), change_one(n=1)), rows_of(columns), by_definition)
    assert public.loss(half, half) == 1
    assert public.loss(half, half + some) == 1 + some


@pytest.mark.parametrize("several", range(1, MOST_COLUMNS + 1))
def test_the_usual_count_share_is_near_to_the_best_for_as_many_columns(several):
    """theory (24): the error is in proportion to 1/s + 1/c, at best (1 + sqrt(k))**2, and here at most 1/(4r) more."""
    columns = [integer_column(f"c{i}", lower=0, upper=1, missing="middle") for i in range(several)]
    *sums, count = mean_query(columns, add_remove(n_max=9)).parts
    r = (1 - count.share) / count.share
    assert 2 * r == int(2 * r)
    assert (2 * r - 1) ** 2 < 4 * several <= (2 * r) ** 2  # r is the square root, rounded up to a half
    error = 1 / sums[0].share + 1 / count.share
    digits = 10**12
    best = several + 1 + 2 * F(isqrt(several * digits * digits), digits)  # from below
    assert 0 <= error - best <= 1 / (4 * r) + F(2, digits)
    assert several > 1 or (sums[0].share, count.share) == (F(1, 2), F(1, 2))  # as it is for one


def test_what_is_asked_of_a_table_has_one_count_and_every_answer_is_about_complete_rows():
    columns = columns_of("dropped", "middle", "dropped")
    query = mean_query(columns, add_remove(n_max=9), complete=True)
    *sums, count = query.aggregates
    present = (Present(column=columns[0]), Present(column=columns[2]))
    assert {each.where for each in (*sums, count)} == {present}
    assert [each.column for each in sums] == columns


def test_answers_of_a_table_are_those_of_the_definition():
    rows = [(1.0, 4.0, None), (None, 8.0, 500.5), (0.0, None, 500.5), (1.0, 8.0, 500.0), (7.0, -9.0, 501.0)]
    table = open_table({name: [row[place] for row in rows] for name, place in PLACES.items()})
    ends = [(c.lower, c.upper) for c in columns_of("1", "4", "500")]
    clamped = [
        (*(None if x is None else min(max(F(x), low), high) for x, (low, high) in zip(row, ends, strict=True)), "a")
        for row in rows
    ]
    for rule in (("dropped", "8"), ("dropped", "dropped", "dropped"), ("1", "4", "dropped")):
        query = mean_query(columns_of(*rule), change_one(n=5), complete=True)
        found = numerators(query, table.aggregates(aggregates_of([query])))
        assert [list(cells) for cells in found] == by_definition(query, clamped)


def study(*statistics, relation=None, **rules):
    columns = {
        name: {"kind": "number", "lower": 0, "upper": 1, "missing": rules.get(name, "dropped")} for name in "xyz"
    }
    columns["g"] = {"kind": "category", "categories": ["a", "b"]}
    said = relation or {"relation": "add-remove", "n_max": 9}
    lines = [{"kind": "mean", "epsilon": 1, **each} for each in statistics]
    return study_from_values({"format": 1, "dataset": "d", **said, "columns": columns, "statistic": lines})


BAD = {
    "one column": ({"columns": ["x"], "complete": True}, "names one column; it is for several"),
    "no column": ({"columns": []}, "names no column"),
    "text": ({"columns": "x, y"}, "columns"),
    "one twice": ({"columns": ["x", "y", "x"], "complete": True}, "'x' is named twice"),
    "unknown": ({"columns": ["x", "q"], "complete": True}, "'q'"),
    "categories": ({"columns": ["x", "g"], "complete": True}, "holds categories and has no mean"),
    "column as well": ({"columns": ["x", "y"], "column": "z"}, "both given"),
    "other rows": ({"columns": ["x", "y"]}, "not over the same rows"),
    "other rows said": ({"columns": ["x", "y"], "complete": False}, "not over the same rows"),
    "complete of one": ({"column": "x", "complete": True}, "belongs to means of several"),
    "complete as text": ({"columns": ["x", "y"], "complete": "yes"}, "complete"),
    "less for the count than nothing": ({"columns": ["x", "y"], "complete": True, "count_share": 2}, "count_share"),
}


@pytest.mark.parametrize(("statistic", "words"), BAD.values(), ids=BAD)
def test_nonsense_is_refused_with_what_is_wrong(statistic, words):
    with pytest.raises(SnapdpError, match=words):
        study(statistic)


def test_complete_is_refused_where_it_leaves_out_no_row():
    with pytest.raises(ParameterError, match="leaves out no row"):
        study({"columns": ["x", "y"], "complete": True}, x="middle", y="1")
    assert not study({"columns": ["x", "y"]}, x="middle", y="1").asked[0].statistic.complete


def test_a_count_below_half_is_refused_where_half_is_free_and_so_is_an_accuracy_of_several_numbers():
    rows = {"relation": "change-one", "n": 9}
    with pytest.raises(ParameterError, match="less than it can have for nothing"):
        study({"columns": ["x", "y"], "complete": True, "count_share": "1/4"}, relation=rows)
    with pytest.raises(PremiseError, match="several numbers, each of its own accuracy"):
        ask(mean_query(columns_of("1", "4"), change_one(n=9)), accuracy=1)
    with pytest.raises(PremiseError, match="no accuracy can be promised") as refused:
        ask(mean_query(columns_of("1", "4"), add_remove(n_max=9)), accuracy=1)
    assert "a sum and a count" in refused.value.problem
    assert "if_rows (--if-rows N)" in refused.value.advice


def test_more_columns_than_a_record_is_read_with_are_refused():
    columns = [integer_column(f"c{i}", lower=0, upper=1, missing="middle") for i in range(MOST_COLUMNS + 1)]
    with pytest.raises(SnapdpError, match="1 to 64 columns"):
        mean_query(columns, add_remove(n_max=9))


@pytest.mark.parametrize("name", ["a\nb", "=1+1", "mean of x", "count", "\u202eage", "x" * 3000, "[bold]"])
def test_a_column_of_any_name_has_a_part_and_a_mean_of_its_own(name):
    columns = [integer_column(each, lower=0, upper=1, missing="dropped") for each in (name, "y")]
    query = mean_query(columns, add_remove(n_max=9), complete=True)
    assert len({part.numerator.name for part in query.parts}) == 3
    assert Mean.from_declaration(query.declaration(), query.relation) == query
    line = Line(statistic=query, epsilon=F(1))
    assert "\n" not in line.statistic.shown
    assert "\u202e" not in line.remarks
