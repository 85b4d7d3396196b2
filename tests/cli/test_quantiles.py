"""Quantiles on the command line: flags, plan, and what is refused."""

from __future__ import annotations

import csv
import json

import pytest

import snapdp
from tests.cli.running import run

AGES = [(7 * i * i + 3 * i) % 90 for i in range(600)]
BOUNDS = ["--bounds", "0,120", "--integer", "--missing", "dropped"]
COST = ["--n-max", "1000", "--epsilon", "2"]


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
    run("ledger create l.ledger", *account)
    return tmp_path


# Flags


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
        (["--sensitivity", "1", "--bounds", "0,9", "--if-rows", "4"], "No such option '--sensitivity'"),
        (["--mean", "age", "--if-like", "people.csv", *BOUNDS], "--if-like is for quantiles and medians"),
        (["--quantiles", "age"], "Give --bounds"),
    ],
)
def test_flags_that_belong_to_nothing_are_refused(words, told, place):  # noqa: ARG001
    assert told in one(run("plan", *words, *COST, code=2).stderr)


def test_an_accuracy_is_refused_in_words_that_fit():
    asked = ["plan", "--median", "age", *BOUNDS, "--n-max", "1000", "--accuracy", "3"]
    told = one(run(*asked, code=1).stderr)
    assert "depends on the rows" in told
    assert "two releases" not in told


# Plan


def test_a_public_file_without_the_column_is_refused(place):
    (place / "public.csv").write_text("years\n3\n")
    asked = ["plan", "--median", "age", *BOUNDS, *COST, "--if-like", "public.csv"]
    assert "age" in run(*asked, code=1).stderr


def test_a_plan_of_quantiles_has_a_picture(place):
    run("plan --median age", *BOUNDS, *COST, "--plot", "plan.svg")
    assert "± rows of a rank (95 %)" in (place / "plan.svg").read_text()


# Release


def released(place, *words):
    outputs = ["--values", "v.csv", "--report", "r.html", "--record", "r.json"]
    found = run("release people.csv", *words, *COST, "--ledger", "l.ledger", "--yes", *outputs)
    return found, rows_of(place / "v.csv"), (place / "r.html").read_text()


def test_a_group_called_quantile_keeps_its_column(place):
    (place / "people.csv").write_text("age,quantile\n" + "".join(f"{age},a\n" for age in AGES))
    grouped = ["--by", "quantile", "--categories", "a,b"]
    _, rows, _ = released(place, "--quantiles", "age", *grouped, *BOUNDS)
    assert [(row["quantile"], row["quantile (key)"]) for row in rows[:2]] == [("a", "0.25"), ("a", "0.5")]


def test_a_median_is_a_number(place):
    _, rows, page = released(place, "--median", "age", *BOUNDS)
    release = snapdp.load_release(place / "r.json")
    assert float(release) == release.value == float(rows[0]["value"])
    assert "<h3>Single numbers</h3>" in page
    assert set(release.values) == {"median(age)", "distribution of median(age)"}
