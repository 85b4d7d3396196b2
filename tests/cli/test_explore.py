"""`snapdp explore`: what is found, what is written, what it costs, and what is refused before anything is spent."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest
from click.testing import CliRunner

from snapdp.api.exploration import Exploration
from snapdp.api.study import study
from snapdp.cli.app import main
from snapdp.errors import DataError
from snapdp.ledger.ledger import Ledger
from snapdp.studies.declarations import digest

ROWS = 4000
HEADS = ("column", "bounds", "quartiles", "without a number")


@pytest.fixture
def people(tmp_path, monkeypatch):
    """A table of which the truth is known, and a ledger with room."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    dice = random.Random("people")
    lines = []
    for i in range(ROWS):
        age = "" if i % 10 == 0 else dice.randint(18, 99)
        income = "n/a" if i % 4 == 0 else round(dice.lognormvariate(10, 0.6), 2)
        lines.append(f"{age},{income},{dice.choice(['north', 'south', 'east'])}")
    (tmp_path / "people.csv").write_text("\n".join(["age,income,region", *lines]) + "\n")
    for name, relation in (("l", ("add-remove", "--n-max", "5000")), ("fixed", ("change-one", "--n", str(ROWS)))):
        done = run("ledger", "create", name, "--dataset", "people", "--cap", "90", "--relation", *relation)
        assert done.exit_code == 0, done.output
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, list(words))


LOOK = ("explore", "people.csv", "--columns", "age,income", "--n-max", "5000", "--ledger", "l", "--yes")
SHARP = ("--epsilon", "20")


def left(name="l"):
    with Ledger.open(name) as ledger:
        return ledger.account("people").left


@pytest.mark.usefixtures("people")
def test_bounds_quartiles_and_what_is_missing_come_out_right_in_80_columns():
    done = run(*LOOK, *SHARP)
    assert done.exit_code == 0, done.output
    text = done.stdout
    assert all(head in text for head in HEADS)
    assert all(len(line) <= 80 for line in text.splitlines())
    age, income = (" ".join(part.split("│")) for part in text.split("age", 1)[1].split("income", 1))
    assert "from 16" in age
    assert "to 128" in age
    assert "1/2: from 32 to 64" in " ".join(age.split())
    assert "from 4096" in income
    assert "to 131072" in income
    assert re.search(r"missing (9\.9|10)", text)  # epsilon 10 for each column: within a few of 4000 rows
    assert re.search(r"unreadable (24\.9|25)", text)
    assert "at most 5 % of the numbers of the column lie outside, with confidence 95" in " ".join(done.stderr.split())
    assert "charged: epsilon 20; left: 70" in done.stderr


@pytest.mark.usefixtures("people")
def test_the_study_that_is_written_has_the_bounds_and_says_which_record_they_come_from(people):
    files = ("--study", "study.toml", "--record", "r.json", "--report", "r.html", "--values", "v.csv")
    done = run(*LOOK, *SHARP, *files)
    assert done.exit_code == 0, done.output
    text = (people / "study.toml").read_text()
    record = json.loads((people / "r.json").read_text())
    assert digest((people / "r.json").read_text().rstrip("\n")) in text
    assert record["previous"] in text
    found = study("study.toml")
    assert (found.column("age").lower, found.column("age").upper) == (16, 128)
    assert found.data == "people.csv"
    assert run("release", "study.toml", "--ledger", "l", "--yes").exit_code == 0
    assert (people / "r.html").stat().st_size > 1000
    assert "magnitudes(age),lower bound,age,,16" not in text
    with (people / "v.csv").open(newline="", encoding="utf-8") as file:
        lower = next(row for row in csv.DictReader(file) if row["measure"] == "lower bound")
    assert (lower["statistic"], lower["column"], lower["low"]) == ("magnitudes(age)", "age", "16.0")
    bounds = next(each for each in record["derived"] if each["name"] == "bounds")
    assert bounds["cell"] == ["lower", "1/4", "1/2", "3/4", "upper"]
    assert (bounds["low"][0], bounds["high"][0]) == (16.0, None)
    assert (bounds["low"][4], bounds["high"][4]) == (None, 128.0)


