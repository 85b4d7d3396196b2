"""The audit of a record: a sound one has no finding, every altered field is named."""

from __future__ import annotations

import copy
import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.findings import altered_field
from snapdp.audits.release_audit import ASSUMED, PROVED, TESTED, audit, rebuilt, release_certificate, verified_ledger
from tests.tiers import first_of
from tests.unit.release.support import leaves, with_value

COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/100", "missing": "middle"},
    "region": {"kind": "category", "categories": ["north", "south"], "unknown": "binned"},
}
CHANGE_ONE = [
    {"kind": "mean", "column": "age", "epsilon": "0.31"},
    {"kind": "variance", "column": "age", "epsilon": "0.2"},
    {"kind": "variance", "column": "pay", "epsilon": "0.2"},
    {"kind": "covariance", "columns": ["age", "pay"], "epsilon": "0.1"},
    {"kind": "histogram", "column": "region", "epsilon": "0.2"},
    {"kind": "histogram", "column": "age", "edges": [0, 18, 65], "outside": "binned", "epsilon": "0.2"},
    {"kind": "mean", "column": "pay", "by": "region", "epsilon": "0.4", "count_share": "0.25"},
    {"kind": "count", "where": [{"column": "age", "from": 65}, {"column": "region", "equals": "north"}], "epsilon": 1},
]
ADD_REMOVE = [
    {"kind": "mean", "column": "pay", "epsilon": "0.3"},
    {"kind": "sum", "column": "age", "by": "region", "epsilon": "0.3", "alpha": "0.1"},
    {"kind": "histogram", "column": "region", "epsilon": "0.2"},
    {"kind": "count", "epsilon": "0.2"},
]


def released(directory: Path, relation: str) -> dict[str, Any]:
    rows = {"n": 90} if relation == "change-one" else {"n_max": 120}
    statistic = CHANGE_ONE if relation == "change-one" else ADD_REMOVE
    data = {"age": np.arange(90), "pay": 500 + np.arange(90) * 1.5, "region": ["north", "south", "x"] * 30}
    study = snapdp.study(format=1, dataset="people", relation=relation, columns=COLUMNS, statistic=statistic, **rows)
    with snapdp.Ledger.create(directory / "ledger") as ledger:
        ledger.create_account("people", cap=9, relation=relation, rows=study.relation.rows)
        return study.release(data, ledger=ledger).record


@pytest.fixture(scope="module", params=["change-one", "add-remove"])
def place(request, tmp_path_factory):
    directory = tmp_path_factory.mktemp("audit")
    return directory, released(directory, request.param)


