"""Links of pages lead somewhere, on a forge and in the site alike: to files and headings that are there, inside docs/.

The site has the pages of docs/ alone, and the project no address of its own. So a page of docs/ names a file outside
of it in backquotes, by its path, and does not link to it; README and CHANGELOG, which a forge shows, link freely.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests import ROOT

DOCS = ROOT / "docs"
CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
FOREIGN = re.compile(r"[a-z]+:")
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def slug(heading: str) -> str:
    """Return the anchor that a forge, and MyST, give to a heading."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors of a page: of its headings, and those that stand by themselves."""
    prose = re.sub(r"^(```+).*?^\1", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#{1,4} (.+)$", prose, re.MULTILINE)
    return frozenset([*map(slug, headings), *re.findall(r'^<a id="([\w.-]+)"></a>$', prose, re.MULTILINE)])


def links(text: str) -> list[str]:
    """Return what the prose of a page links to, but for other hosts."""
    return [target for target in LINK.findall(CODE.sub("", text)) if not FOREIGN.match(target)]


def misled(page: Path, text: str) -> list[str]:
    """Return the links of a text, as that of a page, which lead out of docs/, to no file or to no heading."""
    wrong = []
    for target in links(text):
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        outside = page.is_relative_to(DOCS) and not there.is_relative_to(DOCS)
        if outside or not there.exists() or (anchor and anchor not in anchors(there)):
            wrong.append(target)
    return wrong


@every_page
def test_links_lead_to_files_and_headings_that_are_there_and_not_out_of_the_site(page):
    assert misled(page, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[why](theory/planning.md) and [what](known-limits.md)", []),
        ("[a point](errata.md#13) and [its name](errata.md#13-bias-64)", []),
        ("[a point](errata.md#99)", ["errata.md#99"]),
        ("[a page](absent.md) and [its point](absent.md#1)", ["absent.md", "absent.md#1"]),
        ("![a picture](absent.svg)", ["absent.svg"]),
        ("[code](../src/snapdp/values.py)", ["../src/snapdp/values.py"]),
        ("[how](../SECURITY.md)", ["../SECURITY.md"]),
        ("`[how](../SECURITY.md)` and [a host](https://example.org/x#y)", []),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text, wrong):
    assert misled(DOCS / "benchmarks.md", text) == wrong


def test_anchors_are_those_of_a_forge():
    assert slug("Cells from a file") == "cells-from-a-file"
    assert slug("15. p = m + 2, (5); `x`") == "15-p--m--2-5-x"
    assert slug("`snapdp verify` and [the record](record.md)") == "snapdp-verify-and-the-record"
