"""Booleans and dates as flags declare them; what is not read and what is not there."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.running import run

ROWS = 4359  # three thousand and more of one, a few of the other: 3,954 and 405

COST = ("--n", str(ROWS), "--epsilon", "20", "--ledger", "l", "--dataset", "survey", "--yes")
WHERE = ("--where", "child=1", "--categories", "child=0,1")


@pytest.fixture
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["0.0,yes,2023-07-01 00:00:00" if i < 3954 else "1.0,No,2024-01-31" for i in range(ROWS)]
    (tmp_path / "survey.csv").write_text("\n".join(["child,smokes,visit", *lines]) + "\n")
    run("ledger create l --dataset survey --cap 90 --relation change-one --n", str(ROWS))
    return tmp_path


def released(*flags):
    done = run("release survey.csv", *flags, *COST, "--json")
    (statistic,) = json.loads(done.stdout)["statistics"]
    (part,) = statistic["parts"]
    return dict(zip(part["cell"], part["value"], strict=True))


def near(counts, truth):
    assert counts.keys() == truth.keys()
    assert all(abs(counts[cell] - truth[cell]) <= 5 for cell in truth)  # epsilon 10 in each cell: beyond it by e**-50


@pytest.mark.usefixtures("survey")
def test_a_count_with_conditions_on_dates_and_booleans_comes_out_right():
    where = ["--where", "visit>=2024-01", "--where", "smokes=n", "--boolean", "smokes"]
    near(released("--count", *where, "--date", "visit=2023-07-01,2024-02-29,month"), {"": 405})


@pytest.mark.usefixtures("survey")
def test_a_date_without_a_name_belongs_to_the_column_that_is_left():
    found = released(
        "--histogram", "visit", "--by", "smokes", "--boolean", "smokes", "--date", "2023-01-01,2024-12-31,year"
    )
    near(found, {"false / 2023": 0, "false / 2024": 405, "true / 2023": 3954, "true / 2024": 0})


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        (("--histogram", "visit", "--date", "2023-01-01,2024-01-01"), "is not FROM,TO,EACH"),
        (("--histogram", "visit", "--date", "a=2023-01-01,2024-01-01,day"), "belongs to no column"),
        (("--histogram", "visit", "--boolean", "smoke"), "--boolean smoke belongs to no column"),
        (("--histogram", "visit", "--date", "2024-01-01,2023-01-01,day"), "is after to"),
        (("--histogram", "visit"), "dates: --date; true and false: --boolean"),
    ],
)
def test_flags_that_make_no_sense_say_why(flags, problem):
    done = run("plan", *flags, "--n", "9", "--epsilon", "1", code=None)
    assert done.exit_code != 0
    assert re.search(problem, " ".join(done.stderr.split()))


@pytest.mark.usefixtures("survey")
def test_a_workbook_is_refused_with_how_to_save_it():
    done = run("release people.xlsx --count", *WHERE, *COST, code=1)
    text = " ".join(done.stderr.split())
    assert "'people.xlsx' is an Excel workbook, which is not read here. In Excel choose File, Save As," in text


@pytest.mark.usefixtures("survey")
def test_a_forgotten_column_names_the_ones_there_are():
    done = run("release survey.csv --histogram smoke --boolean smoke --count", *WHERE, *COST, code=1)
    text = " ".join(done.stderr.split())
    assert "the table has no column named 'smoke'. It has 3 columns: 'child', 'smokes', 'visit'." in text
    assert "Did you mean 'smokes'?" in text
