"""Quantiles on the command line: flags, plan, what a release shows and writes, and what is refused."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main

AGES = [(7 * i * i + 3 * i) % 90 for i in range(600)]
BOUNDS = ["--bounds", "0,120", "--integer", "--missing", "dropped"]
COST = ["--n-max", "1000", "--epsilon", "2"]
STUDY = """format = 1
dataset = "people"
relation = "add-remove"
n_max = 1000
[columns.age]
kind = "integer"
lower = 0
upper = 120
missing = "dropped"
[[statistic]]
kind = "quantiles"
column = "age"
at = [0.25, 0.5, "3/4"]
epsilon = 1
[[statistic]]
kind = "quantiles"
column = "age"
epsilon = 1
"""


def run(*words, code=0, input=None):
    found = CliRunner().invoke(main, list(words), env={"COLUMNS": "80"}, input=input)
    assert found.exit_code == code, found.output
    return found


def one(text):
    return " ".join(text.split())


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = (f"{age},{'north' if i % 3 else 'south'}" for i, age in enumerate(AGES))
    (tmp_path / "people.csv").write_text("\n".join(["age,region", *lines, ""]))
    account = ["--dataset", "people", "--cap", "90", "--relation", "add-remove", "--n-max", "1000"]
    run("ledger", "create", "l.ledger", *account)
    return tmp_path


# Flags


def test_flags_and_a_study_are_one_request(place):
    (place / "study.toml").write_text(STUDY)
    flags = ["--quantiles", "age", "--median", "age", *BOUNDS, *COST]
    first = json.loads(run("release", "people.csv", *flags, "--ledger", "l.ledger", "--yes", "--json").stdout)
    again = run("release", "study.toml", "--data", "people.csv", "--ledger", "l.ledger", "--yes", "--json")
    assert json.loads(again.stdout) == first
    assert [each["at"] for each in first["statistics"]] == [["1/4", "1/2", "3/4"], ["1/2"]]
    at = ["--at", "0.25,0.5,0.75"]
    assert json.loads(run("plan", *flags, *at, "--json").stdout) == json.loads(run("plan", *flags, "--json").stdout)


def test_a_branching_may_be_said_and_is_chosen_otherwise():
    asked = ["plan", "--median", "age", *BOUNDS, *COST, "--json"]
    (chosen,) = json.loads(run(*asked).stdout)["lines"]
    (said,) = json.loads(run(*asked, "--branching", "121").stdout)["lines"]
    assert (chosen["ranks"]["branches"], said["ranks"]["branches"]) == ([11, 11], [121])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--median", "age", "--at", "0.5", *BOUNDS], "--at belongs to --quantiles"),
        (["--mean", "age", "--at", "0.5", *BOUNDS], "--at belongs to --quantiles"),
        (["--mean", "age", "--branching", "4", *BOUNDS], "--branching belongs to --quantiles or --median"),
        (
            ["--sensitivity", "1", "--bounds", "0,9", "--if-rows", "4"],
            "--if-rows, --n-max is not read together with --sensitivity",
        ),
        (["--mean", "age", "--if-like", "people.csv", *BOUNDS], "--if-like is for quantiles and medians"),
        (["--quantiles", "age"], "Give --bounds"),
    ],
)
def test_flags_that_belong_to_nothing_are_refused(words, told, place):  # noqa: ARG001
    assert told in one(run("plan", *words, *COST, code=2).stderr)


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("0.5,0.25", "do not rise"),
        ("0,0.5", "at = 0 is no share between 0 and 1"),
        ("50", "at = 50 is no share"),
        ("half", "at"),
    ],
)
def test_shares_that_are_none_are_refused(at, told):
    assert told in one(run("plan", "--quantiles", "age", "--at", at, *BOUNDS, *COST, code=1).stderr)


def test_an_accuracy_is_refused_in_words_that_fit():
    asked = ["plan", "--median", "age", *BOUNDS, "--n-max", "1000", "--accuracy", "3"]
    told = one(run(*asked, code=1).stderr)
    assert "depends on the rows" in told
    assert "two releases" not in told


def test_init_asks_for_shares_and_for_a_step(place):
    words = ["people", "n", "n", "1000", "1", "median", "pay", "0 to 5000", "0", "50", "1"]
    words += ["0.9,0.1", "0.1,0.9", "", "median pay", "0.5", "", "save"]
    run("init", "s.toml", input="\n".join([*words, ""]))
    first, second = snapdp.study(place / "s.toml").asked
    assert first.statistic.column.levels == 100
    assert (first.statistic.title, second.statistic.title) == ("quantiles(pay)", "median(pay)")


# Plan


def test_a_plan_says_rows_share_levels_and_tree():
    text = run("plan", "--quantiles", "age", *BOUNDS, "--n-max", "10000", "--epsilon", "0.5").stdout
    assert "± 32.13 rows" in text
    told = one(text)
    assert "in 95 of 100 releases the number of rows at or below any one given value is known to ± x" in told
    assert "0.3213 %" not in told
    at_length = one(
        run("plan", "--quantiles", "age", *BOUNDS, "--n-max", "10000", "--epsilon", "0.5", "--details").stdout
    )
    assert "0.3213 % of at most 10000 rows; 121 levels are counted in wide ranges and in narrower ones" in at_length
    assert "within them (11 x 11), so that a rank is a sum of few counts" in at_length
    assert "With 10 % more epsilon each: quantiles(age) ± 29.21." in at_length
    assert "Bounds: age 0 to 120." in told
    assert "Numbers beyond a bound count as that bound. Numbers are rounded to steps: age 1." in at_length
    assert "rows without age are left out, and how many count is private" in told
    both = one(run("plan", "--quantiles", "age", "--mean", "age", *BOUNDS, "--n-max", "10000", "--epsilon", "1").stdout)
    assert both.count("rows without age are left out") == 1
    for jargon in ("derived", "split", "count at each", "accuracy a:"):
        assert jargon not in told
    assert max(map(len, text.splitlines())) <= 80


def test_a_plan_has_accuracies_and_rows_where_both_are_asked_for():
    told = one(run("plan", "--mean", "age", "--median", "age", *BOUNDS, *COST).stdout)
    assert "± x: in 95 of 100 releases" in told
    assert "± x rows: in 95 of 100 releases" in told


def test_the_figures_of_a_plan_are_in_its_json():
    asked = ["plan", "--quantiles", "age", *BOUNDS, "--n-max", "10000", "--epsilon", "0.5", "--json"]
    (line,) = json.loads(run(*asked).stdout)["lines"]
    ranks = line["ranks"]
    assert (ranks["radius_shown"], ranks["share_shown"], ranks["levels"]) == ("32.13", "0.3213", 121)
    assert (ranks["rows"], ranks["rows_are_public"]) == (10000, False)
    (count,) = json.loads(run("plan", "--count", *COST, "--json").stdout)["lines"]
    assert "ranks" not in count
    assert "if_like" not in line


def test_a_public_file_tells_the_error_in_units_of_the_column(place):
    (place / "public.csv").write_text("age\n" + "\n".join(map(str, range(1, 100))) + "\n\n999\n")
    asked = ["plan", "--quantiles", "age", "--at", "0.1,0.5", *BOUNDS, *COST, "--if-like", "public.csv"]
    (line,) = json.loads(run(*asked, "--if-rows", "200", "--json").stdout)["lines"]
    study = snapdp.study(
        dataset="x", relation="add-remove", n_max=1000, statistic=[
            {"kind": "quantiles", "column": "age", "at": ["0.1", "0.5"], "epsilon": 2}
        ],
        columns={"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"}},
    )  # fmt: skip
    found = study.plan().lines[0].error_if_like([*range(1, 100), 999], rows=200)
    assert [each["value"] for each in line["if_like"]] == ["10", "50"]
    assert [(int(each["low"]), int(each["high"])) for each in line["if_like"]] == [(x.low, x.high) for x in found]
    text = one(run(*asked, "--if-rows", "200").stdout)
    assert "if 200 rows were distributed like the public ones" in text
    assert "if 1,000 rows were" in one(run(*asked).stdout)
    assert "FILE is public" in one(run("plan", "--help").stdout)
    grouped = [*asked, "--by", "sex", "--categories", "f,m"]
    assert "if 100 rows of a group were distributed like" in one(run(*grouped, "--if-rows", "200").stdout)
    assert "if 500 rows of a group were distributed like" in one(run(*grouped).stdout)


def test_a_public_file_without_the_column_is_refused(place):
    (place / "public.csv").write_text("years\n3\n")
    asked = ["plan", "--median", "age", *BOUNDS, *COST, "--if-like", "public.csv"]
    assert "age" in run(*asked, code=1).stderr


def test_a_plan_of_quantiles_has_a_picture(place):
    run("plan", "--median", "age", *BOUNDS, *COST, "--plot", "plan.svg")
    assert "± rows of a rank (95 %)" in (place / "plan.svg").read_text()


# Release


def released(place, *words):
    outputs = ["--values", "v.csv", "--report", "r.html", "--record", "r.json"]
    found = run("release", "people.csv", *words, *COST, "--ledger", "l.ledger", "--yes", *outputs)
    return found, rows_of(place / "v.csv"), (place / "r.html").read_text()


def test_a_release_shows_quantiles_and_says_where_the_distribution_is(place):
    found, _, _ = released(place, "--quantiles", "age", *BOUNDS)
    assert "quantile" in found.stdout.splitlines()[1]  # the head of the column
    assert [line.split("│")[2].strip() for line in found.stdout.splitlines()[3:6]] == ["0.25", "0.5", "0.75"]
    assert len(found.stdout.splitlines()) == 7
    assert "In the report and in files of values: distribution of quantiles(age)." in one(found.stderr)
    shown = repr(snapdp.load_release(place / "r.json"))
    assert "quantiles(age) [0.5]" in shown
    assert "count at each level" not in shown
    assert len(shown.splitlines()) == 5


def test_quantiles_beside_other_statistics_have_the_word_in_their_cells(place):
    named = ["--categories", "north,south"]
    found, _, _ = released(place, "--quantiles", "age", "--histogram", "region", *named, *BOUNDS)
    assert "quantile 0.25" in found.stdout
    found, _, _ = released(place, "--quantiles", "age", "--by", "region", *named, *BOUNDS)
    assert "┃ region ┃ quantile 0.25 ┃" in found.stdout
    assert "│ north  │" in found.stdout
    head, *lines = (place / "people.csv").read_text().splitlines()
    (place / "people.csv").write_text("\n".join([f"{head},pay", *(f"{line},30" for line in lines), ""]))
    by_both = ["--by", "region,pay", "--categories", "region=north,south", "--edges", "pay=0,50,120"]
    both = [*by_both, "--bounds", "age=0,120", "--bounds", "pay=0,120", *BOUNDS[2:]]
    found, rows, _ = released(place, "--quantiles", "age", *both)
    assert "┃ region ┃ pay       ┃" in found.stdout
    assert "│ north  │ [0, 50)   │" in found.stdout
    assert [rows[0][key] for key in ("region", "pay", "quantile")] == ["north", "[0, 50)", "0.25"]


def test_a_file_of_values_has_quantiles_then_the_distribution_then_counts(place):
    _, rows, _ = released(place, "--quantiles", "age", *BOUNDS)
    assert {row["statistic"] for row in rows} == {"quantiles(age)"}
    assert list(dict.fromkeys(row["measure"] for row in rows)) == [
        "quantile", "rows up to", "rows in each 11 steps", "rows at each step",
    ]  # fmt: skip
    assert [row["quantile"] for row in rows if row["asked"] == "true"] == ["0.25", "0.5", "0.75"]
    assert [row["charged"] for row in rows][:2] == ["2", "0"]
    assert sum(int(row["charged"]) for row in rows) == 2


def test_keys_of_groups_are_named_quantile_and_up_to(place):
    grouped = ["--by", "region", "--categories", "north,south"]
    _, rows, page = released(place, "--quantiles", "age", "--at", "0.5,0.9", *grouped, *BOUNDS)
    assert [(row["region"], row["quantile"], row["up_to"]) for row in rows[:4]] == [
        ("north", "0.5", ""), ("north", "0.9", ""), ("south", "0.5", ""), ("south", "0.9", ""),
    ]  # fmt: skip
    assert (rows[4]["region"], rows[4]["quantile"], rows[4]["up_to"]) == ("north", "", "0")
    assert [rows[-1][key] for key in ("region", "age_from", "age_to")] == ["south", "120", "120"]
    assert '<th scope="col">region</th><th scope="col" class="r">quantile 0.5</th>' in page


def test_a_group_called_quantile_keeps_its_column(place):
    (place / "people.csv").write_text("age,quantile\n" + "".join(f"{age},a\n" for age in AGES))
    grouped = ["--by", "quantile", "--categories", "a,b"]
    _, rows, _ = released(place, "--quantiles", "age", *grouped, *BOUNDS)
    assert [(row["quantile"], row["quantile (key)"]) for row in rows[:2]] == [("a", "0.25"), ("a", "0.5")]


def test_a_report_has_quantiles_a_picture_and_the_rules(place):
    _, _, page = released(place, "--quantiles", "age", *BOUNDS)
    heads = [page.index(f'<th scope="col">{head}</th>') for head in ("quantile", "up to")]
    assert heads[0] < page.index("<svg") < heads[1]
    assert "Rows without age are left out. Of age between 0 and 120, rounded to steps of 1." in page
    assert "each of which holds by itself" in page
    assert page.index("count of each 11 levels") < page.index("count at each level")


def test_an_interval_that_reaches_a_bound_is_named(place):
    found, _, page = released(place, "--quantiles", "age", "--bounds", "0,50", "--integer", "--missing", "dropped")
    line = "quantiles(age): the interval of 0.75 reaches the bound 50: the clamped values end there."
    assert line in one(found.stderr)
    assert line in page
    assert line in one(repr(snapdp.load_release(place / "r.json")))


def test_quantiles_of_which_nothing_is_known_are_named(place):  # noqa: ARG001
    asked = ["--median", "age", *BOUNDS, "--n-max", "1000", "--epsilon", "1/1000", "--ledger", "l.ledger", "--yes"]
    told = one(run("release", "people.csv", *asked).stderr)
    assert "nothing will be known: give more epsilon, or a wider step" in told
    assert "median(age): nothing is known. The interval is everything that the number can be: too few rows" in told
    assert "reaches the bound" not in told


def test_a_median_is_a_number(place):
    _, rows, page = released(place, "--median", "age", *BOUNDS)
    release = snapdp.load_release(place / "r.json")
    assert float(release) == release.value == float(rows[0]["value"])
    assert "<h3>Single numbers</h3>" in page
    assert set(release.values) == {"median(age)", "distribution of median(age)"}
