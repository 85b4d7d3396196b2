"""What an audit replaces is put back: whatever raises, at whatever line, and however many threads audit."""

from __future__ import annotations

import logging
import os
import random
import secrets
import signal
import sys
import threading
import warnings
from itertools import pairwise

import numpy as np
import pytest

from snapdp.errors import PremiseError
from snapdp.lab.testing import audit, frozen_noise, observation
from snapdp.lab.testing.frozen_noise import FrozenNoise, with_frozen_noise, with_patches
from snapdp.mechanism.sampling.filter import ScalarSampler
from snapdp.randomness.bits import SystemBits
from tests.unit.lab.testing.planted import SAFE

FILES = {each.__file__ for each in (frozen_noise, observation)}
SEARCHING = {"_find_generators", "_freeze_random", "_freeze_numpy", "_find_callers", "<genexpr>", "<listcomp>"}
QUICK = {"replays": 1}


def state():
    bits = vars(sys.modules[SystemBits.__module__])
    functions = [os.urandom, random.random, random.Random, np.random.default_rng, np.random.laplace]
    ours = [bits["urandom"], bits["key_stream"], ScalarSampler.release]
    log = logging.getLogger()
    heard = [sys.stdout, sys.stderr, sys.unraisablehook, log.level, log.handlers[:], log.manager.disable]
    alarm = [signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)]
    return functions, random.getstate(), ours, heard, alarm, list(warnings.filters), warnings.showwarning


def one(rows):
    return SAFE.release(rows[0])


# Threads


def test_audits_of_two_threads_run_one_after_the_other_and_everything_is_put_back():
    audit(one, [1], [2], **QUICK)  # what it imports is there, and no audit begins twice
    before, both, found = state(), threading.Barrier(2), []
    running = []

    def release(rows):
        running.append(threading.get_ident())
        return one(rows)

    def work(replays):
        both.wait(60)
        found.append(audit(release, [1], [2], epsilon=1, sensitivity=1, replays=replays))

    threads = [threading.Thread(target=work, args=(replays,)) for replays in (70, 90)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert {each.replays for each in found} == {70, 90}
    assert all(not each.violations for each in found)
    assert sum(a != b for a, b in pairwise(running)) == 1
    assert state() == before
    assert secrets.token_bytes(16) != secrets.token_bytes(16)


def test_an_audit_within_an_audit_is_refused_and_does_not_wait():
    problems = []

    def auditing(rows):
        try:
            audit(one, rows, [3], **QUICK)
        except PremiseError as problem:
            problems.append(str(problem))
        return one(rows)

    before = state()
    audit(auditing, [1], [2], **QUICK)
    assert len(problems) > 1
    assert set(problems) == {
        "this audit was begun within another one, and what an audit replaces is of the whole process.\n"
        "  Audit a function that does not audit. Nothing was run."
    }
    assert state() == before
    audit(one, [1], [2], epsilon=1, sensitivity=1).check()


def test_an_audit_that_waits_too_long_for_another_one_is_refused(monkeypatch):
    """As one that a thread of an audited function begins, for which the function waits."""
    monkeypatch.setattr(frozen_noise, "LONGEST_WAIT", 0.01)
    problems = []

    def waiting():
        try:
            with_frozen_noise(FrozenNoise(), one, lambda _: None)
        except PremiseError as problem:
            problems.append(problem.problem)

    def inside(_):
        thread = threading.Thread(target=waiting)
        thread.start()
        thread.join(60)

    with_frozen_noise(FrozenNoise(), one, inside)
    assert problems == ["another audit of this process did not end in 0.01 seconds, and one runs at a time."]
    waiting()
    assert len(problems) == 1


# Exceptions while things are put back


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("place", range(4))
def test_a_step_that_raises_keeps_no_other_from_being_taken(late, place):
    holder = dict.fromkeys("abcd", "before")
    raised = []

    class Interrupting(dict):
        """Raises once, where its name is put back: before that or after it."""

        def __setitem__(self, name, value):
            if late:
                super().__setitem__(name, value)
            if value == "before" and name == "abcd"[place] and not raised:
                raised.append(name)
                raise KeyboardInterrupt
            super().__setitem__(name, value)

    holder = Interrupting(holder)

    def block(patched):
        for name in "abcd":
            patched.set(holder, name, "meanwhile")

    with pytest.raises(KeyboardInterrupt):
        with_patches(block)
    assert holder == dict.fromkeys("abcd", "before")


def test_an_exception_within_a_change_finds_its_undo_noted():
    class Stopping(dict):
        def __setitem__(self, name, value):
            super().__setitem__(name, value)
            if value == "meanwhile":
                raise KeyboardInterrupt

    holder = Stopping(a="before")
    with pytest.raises(KeyboardInterrupt):
        with_patches(lambda patched: patched.set(holder, "a", "meanwhile"))
    assert holder == {"a": "before"}


class Alarm(BaseException):
    """As a signal raises it, between any two lines."""


class Lines:
    """Follows what replaces things and puts them back, line by line, and raises at the n-th of its lines and calls."""

    def __init__(self, at=None):
        self.at, self.seen = at, []

    def __call__(self, frame, event, _):
        code = frame.f_code
        if code.co_filename not in FILES or code.co_name in SEARCHING:
            return None
        if event in ("line", "call"):
            self.seen.append((code.co_filename, code.co_name, frame.f_lineno, event))
            if len(self.seen) - 1 == self.at:
                raise Alarm
        return self

    def run(self):
        noise = FrozenNoise()
        release = observation.AuditedRelease(function=one, released=None, ignored=())
        before = sys.gettrace()
        sys.settrace(self)
        try:
            with_frozen_noise(noise, one, lambda _: observation.observe(release, [1], noise, 0))
        finally:
            sys.settrace(before)


def test_an_alarm_at_any_line_leaves_nothing_replaced():
    """At every line of what replaces things and puts them back, when it is run first, and when it is run last."""
    Lines().run()  # what is found out once is known
    lines = Lines()
    lines.run()
    before, seen = state(), lines.seen
    last = {each: at for at, each in enumerate(seen)}
    first = {each: at for at, each in reversed(list(enumerate(seen)))}
    assert {"undo", "undo_by", "freeze", "listen", "_end_turn"} <= {name for _, name, _, _ in seen}
    left = []
    for at in sorted({*first.values(), *last.values()}):
        with pytest.raises(Alarm):
            Lines(at).run()
        if state() != before:
            left.append(seen[at][1:])
    assert not left
    with_frozen_noise(FrozenNoise(), one, lambda _: None)