def written(path: tuple[Any, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def one_digit_off(value: Any) -> Any:
    """Return a value in which one digit is another one, or None where there is no digit to change."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        text = repr(value)
        place = max(i for i, c in enumerate(text.partition("e")[0]) if c.isdigit())
        return float(text[:place] + str((int(text[place]) + 5) % 10) + text[place + 1 :])
    if isinstance(value, (int, str)):
        text = str(value)
        places = [i for i, c in enumerate(text) if c.isdigit()]
        if places:
            changed = text[: places[-1]] + str((int(text[places[-1]]) + 1) % 10) + text[places[-1] + 1 :]
            return changed if isinstance(value, str) else int(changed)
    return None


def test_a_sound_record_has_no_finding_and_names_its_premises(place):
    directory, record = place
    with snapdp.Ledger.open(directory / "ledger") as ledger:
        found = audit(json.loads(json.dumps(record)), ledger)
    assert found.findings == ()
    assert found.sound
    assert found.in_ledger
    assert {each.status for each in found.premises} == {PROVED, TESTED, ASSUMED}


@pytest.mark.parametrize("every", first_of([5, 1]))
def test_every_field_changed_by_one_digit_is_named(place, every):
    _, record = place
    tried = 0
    for path, value in list(leaves(record))[::every]:
        changed = one_digit_off(value)
        if (
            changed is None
            or changed == value
            or path[0] in ("versions", "previous", "dataset_version", "format", "date")
        ):
            continue  # these are the ledger's to tell: see below
        tried += 1
        if path[-1] == "cells":  # the number of entries: the record no longer reads as one
            with pytest.raises(snapdp.DataError, match="belong together"):
                audit(with_value(record, path, changed))
            continue
        found = audit(with_value(record, path, changed))
        assert written(path) in [each.field for each in found.findings], (path, value, changed)
    assert tried > 100 / every


def test_with_the_ledger_every_changed_field_is_named(place):
    directory, record = place
    with snapdp.Ledger.open(directory / "ledger") as ledger:
        for path in [("dataset_version",), ("versions", "numpy"), ("statistics", 0, "title"), ("derived", 0, "title")]:
            inner: Any = record
            for step in path:
                inner = inner[step]
            found = audit(with_value(record, path, inner + "1"), ledger)
            assert any(each.field == f"record.{written(path)}" for each in found.findings)
        changed = with_value(record, ("previous",), "sha256:" + "0" * 64)
        assert "previous" in [each.field for each in audit(changed, ledger).findings]
        other_day = with_value(record, ("date",), one_digit_off(record["date"]))
        assert "record.date" in [each.field for each in audit(other_day, ledger).findings]


def test_a_record_of_another_dataset_says_nothing_about_a_ledger(place):
    """It was once called not sound because somebody chose the wrong file."""
    directory, record = place
    with snapdp.Ledger.open(directory / "ledger") as ledger, pytest.raises(snapdp.DataError) as refused:
        verified_ledger(ledger, {**record, "dataset": "others"})
    assert "of which this ledger has no account" in str(refused.value)
    assert "The ledger itself is sound" in str(refused.value)


def test_where_the_ledger_is_sound_the_record_is_what_differs(place):
    """26.0 for 26 was once put down to the ledger: the two are equal, and their texts are not."""
    directory, record = place
    number, part = next(
        (number, each["parts"][0]) for number, each in enumerate(record["statistics"]) if each["parts"][0]["whole"]
    )
    path = ("statistics", number, "parts", 0, "value", 0)
    with snapdp.Ledger.open(directory / "ledger") as ledger:
        found = audit(with_value(record, path, float(part["value"][0])), ledger)
    named = [(each.field, each.says, each.should) for each in found.findings]
    says, should = str(float(part["value"][0])), str(part["value"][0])
    assert named == [
        (written(path), says, should),
        (f"record.{written(path)}", says, f"{should}: the ledger has it so"),
    ]


def test_where_the_ledger_is_not_sound_it_is_what_is_named(place, tmp_path):
    directory, record = place
    copied = tmp_path / "ledger"
    with closing(sqlite3.connect(directory / "ledger")) as book, closing(sqlite3.connect(copied)) as other:
        book.backup(other)
        for (name,) in other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            other.execute(f'DROP TRIGGER "{name}"')
        other.execute("UPDATE entry SET body = replace(body, 'exact', 'exacT')")
        other.commit()
    with snapdp.Ledger.open(copied) as ledger:
        fields = [each.field for each in audit(record, ledger).findings]
    assert fields == ["ledger"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("dataset", ""),
        ("dataset_version", "y"),
        ("previous", "x"),
        ("versions", {}),
        ("versions", {"numpy": "2"}),
        ("engine", "abacus"),
        ("engine", "spark"),  # which has a version of its own
    ],
)
def test_what_follows_from_nothing_has_a_form(place, field, value):
    _, record = place
    (found,) = audit({**record, field: value}).findings
    assert found.field == ("versions" if value == "spark" else field)


def test_the_other_relation_is_named(place):
    _, record = place
    other = "add-remove" if record["relation"] == "change-one" else "change-one"
    (found,) = audit({**record, "relation": other}).findings
    assert found.field == "relation"


def test_a_consistent_lie_about_the_epsilon_is_found_by_the_digest_of_the_request(place):
    _, record = place
    lie = copy.deepcopy(record)
    statistic = lie["statistics"][0]
    statistic["epsilon"] = "1/1000"
    lie["charged"] = str(sum(Fraction(each["epsilon"]) for each in lie["statistics"]))
    assert "request" in [each.field for each in audit(lie).findings]


def test_a_record_that_declares_nonsense_is_told_without_a_traceback(place):
    _, record = place
    for change in ({"kind": "mode"}, {"epsilon": "0"}, {"alpha": "2"}, {"columns": []}):
        broken = copy.deepcopy(record)
        broken["statistics"][0] |= change
        assert not audit(broken).sound


def test_the_request_is_rebuilt_as_it_was(place):
    _, record = place
    declared = rebuilt(record).declaration
    assert declared["statistics"] == [{k: v for k, v in each.items() if k != "parts"} for each in record["statistics"]]


def test_nothing_is_named_where_no_digit_explains_the_digest(place):
    _, record = place
    assert altered_field({**record, "request": "sha256:" + "0" * 64}) is None


def test_a_certificate_carries_the_record_and_the_claim(place):
    _, record = place
    made = release_certificate(record)
    assert made["claim"] == record["charged"]
    assert made["record"] == record
    assert json.loads(json.dumps(made)) == made


def test_records_with_long_lists_are_sound_and_their_other_numbers_still_audited(tmp_path):
    names = [f"k{i}" for i in range(1500)]
    study = snapdp.study(
        format=1,
        dataset="people",
        relation="add-remove",
        n_max=50,
        columns={"key": {"kind": "category", "categories": names}, "age": COLUMNS["age"]},
        statistic=[
            {"kind": "histogram", "column": "key", "epsilon": 1},
            {"kind": "count", "where": [{"column": "key", "equals": "k7"}], "epsilon": 1},
            {"kind": "mean", "column": "age", "epsilon": 1},
        ],
    )
    with snapdp.Ledger.create(tmp_path / "ledger") as ledger:
        ledger.create_account("people", cap=9, relation="add-remove", rows=50)
        data = {"key": names[:40], "age": np.arange(40)}
        record = study.release(data, ledger=ledger, directory=tmp_path).record
        assert audit(record, ledger).findings == ()
    changed = with_value(record, ("derived", 0, "value", 0), record["derived"][0]["value"][0] + 1)
    assert [each.field for each in audit(changed).findings] == ["derived[0].value[0]"]
    changed = with_value(record, ("statistics", 0, "columns", 0, "categories", "count"), 1501)
    assert "statistics[0].columns[0].categories.count" in [each.field for each in audit(changed).findings]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("date", "31.1.2026"),
        ("date", "2026-01-31T12:00:00Z"),
        ("title", ""),
        ("title", " "),
        ("contact", "a\nb"),
        ("publisher", "x" * 201),
        ("title", "\u202eright to left"),
        ("bounds_from", "sha256:7"),
    ],
)
def test_what_readers_are_told_has_a_form_that_both_audits_ask_for(place, field, wrong):
    record = {**place[1], "title": "Ages", "publisher": "An office", "contact": "Ann"}
    assert audit(record).sound
    assert check_release.check(json.loads(json.dumps(release_certificate(record)))) == []
    forged = {**record, field: wrong}
    assert [each.field for each in audit(forged).findings] == [field]
    assert check_release.check(json.loads(json.dumps({**release_certificate(record), "record": forged}))) != []
