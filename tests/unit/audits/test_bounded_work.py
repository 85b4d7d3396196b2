"""Whatever a record says, reading it costs what its bytes cost: work is counted, memory traced, no clock read.

A record is anybody's. Every number in one that could make a reader loop or allocate is made enormous here.
"""

from __future__ import annotations

import copy
import json
import random
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any

import pytest

import snapdp
from snapdp.audits import check_release, findings as forensics, release_audit as rebuild
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import BoundError, DataError, SnapdpError
from snapdp.release import request, result
from snapdp.release.result import Release, load_record, load_release
from snapdp.studies.columns import integer_column
from snapdp.studies.plans.lines import ask, planned
from snapdp.studies.plans.plan import Plan
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.histogram import histogram_query
from tests.tiers import first_of
from tests.unit.audits.releases import random_record
from tests.unit.release.people import MEAN, released
from tests.unit.release.support import leaves, with_value

MEGABYTE = 1 << 20
HUGE = [10**7, -(10**299)]
MORE_HUGE = [-(10**7), 10**9, 10**18, 2**63, -(2**63), 10**40, 10**299]
TEXTS = ["1e999999999", "1/" + "9" * 4000]
MORE_TEXTS = ["1e-999999999", "1" * 4000, "9" * 10**5, "1e1000", "1e-1000", "nan", "inf", "-1", "0"]


@contextmanager
def within(megabytes: float) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes * MEGABYTE
    finally:
        tracemalloc.stop()


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """A record with every kind of field: short and long blocks, categories named by their digest, persons."""
    statistics = [
        MEAN,
        {"kind": "histogram", "column": "region", "epsilon": 1},
        {"kind": "histogram", "column": "cell", "edges": [0, 10], "outside": "binned", "epsilon": 1},
        {"kind": "histogram", "column": "many", "epsilon": 1},
        {"kind": "count", "where": [{"column": "many", "equals": "key 7"}, {"column": "age", "from": 5}], "epsilon": 1},
        {"kind": "mean", "column": "pay", "by": "region", "epsilon": 1},
    ]
    found = released(tmp_path_factory.mktemp("bounded"), *statistics, relation="add-remove").record
    return dict(json.loads(json.dumps(found)))


def read_everywhere(record: dict[str, Any]) -> None:
    """Let every reader have a record: each answers or refuses."""
    with suppress(SnapdpError):
        audit(record)
    try:
        release = Release(record)
    except SnapdpError:
        pass
    else:
        repr(release), release.values, release.to_html(), list(release.numbers())
    claim = {"format": check_release.FORMAT, "claim": "1", "premises": [["a", "b", "c"]], "record": record}
    assert check_release.check(claim)


def test_ten_million_categories_in_a_few_bytes_take_no_memory(record, monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 14)
    path = ("statistics", 3, "columns", 0, "categories", "count")
    changed = with_value(with_value(record, path, 10**7), ("statistics", 3, "parts", 0, "cells"), 10**7)
    changed["statistics"][3]["parts"][0]["file"]["rows"] = 10**7
    assert not audit(changed).sound  # everything is loaded
    with within(2):
        assert not audit(changed).sound
        Release(changed).to_html()
        assert check_release.check(release_certificate(changed))


def test_cells_that_are_not_there_take_no_memory_in_what_is_derived(record, monkeypatch):
    """The declaration says ten million cells, the block has one: shares were once derived for all of them."""
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 14)
    changed = with_value(record, ("statistics", 3, "columns", 0, "categories", "count"), 10**7)
    block = copy.deepcopy(record["statistics"][0]["parts"][0])
    del changed["statistics"][3]["parts"][0]["file"]
    part = changed["statistics"][3]["parts"][0]
    part |= {"cells": 1} | {key: block[key][:1] for key in ("cell", "index", "value", "shown", "low", "high")}
    with within(2):
        assert not audit(changed).sound


HUGE_TREES = {
    "levels": ({"upper": "3999999"}, 4 * 10**6, None),
    "levels in a tree": ({"upper": "1999999"}, 2, None),
    "groups": ({}, 7, {"count": 500_000, "digest": "sha256:" + "0" * 64}),
}


@pytest.mark.parametrize("name", HUGE_TREES)
def test_a_tree_of_millions_of_nodes_in_a_few_bytes_takes_no_memory(name, monkeypatch):
    """Its numbers are in files that are not there: nothing is derived of them, by audit or checker."""
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 14)
    bounds, branching, groups = HUGE_TREES[name]
    column = {"kids": {"kind": "integer", "lower": 0, "upper": 6, "missing": 0}}
    column["g"] = {"kind": "category", "categories": [f"{i}" for i in range(1001)]}
    asked = [{"kind": "quantiles", "column": "kids", "by": "g", "branching": 7, "epsilon": 1}]
    small = snapdp.study(dataset="d", relation="add-remove", n_max=9, columns=column, statistic=asked)
    changed = json.loads(json.dumps(random_record(random.Random(1), small)))
    stated = changed["statistics"][0]
    stated["columns"][0] |= bounds
    stated["branching"] = branching
    if groups is None:
        del stated["by"]
        stated["title"] = "median(kids)"
    else:
        stated["by"]["categories"] = groups
    audit(changed)  # everything is loaded
    with within(4):
        assert not audit(changed).sound
    with within(4):
        assert check_release.check(release_certificate(changed))


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_amount(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isdigit()


@pytest.mark.parametrize(
    ("belongs", "given"),
    first_of([(is_number, HUGE), (is_amount, TEXTS), (is_number, MORE_HUGE), (is_amount, MORE_TEXTS)], count=2),
)
def test_every_number_and_amount_of_a_record_may_be_enormous(record, belongs, given, monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 14)
    seen: set[Any] = set()
    for path, value in leaves(record):
        kind = tuple(step for step in path if isinstance(step, str))
        if belongs(value) and kind not in seen and kind[0] != "versions":
            seen.add(kind)
            for huge in given:
                with within(8):
                    read_everywhere(with_value(record, path, huge))
    assert len(seen) >= 10


def test_the_search_for_an_altered_digit_ends_after_a_fixed_amount_of_work(record, monkeypatch):
    """420 KB once took an hour: 200,000 tries, each with a digest of all of it."""
    hashed: list[int] = []
    genuine = forensics.identical

    def counted(epsilon: Any, request: Any) -> str:
        hashed.append(len(json.dumps(request)))
        return genuine(epsilon, request)

    monkeypatch.setattr(forensics, "identical", counted)
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 21)
    for names in (1, 300, 900):
        changed = copy.deepcopy(record)
        changed["statistics"][1]["columns"][0]["categories"] = [f"{i:0100d}" for i in range(names)]
        changed["request"] = "sha256:" + "0" * 64
        hashed.clear()
        found = audit(changed)
        assert "request" in [each.field for each in found.findings]
        assert 0 < sum(hashed) <= 1.2 * (1 << 21)


