"""Records of hierarchies and of keys: whatever is changed in them, audit and checker refuse it, and what fits, too."""

from __future__ import annotations

import json
import random
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import snapdp
from snapdp.audits import findings as forensics
from snapdp.studies.grouping.keys import digest_of_keys
from tests.unit.audits.forgeries import as_the_checker_derives
from tests.unit.audits.mutations import mutants, with_value, without
from tests.unit.audits.releases import random_record
from tests.unit.audits.test_forgeries import accepted_by, completed
from tests.unit.audits.test_mutations import ADD, COLUMNS, ONE, PERSONS, is_free

KEYS = Path(__file__).parents[2] / "vectors" / "keys.csv"  # of page and number
DECLARED = {
    **COLUMNS,
    "place": {  # no two counties, and no two lands, are alike in what is below them
        "kind": "category",
        "categories": list("abcdef"),
        "unknown": "binned",
        "parents": {
            "county": {"K": ["a", "b", "c"], "L": ["d", "e"], "M": ["f"]},
            "land": {"X": ["K"], "Y": ["L", "M"]},
        },
    },
}
LEVELS: dict[str, Any] = {"by": "place", "margins": "hierarchy"}
KEYED: dict[str, Any] = {"by": ["page", "number"], "keys": str(KEYS)}
ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "rows by levels": (ADD, {"kind": "count", **LEVELS}),
    "sums by levels": (ONE, {"kind": "sum", "column": "wage", **LEVELS, "shares": ["1/2", "1/4", "1/8", "1/8"]}),
    "persons by levels": (PERSONS, {"kind": "persons", "groups_per_person": 1, **LEVELS}),
    "rows by keys": (ADD, {"kind": "count", **KEYED}),
    "means by keys": (ONE, {"kind": "mean", "columns": ["age", "pay"], **KEYED}),
    "bins by keys": (ADD, {"kind": "histogram", "column": "age", "edges": [0, 18, 65], **KEYED}),
    "persons by keys": (PERSONS, {"kind": "persons", "groups_per_person": 2, **KEYED}),
}


@pytest.fixture(autouse=True)
def no_search(monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 0)  # which digit it was is another test's


@cache
def record(name: str) -> dict[str, Any]:
    relation, asked = ASKED[name]
    statistic = [{"epsilon": "3/10", **asked}]
    study = snapdp.study(dataset="people", columns=DECLARED, statistic=statistic, **relation)
    found: dict[str, Any] = json.loads(json.dumps(random_record(random.Random(0), study)))
    return found


def by(name: str) -> Any:
    return record(name)["statistics"][0]["by"]


def levels(*given: tuple[str, str]) -> dict[str, Any]:
    """Return the column of places with other levels above it, each a name and one letter for each parent."""
    return {**by("rows by levels"), "parents": [{"level": level, "of": list(of)} for level, of in given]}


def keyed(*rows: tuple[str, ...], numbers: tuple[int, ...] = (), **said: Any) -> dict[str, Any]:
    """Return a statistic by other keys, with the digest that fits them."""
    names = [each["name"] for each in by("rows by keys")]
    columns: list[dict[str, Any]] = [{"name": name, "kind": "key"} for name in names]
    for place in numbers:
        columns[place]["compare"] = "numbers"
    storable = [tuple(text.replace("\ud800", "?") for text in row) for row in rows]
    keys = {"count": len(rows), "digest": digest_of_keys(names, storable), "cell": [list(row) for row in rows]}
    return {**record("rows by keys")["statistics"][0], "by": columns, "keys": {**keys, **said}}


def altered(**said: Any) -> dict[str, Any]:
    """Return a statistic by the keys that there are, with something else said of it."""
    return {**record("rows by keys")["statistics"][0], **said}


