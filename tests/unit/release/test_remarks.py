"""Lines beside published numbers: where nothing is known that is said, and nowhere else."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest

from snapdp.cli.release_screen import show_release
from snapdp.release.remarks import unknown_line, unknown_places
from snapdp.release.result import Release, load_release
from tests import ROOT
from tests.unit.audits.releases import random_record
from tests.unit.release.test_numbers import COLUMNS, GROUPED, HISTOGRAM, MEAN, VARIANCE, made

WHOLE = {"kind": "mean", "column": "age", "epsilon": 1}


def with_intervals(result, title, ends):
    """Return the release with other intervals of the numbers that have this title and are no part of others."""
    record = json.loads(result.to_json())
    own = [each["parts"][0] for each in record["statistics"] if each["title"] == title and len(each["parts"]) == 1]
    (block,) = [*own, *(each for each in record["derived"] if each["title"] == title)]
    block["low"], block["high"] = ([end for end, _ in ends], [end for _, end in ends])
    return Release(record)


def said(result):
    return [line for line in map(unknown_line, (each for each in result.blocks() if each.is_first)) if line]


CASES = {
    "mean(age)": (WHOLE, (0, 120), (0, 119.5)),
    "mean(pay)": (MEAN, (0.0, 5000.0), (0.5, 5000.0)),
    "histogram(region)": (HISTOGRAM, (0, 5000), (1, 5000)),
    "variance(age)": (VARIANCE, (0.0, 3600.8), (0.0, 3600.7)),  # at most 120^2 / 4 * n / (n - 1)
}


@pytest.mark.parametrize("title", CASES)
def test_of_a_number_whose_interval_is_all_it_can_be_nothing_is_known(title):
    asked, whole, less = CASES[title]
    cells = 2 if asked is HISTOGRAM else 1
    about = "nothing is known of any of its numbers." if cells == 2 else "nothing is known."
    (line,) = said(with_intervals(made(asked), title, [whole] * cells))
    assert line.startswith(f"{title}: {about}")
    assert said(with_intervals(made(asked), title, [less] * cells)) == []


def test_groups_of_which_nothing_is_known_are_named_everywhere(capsys):
    result = with_intervals(made(GROUPED), "mean(age) by region", [(0.0, 120.0), (31.0, 40.0)])
    line = "mean(age) by region: nothing is known of north."
    show_release(result, left=Fraction(1))
    terminal = " ".join(capsys.readouterr().err.split())
    for text in (repr(result), result.to_html(), result._repr_html_(), terminal):
        assert text.count(line) == 1
        assert text.count("nothing is known") == 1
        assert ("snapdp inspect" in text) == (text is terminal)  # readers have no table to look at


def test_a_correlation_of_which_nothing_is_known_is_named():
    columns = COLUMNS | {"pay": {**COLUMNS["pay"], "missing": "middle"}}
    asked = [VARIANCE, {**VARIANCE, "column": "pay"}, {"kind": "covariance", "columns": ["age", "pay"], "epsilon": 1}]
    result = made(*asked, columns=columns)
    assert said(with_intervals(result, "correlation(age, pay)", [(-1.0, 1.0)])) != []
    assert said(with_intervals(result, "correlation(age, pay)", [(-1.0, 0.5)])) == []


def test_of_many_cells_a_few_are_named():
    regions = COLUMNS | {"region": {"kind": "category", "categories": [f"r{i}" for i in range(9)]}}
    result = made(HISTOGRAM, columns=regions)
    (line,) = said(with_intervals(result, "histogram(region)", [(0, 5000)] * 8 + [(3, 9)]))
    assert "nothing is known of r0, r1, r2, r3 and 4 more." in line


@pytest.mark.parametrize("seed", range(40))
def test_it_is_said_exactly_where_an_interval_is_the_public_range(seed):
    """Compared with the statistic itself, which is made again from its declaration."""
    from snapdp.audits.release_audit import rebuilt

    result = Release(random_record(random.Random(seed)))
    lines = rebuilt(result.record).lines
    for block in result.blocks():
        statistic = lines[block.place].statistic
        if block.derived and block.name != "mean":
            continue
        part = next((each for each in statistic.parts if each.numerator.name == block.name), None)
        low, high = (statistic.column.lower, statistic.column.upper) if part is None else part.numerator.statistic_range
        whole = [each for each in block.numbers if Fraction(each.low) <= low and Fraction(each.high) >= high]
        assert bool(unknown_line(block)) == bool(whole)


def test_a_record_whose_ranges_are_no_numbers_is_shown_without_a_word():
    record = json.loads(made(WHOLE, GROUPED).to_json())
    record["statistics"][0]["parts"][0]["lower"] = "low"
    record["statistics"][1]["columns"][0]["upper"] = "high"
    assert said(Release(record)) == []


def test_bounds_that_were_not_found_are_no_numbers():
    release = load_release(ROOT / "tests/vectors/releases/record-magnitudes.json")
    found = [block for block in release.blocks() if block.name == "bounds"]
    for block in found:
        assert unknown_places(block) == {i for i, each in enumerate(block.numbers) if each.high is None is each.low}
    assert any("nothing is known" in unknown_line(block) for block in found)
