"""Sums of exponentials: their signs are decided, however near to each other the terms are."""

from __future__ import annotations

import mpmath
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.exact.functions import Exponentials, exponential, laplace_cdf, sqrt_enclosure
from tests.unit.accuracy.brute import F

SUMS = st.dictionaries(
    st.fractions(min_value=-9, max_value=9, max_denominator=6), st.fractions(max_denominator=9), max_size=4
).map(Exponentials)


def value(x: Exponentials):
    return sum(
        (mpmath.exp(mpmath.mpf(p.numerator) / p.denominator) * c.numerator / c.denominator for p, c in x.terms.items()),
        mpmath.mpf(0),
    )


def test_the_sign_of_a_sum_of_exponentials_is_decided_however_small_it_is():
    tiny = exponential(F(-(10**6))) - exponential(F(-(10**6))) * (1 - F(1, 10**40))
    assert tiny.sign() == 1
    assert (tiny - tiny).sign() == 0
    assert (exponential(F(-70_000)) - exponential(F(-70_001)) * 3).sign() == -1
    root = sqrt_enclosure(F(2), 400)
    assert (Exponentials({F(0): root.lower, F(1): F(-1)}) + exponential(F(1)) - root.upper).sign() == -1
    assert repr(exponential(F(1)) * 2 - 1) == "-1*e^(0) + 2*e^(1)"
    assert repr(Exponentials({})) == "0"


@settings(max_examples=25)
@given(a=SUMS, b=SUMS)
def test_sums_and_products_are_those_of_the_numbers(a, b):
    with mpmath.workprec(400):
        for made, expected in (
            (a + b, value(a) + value(b)),
            (a - b, value(a) - value(b)),
            (a * b, value(a) * value(b)),
        ):
            error = abs(value(made) - expected)
            assert error <= mpmath.mpf(2) ** -300 * (1 + abs(expected))
            enclosed = made.enclosed(200)
            assert mpmath.mpf(enclosed.lower.numerator) / enclosed.lower.denominator <= expected + mpmath.mpf(2) ** -300
            assert expected <= mpmath.mpf(enclosed.upper.numerator) / enclosed.upper.denominator + mpmath.mpf(2) ** -300
    assert (a - a).sign() == 0
    assert (a - b).sign() == -(b - a).sign()
    assert (1 - (1 - a) - a).terms == {}


@pytest.mark.parametrize("x", ["-7.3", "0", "0.2", "41"])
def test_the_distribution_function_of_laplace(x):
    at, scale = F(x), F(3, 2)
    exact = mpmath.exp(-abs(mpmath.mpf(x)) / 1.5) / 2
    assert float(laplace_cdf(at, scale)) == pytest.approx(float(exact if at < 0 else 1 - exact), rel=1e-14)
    assert (laplace_cdf(at, scale) + laplace_cdf(-at, scale) - 1).sign() == 0
