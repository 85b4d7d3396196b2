"""Centred sums, squares and products with one count: what they charge, proven by enumerating all small tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from snapdp.errors import ParameterError
from snapdp.studies.aggregates import Count, Present, Products, Sum
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.covariance import Covariance, covariance_query
from snapdp.studies.statistics.variance import Variance, variance_query
from tests.unit.studies.statistics.enumeration import Extremes, grid_values

F = Fraction
GROUP = category_column("g", categories=["a", "b"])
ONE_GROUP = category_column("g", categories=["a"])
RELATIONS = {
    "change-one": change_one(n=2),
    "add-remove": add_remove(n_max=2),
    "persons": add_remove(n_max=3, person="id", rows_per_person=2),
    "two rows together": add_remove(n_max=3, unit_rows=2),
}
relations = pytest.mark.parametrize("relation", RELATIONS.values(), ids=RELATIONS.keys())


def columns_of(levels, rule="dropped"):
    """Return x with so many levels, on steps of a half and far from zero, and y with two."""
    x = number_column("x", lower=500, upper=500 + F(levels, 2), step="1/2", missing=rule)
    return x, integer_column("y", lower=-4, upper=-2, step=2, missing=rule)


def rows_of(x, y=None, groups=("a",)):
    """Return every row: each cell of x on the grid, or missing; and each of y on the grid."""
    return list(product([*grid_values(x), None], [F(0)] if y is None else grid_values(y), groups))


CHOSEN = {  # which rows count, and the groups that rows may have
    "dropped": ({}, ("a",)),
    "where": ({"where": [condition(GROUP, equals="a")]}, ("a", "b")),
    "groups": ({"by": GROUP}, ("a", "b", None)),
    "one group": ({"by": ONE_GROUP}, ("a", None)),
}
chosen = pytest.mark.parametrize(("rows", "groups"), CHOSEN.values(), ids=CHOSEN.keys())


def proven(query, rows):
    """Check a query against all tables: whole numbers, sensitivities, ranges, and what neighbours lose, attained."""
    found = Extremes(query, rows)
    stays = query.relation.is_change_one and query.by is None
    assert found.all_integers
    for part, term, lowest, highest, move in zip(
        query.parts, (*query.terms, None), found.lowest, found.highest, found.largest_move, strict=True
    ):
        assert (lowest, highest) == (part.numerator.lower, part.numerator.upper)
        odd = term is not None and term.is_square and term.first.levels % 2
        assert move <= part.numerator.sensitivity * part.moving
        if part.moving == 1 and not (stays and odd):  # no cell of an odd number of levels is at the middle
            assert move == part.numerator.sensitivity
    assert found.largest_loss <= query.charged == 1
    if query.cells > 1 or query.by is None or not query.relation.is_change_one:  # else no row has two groups
        assert found.largest_loss == 1
    return found


@relations
@chosen
@pytest.mark.parametrize("levels", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_a_variance_spends_the_epsilon_typed_whatever_rows_count(levels, relation, rows, groups):
    x, _ = columns_of(levels)
    query = variance_query(x, relation, **rows)
    proven(query, rows_of(x, groups=groups))
    names = [part.numerator.name for part in query.parts]
    assert names == ["centred sum", "centred squares", "count"]
    width, times = x.upper - x.lower, 2 if relation.is_change_one and query.by is None else relation.moved_rows
    found = [part.numerator.statistic_sensitivity for part in query.parts[:2]]
    assert found == [times * width / 2, times * width**2 / 8]


@pytest.mark.parametrize("relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"])
@chosen
@pytest.mark.parametrize("correlation", [False, True], ids=["covariance", "correlation"])
def test_a_covariance_spends_the_epsilon_typed_whatever_rows_count(correlation, relation, rows, groups):
    x, y = columns_of(1 if correlation else 2)
    query = covariance_query(x, y, relation, correlation=correlation, **rows)
    proven(query, rows_of(x, y, groups=groups[:2]))
    names = ["centred sum of x", "centred sum of y", "centred products"]
    names += ["centred squares of x", "centred squares of y"] * correlation
    assert [part.numerator.name for part in query.parts] == [*names, "count"]


def test_a_covariance_of_persons_moves_by_so_many_rows():
    x, y = columns_of(1)
    one, two = (
        covariance_query(x, y, add_remove(n_max=2, person="id", rows_per_person=m), correlation=True) for m in (1, 2)
    )
    proven(two, rows_of(x, y))
    assert [part.numerator.sensitivity for part in two.parts] == [2 * part.numerator.sensitivity for part in one.parts]
    own = covariance_query(x, y, one.relation, correlation=True, rows_per_person=2)
    assert own.parts == two.parts
    assert own.stated["rows_per_person"] == 2


def test_a_row_that_lacks_either_column_of_a_covariance_does_not_count():
    x, y = columns_of(1)
    rows = [*rows_of(x, y), *((each, None, "a") for each in (*grid_values(x), None))]
    for relation in (change_one(n=2), add_remove(n_max=2)):
        proven(covariance_query(x, y, relation), rows)


def test_squares_from_zero_would_move_twice_as_far_as_those_from_half_of_the_largest():
    """theory (25): what is counted from 0 lies in [0, h^2], from its middle in [-h^2/2, h^2/2]."""
    x, _ = columns_of(4)
    query = variance_query(x, add_remove(n_max=2))
    half = (x.upper - x.lower) / 2
    terms = [(cell - x.middle) ** 2 for cell in grid_values(x)]
    assert max(terms) == half**2 == 2 * query.parts[1].numerator.statistic_sensitivity
    assert max(abs(each - half**2 / 2) for each in terms) == query.parts[1].numerator.statistic_sensitivity


@pytest.mark.parametrize("relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"])
def test_less_noise_would_lose_more_than_is_typed(relation):
    """The twins that fail: any part with a larger share, and groups at the whole epsilon under change-one."""
    x, y = columns_of(1)
    for rows, groups in (CHOSEN[name] for name in ("dropped", "where", "groups")):
        for query in (variance_query(x, relation, **rows), covariance_query(x, y, relation, **rows)):
            found = Extremes(query, rows_of(x, y if isinstance(query, Covariance) else None, groups=groups[:2]))
            shares = [part.share for part in query.parts]
            assert found.loss(*shares) == 1
            for place in range(len(shares)):
                more = [share * (1 + F(place == i, 100)) for i, share in enumerate(shares)]
                assert found.loss(*more) > 1
            if relation.is_change_one and query.by is not None:
                assert found.loss(*(2 * share for share in shares)) == 2


def test_one_column_is_asked_of_the_rows_that_have_it_and_two_of_those_that_have_both():
    x, y = columns_of(2)
    query = covariance_query(x, y, add_remove(n_max=2), by=GROUP, correlation=True)
    present = {Present(column=x), Present(column=y)}
    assert all({*each.where} == present and each.by == query.by for each in query.aggregates)
    kinds = [type(each) for each in query.aggregates]
    assert kinds == [Sum, Sum, Products, Products, Products, Count]
    filled = covariance_query(*columns_of(2, "middle"), add_remove(n_max=2))
    assert {each.where for each in filled.aggregates} == {()}


@pytest.mark.parametrize(
    ("build", "sums", "count"),
    [
        (lambda **said: variance_query(columns_of(2)[0], add_remove(n_max=9), **said), F(3, 10), F(2, 5)),
        (lambda **said: covariance_query(*columns_of(2), add_remove(n_max=9), **said), F(2, 9), F(1, 3)),
        (
            lambda **said: covariance_query(*columns_of(2), add_remove(n_max=9), correlation=True, **said),
            F(1, 7),
            F(2, 7),
        ),
        (lambda **said: variance_query(columns_of(2)[0], change_one(n=9), **said), F(1, 2), F(1, 2)),
    ],
)
def test_the_count_has_the_share_of_theory_24_unless_told(build, sums, count):
    query = build()
    assert {part.share for part in query.parts[:-1]} == {sums}
    assert query.parts[-1].share == query.count_share == count
    told = build(count_share="3/4")
    assert told.parts[-1].share == F(3, 4)
    assert told.charged == 1
    with pytest.raises(ParameterError, match="count_share"):
        build(count_share=1)


def test_where_n_is_public_nothing_has_changed_and_a_share_or_a_correlation_is_refused():
    x, y = (column for column in columns_of(2, "middle"))
    plain = Variance.of(x, relation=change_one(n=5))
    assert (plain.count_share, len(plain.parts), plain.stated) == (None, 1, {})
    with pytest.raises(ParameterError, match="the variance is one number: leave count_share out"):
        variance_query(x, change_one(n=5), count_share="1/2")
    with pytest.raises(ParameterError, match="correlation belongs to a covariance of rows whose number is private"):
        covariance_query(x, y, change_one(n=5), correlation=True)
    with pytest.raises(ParameterError, match="correlation = 'yes' is neither true nor false"):
        covariance_query(x, y, add_remove(n_max=5), correlation="yes")


@pytest.mark.parametrize("relation", [change_one(n=1), add_remove(n_max=1)], ids=["n", "n_max"])
def test_one_row_has_no_variance(relation):
    with pytest.raises(ParameterError, match=r"at least two rows; n(_max)? = 1"):
        variance_query(columns_of(2)[0], relation, by=GROUP)
