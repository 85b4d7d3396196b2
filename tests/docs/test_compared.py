"""What is said of other tools is dated and has a source; what was measured is what our own pages and tests have."""

from __future__ import annotations

import re

import pytest

from tests import ROOT
from tests.docs.test_links import slug
from tests.unit.attacks.test_peers import EXPECTED

PAGE = (ROOT / "docs" / "compared-with.md").read_text(encoding="utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
PARTS = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)
SECTIONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
OURS = ["What snapdp does not do", "What was measured"]
TOOLS = [title for title in SECTIONS if title not in OURS]
IN_ORDER = ["**There and not here.**", "**Here and not found there.**", "**Which.**", "**Sources.**"]
ROW = re.compile(r"^\| ([^|]+?) \| ([\d.,]+) \| ([\d.,]+) \|$", re.MULTILINE)
SEEN = re.compile(r"\]\(https://[^)\s]+\)|\bpackages? [\w.-]+ \d+\.\d+")


def rows(text: str) -> list[list[str]]:
    return [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]


@pytest.mark.parametrize("title", TOOLS)
def test_a_section_is_dated_says_what_the_other_does_first_and_where_that_was_seen(title):
    text = SECTIONS[title]
    assert text.lstrip().startswith(("*November 2026, ", "*November 2026: "))
    assert [text.count(part) for part in IN_ORDER] == [1] * 4
    assert sorted(IN_ORDER, key=text.index) == IN_ORDER
    assert SEEN.search(text.split("**Sources.**")[1])


def test_a_source_that_says_nothing_would_be_found():
    assert not SEEN.search("Everybody knows it; see [here](known-limits.md).")


def test_the_first_table_has_every_tool_and_what_we_do_not_do_comes_before_what_was_measured():
    linked = re.findall(r"^\| \[[^\]]+\]\(#([^)]+)\)", PAGE, re.MULTILINE)
    assert linked == [slug(title) for title in TOOLS]
    assert list(SECTIONS)[:2] == OURS


def test_times_are_those_of_the_benchmarks():
    said = ROW.findall(SECTIONS["What was measured"])
    assert len(said) == 9
    measured = {cells[0].strip(): (cells[2].strip(), cells[3].strip()) for cells in rows(BENCHMARKS) if len(cells) == 5}
    assert {name: (median, ratio) for name, median, ratio in said} == {name: measured[name] for name, _, _ in said}


def test_verdicts_are_those_that_the_long_suite_expects():
    said = rows(SECTIONS["What was measured"].split("| attack |")[1].split("\n", 1)[1])[1:]
    found: dict[str, dict[str, str]] = {peer: {} for peer in EXPECTED}
    for name, *verdicts in said:
        for peer, verdict in zip(EXPECTED, verdicts, strict=True):
            if verdict.strip():
                found[peer][name.strip(" `")] = verdict.strip()
    assert found == EXPECTED


def test_what_the_benchmarks_say_in_short_stands_in_their_tables_too():
    short, rest = BENCHMARKS.split("\n## ", 1)
    numbers = re.compile(r"(?<![\w^.,-])\d[\d,.]*(?<![.,])(?! *\^|\^)")
    said = {number for line in re.findall(r"^- .*(?:\n  .*)*", short, re.MULTILINE) for number in numbers.findall(line)}
    assert {"5.77", "2,073", "0.93", "2.31"} <= said
    assert said - set(numbers.findall(rest)) == set()
