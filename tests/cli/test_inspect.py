"""The look before a release: what `snapdp inspect` says, when a release offers it, and when there is none."""

from __future__ import annotations

import json
import os
import pty
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import polars
import pytest
from click.testing import CliRunner

import snapdp
from snapdp import Ledger
from snapdp.cli import release, screen
from snapdp.cli.app import main
from snapdp.tables.engines.engine import Engine

SOURCE = Path(snapdp.__file__).parents[1]
N = 1000
FLAGS = ["--mean", "pay", "--bounds", "0,100000", "--n", str(N), "--epsilon", "8"]
ASK = ["release", "people.csv", *FLAGS, "--missing", "dropped", "--ledger", "l"]
LOOK = "Look at how the cells are read first?"


def run(*words: str, **settings: Any) -> Any:
    done = CliRunner(**settings).invoke(main, list(words), env={"COLUMNS": "80"})
    assert "broke" not in done.stderr, done.stderr
    return done


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = run("ledger", "create", "l", "--dataset", "people", "--cap", "99", "--relation", "change-one", "--n", str(N))
    assert made.exit_code == 0
    return tmp_path


def people(cells: list[str], *, name: str = "pay", mark: str = ",") -> None:
    quoted = (f'"{cell}"' if mark in cell else cell for cell in cells)
    Path("people.csv").write_text(f"{name}{mark}n\n" + "".join(f"{each}{mark}1\n" for each in quoted), "utf-8")


def line_of(shown: str, column: str) -> list[str]:
    """Return the cells of a line of the table, by the column it is about."""
    (found,) = [line for line in shown.split("\n") if line.startswith(f"│ {column} ")]
    return [each.strip() for each in found.strip("│").split("│")]


def intervals(*words: str) -> list[tuple[float, float]]:
    """Release from the file; return the intervals of its numbers, each missed once in 10**9 runs."""
    price = ["--n", str(N), "--epsilon", "8", "--alpha", "1e-9", "--ledger", "l"]
    done = run("release", "people.csv", *words, *price, "--yes", "--json")
    assert done.exit_code == 0, done.stdout
    record = json.loads(done.stdout)
    (found,) = record["derived"][:1] if words[0] == "--mean" else record["statistics"][0]["parts"]
    return list(zip(found["low"], found["high"], strict=True))


# The five rows of wrong numbers


def test_a_mean_of_wages_with_44_of_100_missing_holds_the_truth():
    draw = random.Random(44)
    wages = [str(draw.randrange(2, 50)) if draw.random() < 0.56 else "" for _ in range(N)]
    people(wages)
    ((low, high),) = intervals("--mean", "pay", "--bounds", "0,50", "--missing", "dropped")
    told = [int(each) for each in wages if each]
    assert low <= Fraction(sum(told), len(told)) <= high
    assert high - low < 4
    assert line_of(run("inspect", "people.csv", "--mean", "pay", "--bounds", "0,50").stdout, "pay")[2:5] == [
        "more",
        "none",
        "none",
    ]


def test_incomes_with_separators_are_told_by_the_look_and_right_with_the_flag():
    draw = random.Random(45)
    incomes = [draw.randrange(10_000, 90_000) for _ in range(N)]
    people([f"{each:,}" for each in incomes])
    before = run("inspect", "people.csv", *FLAGS)
    assert before.exit_code == 0
    assert line_of(before.stdout, "pay") == ["pay", "number", "none", "more", "none", '"99,999"']
    after = run("inspect", "people.csv", *FLAGS, "--thousands", ",")
    assert line_of(after.stdout, "pay") == ["pay", "number", "none", "none", "none", ""]
    ((low, high),) = intervals("--mean", "pay", "--bounds", "0,100000", "--missing", "dropped", "--thousands", ",")
    assert low <= Fraction(sum(incomes), N) <= high


def test_semicolons_and_decimal_commas_are_right_with_the_flags():
    draw = random.Random(46)
    years = [Fraction(draw.randrange(32, 80), 4) for _ in range(N)]
    people([f"{float(each):.2f}".replace(".", ",") for each in years], mark=";")
    signs = ["--delimiter", ";", "--decimal", ","]
    half = run("inspect", "people.csv", "--mean", "pay", "--bounds", "0,20", *signs[:2])
    assert line_of(half.stdout, "pay")[3] == "more"
    assert line_of(run("inspect", "people.csv", "--mean", "pay", "--bounds", "0,20", *signs).stdout, "pay")[3] == "none"
    ((low, high),) = intervals("--mean", "pay", "--bounds", "0,20", "--missing", "dropped", *signs)
    assert low <= sum(years) / N <= high


