"""Sums whose neighbours move by more than is claimed: the textbook falls, ours stands."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import snapdp
from snapdp.exact.functions import ln_enclosure
from snapdp.lab.attacks import statistics as sums
from snapdp.lab.attacks.attack import Trials, probability_at_least, probability_at_most

F = Fraction
TRIALS = 20
SEEDED = Trials(count=sums.TRIALS, seed=20)
PAIRS = {
    "rounded-sum": (sums.REPEATED, sums.numpy_sum, 8),
    "sum-rounded-once": (sums.ONCE, math.fsum, 8),
    "reordered-sum": (sums.REORDERED, sums.running_total, 16),
    "overflowing-sum": (sums.OVERFLOWING, sums.numpy_sum, 2**64),
}
LOWER = {"rounded-sum": 2**52, "sum-rounded-once": 2**52, "reordered-sum": 2**49, "overflowing-sum": 2**60 - 1}
THRESHOLDS = {"rounded-sum": 2**55 + 8, "sum-rounded-once": 2**55 + 8, "reordered-sum": 2**54 + 16}


def test_every_attack_has_its_pair_and_is_on_the_textbook_and_on_ours():
    assert [attack.name for attack in sums._SUMS_ATTACKS] == list(PAIRS)
    assert all({"numpy", "snapdp"} <= set(attack.against) for attack in sums._SUMS_ATTACKS)


@pytest.mark.parametrize("name", PAIRS)
def test_columns_differ_in_one_row_between_the_bounds_and_their_sums_by_one(name):
    pair, total, moved = PAIRS[name]
    assert abs(sum(map(F, pair.neighbours[0])) - sum(map(F, pair.neighbours[1]))) == 1
    assert len(pair.neighbours[0]) == len(pair.neighbours[1])
    assert sum(a != b for a, b in zip(*map(sorted, pair.neighbours), strict=True)) == 1
    assert {LOWER[name], LOWER[name] + 1} == {F(cell) for cells in pair.neighbours for cell in cells}
    in_arrays = [total(np.array(cells)) for cells in pair.neighbours]
    assert abs(in_arrays[0] - in_arrays[1]) == moved


@pytest.mark.parametrize("attack", sums._SUMS_ATTACKS, ids=lambda attack: attack.name)
def test_the_textbook_loses_more_than_it_claims(attack):
    outcome = attack.against["numpy"](SEEDED)
    assert outcome.is_refuted
    assert outcome.lower_bound > 3 * outcome.claimed


@pytest.mark.parametrize("name", PAIRS)
def test_our_release_of_the_same_columns_stands(name):
    pair, _, _ = PAIRS[name]
    assert not pair.run(sums.our_sum(pair), TRIALS).is_refuted


def test_ours_loses_at_most_epsilon_on_these_events_by_its_exact_law_and_all_of_it_on_one():
    losses = {}
    for name in ("rounded-sum", "sum-rounded-once", "reordered-sum"):
        pair, _, _ = PAIRS[name]
        low = len(pair.neighbours[0]) * LOWER[name]
        assert pair.event(THRESHOLDS[name])
        assert not pair.event(THRESHOLDS[name] - 1)
        m = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=len(pair.neighbours[0]), grid=1)
        laws = [m.law(sum(map(F, cells)) - low) for cells in pair.neighbours]
        more, less = (1 - law.cdf(THRESHOLDS[name] - low - 1) for law in laws)
        losses[name] = ln_enclosure(more.lower / less.upper, 128).lower
    assert all(0 < loss <= 1 for loss in losses.values())
    assert losses["sum-rounded-once"] > 1 - F(1, 2**20)


def binomial(trials: int, p: float) -> list[float]:
    """Return the probabilities of 0 to `trials` hits, correct to ten digits."""
    choices = [math.comb(trials, k) for k in range(trials + 1)]
    return [c * p**k * (1 - p) ** (trials - k) for k, c in enumerate(choices)]


@pytest.mark.long
def test_chance_refutes_our_sum_in_one_sample_less_than_once_in_a_hundred_million():
    trials, negligible = sums.TRIALS, 1e-13
    more, less = (binomial(trials, p) for p in (1 - math.exp(-1 / 2) / 2, math.exp(-1 / 2) / 2))
    least = {k: probability_at_least((k, trials)) for k, p in enumerate(more) if p > negligible}
    most = {k: probability_at_most((k, trials)) for k, p in enumerate(less) if p > negligible}
    refuting = [more[i] * less[j] for i in least for j in most if least[i] > F(math.e) * most[j]]
    assert 1e-10 < sum(refuting) + 2 * trials * negligible < 1e-8
