"""What was published: each number with the title and the cost that terminal, report and files all tell alike."""

from __future__ import annotations

import csv
import json
import random
import re
from fractions import Fraction

import pytest

import snapdp
from snapdp.cli.release_screen import show_release
from snapdp.release.result import Release
from tests.unit.audits.releases import random_record

COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 0, "upper": 5000, "step": "1/2", "missing": "dropped"},
    "region": {"kind": "category", "categories": ["north", "south"]},
}
MEAN = {"kind": "mean", "column": "pay", "epsilon": "2/3"}  # as sum and count: some rows have no pay
GROUPED = {"kind": "mean", "column": "age", "by": "region", "epsilon": "1/4"}
HISTOGRAM = {"kind": "histogram", "column": "region", "epsilon": 1}
VARIANCE = {"kind": "variance", "column": "age", "epsilon": 2}


def made(*statistics, n=5000, seed=1, columns=COLUMNS):
    """Return a release of these statistics under change-one, with arbitrary draws."""
    relation = {"relation": "change-one", "n": n}
    study = snapdp.study(format=1, dataset="people", columns=columns, statistic=[*statistics], **relation)
    return Release(random_record(random.Random(seed), study))


def test_no_two_statistics_have_one_name_on_any_page(capsys, tmp_path):
    """People and machines once read `histogram(age)` twice, with other numbers, and could not tell which was which."""
    cuts = [{"kind": "histogram", "column": "age", "edges": cut, "epsilon": 1} for cut in ([0, 60, 120], [0, 60, 90])]
    result = made(*cuts)
    named = [(each.statistic, each.part, each.cell) for each in result.numbers()]
    assert len(set(named)) == len(named)
    assert {each.statistic for each in result.numbers()} == set(result.values)
    result.save(tmp_path / "values.csv")
    show_release(result, left=Fraction(1))
    screen = capsys.readouterr().out
    for text in (repr(result), result.to_html(), screen, (tmp_path / "values.csv").read_text()):
        assert "histogram(age) (2)" in text
    assert '<th scope="row" class="l">histogram(age) (2)</th>' in result.to_html()  # among the parameters


def test_the_report_says_the_epsilon_of_a_mean_beside_it():
    """It once called a mean by groups, which was charged, derived and free of charge."""
    page = made(MEAN, GROUPED).to_html()
    single = (
        r'<th scope="row" class="l">Mean of pay<span class="under">[^<]*</span></th>.*?<td class="r">([^<]*)</td></tr>'
    )
    assert re.findall(single, page.partition("<h3>Single numbers</h3>")[2])[0] == "2/3"
    assert '<p class="dim">Cost: epsilon 0.25, spent on a sum and a count. Missing values of age count as 60.' in page
    assert "no extra cost" not in page.partition("<h2>Results</h2>")[2]


def test_the_report_still_calls_free_what_is_free():
    page = made(HISTOGRAM, VARIANCE).to_html()
    assert re.findall(r'<p class="dim">(Cost[^<]*)</p>', page) == ["Cost: epsilon 1."]
    assert "Shares cost nothing extra; each is a share of all 5000 rows, above its interval." in page
    under = '<span class="under">[^<]*</span>'
    free = rf'<th scope="row" class="l">Standard deviation of age{under}</th>.*?<td class="r">([^<]*)</td></tr>'
    assert re.findall(free, page) == ["no extra cost"]


def test_the_report_adds_up_what_its_statistics_cost():
    page = made(MEAN, GROUPED, HISTOGRAM, VARIANCE).to_html()
    table = page.partition("<h2>What is in it</h2>")[2].partition("</table>")[0]
    costs = re.findall(r'<td class="r">(?:<strong>)?([0-9./]+)', table)
    assert sum(map(Fraction, costs[:-1])) == Fraction(costs[-1]) == Fraction(47, 12)


def terminal_rows(result, capsys):
    """Return the cells of what a terminal shows, row by row."""
    show_release(result, left=Fraction(1))
    lines = capsys.readouterr().out.splitlines()
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if line.startswith("│")]


