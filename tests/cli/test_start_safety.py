"""`snapdp start` when things go wrong: nothing is charged unseen or twice, nothing published is lost or overwritten."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from snapdp import Ledger
from snapdp.cli.app import main
from snapdp.cli.start import finish
from snapdp.cli.start.place import Place
from snapdp.errors import DataError
from snapdp.studies import load_study
from tests.cli.conversing import refusals
from tests.cli.test_start import ABOUT, ROWS, place as place, start, told, write_table

RELATION = ["n", "n", "100"]
COUNT = ["count", "", ""]
ASKED = [*RELATION, "1", *COUNT, *ABOUT]
PUBLISHED = ("report.html", "values.csv", "record.json")


def spent(path: str = "people.ledger", name: str = "people") -> Fraction:
    with Ledger.open(path) as ledger:
        return ledger.account(name).spent


def opened(path: str, *, name: str = "people", cap: int = 1) -> None:
    with Ledger.create(path) as ledger:
        ledger.create_account(name, cap=cap, relation="add-remove", rows=100)


def go_on(done: Any, *answers: str, code: int = 0) -> Any:
    """Run the command that was printed last, as a shell reads it."""
    command = [line for line in done.stderr.split("\n") if line.startswith("  snapdp start ")][-1]
    words = shlex.split(command)[1:]
    text = "".join(f"{each}\n" for each in answers)
    again = CliRunner(env={"COLUMNS": "80"}).invoke(main, words, input=text)
    assert again.exit_code == code, again.stderr
    return again


def draft() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("people.start.json").read_text(encoding="utf-8"))
    return found


def edited(answers: list[Any]) -> None:
    values = draft()
    values["answers"] += answers
    Path("people.start.json").write_text(json.dumps(values), encoding="utf-8")


# What the command line named


def test_whoever_goes_on_charges_the_ledger_that_was_named():
    os.mkdir("safe place")
    opened("safe place/team.ledger")
    done = start("1/2", "count", flags=["--ledger", "safe place/team.ledger"], code=1)
    assert "snapdp start people.csv --ledger 'safe place/team.ledger'\n" in done.stderr
    for again in (go_on(done, "1", code=1), start("1", code=1)):  # the flag may be left out
        assert again.stderr.count("--ledger 'safe place/team.ledger'") >= 1
    start("1", "", "", *ABOUT, "release", "y")
    assert spent("safe place/team.ledger") == Fraction(1, 2)
    assert not Path("people.ledger").exists()


def test_everything_that_was_named_is_in_the_command_that_goes_on():
    Path("people.csv").write_text("a;b\n1,5;x\n2;y\n", encoding="utf-8")
    named = ["--ledger", "l.ledger", "--dataset", "survey", "--delimiter", ";", "--decimal", ",", "--null", "-,n a"]
    done = start("n", flags=[*named, "--directory", "my files", "--budget", "1/3"], code=1)
    line = "--delimiter ';' --decimal , --null='-,n a' --directory 'my files'\n"
    assert f"snapdp start people.csv --ledger l.ledger --dataset survey {line}" in done.stderr
    saved = go_on(done, "1", "n", "9", *COUNT, *ABOUT, "save")
    study = load_study("my files/study.toml")
    assert (study.budget, study.dataset, study.csv and study.csv.null) == (Fraction(1, 3), "survey", ("", "-", "n a"))
    released = go_on(saved, "1", "release", "y")
    assert "my files/study-2.toml" in released.stderr
    assert spent("l.ledger", "survey") == Fraction(1, 3)


def test_answers_are_not_taken_to_another_ledger_or_account():
    start("n", flags=["--ledger", "a.ledger", "--dataset", "a"], code=1)
    done = start(flags=["--ledger", "b.ledger"], code=1)
    assert "were given for --ledger a.ledger, not for --ledger b.ledger." in told(done)
    assert "where it stopped" not in done.stderr
    assert "snapdp start people.csv --ledger a.ledger --dataset a\n" in done.stderr
    assert "for --dataset a, not for --dataset b." in told(start(flags=["--dataset", "b"], code=1))
    start("1", "y", flags=["--ledger", "b.ledger"], code=1)
    assert draft()["named"] == {"ledger": "b.ledger"}


def test_what_is_named_later_is_said_and_holds():
    start("n", flags=["--budget", "1"], code=1)
    done = start("go on", flags=["--ledger", "b.ledger", "--budget", "2"], code=1)
    assert "These answers were given without --ledger b.ledger." in told(done)
    assert "The budget is 2 now; it was 1." in told(done)
    done = start("go on", "n", "9", *COUNT, *ABOUT, "release", "y")
    assert "In a new ledger, b.ledger: 2 of 2 will be spent" in told(done)
    assert spent("b.ledger") == 2


def test_a_password_is_in_no_draft(monkeypatch):
    monkeypatch.setattr("snapdp.cli.start.command.existing_account", lambda *_: None)
    done = start("n", flags=["--ledger", "postgresql://ann:s3cret@db/people"], code=1)
    assert "s3cret" not in done.output + Path("people.start.json").read_text(encoding="utf-8")
    assert draft()["named"]["ledger"] == "postgresql://ann@db/people"


def test_answers_about_a_table_of_the_same_name_elsewhere_are_not_taken():
    os.mkdir("sub")
    os.link("people.csv", "sub/people.csv")
    start("n", flags=["--directory", "out"], code=1)
    assert "is no draft of answers" in told(start(file="sub/people.csv", flags=["--directory", "out"], code=1))


# One table, one budget


@pytest.mark.parametrize("link", ["latest.csv", "sub/people.csv"])
def test_a_link_to_a_table_has_the_ledger_of_the_table(link):
    os.mkdir("sub")
    os.symlink(os.path.relpath("people.csv", os.path.dirname(link) or "."), link)
    start(*ASKED, "release", "y")
    done = start(file=link, code=1)
    assert "is a link: the table is people.csv." in told(done)
    assert "  snapdp release people-release/study.toml --ledger people.ledger\n" in done.stderr
    assert list(Path().rglob("*.ledger")) == [Path("people.ledger")]
    assert spent() == 1


@pytest.mark.parametrize("copied", [os.link, lambda old, new: Path(new).write_bytes(Path(old).read_bytes())])
def test_a_copy_of_a_table_gets_no_new_ledger_beside_the_one_that_knows_it(copied: Callable[[str, str], Any]):
    start(*ASKED, "release", "y")
    copied("people.csv", "copy.csv")
    done = start(*ASKED, "release", file="copy.csv", flags=["--yes"], code=1)
    assert "people.ledger knows this data already, under the account 'people'." in told(done)
    assert not Path("copy.ledger").exists()
    named = start("1", "release", file="copy.csv", flags=["--yes", "--ledger", "own.ledger"])
    assert "what both ledgers spend adds up" in told(named)


def test_a_refused_start_opens_no_account():
    start(*ASKED, "release", flags=["--yes", "--dataset", "survey"])
    flags = ["--yes", "--ledger", "survey.ledger"]
    os.rename("people.ledger", "survey.ledger")
    done = start(*ASKED, "release", flags=flags, code=1)
    assert "known under the account 'survey', not 'people'" in told(done)
    assert "--dataset survey" in told(done)
    with Ledger.open("survey.ledger") as ledger:
        assert [each.name for each in ledger.accounts()] == ["survey"]
    assert not Path("people-release-2").exists()


# What was charged can be had again


def test_the_study_is_there_before_the_charge(monkeypatch):
    def killed(*_: Any, **__: Any) -> None:
        assert load_study("people-release/study.toml").dataset == "people"
        raise SystemExit(9)

    monkeypatch.setattr("snapdp.api.study.Study.release", killed)
    start(*ASKED, "release", flags=["--yes"], code=9)


def test_a_release_that_is_refused_leaves_no_study(monkeypatch):
    def refused(*_: Any, **__: Any) -> None:
        raise DataError("the files changed while they were read.")

    monkeypatch.setattr("snapdp.api.study.Study.release", refused)
    done = start(*ASKED, "release", flags=["--yes"], code=1)
    assert "The files changed" in told(done)
    assert not Path("people-release").exists()


def test_files_that_could_not_be_written_are_had_again_by_the_command_that_is_printed(monkeypatch):
    with monkeypatch.context() as failing:
        failing.setattr("snapdp.drafts.write_text", lambda *_: (_ for _ in ()).throw(DataError("the disk is full.")))
        done = start(*ASKED, "release", flags=["--yes"], code=1)
    command = done.stderr.partition("To have what is missing, free of charge:\n  snapdp ")[2].split("\n")[0]
    assert CliRunner().invoke(main, shlex.split(command)).exit_code == 0
    assert all(Path("people-release", name).is_file() for name in PUBLISHED)
    assert spent() == 1


def test_what_was_lost_is_released_again_free_though_nothing_is_left():
    start(*ASKED, "release", "y")
    before = Path("people-release/record.json").read_bytes()
    os.rename("people-release", "lost")
    done = start("y", "", *COUNT, *ABOUT, "release")  # nobody is asked before the charge: nothing is charged
    assert "all of 1 was spent. Nothing new can be released" in told(done)
    assert "given again, and nothing is charged" in told(done)
    assert "charge the ledger?" not in done.stderr
    assert Path("people-release/record.json").read_bytes() == before
    assert spent() == 1


def test_nothing_new_is_released_where_nothing_is_left():
    start(*ASKED, "release", "y")
    os.rename("people-release", "lost")
    done = start("y", "2", "1/2", *COUNT, *ABOUT, "release", flags=["--yes"], code=1)
    assert refusals(done.stderr) == 2
    assert "Nothing is left, and all that was released cost 1 together. Type what the release cost" in told(done)
    assert "only a release that was made before can be had" in told(done)
    assert "has 0 left of 1" in told(done)
    assert spent() == 1
    assert not Path("people-release").exists()


@pytest.mark.parametrize("answer", ["", "n", "<"])
def test_where_nothing_is_left_and_no_study_is_here_whoever_wants_nothing_again_is_asked_once(answer):
    start(*ASKED, "release", "y")
    os.rename("people-release", "lost")
    done = start(answer, code=1)
    assert "the snapdp release command of then gives it again, free." in told(done)
    assert "Stopped. Nothing was charged." in told(done)
    assert done.stderr.count("> ") == 1
    assert not Path("people.start.json").exists()


def test_where_nothing_is_left_the_commands_that_help_are_told_and_nothing_is_asked():
    start(*ASKED, "release", "y")
    done = start(code=1)
    assert "Released before (UTC):" in done.stderr
    assert ", epsilon 1: count" in done.stderr
    assert f"Reports that are here: {Path('people-release/report.html')}" in told(done)
    assert "Who answers for the data decides on it" in told(done)
    assert "  snapdp ledger amend people.ledger --dataset people --cap NUMBER --reason TEXT\n" in done.stderr
    assert "> " not in done.stderr
    command = done.stderr.partition("To have the numbers again, free while the table is as it was:\n  snapdp ")[2]
    assert CliRunner().invoke(main, shlex.split(command.split("\n")[0])).exit_code == 0
    assert spent() == 1


def test_a_ledger_of_another_name_that_is_here_is_named_before_a_new_one_is_made():
    opened("before.ledger")
    assert "Here already: before.ledger. If that has the account of this table, stop" in told(start(code=1))
    assert "Here already" not in told(start(flags=["--ledger", "people.ledger"], code=1))


def test_a_part_that_was_spent_can_be_asked_for_again():
    opened("people.ledger")
    start("3/4", *COUNT, *ABOUT, "release", "y")
    start("3/4", *COUNT, *ABOUT, "release")
    assert spent() == Fraction(3, 4)


def test_a_closed_account_is_said_to_be_closed_and_why():
    opened("people.ledger")
    with Ledger.open("people.ledger") as ledger:
        ledger.close_account("people", reason="the study ended")
    done = start(code=1)
    assert "was closed on 20" in told(done)
    assert "the study ended" in told(done)
    assert "was spent" not in told(done).replace("Nothing was spent", "")


def test_of_a_closed_account_what_was_released_can_be_had():
    start(*RELATION, "1/2", *COUNT, *ABOUT, "release", "y")
    with Ledger.open("people.ledger") as ledger:
        ledger.amend("people", cap=2, reason="more")
        ledger.close_account("people", reason="the study ended")
    assert "snapdp ledger amend" not in start(code=1).stderr
    os.rename("people-release", "lost")
    done = start("y", "1/2", *COUNT, *ABOUT, "release")
    assert "its account was closed on 20" in told(done)
    assert "(the study ended)" in told(done)
    assert spent() == Fraction(1, 2)


# A draft holds no decision


@pytest.mark.parametrize("word", ["release", "save", "1"])
def test_no_draft_holds_that_something_is_released(word):
    start(*ASKED, word, "n", code=0 if word == "save" else 1)
    assert not any(key[0] == "plan" for key, _ in draft()["answers"])


@pytest.mark.parametrize("flags", [[], ["--yes"]])
def test_whoever_goes_on_sees_the_plan_before_the_charge_whatever_a_draft_says(flags):
    start(*ASKED, code=1)
    edited([[["plan", "1"], "release"]])
    done = start("go on", flags=flags, code=1)
    assert "This is the plan. What now?" in done.stderr
    assert "charge the ledger?" not in done.stderr
    assert not Path("people.ledger").exists()


def test_a_draft_that_others_changed_is_seen_before_the_charge():
    start(*ASKED, code=1)
    edited([[["budget"], "50"], [["about", "title"], "By a colleague"]])
    assert "Epsilon 50 hides nothing" in told(start("go on", "", "quit", code=1)).partition("Keep 50?")[0]
    edited([[["budget"], "50"], [["about", "title"], "By a colleague"]])
    done = start("go on", "y", "release", "n", code=1)
    before = told(done).partition("Release it, and charge the ledger?")[0]
    assert before.count("Epsilon 50 hides nothing") == 3  # with the question, the plan, and the charge
    assert 'title "By a colleague"' in before


def test_an_epsilon_that_hides_nothing_is_said_though_nobody_is_asked():
    start(*ASKED, code=1)
    done = start("go on", "release", flags=["--yes", "--budget", "50"])
    assert "Epsilon 50 hides nothing" in told(done).partition("Written to")[0].partition("1 release")[2]


def test_answers_of_a_draft_are_checked_anew():
    start(*ASKED, code=1)
    edited([[["n_max"], "minus 4"]])
    assert '"minus 4" is no whole number' in told(start("go on", code=1))


@pytest.mark.parametrize("kind", ["pipe", "link", "directory", "many", "long"])
def test_a_draft_that_others_laid_there_neither_hangs_nor_is_followed(kind):
    start("n", code=1)
    text = json.dumps({**draft(), "answers": [[["x", str(each)], "1"] for each in range(10_000)]})
    os.rename("people.start.json", "elsewhere.json")
    if kind == "pipe":
        os.mkfifo("people.start.json")
    elif kind == "link":
        os.symlink("elsewhere.json", "people.start.json")
    elif kind == "directory":
        os.mkdir("people.start.json")
    else:
        long = json.dumps({**json.loads(text), "answers": [[["several"], "n" * 200_000]]})
        Path("people.start.json").write_text(text if kind == "many" else long, encoding="utf-8")
    kept = Path("elsewhere.json").read_bytes()
    done = start("1", "n", "n", code=1)
    assert "is no draft of answers" in told(done)
    assert Path("elsewhere.json").read_bytes() == kept
    if kind != "directory":
        assert [text for _, text in draft()["answers"]] == ["n", "n"]


def test_no_line_gets_more_than_a_million_times_as_much():
    lines = [*RELATION, "1", "count", "", "count by region", "1", "a, b", "", "", *ABOUT]
    done = start(*lines, "more", "1", "1e900", "1000", "more", "1", "1001", "1000", "save")
    assert refusals(done.stderr) == 2


# Files that others published


def test_a_directory_that_another_conversation_took_is_left_to_it(monkeypatch):
    asked = finish.asked_once

    def meanwhile(*_: Any, **__: Any) -> bool:
        monkeypatch.setattr(finish, "asked_once", asked)
        write_table("other.csv", ROWS[:3])
        start(*ASKED, "release", flags=["--yes", "--directory", "out"], file="other.csv")
        return True

    monkeypatch.setattr(finish, "asked_once", meanwhile)
    done = start(*ASKED, "release", flags=["--directory", "out"], code=1)
    assert "exists, and is not overwritten" in told(done)
    assert json.loads(Path("out/record.json").read_text(encoding="utf-8"))["dataset"] == "other"
    assert load_study("out/study.toml").dataset == "other"
    assert not Path("people.ledger").exists()


def test_a_new_directory_is_never_one_that_somebody_else_made(monkeypatch):
    os.mkdir("people-release")
    monkeypatch.setattr(os.path, "lexists", lambda _: False)
    where = Place(data=Path("people.csv"), ledger="l", stem="people")
    assert [str(where.made_directory()) for _ in range(2)] == ["people-release-2", "people-release-3"]


def test_a_file_that_came_after_the_charge_is_not_overwritten(monkeypatch):
    from snapdp.api.study import Study

    release = Study.release

    def meanwhile(*given: Any, **more: Any) -> Any:
        found = release(*given, **more)
        Path("people-release/report.html").write_text("another's", encoding="utf-8")
        return found

    monkeypatch.setattr(Study, "release", meanwhile)
    done = start(*ASKED, "release", flags=["--yes"], code=1)
    assert Path("people-release/report.html").read_text(encoding="utf-8") == "another's"
    assert "--report people-release/new-report.html" in done.stderr
    assert Path("people-release/record.json").is_file()


# A first row is not shown


@pytest.mark.parametrize(
    "row",
    ["4111111111111111,1234567890123456", "Alice Smith,1e5,2020-01-01", '"45,000",$12,12%', "Ann,ann@example.org"],
)
def test_a_first_row_is_not_shown_before_somebody_says_that_it_has_names(row):
    Path("people.csv").write_text(f"{row}\n1,2,3\n", encoding="utf-8")
    done = start("n", code=1)
    assert "Is the first line of the file one of column names?" in done.stderr
    assert not any(cell.strip('"') in done.output for cell in row.split(",") if len(cell) > 2)


def test_a_row_with_decimal_commas_is_asked_for_semicolons():
    Path("people.csv").write_text("Mueller;12,5;1.234,5\n", encoding="utf-8")
    done = start("y", "2", code=1)
    assert "Do semicolons stand between the cells" in done.stderr
    assert "Is the first line of the file one of column names?" in done.stderr
    assert "Mueller" not in done.output


def test_that_a_first_line_has_names_is_asked_again_of_another_line():
    Path("people.csv").write_text("2019,2020\n1,2\n", encoding="utf-8")
    start("y", "n", code=1)
    assert "Is the first line" not in start("go on", code=1).stderr
    Path("people.csv").write_text("Alice Smith,45000\n1,2\n", encoding="utf-8")
    done = start("go on", code=1)
    assert "Is the first line" in done.stderr
    assert "Alice" not in done.output
    done = start("go on", "y", code=1)
    assert told(done).count("Is the first line") == 1
    assert "1 Alice Smith 2 45000" in told(done)
