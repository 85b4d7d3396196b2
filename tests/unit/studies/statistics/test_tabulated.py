"""Margins of counts and sums: sensitivity, range and charge of each, proven by enumerating all small tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest

from snapdp.errors import BoundError, ParameterError
from snapdp.mechanism.parameters import EXACT_GAMMA
from snapdp.studies.aggregates import Aggregates, Count
from snapdp.studies.categories import with_parents
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.grouping.groups import binned
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.adjusted import LARGEST_RATIO, check_margins
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.parts import mechanism
from snapdp.studies.statistics.statistic import numerators
from snapdp.studies.statistics.sum import sum_query
from tests.unit.studies.statistics.enumeration import Extremes, grid_values, part_statistics, proven

F = Fraction
G = category_column("g", categories=["a", "b"])
H = category_column("h", categories=["u", "v"])
G_ALL = category_column("g", categories=["a", "b"], unknown="binned", null="binned")
G_NAMED = category_column("g", categories=["a", "b"], unknown="binned")  # a row without a name is in no cell
H_ALL = category_column("h", categories=["u"], unknown="binned", null="binned")
X = integer_column("x", lower=-1, upper=1, missing="dropped")
BINS = binned(integer_column("x", lower=0, upper=3, missing="dropped"), edges=[0, 1, 3])
RELATIONS = [add_remove(n_max=1), add_remove(n_max=2), change_one(n=1), change_one(n=2)]
relations = pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.kind} {r.rows}")
ROWS = list(product([F(0)], [F(0)], ["a", "b", "?"], ["u", "v", None]))
SHARED = [[["g"], ["h", "g"], []], ["1/2", "1/3", "1/6"]]


@relations
@pytest.mark.parametrize("margins", [["all", None], SHARED, [[["h"], ["g"]], None], [[["g", "h"]], None], [[[]], None]])
def test_margins_of_a_count_lose_at_most_the_epsilon_typed_and_no_less_where_all_move_together(relation, margins):
    query = count_query(relation, by=[G, H], margins=margins[0], shares=margins[1])
    found = proven(query, ROWS, whole_epsilon=False)
    assert found.largest_move == [1] * len(query.parts)
    assert query.charged == 1
    total = sum(share for margin, share in zip(query.margins.measured, query.margins.shares, strict=True) if not margin)
    if relation.is_change_one:  # a row that moves from cell to cell stays in the total; one that leaves moves one cell
        assert found.largest_loss == max(1 - total, (1 - total) / 2 + total)
    else:
        assert found.largest_loss == 1


@relations
@pytest.mark.parametrize("by", [[G, H], [G_ALL, H_ALL]], ids=["rows may be left out", "every row has a cell"])
@pytest.mark.parametrize("column", [X, integer_column("x", lower=5, upper=7, missing=6)], ids=["dropped", "far"])
def test_margins_of_a_sum_keep_their_sensitivity_and_reach_both_ends_of_their_range(relation, by, column):
    query = sum_query(column, relation, by=by, margins="all")
    xs = [*grid_values(column), None] if column.dropped else grid_values(column)
    rows = list(product(xs, [F(0)], ["a", "?"], ["u", None]))
    proven(query, rows, whole_epsilon=False)


def test_the_total_of_a_sum_of_all_rows_moves_by_the_width_of_the_bounds_and_of_some_rows_by_more():
    relation, column = change_one(n=2), integer_column("x", lower=5, upper=7, missing=6)
    everybody = sum_query(column, relation, by=[G_ALL, H_ALL], margins=[[]]).parts[0].numerator
    assert (everybody.sensitivity, everybody.lower, everybody.upper) == (2, 10, 14)
    left_out = integer_column("x", lower=5, upper=7, missing="dropped")
    old = condition(integer_column("y", lower=0, upper=3, missing="dropped"), start=2)
    for some in (
        sum_query(column, relation, by=[G, H_ALL], margins=[[]]),
        sum_query(column, relation, by=[G_NAMED, H_ALL], margins=[[]]),
        sum_query(left_out, relation, by=[G_ALL, H_ALL], margins=[[]]),
        sum_query(column, relation, by=[G_ALL, H_ALL], where=[old], margins=[[]]),
    ):
        total = some.parts[0].numerator
        assert (total.sensitivity, total.lower, total.upper) == (7, 0, 14)


def test_the_total_of_a_count_under_change_one_is_known_only_where_no_row_can_be_left_out():
    relation = change_one(n=2)
    known = count_query(relation, by=[G_ALL, H_ALL], margins="all")
    assert known.margins.known_total
    assert [part.margin for part in known.parts] == [(0,), (1,), (0, 1)]
    proven(known, list(product([F(0)], [F(0)], ["a", "b", "?", None], ["u", "?", None])))
    young = condition(integer_column("x", lower=0, upper=3, missing="dropped"), below=2)
    for other in (
        count_query(relation, by=[G_ALL, H], margins="all"),
        count_query(relation, by=[G_NAMED, H_ALL], margins="all"),
        count_query(relation, by=[G_ALL, H_ALL], where=[young], margins="all"),
        count_query(relation, by=[G_ALL, BINS], margins="all"),
        count_query(add_remove(n_max=3), by=[G_ALL, H_ALL], margins="all"),
    ):
        assert not other.margins.known_total
        assert (other.parts[0].margin, other.parts[0].moving, other.parts[0].numerator.sensitivity) == ((), 1, 1)


def test_bins_leave_no_row_out_where_they_cover_the_bounds_and_the_missing():
    plain = integer_column("x", lower=0, upper=3, missing="dropped")
    cases = {
        (0, 3, "dropped", "binned"): True,
        (0, 3, "dropped", "dropped"): False,
        (1, 3, "dropped", "binned"): False,
        (1, 2, "binned", "binned"): True,
    }
    for (low, high, outside, null), known in cases.items():
        column = binned(plain, edges=[low, high], outside=outside, null=null)
        query = count_query(change_one(n=2), by=[column, G_ALL], margins="all")
        assert query.margins.known_total == known
        if known:
            rows = list(product([*grid_values(plain), None], [F(0)], ["a", "?"]))
            counts = [part_statistics(query, (row,)) for row in rows]
            assert all(sum(margin) == 1 for found in counts for margin in found)


@pytest.mark.parametrize("persons", [1, 2])
def test_rows_of_a_person_move_every_margin_by_their_number(persons):
    relation = add_remove(n_max=2, person="p", rows_per_person=persons)
    query = count_query(relation, by=[G, H], margins="all")
    assert {part.numerator.sensitivity for part in query.parts} == {persons}
    proven(query, ROWS)


def test_margins_whose_two_moving_cells_were_forgotten_would_lose_more_than_is_typed():
    query = count_query(change_one(n=2), by=[G, H], margins="all")
    found = Extremes(query, ROWS)
    assert found.loss(*(part.share for part in query.parts)) == F(3, 4)
    assert found.loss(*(F(1, 4) for _ in query.parts)) > 1  # a share of a quarter in each cell, two of which move


def test_every_margin_is_a_sum_of_cells_of_one_table():
    query = count_query(add_remove(n_max=100), by=[G, H], margins="all")
    (asked,) = query.aggregates
    assert asked == Count(by=query.by)
    found = numerators(query, Aggregates(rows=90, answers={asked: (1, 20, 30, 4)}))
    assert found == ((55,), (21, 34), (31, 24), (1, 20, 30, 4))


def test_a_table_with_more_rows_than_declared_is_clamped_in_every_margin_whatever_it_holds():
    query = sum_query(X, add_remove(n_max=2), by=[G, H], margins="all")
    asked = query.aggregates
    huge = 1 << 70
    answers = {asked[0]: (huge, 0, huge, huge), asked[1]: (huge, huge, 1, 0)}
    found = numerators(query, Aggregates(rows=3, answers=answers))
    assert found[0] == (2,)
    assert all(-2 <= each <= 2 for part in found for each in part)


@pytest.mark.parametrize("epsilon", ["1/1000", "1/100", "1", "100"])
def test_the_grid_of_a_margin_is_at_most_one_unit_so_that_every_value_lies_on_it(epsilon):
    for query in (
        count_query(add_remove(n_max=1000), by=[G, H], margins="all"),
        sum_query(
            number_column("x", lower=0, upper=1, step="1/8", missing="middle"), add_remove(n_max=9), by=G, margins="all"
        ),
    ):
        for part in query.parts:
            grid = mechanism(part, epsilon).parameters.data_grid
            assert grid <= 1
            assert (1 / grid).denominator == 1
            assert grid == 1 or not part.numerator.integers


def test_an_alpha_that_clamps_would_take_half_of_is_refused_and_the_least_one_is_told():
    query = count_query(add_remove(n_max=9), by=[G, H], margins="all")
    least = 2 * (1 + 2 + 2 + 4) * EXACT_GAMMA  # nine numbers enter each cell
    check_margins(query, F(1), least)
    with pytest.raises(ParameterError, match="9 numbers enter each adjusted cell"):
        check_margins(query, F(1), least * F(999, 1000))


def test_an_epsilon_at_which_noise_is_a_point_is_refused():
    query = count_query(add_remove(n_max=9), by=[G, H], margins=[["g"], []])
    check_margins(query, F(2 * LARGEST_RATIO), F(1, 20))
    with pytest.raises(BoundError, match="no noise to speak of"):
        check_margins(query, F(2 * LARGEST_RATIO + 1), F(1, 20))


def test_names_and_titles_tell_margins_apart():
    comma = category_column("g, h", categories=["a"])
    query = count_query(add_remove(n_max=10), by=[G, H, comma], margins="all")
    names = [part.numerator.name for part in query.parts]
    assert names[:3] == ["count in total", "count by g", "count by h"]
    assert 'count by "g, h"' in names
    assert len(set(names)) == 8
    assert query.title == "count by g, h, g, h with margins"
    assert [query.title_of(each) for each in combinations(range(2), 2)] == ["count by g, h"]
    assert list(query.labels_of((0,))) == ["a", "b"]
    assert query.keys_of((0,)) == ()
    assert list(query.labels_of((0, 1)))[:2] == [("a", "u"), ("a", "v")]
    assert query.keys_of((0, 1)) == ("g", "h")
    assert query.labels_of(()) == ("",)


# Levels of a hierarchy

LEVELS = {"county": {"K": ["a", "c"], "L": ["b"]}, "country": {"E": ["K", "L"]}}
TOWNS = category_column("g", categories=["a", "b", "c"])
TREE, FOREST = with_parents(TOWNS, LEVELS), with_parents(TOWNS, {"county": LEVELS["county"]})
TREE_ALL = with_parents(category_column("g", categories=["a", "b", "c"], unknown="binned", null="binned"), LEVELS)
TOWN_ROWS = list(product([F(0)], [F(0)], ["a", "b", "c", "?", None]))
trees = pytest.mark.parametrize("column", [TREE, FOREST, TREE_ALL], ids=["one root", "a forest", "every row"])


@relations
@trees
@pytest.mark.parametrize("shares", [None, "typed"])
def test_levels_of_a_count_lose_at_most_the_epsilon_typed(relation, column, shares):
    measured = count_query(relation, by=column, margins="hierarchy").margins.measured
    parts = None if shares is None else [F(1, 2**i) for i in range(1, len(measured))] + [F(1, 2 ** (len(measured) - 1))]
    query = count_query(relation, by=column, margins="hierarchy", shares=parts)
    found = proven(query, TOWN_ROWS, whole_epsilon=False)
    assert query.charged == 1
    assert found.largest_move == [1] * len(query.parts)
    alone = sum(part.share for part in query.parts if part.cells == 1)  # which a row that stays does not move
    if relation.is_change_one:
        assert found.largest_loss == max(1 - alone, (1 - alone) / 2 + alone * (column is not TREE_ALL))
    else:
        assert found.largest_loss == 1


@relations
@trees
@pytest.mark.parametrize("number", [X, integer_column("x", lower=5, upper=7, missing=6)], ids=["dropped", "far"])
def test_levels_of_a_sum_keep_their_sensitivity_and_reach_both_ends_of_their_range(relation, column, number):
    query = sum_query(number, relation, by=column, margins="hierarchy")
    xs = [*grid_values(number), None] if number.dropped else grid_values(number)
    proven(query, list(product(xs, [F(0)], ["a", "b", "?"])), whole_epsilon=False)


def test_a_level_of_one_cell_moves_as_the_total_does():
    relation = change_one(n=2)
    parts = count_query(relation, by=TREE, margins="hierarchy").parts
    assert [(part.margin, part.cells, part.moving) for part in parts] == [((2,), 1, 1), ((1,), 2, 2), ((0,), 3, 2)]
    number = integer_column("x", lower=5, upper=7, missing=6)
    country, county, _ = sum_query(number, relation, by=TREE, margins="hierarchy").parts
    assert (country.moving, country.numerator.sensitivity, country.numerator.upper) == (1, 7, 14)
    assert (county.moving, county.numerator.sensitivity) == (2, 7)


def test_every_level_is_a_sum_of_cells_of_one_table_and_of_the_level_below():
    query = count_query(add_remove(n_max=100), by=TREE_ALL, margins="hierarchy")
    (asked,) = query.aggregates
    assert asked == Count(by=query.by)
    found = numerators(query, Aggregates(rows=90, answers={asked: (1, 20, 30, 4, 5)}))
    assert found == ((60,), (51, 4, 5), (31, 20, 4, 5), (1, 20, 30, 4, 5))
    huge = 1 << 70
    found = numerators(query, Aggregates(rows=90, answers={asked: (huge, 0, huge, 0, 0)}))
    assert found[0] == (100,)
