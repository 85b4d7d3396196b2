"""Pictures: places are in order and finite, text stays text, a picture needs nothing else."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.charts import Chart, scale

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
HOSTILE = '</text></svg><script>x</script>"\' onload="y" &\u202e\x1b'


def drawn(chart: Chart, title: str = "title") -> ET.Element:
    return ET.fromstring(chart.svg(title))


def everything(text: str) -> Chart:
    chart = Chart(width=100, height=50)
    chart.label(1, 2, text)
    chart.label_inside(90, 2, text, reach=20)
    chart.bar(5, 1, y=3, height=4, look="first", said=text)
    chart.rectangle(x=1, y=2, width=3, height=4, look="cell", said=text, ringed=True)
    chart.point(7, 8, look="hit", said=text)
    chart.point(7, 9, look="second", said=text)
    with chart.together(text):
        chart.interval(1, 9, y=5)
        chart.horizontal(5, start=0, end=100)
        chart.vertical(5, start=0, end=50, look="cut")
    return chart


@given(DOUBLES, DOUBLES, DOUBLES)
@example(-1.7976931348623157e308, 1.7976931348623157e308, 0.0)
@example(0.0, 5e-324, 5e-324)
@example(1.0, 1.0, 1.0)
def test_a_scale_keeps_order_and_stays_on_the_paper(a, b, c):
    low, middle, high = sorted((a, b, c))
    place = scale(low, high, start=10, end=90)
    x, y, z = place(low), place(middle), place(high)
    assert all(map(math.isfinite, (x, y, z)))
    assert 10 - 1e-9 <= x <= y <= z <= 90 + 1e-9


@pytest.mark.parametrize(("low", "high"), [(-3.0, 5.0), (1e-300, 1e-299), (-1e308, 1e308)])
def test_the_ends_of_a_scale_are_met(low, high):
    place = scale(low, high, start=190, end=660)
    assert (place(low), place(high)) == (190, 660)
    assert place(low / 2 + high / 2) == pytest.approx(425)


def test_text_stays_text_in_every_place():
    plain, hostile = drawn(everything("plain"), "plain"), drawn(everything(HOSTILE), HOSTILE)
    assert [each.tag for each in plain.iter()] == [each.tag for each in hostile.iter()]
    assert [each.attrib for each in plain.iter()] == [each.attrib for each in hostile.iter()]
    texts = {each.text for each in hostile.iter() if each.text}
    assert texts == {HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")}
    figure = ET.fromstring(everything(HOSTILE).figure(HOSTILE))
    assert [each.tag for each in figure] == ["svg", "figcaption"]


def test_a_picture_needs_no_sheet_and_fetches_nothing():
    text = everything("plain").svg("title")
    assert not re.search(r"href|url\(|http|class=|style|script", text)
    for each in drawn(everything("plain")).iter():
        if each.tag in ("rect", "circle", "path"):
            assert "fill" in each.attrib


def test_a_picture_says_what_it_shows_first():
    picture = drawn(everything("plain"), "what it shows")
    assert (picture[0].tag, picture[0].text) == ("title", "what it shows")
    assert picture.attrib["role"] == "img"


def test_a_ring_takes_the_place_of_the_line():
    chart = Chart(width=10, height=10)
    chart.rectangle(x=0, y=0, width=1, height=1, look="cell", ringed=True)
    chart.rectangle(x=0, y=0, width=1, height=1, look="first", ringed=True)
    chart.rectangle(x=0, y=0, width=1, height=1, look="first")
    cell, bar, plain = (each.attrib for each in drawn(chart) if each.tag == "rect")
    assert (cell["fill"], cell["stroke-width"]) == ("none", "2")
    assert bar["fill"] == plain["fill"]
    assert bar["stroke"] == cell["stroke"]
    assert "stroke" not in plain


def test_a_bar_is_drawn_in_either_order_and_never_vanishes():
    chart = Chart(width=10, height=10)
    for first, second in ((2, 7), (7, 2), (3, 3)):
        chart.bar(first, second, y=0, height=1, look="first")
    found = [(float(each.attrib["x"]), float(each.attrib["width"])) for each in drawn(chart) if each.tag == "rect"]
    assert found == [(2, 5), (2, 5), (3, 0.5)]


@pytest.mark.parametrize(("x", "anchor"), [(5, "start"), (50, "middle"), (95, "end")])
def test_a_label_near_an_edge_grows_inward(x, anchor):
    chart = Chart(width=100, height=10)
    chart.label_inside(x, 5, "text", reach=20)
    assert drawn(chart)[1].attrib["text-anchor"] == anchor


@pytest.mark.parametrize("colour", sorted(set(re.findall(r"#[0-9a-f]{3,6}\b", everything("plain").svg("t")))))
def test_colours_show_on_light_and_on_dark(colour):
    """A contrast of 3 to 1 is what marks of a picture need: WCAG 2.1, 1.4.11."""

    def luminance(text):
        digits = text[1:] if len(text) == 7 else "".join(2 * digit for digit in text[1:])
        parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    shades = [luminance(each) for each in (colour, "#ffffff", "#1e1e1e")]
    assert (shades[1] + 0.05) / (shades[0] + 0.05) >= 3
    assert (shades[0] + 0.05) / (shades[2] + 0.05) >= 3
