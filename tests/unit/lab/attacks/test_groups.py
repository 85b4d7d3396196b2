"""Groups of which all rows change, and groups that are merged: noise for less than they move falls, ours stands."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from snapdp.lab.attacks import statistics as groups
from snapdp.lab.attacks.attack import Trials, loss_allowed_by_rho

CHANGED, REDEFINED = groups._GROUPS_ATTACKS


def test_noise_for_the_rows_of_a_group_loses_twice_its_claim_where_all_of_them_change():
    outcome = CHANGED.against["numpy"](Trials(count=groups.SUM_TRIALS, seed=20))
    assert outcome.is_refuted
    assert Fraction("1.7") < outcome.lower_bound < 2  # which is what it loses


def test_a_count_of_merged_groups_moves_by_as_many_as_there_were():
    outcome = REDEFINED.against["numpy"](Trials(count=200, seed=20))
    assert outcome.is_refuted
    assert outcome.counts == ((200, 200), (0, 200))
    assert "rho is 0.5" in outcome.said


@pytest.mark.parametrize("attack", [CHANGED, REDEFINED])
def test_ours_stands_and_each_group_is_counted_once(attack):
    outcome = attack.against["snapdp"](Trials(count=600, seed=20))  # more than one release holds
    assert not outcome.is_refuted
    assert [trials for _, trials in outcome.counts] == [600, 600]


def test_gaussian_noise_that_keeps_its_rho_is_not_refuted():
    """The same count where a person moves it by 1: what rho allows is more than it loses at any threshold."""

    def gaussian(threshold):
        return math.erfc(threshold / math.sqrt(2)) / 2

    for tenths in range(-40, 60):
        likely, other = gaussian(tenths / 10 - 1), gaussian(tenths / 10)  # they are 1 apart: rho is 1/2
        assert math.log(likely / other) < float(loss_allowed_by_rho(Fraction(1, 2), Fraction(likely)))


def test_an_event_that_was_never_seen_shows_nothing():
    outcome = groups.merged_under_rho(lambda _, times: [0.0] * times, 100)
    assert outcome.lower_bound == 0
    assert not outcome.is_refuted
