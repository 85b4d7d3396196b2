"""Declared columns and relations: effective bounds, steps, the midpoint, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.dyadic import exponent_of_power
from snapdp.studies.columns import category_column, integer_column, number_column
from snapdp.studies.relation import Relation, add_remove, change_one

F = Fraction
PROPERTY = settings(deadline=None, max_examples=100)
rationals = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)
steps = st.fractions(min_value=F(1, 64), max_value=100, max_denominator=64).filter(bool)


@PROPERTY
@given(ends=st.tuples(rationals, rationals).filter(lambda ends: ends[0] != ends[1]), step=steps)
def test_effective_bounds_are_multiples_of_the_step_just_outside_the_declared_ones(ends, step):
    low, high = sorted(ends)
    column = number_column("x", lower=low, upper=high, step=step, missing="middle")
    assert column.lower <= low < column.lower + step
    assert column.upper - step < high <= column.upper
    assert all((end / step).denominator == 1 for end in (column.lower, column.upper, column.missing))
    assert column.lower <= column.missing <= column.upper
    assert 2 * abs(column.missing - column.middle) <= step
    assert column.levels == column.highest - column.lowest >= 1
    assert column.widened == ((low, high) != (column.lower, column.upper))


@PROPERTY
@given(ends=st.tuples(rationals, rationals).filter(lambda ends: ends[0] != ends[1]))
def test_the_default_step_of_numbers_is_the_largest_power_of_two_below_a_millionth(ends):
    low, high = sorted(ends)
    step = number_column("x", lower=low, upper=high, missing="middle").step
    assert exponent_of_power(step) is not None
    assert step <= (high - low) / 2**20 < 2 * step


def test_the_default_step_of_integers_is_one():
    column = integer_column("x", lower="0.5", upper="119.5", missing="middle")
    assert (column.step, column.lower, column.upper, column.levels) == (1, 0, 120, 120)


def test_the_midpoint_of_minus_10_and_30_is_10_and_not_20():
    """docs/errata.md, 1: 20 is the half width, and f = -10 would be sent to -30."""
    column = integer_column("x", lower=-10, upper=30, missing="middle")
    assert column.middle == column.missing == 10
    half_width = (column.upper - column.lower) / 2
    assert half_width == 20
    assert column.lower - half_width == -30
    assert {column.lower - column.middle, column.upper - column.middle} == {-half_width, half_width}


def test_a_midpoint_off_the_step_is_rounded_half_up_to_the_step():
    assert integer_column("x", lower=0, upper=5, missing="middle").missing == 3
    assert integer_column("x", lower=-5, upper=0, missing="middle").missing == -2


def test_a_declared_stand_in_is_moved_to_the_step_and_must_lie_in_the_effective_bounds():
    assert number_column("x", lower="0.3", upper=2, step=1, missing=0).missing == 0  # inside 0..2, not inside 0.3..2
    assert number_column("x", lower=0, upper=2, step="1/2", missing="0.7").missing == F(1, 2)
    with pytest.raises(BoundError, match=r"missing = 3 lies outside the bounds 0 to 2 of column 'x'"):
        number_column("x", lower=0, upper=2, step=1, missing=3)


@pytest.mark.parametrize(("lower", "upper"), [(120, 80), (5, 5), ("1/3", 0)])
def test_bounds_in_the_wrong_order_are_refused(lower, upper):
    with pytest.raises(BoundError, match="were the two swapped"):
        number_column("age", lower=lower, upper=upper, missing="middle")


@pytest.mark.parametrize("bad", [0, -1, "nan", float("inf"), None, True, "x"])
def test_bad_steps_are_refused(bad):
    if bad is None:
        assert number_column("x", lower=0, upper=1, step=None, missing="middle").step > 0
        return
    with pytest.raises(ParameterError, match="column 'x'"):
        number_column("x", lower=0, upper=1, step=bad, missing="middle")


def test_an_integer_column_refuses_a_step_that_is_not_whole():
    with pytest.raises(ParameterError, match="not whole"):
        integer_column("x", lower=0, upper=9, step="1/2", missing="middle")
    assert integer_column("x", lower=1, upper=9, step=5, missing="middle").lower == 0


def test_cells_of_a_category_column_come_in_the_declared_order_with_the_binned_ones_last():
    column = category_column("g", categories=["b", "a"], unknown="binned", null="binned")
    assert list(column.labels) == ["b", "a", "(unknown)", "(null)"]
    assert column.cells == 4
    assert category_column("g", categories=("b", "a")).cells == 2


@pytest.mark.parametrize("categories", [[], "abc", [1, 2], ["a", None]])
def test_categories_that_are_no_list_of_text_are_refused(categories):
    with pytest.raises(ParameterError, match="list of text"):
        category_column("g", categories=categories)


def test_a_category_declared_twice_and_unknown_treatments_are_refused():
    with pytest.raises(ParameterError, match="'a' of column 'g' is declared twice"):
        category_column("g", categories=["a", "b", "a"])
    with pytest.raises(ParameterError, match='unknown = "dropped" or unknown = "binned"'):
        category_column("g", categories=["a"], unknown="kept")
    with pytest.raises(ParameterError, match="null = 'drop' of column 'g'"):
        category_column("g", categories=["a"], null="drop")


def test_a_million_categories_are_declared_quickly():
    column = category_column("g", categories=[str(i) for i in range(1_000_000)])
    assert column.cells == 1_000_000


@pytest.mark.parametrize("n", [0, -1, "1/2", 2.5, True, None, "many"])
def test_a_row_count_that_is_no_positive_whole_number_is_refused(n):
    for build in (lambda: change_one(n=n), lambda: add_remove(n_max=n)):
        with pytest.raises(ParameterError, match=r"n(_max)? = "):
            build()


def test_cells_that_are_counted_by_themselves_are_said_so():
    said = [
        category_column("g", categories=["a"], unknown=unknown, null=null).others_in_words
        for unknown, null in product(("binned", "dropped"), repeat=2)
    ]
    assert said == [
        "cells of g that mean none of its categories, and empty ones, are counted by themselves",
        "cells of g that mean none of its categories are counted by themselves, empty ones are left out",
        "cells of g that mean none of its categories are left out, empty ones are counted by themselves",
        "cells of g that mean none of its categories, and empty ones, are left out",
    ]


def test_persons_are_refused_under_change_one_and_need_their_column():
    with pytest.raises(ParameterError, match="add-remove only"):
        Relation(kind="change-one", rows=5, person="id", rows_per_person=2)
    with pytest.raises(ParameterError, match="needs the column"):
        add_remove(n_max=5, rows_per_person=2)
    with pytest.raises(ParameterError, match="unknown"):
        Relation(kind="bounded", rows=5)
