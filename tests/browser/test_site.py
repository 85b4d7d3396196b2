"""The site of the documentation in a real browser: narrow and wide, light and dark, asking nobody for anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.browser.driven import browser

pytestmark = pytest.mark.long
WIDER = "document.documentElement.scrollWidth - window.innerWidth"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as bin/docs does, and check it."""
    to = tmp_path_factory.mktemp("site")
    flags = ["--builder", "html", "--fail-on-warning", "--keep-going", "--doctree-dir", f"{to}.doctrees"]
    subprocess.run([sys.executable, "-m", "sphinx", *flags, "docs", str(to)], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "bin/check-site", str(to)], cwd=ROOT, check=True)
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


@pytest.mark.parametrize(("width", "scheme"), [(420, "light"), (420, "dark"), (1280, "light")])
def test_no_page_asks_anybody_complains_or_is_wider_than_the_window(site: Path, width: int, scheme: str):
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


def test_formulas_are_typeset_from_what_was_built(site: Path):
    with_formulas = [page for page in sorted(site.rglob("*.html")) if 'class="math' in page.read_text(encoding="utf-8")]
    assert with_formulas
    with browser() as program:
        tab = program.new_page()
        tab.goto(with_formulas[0].as_uri())
        tab.locator("mjx-container").first.wait_for()
