"""Many processes, some of them killed: nothing acknowledged is lost, the cap is never passed, twins draw once."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time

import pytest

from snapdp.ledger.ledger import Ledger
from tests import ROOT
from tests.tiers import first_of
from tests.unit.release.support import NAME, F, new_ledger

PROCESSES = 8


class Crowd:
    """Processes at one ledger, each with its log of what it was told."""

    def __init__(self, directory, *, job, cap, epsilons, path=None):
        self.path = path or directory / "crowd.ledger"
        self.go = directory / "crowd.go"
        self.drawn = directory / "crowd.drawn"
        self._log = directory / "log"
        self._job = job
        self._epsilons = epsilons
        self._started = 0
        self.processes = []
        new_ledger(self.path, cap=cap)[0].close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            self.kill(process)

    def start(self):
        self._started += 1
        words = [self._job, self.path, f"{self._log}-{self._started}", self._started, *self._epsilons]
        command = [sys.executable, "-m", "tests.unit.ledger.worker", *map(str, words)]
        process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def start_all(self, count=PROCESSES):
        """Start them and let them go at the same moment."""
        for _ in range(count):
            self.start()
        self.wait_for("ready", count)
        self.go.touch()

    def kill(self, process):
        process.kill()  # SIGKILL, of a process started here
        _, said = process.communicate()
        self.processes.remove(process)
        assert said == ""

    def finish(self):
        for process in list(self.processes):
            _, said = process.communicate(timeout=60)
            assert (process.returncode, said) == (0, "")
            self.processes.remove(process)

    def lines(self, word):
        """Return the lines of all logs that begin with a word; one cut off by a kill was never acknowledged."""
        logs = (file.read_text(encoding="utf-8") for file in self._log.parent.glob("log-*"))
        whole = [line for text in logs for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [line[1:] for line in map(json.loads, whole) if line[0] == word]

    def wait_for(self, word, count):
        deadline = time.monotonic() + 60
        while len(self.lines(word)) < count:
            assert time.monotonic() < deadline
            time.sleep(0.01)


def wait_until_nobody_draws(ledger):
    """A server learns of a death a moment later than a kernel does."""
    deadline = time.monotonic() + 30
    while any(charge.state == "in progress" for charge in ledger.history(NAME)) and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.parametrize("seconds", first_of([1, 20]))
def test_nothing_acknowledged_is_lost_when_processes_are_killed_at_random(tmp_path, seconds):
    kill_at_random(tmp_path, seconds, enough=100 if seconds > 1 else 40)


def kill_at_random(directory, seconds, path=None, enough=100, pause=0.15):
    """Kill and replace processes for a while; then compare what they were told with what the ledger holds."""
    dice = random.Random(20121016)
    kills = 0
    with Crowd(directory, job="many", cap=100, epsilons=["0.00033", "1/700", "0.001", "13/997"], path=path) as crowd:
        crowd.start_all()
        end = time.monotonic() + seconds
        while time.monotonic() < end or kills < 10 or len(crowd.lines("committed")) < enough:
            time.sleep(dice.uniform(0.02, pause))
            crowd.kill(dice.choice(crowd.processes))
            crowd.start()
            kills += 1
        for process in list(crowd.processes):
            crowd.kill(process)
        reserved = {number: F(epsilon) for number, epsilon in crowd.lines("reserved")}
        committed = {number for (number,) in crowd.lines("committed")}
        with Ledger.open(crowd.path) as ledger:
            ledger.verify()
            wait_until_nobody_draws(ledger)
            history = {charge.number: charge for charge in ledger.history(NAME)}
            account = ledger.account(NAME)
    assert reserved.items() <= {number: charge.epsilon for number, charge in history.items()}.items()
    assert all(history[number].answer.record["value"] == number for number in committed)
    assert {charge.state for charge in history.values()} <= {"committed", "orphaned"}
    assert account.spent == sum(charge.epsilon for charge in history.values()) <= account.cap
    # A killed process had at most one reservation open, and one it was never told of.
    assert sum(charge.state == "orphaned" for charge in history.values()) <= kills + PROCESSES
    assert len(history.keys() - reserved.keys()) <= kills + PROCESSES


def test_a_race_at_a_small_cap_stops_exactly_at_the_cap_and_everybody_gets_a_share(tmp_path):
    with Crowd(tmp_path, job="many", cap="499/3", epsilons=["1/3"]) as crowd:
        crowd.start_all()
        crowd.finish()
        told = crowd.lines("reserved")
        with Ledger.open(crowd.path) as ledger:
            ledger.verify()
            assert ledger.account(NAME).left == 0
            assert len(ledger.history(NAME)) == 499 == len(told)
    assert len({number for number, _ in told}) == 499
    shares = [log.read_text(encoding="utf-8").count('"committed"') for log in tmp_path.glob("log-*")]
    assert (len(shares), sum(shares)) == (PROCESSES, 499)
    assert min(shares) >= 499 / PROCESSES / 4


def test_concurrent_twins_draw_once(tmp_path):
    with Crowd(tmp_path, job="twin", cap=1, epsilons=["1/3"]) as crowd:
        crowd.start_all()
        crowd.wait_for("DRAW", 1)
        time.sleep(0.3)  # the others have come by now, and wait
        crowd.drawn.touch()
        crowd.finish()
        ((drawer,),) = crowd.lines("DRAW")
        answers = crowd.lines("answer")
        with Ledger.open(crowd.path) as ledger:
            assert ledger.account(NAME).spent == F(1, 3)
    assert [value for value, _ in answers] == [drawer] * PROCESSES


def test_when_the_drawing_twin_is_killed_one_other_pays_again(tmp_path):
    with Crowd(tmp_path, job="twin", cap=1, epsilons=["1/3"]) as crowd:
        crowd.start_all(4)
        crowd.wait_for("DRAW", 1)
        ((first,),) = crowd.lines("DRAW")
        crowd.kill(next(process for process in crowd.processes if process.pid == first))
        crowd.drawn.touch()
        crowd.finish()
        ((second,),) = [draw for draw in crowd.lines("DRAW") if draw != [first]]
        answers = crowd.lines("answer")
        with Ledger.open(crowd.path) as ledger:
            ledger.verify()
            assert [charge.state for charge in ledger.history(NAME)] == ["orphaned", "committed"]
            assert ledger.account(NAME).spent == F(2, 3)
    assert [value for value, _ in answers] == [second] * 3