def test_a_look_says_what_to_type_for_a_decimal_comma_and_nothing_where_a_comma_has_two_readings():
    signs = ["--delimiter", ";"]
    asked = ["inspect", "people.csv", "--mean", "pay", "--bounds", "0,20", *signs]
    people(["2,5", "12,75", "3", "k. A."] * (N // 4), mark=";")
    told = run(*asked).stdout
    assert "Try: the same command with --decimal ','" in told
    assert "pay: some shapes look like numbers with a decimal comma. If the file is written so" in " ".join(
        told.split()
    )
    assert run("inspect", "people.csv", *signs).stdout.count("Try: the same command with --decimal ','\n") == 1
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
    assert (
        'Try: change [csv] of study.toml to: decimal = "," and thousands = "."\n' in run("inspect", "study.toml").stdout
    )


def test_shapes_are_not_broken_at_80_columns():
    people(["Gesamtschule", "Grundschule am Berg", "x"] * 300, name="a_rather_long_name_of_a_column_in_a_table")
    asked = ["--histogram", "a_rather_long_name_of_a_column_in_a_table", "--categories", "m,f"]
    shown = run("inspect", "people.csv", *asked).stdout
    assert '"Aaaaaaaaaaa aa..."' not in shown
    assert '"Aaaaaaaaaaa ..."' in shown
    assert "│ │" not in shown
    assert max(map(len, shown.split("\n"))) <= 80


def test_words_of_another_language_are_no_booleans_and_the_look_says_what_to_type():
    people(["ja", "nein"] * (N // 2), name="smokes")
    asked = ["--histogram", "smokes"]
    found = " ".join(run("inspect", "people.csv", *asked, "--boolean", "smokes").stdout.split())
    assert "smokes: nearly no cell reads as true or false. Is it two categories, such as ja and nein?" in found
    assert "Try: the same command with --categories smokes=ja,nein in place of --boolean smokes" in found
    after = run("inspect", "people.csv", *asked, "--categories", "smokes=ja,nein")
    assert line_of(after.stdout, "smokes")[2:5] == ["none", "", "none"]
    assert "Try:" not in after.stdout
    made = [*asked, "--boolean", "smokes", "--n", str(N), "--budget", "8"]
    assert run("init", "study.toml", *made, "--dataset", "people").exit_code == 0
    said = " ".join(run("inspect", "study.toml", "--data", "people.csv").stdout.split())
    assert 'in study.toml, for the column smokes: kind = "category" and categories = ["ja", "nein"]' in said


def test_a_mean_of_text_is_told_by_the_look_and_refused_where_a_schema_says_text():
    sexes = ["male", "female"] * (N // 2)
    people(sexes, name="sex")
    look = run("inspect", "people.csv", "--mean", "sex", "--bounds", "0,100")
    assert line_of(look.stdout, "sex") == ["sex", "number", "none", "more", "none", '"aaaa"']
    assert '"aaaaaa"' in look.stdout
    assert line_of(run("inspect", "people.csv").stdout, "sex")[:3] == ["sex", "none", "text"]
    polars.DataFrame({"sex": sexes}).write_parquet("people.parquet")
    for command in (["inspect"], ["release", "--missing", "dropped", "--n", str(N), "--ledger", "l", "--yes"]):
        done = run(command[0], "people.parquet", "--mean", "sex", "--bounds", "0,100", "--epsilon", "1", *command[1:])
        assert done.exit_code == 1
        assert "declared as number but stored as VARCHAR" in done.stderr


def test_a_histogram_of_0_and_1_stored_with_a_point_is_right():
    people(["0.0"] * 900 + ["1.0"] * 100, name="smokes")
    asked = ["--histogram", "smokes", "--categories", "0,1"]
    assert line_of(run("inspect", "people.csv", *asked).stdout, "smokes")[2:5] == ["none", "", "none"]
    for (low, high), truth in zip(intervals(*asked), (900, 100), strict=True):
        assert low <= truth <= high <= low + 40


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
        assert (done.exit_code, done.stderr) == (0, "")
        assert max(map(len, done.stdout.split("\n"))) <= 80
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
    assert run("inspect", "people.csv", "--json").exit_code == 2
    assert "There is no --json" in " ".join(run("inspect", "--help").stdout.split())


def test_what_a_look_refuses():
    people(["1"] * N)
    assert "is not read together with a study file" in run("inspect", "study.toml", "--mean", "pay").stderr
    assert "--data belongs to a study" in run("inspect", "people.csv", "--data", "people.csv").stderr
    assert "Did you mean 'pay'?" in run("inspect", "people.csv", "--mean", "pays", "--bounds", "0,1").stderr
    assert "Give --bounds" in run("inspect", "people.csv", "--mean", "pay").stderr
    only = run("inspect", "people.csv", "--count")  # names no column: what each could be read as
    assert line_of(only.stdout, "pay")[2] == "numbers or yes/no"


def test_a_person_column_is_looked_at_for_rows_of_nobody():
    Path("people.csv").write_text("who,pay\na,1\n,2\n", "utf-8")
    done = run("inspect", "people.csv", "--mean", "pay", "--bounds", "0,9", "--person", "who")
    assert line_of(done.stdout, "who") == ["who", "person", "more", "", "", ""]


# Before a release


class Terminal:
    isatty = staticmethod(lambda: True)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(release, "sys", type("sys", (), {"stdin": Terminal}))
    monkeypatch.setattr(release, "is_conversation", lambda: True)
    monkeypatch.setattr(release, "confirm", lambda text, **_: bool(asked.append(text)) or text == LOOK)
    return asked


def test_on_a_terminal_each_new_release_offers_a_look_before_the_charge(questions):
    people(["45,000", ""] * (N // 2))
    done = run(*ASK)
    assert done.exit_code == 1
    assert questions == [LOOK, "Charge epsilon 8 to people (99 of 99 left)?"]
    assert line_of(done.stderr, "pay") == ["pay", "number", "more", "more", "none", '"99,999"']
    assert "no longer public" in done.stderr
    assert done.stdout == ""


def test_the_look_before_a_release_says_what_to_type_too(questions):
    people(["ja", "nein"] * (N // 2), name="smokes")
    asked = ["--histogram", "smokes", "--boolean", "smokes", "--n", str(N), "--epsilon", "8", "--ledger", "l"]
    told = run("release", "people.csv", *asked).stderr
    assert "Try: the same command with --categories smokes=ja,nein in place of --boolean smokes" in told
    assert len(questions) == 2


def test_a_count_of_all_rows_has_nothing_to_look_at(questions):
    people(["1"] * 3)
    run("ledger", "create", "m", "--dataset", "people", "--cap", "9", "--relation", "add-remove", "--n-max", "9")
    done = run("release", "people.csv", "--count", "--n-max", "9", "--epsilon", "1", "--ledger", "m")
    assert "No statistic here reads a cell." in done.stderr
    assert questions == [LOOK, "Charge epsilon 1 to people (9 of 9 left)?"]


def test_no_inspect_json_and_an_answered_request_offer_none(questions, monkeypatch):
    people(["1", ""] * (N // 2))
    for more in (["--no-inspect"], ["--json"]):
        questions.clear()
        assert run(*ASK, *more).exit_code == 1
        assert questions == ["Charge epsilon 8 to people (99 of 99 left)?"]
    questions.clear()
    assert run(*ASK, "--yes").exit_code == 0
    monkeypatch.setattr(Engine, "inspect", None)
    assert run(*ASK).exit_code == 0  # answered before
    assert questions == []


def test_a_release_without_a_terminal_never_looks(monkeypatch):
    def looks(*_: Any, **__: Any) -> None:
        raise AssertionError("looked")

    people(["1", "x"] * (N // 2))
    for step in ("inspect", "_look", "_look_at_all", "_tallied", "_shapes"):
        monkeypatch.setattr(Engine, step, looks)
    assert run(*ASK).exit_code == 2  # nobody can be asked
    for more in (["--yes"], ["--yes", "--json"], []):
        assert run(*ASK, *more).exit_code == 0
    people(["2", "x"] * (N // 2))
    monkeypatch.setattr(release, "sys", type("sys", (), {"stdin": Terminal}))  # but what is said goes to a file
    monkeypatch.setattr(release, "confirm", lambda _: True)
    assert run(*ASK).exit_code == 0


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


def test_commands_without_json_are_those_that_the_guide_names():
    def without(group, ctx):
        for name in group.list_commands(ctx):
            command = group.get_command(ctx, name)
            if isinstance(command, click.Group):
                yield from without(command, ctx)
            elif "--json" not in {flag for each in command.params for flag in each.opts}:
                yield name

    guide = " ".join((SOURCE.parent / "docs/guide/first-release.md").read_text().split())
    assert "Every command but `demo`, `tour` and `inspect` takes `--json`" in guide
    assert set(without(main, click.Context(main))) == {"demo", "tour", "inspect"}
