"""Who knows the notes finds them: every line of docs/from-the-notes.md runs, every erratum has its block."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from tests import ROOT
from tests.docs.test_examples import FENCE

PAGE = (ROOT / "docs" / "from-the-notes.md").read_text(encoding="utf-8")
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (?!\|)(.+?) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
LINE = re.compile(r"`([^`]+)`")
HEADING = re.compile(r"^### (E?\d+)\. ", re.MULTILINE)


def rows(text: str) -> list[tuple[str, ...]]:
    """Return section, name, what it is here, and the line, of every row."""
    return [row for row in ROW.findall(text) if not row[0].startswith("--")]


def namespace() -> dict[str, Any]:
    """Return the names that the lines use: those of the first block."""
    names: dict[str, Any] = {}
    exec(compile(FENCE.findall(PAGE)[0], "from-the-notes.md", "exec"), names)
    return names


def failure(line: str, names: dict[str, Any]) -> str | None:
    """Run a line, a command or an expression; say what is wrong with it."""
    if line.startswith("snapdp "):
        done = CliRunner().invoke(main, shlex.split(line)[1:])
        return None if done.exit_code == 0 else done.output + done.stderr
    try:
        return "is false" if eval(compile(line, "from-the-notes.md", "eval"), names) is False else None
    except Exception as problem:
        return repr(problem)


def test_every_line_of_the_page_runs_and_what_compares_is_true(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = namespace()
    lines = [LINE.fullmatch(row[3]) for row in rows(PAGE)]
    assert len(lines) >= 110
    assert all(lines), [row for row, line in zip(rows(PAGE), lines, strict=True) if line is None]
    assert {line[1]: why for line in lines if line and (why := failure(line[1], names))} == {}


@pytest.mark.parametrize(
    "line", ["1 == 2", "nothing", "snapdp lab plan --sensitivity 0", "snapdp lab verify naive_laplace"]
)
def test_a_line_that_is_false_or_does_not_run_would_be_found(line):
    assert failure(line, {})


def test_the_errata_are_numbered_without_a_gap_and_each_has_a_block():
    parts = HEADING.split(ERRATA)[1:]
    blocks = {number: FENCE.findall(text) for number, text in zip(parts[::2], parts[1::2], strict=True)}
    assert list(blocks) == [*map(str, range(1, 21)), *(f"E{i}" for i in range(1, 26))]
    assert [number for number, found in blocks.items() if not any("assert" in block for block in found)] == []


def test_links_to_an_erratum_lead_to_it():
    anchors = re.findall(r'^<a id="(e?\d+)"></a>\n\n### (?i:\1)\. ', ERRATA, re.MULTILINE)
    assert anchors == [number.lower() for number in HEADING.findall(ERRATA)]
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")]
    linked = [number for page in pages for number in re.findall(r"errata\.md#([^)]*)\)", page)]
    assert len(linked) >= 20
    assert set(linked) <= set(anchors)
