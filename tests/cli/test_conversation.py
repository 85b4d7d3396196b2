"""What commands say when something is wrong: in the words of flags, with a next step, and what it has cost."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import pytest

import snapdp
from snapdp import Ledger
from snapdp.cli import release, screen
from snapdp.cli.app import main
from tests.cli.running import run

SOURCE = Path(snapdp.__file__).parents[1]
MEAN = ["--mean", "age", "--bounds", "0,120", "--missing", "dropped", "--n", "4"]
ASK = ["release", "people.csv", *MEAN, "--epsilon", "0.3", "--ledger", "people.ledger"]
OPEN = ["--dataset", "people", "--cap", "1", "--relation", "change-one", "--n", "4"]


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age,region\n31,north\n42,south\n53,north\n64,east\n", encoding="utf-8")
    run("ledger create people.ledger", *OPEN)
    return tmp_path


def spent() -> Fraction:
    with Ledger.open("people.ledger") as ledger:
        return ledger.account("people").spent


def process(*words: str, **settings: Any) -> Any:
    command = [sys.executable, "-m", "snapdp", *words]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False, **settings)


def on_a_terminal(*words: str, **settings: str) -> str:
    """Run a command on a terminal of 80 columns and return what it showed."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "80", "LINES": "40", "TERM": "xterm", **settings}
    command = [sys.executable, "-m", "snapdp", *words]
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        shown = b""
        try:
            while more := os.read(ours, 65536):
                shown += more
        except OSError:  # Linux ends a terminal so
            pass
        running.wait()
    os.close(ours)
    return shown.decode()


# Output that cannot be written


def test_a_full_disk_is_no_defect_and_hides_no_charge():
    with open("/dev/full", "w", encoding="utf-8") as full:
        for form in ([], ["--json"]):
            epsilon = ["--epsilon", "0.4"] if form else []
            done = process(*ASK, *epsilon, "--yes", *form, stdout=full)
            assert done.returncode == 74
            assert done.stderr.rstrip().endswith(
                "Cannot write the output: no space left on device. "
                f"Epsilon {'0.4' if form else '0.3'} was charged: the same request again is free."
            )
        assert spent() == Fraction(7, 10)
        again = process(*ASK, "--json", stdout=full)
        assert again.stderr == "Cannot write the output: no space left on device.\n"  # free, and nobody was asked
        shown = process("--help", stdout=full)
    assert (shown.returncode, shown.stderr) == (74, "Cannot write the output.\n")


def test_who_reads_no_further_is_told_of_a_charge_only(monkeypatch):
    def torn(*_: Any, err: bool = False, **__: Any) -> None:
        if not err:
            raise BrokenPipeError(32, "Broken pipe")

    said: list[str] = []
    monkeypatch.setattr(screen.click, "echo", torn)
    monkeypatch.setattr(screen, "say", said.append)
    run("ledger show people.ledger --json", code=74)
    assert said == []
    run(*ASK, "--yes", "--json", code=74)
    assert said == ["Cannot write the output: broken pipe. Epsilon 0.3 was charged: the same request again is free."]