def test_epsilons_whose_sum_grows_with_every_term_are_not_added_up(record, monkeypatch):
    """Fifty epsilons of 900 digits took half a minute, two hundred an hour: their common denominator has them all."""
    base = record["statistics"][0]
    many = [{**base, "epsilon": str(1 + Fraction(1, 10**900 + 2 * i + 1))} for i in range(200)]
    summed: list[int] = []
    genuine = request.added

    def counted(epsilons: Any) -> Fraction:
        terms = list(epsilons)
        with suppress(SnapdpError):
            summed.append(genuine(terms).denominator.bit_length())
        return genuine(terms)

    monkeypatch.setattr(forensics, "added", counted)
    monkeypatch.setattr(rebuild, "added", counted)
    monkeypatch.setattr(forensics, "MOST_WORK", 1 << 20)
    monkeypatch.setattr(Plan, "total", property(lambda _: pytest.fail("the sum was taken")))
    found = audit({**record, "statistics": many})
    assert "thousands of digits" in found.findings[-1].should
    assert all(bits <= request.MOST_BITS for bits in summed)


def test_edges_and_conditions_are_counted_before_any_is_read(record, monkeypatch):
    """32 MB of edges kept every reader busy for minutes, with a gigabyte in memory."""
    for name in ("check_lengths", "added"):
        monkeypatch.setattr(rebuild, name, lambda _: pytest.fail("it was read"), raising=False)
    binned = next(each for each in record["statistics"] if "edges" in each)
    tested = next(each for each in record["statistics"] if "where" in each)
    hostile = [
        [{**binned, "edges": ["0"] * 100_001}],
        [{**binned, "edges": ["0"] * 50_001}] * 2,
        [{**tested, "where": tested["where"] * 501}],
        [{**tested, "where": tested["where"] * 500}] * 11,
    ]
    for statistics in hostile:
        changed = {**record, "statistics": statistics}
        with within(4), pytest.raises(SnapdpError, match=r"longer than records have|edges or"):
            audit(changed)
        with within(4):
            (reason,) = check_release.check({**release_certificate(record), "record": changed})
        assert "more than 1" in reason or "1 to 1000 entries" in reason


def test_more_edges_than_a_record_holds_are_refused_when_they_are_declared():
    column = integer_column("x", lower=0, upper=200_000, missing="middle")
    asked = histogram_query(column, add_remove(n_max=9), edges=range(100_001))
    with pytest.raises(BoundError, match="100000 bin edges"):
        request.Request(dataset="d", plan=Plan(lines=(planned(ask(asked, epsilon=1)),)))


def test_a_field_of_very_many_digits_is_not_searched(record, monkeypatch):
    monkeypatch.setattr(forensics, "identical", lambda *_: pytest.fail("a digest was taken"))
    monkeypatch.setattr(forensics, "_fields", lambda *_: [(("statistics", 0, "title"), "7" * 900)])
    assert forensics.altered_field(record) is None


def test_a_short_record_is_searched_through(record):
    (epsilon,) = {each["epsilon"] for each in record["statistics"][1:2]}
    changed = with_value(record, ("statistics", 1, "epsilon"), str(int(epsilon) + 1))
    assert "statistics[1].epsilon" in [each.field for each in audit(changed).findings]


def test_blocks_of_what_is_derived_are_looked_up_once(record):
    """Numbers once went through all derived blocks for each statistic."""

    class Counted(list):  # type: ignore[type-arg]
        walks = 0

        def __iter__(self) -> Iterator[Any]:
            Counted.walks += 1
            return super().__iter__()

    release = Release({**record, "derived": record["derived"]})
    release.record["derived"] = Counted(record["derived"])
    list(release.numbers())
    assert Counted.walks == 1


def test_a_record_file_is_read_up_to_a_limit(tmp_path, monkeypatch, record):
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record))
    assert load_release(path).record == record
    monkeypatch.setattr(result, "MOST_BYTES", path.stat().st_size - 1)
    with pytest.raises(DataError, match="larger than"):
        load_record(path)


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', '{"a": Infinity}', '{"a": 1, "a": 2}', "[" * 10**5, "9" * 5000, "\ufeff{}"]
)
def test_what_is_no_json_is_no_record(tmp_path, text):
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError):
        load_record(path)


def test_a_record_without_statistics_or_numbers_is_answered(record):
    for changed in ({**record, "statistics": []}, {**record, "derived": []}, {**record, "statistics": [{}]}):
        try:
            assert not audit(changed).sound
        except DataError:
            continue
