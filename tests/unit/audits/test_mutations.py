"""Every single change of a record is refused, but of the few fields that follow from nothing: these are listed."""

from __future__ import annotations

import json
import random
from itertools import count, islice
from typing import Any

import pytest

import snapdp
from snapdp.audits import check_release, findings as forensics
from snapdp.audits.release_audit import audit, is_sound, release_certificate
from snapdp.errors import SnapdpError
from tests.tiers import first_of
from tests.unit.audits.mutations import Path, mutants
from tests.unit.audits.releases import random_record

WHOLE = {"county": {"K": ["a", "b"]}}
COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/100", "missing": 600},
    "wage": {"kind": "number", "lower": 0, "upper": 90, "step": "1/4", "missing": "dropped"},
    "day": {"kind": "date", "from": "2024-01-01", "to": "2024-03-31", "each": "month"},
    "sick": {"kind": "boolean"},
    "debt": {"kind": "magnitude", "exponents": [-1, 1]},
    "region": {"kind": "category", "categories": ["north", "south"], "unknown": "binned"},
    "full": {"kind": "boolean", "unknown": "binned", "null": "binned"},
    "many": {"kind": "category", "categories": [f"key {i}" for i in range(1200)]},
    "some": {"kind": "category", "categories": [f"key {i}" for i in range(34)], "null": "binned"},
    "more": {"kind": "category", "categories": [f"key {i}" for i in range(33)]},
    "town": {"kind": "category", "categories": ["a", "b", "c"], "parents": {"county": {"K": ["a", "c"], "L": ["b"]}}},
    "home": {"kind": "category", "categories": ["a", "b"], "unknown": "binned", "null": "binned", "parents": WHOLE},
    "kids": {"kind": "integer", "lower": 0, "upper": 6, "missing": "middle"},
    "hours": {"kind": "number", "lower": "-1/2", "upper": 2, "step": "1/2", "missing": "dropped"},
    "years": {
        "kind": "integer",
        "lower": 0,
        "upper": 120,
        "missing": "dropped",
        "edges": [0, 18, 65],
        "outside": "binned",
        "null": "binned",
    },
}
ONE, ADD = {"relation": "change-one", "n": 90}, {"relation": "add-remove", "n_max": 120}
PERSONS = {**ADD, "person": "id", "rows_per_person": 2}
SEVERAL = {**ADD, "person": ["user", "country"]}
TOGETHER = {**ADD, "unit_rows": 30}
NORTH = [{"column": "age", "from": 65}, {"column": "region", "equals": "north"}]
ASKED: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    (ONE, [{"kind": "mean", "column": "age"}]),
    (ONE, [{"kind": "sum", "column": "age"}]),
    (ONE, [{"kind": "histogram", "column": "age", "edges": [0, 18, 65], "outside": "binned"}]),
    (ONE, [{"kind": "mean", "column": "pay", "by": "region", "count_share": "0.25"}]),
    (ONE, [{"kind": "count", "where": NORTH}]),
    (
        ONE,
        [
            {"kind": "variance", "column": "age"},
            {"kind": "variance", "column": "pay"},
            {"kind": "covariance", "columns": ["age", "pay"]},
        ],
    ),
    (ONE, [{"kind": "mean", "column": "wage"}]),
    (ONE, [{"kind": "histogram", "column": "wage", "edges": [0, 10, 90], "missing": "binned"}]),
    (ADD, [{"kind": "mean", "column": "pay"}]),
    (ADD, [{"kind": "sum", "column": "wage", "where": NORTH}]),
    (ADD, [{"kind": "histogram", "column": "day", "by": "sick"}]),
    (ADD, [{"kind": "sum", "column": "age", "by": "region", "alpha": "0.1"}]),
    (ADD, [{"kind": "histogram", "column": "region"}]),
    (PERSONS, [{"kind": "count"}]),
    (ADD, [{"kind": "histogram", "column": "many"}]),
    (ADD, [{"kind": "histogram", "column": "more", "by": "some"}]),
    (ONE, [{"kind": "mean", "column": "age", "by": "many"}]),
    (PERSONS, [{"kind": "sum", "column": "age", "by": "many"}]),
    (ONE, [{"kind": "mean", "column": "wage", "by": ["region", "years"]}]),
    (ADD, [{"kind": "histogram", "column": "day", "by": ["sick", "years"]}, {"kind": "count", "by": "years"}]),
    (PERSONS, [{"kind": "count", "by": ["many", "sick", "region"]}]),
    (ADD, [{"kind": "count", "by": "many"}, {"kind": "count", "where": [{"column": "many", "equals": "key 7"}]}]),
    (PERSONS, [{"kind": "persons", "by": "region", "groups_per_person": 2, "where": NORTH[:1]}]),
    (PERSONS, [{"kind": "mean", "column": "wage", "rows_per_person": 5}, {"kind": "histogram", "column": "region"}]),
    (PERSONS, [{"kind": "persons", "by": "many", "groups_per_person": 3}]),
    (SEVERAL, [{"kind": "persons"}, {"kind": "sum", "column": "age", "rows_per_person": 4}]),
    (TOGETHER, [{"kind": "sum", "column": "age", "by": "region"}]),
    (ADD, [{"kind": "count", "by": ["region", "sick"], "margins": "all"}]),
    (
        ONE,
        [
            {
                "kind": "sum",
                "column": "wage",
                "by": ["region", "sick"],
                "margins": [["sick"], []],
                "shares": ["2/3", "1/3"],
            }
        ],
    ),
    (ONE, [{"kind": "count", "by": "full", "margins": "all"}]),
    (PERSONS, [{"kind": "persons", "by": ["region", "sick"], "groups_per_person": 1, "margins": [["region"], []]}]),
    (ONE, [{"kind": "mean", "columns": ["age", "wage"], "complete": True}]),
    (ADD, [{"kind": "mean", "columns": ["age", "pay"], "by": "sick"}]),
    (ADD, [{"kind": "sum", "column": "wage", "by": "town", "margins": "hierarchy"}]),
    (ONE, [{"kind": "count", "by": "home", "margins": "hierarchy", "shares": ["2/3", "1/3"]}]),
    (ONE, [{"kind": "quantiles", "column": "kids", "branching": 3}]),
    (ADD, [{"kind": "quantiles", "column": "kids", "at": ["1/4", "0.5", "0.9"], "branching": 2, "by": "region"}]),
    (ONE, [{"kind": "quantiles", "column": "hours", "at": ["1/3"], "branching": 2, "where": NORTH[:1]}]),
    (PERSONS, [{"kind": "quantiles", "column": "hours", "by": ["region", "sick"], "rows_per_person": 5}]),
    (ADD, [{"kind": "quantiles", "column": "kids", "at": ["0.5", "0.75"], "branching": 3, "by": "many"}]),
    (ADD, [{"kind": "variance", "column": "wage", "by": "region"}]),
    (PERSONS, [{"kind": "covariance", "columns": ["age", "pay"], "correlation": True, "rows_per_person": 3}]),
    (ADD, [{"kind": "magnitudes", "column": "debt", "branching": 3}]),
    (ONE, [{"kind": "magnitudes", "column": "debt", "outside": "1/2", "where": NORTH}]),
    (PERSONS, [{"kind": "magnitudes", "column": "debt", "rows_per_person": 5}]),
]
MEAN_OF_PAY, REGIONS = (
    next(
        number for number, (relation, asked) in enumerate(ASKED) if relation is ADD and asked[0].get("column") == column
    )
    for column in ("pay", "region")
)
# What follows from nothing else in a record; the ledger knows it. So does a file beside the record its own digest, of
# which the second half is not in its name.
TOLD = {"date": "2026-01-31", "title": "Ages", "publisher": "An office", "contact": "office@example.org"}
FREE = {"dataset", "dataset_version", "previous", "engine", "versions", "csv", *TOLD}


