"""Times of draws, by a clock that counts steps of work: no test here waits for a real one."""

from __future__ import annotations

import math
from random import Random

import pytest

import snapdp
from snapdp.lab.attacks.attack import Trials
from snapdp.lab.attacks.gallery import attacked, attacks
from snapdp.lab.attacks.timing import CHANCE, CLAIMED, CUTS, INPUTS, REACH, WINDOW, TimedDraw, _chance, _chosen, timed
from tests.unit.lab.attacks.chance import chance_of_refutation
from tests.unit.lab.attacks.doubles import noise, snapped

TRIALS = 2_000


class Machine:
    """A release whose draws take as long as a rule says, and the clock that shows it."""

    def __init__(self, takes, release) -> None:
        self.now = 0
        self._takes = takes
        self._release = release

    def clock(self) -> int:
        return self.now

    def release(self, value: float) -> float:
        output = self._release(value)
        self.now += self._takes(abs(output - value))
        return output


def by_name(name: str):
    pick = Random(name)
    return pick, lambda value: snapped(value + noise(pick, float(REACH)), 4.0)


def watched(machine: Machine):
    order = Trials(count=TRIALS, seed=5).generator()
    return timed(machine.release, TRIALS, order=order, clock=machine.clock)


@pytest.mark.parametrize("slope", [3, -3])
def test_a_time_that_grows_or_falls_with_the_noise_is_seen_through_jitter(slope):
    """About 90 outputs of REACH lie in the window in their time, and none of 0: needed are 16."""
    pick, release = by_name(f"slope {slope}")
    outcome = watched(Machine(lambda size: 10_000 + int(slope * size) + pick.randrange(30), release))
    assert outcome.is_refuted
    assert "rank correlation" in outcome.said


@pytest.mark.parametrize("spread", [1, 1000])
def test_a_time_that_has_nothing_to_do_with_the_noise_is_not(spread):
    pick, release = by_name(f"spread {spread}")
    assert not watched(Machine(lambda _: 100 + pick.randrange(spread), release)).is_refuted


def test_a_machine_that_slows_down_halfway_is_not_taken_for_a_leak():
    _, release = by_name("slower")
    machine = Machine(lambda _: 100, release)
    machine._takes = lambda _: 100 if machine.now < 100 * 5 * TRIALS // 2 else 500
    assert not watched(machine).is_refuted


def test_what_is_counted_was_not_drawn_when_the_cut_was_chosen():
    """Times that tell the input in the first half of the draws, and nothing afterwards: a cut of them finds nothing."""
    _, release = by_name("first half")
    machine = Machine(lambda _: 0, release)
    drawn = [0]

    def fast_for_one_input(value: float) -> float:
        drawn[0] += 1
        is_chosen_on = drawn[0] <= 2 * TRIALS
        machine.now += 100 if value == INPUTS[0] or not is_chosen_on else 500
        return release(value)

    order = Trials(count=TRIALS, seed=5).generator()
    assert not timed(fast_for_one_input, TRIALS, order=order, clock=machine.clock).is_refuted
    assert drawn == [4 * TRIALS]


def test_a_rank_correlation_by_chance_is_beyond_what_is_told_once_in_a_thousand_times():
    """Of n draws it has the variance 1/(n - 1), and is nearly normal."""
    beyond = math.erfc(CHANCE / math.sqrt(2))
    assert 1 / 1100 < beyond < 1 / 1000
    assert _chance(TRIALS) == CHANCE / math.sqrt(2 * TRIALS - 1)


def test_ours_on_the_real_clock_is_not_refuted():
    """Whatever the machine does meanwhile; the next test says how unlikely it is."""
    row = attacked(attacks()["timing"], "snapdp", Trials(count=TRIALS, seed=8))
    assert row.verdict == "not refuted"


def test_by_its_exact_law_no_cut_of_times_refutes_ours_but_once_in_a_million_runs():
    """Where time and noise are independent; for every share of the draws that a cut may leave, theory (7)."""
    mechanism = snapdp.Snapping(epsilon=CLAIMED, sensitivity=REACH, lower=0, upper=1000)
    p, q = (float(mechanism.law(int(value)).probability(*WINDOW)) for value in INPUTS)
    for share in (0.002, 0.01, 0.03, *(tenths / 10 for tenths in CUTS), 1.0):
        one_sample = chance_of_refutation(share * p, share * q, trials=TRIALS, claimed=float(CLAIMED))
        assert one_sample**2 < 1e-6


def test_a_cut_is_chosen_even_where_no_output_lies_in_the_window():
    far = [TimedDraw(value=value, output=-1.0, nanoseconds=5) for value in INPUTS]
    assert _chosen(far).hits(far) == (0, 0)
