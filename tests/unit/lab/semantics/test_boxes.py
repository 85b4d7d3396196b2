"""Intervals of doubles: every operation holds the exact result, and its ends are the best doubles."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.lab.semantics import boxes

doubles = st.floats(allow_nan=False, allow_infinity=False)
ordinary = st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100) | st.integers(-300, 300).map(float)


@st.composite
def pairs(draw, numbers=ordinary):
    low, high = sorted((draw(numbers), draw(numbers)))
    return np.float64(low), np.float64(high)


def applied(function, *arguments):
    with np.errstate(all="ignore"):
        low, high = function(*arguments)
    return float(low), float(high)


def image(operator, a, b):
    """Return the exact image of two intervals of rationals."""
    corners = [operator(Fraction(float(x)), Fraction(float(y))) for x in a for y in b]
    return min(corners), max(corners)


OPERATIONS = {
    "add": (boxes.add, lambda x, y: x + y),
    "sub": (boxes.sub, lambda x, y: x - y),
    "mul": (boxes.mul, lambda x, y: x * y),
    "div": (boxes.div, lambda x, y: x / y),
}


def best(low: Fraction, high: Fraction) -> tuple[float, float]:
    return to_float_down(low), to_float_up(high)


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=pairs(), b=pairs())
@example(a=(np.float64(1.0), np.float64(2.0)), b=(np.float64(3.0), np.float64(3.0)))
def test_ordinary_numbers_get_the_best_ends_or_the_next(name, a, b):
    """At most two units in the last place are lost where the exact end is no double, none where it is."""
    function, operator = OPERATIONS[name]
    if name == "div" and b[0] <= 0 <= b[1]:
        assert applied(function, a, b) == (-math.inf, math.inf)
        return
    low, high = applied(function, a, b)
    exact_low, exact_high = image(operator, a, b)
    assert low <= exact_low
    assert exact_high <= high
    for end, exact, toward in ((low, exact_low, -math.inf), (high, exact_high, math.inf)):
        farthest = best(exact, exact)[0 if toward < 0 else 1]
        if abs(exact) > 1e-250 or exact == 0:
            allowed = farthest if farthest == exact else math.nextafter(math.nextafter(farthest, toward), toward)
            assert end == farthest or min(farthest, allowed) <= end <= max(farthest, allowed)


@pytest.mark.parametrize("name", OPERATIONS)
@given(a=pairs(doubles), b=pairs(doubles))
@example(a=(np.float64(5e-324), np.float64(5e-324)), b=(np.float64(0.5), np.float64(0.5)))
@example(a=(np.float64(1.7e308), np.float64(1.7e308)), b=(np.float64(1.7e308), np.float64(1.7e308)))
def test_any_doubles_are_enclosed(name, a, b):
    function, operator = OPERATIONS[name]
    if name == "div" and b[0] <= 0 <= b[1]:
        return
    low, high = applied(function, a, b)
    exact_low, exact_high = image(operator, a, b)
    assert low <= exact_low
    assert exact_high <= high


@given(a=pairs(doubles))
def test_squares_and_roots_are_enclosed(a):
    low, high = applied(boxes.square, a)
    ends = [Fraction(float(end)) for end in a]
    smallest = Fraction(0) if ends[0] <= 0 <= ends[1] else min(map(abs, ends))
    assert 0 <= low <= smallest**2
    assert max(map(abs, ends)) ** 2 <= high
    if a[0] >= 0:
        low, high = applied(boxes.sqrt, a)
        assert Fraction(low) ** 2 <= ends[0]
        assert high == math.inf or ends[1] <= Fraction(high) ** 2


def test_roots_of_squares_are_exact_and_roots_of_negative_numbers_are_nothing_known():
    assert applied(boxes.sqrt, (np.float64(4.0), np.float64(9.0))) == (2.0, 3.0)
    assert applied(boxes.sqrt, (np.float64(-1.0), np.float64(9.0))) == (-math.inf, 3.0)


@given(a=pairs(st.floats(-700, 700).filter(lambda x: x == 0 or abs(x) > 1e-50)))
def test_ln_and_exp_are_enclosed_and_one_unit_wide(a):
    from flint import arb

    low, high = applied(boxes.exp, a)
    assert bool(arb(low) <= arb(float(a[0])).exp())
    assert bool(arb(float(a[1])).exp() <= arb(high))
    point = (np.float64(low), np.float64(low))
    if 0 < low < math.inf:
        low, high = applied(boxes.ln, point)
        assert bool(arb(low) <= arb(float(point[0])).log())
        assert bool(arb(float(point[0])).log() <= arb(high))
        assert high <= math.nextafter(low, math.inf)


def test_ln_of_what_may_be_zero_has_no_lower_end():
    assert applied(boxes.ln, (np.float64(0.0), np.float64(1.0))) == (-math.inf, 0.0)
    assert applied(boxes.ln, (np.float64(-1.0), np.float64(0.0))) == (-math.inf, math.inf)


@given(a=pairs(doubles), b=pairs(doubles))
@example(a=(0.0, 0.0), b=(2e-323, 3.4e-309))  # the reciprocals are beyond the doubles
def test_loose_operations_enclose_too(a, b):
    for function, operator in ((boxes.loose_add, OPERATIONS["add"][1]), (boxes.loose_mul, OPERATIONS["mul"][1])):
        low, high = applied(function, a, b)
        exact_low, exact_high = image(operator, a, b)
        assert low <= exact_low
        assert exact_high <= high
    if not b[0] <= 0 <= b[1]:
        low, high = applied(boxes.loose_reciprocal, b)
        assert low == -math.inf or Fraction(low) <= 1 / Fraction(float(b[1]))
        assert high == math.inf or 1 / Fraction(float(b[0])) <= Fraction(high)


@given(x=ordinary, p=st.integers(2, 53))
def test_neighbours_are_floats_with_nothing_between(x, p):
    below, above = (float(end) for end in boxes.neighbours(np.float64(x), p))
    if x == 0:
        assert below == above == 0
        return
    assert below <= x
    for end in (below, above):
        assert math.ldexp(math.frexp(end)[0], p).is_integer()
    assert x < above or (x == below and below < above)
    middle = (Fraction(below) + Fraction(above)) / 2
    significand = middle / Fraction(2) ** (math.frexp(float(middle))[1] - p)
    assert significand.denominator == 2  # the middle needs one bit more than p, so no p-bit float lies between


def test_ends_move_to_multiples_of_the_least_subnormal():
    tiny = np.float64(0.7 * 2.0**-149)
    low, high = boxes.rounded((tiny, tiny), 24, -149)
    assert (float(low), float(high)) == (0.0, 2.0**-149)
