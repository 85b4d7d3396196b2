"""Pictures: places are in order and finite, text stays text, a picture needs nothing else."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given, strategies as st

from snapdp.display.pictures import (
    Axis,
    Bar,
    Chosen,
    Compared,
    LawPicture,
    Mark,
    Marked,
    Odds,
    RowPicture,
    Step,
    box,
    curve_picture,
    dot,
    figure_of,
    framed,
    inside,
    interval_picture,
    level,
    odds_picture,
    scale,
    step_figure,
    together,
    upright,
    written,
)

DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
HOSTILE = '</text></svg><script>x</script>"\' onload="y" &\u202e\x1b'


def drawn(text: str) -> ET.Element:
    return ET.fromstring(everything(text))


def everything(text: str) -> str:
    marks = [
        written(text, x=1, y=2),
        box(x=1, y=3, width=4, height=4, look="first", said=text),
        box(x=1, y=2, width=3, height=4, look="cell", said=text, ringed=True),
        dot(7, 8, look="hit", said=text),
        together([dot(7, 9, look="second"), level(5), upright(5, top=0, foot=50, look="cut")], text),
    ]
    return framed(marks, title=text, said=text, height=50)


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
    plain, hostile = drawn("plain"), drawn(HOSTILE)
    assert [each.tag for each in plain.iter()] == [each.tag for each in hostile.iter()]
    assert [each.attrib for each in plain.iter()] == [each.attrib for each in hostile.iter()]
    texts = {each.text for each in hostile.iter() if each.text}
    assert texts == {HOSTILE.replace("\u202e", "\\u202e").replace("\x1b", "\\x1b")}
    figure = ET.fromstring(figure_of(everything(HOSTILE), HOSTILE))
    assert [each.tag for each in figure] == ["svg", "figcaption"]


AXIS = Axis.within([0, 10])
ROWS = RowPicture.of([Mark(5, 4, 6, HOSTILE)], bars=True)
PICTURES = {
    "curve": lambda t: curve_picture([(1.0, 2.0), (2.0, 1.0)], Chosen(1.0, 2.0, t), heights=t, title=t, said=t),
    "intervals": lambda t: interval_picture([Compared(t, t, 8, 12)], value=10, title=t, said=t),
    "law": lambda t: LawPicture([Bar(0, 1, 1, True, t)], (0, 1, t), (1, t), (0, 8, t, t), t).svg(title=t, said=t),
    "odds": lambda t: odds_picture([Odds(t, 63, t)], title=t, said=t),
    "rows": lambda t: ROWS.svg(t, [(t, t)]),
    "steps": lambda t: step_figure([Step(0, 1, 0, 2)] * 2, [Marked(1, 1, 0, 2, t)], t, x=AXIS, y=AXIS),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_text_stays_text_in_every_picture_and_nothing_is_fetched(picture):
    plain, hostile = (ET.fromstring(picture(text)) for text in ("plain", HOSTILE))
    assert [(each.tag, {*each.attrib}) for each in plain.iter()] == [
        (each.tag, {*each.attrib}) for each in hostile.iter()
    ]
    assert not re.search(r"style=|href|url\(|http|\x1b|\u202e|<script", picture(HOSTILE))


def test_a_picture_needs_no_sheet_and_fetches_nothing():
    assert not re.search(r"href|url\(|http|style|script", everything("plain"))
    for each in drawn("plain").iter():
        if each.tag in ("rect", "circle", "path"):
            assert "fill" in each.attrib


def test_a_picture_says_what_it_shows_first():
    picture = drawn("what it shows")
    assert (picture[0].tag, picture[0].text) == ("title", "what it shows")
    assert picture.attrib["role"] == "img"


def test_a_ring_takes_the_place_of_the_line():
    looks = (("cell", True), ("first", True), ("first", False))
    cell, bar, plain = (
        ET.fromstring(box(x=0, y=0, width=1, height=1, look=look, ringed=ringed)).attrib  # type: ignore[arg-type]
        for look, ringed in looks
    )
    assert (cell["fill"], cell["stroke-width"]) == ("none", "2")
    assert bar["fill"] == plain["fill"]
    assert bar["stroke"] == cell["stroke"]
    assert "stroke" not in plain


def test_a_bar_of_nothing_is_still_seen():
    widths = [ET.fromstring(box(x=0, y=0, width=each, height=1, look="first")).attrib["width"] for each in (5, 0)]
    assert widths == ["5.00%", "0.5"]


@pytest.mark.parametrize(("x", "anchor"), [(5, "start"), (50, "middle"), (95, "end")])
def test_a_label_near_an_edge_grows_inward(x, anchor):
    assert inside(x, reach=20) == anchor


@pytest.mark.parametrize("colour", sorted(set(re.findall(r"#[0-9a-f]{3,6}\b", everything("plain")))))
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
