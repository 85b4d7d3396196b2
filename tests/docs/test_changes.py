"""The changelog stays what a reader finds something in: by subject, and few sentences each."""

from __future__ import annotations

import re

from tests import ROOT

CHANGES = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
VERSIONS = dict(re.findall(r"^## (\S+) \([^)]+\)\n(.*?)(?=^## |\Z)", CHANGES, re.MULTILINE | re.DOTALL))
LONGEST = 6  # lines of 120 characters


def entries(text: str) -> list[str]:
    return re.findall(r"^- .*(?:\n  .*)*", text, re.MULTILINE)


def test_entries_of_a_version_stand_under_subjects():
    before, *subjects = VERSIONS["0.2.0"].split("\n### ")
    assert entries(before) == []
    assert len(subjects) > 8
    assert all(entries(subject) for subject in subjects)


def test_an_entry_is_few_sentences():
    assert [entry[:60] for entry in entries(CHANGES) if entry.count("\n") >= LONGEST] == []


def test_no_command_is_brought_twice():
    """An entry that two branches wrote stands there twice after a merge without a conflict."""
    brought = re.findall(
        r"^- (?:\*\*[^*]+\*\*: )?`(snapdp [a-z]+)[^`]*`(?::| leads| plans)", VERSIONS["0.2.0"], re.MULTILINE
    )
    assert {"snapdp serve", "snapdp selftest", "snapdp attack"} <= set(brought)
    assert len(brought) == len(set(brought))
