"""The pages of the reference as tests read them: sections, and the lines of their tables."""

from __future__ import annotations

import re
import sys

from tests import ROOT

DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
sys.path.insert(0, str(DOCS / "_ext"))  # what makes the generated parts


def page(name: str) -> str:
    """Return a page of the reference as it stands, without its generated parts."""
    return (REFERENCE / name).read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """Return what stands under a heading, up to the next one of its level or above."""
    level = heading.partition(" ")[0]
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def rows(text: str) -> list[list[str]]:
    """Return the lines of all tables in a text, without their heads, by cells."""
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line] for line in lines]
    heads = {number - 1 for number, line in enumerate(cells) if set("".join(line)) <= set("-: ")}
    return [line for number, line in enumerate(cells) if number not in heads and number - 1 not in heads]


def words(cell: str) -> list[str]:
    """Return what a cell has in backquotes."""
    return re.findall(r"`([^`]+)`", cell)


def stated_keys(command: str) -> set[str]:
    """Return the keys that the table of JSON has for a command, those of its flags too."""
    line = next(line for line in rows(section(page("json-api.md"), "## Commands")) if line[0] == command)
    return set(words(line[1]))
