"""The site of the documentation in a real browser: narrow and wide, light and dark, asking nobody for anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests import ROOT
from tests.browser.driven import browser

pytestmark = pytest.mark.long
WIDER = "document.documentElement.scrollWidth - window.innerWidth"
CURRENT = re.compile(r'<a class="current reference internal" href="#">')
WITHOUT_NAVIGATION = ("index.html", "genindex.html", "search.html")
FIRST = 3  # as many of the pages that are found are looked at
SEARCHES = {  # what somebody types, and the page that is meant
    "what epsilon means": "explanation/epsilon-in-odds",
    "epsilon": "explanation/epsilon-in-odds",
    "which epsilon should I take": "explanation/choosing-epsilon",
    "missing data": "guide/missing-data",
    "empty cells": "guide/missing-data",
    "table by two columns": "guide/tables",
    "crosstab": "guide/tables",
    "comparison with OpenDP": "compared-with",
    "OpenDP": "compared-with",
    "machine learning": "compared-with",
    "how to cite": "references",
    "Casacuberta": "attacks-and-where-we-stand",
    "side channel": "known-limits",
    "gaussian noise": "known-limits",
    "known limits": "known-limits",
    "not well formed": "guide/csv-files",
    "semicolon": "guide/csv-files",
    "excel": "guide/csv-files",
    "upper case": "guide/csv-files",
    "lower case": "guide/csv-files",
    "capital letters": "guide/csv-files",
    "spelling categories": "guide/csv-files",
    "count smaller than rows": "guide/who-is-a-person",
    "install": "start/install",
    "windows": "start/install",
    "median": "guide/quantiles",
    "percentile": "guide/quantiles",
    "standard deviation": "guide/moments",
    "confidence interval": "explanation/noise-intervals",
    "margin of error": "explanation/noise-intervals",
    "press release": "explanation/noise-intervals",
    "which ±": "explanation/noise-intervals",
    "±": "explanation/noise-intervals",
    "+/-": "explanation/noise-intervals",
    "95 %": "explanation/noise-intervals",
    "95 percent": "explanation/noise-intervals",
    "plus minus": "explanation/noise-intervals",
    "bounds": "explanation/choosing-bounds-and-n-max",
    "outliers": "explanation/choosing-bounds-and-n-max",
    "several rows per person": "guide/who-is-a-person",
    "household": "guide/who-is-a-person",
    "add-remove": "explanation/who-is-a-neighbour",
    "unbounded differential privacy": "explanation/who-is-a-neighbour",
    "negative count": "explanation/clamping-and-bias",
    "delta": "explanation/composition",
    "budget": "guide/ledger",
    "budget used up": "guide/ledger",
    "budget exhausted": "guide/ledger",
    "budget exceeded": "guide/ledger",
    "next month": "guide/ledger",
    "nothing left": "guide/ledger",
    "pandas": "guide/python",
    "spark": "guide/large-data-on-spark",
    "postgresql": "guide/team-ledger",
    "group by": "guide/grouped-release",
    "check a report": "guide/audit-release",
    "error messages": "reference/errors",
    "performance": "benchmarks",
    "natural grid": "explanation/why-a-grid",
    "dialect": "guide/csv-files",
    "ledger": "guide/ledger",
    "histogram": "guide/grouped-release",
    "snapdp.Ledger": "reference/api/snapdp",
    "CsvDialect": "reference/api/snapdp",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site by the flags of bin/docs, which keeps one in build/."""
    to = tmp_path_factory.mktemp("site")
    told = (ROOT / "bin" / "docs").read_text(encoding="utf-8").replace("\\\n", " ")
    flags = re.findall(r"-m sphinx (.*?) --doctree-dir ", told)[0].split()
    command = [sys.executable, "-m", "sphinx", *flags, "--doctree-dir", f"{to}.doctrees", "docs", str(to)]
    subprocess.run(command, cwd=ROOT, check=True)
    return to


