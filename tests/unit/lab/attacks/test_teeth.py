"""The gallery has teeth: for each of its rows ours falls when a fault is planted in it, by the row's own code.

A row of the gallery without a line in `TEETH` fails here. Nothing is handed to an attack: it is run against "snapdp"
as `snapdp lab attack` does, through studies, ledgers and `snapdp.Snapping`; the fault is somewhere behind them.
Numbers of trials are such that other draws would not refute less than once in a million times (the hits expected are
five standard deviations beyond those needed), but for the histogram (once in a thousand) and where a line says why not.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest

from snapdp.lab.attacks.attack import AttackOutcome, Trials
from snapdp.lab.attacks.gallery import attacks
from snapdp.lab.attacks.statistics import EIGHT, numpy_sum, running_total
from tests.unit.lab.attacks import faults
from tests.unit.lab.attacks.faults import Plant, summed_by

EVERY = attacks()


class Tooth(NamedTuple):
    """A fault of ours that an attack must find in so many outputs."""

    plant: Plant
    trials: int


def rounded_before(cells: np.ndarray) -> float:
    """Return the sum of cells counted from 2^52, of which the doubles are added first."""
    return numpy_sum(cells + EIGHT) - EIGHT * len(cells)


TEETH: dict[str, list[Tooth]] = {
    "reachability": [Tooth(faults.unsnapped, 500)],
    "reachability-far": [Tooth(faults.unsnapped, 17_000)],
    "reachability-small": [Tooth(faults.unsnapped, 500)],
    "precision": [Tooth(faults.unsnapped, 1_000)],
    "precision-of-sum": [Tooth(faults.unsnapped_in_little_noise, 100)],
    "precision-of-mean": [Tooth(faults.unsnapped_in_little_noise, 100)],
    "negative-zero": [
        Tooth(faults.zero_with_the_sign_of_the_value, 3_000),
        Tooth(faults.zeros_with_the_signs_of_the_values, 3_000),
    ],
    "returned-noise": [Tooth(faults.noise_for_the_caller, 100)],
    "nan-output": [Tooth(summed_by(numpy_sum), 18)],  # in all, and in none: no chance in it
    "truncated-noise": [Tooth(faults.truncated, 5_000)],
    "ties": [Tooth(faults.value_to_even, 10_000)],
    "timing": [Tooth(faults.as_long_as_its_noise, 2_000)],
    "rounded-sum": [Tooth(summed_by(numpy_sum), 80)],
    "sum-rounded-once": [Tooth(summed_by(math.fsum), 80)],
    "reordered-sum": [Tooth(summed_by(running_total), 80)],
    "overflowing-sum": [Tooth(summed_by(numpy_sum), 80)],
    "rounded-mean": [Tooth(summed_by(rounded_before), 140)],
    "missing-values": [Tooth(faults.readable_alone, 40)],
    "substituted-histogram": [Tooth(faults.one_bin_moves, 1_500)],
    "changed-group": [Tooth(faults.one_group_moves, 1_000)],
    "redefined-column": [Tooth(faults.one_row_of_each_person, 60)],
    "mixed-precision": [Tooth(faults.noise_scale_rounded_down, 1)],
}


def attacked_once(name: str, trials: int) -> AttackOutcome:
    return EVERY[name].against["snapdp"](Trials(count=trials, seed=20121016))


def test_every_row_of_the_gallery_has_a_fault_that_it_must_find():
    assert list(TEETH) == list(EVERY)
    assert all(TEETH.values())


EACH = [(name, tooth) for name, teeth in TEETH.items() for tooth in teeth]


@pytest.mark.parametrize(("name", "tooth"), EACH, ids=[f"{name}-{tooth.plant.__name__}" for name, tooth in EACH])
def test_ours_with_a_fault_planted_is_refuted(name, tooth, monkeypatch):
    tooth.plant(monkeypatch)
    assert attacked_once(name, tooth.trials).is_refuted


OF_TABLES = ("precision-of-sum", "precision-of-mean")


@pytest.mark.parametrize("name", OF_TABLES)
def test_little_noise_on_the_grid_shows_no_digit(name, monkeypatch):
    """The twin of the fault in little noise: it is the grid that matters to these attacks, not the noise."""
    faults.snapped_in_little_noise(monkeypatch)
    outcome = attacked_once(name, 20)
    assert outcome.counts is not None
    assert [hits for hits, _ in outcome.counts] == [0, 0]


@pytest.mark.long
@pytest.mark.parametrize("name", OF_TABLES)
def test_statistics_that_are_not_snapped_are_refuted_in_all_their_noise(name, monkeypatch):
    faults.unsnapped(monkeypatch)
    assert attacked_once(name, EVERY[name].trials_of("snapdp")).is_refuted


def test_an_exact_sum_put_in_the_place_of_ours_changes_nothing(monkeypatch):
    """The twin of the other sums: it is the sum that matters, not that something was put in its place."""
    summed_by(lambda cells: sum(map(Fraction, cells.tolist())))(monkeypatch)
    assert not attacked_once("rounded-sum", 20).is_refuted
