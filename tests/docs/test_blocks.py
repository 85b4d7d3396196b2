"""No page shows code that nothing runs: every block is of a kind that some test takes, or is what a program printed.

A kind counts where it is taken: blocks stand at the margin, between backquotes, and those that one test takes of one
page stand there and nowhere else.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator

import click
import pytest

from snapdp.cli.app import main
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.study_file import COST_KEYS, STUDY_KEYS
from tests import ROOT
from tests.docs.navigation import pages_of_the_site

PAGES = [*(ROOT / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md")), *pages_of_the_site()]
RUN = {  # what is written behind ```, where some test runs such blocks; commands are looked up below as well
    "python",
    "python file",
    "{code-cell} python",
    "python spark",
    "python postgres",
    "python interop",
    "py",  # a file of tests, given to pytest
    "sql",
    "sql as keeper",
    "toml",
    "sh",
    "console",  # commands that wait for a person or need a server: only their words are looked up
}
ONLY_ON = {  # kinds that are run where one test looks for them
    "py": {"test-your-own.md"},
    "python interop": {"interop.md"},
    "sql": {"team-ledger.md"},
    "sql as keeper": {"team-ledger.md"},
}
SHOWN = {"text", "{math}", "json"}  # what something looks like; nothing to run
SAVED = re.compile(r"(?:toml|csv) [\w.-]+")  # a file under its name, which other blocks use
PROSE = "note tip important warning seealso admonition dropdown grid grid-item-card tab-set tab-item glossary"
DIRECTIVES = {"toctree", "include", "figure", "image", "list-table", *PROSE.split()}  # that hold no code of their own
DIRECTIVE = re.compile(r"\{([\w:-]+)\}.*")
OPENED = re.compile(r"^([> ]*)(`{3,}|~{3,}|:{3,}(?=\{))(.*)\n", re.MULTILINE)
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHERS = {".", "cp", "jupytext", "mkdir", "pip", "python3", "ssh"}  # programs that are not ours, nor run by tests
RUN_BY_PYTHON = (ROOT, ROOT / "src" / "snapdp" / "audits")  # a checker is copied from there, and needs nothing else
TYPED = re.compile(r"^ {4}(?:snapdp|bin/\w+|pip|python) .*$", re.MULTILINE)  # a command, in a block of no kind
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def not_run(text: str) -> list[str]:
    """Return the kinds of blocks of a page that no test takes."""
    return sorted({name for at, mark, kind in _opened(text) if (name := _unknown(at, mark, kind))})


def _opened(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield where each block begins, by what signs, and of what kind it is; blocks in a colon fence are blocks too."""
    place = 0
    while found := OPENED.search(text, place):
        place = found.end()
        yield found[1], found[2], found[3]
        if not found[2].startswith(":"):
            closed = re.compile(rf"^[> ]*{found[2]} *$", re.MULTILINE).search(text, place)
            assert closed is not None, found[0]
            place = closed.end()


def _unknown(at: str, mark: str, kind: str) -> str:
    """Return what is wrong with a block: where it begins, and its kind; nothing where it is taken or only shown."""
    directive = DIRECTIVE.fullmatch(kind)
    is_directive = directive is not None and directive[1] in DIRECTIVES
    is_known = kind in {*RUN, *SHOWN} or SAVED.fullmatch(kind) or is_directive
    return "" if is_known and not at and (mark == "```" or is_directive) else f"{at}{mark}{kind}"


def unknown_words(line: str) -> list[str]:
    """Return the commands and flags of a line that snapdp does not have, and files and programs that nobody has."""
    program, *words = shlex.split(line, comments=True) or ["."]
    if program.startswith("bin/"):
        return [] if (ROOT / program).is_file() else [program]
    if program == "python":
        return [] if any((place / words[0]).is_file() for place in RUN_BY_PYTHON) else words[:1]
    if program != "snapdp":
        return [] if program in OTHERS else [program]
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
def test_a_block_that_one_test_takes_of_one_page_is_on_that_page(page):
    kinds = {kind for _, mark, kind in _opened(page.read_text(encoding="utf-8")) if mark == "```"}
    assert {kind for kind, pages in ONLY_ON.items() if kind in kinds and page.name not in pages} == set()


@every_page
def test_every_piece_of_a_study_is_toml_with_keys_that_studies_have(page):
    """The first one of a page is a study, which its programs read; what follows may be a piece of one."""
    for piece in TOML.findall(page.read_text(encoding="utf-8")):
        found = tomllib.loads(piece)
        assert set(found) <= set(STUDY_KEYS)
        for each in found.get("statistic", ()):
            assert set(each) <= {*COST_KEYS, *KINDS[each["kind"]].toml_keys()}


@every_page
def test_commands_of_a_page_are_commands(page):
    lines = "".join(COMMANDS.findall(page.read_text(encoding="utf-8"))).replace("\\\n", " ").splitlines()
    assert [word for line in lines for word in unknown_words(line)] == []


def test_blocks_that_are_run_or_shown_are_no_faults():
    assert not_run("```python\n1\n```\n\n```toml people.toml\n```\n\n```{toctree}\nx\n```\n") == []
    assert not_run(":::{note}\n```sh\nsnapdp\n```\n:::\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "```bash\nrm\n```\n",
        "```\nx\n```\n",
        "```python later\nx\n```\n",
        "```sh \nsnapdp\n```\n",
        "  ```python\n  x\n  ```\n",
        "> ```python\n> x\n> ```\n",
        "~~~python\nx\n~~~\n",
        "````python\nx\n````\n",
        "```{code-block} python\nx\n```\n",
        ":::{code-block} python\nx\n:::\n",
        ":::{code-cell} python\nx\n:::\n",
        "```{eval-rst}\n.. code-block:: python\n```\n",
        ":::{note}\n```bash\nrm\n```\n:::\n",
    ],
)
def test_a_block_of_another_kind_or_written_otherwise_is_found(text):
    (found,) = not_run(f"Words.\n\n{text}\nWords.\n")
    assert found in text


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
        ("python benchmarks/run.py --quick", []),
        ("python nowhere.py", ["nowhere.py"]),
        ("snapdp plan --absent", ["--absent"]),
        ("snapdp absent", ["absent"]),
        ("absent --page", ["absent"]),
        ("", []),
    ],
)
def test_words_that_no_command_has_are_found(line, unknown):
    assert unknown_words(line) == unknown