@pytest.mark.usefixtures("people")
def test_a_study_that_somebody_wrote_meanwhile_is_not_overwritten(people, monkeypatch):
    path = people / "study.toml"
    writing = Exploration.study_text

    def meanwhile(self, **how):
        path.write_text("of somebody else")
        return writing(self, **how)

    monkeypatch.setattr(Exploration, "study_text", meanwhile)
    done = run(*LOOK, *SHARP, "--study", "study.toml")
    assert done.exit_code == 1
    assert "The release was made; asking again is free." in " ".join(done.stderr.split())
    assert path.read_text() == "of somebody else"


@pytest.mark.usefixtures("people")
def test_records_name_the_look_that_their_bounds_come_from_and_verify_looks_for_it(people):
    assert run(*LOOK, *SHARP, "--study", "study.toml", "--record", "look.json").exit_code == 0
    look = digest((people / "look.json").read_text().rstrip("\n"))
    assert study("study.toml").declared.bounds_from == look
    done = run("release", "study.toml", "--ledger", "l", "--yes", "--record", "r.json")
    assert done.exit_code == 0, done.output
    assert look in " ".join(done.stderr.split())
    assert json.loads((people / "r.json").read_text())["bounds_from"] == look
    told = run("verify", "r.json", "--ledger", "l")
    assert told.exit_code == 0, told.output
    assert "The look at the table that bounds come from is in the ledger" in " ".join(told.output.split())
    assert "bounds come from an earlier look" in " ".join(words(told.output))
    assert "The look" not in run("verify", "r.json").output
    text = (people / "study.toml").read_text()
    (people / "other.toml").write_text(text.replace(look, f"sha256:{0:064x}"))
    assert study("other.toml").request() == study("study.toml").request()  # no part of it: the same again is free
    (people / "wrong.toml").write_text(text.replace(look, "sha256:7"))
    assert "bounds_from is no digest" in run("plan", "wrong.toml").output
    assert run("verify", "r.json", "--certificate", "c.json").exit_code == 0
    assert run("verify", "c.json").exit_code == 0


def words(screen: str) -> list[str]:
    """Return the words of a screen without the lines of its tables."""
    return [each for each in screen.split() if each != "\u2502"]


@pytest.mark.usefixtures("people")
def test_bounds_of_a_look_that_nobody_paid_for_are_refused_before_the_charge(people):
    assert run(*LOOK, *SHARP, "--study", "study.toml").exit_code == 0
    text, look = (people / "study.toml").read_text(), study("study.toml").declared.bounds_from
    (people / "forged.toml").write_text(text.replace(look, f"sha256:{0:064x}"))
    before = run("ledger", "show", "l", "--json").output
    done = run("release", "forged.toml", "--ledger", "l", "--yes", "--record", "r.json")
    said = " ".join(done.stderr.split())
    assert done.exit_code == 1, done.output
    assert "was not charged for" in said
    assert "take bounds_from out of the study. Nothing was spent." in said
    assert run("ledger", "show", "l", "--json").output == before
    assert not (people / "r.json").exists()
    assert run("release", "study.toml", "--ledger", "l", "--yes").exit_code == 0
    assert run("release", "forged.toml", "--ledger", "l", "--yes").exit_code == 0  # the same again: its first record


