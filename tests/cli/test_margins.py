"""Margins on the command line: the figures for machines, and what is refused."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import run

TABLE = ["--count", "--by", "region,sex", "--categories", "region=north,south", "--categories", "sex=f,m"]
COST = ["--n-max", "100", "--epsilon", "1"]


def test_json_has_the_figures_of_every_margin():
    (line,) = json.loads(run("plan", *TABLE, *COST, "--margins", ";region,sex", "--json").stdout)["lines"]
    assert [each["margin"] for each in line["margins"]] == ["in total", "by region, sex"]
    assert [each["cells"] for each in line["margins"]] == [1, 4]
    for each in line["margins"]:
        assert each["adjusted"]["deviation"] < each["measured"]["deviation"]
        assert each["table_alone"]["accuracy_shown"]


def test_a_line_without_margins_has_no_field_for_them():
    (line,) = json.loads(run("plan", *TABLE, *COST, "--json").stdout)["lines"]
    assert "margins" not in line


def test_a_mean_with_margins_is_told_what_to_ask_instead():
    words = ["--mean", "age", "--bounds", "0,120", "--missing", "dropped", "--by", "sex", "--categories", "f,m"]
    said = run("plan", *words, *COST, "--margins", "all", code=1).stderr
    assert "a mean has no margins" in said
    assert "Ask for a sum and for a count" in said


# Levels of one column

COUNTY = ["--parents", "county: K=a, b; L=c"]


def test_names_with_signs_of_the_flag_stand_in_quotes():
    words = ["--count", "--by", "town", "--categories", 'a,b,"c;d = ""e"", f"', "--margins", "hierarchy"]
    parents = ["--parents", '"the county: all": "K = ""x""; y" = a, b; "L,M"="c;d = ""e"", f"']
    (line,) = json.loads(run("plan", *words, *parents, *COST, "--json").stdout)["lines"]
    assert [each["margin"] for each in line["margins"]] == ["in total", "by the county: all", "by town"]


@pytest.mark.parametrize(
    "words",
    [
        ["--count", "--by", "town,sex", "--categories", "town=a,b,c", "--boolean", "sex"],
        ["--count", "--where", "town=a", "--categories", "a,b,c"],
        ["--count", "--by", "town", "--boolean", "town"],
    ],
)
def test_parents_belong_to_the_one_column_of_by(words):
    assert "--parents belongs to the one column of --by" in run("plan", *words, *COUNTY, *COST, code=2).stderr


# Refusals

STUDY = """
format = {format}
dataset = "t"
relation = "add-remove"
n_max = 100
{top}
[columns.age]
kind = "integer"
lower = 0
upper = 9
missing = 4
{column}

[columns.sex]
kind = "category"
categories = ["f", "m"]

[[statistic]]
kind = "count"
epsilon = 1
{line}
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": 2}, "study: format = 1 is expected, not format = 2."),
        ({"line": 'by = "age,sex"'}, 'Several columns are a list: ["age", "sex"].'),
        ({"line": "rows_per_person = 2"}, 'Give person="id" under relation'),
    ],
)
def test_a_refusal_of_a_study_speaks_of_files(change, said, tmp_path):
    (tmp_path / "s.toml").write_text(STUDY.format(**{"format": 1, "top": "", "column": "", "line": "", **change}))
    told = run("plan", str(tmp_path / "s.toml"), code=1).stderr
    assert said in told
    assert "--" not in told


def test_a_refused_release_says_that_nothing_was_spent(tmp_path):
    ledger = str(tmp_path / "l.ledger")
    (tmp_path / "t.csv").write_text("region,sex\nnorth,f\n")
    run("ledger create", ledger, "--dataset", "t", "--cap", "1", "--relation", "add-remove", "--n-max", "100")
    for table, words in (("no.csv", TABLE), ("t.csv", ["--count", "--by", "regoin", "--categories", "north"])):
        told = run("release", str(tmp_path / table), *words, *COST, "--ledger", ledger, "--yes", code=1).stderr
        assert told.rstrip().endswith("Nothing was spent.")
    planned = run("plan", *TABLE, *COST, "--margins", "age", code=1).stderr
    assert "spent" not in planned
