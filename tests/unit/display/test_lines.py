"""Lines and points in a file: pieces never joined, names that are escaped, and nothing that is not in the file."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from snapdp.display.pictures import SIGNS, Axis, LogAxis, Series, lines_height, lines_picture, sheet

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<b>&\u202e$x$"
LINES = [
    Series("jumps", [[(1.0, 1.0), (2.0, 2.0)], [(2.0, 1.0), (4.0, 3.0)]], dots=[(2.0, 1.0)]),
    Series(HOSTILE, points=[(1.0, 0.0), (4.0, 3.0)]),
]


def drawn(y: Axis | LogAxis) -> ET.Element:
    picture = lines_picture(LINES, x=LogAxis.over([1.0, 4.0]), y=y, of="epsilon", heights="ratio", title="t", said="s")
    return ET.fromstring(sheet([[(HOSTILE, picture)]], title=HOSTILE, width=400, tall=lines_height(2)))


def test_a_line_is_drawn_in_pieces_and_points_are_signs_of_their_own():
    for y in (Axis.within([0.0, 3.0]), LogAxis.over([0.0, 1.0, 3.0])):
        root = drawn(y)
        path = next(each.attrib["d"] for each in root.iter(f"{SVG}path"))
        assert len(re.findall("M", path)) == 2
        texts = [each.text for each in root.iter(f"{SVG}text")]
        assert texts.count(SIGNS[1]) == 1 + len(LINES[1].points)  # with the one beside its name
        assert len(list(root.iter(f"{SVG}circle"))) == 1


def test_names_and_headings_are_text_whatever_they_are():
    root = drawn(Axis.within([0.0, 3.0]))
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts.count("<b>&\\u202e$x$") == 2
    assert not list(root.iter(f"{SVG}b"))
    assert int(root.attrib["width"]) > 400


def test_rows_of_a_sheet_do_not_overlap():
    panel = ("heading", "<rect/>")
    root = ET.fromstring(sheet([[panel, panel], [panel]], title="t", width=100, tall=50))
    places = [(float(each.attrib["x"]), float(each.attrib["y"])) for each in root.findall(f"{SVG}svg")]
    assert len({x for x, _ in places}) == len({y for _, y in places}) == 2
    assert max(y for _, y in places) + 80 <= float(root.attrib["height"])