@pytest.mark.usefixtures("people")
def test_a_dictionary_without_a_place_is_refused_before_the_charge_and_a_defect_of_it_is_told_after(
    people, monkeypatch
):
    taken = ["datapackage.json", "v.datapackage.json", *(f"v-{number}.datapackage.json" for number in range(2, 100))]
    for name in taken:
        (people / name).write_text("of somebody else")
    before = run("ledger", "show", "l", "--json").output
    files = ("--values", "v.csv", "--record", "r.json", "--study", "study.toml")
    done = run(*LOOK, *SHARP, *files)
    assert done.exit_code == 1
    assert "Write the values into another directory." in " ".join(done.stderr.split())
    assert run("ledger", "show", "l", "--json").output == before
    (people / "v.datapackage.json").unlink()

    def broken(*_):
        raise TypeError("a defect")

    monkeypatch.setattr("snapdp.release.data_package.write_dictionary", broken)
    done = run(*LOOK, *SHARP, *files)
    assert done.exit_code == 1
    assert "The release was made; asking again is free." in " ".join(done.stderr.split())
    assert (people / "r.json").exists()
    assert (people / "study.toml").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--columns", "agee"), "no column named 'agee'"),
        (("--columns", "age,age"), "named twice"),
        (("--columns", "region"), None),  # of text: all of it is no number, and that is an answer
        (("--columns", "age", "--epsilon", "0"), "epsilon"),
        (("--columns", "age", "--epsilon", "-1"), "epsilon"),
        (("--columns", "age", "--exponents", "5", "4"), "exponent 5 is above 4"),
        (("--columns", "age", "--exponents", "-200", "200"), "more than 256"),
        (("--columns", "age", "--outside", "0.9"), "outside"),
        (("--columns", "age", "--alpha", "2"), "alpha"),
        (("--columns", "age", "--categories", "region=north"), "belongs to no column"),
        (("--columns", "age", "--categories", "north,south"), "belongs to no column"),
        (("--columns", ""), "Which columns"),
        (("--columns", "age", "--study", "study.txt"), "--study writes .toml"),
        (("--columns", "age", "--study", "nowhere/study.toml"), "no such directory"),
        (("--columns", "age", "--study", "there.toml"), "it is not overwritten"),
        (("--columns", "age", "--n", "5"), "exclude each other"),
        (("--columns", "age", "--report", "r.txt"), "--report writes"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_spent(people, words, says):
    (people / "there.toml").write_text("mine")
    given = ("--epsilon", "1") if "--epsilon" not in words else ()
    done = run("explore", "people.csv", "--n-max", "5000", "--ledger", "l", "--yes", *given, *words)
    if says is None:
        assert done.exit_code == 0
        assert "unreadable" in done.stdout
        return
    assert done.exit_code in (1, 2)
    assert says in " ".join(done.output.split())
    assert left() == 90
    assert not list(people.glob("study.toml"))


def test_without_a_ledger_epsilon_or_relation_nothing_happens(people):
    for words, says in (
        (("--epsilon", "1", "--n-max", "5000"), "Which ledger is charged?"),
        (("--ledger", "l", "--n-max", "5000"), "What may it cost?"),
        (("--ledger", "l", "--epsilon", "1"), "Who is protected?"),
        (("--ledger", "none", "--epsilon", "1", "--n-max", "5000"), "snapdp ledger create none"),
    ):
        done = run("explore", "people.csv", "--columns", "age", "--yes", *words)
        assert done.exit_code in (1, 2)
        assert says in done.output
    assert run("explore", "study.toml", "--columns", "age", "--ledger", "l").exit_code == 2
    assert left() == 90
    assert not (people / "none").exists()


def test_a_study_that_cannot_be_written_after_the_charge_does_not_hide_what_was_found(people, monkeypatch):
    def full(*_):
        raise DataError("a file cannot be written: no space left.", "Choose another place.")

    monkeypatch.setattr("snapdp.drafts.write_new_text", full)
    done = run(*LOOK, *SHARP, "--study", "study.toml")
    assert done.exit_code == 1
    assert "from 16" in done.stdout
    assert "asking again is free" in " ".join(done.stderr.split())
    assert "wrote" not in done.stderr
    monkeypatch.undo()
    monkeypatch.chdir(people)
    assert run(*LOOK, *SHARP, "--study", "study.toml").exit_code == 0
    assert left() == 70


def test_a_budget_that_is_too_small_is_refused_before_the_table_is_read(people):
    done = run(*LOOK, "--epsilon", "91", "--study", "study.toml")
    assert done.exit_code == 1
    assert left() == 90
    assert not (people / "study.toml").exists()
