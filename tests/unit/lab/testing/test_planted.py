"""Every class of fault that a replay audit names is found where it is planted, under its name; sound releases pass."""

from __future__ import annotations

import random

import pytest

from snapdp.lab.testing import KINDS, audit
from tests.tiers import one_in
from tests.unit.lab.testing import planted
from tests.unit.lab.testing.planted import PLANTED
from tests.unit.lab.testing.planted_numbers import MOVING, SOUND as POST_PROCESSED

# what differs in every replay is found in few, where no epsilon excuses it
WITHOUT_EPSILON = {"metadata", "written", "warning", "exception", "state"}

# and what a distance shows does not hang on how many there are
BY_ANY_REPLAY = {"sensitivity", "rounding"}


@pytest.mark.parametrize("each", PLANTED, ids=lambda each: f"{each.release.__name__}-{each.kind}")
def test_a_planted_fault_is_found_and_named(each):
    planted.CACHE.clear()
    told = {"replays": 6} if each.kind in WITHOUT_EPSILON else {"epsilon": planted.EPSILON}
    told |= {"replays": 20} if each.kind in BY_ANY_REPLAY else {}
    claims = {"sensitivity": 1, **told, **each.claims}
    report = audit(each.release, each.first, each.second, **claims)
    assert each.kind in report.kinds
    assert report.kinds <= {each.kind, *each.others}


def test_every_kind_is_planted():
    assert {each.kind for each in PLANTED} == set(KINDS)


@pytest.mark.parametrize("each", MOVING, ids=lambda each: each.release.__name__)
def test_a_number_that_moves_too_far_is_found_and_named(each):
    assert audit(each.release, [1, 0], [1, 1], **each.claims).kinds == each.kinds


@pytest.mark.parametrize("place", one_in(2, range(len(POST_PROCESSED))))
def test_what_is_made_of_noisy_numbers_passes(place):
    each = POST_PROCESSED[place]
    audit(each.release, [1, 0], [1, 1], **each.claims).check()


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


@pytest.mark.parametrize("release", [planted.ours, planted.whole_noise, planted.ours_by_a_sampler_of_bits])
def test_that_the_width_of_the_noise_was_not_judged_is_in_a_note(release):
    (note,) = audit(release, [1, 0], [1, 1], epsilon=1, sensitivity=1).check().notes
    assert note == "output: how much the noise hides was not judged. Use snapdp.lab.testing.counted"


@pytest.mark.parametrize(
    "release", [planted.with_the_scale_of_the_data_by_hand, planted.ours_at_fifty_times_the_epsilon]
)
def test_noise_whose_width_no_generator_knows_is_left_to_counting(release):
    report = audit(release, [0, 0], [0, 4], epsilon=1, sensitivity=1, replays=20)
    assert report.kinds <= {"float-noise"}
    assert "output: how much the noise hides was not judged. Use snapdp.lab.testing.counted" in report.notes


def test_a_fact_that_varies_is_named_and_a_key_of_one_input_is_not():
    def release(rows):
        extra = {f"secret{len(rows)}": 1} if random.random() < 0.5 else {}
        return {"n": planted.SAFE.release(len(rows)), "words": [random.choice("ab") for _ in range(20)], **extra}

    (note,) = audit(release, [1] * 10, [1] * 9, epsilon=1, sensitivity=1).check().notes
    assert "output['words'][0]" in note
    assert " and 14 more: how much the noise hides" in note
    assert "secret" not in note
