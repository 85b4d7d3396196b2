"""Every example runs: docstrings of the package, and the Python blocks of README and docs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import snapdp

ROOT = Path(__file__).resolve().parents[2]
MODULES = [name for _, name, _ in pkgutil.walk_packages(snapdp.__path__, "snapdp.") if not name.endswith("__main__")]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_give_what_they_show(name):
    failures, _ = doctest.testmod(importlib.import_module(name))
    assert failures == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_python_blocks_of_a_page_run_in_order(page):
    namespace: dict[str, object] = {}
    for block in FENCE.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, str(page), "exec"), namespace)


def test_some_examples_exist():
    finder = doctest.DocTestFinder()
    examples = [t for name in MODULES for t in finder.find(importlib.import_module(name)) if t.examples]
    blocks = [b for page in PAGES for b in FENCE.findall(page.read_text(encoding="utf-8"))]
    assert len(examples) >= 8
    assert len(blocks) >= 8


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_tour_runs_and_shows_a_law_that_sums_to_one():
    done = subprocess.run([sys.executable, "-m", "snapdp"], capture_output=True, text=True, check=True)
    masses = [float(m) for m in re.findall(r"^ +\d+  (0\.\d{9})", done.stdout, re.MULTILINE)]
    assert len(masses) == 7
    assert abs(sum(masses) - 1) < 7e-9
    assert done.stderr == ""
