"""Prose is wrapped at 120 characters, and what wraps it changes line breaks only."""

from __future__ import annotations

import re

import pytest

from tests import ROOT
from tests.docs.programs import module_of

WIDTH = 120
OF_RECORDS = ("record.md",)
wrap_prose = module_of("bin/wrap-prose")
PAGES = wrap_prose.pages()
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
SENTENCE = "a sentence with `some code in it` and [a link to a page](docs/guide/ledger.md), "


def long_lines(text: str) -> list[str]:
    """Return the lines of prose that are too long; a word that is too long by itself cannot be broken."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if not re.match(r" {4}|\||#", line)]
    return [line for line in lines if len(line) > WIDTH and max(map(len, line.split())) <= WIDTH]


@every_page
def test_no_line_of_prose_is_too_long(path):
    assert long_lines(path.read_text(encoding="utf-8")) == []


@every_page
def test_a_wrapped_page_stays_as_it_is(path):
    text = path.read_text(encoding="utf-8")
    assert wrap_prose.wrapped(text) == text


@every_page
def test_guides_say_sum_of_distances_and_records_alone_have_centred_sums(path):
    """Names of records stand in backquotes; the page of records is for whoever reads them."""
    if path.parent.name == "guide" and path.name not in OF_RECORDS:
        plain = re.sub(r"`[^`]*`", "", path.read_text(encoding="utf-8"))
        assert "centred sum" not in plain


def test_the_pages_of_the_project_are_found():
    names = {str(path.relative_to(ROOT)) for path in PAGES}
    assert {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/known-limits.md"} <= names
    assert not any(name.startswith(".") for name in names)


@pytest.mark.parametrize("first", ["", "- ", "10. ", "> "])
def test_long_blocks_are_wrapped_and_only_line_breaks_change(first):
    text = f"# Title\n\n{first}{SENTENCE * 9}the end.\n\nNext.\n"
    found = wrap_prose.wrapped(text)
    assert long_lines(text)
    assert not long_lines(found)
    assert wrap_prose.words(found) == text.replace("> ", "").split()
    assert wrap_prose.wrapped(found) == found
    assert found.count("`some code in it`") == found.count("[a link to a page](docs/guide/ledger.md)") == 9
    rest = "> " if first == "> " else " " * len(first)
    block = found.split("\n\n")[1].splitlines()
    assert block[0].startswith(first)
    assert all(line.startswith(rest) for line in block[1:])


@pytest.mark.parametrize(
    "block",
    [
        f"```sh\n{SENTENCE * 3}\n```",
        f"    {SENTENCE * 3}(1)",
        f"| {SENTENCE * 3} |",
        f"## {SENTENCE * 3}",
        f"---\ntitle: {SENTENCE * 3}\n---",
        "https://" + "x" * 130,
        "Short lines\nstay as\nthey are.",
    ],
)
def test_what_is_no_prose_stays_as_it_is(block):
    assert wrap_prose.wrapped(f"{block}\n\nNext.\n") == f"{block}\n\nNext.\n"


@pytest.mark.parametrize("word", ["-", "+", "1.", "#", ">", ">=", "|x|", "**(3)**", "=", "---"])
def test_no_line_begins_with_what_would_mean_something_else_there(word):
    for padding in range(60):
        found = wrap_prose.wrapped(f"{'x' * padding} {f'abc {word} ' * 40}end\n")
        assert not any(line.startswith(word) for line in found.splitlines())
