"""Enclosures contain what they claim, are no wider than they must be, and refine until a question is decided."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.exact.enclosure import (
    FIRST_PRECISION,
    LAST_PRECISION,
    TINY_EXPONENT,
    Enclosure,
    decided_ceil,
    decided_floor,
    enclose,
    maximum,
    refine,
    refined,
)

PROPERTY = settings(deadline=None, max_examples=200)

fractions = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)
parts = st.fractions(min_value=0, max_value=1, max_denominator=100)


@st.composite
def points_in_enclosures(draw):
    """An enclosure and a number inside it."""
    lower, upper = sorted((draw(fractions), draw(fractions)))
    return Enclosure(lower, upper), lower + (upper - lower) * draw(parts)


def ends(e: Enclosure) -> tuple[Fraction, Fraction]:
    return e.lower, e.upper


def isqrt_enclosure(n: int):
    """Return a function that encloses sqrt(n) to a given number of bits, for a question that is not about ln."""

    def compute(precision: int) -> Enclosure:
        root = math.isqrt(n << 2 * precision)
        exact = root * root == n << 2 * precision
        return Enclosure(Fraction(root, 1 << precision), Fraction(root + (not exact), 1 << precision))

    return compute


# Arithmetic


@PROPERTY
@given(first=points_in_enclosures(), second=points_in_enclosures())
def test_sum_difference_and_product_contain_those_of_the_enclosed_numbers(first, second):
    (a, x), (b, y) = first, second
    assert x + y in a + b
    assert x - y in a - b
    assert x * y in a * b
    assert -x in -a
    assert abs(x) in abs(a)
    assert max(x, y) in maximum(a, b)
    assert x in a.hull(b)
    assert y in a.hull(b)


@PROPERTY
@given(first=points_in_enclosures(), second=points_in_enclosures())
def test_quotients_contain_that_of_the_enclosed_numbers_and_refuse_a_divisor_around_zero(first, second):
    (a, x), (b, y) = first, second
    if b.lower <= 0 <= b.upper:
        with pytest.raises(ZeroDivisionError):
            a / b
    else:
        assert x / y in a / b
        assert set(ends(a / b)) <= {p / q for p, q in product(ends(a), ends(b))}


@PROPERTY
@given(first=points_in_enclosures(), second=points_in_enclosures())
def test_both_ends_of_a_result_are_reached(first, second):
    (a, _), (b, _) = first, second
    assert ends(a + b) == (a.lower + b.lower, a.upper + b.upper)
    assert ends(a - b) == (a.lower - b.upper, a.upper - b.lower)
    assert set(ends(a * b)) <= {p * q for p, q in product(ends(a), ends(b))}
    assert ends(-a) == (-a.upper, -a.lower)
    assert ends(abs(a))[1] == max(abs(a.lower), abs(a.upper))
    assert ends(abs(a))[0] == (0 if a.lower <= 0 <= a.upper else min(abs(a.lower), abs(a.upper)))
    assert ends(maximum(a, b)) == (max(a.lower, b.lower), max(a.upper, b.upper))


@PROPERTY
@given(pair=points_in_enclosures(), c=fractions)
def test_a_rational_on_either_side_acts_as_the_enclosure_of_one_point(pair, c):
    e, _ = pair
    assert e + c == c + e == e + enclose(c)
    assert e * c == c * e == e * enclose(c)
    assert e - c == e - enclose(c)
    assert c - e == enclose(c) - e
    assert e + 3 == e + Fraction(3)
    if c:
        assert e / c == e / enclose(c)


def test_an_enclosure_of_one_point_is_exact_and_prints_it():
    assert enclose(Fraction(1, 3)).is_exact
    assert repr(enclose(Fraction(1, 3))) == "Enclosure(1/3)"
    wide = Enclosure(Fraction(1), Fraction(3))
    assert not wide.is_exact
    assert wide.width == 2
    assert float(wide) == 2.0
    assert repr(wide) == "Enclosure(2, width 2)"


def test_an_enclosure_is_returned_by_enclose_unchanged():
    wide = Enclosure(Fraction(1), Fraction(3))
    assert enclose(wide) is wide


def test_enclosures_are_equal_by_their_ends():
    a, b = Enclosure(Fraction(1), Fraction(2)), Enclosure(Fraction(1), Fraction(2))
    assert a == b
    assert hash(a) == hash(b)
    assert a != Enclosure(Fraction(1), Fraction(3))
    assert a != (Fraction(1), Fraction(2))


def test_enclosures_have_no_order():
    with pytest.raises(TypeError):
        assert Enclosure(Fraction(0), Fraction(1)) < Enclosure(Fraction(2), Fraction(3))


def test_only_exact_numbers_can_be_members():
    e = Enclosure(Fraction(0), Fraction(1))
    assert 1 in e
    assert Fraction(1, 2) in e
    assert 0.5 not in e  # a float may be a rounded number: the question must be asked with a rational
    assert Fraction(-1, 10**9) not in e


# Refinement


def test_refinement_doubles_the_precision_and_stops_at_the_first_answer():
    asked = []

    def compute(precision: int) -> Enclosure:
        asked.append(precision)
        return enclose(precision)

    result = refine(compute, until=lambda e: e.lower >= 1000)
    assert asked == [FIRST_PRECISION, 256, 512, 1024]
    assert result == enclose(1024)


def test_refinement_gives_up_loudly_and_never_guesses():
    asked = []

    def compute(precision: int) -> Enclosure:
        asked.append(precision)
        return Enclosure(Fraction(-1), Fraction(1))

    with pytest.raises(ArithmeticError, match=str(LAST_PRECISION)):
        refine(compute, until=lambda e: e.is_exact)
    assert asked[-1] == LAST_PRECISION


@pytest.mark.parametrize("bits", [10, 100, 127, 129, 1000])
def test_a_refined_enclosure_is_as_narrow_as_asked(bits):
    e = refined(isqrt_enclosure(2), relative_bits=bits)
    assert e.width * (1 << bits) <= e.lower
    assert e.lower**2 < 2 < e.upper**2


def test_a_tiny_number_is_narrow_enough_in_absolute_terms():
    least = Fraction(1, 1 << -TINY_EXPONENT)
    assert refined(lambda _: Enclosure(Fraction(0), least), relative_bits=100) == Enclosure(Fraction(0), least)


def test_an_exact_zero_is_refined():
    assert refined(lambda _: enclose(0), relative_bits=1000) == enclose(0)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 10**40 + 1, 10**120 - 1, 10**120])
def test_floor_and_ceiling_are_decided_for_irrational_and_for_exact_numbers(n):
    assert decided_floor(isqrt_enclosure(n)) == math.isqrt(n)
    assert decided_ceil(isqrt_enclosure(n)) == math.isqrt(n - 1) + 1


def test_floor_and_ceiling_are_decided_below_zero():
    assert decided_floor(lambda bits: -isqrt_enclosure(2)(bits)) == -2
    assert decided_ceil(lambda bits: -isqrt_enclosure(2)(bits)) == -1


def test_an_integer_that_is_never_enclosed_exactly_is_not_guessed():
    def around_one(precision: int) -> Enclosure:
        return Enclosure(1 - Fraction(1, 1 << precision), 1 + Fraction(1, 1 << precision))

    with pytest.raises(ArithmeticError):
        decided_floor(around_one)
