"""No page shows code that nothing runs: every block is of a kind that some test takes, or is what a program printed."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from snapdp.cli.app import main
from tests import ROOT
from tests.docs.navigation import pages_of_the_site

PAGES = [ROOT / "README.md", *(page for page in pages_of_the_site() if page.suffix == ".md")]
RUN = {  # what is written behind ```, and where such blocks are run
    "python": "test_examples",
    "python file": "test_examples",
    "{code-cell} python": "test_notebooks",
    "python spark": "test_examples",
    "python postgres": "test_examples",
    "python interop": "tests/interop",
    "py": "tests/unit/testing/test_pytest_plugin",  # a file of tests, given to pytest
    "sql": "test_examples",
    "sql as keeper": "test_examples",
    "toml": "test_examples",
    "sh": "test_examples",
    "console": "below",  # commands that wait for a person or need a server: their words are looked up
}
SHOWN = {"text", "{math}", "json"}  # what something looks like; nothing to run
SAVED = re.compile(r"(?:toml|csv) [\w.-]+")  # a file under its name, which other blocks use
DIRECTIVE = re.compile(r"\{(?!code|literalinclude|math)[\w:-]+\}.*")
OPENED = re.compile(r"^ *(`{3,})(.*)\n(?:.*\n)*?^ *\1 *$", re.MULTILINE)
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
TYPED = re.compile(r"^ {4}(?:snapdp|bin/\w+|pip|python) .*$", re.MULTILINE)  # a command, in a block of no kind
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def not_run(text: str) -> list[str]:
    """Return the kinds of blocks of a page that no test takes."""
    kinds = {kind.strip() if mark == "```" else mark for mark, kind in OPENED.findall(text)}  # none inside another
    return sorted(each for each in kinds - {*RUN, *SHOWN} if not (SAVED.fullmatch(each) or DIRECTIVE.fullmatch(each)))


def unknown_words(line: str) -> list[str]:
    """Return the commands and flags of a line that snapdp does not have; other programs are not looked up."""
    program, *words = shlex.split(line, comments=True) or [""]
    if program.startswith("bin/"):
        return [] if (ROOT / program).is_file() else [program]
    if program != "snapdp":
        return []
    command: click.Command = main
    while isinstance(command, click.Group) and words:
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return [words[0]]
        command, words = found, words[1:]
    known = {flag for each in command.params for flag in (*each.opts, *each.secondary_opts)}
    return [word for word in words if word.startswith("--") and word.partition("=")[0] not in known]


@every_page
def test_every_block_is_of_a_kind_that_is_run_or_only_shown(page):
    assert not_run(page.read_text(encoding="utf-8")) == []


@every_page
def test_commands_that_wait_for_a_person_are_commands(page):
    lines = "".join(CONSOLE.findall(page.read_text(encoding="utf-8"))).splitlines()
    assert [word for line in lines for word in unknown_words(line)] == []


def test_a_block_that_nothing_runs_would_be_found():
    assert not_run("```python\n1\n```\n\n```toml people.toml\n```\n\n```{toctree}\nx\n```\n") == []
    assert not_run("```bash\nrm\n```\n\n```python later\n```\n\n```\nx\n```\n") == ["", "bash", "python later"]
    assert not_run("````{note}\n```bash\nrm\n```\n````\n") == ["````"]


@every_page
def test_no_command_stands_in_a_block_of_no_kind(page):
    assert TYPED.findall(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("line", "unknown"),
    [
        ("snapdp serve study.toml --no-browser  # on the server", []),
        ("snapdp serve --host", ["--host"]),
        ("snapdp look people.csv", ["look"]),
        ("snapdp ledger create --frm=x", ["--frm=x"]),
        ("bin/absent --page", ["bin/absent"]),
        ("ssh server", []),
        ("", []),
    ],
)
def test_words_that_no_command_has_are_found(line, unknown):
    assert unknown_words(line) == unknown
