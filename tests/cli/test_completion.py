"""Completion in bash, zsh and fish: scripts, names, flags, studies and columns, without loading an engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem, ShellComplete, get_completion_class
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import COMMANDS, main
from snapdp.cli.help.completion import SHELLS, VARIABLE, or_files
from snapdp.cli.help.topics import TOPICS
from snapdp.cli.lab.group import LAB

NAMES = [each.name for each in SHELLS]
SOURCE = Path(snapdp.__file__).parents[1]


def items(line: str) -> list[CompletionItem]:
    """Return what is offered for the last word of a line."""
    *words, last = line.split(" ")
    shell = or_files(SHELLS[0])(main, {}, "snapdp", VARIABLE)
    return shell.get_completions(words[1:], last)


def offered(line: str) -> list[str]:
    return [each.value for each in items(line)]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text('age,income,region,"net, income"\n31,1,north,2\n', encoding="utf-8")
    Path("semicolons.csv").write_text("name;size\n31;1\n", encoding="utf-8")
    for name in ("study.toml", "second.toml", "notes.txt"):
        Path(name).write_text("", encoding="utf-8")


@pytest.mark.parametrize("shell", NAMES)
def test_the_script_of_a_shell_is_the_one_that_click_writes(shell):
    done = CliRunner().invoke(main, ["completion", shell])
    found = get_completion_class(shell)
    assert found is not None
    assert done.exit_code == 0
    assert done.stdout.rstrip("\n") == ShellComplete.source(found(main, {}, "snapdp", VARIABLE)).rstrip("\n")
    assert f"{VARIABLE}={shell}_complete" in done.stdout


def test_another_shell_is_refused():
    assert CliRunner().invoke(main, ["completion", "tcsh"]).exit_code == 2


def test_commands_are_offered_with_their_line_of_the_map():
    assert offered("snapdp ") == [*COMMANDS]
    assert {each.value: each.help for each in items("snapdp ")}["plan"] == COMMANDS["plan"].told
    assert offered("snapdp in") == ["init", "inspect"]


def test_commands_of_groups_flags_and_words_of_flags_are_offered():
    assert offered("snapdp lab ") == [*LAB]
    assert "create" in offered("snapdp ledger c")
    assert offered("snapdp plan --cov") == ["--covariance"]
    assert offered("snapdp explore people.csv --only ") == ["bounds", "quartiles", "missing"]
    assert offered("snapdp completion ") == NAMES
    assert offered("snapdp help ep") == ["epsilon"]
    assert {*TOPICS, *COMMANDS} <= {*offered("snapdp help ")}


def test_a_study_is_offered_by_its_ending_and_where_there_is_none_files_are():
    assert offered("snapdp plan s") == ["second.toml", "study.toml"]
    assert offered("snapdp sql st") == ["study.toml"]
    assert [(each.type, each.value) for each in items("snapdp plan folder/")] == [("file", "folder/")]
    assert [each.type for each in items("snapdp release p")] == ["file"]
    assert [each.type for each in items("snapdp release people.csv --ledger ")] == ["file"]
    assert items("snapdp plan --zzz") == []


def test_columns_are_those_of_the_header_that_can_be_typed_as_they_are():
    assert offered("snapdp release people.csv --mean ") == ["age", "income", "region"]
    assert offered("snapdp release people.csv --covariance age,in") == ["age,income"]
    assert offered("snapdp inspect people.csv --by r") == ["region"]
    assert offered("snapdp release semicolons.csv --delimiter ; --mean ") == ["name", "size"]
    assert [each.type for each in items("snapdp release nowhere.csv --mean a")] == ["file"]


def test_a_first_line_that_may_be_one_of_cells_offers_nothing():
    Path("cells.csv").write_text("Smith,1985-03-12,anna\nJones,1990-01-01,bert\n", encoding="utf-8")
    assert [each.type for each in items("snapdp release cells.csv --mean ")] == ["file"]


def test_hostile_headers_offer_nothing_that_a_shell_could_take_for_something_else():
    Path("hostile.csv").write_text("x$(id),a\x1b[2J,b c,`id`,good,plain.name\n1,2,3,4,5,6\n", encoding="utf-8")
    assert offered("snapdp release hostile.csv --mean ") == ["good", "plain.name"]
    Path("empty.csv").write_text("", encoding="utf-8")
    assert [each.type for each in items("snapdp release empty.csv --mean ")] == ["file"]


HOSTILE = ("a$(touch x).toml", "a`touch x`.toml", "a;touch x.toml", "a b.toml", "a'b.toml", 'a"b.toml', "a&b.toml")
HOSTILE += ("a*.toml", "a\nplain,$(touch x).toml", "a\\b.toml", "a{b,c}.toml", "a|b.toml", "a>x.toml", "a!b.toml")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_study_whose_name_needs_quotes_is_left_to_the_shell_which_writes_them(name):
    Path(name).write_text("", encoding="utf-8")
    assert [each.type for each in items("snapdp plan a")] == ["file"]
    assert offered("snapdp plan st") == ["study.toml"]
    Path("folder").mkdir()
    Path("folder", name).write_text("", encoding="utf-8")
    assert [each.type for each in items("snapdp plan folder/")] == ["file"]


def test_no_file_name_is_offered_that_a_command_would_take_for_a_flag():
    Path("--yes.toml").write_text("", encoding="utf-8")
    assert [each.type for each in items("snapdp plan ")] == ["file"]


def test_what_is_handed_to_the_completion_of_files_is_one_line():
    shell = or_files(SHELLS[0])(main, {}, "snapdp", VARIABLE)
    for words in (["plan"], ["release"], ["release", "people.csv", "--ledger"]):
        found = shell.get_completions(words, "a\nplain,$(touch x)")
        assert [shell.format_completion(each) for each in found] == ["file,"]


def test_whatever_a_command_offers_a_word_that_a_shell_would_run_is_no_offer(monkeypatch):
    hostile = [CompletionItem(each) for each in ("$(id)", "`id`", "a b", "a;b", "a\nb", "", "good")]
    monkeypatch.setattr("snapdp.cli.help.completion.studies", lambda _: hostile)
    assert offered("snapdp plan ") == ["good"]


def test_completing_loads_no_engine_and_no_numpy():
    program = (
        "import sys\nfrom snapdp.cli.app import main\nfrom snapdp.cli.help.completion import SHELLS, or_files\n"
        "shell = or_files(SHELLS[0])(main, {}, 'snapdp', '_SNAPDP_COMPLETE')\n"
        "shell.get_completions([], 'pl')\nassert 'snapdp.cli.plan' not in sys.modules\n"
        "assert shell.get_completions(['release', 'people.csv', '--mean'], 'a')[0].value == 'age'\n"
        "assert not {'numpy', 'duckdb', 'pandas', 'pyarrow'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env={**os.environ, "PYTHONPATH": str(SOURCE)})


def bash_environment(place: Path) -> dict[str, str]:
    """Return an environment in which bash finds this snapdp."""
    program = place / "bin" / "snapdp"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m snapdp "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_runs_nothing_that_a_file_is_called(tmp_path):
    """A line is completed by the Tab key and entered, in a real bash; the twin types the name by hand, and it runs."""
    environment = {**bash_environment(tmp_path), "PS1": "$ ", "TERM": "dumb", "HISTFILE": ""}
    Path("a$(touch ran).toml").write_text("", encoding="utf-8")
    Path("b`touch ran`;touch ran.toml").write_text("", encoding="utf-8")
    lines = ["snapdp plan a\t", "snapdp plan b\t", "snapdp release a\t"]
    typed = "".join(f"{line}\n" for line in ['eval "$(snapdp completion bash)"', *lines, "echo en''ded", "exit"])
    assert "ended" in _typed(typed, environment)
    assert not Path("ran").exists()
    assert "ended" in _typed("echo a$(touch ran).toml\necho en''ded\nexit\n", environment)
    assert Path("ran").exists()


def _typed(keys: str, environment: dict[str, str]) -> str:
    """Return what an interactive bash shows for some keys."""
    pty = pytest.importorskip("pty")
    above, below = pty.openpty()
    with subprocess.Popen(["bash", "--norc", "-i"], stdin=below, stdout=below, stderr=below, env=environment) as shell:
        os.close(below)
        os.write(above, keys.encode())
        shown = b""
        try:
            while part := os.read(above, 1 << 16):
                shown += part
        except OSError:  # its end, on Linux
            pass
        shell.wait()
    os.close(above)
    return shown.decode(errors="replace")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_a_command_a_study_and_a_column(tmp_path):
    environment = bash_environment(tmp_path)
    script = """
eval "$(snapdp completion bash)"
complete -p snapdp
ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _snapdp_completion snapdp; echo "${COMPREPLY[@]}"; }
ask snapdp insp
ask snapdp plan stu
ask snapdp release people.csv --mean inc
"""
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, check=True, env=environment)
    lines = done.stdout.splitlines()
    assert lines[0].endswith("-F _snapdp_completion snapdp")
    assert lines[1:] == ["inspect", "study.toml", "income"], done.stderr
