"""Exponential, cosine and pi in integers against Arb, whose balls share no code with them."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.exact.integers import cos_scaled, exp_scaled, floor_cos, floor_scaled, pi_scaled

PROPERTY = settings(deadline=None, max_examples=100)
WIDTHS = st.sampled_from([4, 64, 151, 400])
TURNS = st.fractions(min_value=-3, max_value=3, max_denominator=10**6)


def ball(x: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def scaled(x: flint.arb, width: int) -> flint.arb:
    return x * flint.arb(2) ** width


@PROPERTY
@given(st.fractions(min_value=-300, max_value=300, max_denominator=10**6), WIDTHS)
@example(Fraction(0), 64)
@example(Fraction(1, 10**30), 64)
def test_the_integers_enclose_the_exponential_and_are_at_most_two_apart(x, width):
    low, high = exp_scaled(x, width)
    assert high - low <= 2
    true = scaled(ball(x).exp(), width)
    assert not true < low
    assert not true > high


@PROPERTY
@given(TURNS, WIDTHS)
@example(Fraction(1, 4), 64)
@example(Fraction(1, 10**30), 151)
@example(Fraction(1, 4) + Fraction(1, 10**30), 151)
def test_the_integers_enclose_the_cosine_and_are_at_most_two_apart(turns, width):
    low, high = cos_scaled(turns, width)
    assert high - low <= 2
    true = scaled((2 * ball(turns)).cos_pi(), width)
    assert not true < low
    assert not true > high


@pytest.mark.parametrize("width", [1, 4, 64, 151, 1000])
def test_the_integers_enclose_pi_and_are_at_most_two_apart(width):
    low, high = pi_scaled(width)
    assert high - low <= 2
    assert low < scaled(flint.arb.pi(), width)
    assert scaled(flint.arb.pi(), width) < high


@PROPERTY
@given(TURNS, WIDTHS)
def test_the_floor_of_a_cosine_is_its_floor(turns, width):
    found = floor_cos(turns, width)
    if turns.denominator in (1, 2, 3, 4, 6):
        twice = {1: 2, 2: -2, 3: -1, 4: 0, 6: 1}[turns.denominator]
        assert found == (twice << width) // 2
    else:
        true = scaled((2 * ball(turns)).cos_pi(), width)
        assert found < true
        assert true < found + 1


def test_a_floor_that_few_digits_leave_open_is_decided_by_more():
    near = Fraction(5) + Fraction(1, 2**100)

    def enclosed(width):
        return (near.numerator << width) // near.denominator - 1, (near.numerator << width) // near.denominator + 1

    assert floor_scaled(enclosed, 0) == 5


def test_a_rational_number_is_not_decided_and_no_floor_is_guessed():
    with pytest.raises(ArithmeticError, match="undecided"):
        floor_scaled(lambda width: ((5 << width) - 1, (5 << width) + 1), 0)
