"""`snapdp plan` and the plan before a release, as people read them: at 80 columns, in plain words, with odds."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from snapdp.studies.plans.text import columns_of
from tests.cli.running import run

WIDTH = 80
GROUPED = [
    *["plan", "--mean", "income", "--bounds", "0,10000", "--missing", "dropped", "--by", "region"],
    *["--categories", "north,south,east,west", "--n", "5000", "--epsilon", "0.4"],
]
LONG = "how many years ago somebody says that they were born, in whole ones 東京"
STUDY = f"""
format = 1
dataset = "people"
relation = "add-remove"
n_max = 400
budget = 1

[columns.age]
kind = "integer"
lower = 0
upper = 120
missing = "dropped"

[columns."{LONG}"]
kind = "integer"
lower = 0
upper = 120
missing = "middle"

[columns.region]
kind = "category"
categories = ["north", "south", "east", "west"]

[[statistic]]
kind = "mean"
column = "{LONG}"
epsilon = "0.5"
lock = true

[[statistic]]
kind = "variance"
column = "age"
by = "region"
epsilon = "0.3"

[[statistic]]
kind = "count"
by = "region"
margins = "all"
epsilon = "0.3"

[[statistic]]
kind = "quantiles"
column = "age"
at = ["0.25", "0.5"]
epsilon = "0.2"
"""


def one(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    rows = "".join(f"{i % 90},{i % 90},{('north', 'south', 'east', 'west')[i % 4]}\n" for i in range(300))
    Path("people.csv").write_text(f'age,"{LONG}",region\n{rows}', encoding="utf-8")
    return tmp_path


def test_machines_read_error_guess_usefulness_and_odds():
    found = json.loads(run(*GROUPED, "--if-rows", "1200", "--json").output)
    (line,) = found["lines"]
    assert (found["if_rows"], line["error"]["rows"], line["error"]["promised"]) == (1200, 300, False)
    assert line["error"]["text"] == "± 1413 if a group has 300 rows"
    assert Fraction(line["error"]["exact"]) > Fraction(line["error"]["range"]) / 10 == 1000
    assert (line["useful"]["useful"], line["useful"]["epsilon"]) == (False, "27/50")
    assert found["odds"]["right_of_100"] == 60
    assert "from 50% to at most 60%" in found["odds"]["text"]
    assert found["over"] is None
    useful = json.loads(run(*GROUPED[:-1], "0.54", "--if-rows", "1200", "--json").output)
    assert useful["lines"][0]["useful"] == {"useful": True, "epsilon": None, "text": None}
    public = ["plan", "--variance", "age", "--bounds", "0,120", "--missing", "60", "--n", "5000", "--epsilon", "1"]
    (line,) = json.loads(run(*public, "--json").output)["lines"]
    assert [each["name"] for each in line["errors"]] == ["variance(age)", "standard deviation"]
    assert (line["error"]["promised"], line["other_way"]["middle"]) == (True, "60")
    assert "within" in one(run(*public, "--details").output)


@pytest.mark.parametrize("details", [[], ["--details"]], ids=["short", "details"])
def test_no_line_is_wider_than_the_terminal_and_a_plan_over_its_budget_says_what_to_cut(place, details):  # noqa: ARG001
    text = run("plan", "study.toml", *details).output
    assert max(map(columns_of, text.splitlines())) <= WIDTH
    told = one(text)
    assert "Plan: epsilon 1.3 of a budget of 1, 0.3 too much" in told
    assert "Too much. --fit makes every epsilon 62.5 % of what it is, the locked ones as they are:" in told
    assert "Or leave out variance(age) by region (0.3)" in told
    assert ("a sum of squared distances from 60" in told) == bool(details)
    for jargon in ("alpha", "centred", "derived", "Neighbours", "numerator"):
        assert jargon not in told
    over = json.loads(run("plan", "study.toml", "--json").output)["over"]
    assert (over["epsilon"], over["fitted"][0]) == ("3/10", "1/2")
    assert len(over["enough"]) == 3
