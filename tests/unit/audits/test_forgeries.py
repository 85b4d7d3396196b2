"""What nobody could declare is refused by the audit and by the checker, however well all the rest is made to fit."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest

from snapdp.audits import check_release, findings as forensics
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import SnapdpError
from tests.unit.audits import forgeries
from tests.unit.audits.forgeries import (
    CONDITIONS,
    FINE,
    as_the_checker_derives,
    as_the_library_derives,
    fitting,
    spoilt,
)
from tests.unit.audits.mutations import with_value
from tests.unit.audits.test_mutations import ADD, ASKED, asked_record

LONG = 15  # the number of the one with a thousand cells in each list


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 0)  # which digit it was is another test's


@cache
def asked(number: int) -> dict[str, Any]:
    return asked_record(number)


@cache
def sound_records() -> list[dict[str, Any]]:
    return [asked(number) for number in range(len(ASKED)) if number != LONG]


def accepted_by(record: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether the audit accepts a record, and whether the checker does."""
    try:
        sound = audit(record).sound
    except SnapdpError:
        sound = False
    made = {"format": check_release.FORMAT, "claim": record.get("charged"), "premises": premises(), "record": record}
    return sound, check_release.check(made) == []


@cache
def premises() -> Any:
    return release_certificate(asked(0))["premises"]


def completed(record: dict[str, Any], dice: random.Random) -> list[dict[str, Any]]:
    """Return the record with all that follows from its declarations, in both ways in which somebody derives it."""
    both = as_the_checker_derives(record), as_the_library_derives(record, dice)
    return [each for each in both if each is not None]


def test_a_sound_record_is_accepted_by_both_and_completed_to_what_it_was():
    for number, record in enumerate(sound_records()):
        assert accepted_by(record) == (True, True), number
        again = completed(record, random.Random(number))
        unlisted = '"categories": {' in json.dumps(record)  # whose names the library would have to know
        assert [accepted_by(each) for each in again] == [(True, True)] * (1 if unlisted else 2), number
        declared = {key: each for key, each in record.items() if key not in forgeries.FOLLOWS | {"statistics"}}
        assert all({key: each[key] for key in declared} == declared for each in again), number


def agreement(seeds: Iterable[int]) -> Counter[tuple[bool, bool]]:
    """Return how often both accept and both refuse what was forged; a disagreement is told by its seed."""
    found: Counter[tuple[bool, bool]] = Counter()
    records = sound_records()
    for seed in seeds:
        dice = random.Random(seed)
        path, forged = spoilt(dice.choice(records), dice)
        for made in completed(forged, dice):
            by_audit, by_checker = accepted_by(made)
            assert by_audit == by_checker, (seed, path)
            found[by_audit, by_checker] += 1
    return found


def test_the_audit_and_the_checker_agree_on_what_may_be_declared():
    assert agreement(range(100))[True, True] > 15


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_the_audit_and_the_checker_agree_on_many_more_declarations(part):
    assert agreement(range(10_000 * part, 10_000 * part + 4_000))[True, True] > 800


def test_a_checker_that_forgets_a_rule_disagrees(monkeypatch):
    monkeypatch.setattr(check_release, "are_on_steps", lambda *_: True)
    record = with_value(asked(4), ("statistics", 0, "where"), [WHERE["an end between two steps"]])
    made = as_the_checker_derives(record)
    assert made is not None
    assert accepted_by(made) == (False, True)


# One by one: what is declared, of which record, and in which place

