"""The conversation of the guide's page on `start` takes place: `python -m tests.docs.test_guide_start` writes it."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from contextlib import chdir
from pathlib import Path

from snapdp.api.outline import about_keys
from snapdp.cli.learn.demo import people, table_text
from snapdp.studies import load_study
from tests import ROOT
from tests.cli.conversing import on_a_terminal, too_long

PAGE = ROOT / "docs" / "guide" / "start.md"
BLOCK = re.compile(r"(<!-- conversation: .*? -->\n).*?(<!-- end of the conversation -->\n)", re.DOTALL)
BLANK = re.compile(r"\n{3,}")
ABOUT = {"title": "Ages and incomes, 2026", "publisher": "Office of Examples", "contact": "office@example.org"}
ANSWERS = [
    "n", "y", "5000", "1",
    "average income by region", "0 to 10000", "1", "1", "1", "north, south, east, west", "",
    "average age", "0 to 120", "1", "2",
    "table region", "median age", "", "spread age", "count by age", "0, 18, 65, 120", "",
    *(ABOUT[key] for key in about_keys()),
    "release", "n", "y",
]  # fmt: skip
BY_NUMBERS = [
    "n", "y", "5000", "1",
    "2", "2", "0 to 10000", "1", "1", "3", "1", "north, south, east, west", "",
    "2", "1", "0 120", "1", "2", "",
    "4", "3", "", "5", "1", "", "", "6", "1", "", "1", "1", "0, 18, 65, 120", "",
    *(ABOUT[key] for key in about_keys()),
    "release", "n", "y",
]  # fmt: skip


def typed(answers: list[str]) -> str:
    return f"{len(answers)} answers and {sum(len(each) + 1 for each in answers)} keystrokes"


def conversation() -> str:
    """Return the block of the page: what the terminal shows, and how much was typed."""
    shown, code = on_a_terminal(["start", "people.csv"], ANSWERS, stdout=subprocess.DEVNULL, NO_COLOR="1", TERM="dumb")
    assert code == 0, shown
    lines = "\n".join(line.rstrip() for line in shown.rstrip().split("\n"))
    lines = BLANK.sub("\n\n", lines)  # a bar that a slow machine shows leaves an empty line behind
    told = f"That is one command, {typed(ANSWERS)}, Enter included; by numbers alone, {typed(BY_NUMBERS)}."
    return f"```text\n{lines}\n```\n\n{told}\n"


def test_the_conversation_of_the_page_is_the_one_that_takes_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    found = conversation()
    page = BLOCK.search(PAGE.read_text(encoding="utf-8"))
    assert page is not None
    assert page[0] == f"{page[1]}\n{found}\n{page[2]}"
    assert too_long(found.partition("\n```\n")[0]) == []
    asked = load_study("people-release/study.toml").asked
    assert (len(asked), sum(each.epsilon for each in asked)) == (6, 1)
    assert sorted(os.listdir()) == ["people-release", "people.csv", "people.ledger"]


def test_the_same_can_be_said_by_numbers_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(table_text(people()), encoding="utf-8")
    shown, code = on_a_terminal(["start", "people.csv"], BY_NUMBERS)
    assert code == 0, shown
    asked = load_study("people-release/study.toml").asked
    assert [each.statistic.title for each in asked] == [
        "mean(income) by region", "mean(age)", "histogram(region)", "quantiles(age)", "variance(age)", "count by age",
    ]  # fmt: skip


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, chdir(place):
        Path("people.csv").write_text(table_text(people()), encoding="utf-8")
        made = conversation()
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda found: f"{found[1]}\n{made}\n{found[2]}", text), encoding="utf-8")
