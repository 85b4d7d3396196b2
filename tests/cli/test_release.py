"""`release`, `ledger`, `init`, `plan --sql`, `demo`: what people type, see and get; exit codes; no charge in vain."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp import Ledger, load_release
from snapdp.cli.app import main
from snapdp.cli.demo import STUDY, people, table_text
from snapdp.studies.study_file import load_study, study_from_toml

SHORT = ["--mean", "age", "--bounds", "0,120", "--n", "5000", "--epsilon", "0.5", "--missing", "middle"]
SHORT += ["--ledger", "people.ledger", "--yes"]


def run(*arguments: str, stdin: str | None = None):
    done = CliRunner().invoke(main, list(arguments), input=stdin)
    assert "broke" not in done.stderr
    return done


def say(line: str):
    return run(*line.split())


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    opened = say("ledger create people.ledger --dataset people --cap 2 --relation change-one --n 5000")
    assert opened.exit_code == 0
    return tmp_path


def spent() -> Fraction:
    with Ledger.open("people.ledger") as ledger:
        return ledger.account("people").spent


# Release


def test_the_short_form_publishes_a_mean_near_the_truth_and_charges_once():
    done = run("release", "people.csv", *SHORT, "--json")
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    (part,) = record["statistics"][0]["parts"]
    truth = Fraction(sum(age for age, _, _ in people()), 5000)
    exact = Fraction(part["shift"]) + Fraction(part["factor"]) * Fraction(part["grid"]) * part["index"][0]
    assert part["value"] == [float(exact)]
    assert abs(exact - truth) < 40 * Fraction(part["noise_scale"]) * Fraction(part["factor"])  # beyond: e**-40
    assert record["charged"] == "1/2"
    assert spent() == Fraction(1, 2)


def test_the_same_request_again_is_free_and_prints_the_same():
    first, second = (run("release", "people.csv", *SHORT) for _ in range(2))
    assert first.stdout == second.stdout
    assert "charged: epsilon 0.5; left: 1.5" in first.stderr
    assert "nothing was charged; left: 1.5" in second.stderr
    assert spent() == Fraction(1, 2)


def test_a_study_is_released_with_report_record_and_values():
    flags = ["--yes", "--report", "r.html", "--record", "r.json", "--values", "v.csv"]
    done = run("release", "study.toml", "--ledger", "people.ledger", *flags)
    assert done.exit_code == 0, done.stderr
    release = load_release("r.json")
    rows = list(csv.DictReader(Path("v.csv").read_text(encoding="utf-8").splitlines()))
    assert len(rows) == len(list(release.numbers())) == 1 + 4 + 4 + 8 + 4 + 1 + (3 + 121 + 11 + 121)
    assert float(rows[0]["value"]) == release.values["mean(age)"]
    assert run("ledger", "verify", "people.ledger", "--against", "r.json").exit_code == 0
    page = Path("r.html").read_text(encoding="utf-8")
    assert page == release.to_html()
    assert "mean(income) by region" in page


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["release", "people.csv", *SHORT[:-1]], 2, "give --yes"),
        (["release", "people.csv", *SHORT, "--report", "r.txt"], 2, "--report writes"),
        (["release", "people.csv", *SHORT, "--report", "no/r.html"], 2, "no such directory"),
        (["release", "people.csv", *SHORT, "--data", "people.csv"], 2, "--data belongs to a study"),
        (["release", "study.toml", *SHORT], 2, "not read together with a study"),
        (
            ["release", "people.csv", *SHORT[:-3], "--ledger", "none.ledger", "--yes"],
            1,
            "snapdp ledger create none.ledger",
        ),
        (["release", "people.csv", *SHORT, "--dataset", "other"], 1, "no account"),
        (["release", "none.csv", *SHORT], 1, "no file"),
        (["release", "people.csv", "--mean", "agee", *SHORT[2:]], 1, "no column named 'agee'"),
        (["release", "people.csv", *SHORT[:4], "--n", "4999", *SHORT[6:]], 1, "opened with 5000"),
        (["release", "people.csv", *SHORT[:4], "--n-max", "5000", *SHORT[6:]], 1, "relation"),
        (["release", "people.csv", *SHORT[:6], "--epsilon", "3", *SHORT[8:]], 1, "has 2 left of 2"),
        (["release", "people.csv", *SHORT[:6], "--epsilon", "0", *SHORT[8:]], 1, "epsilon"),
        (
            ["release", "study.toml", "--fit", "--budget", "3", "--ledger", "people.ledger", "--yes"],
            1,
            "--fit --budget 2",
        ),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_refusals_have_a_code_a_reason_and_cost_nothing(arguments, code, says):
    done = run(*arguments)
    assert (done.exit_code, done.stdout) == (code, "")
    assert says in done.stderr
    assert spent() == 0


def test_a_table_with_another_n_is_refused_without_telling_which():
    Path("people.csv").write_text(table_text(people()[:-1]), encoding="utf-8")
    done = run("release", "people.csv", *SHORT)
    assert done.exit_code == 1
    assert "4999" not in done.stderr
    assert spent() == 0


def test_refusals_are_json_where_json_was_asked_for():
    done = run("release", "people.csv", *SHORT[:6], "--epsilon", "3", *SHORT[8:], "--json")
    said = json.loads(done.stdout)
    assert (done.exit_code, said["ok"], said["spent"], done.stderr) == (1, False, "0", "")


def test_an_answer_of_no_charges_nothing(monkeypatch):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("snapdp.cli.release.sys", type("S", (), {"stdin": Terminal()}))
    done = run("release", "people.csv", *SHORT[:-1], stdin="n\n")
    assert done.exit_code == 1
    assert "Charge epsilon 0.5 to people (2 of 2 left)?" in done.stderr
    assert spent() == 0
    assert run("release", "people.csv", *SHORT[:-1], stdin="y\n").exit_code == 0
    assert spent() == Fraction(1, 2)


# The report


def test_an_audited_record_has_a_certificate_that_is_checked():
    run("release", "people.csv", *SHORT, "--record", "r.json")
    Path("audit").mkdir()
    done = run("verify", "r.json", "--ledger", "people.ledger", "--certificate", "audit/c.json")
    assert done.exit_code == 0
    assert "SOUND" in done.stdout
    assert run("verify", "audit/c.json").exit_code == 0
    text = Path("r.json").read_text(encoding="utf-8")
    Path("r.json").write_text(text.replace('"charged":"1/2"', '"charged":"1/3"'), encoding="utf-8")
    altered = run("verify", "r.json", "--json")
    assert altered.exit_code == 1
    assert [each["field"] for each in json.loads(altered.stdout)["findings"]] == ["charged"]
    Path("audit/c.json").write_text(Path("audit/c.json").read_text().replace('"charged":"1/2"', '"charged":"1/3"'))
    assert run("verify", "audit/c.json").exit_code == 1


# Ledger


@pytest.mark.parametrize(
    "flags",
    [
        "--relation change-one",
        "--relation change-one --n-max 5",
        "--relation add-remove --n 5",
        "--relation add-remove --n 5 --n-max 5",
        "--relation change-one --n 5 --person id",
        "--relation other --n 5",
    ],
)
def test_a_ledger_is_created_with_the_rows_of_its_relation_only(flags):
    done = say(f"ledger create new.ledger --dataset d --cap 1 {flags}")
    assert done.exit_code == 2
    assert not Path("new.ledger").exists()


def test_a_ledger_is_backed_up_and_restored_against_the_newest_record():
    run("release", "people.csv", *SHORT, "--record", "r.json")
    done = json.loads(run("ledger", "backup", "people.ledger", "b.ledger", "--json").stdout)
    assert done == {"ok": True, "backup": "b.ledger", "accounts": 1, "entries": 4}
    again = run("ledger", "backup", "people.ledger", "b.ledger")
    assert (again.exit_code, "exists already" in again.stderr) == (1, True)
    charged = run("release", "people.csv", *SHORT[:-3], "--ledger", "b.ledger", "--yes", "--epsilon", "0.25")
    assert (charged.exit_code, "is a copy" in charged.stderr) == (1, True)
    bare = run("ledger", "restore", "b.ledger", "new.ledger")
    assert (bare.exit_code, "newest record" in bare.stderr, Path("new.ledger").exists()) == (1, True, False)
    assert run("ledger", "restore", "b.ledger", "x", "--against", "r.json", "--no-record").exit_code == 2
    done = json.loads(run("ledger", "restore", "b.ledger", "new.ledger", "--against", "r.json", "--json").stdout)
    assert done == {"ok": True, "ledger": "new.ledger", "accounts": 1, "entries": 4}
    assert "a ledger again" in run("ledger", "restore", "b.ledger", "x", "--no-record").stdout
    assert "is a backup of" in run("ledger", "backup", "new.ledger", "y").stdout
    assert run("release", "people.csv", *SHORT[:-3], "--ledger", "new.ledger", "--yes").exit_code == 0


# Init and sql


def test_init_writes_a_study_that_reads_back():
    done = run("init", "new.toml", "--dataset", "people", *SHORT[:10], "--data", "people.csv")
    assert done.exit_code == 0, done.stderr
    study = load_study("new.toml")
    assert (study.dataset, study.data, study.relation.rows) == ("people", "people.csv", 5000)
    assert run("release", "new.toml", "--ledger", "people.ledger", "--yes").exit_code == 0
    assert run("init", "new.toml", *SHORT[:10]).exit_code == 2
    assert load_study("new.toml") == study


@pytest.mark.parametrize("more", [[], ["--data", "people.csv", "--budget", "1"]])
def test_init_without_a_statistic_says_what_to_give_with_an_example_that_runs(more):
    done = run("init", "new.toml", *more)
    assert done.exit_code == 2
    assert not Path("new.toml").exists()
    told = " ".join(done.stderr.split())
    Path("study.toml").unlink()
    assert run(*told.partition("for example: snapdp ")[2].split()).exit_code == 0
    assert load_study("study.toml").data == "people.csv"


def test_the_sql_of_a_plan_is_the_statement_of_the_study():
    text = run("plan", "study.toml", "--sql").stdout
    assert "COUNT_IF" in text
    assert "read_csv" not in text
    assert json.loads(run("plan", "study.toml", "--sql", "--json").stdout) == {"ok": True, "sql": text[:-1]}
    on_spark = run("plan", "study.toml", "--sql", "--dialect", "spark").stdout
    assert on_spark == snapdp.study("study.toml").sql(dialect="spark") + "\n"
    assert on_spark != text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["study.toml", "--dialect", "spark"], "--dialect belongs to --sql."),
        (["--count", "--n", "5", "--sql"], "give the study file"),
        (["study.toml", "--sql", "--fit"], "--fit is not read together with --sql."),
        (["study.toml", "--sql", "--ledger", "people.ledger"], "--ledger is not read together with --sql."),
        (["study.toml", "--sql", "--plot", "x.svg"], "--plot is not read together with --sql."),
    ],
)
def test_nothing_that_is_said_beside_sql_goes_unread(words, told):
    done = run("plan", *words)
    assert done.exit_code == 2
    assert told in " ".join(done.stderr.split())


# All commands


def test_the_demo_runs_in_a_fresh_process_and_can_be_repeated_free():
    done = subprocess.run(
        [sys.executable, "-m", "snapdp", "demo", "--directory", "demo"], capture_output=True, text=True, check=True
    )
    assert "charged: epsilon 1; left: 0" in done.stderr
    again = run("release", "demo/study.toml", "--ledger", "demo/people.ledger", "--yes", "--json")
    assert json.loads(again.stdout) == load_release("demo/record.json").record
    assert run("demo", "--directory", "demo").exit_code == 2
    other = run("release", "demo/study.toml", "--ledger", "demo/people.ledger", "--yes", "--fit", "--budget", "1/2")
    assert other.exit_code == 1
    assert "has 0 left" in other.stderr


def test_the_study_of_the_demo_describes_its_table():
    study = study_from_toml(STUDY)
    assert study.relation.rows == len(people())
    assert set(study.column("region").categories) == {region for _, _, region in people()}


# What readers are told


TOLD = ["--title", "How old we are", "--publisher", "Office <b>", "--contact", "office@example.org"]


def test_title_publisher_and_contact_are_in_record_and_report_and_ask_for_nothing():
    first = run("release", "people.csv", *SHORT, *TOLD, "--record", "r.json", "--report", "r.html")
    assert first.exit_code == 0
    record = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert [record[key] for key in ("title", "publisher", "contact")] == TOLD[1::2]
    page = Path("r.html").read_text(encoding="utf-8")
    assert "<h1>How old we are</h1>" in page
    assert "Office &lt;b&gt; &middot; contact: office@example.org" in page
    again = run("release", "people.csv", *SHORT, "--title", "Another", "--record", "again.json")
    assert again.exit_code == 0
    assert json.loads(Path("again.json").read_text(encoding="utf-8")) == record
    assert "keep the title, publisher and contact of then" in " ".join(again.stderr.split())


def test_a_title_that_no_page_could_show_is_refused_before_anything_is_charged():
    refused = run("release", "people.csv", *SHORT, "--title", "two\nlines")
    assert refused.exit_code == 1
    assert "title is no text for a report" in refused.stderr
    assert "study:" not in refused.stderr
    assert spent() == 0
