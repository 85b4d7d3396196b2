"""A report is compared with the record it was written from, byte for byte."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.audits.release_audit import is_sound
from snapdp.audits.reports import compare_report
from snapdp.ledger.chain import canonical
from snapdp.release.report.page import report_page, snapdp_version, stated_versions
from snapdp.release.result import Release
from tests.tiers import one_in
from tests.unit.audits.test_mutations import ASKED, asked_record

RECORD = asked_record(0)


@cache
def page() -> str:
    return report_page(Release(RECORD))


def compared(content: bytes | str, directory: Path, record=RECORD):
    path = directory / "report.html"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return compare_report(record, path)


@pytest.mark.parametrize("number", one_in(3, range(len(ASKED))))
def test_the_report_of_every_kind_of_study_is_the_one_of_its_record(number, tmp_path):
    record = asked_record(number)
    Release(record).save(tmp_path / "report.html")
    Release(record).save(tmp_path / "record.json")
    assert compare_report(record, tmp_path / "report.html").accepted
    assert not compare_report(asked_record(number, seed=1), tmp_path / "report.html").accepted


def test_another_process_with_another_hash_of_texts_writes_the_same_report(tmp_path):
    """Sets of texts are in another order there."""
    records = [asked_record(number) for number in (7, 19, 30, 36)]
    for number, record in enumerate(records):
        (tmp_path / f"{number}.json").write_text(canonical(record, name="record"))
    code = "import sys, snapdp\nfor path in sys.argv[1:]: snapdp.load_release(path).save(path + '.html')"
    for seed in "12":
        command = [sys.executable, "-c", code, *(str(tmp_path / f"{number}.json") for number in range(len(records)))]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        for number, record in enumerate(records):
            assert compare_report(record, tmp_path / f"{number}.json.html").accepted


def edits(text: str) -> st.SearchStrategy[tuple[str, int]]:
    """Return texts with one edit, each with where it is: a character more, less or another, two swapped, a cut."""
    places = st.integers(0, len(text) - 2)
    characters = st.one_of(st.sampled_from("0123456789.,- <>&\n\r\t\ufeff\u202e\x00"), st.characters(codec="utf-8"))
    return st.one_of(
        st.builds(lambda i, c: (text[:i] + c + text[i:], i), places, characters),
        st.builds(lambda i, c: (text[:i] + c + text[i + 1 :], i), places, characters),
        st.builds(lambda i: (text[:i] + text[i + 1 :], i), places),
        st.builds(lambda i: (text[:i] + text[i + 1] + text[i] + text[i + 2 :], i), places),
        st.builds(lambda i: (text[:i], i), places),
        st.builds(lambda c: (text + c, len(text)), characters),
    ).filter(lambda edit: edit[0] != text)


@settings(max_examples=100, deadline=None)
@given(edit=st.deferred(lambda: edits(page())))
def test_every_edit_of_a_report_is_noticed(edit, tmp_path_factory):
    edited, place = edit
    found = compared(edited, tmp_path_factory.mktemp("edited"))
    assert not found.accepted
    if not stated_versions(edited) or snapdp_version() in stated_versions(edited):
        assert found.verdict == "REFUSED"
        assert found.line in (page().count("\n", 0, place) + 1, page().count("\n", 0, place) + 2)
    else:
        assert found.verdict == "COULD NOT CHECK"


@pytest.mark.parametrize("other", [{"title": "Other ages"}, {"publisher": "A second office"}, {"date": "2026-02-01"}])
def test_a_report_of_another_record_is_refused_though_both_records_are_sound(other, tmp_path):
    record = {**RECORD, **other}
    assert is_sound(record)
    assert compared(page(), tmp_path, record).verdict == "REFUSED"


def test_of_a_report_that_another_version_wrote_nothing_is_said_but_its_version(tmp_path):
    other = page().replace(f"snapdp <code>{snapdp_version()}</code>", "snapdp <code>9.9.9</code>")
    found = compared(other.replace("Noise", "noise"), tmp_path)
    assert (found.verdict, found.line) == ("COULD NOT CHECK", None)
    assert "written by snapdp 9.9.9, and this is snapdp" in found.reason
    hidden = compared(other.replace("9.9.9", "9\u202e" * 40), tmp_path)
    assert hidden.verdict == "COULD NOT CHECK"
    assert "\u202e" not in hidden.reason


def test_a_report_without_its_version_is_refused(tmp_path):
    for content in ("", "<!doctype html>", page().replace("This page was written by snapdp", ""), b"\xff\xfe"):
        assert compared(content, tmp_path).verdict == "REFUSED"


@pytest.mark.parametrize("place", ["directory", "missing"])
def test_a_report_that_cannot_be_read_is_not_accused(place, tmp_path):
    path = tmp_path if place == "directory" else tmp_path / "none.html"
    found = compare_report(RECORD, path)
    assert (found.verdict, found.line) == ("COULD NOT CHECK", None)


def test_a_text_of_the_record_does_not_pass_for_a_version():
    record = {**RECORD, "title": "This page was written by snapdp <code>9.9</code>"}
    assert stated_versions(report_page(Release(record))) == {snapdp_version()}
