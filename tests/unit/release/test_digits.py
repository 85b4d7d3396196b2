"""Digits of published numbers: what noise leaves meaningful, alike in a curve, and a mark where nothing is certain."""

from __future__ import annotations

import json
import random
import re
from decimal import Decimal

import pytest

import snapdp
from snapdp.cli.release_screen import show_release
from snapdp.release.numbers import Number, shown_interval, shown_pair, shown_value
from snapdp.release.remarks import CUT
from snapdp.release.report.page import column_in_words
from snapdp.release.result import Release
from snapdp.studies.columns import number_column
from tests.unit.audits.releases import random_record
from tests.unit.release.test_numbers import COLUMNS, HISTOGRAM, made

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


def test_what_the_mark_means_stands_on_page_screen_and_repr_and_only_with_one(capsys):
    plain = made(HISTOGRAM)
    record = json.loads(plain.to_json())
    part = record["statistics"][0]["parts"][0]
    part["value"][0], part["shown"][0], part["low"][0], part["high"][0] = -900, 0, 0, 0
    cut = Release(record)
    for release, is_cut in ((cut, True), (plain, False)):
        show_release(release, left=1)
        screen = capsys.readouterr()
        page = release.to_html()
        assert ("0 to 0*" in screen.out) is is_cut
        assert (CUT.replace(" ", "") in re.sub(r"\s", "", screen.err)) is is_cut
        assert (CUT in repr(release)) is is_cut
        assert (f"<p>{CUT}</p>" in page) is is_cut
        assert ("* The noise went beyond what the number can be" in page) is is_cut
    assert "certainty" in CUT


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


def test_what_counts_in_a_statistic_stands_beside_its_cost():
    people = {**PRIVATE, "person": "id", "rows_per_person": 8}
    groups = {"kind": "persons", "by": "region", "groups_per_person": 1, "epsilon": 1}
    mean = {"kind": "mean", "column": "age", "epsilon": 1}
    by_region = {**mean, "by": "region"}
    page = asked(groups, mean, by_region, {**mean, "column": "pay"}, **people).to_html()
    grey = re.findall(r'<p class="dim">(Cost[^<]*)</p>', page)
    assert grey[0].startswith("Cost: epsilon 1. Each person counts in 1 group. Who is in more counts in 1 of them only")
    kept = "at most 8 rows of each person count; rows beyond are left out of every number"
    assert grey[1].endswith(f"{kept.capitalize()}. Missing values of age count as 60.")
    assert f'<span class="under">{kept}; missing values of age count as 60</span>' in page
    assert f'<span class="under">{kept}; rows without pay are left out</span>' in page
    assert "At most 8 rows" in page.partition("<h2>How to read this</h2>")[0]
    assert "each person counts in 1 group" in page.partition("<h2>How to read this</h2>")[2]


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


def test_a_list_of_categories_is_not_cut_to_save_one():
    names = [f"c{i}" for i in range(31)]
    region = {"kind": "category", "categories": names}
    assert f"{', '.join(names)};" in asked(HISTOGRAM, columns={"region": region}, **PRIVATE).to_html()
    region["categories"] = [*names, "c31"]
    assert "c29 and 2 other categories;" in asked(HISTOGRAM, columns={"region": region}, **PRIVATE).to_html()


def test_a_step_that_nobody_declared_is_not_named_at_the_front_of_a_report():
    fine = {"name": "x", "kind": "number", "lower": "0", "upper": "1048576", "step": "1", "missing": "dropped"}
    assert column_in_words(fine, {}).startswith("numbers between 0 and 1048576,")
    coarse = {**fine, "upper": "1048575"}
    assert column_in_words(coarse, {}).startswith("numbers in steps of 1 between 0 and 1048575,")
    default = number_column("x", lower=0, upper=120, missing="dropped")
    kept = {**fine, "lower": str(default.lower), "upper": str(default.upper), "step": str(default.step)}
    assert column_in_words(kept, {}).startswith("numbers between 0 and 120,")