def test_the_terminal_shows_the_same_epsilons(capsys):
    rows = terminal_rows(made(MEAN, GROUPED, HISTOGRAM, VARIANCE), capsys)
    assert [(row[0], row[-1]) for row in rows if row[0]] == [
        ("mean(pay)", "2/3"),
        ("mean(age) by region", "0.25"),
        ("histogram(region)", "1"),
        ("variance(age)", "2"),
        ("standard deviation(age)", "free"),
    ]


def test_what_the_numbers_were_charged_adds_up_to_the_charge():
    result = made(MEAN, GROUPED, HISTOGRAM, VARIANCE)
    assert sum(Fraction(each.charged) for each in result.numbers()) == Fraction(result.charged) == Fraction(47, 12)
    assert sum(Fraction(each.epsilon) for each in result.numbers()) > Fraction(result.charged)  # of whole statistics


@pytest.mark.parametrize("seed", range(40))
def test_charges_add_up_whatever_was_asked(seed):
    result = Release(random_record(random.Random(seed)))
    statistics = result.record["statistics"]
    listed = {block.place for block in result.blocks()}  # the others are in files alone
    charged = sum(Fraction(statistics[place]["epsilon"]) for place in listed)
    assert sum(Fraction(each.charged) for each in result.numbers()) == charged <= Fraction(result.charged)
    for block in result.blocks():
        statistic = statistics[block.place]
        is_paid = block.title == statistic["title"] or not block.derived  # a margin has a title of its own
        assert block.epsilon == (statistic["epsilon"] if is_paid else "0")


def test_a_file_of_values_says_the_epsilon_of_each_statistic_and_charges_that_add_up(tmp_path):
    result = made(GROUPED, HISTOGRAM)
    result.save(tmp_path / "v.csv")
    with open(tmp_path / "v.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {(row["statistic"], row["epsilon"]) for row in rows} == {
        ("mean(age) by region", "0.25"),
        ("histogram(region)", "1"),
    }
    assert [row["charged"] for row in rows if row["charged"] != "0"] == ["0.25", "1"]
    assert result.to_pandas()["charged"].sum() == result.to_polars()["charged"].sum() == 1.25


def test_a_derived_block_of_no_statistic_is_nobodys():
    """A record may be anybody's; the audit finds it."""
    record = json.loads(made(MEAN).to_json())
    record["derived"][0]["statistic"] = 7
    assert [each.part for each in Release(record).blocks()] == ["centred sum", "count"]


# Shares


@pytest.mark.parametrize("seed", range(30))
def test_shares_are_of_what_they_are_said_to_be_of(seed):
    """Of all rows, or of all counts together; of groups, never of one alone."""
    dice = random.Random(seed)
    columns = COLUMNS | {"group": {"kind": "boolean"}}
    binned = {"column": "pay", "edges": [0, 10, 5000], "missing": dice.choice(["dropped", "binned"])}
    asked = {"kind": "histogram", "epsilon": 1, **dice.choice([{"column": "region"}, binned])}
    asked |= dice.choice([{}, {"by": "group"}]) | dice.choice([{}, {"where": [{"column": "age", "from": 30}]}])
    counts, shares = made(asked, seed=seed, columns=columns).blocks()
    known = [max(Fraction(each.value), Fraction(0)) for each in counts.numbers]
    of_n = shares.share_of.startswith("all 5000 rows")
    total = Fraction(5000) if of_n else sum(known)
    assert shares.share_of.removeprefix("all 5000 rows" if of_n else "all counts together") == (
        ", of all groups" if "by" in asked else ""
    )
    assert [each.value for each in shares.numbers] == [float(min(each / total, 1)) for each in known]
    assert of_n == (shares.numbers[0].low is not None)
    assert counts.share_of == ""
    result = made(asked, seed=seed, columns=columns)
    why = "all counts together: the total has noise too, and no interval is known."
    assert {why in result.to_html(), why in repr(result)} == {not of_n and "by" not in asked}


def test_the_report_says_how_sure_an_interval_is_in_percent():
    assert "with probability at least 95 %." in made(HISTOGRAM).to_html()
    page = made(HISTOGRAM, {**VARIANCE, "alpha": "1/3"}).to_html()
    assert "with probability at least 1 - 1/3 or 95 %, as was asked for each." in page
