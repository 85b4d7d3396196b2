"""A row that changes its bin: noise for one bin falls, ours stands."""

from __future__ import annotations

from snapdp.lab.attacks import statistics as histograms
from snapdp.lab.attacks.attack import Trials


def test_the_textbook_loses_more_than_it_claims():
    outcome = histograms._HISTOGRAMS_ATTACKS[0].against["numpy"](Trials(count=histograms.HISTOGRAMS_TRIALS, seed=20))
    assert outcome.is_refuted
    assert outcome.lower_bound < 2  # which is what it loses


def test_our_histogram_stands_and_pairs_of_bins_are_counted_once():
    outcome = histograms.SUBSTITUTED.run(histograms.our_bins, 100)
    assert not outcome.is_refuted
    assert [trials for _, trials in outcome.counts] == [100, 100]


def test_the_event_needs_both_bins():
    assert histograms.is_unbalanced((11, 9))
    assert not histograms.is_unbalanced((11, 10))
    assert not histograms.is_unbalanced((10, 9))
