"""Intervals on one axis: each between its ends, its number beside it, and nothing cut off at the sides."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from snapdp.display.pictures import Compared, interval_picture

ROWS = [Compared("this release", "± 2", 8, 12), Compared("another", "± 4", 6, 14), Compared("none", "exact", 10, 10)]


def test_every_interval_stands_between_its_ends_on_one_axis():
    tree = ET.fromstring(interval_picture(ROWS, value=10, title="t", said="s"))
    tracks = [each for each in tree.iter("svg") if each.attrib.get("class") == "track"]
    assert len(tracks) == 3
    for track, row in zip(tracks, ROWS, strict=True):
        line = list(track.iter("g"))[1][0]
        ends = [float(line.attrib[name].removesuffix("%")) for name in ("x1", "x2")]
        assert ends == pytest.approx([(each - 5) / 10 * 100 for each in (row.low, row.high)], abs=0.01)
        (dot,) = track.iter("circle")
        assert dot.attrib["cx"] == "50%"


def test_numbers_at_the_ends_of_the_axis_hang_inwards():
    tree = ET.fromstring(interval_picture(ROWS, value=10, title="t", said="s"))
    ticks = [each for each in tree if each.tag == "text"][-3:]
    assert [each.text for each in ticks] == ["5", "10", "15"]
    assert [each.attrib["text-anchor"] for each in ticks] == ["start", "middle", "end"]
