"""The wide bound holds by the enumerated law, and is as sharp as its proof says where that is known."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.accuracy.adjusted.noise import exponent_reaching
from snapdp.accuracy.adjusted.radius import EXPONENTS, LN_2, SumNumbers, cosh_up, growth, sum_numbers, wide_radius
from snapdp.exact.functions import exp_enclosure, ln_enclosure
from tests.tiers import one_in
from tests.unit.accuracy.adjusted.brute import EnumeratedLaw
from tests.unit.accuracy.adjusted.sums import added, small_tables

F = Fraction
SUMS = [
    added((1, F(1, 2), 1)),
    added((1, F(1, 2), 2)),
    added((1, F(1, 3), 1), (F(1, 4), F(1, 3), 6)),
    added((1, F(1, 2), 1), (F(1, 2), F(2), 3)),
    added((1, F(2), 3)),
    added((1, F(1), 16)),
    added((1, F(8), 2), (F(1, 2), F(1), 1)),
]
LEVELS = [F(1, 2), F(1, 20), F(1, 10**6)]


ENUMERATED = [*SUMS, *small_tables().values()]


@pytest.mark.parametrize("place", one_in(3, range(len(ENUMERATED))))
def test_the_bound_holds_by_the_exact_law(place):
    summands = ENUMERATED[place]
    law = EnumeratedLaw(summands)
    for level in LEVELS:
        found = wide_radius(sum_numbers(summands), level=level)
        assert law.beyond(found - law.spacing / 2**20)[1] <= level  # P(|S| >= h), not only P(|S| > h)


def test_two_thirds_of_it_would_not_hold_where_one_noise_stands_out():
    summands = added((1, F(1, 8), 1), (F(1, 4), F(1, 8), 1))
    found = wide_radius(sum_numbers(summands), level=F(1, 20))
    law = EnumeratedLaw(summands)
    # P(|S| > h) >= P(|N| > h)/2 = e^(-h x)/2 or so, and e^(-(2/3) h x) > 2/20 with h x near ln 20
    assert law.beyond(found * F(2, 3))[0] > F(1, 20)


@pytest.mark.parametrize("summands", SUMS, ids=range(len(SUMS)))
def test_it_is_the_least_of_all_exponents(summands):
    numbers, level = sum_numbers(summands), F(1, 20)
    found = wide_radius(numbers, level=level)
    width, ratio = numbers.rest / numbers.scale**2, numbers.second / numbers.scale
    tried = (
        exponent_reaching(2 / level) / a + width * a * growth((a * ratio) ** 2) / 2 for a in EXPONENTS if a * ratio < 1
    )
    least = numbers.scale * (numbers.half_ratio - LN_2 + min(tried))
    assert least <= found <= least * (1 + F(1, 2**22))  # 24 bits


def test_the_constants_of_the_proof_are_on_their_sides():
    assert ln_enclosure(F(2), 64).lower > LN_2
    assert all(0 < a <= 1 for a in EXPONENTS)
    assert sorted(EXPONENTS, reverse=True) == EXPONENTS
    for k in range(1, 100):
        q = F(k, 100)
        assert ln_enclosure(1 / (1 - q), 128).upper <= q * growth(q)
        assert growth(q) == 1 / (4 * (1 - q)) + F(3, 4) / (1 - q / 3)


@pytest.mark.parametrize("a", [F(1, 8), F(1, 2), F(7, 8), F(1)])
@pytest.mark.parametrize("x", [F(1, 4), F(1), F(3)])
def test_one_noise_is_below_its_exponential_wherever_it_is_asked(a, x):
    """P(K >= k) <= e^(ax/2) e^(-akx)/(1 + a), all k; and at a = 1 and k >= 1 it is equal: the step of theory (19)."""
    for k in range(-30, 31):
        half = exp_enclosure(-abs(k - F(1, 2)) * x, 200) * F(1, 2)
        tail = half if k >= 1 else 1 - half
        bound = exp_enclosure(a * x / 2 - a * k * x, 200) * (1 / (1 + a))
        assert tail.lower <= bound.upper
        if a == 1 and k >= 1:
            assert tail.upper >= bound.lower


def test_the_four_numbers_of_a_sum():
    summands = added((1, F(1, 2), 2), (F(1, 3), F(1, 2), 4))
    cosh = cosh_up(F(1, 4))
    assert sum_numbers(summands) == SumNumbers(F(2), F(1, 4), F(2), 2 * cosh * 4 + 8 * cosh * F(4, 9))
    assert sum_numbers(added((3, F(1, 2), 1))) == SumNumbers(F(6), F(1, 4), F(0), F(0))
    assert exp_enclosure(F(1, 4), 100).upper + exp_enclosure(F(-1, 4), 100).upper <= 2 * cosh
