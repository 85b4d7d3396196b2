"""The map of commands, their pages and examples, topics, and hints for names that are not, or no longer, ours."""

from __future__ import annotations

import json
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
from snapdp.cli.help.former_names import FORMER_COMMANDS, NATURAL_COMMANDS, NATURAL_FLAGS, commands_below
from snapdp.cli.help.topics import ABOUT, EPSILONS, TOPIC_OF, TOPICS
from snapdp.cli.learn.demo import STUDY, people, table_text
from snapdp.display import guessed_right

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
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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
        "import sys; from snapdp.cli import main\ntry: main(['--help'], prog_name='snapdp')\nexcept SystemExit: pass\n"
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


# Names of before, and names that people try


@pytest.mark.parametrize(("name", "now"), FORMER_COMMANDS.items())
def test_a_command_of_before_works_and_says_its_name_of_now_on_stderr_alone(name, now):
    words = {"bound": ["x+1", "--range", "x=0,1"], "derive": ["snap_half"]}[name]
    for more in ([], ["--json"], ["--help"]):
        old, new = run(name, *words, *more), run(*now.split(), *words, *more)
        assert (old.exit_code, old.stdout) == (new.exit_code, new.stdout)
        assert old.stderr == f"`snapdp {name}` is called `snapdp {now}` now; both work.\n"
        assert new.stderr == ""
    assert name not in page("").split("Publish:")[1].split()


@pytest.mark.parametrize("group", NATURAL_COMMANDS)
def test_a_name_that_people_try_leads_to_a_command_that_exists(group):
    for name, meant in NATURAL_COMMANDS[group].items():
        done = run(*group.split(), name)
        assert done.exit_code == 2, name
        path = " ".join(["snapdp", *group.split()])
        assert f"No such command '{name}'. Did you mean: {path} {meant}" in done.stderr, done.stderr
        words = [word for word in meant.split() if not re.match(r"[A-Z-]", word)]
        assert " ".join([*group.split(), *words]) in {*EVERY, ""}, meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("history", "ledger history"),
        ("compare", "lab compare"),
        ("published", "lab published"),
        ("relaese", "release"),
        ("look", "inspect"),
        ("Audit", "verify"),
    ],
)
def test_names_of_inner_commands_and_slips_are_understood(typed, meant):
    assert f"Did you mean: snapdp {meant}\n" in run(typed).stderr


def test_a_name_that_nobody_can_guess_is_refused_without_a_hint():
    done = run("qqqq")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (2, "Error: No such command 'qqqq'.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("plan --std age", "The standard deviation comes with --variance COLUMN."),
        ("plan --groupby region", "Give --by COLUMN."),
        ("plan --eps 1", "Give --epsilon NUMBER."),
        ("release x --lower 0", "Give --bounds LOWER,UPPER."),
        ("release x --confidence 0.95", "Give --alpha 0.05 for 95 %, --alpha 0.1 for 90 %."),
        ("release x --output f", "--report FILE.html writes a page, --values FILE.csv the numbers, --record FILE.json"),
        ("release x -o f", "--report FILE.html"),
        ("verify x --output f", "--certificate FILE.json writes the certificate, --report FILE.html a page."),
        ("ledger show x --output f", "--json prints JSON, which > FILE keeps."),
        ("plan --yes", "It belongs to snapdp explore, snapdp release."),
        ("plan --epsilom 1", "Did you mean: --epsilon"),
        ("release x --seed 1", "Noise has no seed"),
        ("ledger show x --eps 1", "No such option '--eps'.\n"),
        ("plan --zzzz", "No such option '--zzzz'.\n"),
        ("plan --csv x", "A plan opens no table"),
        ("plan --sep ;", "A plan opens no table"),
        ("release x --sep ;", "Give --delimiter CHARACTER"),
        ("plan --ids id", "Give --person COLUMN"),
        ("plan --private", "Where the number of rows is private give --n-max N"),
        ("plan --N 5", "Did you mean: --n."),
        ("release x --correlation a,b", "Give --covariance COLUMN,COLUMN --correlation"),
    ],
)
def test_a_flag_that_is_not_ours_is_answered_with_what_it_is_called_here(words, told):
    done = run(*words.split())
    assert done.exit_code == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_with_json_a_hint_is_part_of_the_result():
    done = run("plan", "--std", "age", "--json")
    assert json.loads(done.stdout)["error"].endswith("The standard deviation comes with --variance COLUMN.")
    assert done.stderr == ""


def test_every_flag_that_a_hint_names_is_a_flag_of_some_command():
    known = {flag for command in ALONE.values() for each in command.params for flag in each.opts} | {"--version"}
    for sentences in NATURAL_FLAGS.values():
        for told in sentences:
            assert {*re.findall(r"(?<![\w-])--[a-z-]+", told)} <= known, told
