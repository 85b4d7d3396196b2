"""Statistics that have only the values of a lattice: the worst of them by (35), against all of them one by one."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.accuracy.epsilon import epsilon_for
from snapdp.accuracy.error import (
    ValueLattice,
    accuracy_at,
    alpha_for,
    value_chance,
    values_of,
    worst_accuracy,
    worst_chance,
)
from snapdp.mechanism.parameters import SnappingParameters, exact_parameters
from snapdp.values import replaced
from tests.unit.accuracy.brute import F, parameters

LEVELS = [F(1, 20), F(1, 3), F(7, 10), F(1, 1000)]


def any_mechanism(rng: random.Random) -> SnappingParameters:
    """Return a mechanism with a lattice of values: fine and coarse grids, wide and narrow clamps, off-centre ranges."""
    lower = rng.randint(-6, 3)
    upper = lower + rng.randint(1, 9)
    p = exact_parameters(
        epsilon=F(rng.randint(5, 300), 100),
        sensitivity=1,
        lower=lower,
        upper=upper,
        grid=rng.choice(["natural", "fine", "1/2", 1, 2, 4]),
        clamp=rng.choice(["wide", "range", (lower - 1, upper + 2)]),
    )
    return replaced(p, step=rng.choice([F(1), F(1, 2)]))


def all_values(p: SnappingParameters) -> list[Fraction]:
    assert p.step is not None
    return [p.lower + i * p.step for i in range(int((p.upper - p.lower) / p.step) + 1)]


def compare(rng: random.Random) -> None:
    p, alpha = any_mechanism(rng), rng.choice(LEVELS)
    found = worst_accuracy(p, alpha)
    assert found == max(accuracy_at(p, f, alpha) for f in all_values(p))
    assert found <= worst_accuracy(replaced(p, step=None), alpha)
    distance = rng.choice([found, found / 2, F(1, 3)])
    largest = max((value_chance(p, f, distance) for f in all_values(p)), key=lambda e: e.upper)
    assert abs(worst_chance(p, distance).upper - largest.upper) <= F(1, 10**60)


@pytest.mark.parametrize("seed", range(12))
def test_the_worst_value_is_the_worst_of_all_values(seed):
    compare(random.Random(seed))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 500))
def test_the_worst_value_is_the_worst_of_all_values_at_more_places(seed):
    compare(random.Random(seed))


def test_a_value_between_two_outputs_would_be_worse():
    """The twin: without the lattice a target of 6 needs 2 % more epsilon."""
    declared = {"accuracy": 6, "sensitivity": 1, "lower": 0, "upper": 5000}
    assert epsilon_for(**declared, step=1).epsilon == F("0.4891")
    assert epsilon_for(**declared).epsilon == F("0.4997")


def test_in_finite_precision_the_lattice_is_off_the_grid_by_a_phase():
    m = snapdp.Snapping(epsilon="0.3", sensitivity=2, lower=0, upper=9, step=1, arithmetic="proved", grid=1)
    p = m.parameters
    assert values_of(p) == ValueLattice(F(1, 4), F(1, 2))  # (f - 4.5)/2 for whole f
    worst = max(m.accuracy(value=f) for f in range(10))
    assert worst == m.accuracy()
    assert m.alpha(accuracy=m.accuracy()) <= F(1, 20)


@pytest.mark.parametrize(
    "declared",
    [
        {"lower": "0.3", "upper": 9, "grid": "1/8"},  # an end of the range is no value
        {"sensitivity": 3, "step": 3, "lower": 0, "upper": 9},  # neither spacing is a multiple of the other
        {"step": None, "lower": 0, "upper": 9},
    ],
)
def test_elsewhere_every_real_of_the_range_is_taken(declared):
    p = parameters(**{"epsilon": "0.4", "sensitivity": 1, "step": 1, "grid": 2, **declared})
    assert values_of(p) is None


def test_level_and_accuracy_of_whole_values_fit_together():
    p = replaced(exact_parameters(epsilon="0.3", sensitivity=1, lower=0, upper=40, grid=4), step=F(1))
    a = worst_accuracy(p, F(1, 20))
    assert alpha_for(p, accuracy=a) <= F(1, 20) < alpha_for(p, accuracy=a - F(1, 2))
