"""`snapdp plan --ledger`: what is left, whether the plan fits, what all of it would mean; and nothing is charged."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from snapdp import Ledger
from snapdp.cli.app import main
from snapdp.display.text import guessed_right

STUDY = """format = 1
dataset = "people"
relation = "change-one"
n = 100
[columns.age]
kind = "integer"
lower = 0
upper = 99
missing = "middle"
[[statistic]]
kind = "mean"
column = "age"
epsilon = "1/4"
"""
MEAN = ["plan", "--mean", "age", "--bounds", "0,120", "--missing", "middle"]


def run(*words: str) -> Any:
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, list(words), prog_name="snapdp")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open an account of which half is spent."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n" + "41\n" * 100, encoding="utf-8")
    with Ledger.create("people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="change-one", rows=100)
    flags = [*MEAN[1:], "--n", "100", "--epsilon", "1/2"]
    assert run("release", "people.csv", *flags, "--ledger", "people.ledger", "--yes").exit_code == 0


def planned(epsilon: str, *, rows: str = "100", ledger: str = "people.ledger") -> Any:
    return run(*MEAN, "--n", rows, "--epsilon", epsilon, "--ledger", ledger)


def said(done: Any) -> str:
    assert done.exit_code == 0, done.stderr
    return " ".join(done.stdout.split())


def test_a_plan_that_fits_says_what_it_leaves_and_what_all_of_it_means():
    before = Path("people.ledger").read_bytes()
    text = said(planned("3/10"))
    assert "of the budget of people, epsilon 1, 0.5 is spent and 0.5 is left." in text
    assert "This plan needs 0.3: it fits, and leaves 0.2. All of it together is epsilon 0.8." in text
    assert f"from 50% to at most {guessed_right(Fraction(8, 10))}%" in text
    assert Path("people.ledger").read_bytes() == before


def test_a_plan_that_does_not_fit_says_by_how_much_and_how_it_would():
    text = said(planned("3/4"))
    assert "This plan needs 0.75: that is 0.25 more than is left. To make it fit: --fit --budget 0.5" in text
    fitted = run(*MEAN, "--n", "100", "--epsilon", "3/4", "--fit", "--budget", "0.5", "--ledger", "people.ledger")
    assert "it fits, and leaves 0." in said(fitted)


def test_a_plan_of_another_promise_says_that_it_cannot_be_charged_there():
    text = said(planned("1/10", rows="99"))
    assert "cannot be charged there: the request has n = 99; the account 'people' was opened with 100." in text
    assert "it fits" not in text


def test_machines_read_the_same():
    found = json.loads(run(*MEAN, "--n", "100", "--epsilon", "3/4", "--ledger", "people.ledger", "--json").stdout)
    assert found["account"] == {
        "dataset": "people", "cap": "1", "spent": "1/2", "left": "1/2", "needed": "3/4", "fits": False,
        "asked_before": False,
    }  # fmt: skip
    assert "account" not in json.loads(run(*MEAN, "--n", "100", "--epsilon", "3/4", "--json").stdout)


def test_persons_are_charged_to_an_account_of_persons():
    with Ledger.open("people.ledger") as ledger:
        ledger.create_account("visits", cap=1, relation="add-remove", rows=900, person="name")
    asked = ["plan", "--count", "--n-max", "900", "--person", "name", "--rows-per-person", "3", "--epsilon", "1"]
    assert "it fits, and leaves 0." in said(run(*asked, "--ledger", "people.ledger", "--dataset", "visits"))
    several = run(*asked, "--ledger", "people.ledger")
    assert several.exit_code == 2
    assert "Give --dataset NAME" in several.stderr


def test_a_study_names_its_account_itself():
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    with Ledger.open("people.ledger") as ledger:
        ledger.create_account("others", cap=1, relation="change-one", rows=100)
    assert "it fits, and leaves 0.25." in said(run("plan", "study.toml", "--ledger", "people.ledger"))
    assert run("plan", "study.toml", "--ledger", "people.ledger", "--dataset", "people").exit_code == 2


def test_a_ledger_that_is_not_there_is_refused():
    assert planned("1/2", ledger="nowhere.ledger").exit_code == 1


def test_the_same_request_again_is_said_to_be_free():
    text = said(planned("1/2"))
    assert "it is free. Otherwise it needs 0.5: it fits, and leaves 0." in text
    assert "is free" not in said(planned("3/10"))
