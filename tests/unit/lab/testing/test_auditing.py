"""What a report says, what can be told to an audit, and what it refuses."""

from __future__ import annotations

import random
import re
import sys
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import strategies as st

import snapdp
from snapdp.errors import ParameterError
from snapdp.lab.testing import AuditFailure, audit, audit_neighbours, neighbouring_lists
from snapdp.lab.testing.findings import is_on_a_grid
from snapdp.lab.testing.observation import Leaf
from snapdp.lab.testing.replay_audit import replays_needed
from tests.unit.lab.testing import planted
from tests.unit.lab.testing.planted import SAFE, clamped


class Holder:
    """A mechanism with a generator of its own."""

    def __init__(self):
        self.rng = np.random.RandomState(5)
        self.python = random.Random(5)

    def __call__(self, rows):
        return clamped(rows) + self.rng.laplace() + self.python.gauss(0, 1)

    def release(self, rows):
        return self(rows)


def with_a_default(rows, *, rng=np.random.default_rng(3)):  # noqa: B008
    return clamped(rows) + rng.laplace()


@pytest.mark.parametrize("release", [Holder(), Holder().release], ids=["object", "method"])
def test_generators_of_the_audited_object_are_frozen(release):
    report = audit(release, [1], [0], epsilon=1, sensitivity=1, replays=9)
    assert report.kinds == {"float-noise"}
    assert not any("no draw of noise was seen" in note for note in report.notes)


def test_a_generator_that_is_not_found_is_told():
    assert audit(with_a_default, [1], [0], epsilon=1, sensitivity=1, replays=9).kinds >= {"unknown-noise"}


def test_a_generator_that_is_held_goes_on_afterwards_as_if_nothing_had_happened():
    held, twin = Holder(), Holder()
    audit(held, [1], [0], replays=3)
    assert held([1]) == twin([1])


def test_the_same_audit_gives_the_same_report():
    said = {str(audit(planted.sharing_noise, [0, 1, 2], [0, 1, 1], sensitivity=1, replays=9)) for _ in range(2)}
    assert len(said) == 1


def test_a_report_names_the_place_and_repeats_no_cell():
    report = audit(planted.failing_with_the_cell, [1234567], [7654321])
    assert "1234567" not in str(report) + repr(report)
    assert {each.where.split(":")[0] for each in report.violations} == {"tests/unit/lab/testing/planted.py"}


def test_what_is_allowed_is_reported_apart():
    report = audit(planted.without_clipping, [0, 1], [0, 4], epsilon=1, sensitivity=1, allow=["float-noise"])
    assert report.kinds == {"sensitivity"}
    assert [violation.kind for violation in report.allowed] == ["float-noise"]


def test_check_fails_as_a_test_does_with_the_report():
    with pytest.raises(AssertionError, match=r"^no-noise: sum: 1 violation in 32 replays") as caught:
        audit(sum, [1], [2]).check()
    assert isinstance(caught.value, AuditFailure)
    assert caught.value.report.kinds == {"no-noise"}
    assert AuditFailure.__module__ == "snapdp.lab.testing"
    assert all(len(line) <= 80 for line in str(caught.value).splitlines())


def test_a_report_is_neither_true_nor_false():
    with pytest.raises(TypeError, match=r"ask \.is_refuted"):
        bool(audit(SAFE.release, 1, 2, replays=1))


def test_paths_can_be_left_out_and_the_released_number_chosen():
    def release(rows):
        return {"value": SAFE.release(clamped(rows)), "sum": sum(rows)}

    claims = {"sensitivity": 1, "replays": 9}
    assert audit(release, [1, 0], [1, 1], **claims).kinds == {"metadata"}
    audit(release, [1, 0], [1, 1], **claims, ignore=["output['sum']"]).check()
    assert audit(release, [1, 0], [1, 1], **claims, released=lambda out: out["value"]).kinds == {"metadata"}


def test_at_a_large_epsilon_nothing_is_told_that_could_be_chance():
    sharp = snapdp.Snapping(epsilon=40, sensitivity=1, lower=0, upper=10, grid=1)
    report = audit(lambda rows: sharp.release(rows[0]), [3], [4], epsilon=40, sensitivity=1, replays=20).check()
    assert "audit with a smaller epsilon" in report.notes[0]
    assert "there were 20" in report.notes[0]
    assert audit(lambda rows: rows[0], [3], [4], epsilon=40, replays=20).kinds == {"no-noise"}  # nothing is drawn


