"""Bounds of a loss by two counts, against binomial probabilities that are added up in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

import pytest

from snapdp.lab.attacks.attack import (
    FALSE_ALARM,
    MISSED,
    STEPS,
    ln_down,
    loss_at_least,
    probability_at_least,
    probability_at_most,
    tail_at_most,
)


def binomial(hits: int, trials: int, p: Fraction) -> Fraction:
    return comb(trials, hits) * p**hits * (1 - p) ** (trials - hits)


def tail(hits: int, trials: int, p: Fraction) -> Fraction:
    return sum((binomial(k, trials, p) for k in range(hits, trials + 1)), Fraction(0))


@pytest.mark.parametrize("trials", [1, 2, 7, 12])
def test_the_bound_is_where_the_exact_tail_is_one_in_two_thousand(trials):
    for hits in range(1, trials + 1):
        least = probability_at_least((hits, trials))
        assert tail(hits, trials, least) <= MISSED < tail(hits, trials, least * (1 + Fraction(1, 2**20)))
        assert probability_at_most((trials - hits, trials)) == 1 - least


def test_no_hit_bounds_nothing_from_below_and_no_miss_nothing_from_above():
    assert probability_at_least((0, 50)) == 0
    assert probability_at_most((50, 50)) == 1


@pytest.mark.parametrize(("hits", "trials"), [(1, 60), (17, 60), (59, 60), (60, 60)])
def test_the_tail_is_rounded_up_by_a_hair(hits, trials):
    for share in (Fraction(1, 3), Fraction(9, 10), Fraction(1)):
        steps = int(share * hits * 2**STEPS / trials)
        exact, bound = tail(hits, trials, Fraction(steps, 2**STEPS)), tail_at_most((hits, trials), steps)
        assert exact <= bound <= exact * (1 + Fraction(1, 2**30)) + Fraction(1, 2**100)


def test_each_bound_fails_at_most_once_in_two_thousand_samples_whatever_the_probability():
    trials = 30
    least = [probability_at_least((hits, trials)) for hits in range(trials + 1)]
    for p in (Fraction(k, 37) for k in range(1, 37)):
        assert sum(binomial(hits, trials, p) for hits in range(trials + 1) if least[hits] > p) <= MISSED


def test_two_samples_refute_a_release_at_its_claim_at_most_once_in_a_million_times():
    """Of all pairs of counts, with the ratio of the probabilities as large as a claim of ln 3 allows."""
    trials, ratio = 25, 3
    least, most = (
        [bound((k, trials)) for k in range(trials + 1)] for bound in (probability_at_least, probability_at_most)
    )
    for q in (Fraction(1, 3), Fraction(1, 10), Fraction(1, 50)):
        refuted = sum(
            (
                binomial(more, trials, ratio * q) * binomial(less, trials, q)
                for more in range(trials + 1)
                for less in range(trials + 1)
                if least[more] > ratio * most[less]
            ),
            Fraction(0),
        )
        assert refuted**2 <= FALSE_ALARM == Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("more", "less", "about"),
    [((8193, 10_000), (0, 10_000), 6.97), ((44, 10_000), (0, 10_000), 1.2), ((60, 60), (0, 60), 2.0)],
)
def test_a_loss_is_the_logarithm_of_the_two_bounds_rounded_down(more, less, about):
    loss, ratio = loss_at_least(more, less), probability_at_least(more) / probability_at_most(less)
    assert loss <= log(ratio) * (1 + 2**-40)
    assert abs(float(loss) - about) < 0.05


def test_counts_that_could_be_chance_show_nothing():
    assert loss_at_least((510, 1000), (490, 1000)) == loss_at_least((0, 9), (9, 9)) == 0
    assert ln_down(Fraction(1, 2)) == 0


@pytest.mark.parametrize("count", [(1, 0), (-1, 5), (6, 5)])
def test_counts_that_are_none_are_refused(count):
    with pytest.raises(ValueError, match="hits in"):
        probability_at_least(count)
