"""The bars of a law: they are its probabilities, nothing is left out, and the ends of the clamp stand by themselves."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.curve import bars_of_law, law_mass
from snapdp.mechanism.finite_precision import finite_parameters
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.parameters import FinitePrecision, exact_parameters

F = Fraction
SMALL = {"epsilon": "0.7", "sensitivity": 1, "lower": 0, "upper": 6}
AT_3 = ("0", "7/3", "3", "6")


def law_at(value, **declared):
    p = exact_parameters(**declared)
    return ExactLaw(p.inner(F(value)), p)


def laplace_cdf(t, scale):
    return math.exp(t / scale) / 2 if t < 0 else 1 - math.exp(-t / scale) / 2


@pytest.mark.parametrize("clamp", ["range", "wide"])
@pytest.mark.parametrize("value", AT_3)
def test_bars_are_those_of_a_laplace_draw_that_is_rounded_and_clamped(clamp, value):
    """The mechanism again, in doubles and by its definition: round value + Y to the grid, move what is beyond."""
    law = law_at(value, **SMALL, grid=1, clamp=clamp)
    p, v = law.parameters, float(F(value))
    expected = {}
    for k in law.support:
        low = -math.inf if k == p.low else k - 0.5 - v
        high = math.inf if k == p.high else k + 0.5 - v
        expected[k] = laplace_cdf(high, 1 / 0.7) - laplace_cdf(low, 1 / 0.7)
    found = bars_of_law(law)
    assert found.together == 1
    assert {each.first for each in found.bars} <= expected.keys()
    for each in found.bars:
        assert each.first == each.last
        assert each.height == pytest.approx(expected[each.first], abs=1e-15)
        assert each.is_end == (each.first in p.ends)


@given(
    value=st.fractions(-3, 12, max_denominator=40),
    epsilon=st.sampled_from(["0.01", "0.3", "2", "40", "1e9"]),
    grid=st.sampled_from(["natural", "fine", F(1, 1024), 8]),
    clamp=st.sampled_from(["range", "wide"]),
    most=st.sampled_from([3, 20, 96]),
)
@settings(max_examples=60, deadline=None)
def test_bars_and_what_lies_beyond_them_add_up_to_one(value, epsilon, grid, clamp, most):
    law = law_at(value, epsilon=epsilon, sensitivity=1, lower=0, upper=10, grid=grid, clamp=clamp)
    found = bars_of_law(law, most=most)
    assert found.total == pytest.approx(1, abs=1e-13)
    assert max(found.below, found.above) <= F(1, 2000) + F(1, 10**12)
    assert len(found.bars) <= most + 4  # the runs at both ends are whole, and the ends of the clamp stand alone
    last = None
    for each in found.bars:  # every output between the first and the last is in exactly one
        assert last is None or each.first == last + 1
        assert each.first <= each.last
        assert each.is_end == (each.first in law.parameters.ends)
        assert not each.is_end or each.first == each.last
        last = each.last


@pytest.mark.parametrize("value", AT_3)
def test_a_bar_of_several_outputs_has_the_probability_of_all_of_them(value):
    law = law_at(value, **SMALL, grid="1/8")
    found = bars_of_law(law, most=12)
    assert found.together > 1
    for each in found.bars:
        exact = sum(law.index_probability(k).upper for k in range(each.first, each.last + 1))
        assert each.height == pytest.approx(float(exact), rel=1e-12)


def test_the_run_around_the_value_is_the_highest_and_holds_it():
    law = law_at(3, epsilon="0.01", sensitivity=1, lower=0, upper=6, grid="1/4")
    found = bars_of_law(law)
    highest = max(found.bars, key=lambda each: each.height)
    assert highest.first <= law.centre <= highest.last


def test_the_mass_of_nothing_is_nothing_and_of_everything_all():
    law = law_at(3, **SMALL, grid=1)
    low, high = law.parameters.ends
    assert law_mass(law, 2, 1) == 0
    assert law_mass(law, low, high) == 1
    assert law_mass(law, low - 5, high + 5) == 1


def test_an_end_of_a_narrow_clamp_is_a_bar_that_is_seen():
    p = finite_parameters(
        epsilon="0.002", sensitivity=1, lower=0, upper=6000, arithmetic=FinitePrecision(rule="proved")
    )
    law = ExactLaw(p.inner(6000), p)
    (end,) = [each for each in bars_of_law(law).bars if each.is_end]
    assert end.first == p.high
    assert end.height == pytest.approx(float(law.index_probability(p.high)), rel=1e-12)
    assert end.height > 0.01
