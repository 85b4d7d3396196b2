"""An outline becomes a study whose lines share the budget exactly; what is said can be judged before the rest is."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from snapdp.api.outline import (
    Outline,
    OutlineLine,
    about_keys,
    check_column,
    check_relation,
    line_problem,
    shared_out,
)
from snapdp.errors import ParameterError, SnapdpError
from snapdp.studies import STUDY_KEYS, plan_of

PUBLIC, PRIVATE = {"relation": "change-one", "n": 100}, {"relation": "add-remove", "n_max": 100}
AGE = {"kind": "integer", "lower": "0", "upper": "120", "missing": "middle"}
MEAN, COUNT = {"kind": "mean", "column": "age"}, {"kind": "count"}
WEIGHTS = st.lists(st.fractions(min_value=Fraction(1, 100), max_value=100), min_size=1, max_size=9)


@given(budget=st.fractions(min_value=Fraction(1, 1000), max_value=10), weights=WEIGHTS)
def test_shares_are_the_budget_together_and_in_the_proportion_of_weights(budget, weights):
    shares = shared_out(budget, weights)
    assert sum(shares) == budget
    assert all(share * weights[0] == shares[0] * weight for share, weight in zip(shares, weights, strict=True))


@pytest.mark.parametrize(("budget", "weights"), [(0, [1]), (1, []), (1, [1, 0]), (1, [-1, 2])])
def test_what_cannot_be_shared_is_refused(budget, weights):
    with pytest.raises(ParameterError):
        shared_out(budget, weights)


def outline(*lines: OutlineLine, **more: object) -> Outline:
    columns = {"age": AGE, "pay": {"kind": "number", "lower": "0", "upper": "9"}}
    fields = {"dataset": "d", "relation": PRIVATE, "budget": Fraction(1), "columns": columns, "more": {}, **more}
    return Outline(lines=lines, **fields)


def test_an_outline_is_a_study_with_the_columns_that_lines_name():
    found = outline(OutlineLine(statistic=MEAN), OutlineLine(statistic=COUNT, weight=Fraction(3)))
    study = found.study()
    assert [each.name for each in study.columns] == ["age"]
    assert [each.epsilon for each in study.asked] == [Fraction(1, 4), Fraction(3, 4)]
    assert plan_of(study).total == study.budget == 1


def test_an_outline_without_a_column_is_a_study():
    assert outline(OutlineLine(statistic=COUNT)).study().asked[0].statistic.title == "count"


def test_missing_cells_of_a_column_that_is_only_counted_by_are_in_no_bin():
    by = OutlineLine(statistic={"kind": "count", "by": "pay"})
    columns = {"pay": {"kind": "number", "lower": "0", "upper": "9", "edges": ["0", "3", "9"]}}
    assert outline(by, columns=columns).study().column("pay").dropped


def test_a_line_says_what_it_is_about_and_by():
    line = OutlineLine(statistic={"kind": "covariance", "columns": ["a", "b"], "by": ["c", "d"]})
    assert (line.about, line.by) == (("a", "b"), ("c", "d"))


def test_half_a_column_is_judged_before_the_rest_is_said():
    check_column("pay", {"kind": "number", "lower": "0", "upper": "9"})
    with pytest.raises(SnapdpError):
        check_column("pay", {"kind": "number", "lower": "9", "upper": "0"})
    check_column("row", {"kind": "category", "categories": ["a"]})


def test_a_relation_is_judged_by_itself():
    assert check_relation(PUBLIC).relation.is_change_one
    assert check_relation({**PRIVATE, "person": ["id"], "rows_per_person": 3}).relation.moved_rows == 3
    with pytest.raises(SnapdpError):
        check_relation({**PUBLIC, "n": 0})


def test_a_line_that_cannot_be_planned_says_why():
    assert line_problem(PRIVATE, {"age": AGE}, [MEAN, COUNT]) is None
    repeated = line_problem(PRIVATE, {"age": AGE}, [MEAN, MEAN])
    assert repeated is not None
    assert "repeats" in repeated.problem
    assert line_problem(PUBLIC, {}, [COUNT]) is not None


def test_texts_for_readers_are_those_that_studies_have():
    assert set(about_keys()) <= set(STUDY_KEYS)
