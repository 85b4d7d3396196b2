"""What p-bit arithmetic takes off epsilon and adds to the accuracy."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.accuracy.epsilon import constants_of
from snapdp.accuracy.error import unclamped_accuracy, unclamped_enclosure
from snapdp.errors import ParameterError
from snapdp.exact.functions import rounded_up
from snapdp.mechanism.finite_precision import SLACK, notes_effective_epsilon
from snapdp.mechanism.law.finite import proved_loss
from tests.unit.accuracy.brute import F

COUNTS = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)


def finite(epsilon, arithmetic, bits):
    return snapdp.Snapping(
        epsilon=epsilon, sensitivity=1, lower=0, upper=1000, arithmetic=arithmetic, bits=bits
    ).parameters


def set_aside(p):
    """Return what the rule of a mechanism leaves out of epsilon for rounding: finite-precision (6) and (11)."""
    if p.rule == "notes":
        return p.epsilon - notes_effective_epsilon(epsilon=p.epsilon, bound=p.bound, eta=p.eta)
    return proved_loss(noise_scale=p.noise_scale, grid=p.grid, bound=p.bound, precision=p.precision) - 1 / p.noise_scale


@pytest.mark.parametrize("arithmetic", ["proved", "notes"])
def test_what_is_lost_is_set_aside_or_lost_by_rounding_up_the_noise_scale(arithmetic):
    for row in COUNTS.cost_of_bits((60, 61, 118, 119), arithmetic=arithmetic):
        p = finite("0.5", arithmetic, row.bits)
        # The noise scale is rounded up to p bits, by a factor of 1 + 2 eta at most; the rule "proved" sets aside what
        # the scale of its last try but one calls for, which is at most SLACK times as much.
        assert set_aside(p) <= row.lost <= set_aside(p) * SLACK + 2 * p.eta * p.epsilon


@pytest.mark.parametrize("arithmetic", ["proved", "notes"])
def test_every_further_bit_halves_what_is_set_aside(arithmetic):
    for bits in (60, 118):
        fewer, more = (finite("0.5", arithmetic, each) for each in (bits, bits + 1))
        # Both rules are linear in eta but for terms of its square: a part of it that is below lost/epsilon.
        part = (fewer.epsilon - 1 / fewer.noise_scale) / fewer.epsilon
        assert abs(set_aside(fewer) - 2 * set_aside(more)) <= part * set_aside(fewer)


def test_a_row_is_the_mechanism_of_its_bits():
    (row,) = COUNTS.cost_of_bits(64)
    p = finite("0.5", "proved", 64)
    assert row.lost == p.epsilon - 1 / p.noise_scale > 0
    exact = unclamped_enclosure(noise_scale=F(2), grid=F(2), alpha=F(1, 20))
    assert row.accuracy == constants_of(p, F(1, 20)).accuracy > exact.upper
    assert row.accuracy_ratio == rounded_up(row.accuracy / exact.lower) > row.accuracy / exact.upper


def test_the_grid_of_the_notes_doubles_at_a_power_of_two_and_nowhere_else():
    def exact(scale, grid):
        return unclamped_accuracy(noise_scale=F(scale), grid=F(grid), alpha=F(1, 20))

    # On one grid a wider noise is never better, and theirs is at most SLACK times as wide.
    (at_power,) = COUNTS.cost_of_bits((118,), arithmetic="notes")
    assert finite("0.5", "notes", 118).grid == 4
    assert exact(2, 4) / exact(2, 2) <= at_power.accuracy_ratio <= exact(2 * SLACK, 4) / exact(2, 2)
    (other,) = snapdp.Snapping(epsilon="0.6", sensitivity=1, lower=0, upper=1000).cost_of_bits(118, arithmetic="notes")
    assert finite("0.6", "notes", 118).grid == 2
    assert 1 < other.accuracy_ratio <= exact(SLACK / F("0.6"), 2) / exact(1 / F("0.6"), 2)


def test_accuracies_are_in_data_units():
    scaled = snapdp.Snapping(epsilon="0.5", sensitivity=3, lower=0, upper=3000)
    (row,), (unit,) = scaled.cost_of_bits((118,)), COUNTS.cost_of_bits((118,))
    assert row.accuracy == 3 * unit.accuracy


def test_too_few_bits_are_said_to_be_refused_and_exact_arithmetic_has_none():
    few, *more = COUNTS.cost_of_bits()
    assert few.bits == 24
    assert "24 bits are too few" in few.refused
    assert few.lost is few.accuracy is few.accuracy_ratio is None
    assert more[-1].bits == 118
    with pytest.raises(ParameterError, match="has no bits"):
        COUNTS.cost_of_bits(arithmetic="exact")
    with pytest.raises(ParameterError, match="not usable"):
        COUNTS.cost_of_bits((1,))
    with pytest.raises(ParameterError, match="not usable"):
        COUNTS.cost_of_bits("53")
