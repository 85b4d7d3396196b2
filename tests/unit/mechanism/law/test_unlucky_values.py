"""The search for the worst pair finds at least what random tries find, under both rules of finite precision."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.mechanism.law.law import law_of
from snapdp.mechanism.law.loss import KEPT, PairLoss, pair_loss, unlucky_values, worst_pair
from snapdp.mechanism.parameters import Inner, SnappingParameters

F = Fraction
RULES = ["proved", "notes"]


def mechanism(epsilon, lower, upper, bits, rule, sensitivity=1) -> SnappingParameters:
    declared = {"epsilon": epsilon, "sensitivity": sensitivity, "lower": lower, "upper": upper}
    return snapdp.Snapping(**declared, arithmetic=rule, bits=bits).parameters


def excess(p: SnappingParameters, found: PairLoss) -> Fraction:
    """Return by how many units of rounding a pair loses more than its distance in noise scales."""
    assert found.loss is not None
    assert p.eta is not None
    return (found.loss.lower - 1 / p.noise_scale) / p.eta


def random_excess(p: SnappingParameters, *, seed: int, tries: int = 60) -> Fraction:
    """Return the most that random neighbours lose, over all their outputs."""
    rng = random.Random(seed)
    room = p.value_upper - p.value_lower - 1
    values = (p.value_lower + room * F(rng.getrandbits(200), 1 << 200) for _ in range(tries))
    return max(excess(p, pair_loss(law_of(Inner(f), p), law_of(Inner(f + 1), p))) for f in values)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("epsilon", "lower", "upper", "bits"), [("1", 0, 20, 53), ("0.1", 0, 50, 118)], ids=["53 bits", "118 bits"]
)
def test_the_search_finds_at_least_what_60_random_tries_find(epsilon, lower, upper, bits, rule):
    p = mechanism(epsilon, lower, upper, bits, rule)
    assert excess(p, worst_pair(p)) >= random_excess(p, seed=20201116)


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    ("epsilon", "lower", "upper", "bits"),
    [("0.5", 0, 100, 53), ("0.9", -1000, 1000, 118), ("2.3", -10, 31, 118), ("0.7", 500, 520, 64), ("1.3", 0, 9, 24)],
)
def test_the_search_finds_at_least_what_60_random_tries_find_elsewhere(epsilon, lower, upper, bits, rule, seed):
    if bits == 24:
        slack = snapdp.FinitePrecision(bits=24, slack="0.01")
        p = snapdp.Snapping(epsilon=epsilon, sensitivity=1, lower=lower, upper=upper, arithmetic=slack).parameters
    else:
        p = mechanism(epsilon, lower, upper, bits, rule)
    assert excess(p, worst_pair(p)) >= random_excess(p, seed=seed)


def test_evenly_spread_values_alone_find_less():
    """The twin: without the values at which errors add up the search finds less than half of the excess."""
    p = mechanism("1", 0, 20, 53, "proved")
    spread = [p.value_lower + F(i, 7) * p.grid / 3 for i in range(4)]
    assert 2 * excess(p, worst_pair(p, values=spread)) < excess(p, worst_pair(p))


@pytest.mark.parametrize("rule", RULES)
def test_what_is_handed_on_are_neighbours_of_the_range_and_outputs_of_the_mechanism(rule):
    p = mechanism("0.3", -10, 30, 118, rule, sensitivity=2)
    found = unlucky_values(p, F(1))
    assert len(found) == KEPT
    for each in found:
        assert p.value_lower <= each.value < each.neighbour == each.value + 1 <= p.value_upper
        assert p.low < each.output <= p.high
    assert [each.promised for each in found] == sorted((each.promised for each in found), reverse=True)


def test_a_range_narrower_than_the_distance_has_no_such_pair():
    p = mechanism("1", 0, 1, 118, "proved")
    assert unlucky_values(p, p.value_upper - p.value_lower + 1) == []