def test_gaussian_noise_and_its_norm_can_be_claimed():
    def release(rows):
        return np.array([sum(rows), len(rows)]) + np.random.normal(0, 5, 2)

    claims = {"epsilon": 1, "delta": 1e-6, "allow": ["float-noise"], "replays": 9}
    audit(release, [1, 1], [1], sensitivity="1.5", norm="l2", **claims).check()
    assert audit(release, [1, 1], [1], sensitivity="1.4", norm="l2", **claims).kinds == {"sensitivity"}
    audit(release, [1, 1], [1], sensitivity=1, norm="max", **claims).check()


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"epsilon": 0}, "epsilon = 0 is not positive"),
        ({"sensitivity": -1}, "sensitivity = -1 is not positive"),
        ({"norm": "L1"}, "norm = 'L1' is none of l1, l2, max"),
        ({"allow": ["nothing"]}, "allow names 'nothing'"),
        ({"delta": 2}, "delta = 2 is no probability"),
        ({"replays": 0}, "replays = 0 is no number of times"),
        ({"replays": -3}, "replays = -3 is no number of times"),
        ({"ignore": [1]}, "ignore takes a text or several"),
    ],
)
def test_claims_that_make_no_sense_are_refused(claims, words):
    with pytest.raises(ParameterError, match=words):
        audit(sum, [1], [2], **claims)


@pytest.mark.parametrize("epsilon", ["1/100", "1", "3"])
def test_as_many_replays_as_make_a_false_alarm_rarer_than_one_in_a_billion(epsilon):
    from snapdp.exact.functions import exp_enclosure

    more = replays_needed(Fraction(epsilon)) - 1
    growth = exp_enclosure(-Fraction(epsilon), 200)
    assert (1 + growth.lower) ** more >= 10**9
    assert (1 + growth.upper) ** (more - 1) < 10**9


@pytest.mark.parametrize(
    ("values", "is_one"),
    [
        ([k / 16 for k in range(-300, 900, 7)], True),
        ([k / 100 for k in range(-300, 900, 7)], True),
        ([k / 3 for k in range(-300, 900, 7)], True),
        ([k * 0.7 / 1023 for k in range(1, 9000, 97)], True),
        ([2.0**50 + k for k in range(40)], True),
        ([2.0**50 + 0.25 + 2 * k for k in range(40)], True),
        ([10**9 / 3, *(k / 3 for k in range(1, 40, 3))], True),
        (np.random.default_rng(1).laplace(size=60).tolist(), False),
        ((np.random.default_rng(1).laplace(size=60) + 1000).tolist(), False),
        (np.random.default_rng(1).random(60).tolist(), False),
        ((np.random.default_rng(2).normal(size=60) / 3).tolist(), False),
    ],
)
def test_grids_are_known_by_their_values(values, is_one):
    assert is_on_a_grid([Leaf("output", "number", value, 53) for value in values]) is is_one


def test_neighbours_that_a_strategy_makes_find_the_pair_that_nobody_thought_of():
    def release(rows):
        return SAFE.release(clamped(rows) if rows != [1] else 9)

    pairs = neighbouring_lists(st.integers(0, 1), relation="change-one", max_size=2)
    report = audit_neighbours(release, pairs, examples=10, epsilon=1, sensitivity=1, replays=3)
    assert report.kinds >= {"sensitivity"}
    audit_neighbours(planted.ours, pairs, examples=9, epsilon=1, sensitivity=1, replays=3).check()


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
def test_neighbouring_lists_are_neighbours(relation):
    from hypothesis import find

    pairs = neighbouring_lists(st.integers(), relation=relation)
    first, second = find(pairs, lambda pair: len(pair[0]) == 3 and pair[0] != pair[1])
    assert len(first) - len(second) == (relation == "add-remove")
    with pytest.raises(ParameterError, match="relation = 'other'"):
        neighbouring_lists(st.integers(), relation="other")


async def waiting(rows):
    return SAFE.release(clamped(rows))


@pytest.mark.parametrize(
    ("release", "words"),
    [([1, 2], "this is of type list"), (waiting, "is a coroutine"), (partial(waiting), "is a coroutine")],
)
def test_what_cannot_be_audited_is_refused_before_it_runs(release, words):
    with pytest.raises(ParameterError, match=words):
        audit(release, [1], [2], epsilon=1)


@pytest.mark.parametrize(
    ("release", "claims", "words"),
    [
        (lambda _: None, {"epsilon": 1}, "no number is released"),
        (lambda rows: waiting(rows).close(), {"epsilon": 1}, "no number is released"),
        (lambda rows: SAFE.release(clamped(rows)), {}, "nothing is claimed"),
    ],
)
def test_an_audit_that_audited_nothing_is_no_pass(release, claims, words):
    report = audit(release, [1, 0], [1, 1], **claims)
    assert report.kinds == {"unaudited"}
    assert words in str(report)