def test_other_failures_of_the_system_are_still_defects(monkeypatch):
    def broken(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(release, "_study", broken)
    done = run(*ASK, "--yes", code=70)
    told = "snapdp broke (OSError); this is a defect. SNAPDP_TRACEBACK=1 shows where. Nothing was charged.\n"
    assert done.stderr == told


# The question


def test_an_answer_that_is_free_is_given_without_a_question():
    run(*ASK, code=2)  # nobody can be asked here
    assert spent() == 0
    run(*ASK, "--yes")
    again = run(*ASK)
    assert "answered before: nothing was charged; left: 0.7" in again.stderr


def test_on_a_terminal_the_question_comes_once_and_no_ends_it(monkeypatch):
    class Terminal:
        isatty = staticmethod(lambda: True)

    monkeypatch.setattr(release, "sys", type("sys", (), {"stdin": Terminal}))
    for answer, cost in ((False, Fraction(0)), (True, Fraction(3, 10)), (False, Fraction(3, 10))):
        questions: list[str] = []
        monkeypatch.setattr(release, "confirm", lambda text, q=questions, a=answer: bool(q.append(text)) or a)
        done = run(*ASK, code=None)
        assert spent() == cost
        if done.exit_code:
            assert done.stderr.endswith("Nothing was charged.\n")
        assert questions == (["Charge epsilon 0.3 to people (1 of 1 left)?"] if cost == 0 or answer else [])


def test_what_cannot_be_paid_is_refused_before_anybody_is_asked():
    done = run(*ASK[:-4], "--epsilon", "2", *ASK[-2:], code=1)
    assert "Refused:" in done.stderr


def test_whoever_stops_a_release_is_told_what_it_has_cost(monkeypatch):
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("snapdp.release.release.exact_values", stopped)
    done = run(*ASK, "--yes", code=1)
    assert done.stderr.endswith("Stopped. Nothing was charged.\n")


# Words and next steps

STUDY = """format = 1
dataset = "people"
relation = "add-remove"
n_max = 9
person = "id"
rows_per_person = 2
budget = "1/2"
[columns.age]
kind = "integer"
lower = 0
upper = 120
missing = "middle"
[[statistic]]
kind = "count"
epsilon = "1/4"
"""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["plan", "--histogram", "age", "--bounds", "0,120", "--n", "5", "--epsilon", "1"], "give --edges E1,E2,"),
        (
            ["plan", "--count", "--where", "age=65", "--bounds", "0,120", "--n", "5", "--epsilon", "1"],
            'If age holds numbers, test it by ">=" and "<"',
        ),
        (["plan", "--count", "--where", "age>0", "--n", "5", "--epsilon", "1"], "it takes >=, < or ="),
        (["plan", *MEAN], "What may it cost? Give --epsilon NUMBER, or for one statistic --accuracy NUMBER."),
        (["plan", *MEAN, "--epsilon", "abc"], "'--epsilon': 'abc' is no number: write 3, 0.5, 1/2 or 1e-3."),
        (["ledger", "create", "x", *OPEN, "--cap", "one"], "'--cap': 'one' is no number"),
        (["plan", *MEAN, "--epsilon", "1", "--fit", "--budget", "x"], "'--budget': 'x' is no number"),
        (["plan", *MEAN, "--n-max", "5", "--epsilon", "1"], "--n and --n-max exclude each other"),
        (["plan", "--mean", "age", "--bounds", "0,1", "--missing", "0", "--epsilon", "1"], "Who is protected?"),
        (["plan", "people.csv"], "'people.csv' is no study file: its name does not end in .toml."),
        (
            ["release", "people.csv", *MEAN, "--epsilon", "1"],
            "Give --ledger PATH, such as the one that is here: --ledger people.ledger",
        ),
        (["release", ".", *MEAN, "--epsilon", "1", "--ledger", "people.ledger"], "'.' is a directory"),
    ],
    ids=lambda each: None if isinstance(each, str) else " ".join(each[:3]),
)  # fmt: skip
def test_a_refusal_speaks_of_flags_and_names_the_next_step(words, told):
    done = run(*words, code=None)
    assert done.exit_code in (1, 2)
    assert told in done.stderr
    assert "Decimal" not in done.stderr
    as_json = run(*words, "--json", code=done.exit_code)
    said = json.loads(as_json.stdout)
    assert (said["ok"], said["spent"], as_json.stderr) == (False, "0", "")
    assert told in f"{said['error']} {said['advice']}"


def tried(done: Any) -> str:
    found = re.search(r"^  Try: (.*)$", done.stderr, re.MULTILINE)
    return found[1] if found else ""


def test_the_command_to_try_opens_the_account_that_is_lacking():
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    opened = "--from study.toml"
    for ledger, other in (("new.ledger", "new.ledger"), ("people.csv", "people.ledger"), ("table.txt", "table.ledger")):
        Path("table.txt").write_text("no ledger", encoding="utf-8")
        done = run("release study.toml --data people.csv --ledger", ledger, "--yes", code=1)
        expected = "" if other == "people.ledger" else f"snapdp ledger create {other} {opened}"  # that one is there
        assert for_another_table(done) or tried(done) == expected
    command = for_another_table(run("release study.toml --data people.csv --ledger new.ledger --yes", code=1))
    run(*command.split()[1:])
    lacking = run("release people.csv", *MEAN, "--epsilon", "1", "--dataset", "b", "--ledger", "people.ledger", code=1)
    command = for_another_table(lacking)
    assert command == "snapdp ledger create people.ledger --dataset b --cap 1 --relation change-one --n 4"
    run(*command.split()[1:])


