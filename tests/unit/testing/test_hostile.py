"""A hostile release gives a finding, not a hang and not a crash; whatever happens, the generators are put back."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
import warnings

import numpy as np
import pytest

from snapdp.randomness import SystemBits
from snapdp.testing import audit, leaves, observation
from tests.unit.testing.planted import SAFE

SHORT = {"seconds": 0.1, "replays": 2}
LONG = 60  # seconds: what ends by itself is given all the time it takes


def leaving(_):
    sys.exit(3)


def turning_for_ever(_):
    while True:
        pass


def sleeping(_):
    time.sleep(1000)


def waiting_for_a_lock(_):
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def drawing_for_ever(_):
    while random.random() < 2:
        pass


def swallowing_exceptions(_):
    while True:
        try:
            time.sleep(1000)
        except Exception:
            continue


def swallowing_everything(_):
    """Half a second, whatever happens."""
    ends = time.monotonic() + 0.5
    while time.monotonic() < ends:
        try:
            time.sleep(0.01)
        except:  # noqa: E722
            continue
    return SAFE.release(1)


def recursing(rows):
    return recursing(rows)


class Odd:
    """Neither compares, nor prints, nor counts, nor hashes."""

    def __init__(self, inside):
        self.inside = inside

    def _fail(self, *_):
        raise RuntimeError("not to be called")

    __eq__ = __ne__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = __hash__ = __getattr__ = _fail


class OddList(list):
    def __iter__(self):
        raise RuntimeError("not to be called")

    __eq__ = __repr__ = __len__ = __iter__
    __hash__ = None


def endless(_):
    while True:
        yield 1


@pytest.mark.parametrize(
    ("release", "kind"),
    [
        (leaving, "unaudited"),
        (turning_for_ever, "limit"),
        (sleeping, "limit"),
        (waiting_for_a_lock, "limit"),
        (drawing_for_ever, "limit"),
        (swallowing_exceptions, "limit"),
        (swallowing_everything, "limit"),
        (recursing, "unaudited"),
    ],
)
def test_what_does_not_answer_is_stopped_and_told(release, kind):
    ends_by_itself = kind != "limit" or release is drawing_for_ever
    patience = {**SHORT, "seconds": LONG} if ends_by_itself else SHORT
    report = audit(release, [1, 0], [1, 1], draws=1000, **patience)
    assert report.kinds == {kind}
    (found,) = report.violations
    if ends_by_itself:  # where an alarm of the clock lands is not fixed
        assert found.where.startswith(("tests/unit/testing/test_hostile.py:", "test_hostile.py:"))


def test_a_loop_is_stopped_in_a_thread_too_where_there_is_no_alarm():
    found = []
    worker = threading.Thread(target=lambda: found.append(audit(turning_for_ever, [1], [0], **SHORT)))
    worker.start()
    worker.join(60)
    assert found[0].kinds == {"limit"}


def test_a_release_that_did_not_end_is_not_called_again():
    calls = []

    def release(rows):
        calls.append(1)
        return swallowing_everything(rows)

    report = audit(release, [1, 0], [1, 1], epsilon=1, **SHORT)
    assert report.kinds == {"limit"}
    assert "which kept the alarm from ending it" in " ".join(str(report).split())
    assert len(calls) == 1


def test_an_alarm_of_somebody_else_is_left_alone_and_told():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    signal.setitimer(signal.ITIMER_REAL, LONG)
    try:
        report = audit(SAFE.release, 1, 2, epsilon=1, sensitivity=1, seconds=7)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= LONG
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    (note,) = report.check().notes
    assert note.startswith("no alarm could be set, since another one is set")
    assert "not stopped after 7 seconds" in note
    assert not rung


def test_the_time_of_all_calls_passes_while_they_sleep():
    def release(rows):
        time.sleep(0.02)
        return SAFE.release(rows[0])

    assert audit(release, [1], [2], epsilon=1, whole_seconds=0.01).replays == 2


@pytest.mark.parametrize("made", [Odd, lambda inside: OddList([inside]), lambda inside: {"odd": Odd(Odd(inside))}])
def test_odd_objects_are_compared_by_what_they_hold(made):
    assert audit(lambda rows: made(rows[0]), [1], [2]).kinds == {"no-noise"}
    assert audit(lambda rows: made(f"{rows[0] > 1}"), [1], [2]).kinds == {"metadata"}
    assert audit(lambda rows: made(SAFE.release(rows[0])), [1], [2], epsilon=1, sensitivity=1).kinds == set()


def test_an_object_that_holds_itself_ends():
    def release(rows):
        found = [SAFE.release(rows[0])]
        found.append(found)
        return found

    audit(release, [1], [2], epsilon=1, sensitivity=1).check()


def test_what_cannot_be_read_is_told_and_not_passed_over():
    report = audit(lambda rows: (SAFE.release(rows[0]), object()), [1], [2], epsilon=1, sensitivity=1)
    assert report.notes == ("not compared: output[1], an object of class object",)


def test_notes_that_say_the_same_of_several_paths_are_one():
    report = audit(lambda rows: [SAFE.release(rows[0]), *(object() for _ in range(30))], [1], [2], replays=2)
    told = [note for note in report.notes if note.startswith("not compared")]
    assert told == ["not compared: output[1], output[2], output[3] and 27 more, an object of class object"]


def test_an_endless_generator_is_cut(monkeypatch):
    assert leaves.MOST_LEAVES == observation.MOST_LEAVES == 20_000
    for module in (leaves, observation):
        monkeypatch.setattr(module, "MOST_LEAVES", 1_000)
    report = audit(endless, [1], [2], replays=1, lines=False)
    assert "not compared: output, more than 1,000 numbers and facts" in report.notes


def test_a_thread_that_is_left_is_told():
    stop = threading.Event()

    def release(rows):
        threading.Thread(target=stop.wait, daemon=True).start()
        return SAFE.release(rows[0])

    try:
        assert audit(release, [1], [2], replays=2).kinds == {"threads"}
    finally:
        stop.set()


@pytest.mark.parametrize("release", [leaving, turning_for_ever, SAFE.release])
def test_everything_is_put_back(release):
    def state():
        bits = vars(sys.modules[SystemBits.__module__])["urandom"]
        handler = signal.getsignal(signal.SIGALRM)
        functions = [os.urandom, random.random, random.Random, np.random.default_rng, np.random.laplace, bits]
        return functions, sys.gettrace(), handler, list(warnings.filters), sys.stdout, sys.stderr

    before, drawn = state(), random.getstate()
    audit(release, 1, 2, **SHORT)
    assert state() == before
    assert random.getstate() == drawn


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
