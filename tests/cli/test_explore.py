"""`snapdp explore`: what is found, what is written, what it costs, and what is refused before anything is spent."""

from __future__ import annotations

import csv
import json
import random
import re

import pytest
from click.testing import CliRunner

from snapdp.api.exploring import Exploration
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
def test_the_same_look_again_is_free_also_where_another_part_of_it_is_shown():
    first = run(*LOOK, *SHARP)
    before = left()
    again = run(*LOOK, *SHARP, "--only", "bounds")
    assert again.exit_code == 0, again.output
    assert "answered before: nothing was charged" in again.stderr
    assert "quartiles" not in again.stdout
    assert "missing" not in again.stdout
    assert "from 16" in first.stdout
    assert "from 16" in again.stdout
    assert "1/2" in run(*LOOK, *SHARP, "--only", "quartiles").stdout
    assert "unreadable" in run(*LOOK, *SHARP, "--only", "missing").stdout
    assert left() == before == 70


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
    assert run("check", "c.json").exit_code == 0


def words(screen: str) -> list[str]:
    """Return the words of a screen without the lines of its tables."""
    return [each for each in screen.split() if each != "\u2502"]


@pytest.mark.usefixtures("people")
def test_a_report_does_not_say_that_its_epsilon_paid_for_bounds_that_a_look_found(people):
    assert run(*LOOK, *SHARP, "--study", "study.toml").exit_code == 0
    done = run(
        *("release", "study.toml", "--ledger", "l", "--yes", "--report", "r.html", "--record", "r.json"),
        *("--values", "v.csv"),
    )
    assert done.exit_code == 0, done.output
    record = json.loads((people / "r.json").read_text())
    page = (people / "r.html").read_text()
    assert "everything on this page cost" not in page
    assert "after seeing the results they" not in page
    assert "after seeing the results without the bounds of columns they could be right every time" in page
    assert "charged by itself and is not in this epsilon" in page
    assert record["bounds_from"] in page
    (resource,) = json.loads((people / "datapackage.json").read_text())["resources"]
    assert record["bounds_from"] in resource["bounds"]
    told = " ".join(words(run("verify", "r.json").output))
    assert "bounds, categories and n were not taken from the data" not in told
    assert "bounds come from an earlier look at the data" in told


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
def test_a_record_whose_look_is_not_in_its_ledger_is_not_sound(people, monkeypatch):
    assert run(*LOOK, *SHARP, "--study", "study.toml").exit_code == 0
    text, look = (people / "study.toml").read_text(), study("study.toml").declared.bounds_from
    (people / "study.toml").write_text(text.replace(look, f"sha256:{0:064x}"))
    monkeypatch.setattr("snapdp.release.release._check_look", lambda *_: None)  # a program that forgets to ask
    assert run("release", "study.toml", "--ledger", "l", "--yes", "--record", "r.json").exit_code == 0
    assert run("verify", "r.json").exit_code == 0
    done = run("verify", "r.json", "--ledger", "l", "--certificate", "c.json")
    said = " ".join(words(done.output))
    assert done.exit_code == 1, done.output
    assert "ALTERED: 1 field of r.json is not what it must be" in said
    assert not (people / "c.json").exists()
    found = json.loads(run("verify", "r.json", "--ledger", "l", "--json").output)
    assert (found["bounds_look_in_ledger"], found["ok"]) == (False, False)
    (finding,) = found["findings"]
    assert finding["field"] == "bounds_from"
    assert finding["should"] == "a look that this account of the ledger was charged for"


@pytest.mark.usefixtures("people")
def test_a_hostile_dictionary_costs_neither_record_nor_study_of_a_look(people):
    (people / "datapackage.json").write_text('{"snapdp_datapackage":1,"resources":[{"path":["a"]}]}')
    done = run(*LOOK, *SHARP, "--study", "study.toml", "--record", "r.json", "--values", "v.csv")
    assert done.exit_code == 0, done.output
    assert all((people / name).exists() for name in ("study.toml", "r.json", "v.csv"))


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

    monkeypatch.setattr("snapdp.release.tidy.data_package.write_dictionary", broken)
    done = run(*LOOK, *SHARP, *files)
    assert done.exit_code == 1
    assert "The release was made; asking again is free." in " ".join(done.stderr.split())
    assert (people / "r.json").exists()
    assert (people / "study.toml").exists()


@pytest.mark.usefixtures("people")
def test_a_column_of_texts_is_called_one_and_no_epsilon_is_recommended(people):
    done = run(*LOOK[:3], "region", *LOOK[4:], *SHARP, "--study", "study.toml")
    assert done.exit_code == 0, done.output
    said = " ".join(done.stderr.split())
    assert "region: most cells are no numbers, and no epsilon helps" in said
    assert "too few numbers" not in said
    assert "most of its cells are no numbers" in (people / "study.toml").read_text()


