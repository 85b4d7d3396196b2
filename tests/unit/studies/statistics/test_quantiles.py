"""Quantiles as statistics: sensitivities by enumeration, names, refusals, and what follows from drawn counts."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import pytest

from snapdp.display.numbers import exact_amount
from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.grouping.groups import binned
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.quantiles import quantiles_query
from tests.unit.studies.statistics.enumeration import Extremes, grid_values, proven
from tests.unit.studies.statistics.test_sensitivities import COLUMNS, GROUP

F = Fraction
FEW = integer_column("x", lower=-2, upper=1, missing="dropped")
FILLED = number_column("x", lower="0.3", upper="1.2", step="1/2", missing="middle")


def rows_of(column, groups=("a",)):
    return list(product([*grid_values(column), None], [F(0)], groups))


@pytest.mark.parametrize("branching", [2, 3, 4])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_row_moves_every_depth_and_epsilon_is_charged_whole(branching, n):
    column = COLUMNS["whole steps from zero"]
    for relation in (change_one(n=n), add_remove(n_max=n)):
        query = quantiles_query(column, relation, branching=branching)
        proven(query, list(product(grid_values(column), [F(0)], ("a",))), ends=False)
        assert len(query.parts) == {2: 2, 3: 2, 4: 1}[branching]
        assert query.charged == 1


@pytest.mark.parametrize("column", [FEW, FILLED], ids=["dropped", "middle"])
def test_groups_conditions_and_missing_cells_keep_the_sensitivity(column):
    for relation in (change_one(n=2), add_remove(n_max=2)):
        query = quantiles_query(column, relation, at=["0.1", "0.9"], by=GROUP, branching=2)
        proven(query, rows_of(column, ("a", "b", "?", None)), ends=False)
        some = quantiles_query(column, relation, where=[condition(GROUP, equals="a")], branching=2)
        proven(some, rows_of(column, ("a", "b")), ends=False)


def test_persons_move_as_many_rows_as_they_keep():
    relation = add_remove(n_max=3, person="id", rows_per_person=2)
    query = quantiles_query(FEW, relation, branching=2)
    assert Extremes(query, rows_of(FEW)).largest_loss == 1
    assert {part.numerator.sensitivity for part in query.parts} == {2}
    assert {part.numerator.sensitivity for part in quantiles_query(FEW, relation, rows_per_person=1).parts} == {1}


def test_a_tree_that_pays_for_one_depth_only_would_lose_more_than_is_typed():
    query = quantiles_query(COLUMNS["whole steps from zero"], add_remove(n_max=2), branching=2)
    rows = list(product(grid_values(query.column), [F(0)], ("a",)))
    assert Extremes(query, rows).loss(F(1), F(1)) > 1


@pytest.mark.parametrize(
    ("relation", "details", "known"),
    [
        (change_one(n=9), {}, True),
        (add_remove(n_max=9), {}, False),
        (change_one(n=9), {"by": GROUP}, False),
        (change_one(n=9), {"where": [condition(GROUP, equals="a")]}, False),
    ],
)
def test_the_number_of_rows_is_known_where_every_row_counts(relation, details, known):
    assert quantiles_query(FILLED, relation, **details).tree.known_total is known
    assert quantiles_query(FEW, relation, **details).tree.known_total is False  # rows are left out


@pytest.mark.parametrize(
    ("at", "title", "labels"),
    [
        (["1/2"], "median(x)", ("",)),
        (["0.9"], "quantile 0.9(x)", ("",)),
        (["0.25", "0.5"], "quantiles(x)", ("0.25", "0.5")),
    ],
)
def test_names_say_what_is_asked_for(at, title, labels):
    query = quantiles_query(FEW, add_remove(n_max=9), at=at)
    assert (query.title, tuple(query.labels)) == (title, labels)
    grouped = quantiles_query(FEW, add_remove(n_max=9), at=at, by=GROUP)
    assert grouped.title == f"{title} by g"
    assert len(grouped.labels) == grouped.cells == 3 * len(at)


def test_nodes_are_named_by_their_ends():
    query = quantiles_query(
        integer_column("age", lower=0, upper=10, missing="dropped"), add_remove(n_max=9), branching=4
    )
    assert query.labels_of((0,)) == ("0 to 3", "4 to 7", "8 to 10")
    assert query.labels_of((1,)) == tuple(map(str, range(11)))
    assert [len(query.labels_of(part.margin)) for part in query.parts] == [part.cells for part in query.parts]


def test_a_long_distribution_is_listed_at_so_many_levels():
    column = integer_column("pay", lower=0, upper=99_999, missing="dropped")
    points = quantiles_query(column, add_remove(n_max=9)).points
    assert len(points) <= 256
    assert points[-1] == 99_999
    assert {later - before for before, later in pairwise(points[:-1])} == {391}


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"at": []}, "at has 0 shares"),
        ({"at": [F(k, 200) for k in range(1, 102)]}, "at has 101 shares"),
        ({"at": ["0"]}, "at = 0 is no share between 0 and 1"),
        ({"at": ["1"]}, "at = 1 is no share"),
        ({"at": ["0.5", "0.5"]}, "do not rise"),
        ({"at": ["0.5", "0.25"]}, "do not rise"),
        ({"branching": 1}, "branching = 1 is not between 2 and the number of levels, 4"),
        ({"branching": 5}, "branching = 5 is not between"),
        ({"branching": "2.5"}, "branching"),
        ({"at": ["nan"]}, "at"),
    ],
)
def test_nonsense_is_refused(details, message):
    with pytest.raises(ParameterError, match=message):
        quantiles_query(FEW, add_remove(n_max=9), **details)


def test_categories_one_level_and_too_many_nodes_are_refused():
    relation = add_remove(n_max=9)
    with pytest.raises(ParameterError, match="holds categories and has no quantiles"):
        quantiles_query(GROUP, relation)
    many = category_column("g", categories=[str(k) for k in range(50)])
    with pytest.raises(BoundError, match="nodes"):
        quantiles_query(number_column("x", lower=0, upper=99_999, step=1, missing="dropped"), relation, by=many)


@pytest.mark.parametrize(
    ("column", "step"),
    [
        (number_column("x", lower=0, upper=120, missing="middle"), "1"),
        (number_column("x", lower="0.1", upper="9.7", missing="dropped"), "1/100"),
        (number_column("x", lower=0, upper=2_000_000, step=1, missing="dropped"), "10000"),
        (integer_column("x", lower=0, upper=1 << 20, missing="dropped"), "10000"),
    ],
)
def test_more_levels_than_are_counted_are_refused_with_a_step_to_declare(column, step):
    with pytest.raises(BoundError) as refusal:
        quantiles_query(column, add_remove(n_max=9))
    assert f'step = "{exact_amount(F(step))}"' in str(refusal.value)
    assert "nothing spent" in str(refusal.value)


def test_many_shares_of_many_groups_are_refused_before_they_take_minutes():
    groups = category_column("g", categories=[str(k) for k in range(300)])
    shares = [F(k, 101) for k in range(1, 101)]
    wide = integer_column("x", lower=0, upper=1999, missing="dropped")
    assert quantiles_query(wide, add_remove(n_max=9), by=groups) is not None
    with pytest.raises(BoundError, match="numbers would be looked at"):
        quantiles_query(wide, add_remove(n_max=9), by=groups, at=shares)


def test_quantiles_of_a_column_by_its_own_bins_are_refused():
    cut = binned(FEW, edges=[-2, 0, 1])
    with pytest.raises(ParameterError, match="by itself"):
        quantiles_query(FEW, add_remove(n_max=9), by=cut)
