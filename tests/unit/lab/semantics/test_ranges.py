"""Ranges hold every result of numbers in them, whatever the ends: finite, infinite, or zero left out."""

from __future__ import annotations

from fractions import Fraction
from operator import add, mul, sub

from hypothesis import assume, example, given, strategies as st

from snapdp.exact.dyadic import nearest_multiple, power_of_two, round_nearest
from snapdp.exact.functions import ln_enclosure
from snapdp.lab.semantics.intervals import Range, between

numbers = st.fractions(min_value=-100, max_value=100, max_denominator=50) | st.just(Fraction(0))


@st.composite
def members(draw):
    """A range and a number in it; an end may be infinite, and zero may be left out."""
    x = draw(numbers)
    lower = draw(st.none() | st.just(x) | numbers.map(lambda y: min(x, y)))
    upper = draw(st.none() | st.just(x) | numbers.map(lambda y: max(x, y)))
    return x, between(lower, upper, nonzero=x != 0 and draw(st.booleans()))


def holds(found: Range, x: Fraction) -> bool:
    return bool(found.lower <= x <= found.upper) and not (found.nonzero and x == 0)


@given(a=members(), b=members(), operator=st.sampled_from([add, sub, mul]))
@example(a=(Fraction(0), between(Fraction(0), Fraction(0))), b=(Fraction(5), between(None, None)), operator=mul)
def test_the_image_of_two_ranges_holds_every_result(a, b, operator):
    assert holds(operator(a[1], b[1]), operator(a[0], b[0]))


@given(a=members(), b=members())
@example(a=(Fraction(1), between(None, None)), b=(Fraction(1), between(Fraction(0), None, nonzero=True)))
def test_the_image_of_a_quotient_holds_every_result(a, b):
    assume(b[1].excludes_zero)
    assert holds(a[1] / b[1], a[0] / b[0])


@given(a=members(), p=st.sampled_from([2, 3, 8]), grid=st.sampled_from([Fraction(1, 2), Fraction(3)]))
def test_rounding_negation_grid_and_clamp_stay_in_their_ranges(a, p, grid):
    x, found = a
    assert holds(-found, -x)
    assert holds(found.widened(1, Fraction(1, 2**p)), round_nearest(x, p))
    assert holds(found.image(lambda number: nearest_multiple(number, grid)), nearest_multiple(x, grid))
    assert holds(found.clamped(Fraction(-3), Fraction(7)), min(max(x, Fraction(-3)), Fraction(7)))


positive = st.fractions(min_value=Fraction(1, 1000), max_value=100)


@given(x=positive, least=positive | st.just(Fraction(0)), most=st.none() | positive)
def test_the_logarithm_stays_in_its_range(x, least, most):
    found = between(min(least, x), None if most is None else max(most, x), nonzero=True)
    true, image = ln_enclosure(x, 128), found.logarithm()
    assert image.lower <= true.upper
    assert true.lower <= image.upper


def test_zero_left_out_of_both_sides_is_no_sign():
    sign = between(Fraction(-1), Fraction(1), nonzero=True)
    assert sign.nonzero
    assert not sign.excludes_zero
    assert between(Fraction(0), Fraction(1), nonzero=True).positive
    assert not between(Fraction(0), Fraction(1)).positive


@given(x=numbers, exponent=st.integers(-200, 200), bits=st.integers(2, 60))
@example(x=Fraction(9, 2), exponent=0, bits=3)  # a tie
@example(x=Fraction(127, 2), exponent=0, bits=3)  # up into the next binade
def test_rounding_in_integers_is_rounding_of_rationals(x, exponent, bits):
    x *= power_of_two(exponent)
    expected = round_nearest(abs(x), bits) if x else Fraction(0)
    assert round_nearest(x, bits) == (expected if x > 0 else -expected)
