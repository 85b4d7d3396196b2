"""`snapdp ledger`: accounts of studies, caps that rise for a reason, and what people see of them at 80 columns."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import snapdp
from snapdp import Ledger
from snapdp.cli.demo import STUDY, people, table_text
from tests.cli.running import run

SOURCE = Path(snapdp.__file__).parents[1]
WHY = "A second wave of the survey"
PERSONS = """format = 1
dataset = "visits"
relation = "add-remove"
n_max = 20
person = ["id", "land"]
rows_per_person = 2
[columns.pay]
kind = "integer"
lower = 0
upper = 10
missing = "middle"
[[statistic]]
kind = "sum"
column = "pay"
epsilon = "1/3"
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    Path("persons.toml").write_text(PERSONS, encoding="utf-8")
    return tmp_path


def account(path: str = "people.ledger", name: str = "people") -> Any:
    with Ledger.open(path) as ledger:
        return ledger.account(name)


def released() -> str:
    """Open the account of the study and release it; return the name of its record."""
    run("ledger create --from study.toml")
    run("release study.toml --ledger people.ledger --yes --record record.json")
    return "record.json"


# The account of a study


def test_a_study_opens_its_account_in_a_ledger_beside_it():
    Path("surveys").mkdir()
    Path("surveys/first.toml").write_text(STUDY, encoding="utf-8")
    done = run("ledger create --from surveys/first.toml")
    assert done.stdout == "surveys/people.ledger: account people opened with a cap of epsilon 1.\n"
    assert "Protects the values in any one row" in done.stderr
    assert "from 50% to at most 74%" in " ".join(done.stderr.split())
    assert "Next: snapdp inspect surveys/first.toml\n" in done.stderr
    assert "Then: snapdp release surveys/first.toml --ledger surveys/people.ledger" in done.stderr
    found = account("surveys/people.ledger")
    assert (found.cap, found.relation, found.rows, found.unit) == (1, "change-one", 5000, "row")
    again = run("ledger create --from surveys/first.toml", code=1)
    assert "the account 'people' exists already" in again.stderr
    assert "Try: snapdp ledger show surveys/people.ledger" in again.stderr
    assert account("surveys/people.ledger") == found


def test_two_commands_lead_from_a_study_to_its_numbers():
    released()
    assert account().spent == account().cap == 1


def test_a_dataset_that_is_no_file_name_has_a_ledger_named_like_its_study():
    Path("odd.toml").write_text(STUDY.replace('dataset = "people"', 'dataset = "people / 2026"'), encoding="utf-8")
    run("ledger create --from odd.toml")
    assert account("odd.ledger", "people / 2026").cap == 1


def test_a_study_joins_a_ledger_that_is_named():
    run("ledger create --from study.toml")
    done = run("ledger create people.ledger --from persons.toml --cap 2 --json")
    told = json.loads(done.stdout)
    assert (told["ledger"], told["dataset"], told["cap"]) == ("people.ledger", "visits", "2")
    assert told["unit"] == 'person (["id","land"])'


def test_a_study_without_a_budget_asks_for_the_cap_and_leaves_no_file():
    done = run("ledger create --from persons.toml", code=2)
    assert "has no budget: give --cap NUMBER" in done.stderr
    assert "The study asks for epsilon 1/3." in done.stderr
    assert not Path("visits.ledger").exists()


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        ("--dataset other", 2, "--dataset other: study.toml says dataset = people."),
        ("--relation add-remove", 2, "study.toml says relation = change-one"),
        ("--n 4", 2, "--n 4: study.toml says n = 5000."),
        ("--n-max 4", 2, "study.toml has no n_max"),
        ("--person id", 2, "study.toml has no person"),
        ("--unit-rows 3", 2, "study.toml says unit_rows = 1"),
        ("--rows-per-person 3", 2, "protects no persons"),
        ("--cap 1/2", 1, "cap = 1/2 is below the study's budget of 1."),
        ("--cap 0", 1, "cap = '0' is not positive"),
        ("--cap x", 2, "'x' is no number"),
    ],
)
def test_a_flag_that_contradicts_the_study_is_refused_and_nothing_is_written(flags, code, told):
    done = run(f"ledger create --from study.toml {flags}", code=code)
    assert told in " ".join(done.stderr.split()), done.stderr
    assert list(Path().glob("*.ledger*")) == []


