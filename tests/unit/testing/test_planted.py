"""Every class of fault that a replay audit names is found where it is planted, under its name; sound releases pass."""

from __future__ import annotations

import pytest

from snapdp.testing import KINDS, audit
from tests.unit.testing import planted
from tests.unit.testing.planted import PLANTED

# what differs in every replay is found in few, where no epsilon excuses it
WITHOUT_EPSILON = {"metadata", "written", "warning", "exception", "input-changed", "threads", "state", "branches"}


@pytest.mark.parametrize("each", PLANTED, ids=lambda each: f"{each.release.__name__}-{each.kind}")
def test_a_planted_fault_is_found_and_named(each):
    planted.CACHE.clear()
    told = {"replays": 6} if each.kind in WITHOUT_EPSILON else {"epsilon": planted.EPSILON}
    claims = {"sensitivity": 1, **told, **each.claims}
    report = audit(each.release, each.first, each.second, **claims)
    assert each.kind in report.kinds
    assert report.kinds <= {each.kind, *each.others}


def test_every_kind_is_planted():
    assert {each.kind for each in PLANTED} | {"limit"} == set(KINDS)  # limits: test_hostile


SOUND_IN_DOUBLES = [
    planted.textbook,
    planted.textbook_with_a_held_generator,
    planted.textbook_by_hand,
    planted.textbook_kept_positive,
    planted.textbook_with_an_interval,
]
SOUND = [planted.ours, planted.ours_said_in_words, planted.whole_noise]


@pytest.mark.parametrize("release", SOUND_IN_DOUBLES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pair", [([1, 0, 1], [1, 0, 0]), ([1, 0, 1], [1, 0])], ids=["change-one", "add-remove"])
def test_the_textbook_fails_for_its_doubles_alone(release, pair):
    report = audit(release, *pair, epsilon=1, sensitivity=1)
    assert report.kinds == {"float-noise"}


@pytest.mark.parametrize("release", SOUND, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pair", [([1, 0, 1], [1, 0, 0]), ([1, 0, 1], [1, 0])], ids=["change-one", "add-remove"])
def test_a_sound_release_passes(release, pair):
    audit(release, *pair, epsilon=1, sensitivity=1).check()


def test_a_histogram_of_ours_passes_under_substitution():
    audit(planted.ours_by_bins, [0, 1, 2], [0, 1, 1], epsilon=1, sensitivity=2).check()


def test_randomised_response_passes_and_its_claim_is_not_judged_by_numbers():
    audit(planted.randomised_response, [0, 1], [0, 0], epsilon="1.1").check()


@pytest.mark.parametrize("release", [planted.textbook_with_an_interval, planted.ours_said_in_words])
def test_two_equal_inputs_are_told_apart_by_nothing(release):
    report = audit(release, [1, 0], [1, 0], epsilon=1, sensitivity=1)
    assert report.kinds <= {"float-noise"}
