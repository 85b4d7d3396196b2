"""The picture of a law: bars as high as probabilities, the band, the value, the ends, and words that stay words."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from snapdp.display.pictures import LOOKS, Axis, Bar, LawPicture

BARS = [Bar(0, 1, 0.1), Bar(1, 2, 0.5), Bar(2, 3, 0.3), Bar(3, 4, 0.1, True, "highest possible: 10 %")]
PICTURE = LawPicture(BARS, (1, 3, "95 %: 1 to 3"), (1.5, "true value 1.5"), (0, 8, "0", "8"), "each bar: one number")


def columns(picture, look):
    """Return left, top, right of every column of one look, in thousandths of width and height."""
    tree = ET.fromstring(picture.svg(title="t", said="s"))
    paths = [each.attrib["d"] for each in tree.iter("path") if each.attrib["fill"] == re.findall('"(.*?)"', look)[0]]
    found = re.findall(r"M([\d.]+) 1000V([\d.]+)H([\d.]+)V1000Z", "".join(paths))
    return [tuple(map(float, each)) for each in found]


def test_every_bar_stands_where_it_is_as_high_as_its_probability():
    found = columns(PICTURE, LOOKS["first"]) + columns(PICTURE, LOOKS["second"])
    x, y = PICTURE.axis, Axis.over([0.5], from_zero=True, most=3)
    assert len(found) == len(BARS)
    for (left, top, right), bar in zip(found, BARS, strict=True):
        assert 10 * x.place(bar.low) < left < right < 10 * x.place(bar.high)
        assert (left + right) / 20 == pytest.approx(x.place((bar.low + bar.high) / 2), abs=0.01)
        assert (1000 - top) / 10 == pytest.approx(y.place(bar.probability), abs=0.01)


def test_an_end_of_the_clamp_is_a_bar_of_its_own_look_with_words():
    (end,) = columns(PICTURE, LOOKS["second"])
    assert end[0] > 750
    texts = [each.text for each in ET.fromstring(PICTURE.svg(title="t", said="s")).iter("text")]
    assert "highest possible: 10 %" in texts
    plain = PICTURE._replace(bars=BARS[:3])
    assert columns(plain, LOOKS["second"]) == []
    assert plain.top < PICTURE.top


def test_band_and_value_stand_on_the_same_axis_as_the_bars():
    tree = ET.fromstring(PICTURE.svg(title="t", said="s"))
    band = next(each for each in tree.iter("rect") if each.attrib.get("fill-opacity"))
    left, width = (float(band.attrib[name].removesuffix("%")) for name in ("x", "width"))
    assert (left, left + width) == (25, 75)
    (value,) = [each for each in tree.iter("line") if "stroke-dasharray" in each.attrib]
    assert value.attrib["x1"] == value.attrib["x2"] == "37.50%"


def test_a_strip_shows_which_part_of_the_range_is_seen():
    tree = ET.fromstring(PICTURE.svg(title="t", said="s"))
    strip = [each for each in tree.iter("rect") if each.attrib["height"] == "6"]
    assert [each.attrib["width"] for each in strip] == ["50.00%"]
    far = PICTURE._replace(range=(0, 10**9, "0", "1e9"))
    (dot,) = [each for each in ET.fromstring(far.svg(title="t", said="s")).iter("rect") if each.attrib["height"] == "6"]
    assert dot.attrib["width"] == "0.60%"  # still seen
    assert (tree[0].tag, tree[1].tag, tree.attrib["role"]) == ("title", "desc", "img")
    assert "viewBox" not in tree.attrib  # text keeps its size