def test_a_flag_that_says_the_same_is_fine_and_a_higher_cap_leaves_room_for_other_studies():
    same = "--dataset people --relation change-one --n 5000 --cap 3"
    run(f"ledger create --from study.toml {same}")
    assert account().cap == 3


def test_a_bound_on_the_rows_of_persons_is_fixed_where_it_is_asked_for():
    Path("one.toml").write_text(PERSONS.replace('["id", "land"]', '"id"'), encoding="utf-8")
    run("ledger create free.ledger --from one.toml --cap 1")
    run("ledger create fixed.ledger --from one.toml --cap 1 --person id --rows-per-person 2")
    run("ledger create other.ledger --from one.toml --cap 1 --rows-per-person 3", code=2)
    assert not Path("other.ledger").exists()
    assert account("free.ledger", "visits").unit == "person (id)"
    assert account("fixed.ledger", "visits").unit == "person (id, at most 2 rows)"
    shown = [" ".join(run(f"ledger show {name}.ledger").stdout.split()) for name in ("free", "fixed")]
    assert ["Every request uses at most 2 rows of each person." in each for each in shown] == [False, True]


def test_without_a_study_everything_is_asked_for_at_once():
    done = run("ledger create people.ledger --n 5", code=2)
    assert "Give --dataset, --cap, --relation as well, or --from STUDY.toml" in " ".join(done.stderr.split())
    run("ledger create --dataset d --cap 1 --relation change-one --n 5", code=2)
    run("ledger create people.csv --from people.csv", code=2)


# Amending


def test_a_raised_cap_says_what_it_means_and_stays_to_be_seen():
    released()
    done = run("ledger amend people.ledger --cap 2 --reason", WHY)
    assert done.stdout == "people.ledger: account people has a cap of epsilon 2 now, 1 spent, 1 left.\n"
    told = " ".join(done.stderr.split())
    assert "raise their chance of picking the right one from 50% to at most 74%" in told
    assert "From now on their chance rises from 50% to at most 89%." in told
    assert "weakens what the people in the table were promised" in told
    assert account().cap == 2
    for command in ("show", "history", "verify"):
        text = " ".join(run(f"ledger {command} people.ledger").stdout.replace("│", " ").split())
        assert "Cap raised from 1 to 2" in text
        assert WHY in text
        listed = json.loads(run(f"ledger {command} people.ledger --json").stdout)
        (amended,) = listed["accounts"][0]["amendments"] if command == "show" else listed["amendments"]
        assert (amended["before"], amended["cap"], amended["reason"], amended["closes"]) == ("1", "2", WHY, False)


@pytest.mark.parametrize(("answer", "expected"), [("y", 2), ("n", 1), ("", 1)])
def test_on_a_terminal_somebody_is_asked_once(answer, expected):
    run("ledger create --from study.toml")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "80", "TERM": "dumb"}
    words = ["ledger", "amend", "people.ledger", "--cap", "2", "--reason", WHY]
    command = [sys.executable, "-m", "snapdp", *words]
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        assert running.wait() == (0 if expected == 2 else 1)
    text = shown.decode()
    assert text.count("Raise the cap? [y/N]") == 1
    assert ("Nothing was changed." in text) is (expected == 1)
    assert max(map(len, re.split(r"\r\n|: (?=people.ledger)", text))) <= 80  # whoever types ends the line
    assert account().cap == expected


def test_one_of_several_accounts_is_named():
    run("ledger create people.ledger --from study.toml")
    run("ledger create people.ledger --from persons.toml --cap 1")
    run("ledger amend people.ledger --cap 2 --reason x", code=1)
    run("ledger amend people.ledger --dataset visits --cap 2 --reason x")
    assert (account().cap, account(name="visits").cap) == (1, 2)


# Screens
