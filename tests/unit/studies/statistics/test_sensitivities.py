"""Sensitivity, range, factor and shift of every statistic, proven by enumerating all small tables."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from snapdp.errors import ParameterError
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.conditions import condition
from snapdp.studies.grouping.groups import binned
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.covariance import covariance_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.studies.statistics.variance import variance_query
from tests.unit.studies.statistics.enumeration import Extremes, grid_values, part_statistics, proven, tables

F = Fraction
COLUMNS = {
    "whole steps from zero": number_column("x", lower=0, upper=3, step=1, missing="middle"),
    "around zero": integer_column("x", lower=-2, upper=1, missing="middle"),
    "below zero": number_column("x", lower=-3, upper=-1, step=1, missing="middle"),
    "far from zero": number_column("x", lower=500, upper=1000, step=250, missing="middle"),
    "half steps, bounds off the step": number_column("x", lower="0.3", upper="1.2", step="1/2", missing="middle"),
    "steps of a tenth": number_column("x", lower="-0.1", upper="0.2", step="0.1", missing="middle"),
    "two levels": integer_column("x", lower=0, upper=1, missing="middle"),
}
Y = number_column("y", lower=-4, upper=4, step=4, missing="middle")
GROUP = category_column("g", categories=["a", "b"], unknown="binned", null="dropped")
ONE_GROUP = category_column("g", categories=["a"])
columns = pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS.keys())


def rows_of(column, second=None, groups=("a",)):
    ys = [F(0)] if second is None else grid_values(second)
    return list(product(grid_values(column), ys, groups))


@columns
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_change_one_sum_and_mean_have_the_stated_sensitivity_and_attain_their_range(column, n):
    for query in (sum_query(column, change_one(n=n)), mean_query(column, change_one(n=n))):
        proven(query, rows_of(column))
    width = column.upper - column.lower
    total, mean = sum_query(column, change_one(n=n)).parts[0], mean_query(column, change_one(n=n)).parts[0]
    assert total.numerator.statistic_sensitivity == width
    assert total.numerator.statistic_range == (n * column.lower, n * column.upper)
    assert mean.numerator.statistic_sensitivity == width / n
    assert mean.numerator.statistic_range == (column.lower, column.upper)


@columns
@pytest.mark.parametrize("n_max", [1, 2, 4])
def test_add_remove_sum_has_the_stated_sensitivity_and_attains_its_range(column, n_max):
    query = sum_query(column, add_remove(n_max=n_max))
    proven(query, rows_of(column))
    numerator = query.parts[0].numerator
    assert numerator.statistic_sensitivity == max(abs(column.lower), abs(column.upper))
    assert numerator.statistic_range == (min(0, n_max * column.lower), max(0, n_max * column.upper))


@columns
@pytest.mark.parametrize("n_max", [1, 2, 4])
@pytest.mark.parametrize("share", [None, "1/4", "0.9"])
def test_add_remove_mean_is_a_centred_sum_and_a_count_that_share_epsilon(column, n_max, share):
    query = mean_query(column, add_remove(n_max=n_max), count_share=share)
    proven(query, rows_of(column))
    centred, count = query.parts
    assert centred.numerator.statistic_sensitivity == (column.upper - column.lower) / 2
    assert count.numerator.statistic_range == (0, n_max)
    assert centred.share + count.share == 1
    assert count.share == F(share or "1/2")
    assert "centred sum / count" in query.derivation


@columns
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_variance_has_the_stated_sensitivity_and_attains_its_range_for_odd_and_even_n(column, n):
    query = variance_query(column, change_one(n=n))
    proven(query, rows_of(column))
    width, numerator = column.upper - column.lower, query.parts[0].numerator
    assert numerator.statistic_sensitivity == width**2 / n
    largest = F(n, 4 * (n - 1)) if n % 2 == 0 else F(n + 1, 4 * n)
    assert numerator.statistic_range == (0, width**2 * largest)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        *product(["around zero", "half steps, bounds off the step"], [2, 3]),
        pytest.param("around zero", 4, marks=pytest.mark.long),
        ("half steps, bounds off the step", 4),
    ],
)
def test_covariance_has_the_stated_sensitivity_and_attains_its_range(name, n):
    column = COLUMNS[name]
    query = covariance_query(column, Y, change_one(n=n))
    proven(query, rows_of(column, Y))
    area, numerator = (column.upper - column.lower) * (Y.upper - Y.lower), query.parts[0].numerator
    assert numerator.statistic_sensitivity == area / n
    largest = area * (F(n, 4 * (n - 1)) if n % 2 == 0 else F(n + 1, 4 * n))
    assert numerator.statistic_range == (-largest, largest)


RELATIONS = [change_one(n=1), change_one(n=3), add_remove(n_max=3)]


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.kind} {r.rows}")
def test_a_count_of_rows_that_meet_conditions_moves_by_one(relation):
    column = integer_column("x", lower=0, upper=3, missing="middle")
    rows = rows_of(column, groups=("a", "b"))
    for where in (
        [condition(column, start=2)],
        [condition(column, start=1, below=3)],
        [condition(column, below=3), condition(GROUP, equals="b")],
    ):
        query = count_query(relation, where=where)
        proven(query, rows)
        assert (query.parts[0].numerator.sensitivity, query.parts[0].share) == (1, 1)
        assert query.parts[0].numerator.statistic_range == (0, relation.rows)


def test_the_number_of_rows_is_counted_under_add_remove_and_public_under_change_one():
    proven(count_query(add_remove(n_max=3)), rows_of(COLUMNS["around zero"]))


CATEGORY_ROWS = [(F(0), F(0), g) for g in ("a", "b", "c", "?", None)]


@pytest.mark.parametrize("unknown", ["dropped", "binned"])
@pytest.mark.parametrize("null", ["dropped", "binned"])
@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.kind} {r.rows}")
def test_a_histogram_moves_in_two_cells_under_change_one_and_in_one_under_add_remove(relation, unknown, null):
    column = category_column("g", categories=["a", "b", "c"], unknown=unknown, null=null)
    query = histogram_query(column, relation)
    proven(query, CATEGORY_ROWS)
    (part,) = query.parts
    assert part.cells == 3 + (unknown == "binned") + (null == "binned")
    assert (part.moving, part.share) == ((2, F(1, 2)) if relation.is_change_one else (1, 1))


def test_a_histogram_of_one_cell_moves_in_one_cell_only():
    query = histogram_query(ONE_GROUP, change_one(n=3))
    proven(query, CATEGORY_ROWS)
    assert query.parts[0].share == 1


@pytest.mark.parametrize("outside", ["dropped", "binned"])
@pytest.mark.parametrize("edges", [[0, 1, 3], [1, "3/2"], ["1/2", 2, 3], [0, "1/2", "2.5"]])
@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.kind} {r.rows}")
def test_a_histogram_over_bin_edges_counts_every_row_at_most_once(relation, edges, outside):
    column = number_column("x", lower=0, upper=3, step="1/2", missing="middle")
    query = histogram_query(column, relation, edges=edges, outside=outside)
    found = Extremes(query, rows_of(column))
    assert found.all_integers
    assert found.cells[0] == {query.cells} == {len(list(query.labels))}
    assert found.largest_loss == 1
    assert found.highest[0] == relation.rows
    if outside == "binned":  # then no row is lost
        for table in tables(rows_of(column), relation):
            assert sum(part_statistics(query, table)[0]) == len(table)


@pytest.mark.parametrize("column", [COLUMNS["around zero"], COLUMNS["far from zero"], COLUMNS["below zero"]])
@pytest.mark.parametrize("groups", [GROUP, ONE_GROUP], ids=["three groups", "one group"])
@pytest.mark.parametrize("relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"])
def test_statistics_by_group_spend_the_epsilon_typed_when_a_row_moves(column, groups, relation):
    rows = rows_of(column, groups=("a", "b", "?", None))
    for query in (sum_query(column, relation, by=groups), mean_query(column, relation, by=groups)):
        one_of_many = groups is GROUP or not relation.is_change_one
        proven(query, rows, whole_epsilon=one_of_many)
        expected = 2 if relation.is_change_one else 1
        assert {part.moving for part in query.parts} == {expected}
    count = count_query(relation, by=groups)
    proven(count, rows)
    histogram = histogram_query(COLUMNS["two levels"], relation, edges=[0, 1], by=groups)
    proven(histogram, rows_of(COLUMNS["two levels"], groups=("a", "b", "?", None)))


def test_one_group_with_bounds_around_zero_still_needs_two_sensitivities():
    """A row that stays in the group and goes from -2 to 2 moves its sum by 4 = 2 max(|a|, |b|)."""
    column = integer_column("x", lower=-2, upper=2, missing="middle")
    query = sum_query(column, change_one(n=2), by=ONE_GROUP)
    found = proven(query, rows_of(column, groups=("a", None)))
    assert found.largest_move[0] == 2 * query.parts[0].numerator.sensitivity


# Groups by several columns: any partition of the rows


OTHER = category_column("h", categories=["u"], unknown="dropped", null="binned")
TWO_RELATIONS = pytest.mark.parametrize(
    "relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"]
)


def rows_by_two(column, first=("a", "b", "?", None), second=("u", "?", None)):
    """Return rows of a number and of two columns; some of either are in no cell."""
    return list(product(grid_values(column), [F(0)], first, second))


@TWO_RELATIONS
@pytest.mark.parametrize("lower", [0, -2], ids=["from zero", "below zero"])
def test_groups_by_two_columns_spend_the_epsilon_typed_when_a_row_moves(lower, relation):
    column = integer_column("x", lower=lower, upper=lower + 1, missing="middle")
    rows = rows_by_two(column, first=("a", "b", None))
    by = [GROUP, OTHER]
    for query in (
        count_query(relation, by=by),
        sum_query(column, relation, by=by),
        mean_query(column, relation, by=by),
        histogram_query(column, relation, edges=[column.lower, column.upper], by=by),
    ):
        found = proven(query, rows)
        assert query.cells == 3 * 2
        assert {part.moving for part in query.parts} == {2 if relation.is_change_one else 1}
        assert len(found.moves) > 1
    for table in tables(rows, relation):  # a row without a cell in one of the two columns is in no group
        known = sum(row[2] is not None and row[3] != "?" for row in table)
        assert sum(part_statistics(count_query(relation, by=by), table)[0]) == known


@TWO_RELATIONS
@pytest.mark.parametrize("rules", [{}, {"outside": "binned"}, {"outside": "binned", "null": "binned"}])
def test_groups_by_bins_and_categories_spend_the_epsilon_typed_when_a_row_moves(relation, rules):
    """Also where the column that is summed is the one that is cut into bins: its sums do not reach all of the range."""
    column = someone(COLUMNS["around zero"], "dropped")
    ages = binned(column, edges=[-1, 0, 1], **rules)
    rows = [(*row[:3], "u") for row in rows_with_gaps(column, ("a", None))]
    for by in ([ages, ONE_GROUP], [ONE_GROUP, ages], ages):
        proven(count_query(relation, by=by), rows)
        whole = rules.get("outside") == "binned"  # then the bounds themselves are in groups
        one_moves = whole and not relation.is_change_one  # of two sums that move, one has not the larger bound
        proven(sum_query(column, relation, by=by), rows, whole_epsilon=one_moves, ends=False)
        proven(mean_query(column, relation, by=by), rows, whole_epsilon=whole, ends=False)


def test_half_of_the_noise_would_not_do_for_groups_by_two_columns():
    """The twin that fails: with each cell at the whole epsilon a row that moves would lose twice as much."""
    query = count_query(change_one(n=2), by=[GROUP, OTHER])
    found = Extremes(query, rows_by_two(COLUMNS["two levels"], first=("a", "b")))
    assert found.loss(F(1, 2)) == 1
    assert found.loss(F(1)) == 2


def single_move(query, part):
    return query.parts[part].numerator.sensitivity // query.neighbours.moved_rows


def moved_by(column, relation, **own):
    """Return one statistic of each kind that counts or adds rows."""
    groups = category_column("g", categories=["a", "b"])
    return (
        sum_query(column, relation, **own),
        mean_query(column, relation, **own),
        count_query(relation, **own),
        histogram_query(groups, relation, **own),
        sum_query(column, relation, by=groups, **own),
        mean_query(column, relation, by=groups, count_share="1/4", **own),
    )


@pytest.mark.parametrize("m", [1, 2, 3])
def test_a_statistic_that_keeps_rows_of_its_own_moves_by_these(m):
    column, rows = COLUMNS["around zero"], rows_of(COLUMNS["around zero"], groups=("a", "b"))
    relation = add_remove(n_max=3, person="id", rows_per_person=2)
    for query, alike in zip(
        moved_by(column, relation, rows_per_person=m),
        moved_by(column, add_remove(n_max=3, person="id", rows_per_person=m)),
        strict=True,
    ):
        found = proven(query, rows)
        assert all(move == m * single_move(query, p) for p, move in enumerate(found.largest_move))
        assert query.parts == alike.parts
        assert query.stated.get("rows_per_person") == (None if m == 2 else m)  # what the study says is not said again


@pytest.mark.parametrize("rows_together", [2, 3])
@pytest.mark.parametrize("column", [COLUMNS["around zero"], COLUMNS["half steps, bounds off the step"]])
def test_a_unit_of_several_rows_moves_so_many_sensitivities_and_one_row_more_would_lose_more(column, rows_together):
    relation, rows = add_remove(n_max=4, unit_rows=rows_together), rows_of(column, groups=("a", "b"))[::3]
    for query in moved_by(column, relation):
        found = Extremes(query, rows)
        assert found.all_integers
        assert found.largest_loss == 1
        assert all(move <= rows_together * single_move(query, p) for p, move in enumerate(found.largest_move))
        wider = Extremes(query, rows, relation=add_remove(n_max=4, unit_rows=rows_together + 1))
        assert wider.largest_loss == F(rows_together + 1, rows_together)  # the twin: nobody enforces it


# Statistics of some of the rows: of those who answered, and of those that meet conditions


def someone(column, rule):
    """Return a column with another rule for missing cells."""
    build = integer_column if column.kind == "integer" else number_column
    return build("x", lower=column.declared_lower, upper=column.declared_upper, step=column.step, missing=rule)


def rows_with_gaps(column, groups=("a",)):
    return list(product([*grid_values(column), None], [F(0)], groups))


SOME = {  # whose rows count, and what the rows may be
    "dropped": ("dropped", [], ("a",)),
    "where": ("middle", [condition(GROUP, equals="a")], ("a", "b")),
    "both": ("dropped", [condition(GROUP, equals="a")], ("a", None)),
}
some = pytest.mark.parametrize(("rule", "where", "groups"), SOME.values(), ids=SOME.keys())


@columns
@some
@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_change_one_sums_of_some_rows_reach_from_zero_or_from_end_to_end(column, n, rule, where, groups):
    column = someone(column, rule)
    query = sum_query(column, change_one(n=n), where=where)
    proven(query, rows_with_gaps(column, groups))
    numerator = query.parts[0].numerator
    assert numerator.statistic_sensitivity == max(column.upper, 0) - min(column.lower, 0)
    assert numerator.statistic_range == (min(0, n * column.lower), max(0, n * column.upper))


@columns
@some
@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.long)])
def test_change_one_means_of_some_rows_have_a_count_at_half_of_epsilon_for_nothing(column, n, rule, where, groups):
    column = someone(column, rule)
    query = mean_query(column, change_one(n=n), where=where)
    found = proven(query, rows_with_gaps(column, groups))
    centred, count = query.parts
    assert (centred.share, count.share, query.charged) == (1, F(1, 2), 1)
    assert centred.numerator.statistic_sensitivity == column.upper - column.lower
    assert (count.numerator.sensitivity, count.numerator.statistic_range) == (1, (0, n))
    assert {each for each in found.moves if each[1]} == {(each[0], 1) for each in found.moves if each[1]}
    assert max(each[0] for each in found.moves if each[1]) == F(1, 2)  # who starts or stops counting moves half
    assert (1, 0) in found.moves  # who stays may go from one end to the other
    assert (F(1, 2), 1) in found.moves


@some
def test_the_joint_charge_of_sum_and_count_is_tight_and_a_larger_count_exceeds_it(rule, where, groups):
    """theory (19): the price max(s, s/2 + c) is the loss, for all shares; any count above half costs more."""
    column = someone(COLUMNS["around zero"], rule)
    found = Extremes(mean_query(column, change_one(n=2), where=where), rows_with_gaps(column, groups))
    shares = [F(k, 8) for k in range(17)]
    for s, c in product(shares, shares):
        assert found.loss(s, c) == max(s, s / 2 + c)
    assert found.loss(F(1), F(1, 2)) == 1
    assert found.loss(F(1), F(5, 8)) == F(9, 8)  # the twin: it exceeds what is charged


@some
@pytest.mark.parametrize(("share", "of_sum"), [("1/2", 1), ("5/8", F(3, 4)), ("9/10", F(1, 5))])
def test_a_larger_share_of_the_count_is_taken_from_the_sum_and_a_smaller_one_refused(
    rule, where, groups, share, of_sum
):
    column = someone(COLUMNS["around zero"], rule)
    query = mean_query(column, change_one(n=2), where=where, count_share=share)
    assert [part.share for part in query.parts] == [of_sum, F(share)]
    proven(query, rows_with_gaps(column, groups))
    with pytest.raises(ParameterError, match="less than it can have for nothing"):
        mean_query(column, change_one(n=2), where=where, count_share="49/100")


@pytest.mark.parametrize("column", [COLUMNS["around zero"], COLUMNS["far from zero"]])
@some
@pytest.mark.parametrize("m", [1, 2])
def test_add_remove_statistics_of_some_rows_move_as_those_of_all(column, rule, where, groups, m):
    column = someone(column, rule)
    relation = add_remove(n_max=2) if m == 1 else add_remove(n_max=2, person="id", rows_per_person=m)
    for query in (
        sum_query(column, relation, where=where),
        mean_query(column, relation, where=where),
        mean_query(column, relation, where=where, count_share="1/4"),
        count_query(relation, where=where or [condition(column, start=column.upper)]),
    ):
        found = proven(query, rows_with_gaps(column, groups))
        assert all(move == m * single_move(query, p) for p, move in enumerate(found.largest_move))


@pytest.mark.parametrize("relation", [change_one(n=2), add_remove(n_max=2)], ids=["change-one", "add-remove"])
@pytest.mark.parametrize("where", [False, True], ids=["all", "where"])
@pytest.mark.parametrize("groups", [GROUP, ONE_GROUP], ids=["three groups", "one group"])
def test_groups_of_some_rows_spend_the_epsilon_typed_when_a_row_moves(relation, where, groups):
    column = someone(COLUMNS["around zero"], "dropped")
    rows = rows_with_gaps(column, groups=("a", "b"))
    conditions = [condition(column, start=0)] if where else []
    for query in (
        sum_query(column, relation, by=groups, where=conditions),
        mean_query(column, relation, by=groups, where=conditions),
        count_query(relation, by=groups, where=conditions),
    ):
        tight = not where and (groups is GROUP or not relation.is_change_one or query.kind == "count")
        found = proven(query, rows, whole_epsilon=tight, ends=not where)
        assert found.largest_loss <= 1


@pytest.mark.parametrize("missing", ["dropped", "binned"])
@pytest.mark.parametrize("where", [False, True], ids=["all", "where"])
@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.kind} {r.rows}")
def test_a_missing_number_is_in_no_bin_or_in_its_own(relation, where, missing):
    column = someone(COLUMNS["whole steps from zero"], "middle")
    conditions = [condition(GROUP, equals="a")] if where else []
    query = histogram_query(column, relation, edges=[0, 2, 3], missing=missing, where=conditions)
    found = proven(query, rows_with_gaps(column, ("a", "b") if where else ("a",)))
    assert query.labels == ("[0, 2)", "[2, 3]", "(missing)")[: 2 + (missing == "binned")]
    assert found.highest == [relation.rows]
    for table in tables(rows_with_gaps(column), relation):
        gaps = sum(row[0] is None for row in table)
        assert sum(part_statistics(query, table)[0]) == len(table) - (missing == "dropped") * gaps


@pytest.mark.parametrize("relation", [change_one(n=3), add_remove(n_max=3)], ids=["change-one", "add-remove"])
def test_a_condition_on_the_column_itself_is_met_by_no_missing_cell(relation):
    column = someone(COLUMNS["whole steps from zero"], 3)  # what stands in would meet it
    query = sum_query(column, relation, where=[condition(column, start=2)])
    assert part_statistics(query, ((None, F(0), "a"), (F(2), F(0), "a"))) == [[2]]
    found = proven(query, rows_with_gaps(column), ends=False)
    assert found.largest_loss == 1
    count = count_query(relation, where=[condition(column, start=2)])
    proven(count, rows_with_gaps(column))


@pytest.mark.parametrize("n", [2, 3])
def test_what_stands_in_for_missing_cells_changes_no_sensitivity(n):
    column = someone(COLUMNS["around zero"], -2)
    for query in (
        sum_query(column, change_one(n=n)),
        mean_query(column, change_one(n=n)),
        variance_query(column, change_one(n=n)),
    ):
        proven(query, rows_with_gaps(column))