def for_another_table(done: Any) -> str:
    """Return the command to try where the table is another one than those that the ledgers know."""
    return str(done.stderr.partition("another table: ")[2].split("\n")[0])


def test_the_command_to_try_makes_a_release_fit_what_is_left_and_writes_the_same_files():
    Path("study.toml").write_text(STUDY.replace('person = "id"\nrows_per_person = 2\n', ""), encoding="utf-8")
    opened = "--dataset people --cap 0.1 --relation add-remove --n-max 9"
    run("ledger create small.ledger", *opened.split())
    files = ["--data", "people.csv", "--ledger", "small.ledger", "--record", "r.json"]
    command = tried(run("release study.toml", *files, "--yes", code=1))
    kept = "--ledger small.ledger --data people.csv --record r.json"
    assert command == f"snapdp release study.toml {kept} --fit --budget 0.1"
    run(*command.split()[1:], "--yes")
    assert Path("r.json").exists()


def test_an_account_that_exists_is_shown_by_the_command_to_try():
    done = run("ledger create people.ledger", *OPEN, code=1)
    assert "the account 'people' exists already." in done.stderr
    assert tried(done) == "snapdp ledger show people.ledger"


def test_an_altered_record_is_told_from_an_unsound_ledger():
    run(*ASK, "--yes", "--record", "r.json")
    record = json.loads(Path("r.json").read_text(encoding="utf-8"))
    run("ledger backup people.ledger copy.ledger")
    for change in ({"charged": "1/10"}, {"dataset_version": "0" * 16}):  # the second is the ledger's to tell
        Path("forged.json").write_text(json.dumps({**record, **change}), encoding="utf-8")
        done = run("ledger verify people.ledger --against forged.json", code=1)
        assert "The ledger itself is sound." in done.stderr
        assert "was altered" in done.stderr
        assert run(*tried(done).split()[1:], code=1).stdout.startswith("ALTERED")
    Path("forged.json").write_text(json.dumps({**record, "charged": "1/10"}), encoding="utf-8")
    done = run("ledger restore copy.ledger again.ledger --against forged.json", code=1)
    assert "it was altered" in done.stderr
    assert tried(done) == "snapdp verify forged.json --ledger copy.ledger"


def test_an_older_copy_is_still_an_unsound_ledger():
    run("ledger backup people.ledger old.ledger")
    run(*ASK, "--yes", "--record", "r.json")
    done = run("ledger verify old.ledger --against r.json", code=1)
    assert "the ledger is not sound: it does not hold the record given" in done.stderr


def test_a_second_object_is_never_printed_after_the_record(monkeypatch):
    monkeypatch.setattr(release, "saved", lambda _, path: click.FileError(str(path), "no room"))
    done = run(*ASK, "--yes", "--json", "--record", "r.json", code=1)
    assert json.loads(done.stdout)["charged"] == "3/10"
    assert "no room" in done.stderr


# Terminals


@pytest.mark.parametrize("settings", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": ""}], ids=str)
def test_colours_are_left_out_where_the_environment_says_so(settings):
    shown = on_a_terminal("ledger", "show", "nowhere.ledger", **settings)
    assert ("\x1b[" in shown) == (settings == {"NO_COLOR": ""})
    assert "Refused" in shown


# Every command


def commands(group: click.Group = main, path: str = "") -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name in group.list_commands(click.Context(group)):
        each = group.get_command(click.Context(group), name)
        assert each is not None
        found |= commands(each, f"{name} ") if isinstance(each, click.Group) else {f"{path}{name}": each}
    return found


def test_every_command_but_conversations_takes_json():
    without = {name for name, each in commands().items() if not any("--json" in option.opts for option in each.params)}
    assert without == {"demo", "inspect"}  # a look is for people
