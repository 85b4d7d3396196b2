"""The axis: ticks are round, few, exact and in order, and a value stands where it is."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, strategies as st

from snapdp.display.pictures import Axis, tick_step, tick_text, ticks
from snapdp.exact.dyadic import floor_log10, power_of_ten

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0.0, 23.0, [0, 5, 10, 15, 20]), (0.0, 8.82, [0, 2, 4, 6, 8]), (-9.1, 3.0, [-8, -6, -4, -2, 0, 2])],
)
def test_ticks_are_few_and_round(low, high, expected):
    assert ticks(low, high, 6) == expected


def test_ticks_are_few_at_every_size():
    for k in range(-20, 20):
        for low in (0.0, -(1.3**k), -2601.6):
            assert 2 <= len(ticks(low, low + 1.7**k, 6)) <= 6
    assert ticks(1.0, 1.0) == ticks(2, 1) == []


@given(DOUBLES, DOUBLES, st.integers(2, 9))
@example(-1.7976931348623157e308, 1.7976931348623157e308, 4)
@example(0.0, 5e-324, 4)
@example(0.1, 0.30000000000000004, 2)
def test_the_step_is_the_finest_of_1_2_5_that_gives_few_ticks(a, b, most):
    low, high = sorted((Fraction(a), Fraction(b)))
    assume(low < high)
    step = tick_step(low, high, most)
    found = ticks(low, high, most)
    assert len(found) <= most
    assert all(low <= each <= high and (each / step).denominator == 1 for each in found)
    assert found == [step * each for each in range(-(-low // step), high // step + 1)]
    exponent = floor_log10(step)
    factor = step / power_of_ten(exponent)
    finer = {1: power_of_ten(exponent - 1) * 5, 2: power_of_ten(exponent), 5: power_of_ten(exponent) * 2}[factor]
    if finer >= (high - low) / most:  # anything finer has more ticks than there may be, or one as many
        assert len(range(-(-low // finer), high // finer + 1)) > most


@given(st.lists(DOUBLES, min_size=1, max_size=5), st.booleans())
@example([1.7976931348623157e308, -1.7976931348623157e308], True)
@example([0.0], True)
@example([5.0], False)
def test_an_axis_holds_all_its_values_in_order(values, from_zero):
    for axis in (Axis.over(values, from_zero=from_zero), Axis.within([*values, *[0] * from_zero])):
        assert axis.low < axis.high
        assert list(axis.ticks) == sorted(axis.ticks)
        assert not from_zero or axis.low <= 0 <= axis.high
        places = [axis.place(each) for each in sorted(values)]
        assert places == sorted(places)
        assert all(0 <= each <= 100 for each in places)
        assert all(axis.low <= Fraction(each) <= axis.high for each in values)


def test_the_ends_of_an_axis_of_rows_are_ticks_and_places_are_exact():
    axis = Axis.over([642, 1738], from_zero=True)
    assert [tick_text(each) for each in axis.ticks] == ["0", "500", "1000", "1500", "2000"]
    assert [axis.place(each) for each in (0, 500, 2000, 642)] == [0, 25, 100, 32.1]
    assert (axis.place(-5), axis.place(9999)) == (0, 100)  # beyond an end: at that end


@given(DOUBLES)
def test_a_tick_is_the_number_that_stands_beside_it(x):
    axis = Axis.over([x], from_zero=True)
    assert [Fraction(tick_text(each)) for each in axis.ticks] == list(axis.ticks)