def is_free(how: str, path: Path) -> bool:
    """Tell whether nothing contradicts a change."""
    if how == "removed":  # the form of CSV files may be absent, and each of its keys; what readers are told, too
        return path[0] in {"csv", *TOLD} - {"date"}
    return how == "changed" and (path[0] in FREE or path[-2:] == ("file", "digest"))


def asked_record(number: int, seed: int = 0) -> dict[str, Any]:
    """Return the record of a release of one of the above, with arbitrary draws."""
    relation, asked = ASKED[number]
    statistics = [{"epsilon": "3/10", **each} for each in asked]
    study = snapdp.study(dataset="people", columns=COLUMNS, statistic=statistics, **relation)
    found = {**random_record(random.Random(seed), study), "csv": {"delimiter": ";", "decimal": ","}, **TOLD}
    record: dict[str, Any] = json.loads(json.dumps(found))
    return record


def accepts(record: Any) -> bool:
    try:
        return audit(record).sound
    except SnapdpError:
        return False


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 0)  # which digit it was is another test's


@pytest.mark.parametrize(
    ("number", "step"), first_of([(n, step) for step in (47, 1) for n in range(len(ASKED))], count=len(ASKED))
)
def test_audit_and_checker_refuse_every_change_of_a_record_but_of_what_follows_from_nothing(number, step):
    """One in 47; the long suite has them all."""
    record = asked_record(number)
    made, survivors = release_certificate(record), set()
    assert accepts(record)
    for how, path, mutant in islice(mutants(record), step // 2, None, step):
        found = accepts(mutant)
        assert found == (check_release.check({**made, "record": mutant}) == []), (how, path)
        assert is_free(how, path) or not found, (how, path)
        survivors |= {path[0]} if found else set()
    assert step > 1 or survivors >= {"dataset", "dataset_version", "previous", "versions"}


def half_in_files() -> dict[str, Any]:
    """Return a record of quantiles whose levels are in a file, and what follows from them is not."""
    asked = [{"kind": "quantiles", "column": "day", "at": ["1/4", "0.5"], "branching": 40, "epsilon": 1}]
    columns = {"day": {"kind": "integer", "lower": 1, "upper": 1100, "missing": 1}}
    study = snapdp.study(dataset="people", columns=columns, statistic=asked, **ADD)
    record: dict[str, Any] = json.loads(json.dumps(random_record(random.Random(3), study)))
    assert ["file" in each for each in (*record["statistics"][0]["parts"], *record["derived"])] == [0, 1, 0, 0]
    return record


@pytest.mark.parametrize("step", first_of([151, 7]))
def test_of_what_follows_from_a_file_that_is_not_there_both_see_all_but_the_digits(step):
    record = half_in_files()
    made, free = release_certificate(record), set()
    assert check_release.check(made) == []
    assert accepts(record)
    for how, path, mutant in islice(mutants(record), step // 2, None, step):
        found = accepts(mutant)
        assert found == (check_release.check({**made, "record": mutant}) == []), (how, path)
        if found and not is_free(how, path):
            free.add((how, path[0], path[-2]))
    assert set() < free <= {("changed", "derived", name) for name in ("value", "shown", "low", "high")}


@pytest.mark.parametrize(("key", "number"), [("shown", 9999), ("low", 0), ("high", 1101), ("low", 1100), ("high", 1)])
def test_numbers_that_cannot_be_are_refused_though_their_file_is_not_there(key, number):
    record = half_in_files()
    made = release_certificate(record)
    record["derived"][0][key][0] = number
    assert not accepts(record)
    assert check_release.check({**made, "record": record})


def test_numbers_in_a_file_that_does_not_belong_there_are_named():
    record = asked_record(MEAN_OF_PAY)
    lie = json.loads(json.dumps(record))
    for part in lie["statistics"][0]["parts"]:
        for name in ("cell", "index", "value", "shown", "low", "high"):
            part.pop(name, None)
        part["file"] = {"name": "../../etc/passwd", "digest": "nonsense", "rows": 7}
    lie["derived"][0] |= {"value": [999.0], "low": [998.5], "high": [999.5], "title": "mean(pay), exact"}
    assert [each.field for each in audit(lie).findings] == [
        "statistics[0].parts[0].file",
        "statistics[0].parts[1].file",
    ]
    assert not is_sound(lie)
    assert is_sound(record)


def test_equal_numbers_of_another_type_or_sign_are_named():
    record = asked_record(REGIONS)
    part = record["statistics"][0]["parts"][0]
    number = part["value"][0]
    part["value"][0] = float(number)
    (found,) = audit(record).findings
    assert (found.field, found.says, found.should) == (
        "statistics[0].parts[0].value[0]",
        str(float(number)),
        str(number),
    )
    assert check_release.check(release_certificate(record))


def test_a_zero_of_another_sign_is_named_by_audit_and_checker():
    records = (asked_record(REGIONS, seed) for seed in count())
    record = next(each for each in records if 0.0 in each["derived"][0]["value"])
    values = record["derived"][0]["value"]
    place = values.index(0.0)
    values[place] = -0.0
    named = [(each.field, each.says, each.should) for each in audit(record).findings]
    assert (f"derived[0].value[{place}]", "-0.0", "0.0") in named
    (reason,) = check_release.check(release_certificate(record))
    assert reason.startswith(f"record.derived[0].value[{place}]: is -0.0, but 0.0")