def needing_more(rows, *, scale):
    return clamped(rows) + scale


@pytest.mark.parametrize("chosen", [None, lambda out: out.value], ids=["the release", "released="])
def test_an_error_of_the_caller_is_named(chosen):
    release = needing_more if chosen is None else SAFE.release
    with pytest.raises(AuditFailure, match=r"always: no\s+output was audited") as caught:
        audit(release, 1, 2, epsilon=1, sensitivity=1, released=chosen).check()
    assert caught.value.report.kinds == {"unaudited"}
    assert "call it once yourself" in str(caught.value)
    assert ("of released=" in str(caught.value)) == (chosen is not None)


@pytest.mark.parametrize("ignore", ["output['time']", ["output['time']"]])
def test_one_path_is_ignored_and_no_other(ignore):
    def release(rows):
        return {"value": SAFE.release(1), "sum": sum(rows), "time": sum(rows)}

    report = audit(release, [1, 0], [1, 1], epsilon=1, sensitivity=1, ignore=ignore)
    (violation,) = report.violations
    assert "output['sum']" in violation.sentence


class Answer(NamedTuple):
    a: float
    age: int


def test_a_path_that_only_begins_alike_is_compared():
    report = audit(lambda rows: Answer(0.0, sum(rows)), [1, 0], [1, 1], epsilon=1, ignore="output.a")
    assert report.kinds == {"no-noise"}


def laplace_of_twenty(rows):
    return 20 * clamped(rows) + np.random.laplace(0, 20)


def two_of_them(rows):
    return np.array([20 * clamped(rows), 20 * clamped(rows)]) + np.random.laplace(0, 40, 2)


@pytest.mark.parametrize("moving", [planted.without_clipping, planted.moving_by_two_steps_more], ids=["numpy", "ours"])
def test_what_is_found_is_located_also_behind_a_lambda(moving):
    report = audit(lambda rows: moving(rows), [0, 0], [0, 4], epsilon=2, sensitivity=1, replays=9)
    (found,) = [each for each in report.violations if each.kind == "sensitivity"]
    assert found.where.split(":")[0] == "tests/unit/lab/testing/planted.py"


@pytest.mark.parametrize(
    ("release", "claims"),
    [
        (laplace_of_twenty, {"sensitivity": "19.9999999"}),
        (two_of_them, {"sensitivity": "28.28427", "norm": "l2"}),
    ],
)
def test_numbers_that_are_told_to_differ_look_different(release, claims):
    report = audit(release, [1, 0], [1, 1], **claims, replays=9, allow="float-noise")
    (found,) = report.violations
    shown = [Fraction(each) for each in re.findall(r"(?<!l)\d+(?:\.\d+)?", found.sentence)]
    assert len({*shown}) == 2


def test_arrays_of_ours_are_frozen_whatever_the_memory_held():
    many = snapdp.Snapping(epsilon="1/40", sensitivity=1, lower=0, upper=1000)
    audit(
        lambda rows: many.release(np.full(40, clamped(rows)))[0], [1, 0], [1, 1], epsilon="1/40", sensitivity=1
    ).check()


def test_a_strategy_that_makes_equal_inputs_only_is_refused():
    with pytest.raises(ParameterError, match="no two inputs that differ"):
        audit_neighbours(planted.ours, st.just(([1], [1])), examples=2, epsilon=1, sensitivity=1)


def writing_to_stderr(rows):
    print(sum(rows), file=sys.stderr)
    return SAFE.release(clamped(rows))


def seeding_by_the_data(rows):
    return clamped(rows) + np.random.default_rng(sum(rows)).laplace()


def with_an_array_of_texts(rows):
    return {"value": SAFE.release(clamped(rows)), "words": np.array(["many" if sum(rows) > 3 else "few", "rows"])}


@pytest.mark.parametrize(
    ("release", "kind", "words"),
    [
        (planted.warning_of_a_cell, "warning", "a warning differs"),
        (planted.logging_at_debug, "written", "what is logged differs"),
        (writing_to_stderr, "written", "what is printed to stderr differs"),
        (seeding_by_the_data, "fixed-seed", "a generator is seeded with the same number"),
        (with_an_array_of_texts, "metadata", "output['words'][0] differs"),
    ],
)
def test_what_differs_beside_the_number_is_told_in_words_and_located_where_it_is_done(release, kind, words):
    report = audit(release, [0, 1, 2], [0, 1, 4], replays=3)
    (found,) = [each for each in report.violations if each.kind == kind]
    assert found.sentence.startswith(words)
    has_place = kind == "warning" or "logged" in words or kind == "fixed-seed"
    assert found.where.startswith("tests/unit/lab/testing/") == has_place