@pytest.mark.usefixtures("people")
def test_where_there_may_be_no_such_rows_only_their_most_is_said():
    done = run(*LOOK, "--epsilon", "1")
    cells = " ".join(done.stdout.split("│"))
    assert "unreadable none, or up to" in " ".join(cells.split())


def test_a_study_of_a_look_has_a_step_that_quantiles_can_have(people):
    assert run(*LOOK, *SHARP, "--study", "study.toml").exit_code == 0
    for name in ("age", "income"):
        column = study("study.toml").column(name)
        assert 1000 <= (column.upper - column.lower) / column.step < 2000
        assert (people / "study.toml").read_text().count("1 for whole numbers") == 1


@pytest.mark.usefixtures("people")
def test_the_record_is_audited(people):
    assert run(*LOOK, *SHARP, "--record", "r.json").exit_code == 0
    done = run("verify", "r.json", "--ledger", "l")
    assert done.exit_code == 0, done.output
    record = json.loads((people / "r.json").read_text())
    for place, key in ((0, "low"), (4, "high")):
        forged = json.loads(json.dumps(record))
        forged["derived"][0][key][place] *= 2
        (people / "forged.json").write_text(json.dumps(forged))
        assert run("verify", "forged.json").exit_code == 1


@pytest.mark.usefixtures("people")
def test_json_is_the_record():
    done = run(*LOOK, *SHARP, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["charged"] == "20"
    assert [each["kind"] for each in json.loads(done.stdout)["statistics"]] == ["magnitudes", "magnitudes"]


@pytest.mark.usefixtures("people")
def test_categories_are_counted_under_both_relations():
    words = ("explore", "people.csv", "--columns", "age,region", "--categories", "region=north,south", *SHARP, "--yes")
    for rows in (("--n-max", "5000", "--ledger", "l"), ("--n", str(ROWS), "--ledger", "fixed")):
        done = run(*words, *rows, "--study", f"{rows[-1]}.toml")
        assert done.exit_code == 0, done.output
        assert "north" in done.stdout
        assert "(other)" in done.stdout
        assert study(f"{rows[-1]}.toml").column("region").categories == ("north", "south")


@pytest.mark.usefixtures("people")
def test_where_nothing_can_be_said_it_is_said_and_the_study_has_a_comment_instead(people):
    done = run(*LOOK, "--epsilon", "0.001", "--study", "study.toml", "--outside", "0.001")
    assert done.exit_code == 0, done.output
    assert "not found" in done.stdout
    assert "not found: too few numbers for this epsilon" in " ".join(done.stderr.split())
    text = (people / "study.toml").read_text()
    assert "# age: no bounds were found at epsilon 0.0005" in text
    assert "[columns" not in "".join(line for line in text.splitlines() if not line.startswith("#"))


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


def test_whole_persons_are_protected(people):
    lines = [f"{i % 500},{20 + i % 40}" for i in range(2000)]
    (people / "visits.csv").write_text("\n".join(["id,age", *lines]) + "\n")
    who = ("--n-max", "2500", "--person", "id")
    assert (
        run("ledger", "create", "v", "--dataset", "v", "--cap", "50", "--relation", "add-remove", *who).exit_code == 0
    )
    words = ("explore", "visits.csv", "--columns", "age", *who, "--rows-per-person", "3", "--ledger", "v", "--yes")
    done = run(*words, *SHARP, "--record", "v.json", "--study", "v.toml")
    assert done.exit_code == 0, done.output
    parts = json.loads((people / "v.json").read_text())["statistics"][0]["parts"]
    assert {part["sensitivity"] for part in parts} == {"3"}
    assert study("v.toml").relation.rows_per_person == 3
    assert run("verify", "v.json", "--ledger", "v").exit_code == 0


def test_a_budget_that_is_too_small_is_refused_before_the_table_is_read(people):
    done = run(*LOOK, "--epsilon", "91", "--study", "study.toml")
    assert done.exit_code == 1
    assert left() == 90
    assert not (people / "study.toml").exists()


@pytest.mark.usefixtures("people")
def test_release_plan_and_init_take_magnitudes_by_their_flag():
    asked = ("--magnitudes", "age", "--n-max", "5000", *SHARP)
    assert "magnitudes(age)" in run("plan", *asked).stdout
    done = run("release", "people.csv", *asked, "--ledger", "l", "--yes")
    assert done.exit_code == 0, done.output
    lines = [line.split("│")[2:5] for line in done.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in line] for line in (lines[0], lines[-1])] == [
        ["lower", "16", "from 16"],
        ["upper", "128", "to 128"],
    ]
    assert run("init", "made.toml", *asked).exit_code == 0
    assert study("made.toml").column("age").kind == "magnitude"


def test_the_help_says_first_that_it_is_charged():
    listed = run("--help").stdout
    line = next(each for each in listed.splitlines() if each.strip().startswith("explore"))
    assert "charged" in line
    assert run("explore", "--help").stdout.split("\n\n")[1].strip().startswith("Charged: ")
