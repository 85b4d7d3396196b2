"""A record of a unit with a declared date: who stands on all days has many units, which audit and checker derive."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import SnapdpError
from snapdp.ledger.rules import declaration_of, identical
from snapdp.release.result import Release
from snapdp.studies.protection import explain_protection
from tests.unit.audits.releases import random_record

DAY = {"kind": "date", "from": "2026-01-01", "to": "2026-01-31", "each": "day"}
COLUMNS = {"day": DAY, "app": {"kind": "category", "categories": ["mail", "maps"]}, "hour": {**DAY, "each": "week"}}
COLUMNS["size"] = {"kind": "integer", "lower": 0, "upper": 3, "missing": "dropped"}
COLUMNS["pay"] = {"kind": "integer", "lower": 0, "upper": 9, "missing": "dropped"}


def study(*person: str) -> snapdp.Study:
    asked = [{"kind": "persons", "epsilon": "0.1"}, {"kind": "sum", "column": "pay", "epsilon": "0.1"}]
    return snapdp.study(
        dataset="app", relation="add-remove", n_max=90, person=list(person), columns=COLUMNS, statistic=asked
    )


def record_of(*person: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(random_record(random.Random(3), study(*person))))
    return found


def accepted(record: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether the audit accepts a record, and whether the checker does."""
    try:
        sound = audit(record).sound
    except SnapdpError:
        sound = False
    made = {**release_certificate(record_of("user", "day")), "record": record, "claim": record["charged"]}
    made["premises"] = release_certificate(record_of("user"))["premises"]
    return sound, check_release.check(made) == []


@pytest.mark.parametrize(
    ("person", "declared", "most"),
    [
        (["user", "day"], ["day"], 31),
        (["day", "size", "user"], ["day", "size"], 31),
        (["user", "app"], [], None),  # text is compared as it is
        (["user", "size"], ["size"], None),
        (["user", "day", "hour"], ["day", "hour"], None),  # two dates: nothing is said
        (["user", "phone"], [], None),
    ],
)
def test_a_record_states_the_declared_columns_of_its_unit_and_how_many_units_someone_has(person, declared, most):
    record = record_of(*person)
    assert [each["name"] for each in record.get("person_columns", [])] == declared
    assert record.get("most_units") == most
    assert accepted(record) == (True, True)
    page = Release(record).to_html()
    assert explain_protection(study(*person).relation, Fraction(1, 5)) in page
    assert ("31 days declared" in page) == (most == 31)


FORGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "one day fewer": lambda record: record.update(most_units=30),
    "not said": lambda record: record.pop("most_units"),
    "no declaration": lambda record: record.pop("person_columns"),
    "neither": lambda record: [record.pop(key) for key in ("most_units", "person_columns")] and record.update(
        most_units=31
    ),
    "an empty list": lambda record: record.update(person_columns=[]),
    "another column": lambda record: record["person_columns"][0].update(name="other"),
    "twice": lambda record: record["person_columns"].append(record["person_columns"][0]),
    "more days": lambda record: record["person_columns"][0].update(to="2026-02-01"),
    "true": lambda record: record.update(most_units=True),
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_number_of_units_is_refused_by_audit_and_checker_with_all_digests_made_anew(name):
    record = record_of("user", "day")
    FORGED[name](record)
    record["request"] = identical(Fraction(record["charged"]), declaration_of(record))
    assert accepted(record) == (False, False)
