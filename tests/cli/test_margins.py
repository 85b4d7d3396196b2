"""Margins on the command line: what a plan shows, what a release prints, and what is refused."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main

TABLE = ["--count", "--by", "region,sex", "--categories", "region=north,south", "--categories", "sex=f,m"]
COST = ["--n-max", "100", "--epsilon", "1"]


def run(*words, code=0):
    found = CliRunner().invoke(main, list(words), env={"COLUMNS": "80"})
    assert found.exit_code == code, found.output
    return found


def test_a_plan_shows_every_margin_measured_adjusted_and_from_the_table_alone():
    short, shown = (run("plan", *TABLE, *COST, "--margins", "all", *more).output for more in ([], ["--details"]))
    for word in ("in total", "by region", "by sex", "by region, sex", "adjusted so that they add up", "(alone ± "):
        assert word in short
    for word in ("measured", "adjusted", "alone", "(standard deviation "):
        assert word in shown
    assert "4 margins with 9 numbers together" in " ".join(shown.split())
    assert "margins bring nothing here" in " ".join(short.split())  # of so small a table
    assert max(map(len, (short + shown).splitlines())) <= 80


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


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--margins", "age"], "'age', which is not in by"),
        (["--margins", "some;region"], "'some', which is not in by"),
        (["--margins", "all", "--shares", "1/2,1/2"], "2 shares for 4 margins measured"),
        (["--margins", "region;sex", "--shares", "1"], "1 share for 2 margins measured"),
        (["--margins", "all", "--shares", "1/2,1/4,1/8,1/4"], "not positive parts of 1"),
        (["--shares", "1"], "shares belong to margins"),
        (["--margins", "region;region"], "asked for twice"),
    ],
)
def test_what_is_no_margin_is_refused_in_words(words, said):
    assert said in run("plan", *TABLE, *COST, *words, code=1).stderr


def test_a_mean_with_margins_is_told_what_to_ask_instead():
    words = ["--mean", "age", "--bounds", "0,120", "--missing", "dropped", "--by", "sex", "--categories", "f,m"]
    said = run("plan", *words, *COST, "--margins", "all", code=1).stderr
    assert "a mean has no margins" in said
    assert "Ask for a sum and for a count" in said


PERSONS = ["--persons", *TABLE[1:], "--person", "id"]


def test_a_table_of_persons_has_margins_where_each_has_one_cell_and_is_told_why_not_where_several():
    asked = ["plan", *PERSONS, *COST, "--groups-per-person", "1", "--margins", "all"]
    assert "each person counts in 1 group, the same in all margins." in " ".join(run(*asked).output.split())
    shown = " ".join(run(*asked, "--details").output.split())
    assert "each person counts in 1 group, the same in all margins; 4 margins with 9 numbers together" in shown
    refused = " ".join(
        run("plan", *PERSONS, *COST, "--groups-per-person", "2", "--margins", "all", code=1).stderr.split()
    )
    assert "persons in up to 2 groups have no margins" in refused
    assert "Give --groups-per-person 1; or ask for each margin as a statistic of its own" in refused
    shown = run("plan", *PERSONS, *COST, "--groups-per-person", "2").output
    assert "at most 2 groups, which do not add up" in " ".join(shown.split())


def test_a_release_prints_the_adjusted_tables_and_says_where_the_measured_are(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("region,sex\n" + "north,f\nsouth,m\n" * 20)
    ledger, record = str(tmp_path / "l.ledger"), str(tmp_path / "r.json")
    run("ledger", "create", ledger, "--dataset", "t", "--cap", "1", "--relation", "add-remove", "--n-max", "100")
    found = run(
        "release", str(table), *TABLE, *COST, "--margins", "all", "--ledger", ledger, "--yes", "--record", record
    )
    assert "adjusted count by region" in " ".join(found.stdout.split())
    assert "│ count by" not in found.stdout
    assert "the tables as measured are in the record" in " ".join(found.stderr.split())
    verified = run("verify", record, "--ledger", ledger)
    assert verified.exit_code == 0


# Levels of one column

LEVELS = ["--count", "--by", "town", "--categories", "a,b,c", "--margins", "hierarchy"]
COUNTY = ["--parents", "county: K=a, b; L=c"]


def test_a_plan_shows_every_level_from_the_top_down_and_says_whose_figures_they_are():
    shown = run("plan", *LEVELS, *COUNTY, *COST, "--details").output
    places = [shown.index(word) for word in ("    in total", "    by county", "    by town")]
    assert places == sorted(places)
    said = " ".join(shown.split())
    assert "3 levels with 6 numbers together" in said
    assert "the figures are those of the one that errs most" in said
    assert max(map(len, shown.splitlines())) <= 80
    (line,) = json.loads(run("plan", *LEVELS, *COUNTY, *COST, "--json").stdout)["lines"]
    assert [each["margin"] for each in line["margins"]] == ["in total", "by county", "by town"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 1, "'town' declares no parents"),
        (["--parents", "county:K=a,b;L=b,c"], 1, "'b' is in two parents at level 'county'"),
        (["--parents", "county:K=a,b"], 1, "'c' has no parent at level 'county'"),
        (["--parents", "K=a,b;L=c"], 2, "is not LEVEL:PARENT=A,B;PARENT=C,D"),
        (["--parents", "county:K;L=c"], 2, "is not LEVEL:PARENT=A,B;PARENT=C,D"),
        (["--parents", "county:"], 2, "is not LEVEL:PARENT=A,B;PARENT=C,D"),
        (["--parents", "town=county:K=a,b;L=c"], 2, "is not LEVEL:PARENT=A,B;PARENT=C,D"),
        (["--parents", "county:K=a,b;K=c"], 2, "says something twice"),
        (["--parents", "county:K=a,b;L="], 2, "A list is empty"),
        (["--parents", "county:K=a,,b;L=c"], 2, "has an item that is empty"),
        (["--parents", 'county:"K=a,b;L=c'], 2, "stands in double quotes"),
        ([*COUNTY, *COUNTY], 2, "says something twice"),
        ([*COUNTY, "--shares", "1/2,1/2"], 1, "2 shares for 3 margins"),
    ],
)
def test_what_is_no_hierarchy_is_refused_in_words(words, code, said):
    assert said in " ".join(run("plan", *LEVELS, *COST, *words, code=code).stderr.split())


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


def test_a_release_prints_all_levels_and_its_record_is_verified(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("town\n" + "a\nb\nc\n" * 20)
    ledger, record = str(tmp_path / "l.ledger"), str(tmp_path / "r.json")
    run("ledger", "create", ledger, "--dataset", "t", "--cap", "1", "--relation", "add-remove", "--n-max", "100")
    words = ["release", str(table), *LEVELS, *COUNTY, *COST, "--ledger", ledger, "--yes", "--record", record]
    shown = " ".join(run(*words).stdout.split())
    for title in ("adjusted count in total", "adjusted count by county", "adjusted count by town"):
        assert title in shown
    assert run("verify", record, "--ledger", ledger).exit_code == 0


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
    run("ledger", "create", ledger, "--dataset", "t", "--cap", "1", "--relation", "add-remove", "--n-max", "100")
    for table, words in (("no.csv", TABLE), ("t.csv", ["--count", "--by", "regoin", "--categories", "north"])):
        told = run("release", str(tmp_path / table), *words, *COST, "--ledger", ledger, "--yes", code=1).stderr
        assert told.rstrip().endswith("Nothing was spent.")
    planned = run("plan", *TABLE, *COST, "--margins", "age", code=1).stderr
    assert "spent" not in planned
