"""The grid, powers of two and p-bit floats: rational route, IEEE route, enumeration and golden vectors agree."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings, strategies as st

from snapdp.exact.dyadic import (
    double_fields,
    exponent_at_least,
    exponent_of_power,
    floor_log2,
    nearest_index,
    nearest_index_of_double,
    nearest_multiple,
    next_above,
    next_below,
    power_of_two,
    power_of_two_at_least,
    round_down,
    round_nearest,
    round_up,
)
from tests import VECTORS

PROPERTY = settings(deadline=None, max_examples=400)
TIES = json.loads((VECTORS / "ties.json").read_text())
TIES = [(Fraction(x), index) for x, index in TIES["cases"]]
NEGATIVE_TIES = {x for x, _ in TIES if x < 0 and x.denominator == 2}

doubles = st.floats(allow_nan=False, allow_infinity=False)
exponents = st.integers(-1080, 1030)


@st.composite
def rationals(draw):
    return Fraction(draw(st.integers(-(10**25), 10**25)), draw(st.integers(1, 10**25))) * Fraction(2) ** draw(
        st.integers(-200, 200)
    )


positive_rationals = rationals().map(abs).filter(bool)
grids = st.one_of(exponents.map(power_of_two), positive_rationals)


@st.composite
def ties_of_doubles(draw):
    """A double exactly halfway between two multiples of 2**exponent."""
    exponent = draw(st.integers(-1073, 900))
    odd = 2 * draw(st.integers(-(2**52), 2**52 - 1)) + 1
    return math.ldexp(odd, exponent - 1), exponent


# Snapping


@pytest.mark.parametrize("grid_exponent", [-1000, -53, -3, 0, 1, 52, 900])
@pytest.mark.parametrize(("x", "index"), TIES, ids=str)
def test_golden_ties_on_the_rational_route(x, index, grid_exponent):
    grid = power_of_two(grid_exponent)
    assert nearest_index(x * grid, grid) == index
    assert nearest_multiple(x * grid, grid) == index * grid


@pytest.mark.parametrize("grid_exponent", [-900, -53, -3, 0, 1, 52, 900])
@pytest.mark.parametrize(("x", "index"), TIES, ids=str)
def test_golden_ties_on_the_route_through_ieee_bits(x, index, grid_exponent):
    stored = math.ldexp(float(x), grid_exponent)
    assert Fraction(stored) == x * power_of_two(grid_exponent)  # every vector is a double on these grids
    assert nearest_index_of_double(stored, grid_exponent) == index


@pytest.mark.parametrize("grid", [Fraction(1, 3), Fraction(10), Fraction(7, 5)])
@pytest.mark.parametrize(("x", "index"), TIES, ids=str)
def test_golden_ties_on_a_grid_that_is_no_power_of_two(x, index, grid):
    assert nearest_index(x * grid, grid) == index


@pytest.mark.parametrize(("x", "index"), [(-0.5, 0), (-1.5, -1), (-2.5, -2), (3.5, 4), (0.5, 1), (-0.0, 0)])
def test_ties_go_toward_plus_infinity_on_both_sides_of_zero(x, index):
    assert nearest_index_of_double(x, 0) == nearest_index(Fraction(x), Fraction(1)) == index


def half_away_from_zero(x: Fraction) -> int:
    """The rule that the notes print: round the magnitude, keep the sign. docs/errata.md, 3."""
    magnitude = math.floor(abs(x) + Fraction(1, 2))
    return magnitude if x >= 0 else -magnitude


def test_rounding_the_magnitude_fails_on_exactly_the_negative_ties():
    wrong = {x for x, index in TIES if half_away_from_zero(x) != index}
    assert wrong == NEGATIVE_TIES
    assert {Fraction(-1, 2), Fraction(-5, 2)} <= wrong
    assert (half_away_from_zero(Fraction(-1, 2)), half_away_from_zero(Fraction(-5, 2))) == (-1, -3)


@PROPERTY
@given(x=doubles, exponent=exponents)
@example(x=5e-324, exponent=-1073)
@example(x=-5e-324, exponent=-1073)
@example(x=5e-324, exponent=-1080)
@example(x=-1.7976931348623157e308, exponent=-1080)
@example(x=1.7976931348623157e308, exponent=1024)
@example(x=-1.7976931348623157e308, exponent=1025)
@example(x=-0.0, exponent=0)
def test_both_routes_give_the_same_index(x, exponent):
    assert nearest_index_of_double(x, exponent) == nearest_index(Fraction(x), power_of_two(exponent))


@PROPERTY
@given(x=doubles, shift=st.integers(-60, 60))
@example(x=0.49999999999999994, shift=0)
def test_both_routes_agree_where_the_grid_is_of_the_size_of_the_value(x, shift):
    exponent = math.frexp(x)[1] + shift
    assert nearest_index_of_double(x, exponent) == nearest_index(Fraction(x), power_of_two(exponent))


@PROPERTY
@given(tie=ties_of_doubles())
def test_a_tie_goes_up_on_both_routes(tie):
    x, exponent = tie
    above = math.ceil(Fraction(x) / power_of_two(exponent))
    assert nearest_index_of_double(x, exponent) == nearest_index(Fraction(x), power_of_two(exponent)) == above


@PROPERTY
@given(x=rationals(), grid=grids)
@example(x=Fraction(-1), grid=Fraction(2))
def test_snapping_moves_a_value_by_at_most_half_the_grid(x, grid):
    snapped = nearest_multiple(x, grid)
    assert (snapped / grid).denominator == 1
    assert -grid / 2 < snapped - x <= grid / 2  # a tie goes up, hence the two kinds of inequality


@PROPERTY
@given(x=rationals(), grid=grids, steps=st.integers(-(10**30), 10**30))
def test_snapping_commutes_with_shifts_by_the_grid_and_keeps_order(x, grid, steps):
    assert nearest_index(x + steps * grid, grid) == nearest_index(x, grid) + steps
    assert nearest_index(x, grid) <= nearest_index(x + grid / 3, grid) <= nearest_index(x, grid) + 1


# Fields of a double and powers of two


@PROPERTY
@given(x=doubles)
@example(x=5e-324)
@example(x=2.2250738585072009e-308)
@example(x=2.2250738585072014e-308)
@example(x=-1.7976931348623157e308)
@example(x=-0.0)
def test_the_fields_of_a_double_are_its_exact_value(x):
    significand, exponent = double_fields(x)
    assert significand * power_of_two(exponent) == Fraction(x)
    assert -1074 <= exponent <= 971
    assert abs(significand) < 1 << 53


@PROPERTY
@given(x=positive_rationals)
@example(x=Fraction(2))
@example(x=Fraction(1, 4))
@example(x=Fraction(2) + Fraction(1, 10**35))
def test_the_power_of_two_is_the_smallest_that_reaches_the_number(x):
    power = power_of_two_at_least(x)
    assert power / 2 < x <= power
    assert power == Fraction(2) ** exponent_at_least(x)


@PROPERTY
@given(x=positive_rationals)
def test_the_binary_logarithm_is_rounded_down(x):
    assert Fraction(2) ** floor_log2(x) <= x < Fraction(2) ** (floor_log2(x) + 1)


@pytest.mark.parametrize("exponent", [-3000, -1075, -1, 0, 1, 52, 1024, 3000])
def test_a_power_of_two_is_recognised_and_its_neighbours_are_not(exponent):
    power = power_of_two(exponent)
    assert power == Fraction(2) ** exponent
    assert exponent_of_power(power) == floor_log2(power) == exponent_at_least(power) == exponent
    for other in (power * 3, power / 3, -power, power + power / (1 << 60)):
        assert exponent_of_power(other) is None


def test_zero_is_no_power_of_two():
    assert exponent_of_power(Fraction(0)) is None


# Rounding to p bits, against a list of all p-bit floats of some binades


def floats_of(bits: int, low: int = -3, high: int = 3) -> list[Fraction]:
    significands = range(1 << bits - 1, 1 << bits)
    return [m * Fraction(2) ** (e - bits + 1) for e in range(low, high + 1) for m in significands]


def points_between(floats: list[Fraction]) -> list[Fraction]:
    """All the floats, and points that split each gap at its middle, beside the middle, and at a third."""
    points = list(floats)
    for a, b in pairwise(floats):
        points += [a + (b - a) * part for part in (Fraction(1, 1000), Fraction(1, 3), Fraction(499, 1000))]
        points += [(a + b) / 2, a + (b - a) * Fraction(501, 1000), b - (b - a) / 10**9]
    return points


def even_significand(x: Fraction, bits: int) -> bool:
    return (x / Fraction(2) ** (floor_log2(x) - bits + 1)).numerator % 2 == 0


def nearest_of(x: Fraction, candidates: tuple[Fraction, ...], bits: int) -> Fraction:
    return min(candidates, key=lambda v: (abs(v - x), not even_significand(v, bits)))


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6])
def test_rounding_to_p_bits_agrees_with_enumeration(bits):
    floats = floats_of(bits)
    assert floats == sorted(floats)
    for x in points_between(floats):
        above = floats[bisect_left(floats, x)]
        below = floats[bisect_right(floats, x) - 1]
        assert round_up(x, bits) == above
        assert round_down(x, bits) == below
        assert round_nearest(x, bits) == nearest_of(x, (below, above), bits)


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6])
def test_neighbours_among_p_bit_floats_agree_with_enumeration(bits):
    floats = floats_of(bits)
    inner = [x for x in points_between(floats) if floats[0] < x < floats[-1]]
    for x in inner:
        assert next_above(x, bits) == floats[bisect_right(floats, x)]
        assert next_below(x, bits) == floats[bisect_left(floats, x) - 1]
    assert len(inner) > 6 * len(floats)


def test_a_tie_rounds_to_the_even_significand_also_across_a_binade():
    assert round_nearest(Fraction(5, 2), 2) == 2
    assert round_nearest(Fraction(7, 2), 2) == 4
    assert round_nearest(Fraction(15, 2), 3) == 8


@PROPERTY
@given(x=positive_rationals, bits=st.integers(2, 200))
def test_directed_roundings_enclose_and_are_neighbours(x, bits):
    down, up = round_down(x, bits), round_up(x, bits)
    assert down <= x <= up
    assert round_nearest(x, bits) in (down, up)
    if down == x:
        assert up == x
    else:
        assert next_above(down, bits) == up
        assert next_below(up, bits) == down


@PROPERTY
@given(x=doubles, bits=st.just(53))
def test_rounding_to_53_bits_keeps_normal_doubles_and_rounds_like_them(x, bits):
    assume(1e-307 < abs(x) < 1e308)
    exact = abs(Fraction(x))
    assert round_up(exact, bits) == round_down(exact, bits) == exact
    assert next_above(exact, bits) == Fraction(math.nextafter(abs(x), math.inf))
    assert next_below(exact, bits) == Fraction(math.nextafter(abs(x), 0.0))
    assert float(round_nearest(exact / 3, bits)) == abs(x) / 3
