"""Every class of fault that a replay audit names is found where it is planted, under its name; sound releases pass."""

from __future__ import annotations

import pytest

from snapdp.testing import KINDS, audit
from tests.unit.testing import planted
from tests.unit.testing.planted import PLANTED
from tests.unit.testing.planted_numbers import FAULTY

# what differs in every replay is found in few, where no epsilon excuses it
WITHOUT_EPSILON = {"metadata", "written", "warning", "exception", "input-changed", "threads", "state", "branches"}

# and what a law or a distance shows does not hang on how many there are
BY_ANY_REPLAY = {"noise-too-small", "noise-scale", "sensitivity", "rounding", "shared-noise"}


@pytest.mark.parametrize("each", PLANTED, ids=lambda each: f"{each.release.__name__}-{each.kind}")
def test_a_planted_fault_is_found_and_named(each):
    planted.CACHE.clear()
    told = {"replays": 6} if each.kind in WITHOUT_EPSILON else {"epsilon": planted.EPSILON}
    told |= {"replays": 20} if each.kind in BY_ANY_REPLAY else {}
    claims = {"sensitivity": 1, "lines": "branches" in {each.kind, *each.others}, **told, **each.claims}
    report = audit(each.release, each.first, each.second, **claims)
    assert each.kind in report.kinds
    assert report.kinds <= {each.kind, *each.others}


def test_every_kind_is_planted():
    others = frozenset[str]().union(*(each.kinds for each in FAULTY))
    assert {each.kind for each in PLANTED} | others | {"limit"} == set(KINDS)  # limits: test_hostile


SOUND_IN_DOUBLES = [
    planted.textbook,
    planted.textbook_with_a_held_generator,
    planted.textbook_by_hand,
    planted.textbook_kept_positive,
    planted.textbook_with_an_interval,
]
SOUND = [planted.ours, planted.ours_said_in_words, planted.whole_noise]


@pytest.mark.parametrize("release", SOUND_IN_DOUBLES, ids=lambda each: each.__name__)
def test_the_textbook_fails_for_its_doubles_alone(release):
    assert audit(release, [1, 0, 1], [1, 0, 0], epsilon=1, sensitivity=1).kinds == {"float-noise"}


def test_the_textbook_fails_for_its_doubles_alone_where_a_row_is_missing_too():
    assert audit(planted.textbook, [1, 0, 1], [1, 0], epsilon=1, sensitivity=1).kinds == {"float-noise"}


@pytest.mark.parametrize("release", SOUND, ids=lambda each: each.__name__)
@pytest.mark.parametrize("pair", [([1, 0, 1], [1, 0, 0]), ([1, 0, 1], [1, 0])], ids=["change-one", "add-remove"])
def test_a_sound_release_passes(release, pair):
    audit(release, *pair, epsilon=1, sensitivity=1).check()


def test_a_histogram_of_ours_passes_under_substitution():
    audit(planted.ours_by_bins, [0, 1, 2], [0, 1, 1], epsilon=1, sensitivity=2).check()


def test_randomised_response_passes_and_its_claim_is_not_judged_by_numbers():
    audit(planted.randomised_response, [0, 1], [0, 0], epsilon="1.1").check()


@pytest.mark.parametrize("release", [planted.textbook_with_an_interval, planted.ours_said_in_words])
def test_two_equal_inputs_are_told_apart_by_nothing_and_that_is_no_pass(release):
    report = audit(release, [1, 0], [1, 0], epsilon=1, sensitivity=1, allow="float-noise")
    assert [each.sentence for each in report.violations] == ["the two inputs are equal: give two that differ"]


@pytest.mark.parametrize("release", [planted.textbook_by_hand, planted.ours_by_a_sampler_of_bits])
def test_noise_whose_width_is_not_judged_is_no_nothing_found(release):
    report = audit(release, [1, 0], [1, 1], epsilon=1, sensitivity=1, allow="float-noise")
    assert not report.width_is_judged
    assert "HOW WIDE THE NOISE IS WAS NOT JUDGED" in str(report)
    assert any("how wide the noise of output is was not judged" in note for note in report.notes)


@pytest.mark.parametrize("release", [planted.ours, planted.whole_noise, planted.textbook])
def test_noise_whose_law_is_known_is_judged_without_a_note(release):
    report = audit(release, [1, 0], [1, 1], epsilon=1, sensitivity=1, allow="float-noise").check()
    assert report.width_is_judged
    assert report.notes == ()


def test_a_released_number_that_is_divided_afterwards_is_judged_in_its_own_unit():
    def mean(rows):
        return planted.SAFE.release(planted.clamped(rows)) / 4

    assert audit(mean, [1, 0], [1, 1], epsilon=1, sensitivity="1/4").check().width_is_judged
    assert audit(mean, [1, 0], [1, 1], epsilon=1, sensitivity="0.26").kinds == {"noise-too-small"}


def test_a_sum_and_a_count_with_noise_of_their_own_are_judged_by_what_these_inputs_lose():
    def release(rows):
        return planted.laplace(100 * planted.clamped(rows), 200.0), planted.laplace(planted.clamped(rows), 2.0)

    report = audit(release, [1, 0], [1, 1], epsilon="1.001", sensitivity=101, allow="float-noise").check()
    assert any("several scales" in note for note in report.notes)
    assert audit(release, [1, 0], [1, 1], epsilon="0.999", sensitivity=101).kinds >= {"noise-too-small"}