AGE = {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing_in_sums": "60"}
STANDS_IN = {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing": "60"}
FINE_AGE = {**AGE, "kind": "number", "step": "1/16384"}  # so fine that ends of ranges may lie between two steps
WHERE: dict[str, dict[str, Any]] = {
    "an end between two steps": {"column": AGE, "from": "65/2"},
    "a range without a level": {"column": FINE_AGE, "from": "1/65536", "below": "1/32768"},
    "a cell that is no category": next(each for each in CONDITIONS if each.get("equals") == "(null)"),
    "a name with a null character": {"column": {**AGE, "name": "a\0ge"}, "from": "65"},
    "half a character": {"column": {**AGE, "name": "\ud800"}, "from": "65"},
    "a category with a null character": {
        "column": {"name": "g", "kind": "category", "categories": ["a\0"], "unknown": "dropped", "null": "dropped"},
        "equals": "a\0",
    },
    "bounds too far from zero": {
        "column": {
            **AGE,
            "kind": "number",
            "lower": str(10**30),
            "upper": str(10**30 + 9),
            "step": "1/3",
            "missing_in_sums": str(10**30),
        },
        "from": str(10**30 + 3),
    },
}
LATIN = {"encoding": "latin-1"}
COUNT, SUM, BINS, LABELS = 4, 1, 2, 12  # among what is asked
PEOPLE, OWN, SEVERAL, TOGETHER = 22, 23, 25, 26
ALL_PERSONS = {"kind": "persons", "epsilon": "1", "alpha": "1/20"}
TWO = next(number for number, (_, wanted) in enumerate(ASKED) if isinstance(wanted[0].get("by"), list))
FULL = next(number for number, (_, wanted) in enumerate(ASKED) if wanted[0].get("by") == "full")
RANKS = next(number for number, (one, wanted) in enumerate(ASKED) if one is ADD and "at" in wanted[0])
MEDIAN = next(number for number, (_, wanted) in enumerate(ASKED) if wanted[0]["kind"] == "quantiles")
GROUPS = asked(TWO)["statistics"][0]["by"]  # regions, and bins of years
CUT = {"edges": ["0", "65"], "outside": "dropped", "null": "dropped"}
MANY = next(
    asked(number)["statistics"][0]["by"]
    for number, (_, wanted) in enumerate(ASKED)
    if wanted[0].get("by") == "many" and wanted[0]["kind"] == "mean"
)


def fine_bins(*edges: str) -> dict[str, Any]:
    """Return a histogram of the fine column with two more edges."""
    return {**asked(BINS)["statistics"][0], "columns": [FINE_AGE], "edges": ["0", *edges, "65"]}


FORGED: dict[str, tuple[dict[str, Any], tuple[Any, ...], Any]] = {
    **{name: (asked(COUNT), ("statistics", 0, "where"), [each]) for name, each in WHERE.items()},
    "two conditions on a column": (
        asked(COUNT),
        ("statistics", 0, "where"),
        [{"column": AGE, "from": "65"}, {"column": AGE, "below": "70"}],
    ),
    "one column in two ways": (
        asked(SUM),
        ("statistics", 0, "where"),
        [{"column": {**AGE, "upper": "110"}, "from": "65"}],
    ),
    "two columns for one": (asked(SUM), ("statistics", 0, "columns"), [AGE, AGE]),
    "an edge between two steps": (asked(BINS), ("statistics", 0, "edges"), ["0", "1/2", "65"]),
    "a bin without a level": (asked(BINS), ("statistics", 0), fine_bins("1/65536", "1/32768")),
    "a histogram by itself": (
        asked(LABELS),
        ("statistics", 0, "by"),
        asked(LABELS)["statistics"][0]["columns"][0],
    ),
    "a list of one group": (asked(TWO), ("statistics", 0, "by"), GROUPS[:1]),
    "no groups": (asked(TWO), ("statistics", 0, "by"), []),
    "groups by one column twice": (asked(TWO), ("statistics", 0, "by"), [GROUPS[0], GROUPS[0]]),
    "groups by numbers without edges": (asked(TWO), ("statistics", 0, "by"), [GROUPS[0], AGE]),
    "groups by an edge between two steps": (asked(TWO), ("statistics", 0, "by", 1, "edges"), ["0", "1/2", "65"]),
    "groups by a number that stands in": (asked(TWO), ("statistics", 0, "by"), [GROUPS[0], {**STANDS_IN, **CUT}]),
    "groups by a rule that is none": (asked(TWO), ("statistics", 0, "by", 1, "null"), "middle"),
    "more groups than are counted": (
        asked(TWO),
        ("statistics", 0, "by"),
        [GROUPS[0], MANY, {**MANY, "name": "more", "categories": {**MANY["categories"], "count": 3000}}],
    ),
    "a histogram by groups with more cells than are counted": (
        asked(LABELS),
        ("statistics", 0, "by"),
        {**MANY, "categories": {**MANY["categories"], "count": 5_000_000}},
    ),
    "a column of groups in two ways": (asked(TWO), ("statistics", 0, "columns", 0, "name"), "years"),
    "a number in place of a rule": (asked(SUM), ("statistics", 0, "columns", 0), STANDS_IN),
    "a text that Latin-1 has not": (asked(0), ("csv",), {**LATIN, "nulls": ["", "\u20ac"]}),
    "a control character": (asked(0), ("csv",), {**LATIN, "nulls": ["", "\x80"]}),
    "half a character that is missing": (asked(0), ("csv",), {"nulls": ["", "\ud800"]}),
    "a file that a server read": (asked(0), ("engine",), "postgresql"),
    "a role without a name": (asked(0), ("own",), ""),
    "a role with a null character": (asked(0), ("own",), "\0"),
    "a dataset with a null character": (asked(0), ("dataset",), "a\0"),
    "more rows than can be written": (asked(0), ("n",), 10**400),
    "an epsilon too small for doubles": (asked(0), ("statistics", 0, "epsilon"), f"1/{10**330}"),
    "an alpha too small to check": (asked(0), ("statistics", 0, "alpha"), f"1/{1 << 941}"),
    "a bound of no rows": (asked(OWN), ("statistics", 0, "rows_per_person"), 0),
    "a bound of rows that are nobody's": (asked(TOGETHER), ("statistics", 0, "rows_per_person"), 5),
    "more groups than there are": (asked(PEOPLE), ("statistics", 0, "groups_per_person"), 4),
    "no group": (asked(PEOPLE), ("statistics", 0, "groups_per_person"), 0),
    "groups where there are none": (asked(SEVERAL), ("statistics", 0, "groups_per_person"), 1),
    "persons whom nobody names": (asked(TOGETHER), ("statistics", 0), ALL_PERSONS),
    "persons under change-one": (asked(0), ("statistics", 0), ALL_PERSONS),
    "a person of a column twice": (asked(SEVERAL), ("person",), ["user", "user"]),
    "a person of no column": (asked(SEVERAL), ("person",), []),
    "a person of a column without a name": (asked(SEVERAL), ("person",), ["user", ""]),
    "a unit of no rows": (asked(TOGETHER), ("unit_rows",), 0),
    "two units": (asked(PEOPLE), ("unit_rows",), 30),
    "quantiles without a share": (asked(RANKS), ("statistics", 0, "at"), []),
    "the least of all rows": (asked(RANKS), ("statistics", 0, "at"), ["0", "1/2"]),
    "the greatest of all rows": (asked(RANKS), ("statistics", 0, "at"), ["1/2", "1"]),
    "shares that fall": (asked(RANKS), ("statistics", 0, "at"), ["3/4", "1/2"]),
    "a share twice": (asked(RANKS), ("statistics", 0, "at"), ["1/2", "1/2"]),
    "more shares than there may be": (asked(RANKS), ("statistics", 0, "at"), [*FINE, "101/102"]),
    "a tree without branches": (asked(RANKS), ("statistics", 0, "branching"), 1),
    "more branches than levels": (asked(RANKS), ("statistics", 0, "branching"), 8),
    "a tree with too many levels": (
        asked(RANKS),
        ("statistics", 0, "columns", 0),
        {**asked(RANKS)["statistics"][0]["columns"][0], "upper": "4000000"},
    ),
    "a tree in too many groups": (
        asked(RANKS),
        ("statistics", 0, "by"),
        {**MANY, "categories": {**MANY["categories"], "count": 400_000}},
    ),
    "ranks at an alpha that clamps alone take": (asked(RANKS), ("statistics", 0, "alpha"), f"1/{1 << 36}"),
}  # fmt: skip
TIDIED: dict[str, tuple[dict[str, Any], tuple[Any, ...], Any]] = {  # what a library that makes it again leaves out
    "a bound that is said twice": (asked(OWN), ("statistics", 0, "rows_per_person"), 2),
    "a bound in a text": (asked(OWN), ("statistics", 0, "rows_per_person"), "5"),
    "a bound of rows where persons are counted": (asked(PEOPLE), ("statistics", 0, "rows_per_person"), 5),
    "groups of rows": (asked(SUM), ("statistics", 0, "groups_per_person"), 1),
    "a person of one column in a list": (asked(SEVERAL), ("person",), ["user"]),
    "a unit of one row": (asked(TOGETHER), ("unit_rows",), 1),
    "a unit of rows under change-one": (asked(0), ("unit_rows",), 30),
    "shares of a sum": (asked(SUM), ("statistics", 0, "at"), ["1/2"]),
    "margins of ranks": (asked(RANKS), ("statistics", 0, "margins"), [["region"]]),
    "branches in a text": (asked(RANKS), ("statistics", 0, "branching"), "2"),
    "a share in decimals": (asked(MEDIAN), ("statistics", 0, "at"), ["0.5"]),
}  # fmt: skip
ALLOWED: dict[str, tuple[dict[str, Any], tuple[Any, ...], Any]] = {  # their twins, one word away
    "an end on a step": (asked(COUNT), ("statistics", 0, "where"), [{"column": AGE, "from": "65"}]),
    "a range with a level": (
        asked(COUNT),
        ("statistics", 0, "where"),
        [{"column": FINE_AGE, "from": "1/65536", "below": "5/65536"}],
    ),
    "groups in another order": (asked(TWO), ("statistics", 0, "by"), GROUPS[::-1]),
    "groups by one column": (asked(TWO), ("statistics", 0, "by"), GROUPS[0]),
    "groups by bins alone": (asked(TWO), ("statistics", 0, "by"), GROUPS[1]),
    "groups by an edge on a step": (asked(TWO), ("statistics", 0, "by", 1, "edges"), ["0", "1", "65"]),
    "an edge on a step": (asked(BINS), ("statistics", 0, "edges"), ["0", "1", "65"]),
    "a bin with a level": (asked(BINS), ("statistics", 0), fine_bins("1/65536", "5/65536")),
    "a text that Latin-1 has": (asked(0), ("csv",), {**LATIN, "nulls": ["", "\xe4"]}),
    "a file that Spark read": (asked(0), ("engine",), "spark"),
    "a role": (asked(0), ("own",), "ann"),
    "a small alpha": (asked(0), ("statistics", 0, "alpha"), f"1/{1 << 940}"),
    "a bound of its own": (asked(OWN), ("statistics", 0, "rows_per_person"), 3),
    "all groups": (asked(PEOPLE), ("statistics", 0, "groups_per_person"), 3),
    "a person of other columns": (asked(SEVERAL), ("person",), ["country", "user", "é"]),
    "a unit of two rows": (asked(TOGETHER), ("unit_rows",), 2),
    "so much epsilon that noise is hardly any": (asked(FULL), ("statistics", 0, "epsilon"), "1000"),
    "as many shares as there may be": (asked(RANKS), ("statistics", 0, "at"), FINE),
    "as many branches as levels": (asked(RANKS), ("statistics", 0, "branching"), 7),
    "another tree": (asked(MEDIAN), ("statistics", 0, "branching"), 2),
    "another share": (asked(MEDIAN), ("statistics", 0, "at"), ["1/1000000"]),
    "the least alpha of ranks": (asked(RANKS), ("statistics", 0, "alpha"), f"13/{1 << 39}"),
    "ranks of very much epsilon": (asked(RANKS), ("statistics", 0, "epsilon"), "1000000"),
    "ranks of very little epsilon": (asked(RANKS), ("statistics", 0, "epsilon"), "1/1000000"),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_nobody_could_declare_is_refused_by_both(name):
    """As it stands in a sound record, and with all that follows from it, where somebody derives it."""
    record, path, value = FORGED[name]
    forged = fitting(with_value(record, path, value))
    assert accepted_by(forged) == (False, False)
    assert [accepted_by(each) for each in completed(forged, random.Random(0))] in ([], [(False, False)])
    assert as_the_checker_derives(forged) is None
    assert accepted_by(record) == (True, True)


@pytest.mark.parametrize("name", TIDIED)
def test_what_is_said_in_another_way_than_records_say_it_is_refused_by_both(name):
    record, path, value = TIDIED[name]
    forged = fitting(with_value(record, path, value))
    assert accepted_by(forged) == (False, False)
    assert as_the_checker_derives(forged) is None
    assert accepted_by(record) == (True, True)


@pytest.mark.parametrize("name", ALLOWED)
def test_what_may_be_declared_is_accepted_by_both(name):
    record, path, value = ALLOWED[name]
    made = completed(fitting(with_value(record, path, value)), random.Random(0))
    assert [accepted_by(each) for each in made] == [(True, True)] * 2