def visited(tab: Any, page: Path) -> list[str]:
    """Open a page; return what it asked of others, its complaints, and whether it is wider than the window."""
    faults: list[str] = []
    tab.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or faults.append(asked.url))
    tab.on("console", lambda said: said.type in ("error", "warning") and faults.append(said.text))
    tab.on("pageerror", lambda problem: faults.append(str(problem)))
    tab.goto(page.as_uri())
    tab.wait_for_load_state("load")
    return [*faults, *(["wider than the window"] if tab.evaluate(WIDER) > 0 else [])]


ELSEWHERE = re.compile(  # a link that is followed may lead to another host; what is loaded may not
    r"""<(?!a\b)\w+\b[^>]*?\s(?:src|srcset|href|poster|data|xlink:href)=["']?(?:\w+:)?//[^>]*>"""
    r"""|url\(\s*["']?(?:\w+:)?//[^)]*|@import\s*["'](?:\w+:)?//[^"']*""",
    re.IGNORECASE,
)


def test_nothing_is_loaded_from_another_host(site):
    files = [path for path in sorted(site.rglob("*")) if path.suffix in (".html", ".css")]
    texts = {str(path.relative_to(site)): path.read_text(encoding="utf-8") for path in files}
    assert {name: found for name, text in texts.items() if (found := ELSEWHERE.findall(text))} == {}


@pytest.mark.parametrize(
    ("text", "is_loaded"),
    [
        ('<script async src="https://example.org/x.js"></script>', True),
        ('<link rel="preconnect" href="//example.org">', True),
        ("@font-face { src: url('http://example.org/f.woff2') }", True),
        ('<img src="a.svg"><a href="https://example.org/">', False),
        ("url(data:image/png;base64,AA==)", False),
    ],
)
def test_what_is_loaded_from_another_host_would_be_found(text, is_loaded):
    assert bool(ELSEWHERE.search(text)) == is_loaded


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (420, "dark"), (1280, "light")])
def test_no_page_asks_anybody_complains_or_is_wider_than_the_window(site, width, scheme):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    with browser() as program:
        context = program.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        found = {}
        for page in pages:
            tab = context.new_page()
            found[str(page.relative_to(site))] = visited(tab, page)
            tab.close()
    assert {page: faults for page, faults in found.items() if faults} == {}


def test_every_page_of_the_navigation_is_marked_in_it_where_one_stands(site):
    pages = {str(page.relative_to(site)): page for page in sorted(site.rglob("*.html"))}
    assert set(WITHOUT_NAVIGATION) < set(pages)
    marked = {name: len(CURRENT.findall(page.read_text(encoding="utf-8"))) for name, page in pages.items()}
    assert [name for name, times in marked.items() if times != (name not in WITHOUT_NAVIGATION)] == []


def test_formulas_are_typeset_from_what_was_built(site):
    with_formulas = [page for page in sorted(site.rglob("*.html")) if 'class="math' in page.read_text(encoding="utf-8")]
    assert with_formulas
    with browser() as program:
        tab = program.new_page()
        tab.goto(with_formulas[0].as_uri())
        tab.locator("mjx-container").first.wait_for()


def found_by(tab: Any, site: Path, typed: str) -> list[str]:
    """Return the pages that the site finds by some words, first those on top."""
    tab.goto(f"{(site / 'search.html').as_uri()}?{urlencode({'q': typed})}")
    tab.locator(".search-summary:not(:empty)").wait_for(timeout=60_000)
    links = tab.eval_on_selector_all("#search-results li > a", "all => all.map((each) => each.getAttribute('href'))")
    return [link.partition(".html")[0] for link in links]


def test_the_page_that_is_meant_is_among_the_first_that_are_found(site):
    with browser() as program:
        tab = program.new_page()
        found = {typed: found_by(tab, site, typed)[:FIRST] for typed in SEARCHES}
    assert {typed: pages for typed, pages in found.items() if SEARCHES[typed] not in pages} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pictures_are_turned_round_on_dark_pages_only(site, scheme):
    with browser() as program:
        tab = program.new_context(color_scheme=scheme).new_page()
        tab.goto((site / "guide" / "attacks.html").as_uri())
        turned = tab.locator("article img").first.evaluate("picture => getComputedStyle(picture).filter")
    assert ("invert" in turned) == (scheme == "dark")
