"""Odds as bars: they begin at 50, where nothing is learnt, and end at the number beside them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from snapdp.display.pictures import LOOKS, Odds, odds_picture


def widths(svg):
    fill = re.findall('"(.*?)"', LOOKS["first"])[0]
    return [each.attrib["width"] for each in ET.fromstring(svg).iter("rect") if each.attrib["fill"] == fill]


def test_a_bar_begins_at_even_odds_and_ends_at_its_number():
    rows = [Odds("a", 50, "50"), Odds("b", 63, "63"), Odds("c", 75, "75"), Odds("d", 100, "all")]
    assert widths(odds_picture(rows, title="t", said="s")) == ["0.5", "26%", "50%", "100%"]


def test_numbers_are_text_beside_the_bars():
    tree = ET.fromstring(odds_picture([Odds("a", 63, "at most 63 of 100")], title="t", said="s"))
    assert {"at most 63 of 100", "50", "100", "a coin", "always right"} <= {each.text for each in tree.iter("text")}
