"""Explanations run, attacks name tests that exist, and what is cited is listed."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest
from click.testing import CliRunner

from snapdp.attacks.gallery import attacks
from snapdp.cli.app import main
from tests import ROOT
from tests.docs.navigation import DOCS, pages_of_the_site
from tests.docs.test_cited_files import CODE
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
ROW = re.compile(r"\brows? ((?:`[a-z-]+`(?:,\s+|\s+and )?)+)")  # of `snapdp attack`
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


def test_every_work_of_the_table_has_its_section_with_what_it_needs_and_where_it_is_tested():
    """A section without an attack says at least where it is tested."""
    sections = dict(re.findall(r"^### (.+)\n((?:(?!##).*\n)*)", STAND, re.MULTILINE))
    assert len(sections) >= 15
    assert [title for title, body in sections.items() if "**Tested:**" not in body] == []


# Glossary


# References

REFERENCES = text_of("references.md")
HEADINGS = re.findall(r"^### (.+)$", REFERENCES, re.MULTILINE)
CITED = re.compile(r"\]\((?:\.\./)*references\.md#([\w-]+)\)")


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


ANCHORS = {anchor(heading): heading for heading in HEADINGS}
FIRST_AUTHORS = sorted(  # the names under which works stand: "Kifer" of "Kifer and Machanavajjhala 2011"
    {re.split(r" and | et al\.| \d{4}$", heading)[0] for heading in HEADINGS}
    - {"OpenDP issue 2638", "OpenDP issue 2945", "OpenDP issue 2949", "Registry of deployments"}
)


def citations_in(text: str) -> set[str]:
    return set(CITED.findall(text))


def unlinked(text: str) -> list[str]:
    """Return the authors whom a page names without a link to what they wrote."""
    prose, cited = CODE.sub("", text).replace("de Medeiros", "De Medeiros"), citations_in(text)
    named = [name for name in FIRST_AUTHORS if re.search(rf"\b{name}\b", prose)]
    return [name for name in named if not any(mark.startswith(anchor(name)) for mark in cited)]


def test_every_reference_that_is_cited_is_listed_and_every_one_listed_is_cited():
    cited = {mark for page in PAGES if page.name != "references.md" for mark in citations_in(page.read_text("utf-8"))}
    assert cited == set(ANCHORS)


def test_works_stand_once_with_authors_a_title_and_a_year():
    assert len(ANCHORS) == len(HEADINGS) >= 30
    for heading, body in re.findall(r"^### (.+)\n\n((?:.+\n)+)", REFERENCES, re.MULTILINE):
        year = re.findall(r"\b(?:19|20)\d\d\b", heading) or ["2026"]
        assert "*" in body, heading
        assert year[0] in body, heading


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(DOCS)))
def test_a_page_that_names_an_author_links_to_the_work(page):
    if page.name != "references.md":
        assert unlinked(page.read_text(encoding="utf-8")) == []


def test_an_author_without_a_link_would_be_found():
    assert unlinked("As Mironov showed.") == ["Mironov"]
    assert unlinked("As [Mironov 2012](../references.md#mironov-2012) showed.") == []
    assert unlinked("[Jin et al. 2022](references.md#jin-et-al-2022), and Haney.") == ["Haney"]
    assert unlinked("By [it](references.md#de-medeiros-et-al-2025), of de Medeiros.") == []
