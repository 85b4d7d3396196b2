"""Means of a rounded sum and of the cells that can be read: the textbook falls, ours stands."""

from __future__ import annotations

import numpy as np
import pytest

import snapdp
from snapdp.lab.attacks import statistics as means
from snapdp.lab.attacks.attack import Trials
from snapdp.lab.attacks.statistics import EIGHT

TRIALS = 20
SEEDED = Trials(count=means.TRIALS, seed=20)


@pytest.mark.parametrize("attack", means._MEANS_ATTACKS, ids=lambda attack: attack.name)
def test_the_textbook_loses_more_than_it_claims(attack):
    outcome = attack.against["numpy"](SEEDED)
    assert outcome.lower_bound > 3 * outcome.claimed


def test_our_mean_of_the_column_counted_from_its_bound_stands():
    assert not means.ROUNDED_MEAN.run(means.counted_from(EIGHT), TRIALS).is_refuted


def test_a_mean_that_doubles_cannot_print_is_refused_and_says_to_subtract_a_public_number():
    with pytest.raises(snapdp.BoundError, match=r"Count the column from a public number"):
        snapdp.study(
            dataset="far",
            relation="change-one",
            n=8,
            columns={"x": {"kind": "integer", "lower": EIGHT, "upper": EIGHT + 1, "missing": EIGHT}},
            statistic=[{"kind": "mean", "column": "x", "epsilon": "1"}],
        ).request()


def test_our_mean_of_those_who_answered_stands():
    assert not means.READABLE_MEAN.run(means.of_those_who_answered(), TRIALS).is_refuted


def test_our_mechanism_with_noise_for_one_readable_cell_stands():
    enough = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=1)

    def releases(cells, times):
        return enough.release(np.full(times, np.nanmean(cells))).tolist()

    assert not means.READABLE_MEAN.run(releases, TRIALS).is_refuted
