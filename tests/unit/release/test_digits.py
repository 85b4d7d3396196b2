"""Digits of published numbers: what noise leaves meaningful, alike in a curve, and a mark where nothing is certain."""

from __future__ import annotations

import random
import re
from decimal import Decimal

import pytest

import snapdp
from snapdp.cli.release_screen import show_release
from snapdp.release.numbers import Number, shown_interval, shown_pair, shown_value
from snapdp.release.result import Release
from tests.unit.audits.releases import random_record
from tests.unit.release.test_numbers import COLUMNS, HISTOGRAM

LIKE = Number("count", "", "", 0, 0, 0, 0, "1/20", "1", derived=False)
PRIVATE = {"relation": "add-remove", "n_max": 20000}


def asked(*statistics, seed=1, columns=COLUMNS, **relation):
    study = snapdp.study(format=1, dataset="people", columns=columns, statistic=[*statistics], **relation)
    return Release(random_record(random.Random(seed), study))


@pytest.mark.parametrize(
    ("value", "shown", "low", "high", "is_cut"),
    [
        (-80, 0, 0, 0, True),  # drawn far below zero: the truth may be 51
        (9400, 9275, 9275, 9275, True),
        (-3, 0, 0, 41, False),  # moved, but the interval says how far it may be off
        (0, 0, 0, 0, False),  # noise below half a row
        (9275, 9275, 9275, 9275, False),  # the public number of rows
        (-80, None, 0, 0, False),  # records of before do not say what is shown
    ],
)
def test_an_interval_of_which_only_the_end_of_what_is_possible_is_left_has_a_mark(value, shown, low, high, is_cut):
    number = LIKE._replace(value=value, shown=shown, low=low, high=high)
    assert shown_interval(number) == f"{low} to {high}{'*' * is_cut}"


def test_shares_of_a_private_total_have_the_digits_of_their_counts_and_no_empty_column():
    release = asked({"kind": "histogram", "column": "region", "epsilon": "1/6"}, **PRIVATE)
    counts, shares = list(release.blocks())
    assert all(each.low is None for each in shares.numbers)
    total = counts.numbers[0].value / shares.numbers[0].value
    noise = max(each.high - each.low for each in counts.numbers) / 2 / total
    for each in shares.numbers:
        places = -Decimal(shown_value(each)).as_tuple().exponent
        assert 10.0**-places <= noise < 100 * 10.0**-places  # the second digit of the noise
    table = release.to_html().partition("<h3>Rows by region</h3>")[2].partition("</table>")[0]
    assert table.count("interval</th>") == 1
    assert "above its interval" not in table


@pytest.mark.parametrize("seed", range(8))
def test_a_distribution_has_one_number_of_digits_and_no_end_beyond_a_public_number_of_rows(seed):
    columns = {"pay": {"kind": "integer", "lower": 0, "upper": 300, "missing": "middle"}}
    wanted = {"kind": "quantiles", "column": "pay", "at": ["1/2"], "epsilon": "1/20"}
    release = asked(wanted, seed=seed, columns=columns, relation="change-one", n=9275)
    (curve,) = (each for each in release.blocks() if each.name == "distribution")
    shown = [shown_pair(each) for each in curve.readable]
    assert all(re.fullmatch("[0-9]+", value) for value, _ in shown)
    for each, (value, interval) in zip(curve.readable, shown, strict=True):
        low, high = map(int, interval.rstrip("*").split(" to "))
        assert low <= int(value) <= high <= 9275
        assert low <= each.low
        assert high >= each.high
    assert 100 <= max(each.high - each.low for each in curve.numbers) / 2 < 10000
    between = [int(value) for (value, _), x in zip(shown, curve.numbers, strict=True) if x.low != x.high]
    assert all(value % 10 == 0 or value == 9275 for value in between)


def test_empty_and_other_cells_are_called_so_for_people_and_as_before_for_programs(capsys, tmp_path):
    region = {"kind": "category", "categories": ["north", "south"], "unknown": "binned", "null": "binned"}
    columns = {**COLUMNS, "region": region}
    release = asked(HISTOGRAM, {"kind": "count", "by": "region", "epsilon": 1}, columns=columns, **PRIVATE)
    show_release(release, left=1)
    for text in (release.to_html().partition("<h2>Technical annex</h2>")[0], capsys.readouterr().out, repr(release)):
        assert text.count("(empty)") >= 2
        assert text.count("(other)") >= 2
        assert "(null)" not in text
        assert "(unknown)" not in text
    release.save(tmp_path / "values.csv")
    values = (tmp_path / "values.csv").read_text()
    assert "(null)" in values
    assert "(empty)" not in values
    assert "(null) are its empty cells" in (tmp_path / "datapackage.json").read_text()
    assert list(release.values["histogram(region)"])[2:] == ["(unknown)", "(null)"]
    # a category of that name is its own
    region["categories"] = ["north", "(empty)"]
    assert "(null)" in asked(HISTOGRAM, columns=columns, **PRIVATE).to_html()
