"""Explanations run, attacks name tests that exist, and what is cited is listed."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.lab.attacks.gallery import attacks
from tests import ROOT
from tests.docs.navigation import DOCS, pages_of_the_site
from tests.docs.test_examples import commands_of

PAGES = [page for page in pages_of_the_site() if page.suffix == ".md"]
EXPLANATIONS = sorted((DOCS / "explanation").glob("*.md"))


def text_of(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


# Explanations


@pytest.mark.parametrize("page", EXPLANATIONS, ids=lambda path: path.name)
def test_commands_of_an_explanation_run_without_a_table(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _, *words in commands_of(page):
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, (words, done.output, done.stderr)
    assert list(tmp_path.iterdir()) == []


# Attacks, and where we stand

STAND = text_of("attacks-and-where-we-stand.md")
ROW = re.compile(r"\brows? ((?:`[a-z-]+`(?:,\s+|\s+and )?)+)")  # of `snapdp lab attack`
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


@cache
def functions_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def rows_named(text: str) -> set[str]:
    return {name for found in ROW.findall(text) for name in re.findall(r"`([a-z-]+)`", found)}


def absent_tests(text: str) -> list[str]:
    return [name for path, name in TEST.findall(text) if name not in functions_in(path)]


def test_every_row_of_the_gallery_is_on_the_page_and_no_other():
    assert rows_named(STAND) == set(attacks())


def test_every_test_that_the_page_names_exists():
    assert len(TEST.findall(STAND)) > 15
    assert absent_tests(STAND) == []


def test_a_row_or_a_test_that_does_not_exist_would_be_found():
    assert rows_named("rows `ties`,\n`nowhere`; `other`, and row `timing`.") == {"ties", "nowhere", "timing"}
    assert absent_tests("`tests/docs/test_explanation.py::test_nothing`") == ["test_nothing"]


# References

REFERENCES = text_of("references.md")
HEADINGS = re.findall(r"^### (.+)$", REFERENCES, re.MULTILINE)
CITED = re.compile(r"\]\((?:\.\./)*references\.md#([\w-]+)\)")


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


ANCHORS = {anchor(heading): heading for heading in HEADINGS}


def citations_in(text: str) -> set[str]:
    return set(CITED.findall(text))


def test_every_reference_that_is_cited_is_listed_and_every_one_listed_is_cited():
    cited = {mark for page in PAGES if page.name != "references.md" for mark in citations_in(page.read_text("utf-8"))}
    assert cited == set(ANCHORS)