COUNTY, LAND = ("county", "KKKLLM"), ("land", "XYY")
FORGED_LEVELS: dict[str, Any] = {
    "a parent less": levels(("county", "KKKLL"), LAND),
    "a parent more": levels(("county", "KKKLLMM"), LAND),
    "a level above another one": levels(COUNTY, ("land", "XXXYYY")),
    "one level twice": levels(COUNTY, ("county", "XYY")),
    "a level that is called like the column": levels(("place", "KKKLLM")),
    "a level without a name": levels((" ", "KKKLLM")),
    "a parent with a null character": levels(("county", "KKKLL\0")),
    "a parent that stands for other texts": {
        **by("rows by levels"),
        "parents": [{"level": "county", "of": ["(unknown)"] * 6}],
    },
    "no level": levels(),
    "too many levels": levels(*((f"level {i}", "abcdef") for i in range(17))),
    "two columns": [levels(COUNTY), by("rows by keys")[0]],
}
STATED_KEYS = record("rows by keys")["statistics"][0]["keys"]
FORGED_KEYS: dict[str, dict[str, Any]] = {
    "a column that is declared": altered(by=by("rows by levels")),
    "one column twice": altered(by=[by("rows by keys")[0]] * 2),
    "margins": altered(margins=[["page"]], shares=["1"]),
    "a key twice": keyed(("a", "x"), ("a", "x")),
    "half a character": keyed(("a", "\ud800")),
    "a null character": keyed(("a", "\0")),
    "a text too long": keyed(("a", "x" * 4097)),
    "a text less": keyed(("a",)),
    "numbers as text": keyed(("a", "1"), ("a", "2")),
    "text as numbers": keyed(("a", "1"), ("a", "x"), numbers=(1,)),
    "numbers as people do not write them": keyed(("a", "01"), numbers=(1,)),
    "none": keyed(),
    "few that are not listed": altered(keys={key: STATED_KEYS[key] for key in ("count", "digest")}),
    "more than there are in the list": altered(keys={**STATED_KEYS, "count": 5}),
    "many that are listed": altered(keys={**STATED_KEYS, "count": 1001}),
    "too many": altered(keys={"count": 50_000_001, "digest": STATED_KEYS["digest"]}),
    "a digest that is none": altered(keys={"count": 1001, "digest": "sha256:0"}),
}
TIDIED: dict[str, dict[str, Any]] = {  # what a library that makes it again leaves out
    "keys without columns": with_value(record("rows by keys"), ("statistics", 0), without(altered(), ("by",))),
    "keys with parents": with_value(record("rows by keys"), ("statistics", 0, "by", 0, "parents"), []),
    "parents without a hierarchy": without(
        without(record("rows by levels"), ("statistics", 0, "margins")), ("statistics", 0, "shares")
    ),
}
ALLOWED: dict[str, tuple[str, tuple[Any, ...], Any]] = {  # their twins, one word away
    "other parents": ("rows by levels", ("statistics", 0, "by"), levels(("county", "KLMKLM"), LAND)),
    "another level": ("rows by levels", ("statistics", 0, "by"), levels(COUNTY, ("state", "XYY"))),
    "other keys": ("rows by keys", ("statistics", 0), keyed(("a", "x"), ("b", "x"))),
    "numbers as numbers": ("rows by keys", ("statistics", 0), keyed(("a", "1"), ("a", "2"), numbers=(1,))),
    "a text as long as may be": ("rows by keys", ("statistics", 0), keyed(("a", "x" * 4096))),
}


def refused_by_both(forged: dict[str, Any]) -> bool:
    """Tell whether nobody accepts a record, nor one with all that follows from what it declares."""
    made = completed(forged, random.Random(0))
    refused = [accepted_by(each) for each in (forged, *made)]
    return {*refused} == {(False, False)} and as_the_checker_derives(forged) is None


@pytest.mark.parametrize("name", ASKED)
def test_a_change_of_a_record_by_levels_or_keys_is_refused_by_both(name):
    """One in fifty-three; the long suite has them all."""
    assert accepted_by(record(name)) == (True, True)
    for how, path, mutant in islice(mutants(record(name)), 7, None, 53):
        assert accepted_by(mutant) == (False, False) or is_free(how, path), (how, path)


@pytest.mark.long
@pytest.mark.parametrize("name", ASKED)
def test_every_change_of_a_record_by_levels_or_keys_is_refused_by_both(name):
    for how, path, mutant in mutants(record(name)):
        by_audit, by_checker = accepted_by(mutant)
        assert by_audit == by_checker, (how, path)
        assert not by_audit or is_free(how, path), (how, path)


@pytest.mark.parametrize("name", FORGED_LEVELS)
def test_levels_that_nobody_could_declare_are_refused_by_both(name):
    assert refused_by_both(with_value(record("rows by levels"), ("statistics", 0, "by"), FORGED_LEVELS[name]))


@pytest.mark.parametrize("name", FORGED_KEYS)
def test_keys_that_nobody_could_declare_are_refused_by_both(name):
    assert refused_by_both(with_value(record("rows by keys"), ("statistics", 0), FORGED_KEYS[name]))


def test_a_hierarchy_without_parents_is_refused_by_both():
    assert refused_by_both(without(record("rows by levels"), ("statistics", 0, "by", "parents")))


@pytest.mark.parametrize("name", TIDIED)
def test_what_belongs_to_no_such_table_is_refused_by_both(name):
    assert accepted_by(TIDIED[name]) == (False, False)
    assert as_the_checker_derives(TIDIED[name]) is None


@pytest.mark.parametrize("name", ALLOWED)
def test_levels_and_keys_that_may_be_declared_are_accepted_by_both(name):
    which, path, value = ALLOWED[name]
    made = completed(with_value(record(which), path, value), random.Random(0))
    assert [accepted_by(each) for each in made] == [(True, True)] * 2


@pytest.mark.parametrize("field", ["value", "shown", "low", "high", "deviation"])
def test_a_number_that_follows_is_refused_where_it_is_that_of_another_cell(field):
    """Every adjusted number is a plausible one: it stands elsewhere in the same block, or in that of another level."""
    sound = record("sums by levels")
    blocks = [place for place, block in enumerate(sound["derived"]) if isinstance(block.get("deviation"), list)]
    assert len(blocks) > 1  # cells of one level differ in their deviation
    for block in blocks:
        numbers = sound["derived"][block][field]
        places = [place for place in range(1, len(numbers)) if numbers[place] != numbers[0]]
        for place in places[:1]:
            forged = with_value(sound, ("derived", block, field, 0), numbers[place])
            assert accepted_by(forged) == (False, False)
            swapped = with_value(forged, ("derived", block, field, place), numbers[0])
            assert accepted_by(swapped) == (False, False)
