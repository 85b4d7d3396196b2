"""Values given for a run: rounded to what the machine holds, and refused where no sampler draws them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import ParameterError
from snapdp.lab.language.parser import parse
from snapdp.lab.language.programs import load_program
from snapdp.lab.semantics.machine import given, parse_machine

HALF = load_program("snap_half")


def used(machine: str = "", **values: object) -> dict[str, Fraction]:
    return given(HALF, parse_machine(machine), {"f": 3, "U": "1/2", "S": 1, **values}).environment


def test_a_value_that_is_no_float_is_rounded_to_the_nearest_and_told():
    found = given(HALF, parse_machine(""), {"f": "0.1", "U": "0.3", "S": -1})
    assert found.environment == {"f": Fraction(0.1), "U": Fraction(0.3), "S": -1}
    assert [(each.name, each.asked, each.used) for each in found.rounded] == [
        ("f", Fraction(1, 10), Fraction(0.1)),
        ("U", Fraction(3, 10), Fraction(0.3)),
    ]


def test_a_float_of_the_machine_is_taken_as_it_is():
    assert given(HALF, parse_machine("p=3"), {"f": 3, "U": "5/16", "S": 1}).rounded == ()


def test_random_draws_multiples_of_two_to_the_minus_53():
    assert used("sampler=grid53", U="0.3")["U"] == Fraction(round(Fraction(3, 10) * 2**53), 2**53) != Fraction(0.3)


def test_a_machine_whose_sum_is_exact_takes_any_value_of_the_query():
    assert used("sum=exact", f="1/3")["f"] == Fraction(1, 3)


@pytest.mark.parametrize(
    ("machine", "u"),
    [
        ("", "0"),
        ("", "-1/2"),
        ("", "1"),
        ("", "1.5"),
        ("p=8", "0.999"),  # rounds to 1
        ("umin=-10", "1/2048"),
        ("sampler=grid53", "1e-20"),  # rounds to 0
        ("sampler=nearest", "1.01"),
    ],
)
def test_what_no_sampler_draws_is_refused(machine, u):
    with pytest.raises(ParameterError, match="is never drawn"):
        used(machine, U=u)


def test_a_uniform_rounded_to_nearest_may_be_one():
    assert used("sampler=nearest", U=1)["U"] == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"S": 0}, "S = 0 is never drawn"),
        ({"f": "64.1"}, r"f\(D\) = 64.1 lies outside the declared range \[-64, 64\]"),
        ({"f": "nan"}, "not a finite number"),
        ({"g": 1}, "'g' is no query or sample"),
    ],
)
def test_other_values_are_refused_by_name(values, said):
    with pytest.raises(ParameterError, match=said):
        used(**values)


def test_every_query_and_sample_needs_a_value():
    with pytest.raises(ParameterError, match="needs a value for S"):
        given(HALF, parse_machine(""), {"f": 3, "U": "1/2"})
    assert given(parse("program p { y = 1; return y; }"), parse_machine(""), {}).values == ()


def test_a_bernoulli_draw_is_zero_or_one_and_a_laplace_draw_any_float():
    tree = parse("program p { b <-$ bernoulli(1/2); x <-$ laplace(1); return b + x; }")
    found = given(tree, parse_machine("p=3"), {"b": 1, "x": "-0.3"})
    assert found.environment == {"b": 1, "x": Fraction(-5, 16)}
    with pytest.raises(ParameterError, match="b = 1/3 is never drawn"):
        given(tree, parse_machine(""), {"b": "1/3", "x": 0})
