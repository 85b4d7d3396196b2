"""Pairs near an unlucky one: their thresholds are those of the law, and what they promise is what they lose."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.exact.dyadic import floor_log2, power_of_two
from snapdp.mechanism.law.finite import FiniteLaw
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.law.loss import (
    UNLUCKY_DRAWS_KEPT as KEPT,
    Unlucky,
    _threshold,
    breakpoints,
    moved,
    pair_loss,
    unlucky_values,
)
from snapdp.mechanism.parameters import Inner, SnappingParameters
from tests.unit.mechanism.law.test_unlucky_values import RULES, excess, mechanism

F = Fraction
CONFIGURATIONS = [("0.9", -1000, 1000, 118), ("0.7", 500, 520, 64), ("1", 0, 20, 53), ("0.1", 0, 50, 118)]
everywhere = pytest.mark.parametrize(("epsilon", "lower", "upper", "bits"), CONFIGURATIONS)
NEAR = range(-300, 301)
# Doubles: four terms below 2**26, each with four roundings of 2**-53; the second order is far below that.
GUESS = F(1, 1 << 20)


def lost(p: SnappingParameters, pair: Unlucky) -> Fraction:
    return excess(p, pair_loss(law_of(Inner(pair.value), p), law_of(Inner(pair.neighbour), p), [pair.output]))


@pytest.mark.parametrize("rule", RULES)
@everywhere
def test_thresholds_of_moved_pairs_are_those_of_the_law(epsilon, lower, upper, bits, rule):
    p = mechanism(epsilon, lower, upper, bits, rule)
    law = FiniteLaw(Inner(F(0)), p)
    for found in unlucky_values(p, F(1)):
        points = breakpoints(p, found.value, found.neighbour, found.output)
        finest = floor_log2(points[0].distance) + 1 - bits
        for distance, weight in points:
            m, e = law.threshold(distance, strict=False)
            after = [law.threshold(distance + i * power_of_two(finest), strict=False) for i in NEAR]
            threshold = _threshold(p, distance, weight, finest)
            # A threshold is the midpoint of two floats: from one to the next it takes 2 of its own units.
            assert threshold.steps(NEAR) == [F(k - m, 2) for k, exponent in after if exponent == e]


@pytest.mark.parametrize("rule", RULES)
@everywhere
def test_a_pair_loses_what_it_promises(epsilon, lower, upper, bits, rule):
    p = mechanism(epsilon, lower, upper, bits, rule)
    for found in unlucky_values(p, F(1)):
        near = moved(p, found)
        assert len(near) == KEPT
        for pair in near:
            assert p.value_lower <= pair.value < pair.neighbour == pair.value + 1 <= p.value_upper
            assert abs(lost(p, pair) - F(pair.promised)) < GUESS
            assert pair.draw <= found.draw + GUESS


@everywhere
def test_pairs_that_are_not_moved_lose_less(epsilon, lower, upper, bits):
    """The twin: where the draw adds what it happens to add the loss stays behind, and no promise was kept."""
    p = mechanism(epsilon, lower, upper, bits, "proved")
    still = unlucky_values(p, F(1))
    most = max(lost(p, pair) for found in still for pair in moved(p, found)[:1])
    assert all(lost(p, pair) < min(most, F(pair.promised) - GUESS) for pair in still)


def test_a_pair_that_fills_the_range_stays_where_it_is():
    p = mechanism("1", 0, 2, 118, "proved")
    pair = Unlucky(F(p.value_lower), F(p.value_upper), p.high, errors=0.0, draw=4.0)
    assert [(each.value, each.neighbour) for each in moved(p, pair)] == [(pair.value, pair.neighbour)]
