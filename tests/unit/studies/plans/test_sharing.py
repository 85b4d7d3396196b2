"""What means would gain by sharing a count: only where they are over the same rows, and where every one gains."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.conditions import condition
from snapdp.studies.plans.lines import Line
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.mean import mean_query

F = Fraction
ROWS = add_remove(n_max=1000)
PEOPLE = add_remove(n_max=1000, person="id", rows_per_person=1)
GROUP = category_column("g", categories=["a", "b"])
X, Y, Z = (integer_column(name, lower=0, upper=top, missing="middle") for name, top in (("x", 1), ("y", 120), ("z", 9)))
GONE = integer_column("q", lower=0, upper=1, missing="dropped")


def plan_of(*statistics, epsilons=None, **line):
    costs = epsilons or [F(1, 2)] * len(statistics)
    lines = (Line(statistic=each, epsilon=cost, **line) for each, cost in zip(statistics, costs, strict=True))
    return Plan(lines=tuple(lines))


def test_two_means_of_the_same_rows_would_gain_what_one_plan_of_both_has():
    apart = plan_of(mean_query(X, ROWS), mean_query(Y, ROWS))
    (found,) = apart.sharings
    shared = Line(statistic=mean_query([X, Y], ROWS), epsilon=F(1))
    assert (found.columns, found.epsilon, found.rows) == (("x", "y"), 1, 1000)
    assert found.together == shared.derived_accuracies(1000)
    assert found.apart == tuple(line.derived_accuracy(1000) for line in apart.lines)
    assert all(after < before for before, after in zip(found.apart, found.together, strict=True))
    assert found.in_words in " ".join(repr(apart).split())
    assert len(apart.lines) == 2  # said, never done


def test_means_by_groups_and_with_conditions_are_told_of_a_group_and_three_of_three():
    where = [condition(Z, start=5)]
    by_group = plan_of(*(mean_query(each, change_one(n=900), by=GROUP, where=where) for each in (X, Y)))
    (found,) = by_group.sharings
    assert (found.rows, found.in_groups) == (450, True)
    (three,) = plan_of(*(mean_query(each, ROWS) for each in (X, Y, Z))).sharings
    assert three.columns == ("x", "y", "z")


@pytest.mark.parametrize(
    "plan",
    [
        plan_of(mean_query(X, ROWS), mean_query(GONE, ROWS)),
        plan_of(mean_query(X, ROWS), mean_query(Y, ROWS, by=GROUP)),
        plan_of(mean_query(X, ROWS), mean_query(Y, ROWS, where=[condition(Z, start=5)])),
        plan_of(mean_query(X, change_one(n=9)), mean_query(Y, change_one(n=9))),
        plan_of(mean_query(X, ROWS), mean_query(X, ROWS, count_share="1/4")),
        plan_of(mean_query(X, ROWS), mean_query(Y, ROWS), epsilons=[F(1, 100), F(1)]),
        plan_of(mean_query(X, add_remove(n_max=3)), mean_query(Y, add_remove(n_max=3))),
        plan_of(mean_query(X, PEOPLE), mean_query(Y, PEOPLE, rows_per_person=2)),
    ],
    ids=[
        *("dropped", "groups", "conditions", "n is public", "one column", "one would lose", "nothing is known anyway"),
        "rows of a person",
    ],
)
def test_nothing_is_said_where_rows_differ_or_somebody_would_not_gain(plan):
    assert plan.sharings == ()


def test_hostile_names_are_made_visible():
    first = integer_column("a\u202e\nb", lower=0, upper=1, missing="middle")
    (found,) = plan_of(mean_query(first, ROWS), mean_query(Y, ROWS)).sharings
    assert "\u202e" not in found.in_words
    assert "\n" not in found.in_words
