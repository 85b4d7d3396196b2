"""What p-bit arithmetic takes off epsilon and adds to the accuracy."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.accuracy.error import unclamped_accuracy
from snapdp.errors import ParameterError
from tests.unit.accuracy.brute import F

COUNTS = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000)


@pytest.mark.parametrize("arithmetic", ["proved", "notes"])
def test_every_further_bit_halves_what_is_lost(arithmetic):
    rows = COUNTS.cost_of_bits((60, 61, 118, 119), arithmetic=arithmetic)
    for fewer, more in (rows[:2], rows[2:]):
        assert F("1.99") < fewer.lost / more.lost < F("2.01")


def test_a_row_is_the_mechanism_of_its_bits():
    (row,) = COUNTS.cost_of_bits(64)
    p = snapdp.Snapping(epsilon="0.5", sensitivity=1, lower=0, upper=1000, arithmetic="proved", bits=64).parameters
    assert row.lost == p.epsilon - 1 / p.noise_scale > 0
    exact = unclamped_accuracy(noise_scale=F(2), grid=F(2), alpha=F(1, 20))
    assert exact < row.accuracy < exact * (1 + F(1, 10**12))
    assert 1 < row.accuracy_ratio < 1 + F(1, 10**12)


def test_the_grid_of_the_notes_doubles_at_a_power_of_two_and_nowhere_else():
    assert COUNTS.cost_of_bits((118,), arithmetic="notes")[0].accuracy_ratio > F("1.14")
    other = snapdp.Snapping(epsilon="0.6", sensitivity=1, lower=0, upper=1000)
    assert other.cost_of_bits((118,), arithmetic="notes")[0].accuracy_ratio < F("1.000001")


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
