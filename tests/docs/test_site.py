"""The site: every page is in its navigation, once; what is built is checked by a program with teeth."""

from __future__ import annotations

from collections import Counter
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import pytest

from tests import ROOT
from tests.docs.navigation import DOCS, entries, pages_of_the_site


def checker():
    """Return the program bin/check-site as a module."""
    loader = SourceFileLoader("check_site", str(ROOT / "bin" / "check-site"))
    module = module_from_spec(spec_from_loader("check_site", loader))
    loader.exec_module(module)
    return module


def test_every_page_is_in_the_navigation_and_only_once():
    there = set(DOCS.rglob("*.md"))
    assert Counter(pages_of_the_site()) == Counter(there)


def test_what_the_guarantee_does_not_cover_comes_first():
    assert entries((DOCS / "index.md").read_text(encoding="utf-8"))[0] == "known-limits"


GOOD = '<html><body id="top"><a href="other.html#here">x</a> <a href="https://example.org/">y</a></body></html>'
OTHER = '<p id="here"><a href="#here">z</a><img src="data:image/png;base64,AA=="></p>'


def faults_of(directory, **pages):
    for name, text in {"index": GOOD, "other": OTHER, **pages}.items():
        (directory / f"{name}.html").write_text(text, encoding="utf-8")
    return checker().faults_of(directory)


def test_a_site_whose_links_lead_somewhere_has_no_faults(tmp_path):
    assert faults_of(tmp_path) == {}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<a href="absent.html">', "absent.html leads nowhere"),
        ('<a href="other.html#there">', "other.html#there leads nowhere"),
        ('<a href="#here">', "#here leads nowhere"),
        ('<script src="https://example.org/x.js"></script>', "https://example.org/x.js is loaded"),
        ('<img src="//example.org/x.png">', "//example.org/x.png is loaded"),
        ('<link rel="preload stylesheet" href="http://example.org/x.css">', "http://example.org/x.css is loaded"),
        ("<style>@import 'https://example.org/x.css';</style>", "https://example.org/x.css is loaded"),
        ('<p style="background: url(https://example.org/x.png)">', "https://example.org/x.png is loaded"),
    ],
)
def test_what_leads_nowhere_or_is_loaded_from_elsewhere_is_found(tmp_path, text, fault):
    assert faults_of(tmp_path, third=text) == {"third.html": [fault]}


def test_a_font_that_a_style_sheet_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "x.css").write_text("@font-face { src: url('https://example.org/f.woff2') }", encoding="utf-8")
    assert faults_of(tmp_path) == {"x.css": ["https://example.org/f.woff2 is loaded"]}


def test_a_directory_without_a_page_is_no_site(tmp_path, capsys):
    assert checker().main([str(tmp_path)]) == 1
    assert "0 pages" in capsys.readouterr().out
