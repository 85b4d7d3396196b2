"""Means that share a count on the command line: one request by flags, study and Python; what is shown and refused."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main

ROWS = [(31, 2000), (None, 1500), (60, None), (45, 3000), (18, 0)] * 40
BOUNDS = ["--bounds", "age=0,120", "--bounds", "income=0,5000", "--step", "1"]
TOGETHER = ["--means", "age,income", *BOUNDS]
COST = ["--n-max", "1000", "--epsilon", "1"]


def run(*words, code=0):
    found = CliRunner().invoke(main, list(words), env={"COLUMNS": "80"})
    assert found.exit_code == code, found.output
    return found


def one(text):
    return " ".join(text.split())


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in ROWS]
    (tmp_path / "people.csv").write_text("\n".join(["age,income", *lines, ""]))
    run("ledger", "create", "l.ledger", "--dataset", "people", "--cap", "9", "--relation", "change-one", "--n", "200")
    return tmp_path


STUDY = """format = 1
dataset = "people"
relation = "change-one"
n = 200
[columns.age]
kind = "number"
lower = 0
upper = 120
step = 1
missing = "dropped"
[columns.income]
kind = "number"
lower = 0
upper = 5000
step = 1
missing = "dropped"
[[statistic]]
kind = "mean"
columns = ["age", "income"]
complete = true
epsilon = 2
"""


def test_flags_study_and_python_are_one_request(place):
    (place / "people.toml").write_text(STUDY)
    flags = [*TOGETHER, "--complete", "--missing", "dropped", "--n", "200", "--epsilon", "2", "--dataset", "people"]
    first = run("release", "people.csv", *flags, "--ledger", "l.ledger", "--yes", "--record", "r.json")
    assert "charged: epsilon 2" in first.output
    again = run("release", "people.toml", "--data", "people.csv", "--ledger", "l.ledger", "--yes")
    assert "answered before: nothing was charged" in again.output
    for several in (["age", "income"], ("age", "income")):
        told = {"bounds": [(0, 120), (0, 5000)], "missing": "dropped", "step": 1, "epsilon": 2}
        found = snapdp.mean("people.csv", column=several, complete=True, ledger="l.ledger", **told)
        assert found.free
    assert list(found.value) == ["age", "income"]
    assert found.values == {"mean(age, income)": found.value}
    assert json.loads((place / "r.json").read_text())["charged"] == "2"
    run("verify", "r.json", "--ledger", "l.ledger", "--certificate", "c.json")
    assert "ACCEPTED" in run("check", "c.json").output


def test_a_name_with_a_comma_is_one_column_of_mean_as_it_was():
    found = json.loads(run("plan", "--mean", "a,b", "--bounds", "0,1", "--missing", "middle", *COST, "--json").stdout)
    assert found["lines"][0]["statistic"] == "mean(a,b)"
