"""Decimals of few digits: the least ones above a rational."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import example, given, strategies as st

from snapdp.exact.dyadic import floor_log10, power_of_ten, round_digits_up, round_places_up

F = Fraction
POSITIVE = st.one_of(
    st.fractions(min_value=F(1, 10**12), max_value=10**12),
    st.builds(lambda n, e: n * power_of_ten(e), st.integers(1, 99999), st.integers(-400, 400)),
)


@given(POSITIVE)
@example(power_of_ten(22) - 1)  # its logarithm as a double is 22
@example(power_of_ten(-400))
def test_the_logarithm_is_rounded_down(x):
    exponent = floor_log10(x)
    assert power_of_ten(exponent) <= x < power_of_ten(exponent + 1)


@given(POSITIVE, st.integers(1, 20))
def test_significant_digits_are_rounded_up_and_no_further(x, digits):
    found, unit = round_digits_up(x, digits), power_of_ten(floor_log10(x) - digits + 1)
    assert found - unit < x <= found
    assert (found / unit).denominator == 1


@given(st.fractions(), st.integers(0, 30))
def test_places_are_rounded_up_and_no_further(x, places):
    found = round_places_up(x, places)
    assert found - power_of_ten(-places) < x <= found
    assert (found * 10**places).denominator == 1
