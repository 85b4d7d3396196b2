"""Title, publisher, contact and date: in the record and on the page, and no part of what is asked."""

from __future__ import annotations

import json

import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import LedgerError, ParameterError
from snapdp.studies.study_file import study_from_toml, study_to_toml

TEXTS = {"title": "How old we are", "publisher": "Office of <b>counts</b>", "contact": "office@example.org"}
VALUES = {
    "dataset": "people",
    "relation": "change-one",
    "n": 4,
    "columns": {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
    "statistic": [{"kind": "mean", "column": "age", "epsilon": 1}],
}
TABLE = {"age": [31, 62, 7, 44]}
DAY = "2026-01-31"


@pytest.fixture
def book(tmp_path):
    with snapdp.Ledger.create(tmp_path / "people.ledger", clock=lambda: f"{DAY}T23:59:59Z") as ledger:
        ledger.create_account("people", cap=9, relation="change-one", rows=4)
        yield ledger


def test_texts_are_written_and_read_and_ask_for_nothing_else():
    plain, told = snapdp.study(VALUES), snapdp.study({**VALUES, **TEXTS})
    assert told.declared.texts == TEXTS
    assert study_from_toml(study_to_toml(told.declared)) == told.declared
    assert told.request().declaration == plain.request().declaration
    assert plain.with_texts(**TEXTS) == told != plain


def test_the_record_has_the_texts_and_the_day_of_the_ledgers_entry(book):
    record = snapdp.study({**VALUES, **TEXTS}).release(TABLE, ledger=book).record
    assert {key: record[key] for key in TEXTS} == TEXTS
    assert record["date"] == DAY
    assert book.history("people")[0].time.startswith(DAY)
    assert audit(record, book).sound
    assert check_release.check(json.loads(json.dumps(release_certificate(record)))) == []
    for key in (*TEXTS, "date"):
        other = {**record, key: "2026-02-01"}
        assert [each.field for each in audit(other, book).findings] == [f"record.{key}"]


def test_the_same_under_another_title_is_free_and_keeps_the_first_one(book):
    first = snapdp.study({**VALUES, **TEXTS}).release(TABLE, ledger=book)
    again = snapdp.study({**VALUES, "title": "Another"}).release(TABLE, ledger=book)
    assert again.free
    assert again.record == first.record


def test_a_record_of_another_day_is_not_committed(book):
    version = book.dataset_version("people", b"rows")
    asked = {"relation": "change-one", "rows": 4, "epsilon": 1, "request": {"ask": 1}, "version": version}
    held = book.reserve("people", **asked)
    assert held.binding["date"] == DAY
    with pytest.raises(LedgerError, match="does not belong to its reservation: date"):
        book.commit(held, {**held.binding, "date": "2026-02-01"})


@pytest.mark.parametrize("wrong", ["", " ", "two\nlines", "x" * 201, "\u202eturned", 7, ["a"]])
@pytest.mark.parametrize("key", TEXTS)
def test_a_text_that_no_report_could_show_is_refused(key, wrong):
    with pytest.raises(ParameterError, match=key):
        snapdp.study({**VALUES, key: wrong})
