"""The map of commands, their pages and examples, topics, and hints for names that are not ours."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from snapdp import Ledger
from snapdp.cli.app import main
from snapdp.cli.demo import STUDY, people, table_text
from snapdp.cli.help import ABOUT, EPSILONS, TOPIC_OF, TOPICS
from snapdp.display.text import guessed_right
from tests.cli.screens import commands_below

WIDTH = 80
EVERY = dict(commands_below(main, click.Context(main, info_name="snapdp")))
ALONE = {name: command for name, command in EVERY.items() if not isinstance(command, click.Group)}
CHARGED = ("release", "explore")
NOT_RUN = {
    "serve": "it stays until it is stopped: see test_serve",
}
TABLE = table_text(people())


def run(*words: str, stdin: str | None = None) -> Any:
    return CliRunner(env={"COLUMNS": str(WIDTH)}).invoke(main, list(words), prog_name="snapdp", input=stdin)


@cache
def page(name: str) -> str:
    done = run(*name.split(), "--help")
    assert done.exit_code == 0, done.output
    return str(done.stdout)


def examples(text: str) -> list[list[str]]:
    """Return the commands at the end of a page, as words; what a backslash breaks is one command."""
    joined = re.sub(r" \\\n\s+", " ", text)
    return [shlex.split(line) for line in re.findall(r"^ +(snapdp .*)$", joined, re.MULTILINE)]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a directory with table and study of the demo, and a ledger that has room for more."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE, encoding="utf-8")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    with Ledger.create("people.ledger") as ledger:
        ledger.create_account("people", cap="5/2", relation="change-one", rows=5000)
    return tmp_path


def record() -> None:
    """Release the study of the demo, and keep its record and report."""
    files = ["--record", "record.json", "--report", "report.html"]
    done = run("release", "study.toml", "--ledger", "people.ledger", "--yes", *files)
    assert done.exit_code == 0, done.stderr


# The map


def test_the_map_is_shown_without_loading_a_command():
    program = (
        "import sys; from snapdp.cli.app import main\n"
        "try: main(['--help'], prog_name='snapdp')\nexcept SystemExit: pass\n"
        "assert not {'numpy', 'duckdb', 'snapdp.cli.plan', 'snapdp.cli.release'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_only_charged_commands_take_yes():
    takers = {name for name, command in ALONE.items() if any("--yes" in each.opts for each in command.params)}
    assert takers == {*CHARGED}


# Pages


@pytest.mark.parametrize("name", ["", *EVERY])
def test_no_line_of_a_page_is_longer_than_80_columns(name):
    assert [line for line in page(name).splitlines() if len(line) > WIDTH] == []


@pytest.mark.parametrize("name", ALONE)
def test_a_page_ends_with_an_example_of_its_command(name):
    text = page(name)
    assert " ".join(examples(text)[-1]).startswith(f"snapdp {name}")
    joined = re.sub(r" \\\n\s+", " ", text).rstrip().splitlines()
    assert joined[-1].strip().startswith("snapdp ")


@pytest.mark.parametrize("name", [name for name in ALONE if name not in NOT_RUN])
@pytest.mark.usefixtures("place")
def test_every_example_of_a_page_runs_where_the_files_of_the_demo_lie(name):
    if name == "ledger create":  # the account is there already
        Path("people.ledger").unlink()
    if name == "init":  # so is the study
        Path("study.toml").unlink()
    found = examples(page(name))
    if any("record.json" in words for words in found):
        record()
    for words in found:
        follow(words[1:])


def follow(words: list[str]) -> None:
    """Run a command, and keep what it prints where it says so."""
    end = words.index(">") if ">" in words else len(words)
    done = run(*words[:end])
    assert done.exit_code == 0, (words, done.output)
    for path in words[end + 1 :]:
        Path(path).write_text(done.stdout, encoding="utf-8")


@pytest.mark.usefixtures("place")
def test_an_example_that_does_not_run_would_be_found():
    with pytest.raises(AssertionError):
        follow(["plan", "nowhere.toml"])


# Topics


@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.usefixtures("place")
def test_a_topic_fits_one_screen_and_its_examples_run(topic):
    text = run("help", topic).stdout
    lines = text.splitlines()
    assert lines[0] == f"{topic}: {lines[0].partition(': ')[2]}"
    assert 15 <= len(lines) <= 36
    assert max(map(len, lines)) <= WIDTH
    found = examples(text)
    assert found
    for words in found:
        follow([*words[1:], *(["--yes"] if words[1] in CHARGED else [])])


def test_the_chances_of_a_topic_are_computed():
    text = run("help", "epsilon").stdout
    assert re.findall(r"^ +([\d.]+) +(\d+)%$", text, re.MULTILINE) == [
        (each, str(guessed_right(Fraction(each)))) for each in EPSILONS
    ]


def test_help_lists_topics_shows_pages_and_knows_other_words_for_a_topic():
    listed = run("help").stdout
    assert all(topic in listed and told in listed for topic, told in ABOUT.items())
    assert run("help", "plan").stdout == page("plan")
    assert run("help", "ledger", "create").stdout == page("ledger create")
    assert run("help", "neighbors").stdout == run("help", "neighbours").stdout
    assert {*TOPIC_OF.values()} == {*TOPICS} == {*ABOUT}


def test_an_unknown_topic_is_refused_with_the_nearest_or_all_of_them():
    done = run("help", "epsilom")
    assert done.exit_code == 2
    assert "Did you mean: snapdp help epsilon" in done.stderr
    assert f"Topics: {', '.join(TOPICS)}." in run("help", "zzz").stderr


# Slips


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("relaese", "'release'"),
        ("lab comapre", "'compare'"),
        ("ledger shw", "'show'"),
        ("plan --epsilom 1", "'--epsilon'"),
    ],
)
def test_a_slip_is_answered_with_the_nearest_name(words, told):
    done = run(*words.split())
    assert done.exit_code == 2
    assert re.search(f"Did you mean.* {told}", done.stderr)


def test_a_name_that_nobody_can_guess_is_refused_without_a_hint():
    done = run("qqqq")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "Error: No such command 'qqqq'.")
    assert "No such option '--zzzz'.\n" in run("plan", "--zzzz").stderr


def test_every_option_of_every_command_is_explained():
    options = [(name, each) for name, command in ALONE.items() for each in command.params]
    assert [(name, each.opts) for name, each in options if isinstance(each, click.Option) and not each.help] == []
