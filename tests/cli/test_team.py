"""The commands at a team ledger: whose answer it is, drawing one's own, an account that cannot be read."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import run
from tests.services import missing, new_database, postgres_server
from tests.unit.ledger.teams import Team, psycopg

TERMS = ["--count", "--n-max", "100", "--epsilon", "0.25", "--yes"]


@pytest.fixture
def team(tmp_path, monkeypatch):
    """A ledger that the command made, with ann and bob admitted, and a table."""
    if psycopg is None:
        missing("postgres", "psycopg is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n31\n42\n", encoding="utf-8")
    with new_database(postgres_server()) as where:
        found = Team(where)
        try:
            run("ledger", "create", found.at("keeper"), "--dataset", "people", *CREATED)
            for each in ("ann", "bob"):
                found.sql("keeper", f"SELECT snapdp.admit('{found.roles[each]}')")
            yield found
        finally:
            found.drop()


CREATED = ["--cap", "1", "--relation", "add-remove", "--n-max", "100"]


def test_another_role_is_named_and_own_draws_anew(team):
    release = ("release", "people.csv", *TERMS, "--dataset", "people", "--ledger")
    first = run(*release, team.at("ann"), "--record", "first.json")
    assert "drawn by" not in first.stderr
    for more in ((), ("--json",)):
        again = run(*release, team.at("bob"), "--report", "again.html", *more)
        assert f"drawn by {team.roles['ann']}" in again.stderr
    with open("again.html", encoding="utf-8") as report:
        assert "drawn by" not in report.read()  # a report is a function of the record, whoever asks for it
    own = json.loads(run(*release, team.at("bob"), "--own", "--json").stdout)
    assert own["own"] == team.roles["bob"]
    shown = json.loads(run("ledger", "show", team.at("bob"), "--json").stdout)
    assert shown["accounts"][0]["spent"] == "1/2"
    with open("own.json", "w", encoding="utf-8") as file:
        json.dump(own, file)
    for record in ("first.json", "own.json"):
        run("verify", record, "--ledger", team.at("keeper"))


STUDY = """format = 1
dataset = "visits"
relation = "add-remove"
n_max = 100
person = "id"
budget = "1/2"
[columns.age]
kind = "integer"
lower = 0
upper = 120
missing = "middle"
[[statistic]]
kind = "sum"
column = "age"
epsilon = "1/2"
"""


def test_the_keeper_opens_the_account_of_a_study_raises_its_cap_and_closes_it_and_analysts_see_it(team, tmp_path):
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "visits.csv").write_text("id,age\na,31\nb,42\n", encoding="utf-8")
    done = run("ledger", "create", team.at("keeper"), "--from", "study.toml", "--json")
    assert json.loads(done.stdout)["unit"] == "person (id)"
    again = run("ledger", "create", team.at("keeper"), "--from", "study.toml", code=1)
    assert "exists already" in again.stderr
    run("release", "study.toml", "--data", "visits.csv", "--ledger", team.at("ann"), "--yes", "--record", "r.json")
    raised = ("--dataset", "visits", "--cap", "2", "--reason", "A second wave")
    refused = run("ledger", "amend", team.at("ann"), *raised, code=1)
    assert "does not let this role do that" in " ".join(refused.stderr.split())
    run("ledger", "amend", team.at("keeper"), *raised)
    run("ledger", "amend", team.at("keeper"), "--dataset", "visits", "--close", "--reason", "done")
    for who in ("ann", "bob"):
        accounts = json.loads(run("ledger", "show", team.at(who), "--json").stdout)["accounts"]
        (visits,) = [each for each in accounts if each["dataset"] == "visits"]
        assert (visits["cap"], visits["closed"]) == ("2", True)
        assert [each["author"] for each in visits["amendments"]] == [team.roles["keeper"]] * 2
        told = run("ledger", "history", team.at(who), "--dataset", "visits").stdout.replace("│", " ")
        assert f"by {team.roles['keeper']}: A second wave" in " ".join(told.split())
    found = run("verify", "r.json", "--ledger", team.at("keeper"))
    assert "Cap raised from 0.5 to 2" in " ".join(found.stdout.split())


@pytest.mark.parametrize(
    ("unit", "asked", "other"),
    [
        (("--person", "id"), ("--persons", "--person", "id"), ("--count", "--person", "land")),
        (("--person", "id,land"), ("--persons", "--person", "id,land"), ("--count", "--person", "land,id")),
        (("--person", "[id"), ["--count", "--rows-per-person", "2", "--person", "[id"], ("--count", "--person", "id")),
        (("--unit-rows", "3"), ("--count", "--unit-rows", "3"), ("--count",)),
        (
            ("--person", "id", "--rows-per-person", "2"),
            ["--count", "--person", "id", "--rows-per-person", "2"],
            ("--persons", "--person", "id"),
        ),
    ],
)
def test_an_analyst_asks_under_the_unit_of_the_account_and_no_other(team, unit, asked, other, tmp_path):
    (tmp_path / "visits.csv").write_text("id,land,[id,age\nann,x,1,31\nann,y,1,42\n", encoding="utf-8")
    run("ledger", "create", team.at("keeper"), "--dataset", "visits", *CREATED, *unit)
    to = ("--n-max", "100", "--epsilon", "0.25", "--yes", "--dataset", "visits", "--ledger", team.at("ann"))
    run("release", "visits.csv", *asked, *to, "--record", "visits.json")
    refused = run("release", "visits.csv", *other, *to, code=1)
    assert "the request has unit" in " ".join(refused.stderr.split())
    run("verify", "visits.json", "--ledger", team.at("keeper"))
    run("ledger", "verify", team.at("keeper"))


def test_own_is_refused_for_a_file_before_anything_is_charged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age\n31\n42\n", encoding="utf-8")
    run("ledger", "create", "file.ledger", "--dataset", "people", *CREATED)
    refused = run("release", "people.csv", *TERMS, "--ledger", "file.ledger", "--own", code=1)
    assert "knows no roles" in refused.stderr
    assert json.loads(run("ledger", "show", "file.ledger", "--json").stdout)["accounts"][0]["spent"] == "0"


def test_a_second_account_is_opened_in_the_same_database(team):
    run("ledger", "create", team.at("keeper"), "--dataset", "wages", *CREATED)
    accounts = json.loads(run("ledger", "show", team.at("ann"), "--json").stdout)["accounts"]
    assert [account["dataset"] for account in accounts] == ["people", "wages"]


def test_show_names_an_account_that_cannot_be_read_and_shows_the_others(team):
    run("ledger", "create", team.at("keeper"), "--dataset", "wages", *CREATED)
    table = "ALTER TABLE snapdp.entry"
    worse = "UPDATE snapdp.entry SET body = body || ' ' WHERE account = 'people'"
    team.sql("keeper", f"{table} DISABLE TRIGGER append_only", worse, f"{table} ENABLE TRIGGER append_only")
    shown = run("ledger", "show", team.at("ann"), code=1)
    assert "wages" in shown.stdout
    assert "entry 0 of the account 'people' was altered" in shown.stderr
    told = json.loads(run("ledger", "show", team.at("ann"), "--json", code=1).stdout)
    assert (told["ok"], [account["dataset"] for account in told["accounts"]]) == (False, ["wages"])
