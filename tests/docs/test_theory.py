"""The equations of the theory: each file numbers its own once, and what the code cites is one of them."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests import ROOT
from tests.docs.citations import Citation, citations, pages_named

THEORY = sorted(set((ROOT / "docs" / "theory").glob("*.md")) - {ROOT / "docs" / "theory" / "index.md"})
MODULES = [path for folder in ("src", "tests/oracles") for path in sorted((ROOT / folder).rglob("*.py"))]
DISPLAYED = re.compile(r"^ {4}.*\S +\((\d+)\)$")  # an equation, its number at the end of the line
SPELLED = re.compile(
    r"^ {0,3}\S.*\S {2,}\((\d+)\)$"
)  # the end of a paragraph that says one in words, its number set apart
STATED = re.compile(r"^\*\*(?:Claim )?[(\[](\d+)[)\]]")  # a rule in words, its number at the start of the paragraph


def numbers_of(text: str) -> Counter[int]:
    found = (DISPLAYED.match(line) or SPELLED.match(line) or STATED.match(line) for line in text.splitlines())
    return Counter(int(match[1]) for match in found if match)


NUMBERS = {path.stem: set(numbers_of(path.read_text(encoding="utf-8"))) for path in THEORY}


def unknown(source: str) -> list[Citation | str]:
    """Return what a module cites that is not there: equations, and pages."""
    cited = [each for each in citations(source, NUMBERS) if each.number not in NUMBERS.get(each.page, ())]
    return [*cited, *(page for page in pages_named(source) if page not in NUMBERS)]


@pytest.mark.parametrize("path", THEORY, ids=lambda path: path.stem)
def test_equations_are_numbered_once_and_none_is_left_out(path):
    numbers = numbers_of(path.read_text(encoding="utf-8"))
    assert sorted(numbers.elements()) == [*range(1, len(numbers) + 1)]


def test_a_number_that_stands_twice_would_be_found():
    assert numbers_of("    a = b      (1)\n\nas in (1)\n\n**(1)** In words.\n\nAnd so on:  (1)\n") == {1: 3}


# What the code cites


def test_every_cited_equation_exists():
    assert {str(path): found for path in MODULES if (found := unknown(path.read_text(encoding="utf-8")))} == {}


HEADER = '"""A module.\n\nTheory: docs/theory/planning.md, (1) and (3)-(5).\n"""\n'


@pytest.mark.parametrize(
    ("line", "cited"),
    [
        ("", []),
        ("# theory (6)", [("planning", 6)]),
        ("# Theory (4)-(6); more", [("planning", 4), ("planning", 5), ("planning", 6)]),
        ("# a premise (theory (3)), and theory, below (10)", [("planning", 3), ("planning", 10)]),
        ("# exact-law (3)", [("exact-law", 3)]),
        (
            "# mechanism.md (4), sensitivities (2), (33)",
            [("mechanism", 4), ("sensitivities", 2), ("sensitivities", 33)],
        ),
        ("# docs/theory/fast-path.md, equations (1)-(2)", [("fast-path", 1), ("fast-path", 2)]),
        ("# release-certificates.md [1]-[2]", [("release-certificates", 1), ("release-certificates", 2)]),
        ("# docs/theory/ledger.md, (6) and\n# (8)", [("ledger", 6), ("ledger", 8)]),
        ("# the inequality (5) of docs/theory/error-bounds.md", [("error-bounds", 5)]),
        ("# sensitivities (9), [4]", [("sensitivities", 9)]),  # [4] is of the page that the header names
        ("persons(3)", []),
        ("# 2 persons, (T1), Random(1)", []),
    ],
)
def test_each_form_of_a_citation_is_read(line, cited):
    header = [("planning", number) for number in (1, 3, 4, 5)]
    assert list(citations(HEADER + line, NUMBERS))[4:] == cited
    assert list(citations(HEADER + line, NUMBERS))[:4] == header


@pytest.mark.parametrize(
    "line",
    [
        "# planning (99)",
        "# theory (99)",
        "# theory (3)-(99)",
        "# theory (0)",
        "# docs/theory/nowhere.md, (1)",
        "# docs/theory/nowhere.md",
        "# (99) of docs/theory/ledger.md",
        "# release-certificates.md [1]-[99]",
    ],
)
def test_a_citation_of_what_is_not_there_is_refused(line):
    assert unknown(HEADER) == []
    assert unknown(HEADER + line)


def test_a_theory_that_no_header_names_is_refused():
    assert unknown('"""A module without theory."""\n# theory (1)') == [("theory", 1)]
