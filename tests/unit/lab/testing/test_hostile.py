"""A hostile release gives a finding, not a hang and not a crash; whatever happens, the generators are put back."""

from __future__ import annotations

import os
import random
import signal
import sys

import pytest

from snapdp.lab.testing import audit
from tests.unit.lab.testing.planted import SAFE

SHORT = {"replays": 2}
LONG = 60  # seconds


def leaving(_):
    sys.exit(3)


def recursing(rows):
    return recursing(rows)


class Slotted:
    """What stores its attributes where an audit does not look."""

    __slots__ = ("inside",)

    def __init__(self, inside):
        self.inside = inside


@pytest.mark.parametrize("made", [Slotted, set, iter], ids=["slots", "set", "iterator"])
def test_what_cannot_be_compared_is_told_once_and_not_passed_over(made):
    report = audit(lambda rows: (SAFE.release(rows[0]), made([1])), [1], [2], epsilon=1, sensitivity=1)
    name = type(made([1])).__name__
    assert f"not compared: output[1] (an object of class {name})" in report.notes


def test_an_object_that_holds_itself_ends():
    def release(rows):
        found = [SAFE.release(rows[0])]
        found.append(found)
        return found

    audit(release, [1], [2], epsilon=1, sensitivity=1).check()


class RunnersLimit(BaseException):
    """As test runners raise from their own alarm."""


def test_the_time_limit_of_a_test_runner_goes_on_to_it():
    calls = []

    def stopped(*_):
        raise RunnersLimit

    def release(rows):
        calls.append(1)
        if len(calls) == 3:
            signal.raise_signal(signal.SIGALRM)
        return SAFE.release(rows[0])

    before, urandom = signal.signal(signal.SIGALRM, stopped), os.urandom
    signal.setitimer(signal.ITIMER_REAL, LONG)
    try:
        with pytest.raises(RunnersLimit):
            audit(release, [1], [2], epsilon=1, sensitivity=1)
        assert signal.getsignal(signal.SIGALRM) is stopped
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(calls) == 3
    assert os.urandom is urandom


def test_an_interrupt_of_the_person_is_not_kept():
    def interrupted(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audit(interrupted, [1], [2])
    assert random.Random is type(random._inst)


@pytest.mark.parametrize("release", [leaving, recursing])
def test_what_gives_no_answer_is_told_with_its_place(release):
    (found,) = audit(release, [1, 0], [1, 1], **SHORT).violations
    assert found.kind == "unaudited"
    assert found.where.startswith("tests/unit/lab/testing/test_hostile.py:")
