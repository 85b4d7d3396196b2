"""The site: every page is in its navigation, once; what is built is checked by a program with teeth."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import ROOT
from tests.docs.navigation import DOCS, entries, pages_of_the_site
from tests.docs.programs import module_of

checker, sidebar = module_of("bin/check-site"), module_of("docs/_ext/sidebar.py")


def test_every_page_is_in_the_navigation_and_only_once():
    there = set(DOCS.rglob("*.md"))
    assert Counter(pages_of_the_site()) == Counter(there)


LOOKED_FOR = {  # the page of each card on the front page, and what its readers look for: one click from there
    "guide/publish.md": (
        "start/install start/ten-minutes guide/page explanation/epsilon-in-odds "
        "explanation/choosing-epsilon explanation/choosing-bounds-and-n-max explanation/noise-intervals "
        "guide/missing-data guide/csv-files guide/tables guide/quantiles guide/who-is-a-person guide/ledger "
        "guide/record glossary reference/errors"
    ),
    "guide/build.md": (
        "start/install start/in-python guide/python guide/noise-primitive guide/ledger guide/team-ledger "
        "guide/large-data-on-spark guide/cost-at-scale guide/interop guide/test-your-own reference/api/index "
        "reference/commands reference/json-api reference/errors benchmarks compared-with known-limits "
        "notebooks/engineer"
    ),
    "guide/audit.md": (
        "guide/audit-release guide/verify guide/attacks guide/audit-python guide/test-your-own guide/selftest "
        "guide/exact-law guide/judged-implementations attacks-and-where-we-stand what-the-guarantee-rests-on "
        "known-limits reference/record reference/certificates reference/ledger-format errata theory/index "
        "notebooks/auditor"
    ),
    "theory/index.md": (
        "theory/mechanism theory/exact-law theory/sensitivities theory/finite-precision theory/exact-sums "
        "theory/persons theory/quantiles theory/shown-composition theory/verifier-loss errata from-the-notes "
        "references compared-with benchmarks attacks-and-where-we-stand what-the-guarantee-rests-on"
    ),
}


def linked_from(page: Path) -> set[str]:
    targets = re.findall(r"\]\(([^)#:]+)\.md", page.read_text(encoding="utf-8"))
    return {str((page.parent / target).resolve().relative_to(DOCS)) for target in targets}


@pytest.mark.parametrize("hub", LOOKED_FOR)
def test_what_each_reader_looks_for_is_two_clicks_from_the_front_page(hub):
    assert f":link: {hub.removesuffix('.md')}\n" in (DOCS / "index.md").read_text(encoding="utf-8")
    assert sorted(set(LOOKED_FOR[hub].split()) - linked_from(DOCS / hub)) == []


def test_words_that_a_page_is_also_found_by_are_of_pages_that_exist():
    also = module_of("docs/_ext/searched.py").ALSO
    assert [page for page in also if not (DOCS / f"{page}.md").is_file()] == []


TREE = """<ul>
<li class="toctree-l1"><a class="reference internal" href="start/index.html">Start</a><ul>
<li class="toctree-l2"><a class="reference internal" href="start/install.html">Install</a></li>
</ul>
</li>
<li class="toctree-l1"><a class="reference internal" href="glossary.html">Glossary</a></li>
</ul>
"""
BESIDE_INSTALL = """<ul class="current">
<li class="toctree-l1 current"><a class="reference internal" href="../start/index.html">Start</a><ul class="current">
<li class="toctree-l2 current"><a class="current reference internal" href="#">Install</a></li>
</ul>
</li>
<li class="toctree-l1"><a class="reference internal" href="../glossary.html">Glossary</a></li>
</ul>
"""


def test_the_tree_beside_a_page_marks_it_and_what_is_above_it_and_leads_up_first():
    with_current = sidebar.with_current
    assert with_current(TREE, "start/install", "start/install.html") == BESIDE_INSTALL
    assert with_current(TREE, "search", "search.html") == TREE
    glossary = '<a class="reference internal" href="glossary.html">Glossary'
    marked = TREE.replace(f'l1">{glossary}', 'l1 current"><a class="current reference internal" href="#">Glossary')
    assert with_current(TREE, "glossary", "glossary.html") == marked.replace("<ul>", '<ul class="current">', 1)


def test_a_tree_that_is_open_at_one_page_only_is_not_taken_for_all_pages():
    context: dict[str, Any] = {}
    sidebar.resolved_once({}, SimpleNamespace(builder=None), "start/install", "", context, None)
    with pytest.raises(AssertionError, match="another one for each page"):
        context["toctree"](collapse=True)


def test_what_the_guarantee_does_not_cover_comes_first():
    assert entries((DOCS / "index.md").read_text(encoding="utf-8"))[0] == "known-limits"


GOOD = """<html><head><link rel="Next" href="https://example.org/2"></head><body id="top">
<a href="other.html#here">x</a><a href="https://example.org/">y</a><a href="//example.org/">t</a>
<a href="other.html">z</a><a href="a%20b.svg#layer">w</a><area href="https://example.org/">
<style>@import url(data:text/css,) screen;</style>
<img srcset="a%20b.svg 1x, a%20b.svg?v=2 2x" src="data:image/png;base64,AA=="></body></html>"""
OTHER = """<p id="here"><a href="#here">z</a><a href="other.html#a%20place">v</a><a name="a place"></a><svg>
<use href="#here"></svg><a href="below/deep.html">u</a></p>"""


def faults_of(directory, **pages):
    (directory / "below").mkdir(exist_ok=True)
    for place in (directory, directory.parent):  # what lies beside a site is no part of it
        (place / "a b.svg").write_text("<svg/>", encoding="utf-8")
    deep = '<img src="../a%20b.svg"><a href="../index.html#top">x</a>'
    for name, text in {"index": GOOD, "other": OTHER, "below/deep": deep, **pages}.items():
        (directory / f"{name}.html").write_text(text, encoding="utf-8")
    return checker.faults_of(directory)


def test_a_site_whose_links_lead_somewhere_has_no_faults(tmp_path):
    assert faults_of(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="absent.html">', "absent.html leads nowhere"),
        ('<a href="other.html#there">', "other.html#there leads nowhere"),
        ('<a href="#here">', "#here leads nowhere"),
        ('<area href="absent.html">', "absent.html leads nowhere"),
        ('<meta name="viewport"><a href="#viewport">', "#viewport leads nowhere"),
        ('<a href="../a%20b.svg">', "../a%20b.svg leads nowhere"),
        ('<img src="../a%20b.svg">', "../a%20b.svg is loaded, and is not there"),
        ('<script src="https://example.org/x.js"></script>', "https://example.org/x.js is loaded"),
        ('<img src="//example.org/x.png">', "//example.org/x.png is loaded"),
        ('<link rel="preload stylesheet" href="http://example.org/x.css">', "http://example.org/x.css is loaded"),
        ('<link rel="ICON" href="http://example.org/x.ico">', "http://example.org/x.ico is loaded"),
        ('<link rel="preconnect" href="http://example.org">', "http://example.org is loaded"),
        ('<img srcset="a%20b.svg 1x, https://example.org/x.png 2x">', "https://example.org/x.png is loaded"),
        ('<img srcset="a%20b.svg 1x,https://example.org/x.png 2x">', "https://example.org/x.png is loaded"),
        ('<link rel="next" imagesrcset="//example.org/x.png 2x">', "//example.org/x.png is loaded"),
        ('<body background="//example.org/x.png">', "//example.org/x.png is loaded"),
        ('<img src="file:///x.png">', "file:///x.png is loaded"),
        ('<video poster="https://example.org/x.png">', "https://example.org/x.png is loaded"),
        ('<object data="http:x.svg">', "http:x.svg is loaded"),
        ('<svg><image xlink:href="https://example.org/x.png"/></svg>', "https://example.org/x.png is loaded"),
        ('<a href="index.html" ping="https://example.org/">', "https://example.org/ is loaded"),
        ('<meta http-equiv="Refresh" content="0; URL=https://example.org/">', "https://example.org/ is loaded"),
        ('<img src="absent.png?v=1">', "absent.png?v=1 is loaded, and is not there"),
        ("<style>@import 'https://example.org/x.css';</style>", "https://example.org/x.css is loaded"),
        ('<style>@import"https://example.org/x.css";</style>', "https://example.org/x.css is loaded"),
        ("<STYLE>p { background: url(https://example.org/x.png) }</STYLE>", "https://example.org/x.png is loaded"),
        ("""<p style="src: image-set('a%20b.svg' type('x/y'), '//example.org/x' 2x)">""", "//example.org/x is loaded"),
        ('<p style="background: URL(https://example.org/x.png)">', "https://example.org/x.png is loaded"),
    ],
)
def test_what_leads_nowhere_or_is_loaded_from_elsewhere_is_found(tmp_path, text, fault):
    assert faults_of(tmp_path, third=text) == {"third.html": [fault]}


LOADED = "stylesheet icon manifest preload modulepreload prefetch prerender preconnect dns-prefetch apple-touch-icon"


@pytest.mark.parametrize("rel", LOADED.split())
def test_what_a_browser_loads_for_a_link_at_the_head_of_a_page_is_found(tmp_path, rel):
    text = f'<link rel="{rel}" href="//example.org/x">'
    assert faults_of(tmp_path, third=text) == {"third.html": ["//example.org/x is loaded"]}


def test_a_font_that_a_style_sheet_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "x.css").write_text("@font-face { src: url('https://example.org/f.woff2') }", "utf-8")
    assert faults_of(tmp_path) == {"below/x.css": ["https://example.org/f.woff2 is loaded"]}


def test_the_program_says_every_fault_and_fails(tmp_path, capsys):
    assert faults_of(tmp_path) == {}
    assert checker.main([str(tmp_path)]) == 0
    assert "3 pages, 0 MB, 0 faults" in capsys.readouterr().out
    faults_of(tmp_path, **{"below/third": '<a href="absent.html"><img src="//example.org/x.png">'})
    assert checker.main([str(tmp_path)]) == 1
    told = capsys.readouterr()
    assert told.err == "below/third.html: absent.html leads nowhere\nbelow/third.html: //example.org/x.png is loaded\n"
    assert "4 pages, 0 MB, 2 faults" in told.out


@pytest.mark.parametrize("words", [[], ["one", "two"]])
def test_the_program_takes_one_directory(words, capsys):
    assert checker.main(words) == 2
    assert capsys.readouterr().err == "usage: bin/check-site DIRECTORY\n"


def test_a_directory_without_a_page_is_no_site(tmp_path, capsys):
    assert checker.main([str(tmp_path)]) == 1
    assert "0 pages" in capsys.readouterr().out


STUB = '#!/bin/sh\necho "$@" >>"$(dirname "$0")/../../said"\n'


def built(root, *words, where):
    """Run bin/docs of a tree whose Python only says what it was asked for; return that, by lines."""
    for path, text in {"bin/setup": "#!/bin/sh\n", ".venv/bin/python": STUB}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        (root / path).chmod(0o755)
    shutil.copy(ROOT / "bin" / "docs", root / "bin" / "docs")
    subprocess.run([root / "bin" / "docs", *words], cwd=where, check=True)
    return (root / "said").read_text(encoding="utf-8").splitlines()


def test_the_site_is_built_where_one_stands_and_an_earlier_one_is_removed(tmp_path):
    root, where = tmp_path / "clone", tmp_path / "elsewhere"
    for name in ("site", "other"):
        (where / name).mkdir(parents=True)
        (where / name / "gone.html").touch()
    (where / "site" / ".buildinfo").touch()
    built_there, checked = built(root, "site", where=where)
    assert built_there.endswith(f" --doctree-dir build/site.doctrees docs {where / 'site'}")
    assert "--fail-on-warning" in built_there
    assert checked == f"bin/check-site {where / 'site'}"
    assert not (where / "site").exists()
    assert built(root, "other", where=where)[-1] == f"bin/check-site {where / 'other'}"
    assert (where / "other" / "gone.html").exists()  # not made by Sphinx
    assert built(root, where=where)[-1] == "bin/check-site build/site"
