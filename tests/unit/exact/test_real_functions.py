"""Square roots, logarithms and the inverse hyperbolic cosine of enclosures against mpmath; rounding upward."""

from __future__ import annotations

import mpmath
from hypothesis import example, given, strategies as st

from snapdp.exact.enclosure import Enclosure, enclose
from snapdp.exact.functions import arcosh_of_exp, exp_of, ln_of, rounded_up, sqrt_enclosure, sqrt_of
from tests.unit.accuracy.brute import F

positive = st.fractions(min_value=F(1, 10**6), max_value=10**6)


def contains(e: Enclosure, x) -> bool:
    slack = abs(x) * mpmath.mpf(2) ** -390 + mpmath.mpf(2) ** -500
    lower, upper = (mpmath.mpf(end.numerator) / end.denominator for end in (e.lower, e.upper))
    return lower - slack <= x <= upper + slack


@given(x=st.fractions(min_value=0, max_value=10**9))
@example(x=F(0))
@example(x=F(1, 10**40))
@example(x=F(10**40))
def test_the_square_root_is_enclosed_narrowly(x):
    e = sqrt_enclosure(x, 128)
    assert e.lower**2 <= x <= e.upper**2
    assert e.width <= e.upper / 2**127


def test_squares_of_short_numbers_have_exact_roots():
    for root in (F(3), F(5, 8), F(1, 1024)):
        assert sqrt_enclosure(root**2, 64) == enclose(root)


@given(x=positive, width=st.fractions(min_value=0, max_value=1))
def test_monotone_functions_send_ends_to_ends(x, width):
    e = Enclosure(x, x + width)
    with mpmath.workprec(400):
        for end in (x, x + width):
            real = mpmath.mpf(end.numerator) / end.denominator
            assert contains(sqrt_of(e, 128), mpmath.sqrt(real))
            assert contains(ln_of(e, 128), mpmath.log(real))
            assert contains(exp_of(-e, 128), mpmath.exp(-real))


@given(w=st.fractions(min_value=0, max_value=300))
@example(w=F(0))
@example(w=F(1, 10**30))
@example(w=F(1, 2043389552822565138179273053015361089282815103973364192147413792))
def test_the_inverse_hyperbolic_cosine_of_an_exponential(w):
    with mpmath.workprec(4000):  # far more than cancellation near 1 can use up
        real = mpmath.acosh(mpmath.exp(mpmath.mpf(w.numerator) / w.denominator))
        e = arcosh_of_exp(enclose(w), 192)
        assert contains(e, real)
        assert e.width <= F(1, 1 << 150)


@given(w=positive, width=positive)
def test_the_inverse_hyperbolic_cosine_sends_ends_to_ends(w, width):
    both = arcosh_of_exp(Enclosure(w, w + width), 128)
    assert both.lower == arcosh_of_exp(enclose(w), 128).lower
    assert both.upper == arcosh_of_exp(enclose(w + width), 128).upper


def test_the_inverse_hyperbolic_cosine_does_not_overflow():
    w = F(10**15)  # e^w has 10**15 digits
    e = arcosh_of_exp(enclose(w), 128)
    assert e.lower > w
    assert e.width < F(1, 1 << 60)


@given(x=st.fractions(), bits=st.integers(2, 60))
def test_rounding_up_gives_a_short_number_that_is_not_below(x, bits):
    found = rounded_up(x, bits)
    assert x <= found <= x + abs(x) * F(2, 1 << bits)
    assert abs(found.numerator).bit_length() <= bits or found.denominator == 1
