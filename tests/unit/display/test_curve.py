"""Curves in logarithms: points where they are, jumps straight down, zero at the foot, the chosen point marked."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.pictures import CURVE_MOST_TICKS as MOST_TICKS, Chosen, LogAxis, curve_picture

POSITIVE = st.floats(1e-300, 1e300)


def line_of(points, chosen=None):
    svg = curve_picture(points, chosen or Chosen(*points[0], ""), heights="h", title="t", said="s")
    (path,) = ET.fromstring(svg).iter("path")
    return [tuple(map(float, each.split())) for each in path.attrib["d"][1:].split("L")]


def test_equal_ratios_are_equally_far_apart():
    found = line_of([(1.0, 100.0), (10.0, 10.0), (100.0, 1.0)])
    assert found == [(0, 0), (500, 500), (1000, 1000)]


def test_a_jump_goes_straight_down():
    found = line_of([(1.0, 100.0), (10.0, 100.0), (10.0, 1.0), (100.0, 1.0)])
    assert found == [(0, 0), (500, 0), (500, 1000), (1000, 1000)]


def test_points_that_fall_together_are_drawn_once_and_none_is_moved():
    crowd = [(1 + i / 10**7, 5.0) for i in range(1000)]
    assert line_of([*crowd, (10.0, 1.0)]) == [(0, 0), (1000, 1000)]


def test_zero_stands_at_the_foot_which_no_positive_error_reaches():
    found = line_of([(1.0, 2.0), (2.0, 2.0), (2.0, 1.0), (4.0, 1.0), (4.0, 0.0), (8.0, 0.0)])
    assert found[-1] == (1000, 1000)
    assert found[3][1] == 500  # one, and not the foot
    svg = curve_picture([(1.0, 2.0), (4.0, 0.0)], Chosen(1.0, 2.0, ""), heights="h", title="t", said="s")
    assert "0" in [each.text for each in ET.fromstring(svg).iter("text")]


def test_the_chosen_point_is_marked_where_it_is():
    svg = curve_picture([(1.0, 100.0), (100.0, 1.0)], Chosen(10.0, 10.0, "± 10"), heights="h", title="t", said="s")
    tree = ET.fromstring(svg)
    (dot,) = tree.iter("circle")
    assert (dot.attrib["cx"], float(dot.attrib["cy"])) == ("50.00%", 26 + 95)
    assert "± 10" in [each.text for each in tree.iter("text")]


@given(POSITIVE, POSITIVE)
@example(1e-300, 1e300)
@example(3.0, 3.0)
def test_ticks_are_few_round_and_inside(a, b):
    axis = LogAxis.over([a, b])
    assert axis.low < axis.high
    assert len(axis.ticks) <= MOST_TICKS
    for each in axis.ticks:
        assert Fraction(axis.low) <= each <= Fraction(axis.high)
        assert str(each.numerator * each.denominator).strip("0") in ("1", "2", "5")
    assert [axis.place(each) for each in (axis.low, axis.high)] == [0, pytest.approx(100)]
