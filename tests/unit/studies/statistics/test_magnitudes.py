"""Magnitudes as a statistic: what neighbours lose by enumeration, what bounds claim by enumeration, names, refusals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from snapdp.accuracy.quantiles import Prefixes, ranked
from snapdp.errors import ParameterError
from snapdp.studies.categories import boolean_column
from snapdp.studies.columns import magnitude_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import ask
from snapdp.studies.plans.plan import plan
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.magnitudes import OUTSIDE, best_branching, magnitudes_query
from snapdp.studies.statistics.statistic import Statistic
from tests.unit.studies.statistics.enumeration import neighbours, tables

F = Fraction
FEW = magnitude_column("x", exponents=(0, 0))  # places: to -1, (-1, 0), [0, 1), from 1
CELLS = [-1.0, -0.5, 0.0, 1.0, "x", None]
RELATIONS = [change_one(n=3), add_remove(n_max=3), add_remove(n_max=3, unit_rows=2)]


def counts(table) -> list[int]:
    found = Counter(FEW.places + (each is None) if each in ("x", None) else FEW.place(each) for each in table)
    return [found[place] for place in range(FEW.cells)]


def numerators(query: Statistic, table):
    return [list(map(int, part)) for part in query.values([counts(table)])]


def loss(query: Statistic, one, two) -> Fraction:
    """Return what is lost between two tables, in units of the epsilon typed."""
    pairs = zip(query.parts, numerators(query, one), numerators(query, two), strict=True)
    moved = ((part, sum(abs(a - b) for a, b in zip(x, y, strict=True))) for part, x, y in pairs)
    return sum((part.share * F(far, part.numerator.sensitivity) for part, far in moved), F(0))


@pytest.mark.parametrize("branching", [2, 4])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_neighbours_lose_what_was_typed_and_no_count_moves_by_more_than_its_sensitivity(branching, relation):
    query = magnitudes_query(FEW, relation, branching=branching)
    pairs = [(one, two) for one in tables(CELLS, relation) for two in neighbours(one, CELLS, relation)]
    assert max(loss(query, one, two) for one, two in pairs) == query.charged == 1
    for one, two in pairs:
        for part, x, y in zip(query.parts, numerators(query, one), numerators(query, two), strict=True):
            assert max(abs(a - b) for a, b in zip(x, y, strict=True)) <= part.numerator.sensitivity
            assert all(part.numerator.lower <= each <= part.numerator.upper for each in (*x, *y))


def test_parts_that_were_paid_for_one_after_the_other_would_be_charged_twice():
    query = magnitudes_query(FEW, add_remove(n_max=3), branching=2)
    assert sum(part.share * part.moving for part in query.parts) == 2


def test_every_row_is_in_one_node_of_each_depth_or_in_one_of_the_other_two():
    query = magnitudes_query(FEW, add_remove(n_max=3), branching=2)
    for cell in CELLS:
        *depths, others = numerators(query, [cell])
        assert sorted({*map(sum, depths)}) == [1 - sum(others)]
    assert numerators(query, ["x"])[-1] == [1, 0]
    assert numerators(query, [None])[-1] == [0, 1]


# Bounds


def bounds(query, drawn, radii):
    """Return what follows from counts of the places, each with its noise."""
    found = Prefixes(np.cumsum(drawn).tolist(), 1)
    return query._bounds(ranked(found, query.shares, [radii[share] for share in query.shares]))


LAW = {-2: F(1, 4), 0: F(1, 2), 2: F(1, 4)}  # of one noise: symmetric, and soon enumerated
DRAWS = [(noise, F(np.prod([LAW[each] for each in noise]))) for noise in product(LAW, repeat=4)]


def exact_radius(place: int, share: Fraction, alpha: Fraction) -> Fraction:
    """Return the least r with P(|error of N(<= place) - share N| > r) <= alpha, by going through all draws."""
    law: Counter[Fraction] = Counter()
    for noise, chance in DRAWS:
        law[abs(sum(noise[: place + 1]) - share * sum(noise))] += chance
    left = F(1)
    for radius in sorted(law):
        left -= law[radius]
        if left <= alpha:
            return radius
    raise AssertionError("all of the law is within its largest value")


def claims_broken(query, column, table, radii) -> Fraction:
    """Return the probability that more than outside/2 of the numbers lie below the bounds, or above them."""
    broken = F(0)
    most = query.outside / 2 * len(table)
    true = np.array([sum(column.place(each) == place for each in table) for place in range(column.places)])
    for noise, chance in DRAWS:
        (_, lower, _), *_, (_, _, upper) = bounds(query, true + np.array(noise), radii)
        below = 0 if lower is None else sum(each < lower for each in table)
        above = 0 if upper is None else sum(each > upper for each in table)
        broken += chance if below > most or above > most else F(0)
    return broken


NUMBERS = [-1.0, -0.5, 0.5, 1.0]
TABLES = [table for size in (0, 1, 4, 9) for table in combinations_with_replacement(NUMBERS, size)][::5]
ALPHA = F(1, 5)


@pytest.mark.parametrize("outside", [F(1, 4), F(1, 2)])
def test_bounds_leave_more_outside_with_probability_alpha_at_most(outside):
    query = magnitudes_query(FEW, add_remove(n_max=9), outside=outside, branching=4)
    shares = query.shares
    radii = {q: np.array([float(exact_radius(j, q, ALPHA)) for j in range(4)]) for q in shares}
    broken = [claims_broken(query, FEW, table, radii) for table in TABLES]
    assert max(broken) <= ALPHA
    without = [claims_broken(query, FEW, table, {q: np.zeros(4) for q in shares}) for table in TABLES]
    assert max(without) > ALPHA  # teeth: an end that ignores the noise claims too much


def test_ends_of_open_places_are_no_bounds():
    query = magnitudes_query(FEW, add_remove(n_max=9), branching=4)
    sure, blind = ({q: np.full(4, width) for q in query.shares} for width in (0.0, 1e9))
    assert bounds(query, [0, 0, 9, 0], sure) == [
        (0.0, 0.0, None), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, None, 1.0),
    ]  # fmt: skip
    rows = bounds(query, [0, 0, 9, 0], blind)
    assert [(low, high) for _, low, high in rows] == [(None, None)] * 5
    assert (rows[0][0], rows[-1][0]) == (-1.0, 1.0)  # where the open places begin


def test_the_branching_lets_a_node_begin_at_zero():
    column = magnitude_column("x")
    query = magnitudes_query(column, add_remove(n_max=9))
    assert (query.branching, query.tree.nodes) == (26, (4, 104))
    assert query.labels_of((0,)) == ("to -32768", "(-32768, 0)", "[0, 32768)", "from 32768")
    for zero in range(2, 120):
        branching = best_branching(zero, OUTSIDE)
        assert branching == 2 * zero or zero % branching == 0


def test_rows_for_bounds_shrink_with_epsilon_and_grow_as_the_share_falls():
    def rows(epsilon, outside):
        return magnitudes_query(magnitude_column("x"), add_remove(n_max=9), outside=outside).rows_for_bounds(
            F(epsilon), F(1, 20)
        )

    assert rows("1/10", "0.05") > rows(1, "0.05") > rows(10, "0.05")
    assert rows(1, "0.01") > rows(1, "0.05")


# Names and refusals


def test_parts_and_blocks_have_names_for_all_their_cells():
    query = magnitudes_query(magnitude_column("x", exponents=(-1, 2)), change_one(n=9))
    assert query.title == "magnitudes(x)"
    assert query.labels == ("lower", "1/4", "1/2", "3/4", "upper")
    assert [len(query.labels_of(part.margin)) for part in query.parts] == [part.cells for part in query.parts]
    assert [query.cells_of(each) for each in query.following] == [5, 2]


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"outside": 0}, "outside = 0 is no share"),
        ({"outside": "0.6"}, "outside = '0.6' is no share"),
        ({"outside": "1e-7"}, "is no share"),
        ({"outside": "0.1000000000001"}, "is no share"),
        ({"outside": "x"}, "outside"),
        ({"branching": 1}, "branching = 1 is not between 2 and the number of places, 4"),
        ({"branching": 5}, "branching = 5 is not between"),
        ({"rows_per_person": 2}, "needs the column that names the person"),
    ],
)
def test_nonsense_is_refused(details, message):
    with pytest.raises(ParameterError, match=message):
        magnitudes_query(FEW, add_remove(n_max=9), **details)


def test_columns_whose_cells_are_known_are_refused():
    for column in (number_column("x", lower=0, upper=1, missing="dropped"), boolean_column("x")):
        with pytest.raises(ParameterError, match=f"column 'x' is declared as {column.kind}"):
            magnitudes_query(column, add_remove(n_max=9))


def test_conditions_on_other_columns_are_kept():
    query = magnitudes_query(FEW, change_one(n=9), where=[condition(boolean_column("y"), equals="true")])
    assert query.title == "magnitudes(x) where y = true"
    assert query.aggregates[0].where == query.tests


def test_persons_move_as_many_rows_as_they_keep():
    relation = add_remove(n_max=9, person="id", rows_per_person=3)
    assert {part.numerator.sensitivity for part in magnitudes_query(FEW, relation).parts} == {3}
    assert {part.numerator.sensitivity for part in magnitudes_query(FEW, relation, rows_per_person=1).parts} == {1}


def test_an_alpha_that_clamps_use_up_is_refused():
    query = magnitudes_query(FEW, add_remove(n_max=9))
    with pytest.raises(ParameterError, match="alpha"):
        plan([ask(query, epsilon=1, alpha="1e-12")])
