"""Noises sorted by their law, and the two bounds of a sum that hold at any size."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import exp

import pytest
from hypothesis import given, strategies as st

from snapdp.accuracy.adjusted.noise import (
    NoiseTerm,
    Summand,
    exponent_reaching,
    hyperbolic_cosine,
    root_up,
    spacing_of,
    summands_of,
    tail_numbers,
)
from snapdp.exact.functions import ln_enclosure
from tests.unit.accuracy.adjusted.brute import EnumeratedLaw
from tests.unit.accuracy.adjusted.sums import added, noise

F = Fraction


def test_terms_with_one_law_are_one_summand_and_large_ones_come_first():
    a, b = noise(F(1, 2)), noise(F(1, 4))
    terms = [(F(1, 3), a, 2), (F(2), a, 1), (F(-1, 3), a, 5), (F(1, 2), b, 1), (F(1), a, 1)]
    found = summands_of(NoiseTerm(coefficient=c, noise=n, count=m) for c, n, m in terms)
    assert found == [
        Summand(F(4), F(1, 4), 1),
        Summand(F(2), F(1, 4), 1),
        Summand(F(2), F(1, 8), 1),
        Summand(F(2, 3), F(1, 4), 7),
    ]
    assert [each.step for each in found] == [2, 1, F(1, 2), F(1, 3)]


def test_the_order_of_terms_does_not_matter():
    terms = [NoiseTerm(coefficient=F(1, k), noise=noise(F(1, 2 + k % 3)), count=k) for k in range(1, 20)]
    assert summands_of(terms) == summands_of(reversed(terms))


def test_values_of_a_sum_are_multiples_of_its_spacing():
    assert spacing_of(added((F(2, 3), F(1), 1), (F(1, 2), F(1, 2), 3))) == F(1, 6)
    assert spacing_of(added((F(4), F(1), 1), (F(6), F(1, 2), 1))) == 2
    laplace = summands_of([NoiseTerm(coefficient=F(1), noise=noise(F(1), on_grid=False))])
    assert spacing_of(laplace) == 0


enumerated = cache(EnumeratedLaw)
SUMS = [
    added((1, F(1, 2), 1)),
    added((1, F(2), 3)),
    added((1, F(1, 2), 2), (F(1, 3), F(1, 2), 4)),
    added((1, F(1), 16)),
]


@pytest.mark.parametrize("summands", SUMS)
@pytest.mark.parametrize("level", [F(1, 2), F(1, 20), F(1, 10**6)])
def test_bernsteins_and_chebyshevs_reach_hold_by_the_exact_law(summands, level):
    law, numbers = enumerated(summands), tail_numbers(summands, 64)
    just_below = law.spacing / 2
    for reach in (numbers.reach(level), root_up(numbers.variance / level)):
        assert law.beyond(reach - just_below)[1] <= level


def test_a_reach_of_half_the_length_would_not_hold():
    law, numbers = enumerated(SUMS[3]), tail_numbers(SUMS[3], 64)
    assert law.beyond(numbers.reach(F(1, 20)) / 2)[0] > F(1, 20)


@given(st.fractions(min_value=1, max_value=10**30, max_denominator=10**6))
def test_the_exponent_reaches_the_factor_and_one_step_less_would_not_by_the_rule(factor):
    found = exponent_reaching(factor)
    assert F(65, 64) ** int(64 * found) >= factor
    assert found == 0 or F(65, 64) ** int(64 * found - 1) < factor
    assert ln_enclosure(factor, 128).upper <= found <= ln_enclosure(factor, 128).upper * F(101, 100) + F(1, 64)


@given(st.fractions(min_value=F(1, 10**12), max_value=10**20))
def test_a_root_is_rounded_up_and_by_little(x):
    root = root_up(x)
    assert x < root**2 <= x * (1 + F(1, 2**20))


@pytest.mark.parametrize("y", [F(1, 100), F(1, 2), F(5)])
def test_the_hyperbolic_cosine_is_floored(y):
    assert hyperbolic_cosine(y, 40) == pytest.approx(2**40 * (exp(y) + exp(-y)) / 2, rel=1e-11)
    assert hyperbolic_cosine(y, 200) >> 160 == hyperbolic_cosine(y, 40)
    assert hyperbolic_cosine(F(0), 40) == 2**40
