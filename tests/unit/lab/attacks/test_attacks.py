"""Each attack breaks the textbook, and not ours; `test_teeth` has ours with faults planted, which fall.

The textbook draws what a seed decides. What refutes it here has a probability of less than 1e-6 to fail on other draws
(each event is expected more than five standard deviations beyond what is needed).
Ours would be refuted by chance once in a thousand samples at most, at its claim; its events are far from it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

import snapdp
from snapdp.lab.attacks import nan_output
from snapdp.lab.attacks.attack import Trials
from snapdp.lab.attacks.gallery import attacks
from snapdp.lab.attacks.reachability import is_reachable, noise_of_draw
from tests.unit.lab.attacks.chance import chance_of_refutation

HALF = Fraction(1, 2)
EVERY = attacks()


def one_run(name: str, target: str, trials: int):
    return EVERY[name].against[target](Trials(count=trials, seed=20121016))


SAMPLES = {
    "reachability": 500,
    "reachability-far": 15_000,
    "reachability-small": 500,
    "precision": 1_000,
    "precision-of-sum": 2_000,
    "precision-of-mean": 2_000,
    "negative-zero": 1_000,
    "returned-noise": 100,
    "nan-output": 50,
    "truncated-noise": 5_000,
    "ties": 10_000,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_textbook_is_refuted(name):
    assert one_run(name, "numpy", SAMPLES[name]).is_refuted


SLOWER = [(name, target) for name, attack in EVERY.items() for target in attack.fewer]


@pytest.mark.parametrize(("name", "target"), SLOWER)
def test_the_textbook_falls_in_as_few_outputs_as_a_slower_target_is_asked_for(name, target):
    """Or "not refuted" would say nothing of it. Other draws fail less than once in a million times here, too."""
    assert one_run(name, "numpy", EVERY[name].trials_of(target)).is_refuted


NEVER = ("precision", "precision-of-sum", "precision-of-mean", "negative-zero", "returned-noise", "nan-output")
OF_TABLES = ("precision-of-sum", "precision-of-mean", "nan-output")  # a release each, which takes longer


@pytest.mark.parametrize("name", SAMPLES)
def test_ours_is_not_refuted(name):
    outcome = one_run(name, "snapdp", 20 if name in OF_TABLES else 2_000)
    assert not outcome.is_refuted
    assert outcome.claimed == EVERY[name].claimed
    if name in NEVER:  # what gives the textbook away does not happen at all
        assert outcome.counts is not None
        assert [hits for hits, _ in outcome.counts] == [0, 0]


def test_a_release_that_fails_on_nan_is_refuted_too():
    def fails(rows):
        if any(map(math.isnan, rows)):
            raise ValueError
        return 0.5

    assert nan_output.GIVEN_AWAY.run(nan_output.or_nan(fails), 50).is_refuted
    assert not nan_output.GIVEN_AWAY.run(nan_output.or_nan(lambda _: 0.5), 50).is_refuted


def test_the_noise_of_a_draw_is_what_numpy_makes_of_it():
    generator, same = (Trials(count=1, seed=3).generator() for _ in range(2))
    for _ in range(500):
        draw = int(same.random() * 2**53)
        assert generator.laplace(0.0, 2.0) == noise_of_draw(draw, 2.0)


@pytest.mark.parametrize("scale", [2.0, 1e6, 0.001])
@pytest.mark.parametrize("value", [0.0, 1.0, 412.0, -3.5])
def test_every_output_is_reached_from_its_own_value(value, scale):
    """Of both signs, near zero, in the tails, and at the ends of the draws."""
    pick = Random(f"{value} {scale}")
    draws = [1, 2, 2**52 - 1, 2**52, 2**52 + 1, 2**53 - 1, *(pick.randrange(1, 2**53) for _ in range(200))]
    assert all(is_reachable(value + noise_of_draw(draw, scale), value, scale) for draw in draws)


def test_reach_is_decided_as_by_trying_all_draws():
    """At a value of 1 and a scale of 2**-20, outputs near 1 are made by runs of draws that can be tried one by one."""
    scale = 2.0**-20
    near = range(2**51, 2**51 + 3000)
    made = sorted({1.0 + noise_of_draw(draw, scale) for draw in near})
    assert all(is_reachable(output, 1.0, scale) for output in made)
    tiny = range(1, 60)
    made_of_tiny = {noise_of_draw(draw, 2.0) for draw in tiny}
    missed = [math.nextafter(output, 0) for output in made_of_tiny]
    assert all(is_reachable(output, 0.0, 2.0) for output in made_of_tiny)
    assert not any(is_reachable(output, 0.0, 2.0) for output in missed)


@pytest.mark.parametrize(
    ("values", "grid", "event"), [((0, 1), None, ("-0.499", "0.499")), (("1/2", "3/2"), 1, (-1000, 1))]
)
def test_by_its_exact_law_one_sample_of_ours_is_refuted_less_than_once_in_a_million_times(values, grid, event):
    """Truncation and ties: elsewhere the event does not happen, or the law is nearly the same for both inputs."""
    mechanism = snapdp.Snapping(epsilon=HALF, sensitivity=1, lower=0, upper=1000, grid=grid)
    p, q = (float(mechanism.law(value).probability(*event)) for value in values)
    assert math.log(p / q) < 0.4
    assert chance_of_refutation(p, q, trials=10_000, claimed=0.5) < 1e-6
