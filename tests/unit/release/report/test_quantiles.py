"""Quantiles in a report: a picture for each group, and pages of records that somebody else wrote."""

from __future__ import annotations

import re

import pytest

import snapdp
from snapdp.display.pictures import Axis, Step, step_figure
from snapdp.release.report.results import MOST_PICTURES

PATH = re.compile(r'd="([^"]*)"')


def released(folder, *, groups=0, **said):
    book = snapdp.Ledger.create(folder / "people.ledger")
    book.create_account("people", cap=1000, relation="add-remove", rows=100)
    names = [f"<g{i}>" for i in range(groups)]
    rows = {"age": list(range(40)), "g": [names[i % groups] if groups else "" for i in range(40)]}
    by = {"by": "g", "groups": names} if groups else {}
    asked = {"column": "age", "bounds": (0, 50), "integer": True, "missing": "dropped", "epsilon": 20, **by}
    return snapdp.quantiles(rows, **asked, **said, ledger=book, directory=folder)


def test_every_group_has_a_picture_as_long_as_they_are_few(tmp_path):
    page = released(tmp_path, groups=MOST_PICTURES + 2).to_html()
    assert page.count("<figure>") == MOST_PICTURES
    assert "2 more groups have no picture" in page
    assert "<figcaption>&lt;g0&gt;</figcaption>" in page
    assert page.count('class="multiples"') == 1
    assert "<g0>" not in page


def test_the_quantiles_are_in_the_picture_at_their_ranks(tmp_path):
    release = released(tmp_path, at=[0.25, 0.75])
    page = release.to_html()
    picture = page.partition("<figure>")[2].partition("</figure>")[0]
    assert picture.count("<circle") == 2
    heights = [float(each) for each in re.findall(r'cy="([0-9.]+)"', picture)]
    assert heights[0] > heights[1]  # y grows downward


def test_a_band_lies_between_two_step_curves():
    """Walked as it is drawn, the path meets each end of every step of both curves."""
    axis = Axis.within([0, 1000])  # as the curve's own coordinates
    steps = [Step(0, 4, 5, 3), Step(2, 2, 4, 1), Step(3, 2, 4, 0)]
    path, _ = PATH.findall(step_figure(steps, (), "", x=axis, y=axis))
    x = y = 0.0
    corners = []
    for letter, numbers in re.findall(r"([MHVZ])([0-9. ]*)", path):
        ends = [float(each) for each in numbers.split()]
        x = ends[0] if letter in "MH" else x
        y = 1000 - ends[-1] if letter in "MV" else y
        corners.append((x, y))
    upper, lower = [(0, 5), (2, 5), (2, 4), (3, 4)], [(3, 1), (2, 1), (2, 3), (0, 3)]
    assert [each for each in upper if each not in corners] == []
    assert [each for each in lower if each not in corners] == []
    assert path.endswith("Z")


@pytest.mark.parametrize("cell", ["<b>", "1e9999", "", "\u202e3"])
def test_a_record_of_somebody_else_has_a_page(tmp_path, cell):
    record = released(tmp_path).record
    block = next(each for each in record["derived"] if each["name"] == "distribution")
    forged = {**block, "cell": [cell] * block["cells"]}
    derived = [forged if each is block else each for each in record["derived"]]
    page = snapdp.Release({**record, "derived": derived}).to_html()
    assert "<b>" not in page
    without = [{key: each for key, each in statistic.items() if key != "at"} for statistic in record["statistics"]]
    assert "distribution" in snapdp.Release({**record, "statistics": without}).to_html()
