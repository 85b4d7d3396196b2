"""Factors and products of characteristic functions: within the proved error of what Arb finds."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest

from snapdp.accuracy.adjusted import radius as characteristic
from snapdp.accuracy.adjusted.noise import Summand
from snapdp.accuracy.adjusted.radius import EXACT_BITS, FREQUENCIES, SIDE, circle_law, kernel, period_of, width_for
from tests.tiers import one_in
from tests.unit.accuracy.adjusted.sums import added

F = Fraction
LEVEL = F(1, 20)


def ball(x: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def true_factor(summand: Summand, period: Fraction, n: int) -> flint.arb:
    if not summand.half_ratio:
        return 1 / (1 + (2 * flint.arb.pi() * ball(n * summand.scale / period)) ** 2)
    sine, y = ball(n * summand.step / period).sin_pi() ** 2, ball(summand.half_ratio)
    return 1 - y.cosh() * sine / (y.sinh() ** 2 + sine)


LAWS = [
    Summand(F(2), F(1, 4), 1),
    Summand(F(1, 1000), F(1, 20), 10**6),
    Summand(F(3), F(4), 2),
    Summand(F(7, 3), F(1, 3000), 1),
    Summand(F(5), F(0), 3),
]


@pytest.mark.parametrize("law", LAWS)
def test_a_factor_misses_by_no_more_than_the_theory_says(law):
    period, width = period_of([law], level=LEVEL), width_for([law])
    factors = (characteristic._on_grid if law.half_ratio else characteristic._laplace)(law, period, width, FREQUENCIES)
    assert len(factors) == FREQUENCIES
    lost = characteristic._units_lost(law)
    for n in (*range(1, 40), *range(40, FREQUENCIES, 61), FREQUENCIES):
        gap = abs(factors[n - 1] - true_factor(law, period, n) * flint.arb(2) ** width)
        assert gap < lost
        assert 0 <= factors[n - 1] <= 1 << width


def test_the_kernel_is_the_fourth_power_of_a_run_of_ones():
    size = 64  # bits of a digit: larger than any coefficient
    ones = sum(1 << (size * j) for j in range(SIDE))
    power = ones**4
    coefficients = [power >> (size * j) & ((1 << size) - 1) for j in range(4 * SIDE - 3)]
    middle = 2 * SIDE - 2
    assert kernel() == coefficients[middle:] == coefficients[middle::-1]
    assert len(kernel()) == FREQUENCIES + 1


PRODUCTS = [
    tuple(LAWS[:3]),
    added((1, F(1, 2), 2)),
    added(*((F(1, k), F(1, 8), k) for k in range(1, 9))),
    (LAWS[4],),
]


@pytest.mark.parametrize("place", one_in(2, range(len(PRODUCTS))))
def test_products_and_what_is_dropped_are_as_near_as_the_theory_says(place):
    summands = PRODUCTS[place]
    period = period_of(summands, level=LEVEL)
    law = circle_law(summands, period=period, level=LEVEL)
    weights, unit = kernel(), flint.arb(2) ** law.width
    everything = []
    for n in range(1, FREQUENCIES + 1):
        product = flint.arb(1)
        for each in summands:
            product *= true_factor(each, period, n) ** each.times
        everything.append(product * ball(F(weights[n], weights[0] * n)))
    for found, true in zip(law.kept, everything, strict=False):
        assert abs(found - true * unit) < 1 + flint.arb(2) ** (law.width - EXACT_BITS)
    rest = sum(everything[len(law.kept) :], flint.arb(0))
    assert not rest * unit > law.dropped
    assert F(2 * law.dropped, 3 << law.width) <= LEVEL / 64


def test_a_sum_of_many_terms_keeps_few_frequencies_and_a_coarse_one_keeps_most():
    many, coarse = added((1, F(1, 8), 10**5)), added((1, F(1), 2))
    kept = [len(circle_law(each, period=period_of(each, level=LEVEL), level=LEVEL).kept) for each in (many, coarse)]
    assert kept[0] < 20
    assert kept[1] > FREQUENCIES // 2
