"""The order of the site: the pages that docs/index.md leads to, as its navigation shows them from top to bottom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests import ROOT

DOCS = ROOT / "docs"
_TREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)
_NAMED = re.compile(r"^.*<(\S+)>$")  # Title <page>


def pages_of_the_site(page: Path = DOCS / "index.md") -> Iterator[Path]:
    """Yield a page, and below it those of its trees, each once and in order."""
    yield page
    for entry in entries(page.read_text(encoding="utf-8")):
        yield from pages_of_the_site(file_of(page, entry))


def entries(text: str) -> list[str]:
    """Return the pages that the trees of a page name."""
    lines = [line.strip() for tree in _TREE.findall(text) for line in tree.splitlines()]
    return [_NAMED.sub(r"\1", line) for line in lines if line and not line.startswith(":")]


def file_of(page: Path, entry: str) -> Path:
    """Return the file of an entry of a page's tree: every page is Markdown, notebooks too."""
    return (page.parent / f"{entry}.md").resolve()
