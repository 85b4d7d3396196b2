"""Spends: plain numbers in, one law each, merged in their order."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.errors import ParameterError
from snapdp.interop.composition import Spend, delta_of, merged, spend


def test_spends_of_one_law_and_epsilon_are_merged():
    found = merged([spend("pure", epsilon=1), spend("laplace", epsilon=1), spend("pure", epsilon=1, times=2)])
    assert found == (Spend(law="pure", epsilon=Fraction(1), times=3), Spend(law="laplace", epsilon=Fraction(1)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"law": "gauss", "epsilon": 1},
        {"law": "pure", "epsilon": 0},
        {"law": "pure", "epsilon": 1, "times": 0},
        {"law": "pure", "epsilon": 1, "times": True},
    ],
)
def test_nonsense_is_no_spend(wrong):
    with pytest.raises(ParameterError):
        spend(wrong.pop("law"), **wrong)


@pytest.mark.parametrize("law", ["laplace", "pure"])
def test_delta_meets_its_ends(law):
    each = spend(law, epsilon=1)
    assert delta_of(each, Fraction(1), 100).upper == 0
    below, at = delta_of(each, Fraction(-2), 100), delta_of(each, Fraction(-1), 100)
    assert Fraction("0.8646") < below.lower
    assert Fraction("0.6321") < at.lower
    inside = delta_of(each, Fraction(-1) + Fraction(1, 10**9), 100)
    assert abs(inside.lower - at.lower) < Fraction(1, 10**8)
