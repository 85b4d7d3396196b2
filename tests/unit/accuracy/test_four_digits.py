"""The decimals of four digits, counted."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, strategies as st

from snapdp.accuracy.epsilon import DECADE, DIGITS, decimal, index_down, index_up, next_four_digits
from snapdp.exact.dyadic import round_digits_up


@given(n=st.integers(-20 * DECADE, 20 * DECADE))
def test_numbers_and_decimals_are_one_to_one_in_order(n):
    x = decimal(n)
    assert index_up(x) == index_down(x) == n
    assert round_digits_up(x, DIGITS) == x < decimal(n + 1) == next_four_digits(x)


@given(x=st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_a_number_lies_between_its_decimals(x):
    assert decimal(index_down(x)) <= x <= decimal(index_up(x))
    assert index_up(x) - index_down(x) <= 1
