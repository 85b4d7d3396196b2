"""The look before a release: what `snapdp inspect` says, when a release offers it, and when there is none."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import snapdp
from snapdp import Ledger
from snapdp.cli import release, screen
from snapdp.tables.engines.engine import Engine
from tests.cli.running import run

SOURCE = Path(snapdp.__file__).parents[1]
N = 1000
FLAGS = ["--mean", "pay", "--bounds", "0,100000", "--n", str(N), "--epsilon", "8"]
ASK = ["release", "people.csv", *FLAGS, "--missing", "dropped", "--ledger", "l"]
LOOK = "Look at how the cells are read first?"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("ledger create l --dataset people --cap 99 --relation change-one --n", str(N))
    return tmp_path


def people(cells: list[str], *, name: str = "pay", mark: str = ",") -> None:
    quoted = (f'"{cell}"' if mark in cell else cell for cell in cells)
    Path("people.csv").write_text(f"{name}{mark}n\n" + "".join(f"{each}{mark}1\n" for each in quoted), "utf-8")


def line_of(shown: str, column: str) -> list[str]:
    """Return the cells of a line of the table, by the column it is about."""
    (found,) = [line for line in shown.split("\n") if line.startswith(f"│ {column} ")]
    return [each.strip() for each in found.strip("│").split("│")]


# The five rows of wrong numbers


def test_a_look_says_what_to_type_for_a_decimal_comma_and_nothing_where_a_comma_has_two_readings():
    signs = ["--delimiter", ";"]
    asked = ["inspect", "people.csv", "--mean", "pay", "--bounds", "0,20", *signs]
    people(["2,5", "12,75", "3", "k. A."] * (N // 4), mark=";")
    told = run(*asked).stdout
    assert "Try: the same command with --decimal ','" in told
    assert "pay: some shapes look like numbers with a decimal comma. If the file is written so" in " ".join(
        told.split()
    )
    assert run("inspect people.csv", *signs).stdout.count("Try: the same command with --decimal ','\n") == 1
    assert "Try" not in run(*asked, "--decimal", ",").stdout
    people(["2,500", "12,750"] * (N // 2), mark=";")
    assert "Try" not in run(*asked).stdout
    people(["1.250,5", "750,25"] * (N // 2), mark=";")
    assert "Try: the same command with --decimal ',' --thousands '.'\n" in run(*asked).stdout
    Path("study.toml").write_text(
        'format = 1\ndataset = "people"\nrelation = "change-one"\nn = 1000\ndata = "people.csv"\n'
        '[columns.pay]\nkind = "number"\nlower = 0\nupper = 9\nmissing = "dropped"\n'
        '[[statistic]]\nkind = "mean"\ncolumn = "pay"\nepsilon = 1\n[csv]\ndelimiter = ";"\n'
    )
    assert 'Try: change [csv] of study.toml to: decimal = "," and thousands = "."\n' in run("inspect study.toml").stdout


# The command


def test_a_look_writes_nothing_and_has_no_json(place):
    people(["1", "x"] * (N // 2))
    Path("study.toml").write_text(
        'format = 1\ndataset = "people"\nrelation = "change-one"\nn = 1000\ndata = "people.csv"\n'
        '[columns.pay]\nkind = "number"\nlower = 0\nupper = 9\nmissing = "dropped"\n'
        '[[statistic]]\nkind = "mean"\ncolumn = "pay"\nepsilon = 1\n'
    )
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    for words in (["people.csv"], ["people.csv", *FLAGS], ["study.toml"], ["study.toml", "--data", "people.csv"]):
        done = run("inspect", *words)
        assert done.stderr == ""
        assert max(map(len, done.stdout.split("\n"))) <= 80
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    run("inspect people.csv --json", code=2)
    assert "There is no --json" in " ".join(run("inspect --help").stdout.split())


def test_what_a_look_refuses():
    people(["1"] * N)
    assert "is not read together with a study file" in run("inspect study.toml --mean pay", code=2).stderr
    assert "--data belongs to a study" in run("inspect people.csv --data people.csv", code=2).stderr
    assert "Did you mean 'pay'?" in run("inspect people.csv --mean pays --bounds 0,1", code=1).stderr
    assert "Give --bounds" in run("inspect people.csv --mean pay", code=2).stderr
    only = run("inspect people.csv --count")  # names no column: what each could be read as
    assert line_of(only.stdout, "pay")[2] == "numbers or yes/no"


def test_a_person_column_is_looked_at_for_rows_of_nobody():
    Path("people.csv").write_text("who,pay\na,1\n,2\n", "utf-8")
    done = run("inspect people.csv --mean pay --bounds 0,9 --person who")
    assert line_of(done.stdout, "who") == ["who", "person", "more", "", "", ""]


# Before a release


class Terminal:
    isatty = staticmethod(lambda: True)


@pytest.fixture
def questions(monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(release, "sys", type("sys", (), {"stdin": Terminal}))
    monkeypatch.setattr(release, "is_conversation", lambda: True)
    monkeypatch.setattr(release, "confirm", lambda text, **_: bool(asked.append(text)) or text == LOOK)
    return asked


def test_on_a_terminal_each_new_release_offers_a_look_before_the_charge(questions):
    people(["45,000", ""] * (N // 2))
    done = run(*ASK, code=1)
    assert questions == [LOOK, "Charge epsilon 8 to people (99 of 99 left)?"]
    assert line_of(done.stderr, "pay") == ["pay", "number", "more", "more", "none", '"99,999"']
    assert "no longer public" in done.stderr
    assert done.stdout == ""


def test_the_look_before_a_release_says_what_to_type_too(questions):
    people(["ja", "nein"] * (N // 2), name="smokes")
    asked = ["--histogram", "smokes", "--boolean", "smokes", "--n", str(N), "--epsilon", "8", "--ledger", "l"]
    told = run("release people.csv", *asked, code=1).stderr
    assert "Try: the same command with --categories smokes=ja,nein in place of --boolean smokes" in told
    assert len(questions) == 2


def test_a_count_of_all_rows_has_nothing_to_look_at(questions):
    people(["1"] * 3)
    run("ledger create m --dataset people --cap 9 --relation add-remove --n-max 9")
    done = run("release people.csv --count --n-max 9 --epsilon 1 --ledger m", code=1)
    assert "No statistic here reads a cell." in done.stderr
    assert questions == [LOOK, "Charge epsilon 1 to people (9 of 9 left)?"]


def test_no_inspect_json_and_an_answered_request_offer_none(questions, monkeypatch):
    people(["1", ""] * (N // 2))
    for more in (["--no-inspect"], ["--json"]):
        questions.clear()
        run(*ASK, *more, code=1)
        assert questions == ["Charge epsilon 8 to people (99 of 99 left)?"]
    questions.clear()
    run(*ASK, "--yes")
    monkeypatch.setattr(Engine, "inspect", None)
    run(*ASK)  # answered before
    assert questions == []


def test_a_release_without_a_terminal_never_looks(monkeypatch):
    def looks(*_: Any, **__: Any) -> None:
        raise AssertionError("looked")

    people(["1", "x"] * (N // 2))
    for step in ("inspect", "_look", "_look_at_all", "_tallied", "_shapes"):
        monkeypatch.setattr(Engine, step, looks)
    run(*ASK, code=2)  # nobody can be asked
    for more in (["--yes"], ["--yes", "--json"], []):
        run(*ASK, *more)
    people(["2", "x"] * (N // 2))
    monkeypatch.setattr(release, "sys", type("sys", (), {"stdin": Terminal}))  # but what is said goes to a file
    monkeypatch.setattr(release, "confirm", lambda _: True)
    run(*ASK)


def test_a_conversation_needs_a_terminal_on_both_sides(monkeypatch):
    class File:
        isatty = staticmethod(lambda: False)

    for stdin, stderr in ((Terminal, File), (File, Terminal), (Terminal, Terminal)):
        monkeypatch.setattr(screen, "sys", type("sys", (), {"stdin": stdin, "stderr": stderr}))
        assert screen.is_conversation() == (stdin is stderr)


def test_a_whole_conversation_on_a_terminal_of_80_columns():
    people(["45,000", ""] * (N // 2))
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "80", "LINES": "40", "TERM": "xterm"}
    command = [sys.executable, "-m", "snapdp", *ASK]
    shown = b""
    with subprocess.Popen(command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs) as running:
        os.close(theirs)
        os.write(ours, b"\nn\n")  # a mere return looks; then no charge
        try:
            while more := os.read(ours, 65536):
                shown += more
        except OSError:  # Linux ends a terminal so
            pass
        assert running.wait() == 1
    os.close(ours)
    text = shown.decode()
    assert f"{LOOK} [Y/n]" in text
    assert '"99,999"' in text
    assert text.index("99,999") < text.index("Charge epsilon 8")
    assert "Nothing was charged." in text
    with Ledger.open("l") as ledger:
        assert ledger.account("people").spent == 0
