"""Rows and steps: marks stand where their numbers are, text stays text, a track needs nothing but its place."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from snapdp.display.pictures import Axis, Mark, Marked, RowPicture, Step, step_figure

HOSTILE = '</text></svg><script>x</script>"\' onload="y" &\u202e\x1b'
BARS = RowPicture.of([Mark(1500, 1400, 1600, "north: 1500"), Mark(-500, -600, -400, "south"), Mark(0)], bars=True)
DOTS = RowPicture.of([Mark(2830, 2680, 2990, "north"), Mark(None, 2330, 3090, "nothing is known")], bars=False)


def percent(element: ET.Element, name: str) -> float:
    return float(element.attrib[name].removesuffix("%"))


def test_a_bar_goes_from_zero_to_its_value():
    zero = BARS.axis.place(0)
    for mark in BARS.marks[:2]:
        (bar,) = ET.fromstring(BARS.track(mark)).iter("rect")
        ends = sorted((zero, BARS.axis.place(mark.value)))
        assert [percent(bar, "x"), percent(bar, "x") + percent(bar, "width")] == pytest.approx(ends, abs=0.02)
    (nothing,) = ET.fromstring(BARS.track(BARS.marks[2])).iter("rect")
    assert nothing.attrib["width"] == "0.5"  # seen all the same


def test_a_dot_stands_at_its_value_and_an_interval_between_its_ends():
    track = ET.fromstring(DOTS.track(DOTS.marks[0]))
    (dot,) = track.iter("circle")
    assert percent(dot, "cx") == pytest.approx(DOTS.axis.place(2830), abs=0.01)
    line = list(track.iter("g"))[1][0]
    ends = [DOTS.axis.place(each) for each in (2680, 2990)]
    assert [percent(line, "x1"), percent(line, "x2")] == pytest.approx(ends, abs=0.01)
    assert DOTS.axis.low > 0  # dots need no zero


def test_a_number_of_which_nothing_is_known_has_its_interval_alone():
    track = ET.fromstring(DOTS.track(DOTS.marks[1]))
    assert list(track.iter("circle")) == []
    assert len(list(track.iter("g"))) == 2  # the lines of the axis, and the interval


def test_the_head_of_a_column_of_tracks_has_the_numbers_of_the_axis():
    texts = [each.text for each in ET.fromstring(BARS.scale).iter("text")]
    assert texts == ["-1000", "0", "1000", "2000"]
    places = [percent(each, "x") for each in ET.fromstring(BARS.scale).iter("text")]
    assert places == pytest.approx([BARS.axis.place(int(each)) for each in texts], abs=0.01)


def test_a_picture_by_itself_has_names_and_numbers_beside_the_tracks():
    texts = [("north", "1500 (1400 to 1600)"), (HOSTILE, "-500"), ("", "0")]
    picture = ET.fromstring(BARS.svg(HOSTILE, texts))
    found = [each.text for each in picture.iter("text")]
    assert found[4:8] == ["north", "1500 (1400 to 1600)", found[6], "-500"]
    assert len(list(picture.iter("rect"))) == 3
    assert not re.search(r"href|url\(|http|style|script>x", BARS.svg("t", texts).replace("&lt;script&gt;x", ""))


STEPS = [Step(0, 0, 0, 5), Step(10, 40, 30, 50), Step(20, 100, 100, 100)]


def test_a_step_curve_has_both_axes_with_numbers_and_marks_on_it():
    x, y = Axis.within([0, 20]), Axis.within([0, 100])
    figure = step_figure(STEPS, [Marked(10, 50, 8, 12, HOSTILE)], HOSTILE, x=x, y=y)
    tree = ET.fromstring(figure)
    assert [each.tag for each in tree] == ["svg", "figcaption"]
    texts = [each.text for each in tree.iter("text")]
    assert {"0", "5", "10", "15", "20", "40", "100"} <= {*texts}
    (dot,) = tree.iter("circle")
    assert percent(dot, "cx") == 50
    curve = next(each for each in tree.iter("path") if "vector-effect" in each.attrib).attrib["d"]
    assert curve == "M0.0 1000.0H500.0V600.0H1000.0V0.0"
    band = next(tree.iter("path")).attrib["d"]
    assert band == "M0.0 1000.0H500.0V700.0H1000.0V0.0V0.0H1000.0V500.0H500.0V950.0H0.0Z"


@pytest.mark.parametrize("value", [1.7976931348623157e308, -5e-324, 2**1000, 0])
def test_any_number_of_a_record_has_a_place(value):
    for bars in (True, False):
        rows = RowPicture.of([Mark(value, None, None, HOSTILE), Mark(0.0, -1.0, 1.0)], bars=bars)
        for track in (*map(rows.track, rows.marks), rows.scale):
            places = re.findall(r'"(-?[0-9.e]+)%"', track)
            assert all(0 <= float(each) <= 100 for each in places)
            ET.fromstring(track)
