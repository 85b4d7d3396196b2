"""Missing cells and conditions from the command line: always said, by column, and right on a table full of gaps.

The table is made up, of the shape of a labour survey: 44 % of the wages are missing or unreadable.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from snapdp.studies.study_file import load_study
from tests.cli.running import run

ROWS = 1000
SURE = [
    "--n",
    str(ROWS),
    "--epsilon",
    "200",
    "--ledger",
    "book.ledger",
    "--yes",
]  # noise of a hundredth: e**-100 to miss


def people() -> list[tuple[str, int, str]]:
    """Return wage, age and sex: of 100 people 56 tell a wage, the younger ones less often."""
    gaps = ["", "NaN", "n/a", "45,5"]
    return [
        (f"{8 + i % 13 + i % 4 * 0.25}" if i % 100 < 56 else gaps[i % 4], 20 + i % 60, "fm"[i % 2]) for i in range(ROWS)
    ]


@pytest.fixture(autouse=True)
def survey(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f'"{wage}",{age},{sex}' if "," in wage else f"{wage},{age},{sex}" for wage, age, sex in people()]
    Path("survey.csv").write_text("wages,age,sex\n" + "\n".join(lines) + "\n", encoding="utf-8")
    made = ["--dataset", "survey", "--cap", "9999", "--relation", "change-one", "--n", str(ROWS)]
    run("ledger create book.ledger", *made)


def told(*flags: str) -> dict:
    done = run("release survey.csv", *flags, *SURE, "--json")
    return dict(json.loads(done.stdout))


def answered(sex: str = "fm") -> list[float]:
    return [float(wage) for wage, _, each in people() if wage[:1].isdigit() and "," not in wage and each in sex]


def test_a_name_with_commas_and_equals_signs_has_its_rule():
    flags = ["--mean", "a,b=c", "--mean", "d", "--bounds", "a,b=c=0,1", "--bounds", "0,2", "--n", "5", "--epsilon", "1"]
    run("init odd.toml", *flags, "--missing", "a,b=c=dropped,d=1")
    study = load_study("odd.toml")
    assert study.column("a,b=c").missing is None
    assert study.column("d").missing == Fraction(1)


def test_without_a_rule_the_three_choices_are_told_whatever_the_data():
    """Also where no cell is missing, where the file is not there, and where nothing is opened at all."""
    Path("full.csv").write_text("wages,age\n" + "1,20\n" * ROWS, encoding="utf-8")
    flags = ["--mean", "wages", "--bounds", "0,50"]
    seen = {run("release", name, *flags, *SURE, code=2).stderr for name in ("survey.csv", "full.csv", "nowhere.csv")}
    assert len(seen) == 1
    (text,) = (" ".join(each.split()) for each in seen)
    for choice in ("--missing dropped", "--missing middle", "--missing NUMBER", "NAME=RULE", "in wages?"):
        assert choice in text
    run("plan", *flags, "--n", "5", "--epsilon", "1", code=2)
    run("release survey.csv --count --where sex=f --categories f,m", *SURE)
