"""What belongs together, rule by rule: faults of a reservation and of a record, and what a replay keeps count of."""

from __future__ import annotations

import pytest

from snapdp.ledger import chain
from snapdp.ledger.chain import LONGEST_FRACTION
from snapdp.ledger.rules import Replay, Terms, _total, commit_fault, identical, reserve_fault, units_of, walk
from snapdp.ledger.storage.storage import Signed
from tests.unit.ledger.test_forgeries import relinked
from tests.unit.release.support import NAME, F, ask, new_ledger

ASKED = {"snapdp_request": 1, "relation": "change-one", "n": 1, "unit": "row", "statistics": [{"epsilon": "1/4"}]}
ONE_ROW = Terms("change-one", 1, "row")


def reserved(asked):
    epsilon = F(1, 4)
    return {"asked": asked, "epsilon": str(epsilon), "request": identical(epsilon, asked)}


# Reservations


def test_a_reservation_that_fits_has_no_fault():
    assert reserve_fault(reserved(ASKED), ONE_ROW) is None
    assert reserve_fault(reserved({**ASKED, "own": "ann"}), ONE_ROW, "ann") is None
    assert reserve_fault(reserved({**ASKED, "own": "ann"}), ONE_ROW) is None  # a file knows no authors


@pytest.mark.parametrize("rows", [True, 1.0, "1", 2])
def test_a_number_of_rows_is_a_whole_number_and_the_same(rows):
    fault = reserve_fault(reserved({**ASKED, "n": rows}), ONE_ROW)
    assert fault == "was asked under other terms than those of its account"


PERSON = {**ASKED, "unit": "person", "person": "id", "rows_per_person": 3}
SEVERAL = {**PERSON, "person": ["user", "country"]}
TOGETHER = {**ASKED, "unit": "rows", "unit_rows": 30}
OWN = [{"epsilon": "1/4", "rows_per_person": 3}]
PEOPLE = [{"epsilon": "1/4", "kind": "persons"}]


@pytest.mark.parametrize(
    ("asked", "units"),
    [
        (ASKED, ("row",)),
        (PERSON, ("person (id)", "person (id, at most 3 rows)")),
        ({**PERSON, "statistics": OWN}, ("person (id)",)),
        ({**PERSON, "statistics": PEOPLE}, ("person (id)",)),
        (SEVERAL, ('person (["user","country"])',)),
        (TOGETHER, ("30 rows",)),
    ],
)
def test_a_request_is_charged_to_accounts_of_its_units_and_no_other(asked, units):
    every = ["row", "rows", "person", "person (id)", "person (id, at most 3 rows)", "person (id, at most 2 rows)"]
    every += ['person (["user","country"])', "person (user, country)", "30 rows", "3 rows"]
    assert units_of(asked) == units
    for unit in every:
        fault = reserve_fault(reserved(asked), Terms("change-one", 1, unit))
        assert (fault is None) == (unit in units), unit


@pytest.mark.parametrize(
    "asked",
    [
        {**ASKED, "unit": "person (id)"},
        {**ASKED, "unit": "30 rows"},
        {**PERSON, "person": ["id"]},
        {**PERSON, "person": ["user", 3]},
        {**PERSON, "person": 3},
        {**PERSON, "rows_per_person": "3"},
        {**PERSON, "rows_per_person": 0},
        {**PERSON, "rows_per_person": True},
        {**TOGETHER, "unit_rows": 1},
        {**TOGETHER, "unit_rows": "30"},
        {**TOGETHER, "person": "id", "rows_per_person": 3},
    ],
)
def test_a_unit_that_makes_no_sense_is_no_unit(asked):
    with pytest.raises(ValueError, match=r"^$"):
        units_of(asked)
    for unit in ("row", "person (id)", "30 rows", 'person (["id"])', "person (3)", "1 rows"):
        assert reserve_fault(reserved(asked), Terms("change-one", 1, unit)) == "asks what cannot be read"


def test_what_is_reserved_as_own_is_reserved_by_that_role():
    assert reserve_fault(reserved({**ASKED, "own": "ann"}), ONE_ROW, "bob") == "was reserved for another role"


def test_the_sum_of_a_reservation_stays_as_short_as_the_ledger_writes():
    half = 10 ** (LONGEST_FRACTION // 2)
    assert _total([{"epsilon": f"1/{half - 1}"}, {"epsilon": f"1/{half}"}]).denominator == half * (half - 1)
    longer = [{"epsilon": f"1/{half}"}, {"epsilon": f"1/{half + 1}"}]
    with pytest.raises(ValueError, match=r"^$"):
        _total(longer)
    total = F(1, half) + F(1, half + 1)
    body = {"asked": {**ASKED, "statistics": longer}, "epsilon": str(total)}
    body["request"] = chain.digest(chain.canonical({"epsilon": str(total), "request": body["asked"]}))
    assert reserve_fault(body, ONE_ROW) == "asks what cannot be read"


# Records


def test_statistics_without_a_request_of_this_library_were_not_reserved():
    asked = {"note": "of another program"}
    body = {"account": NAME, "version": "1" * 16, "time": "2026-01-31T12:00:00Z", **reserved(asked)}
    binding = {
        "dataset": NAME, "dataset_version": "1" * 16, "charged": "1/4", "request": body["request"], "previous": "head",
        "date": "2026-01-31",
    }  # fmt: skip
    assert commit_fault({"record": binding}, body, "head") is None
    fault = commit_fault({"record": {**binding, "statistics": []}}, body, "head")
    assert fault == "holds a record whose request was not reserved"


# Replays


@pytest.fixture
def bodies(tmp_path):
    """A ledger with two reservations of one request that were both given up; the ledger, and what its entries say."""
    ledger, version = new_ledger(tmp_path / "people.ledger")
    with ledger:
        for _ in range(2):
            ledger.abandon(ask(ledger, version, "a", "1/4"))
        yield ledger, [chain.read(entry) for entry in walk(ledger._storage, NAME)]


def problems(ledger, bodies, author=None):
    for number, body in enumerate(bodies):
        body["number"] = number
    entries, standing = relinked(bodies)
    if author is not None:
        fields = ("account", "number", "kind", "version", "request", "reserve", "body", "digest")
        entries = [Signed(author=author, **{name: getattr(each, name) for name in fields}) for each in entries]
    return list(Replay(ledger._identity, standing, ledger._storage.datasets()).problems(entries))


def record_for(reserve, entries):
    head = chain.digest(chain.canonical(entries[reserve]))
    body = entries[reserve]
    return {
        "dataset": NAME, "dataset_version": body["version"], "charged": body["epsilon"], "request": body["request"],
        "previous": head, "format": 1, "date": body["time"][:10],
    }  # fmt: skip


def test_one_request_is_answered_once(bodies):
    """Both were reserved before either was answered."""
    ledger, (opened, dataset, first, closed, second, _) = bodies
    assert problems(ledger, [opened, dataset, first, closed]) == []
    second = {**second, "spent": "1/2"}
    commits = [{**closed, "kind": "commit", "reserve": place, "spent": "1/2"} for place in (2, 3)]
    chained = [opened, dataset, first, second]
    for number, body in enumerate(chained):
        body["number"] = number
        body["previous"] = chain.digest(chain.canonical(chained[number - 1])) if number else ""
    for place, commit in zip((2, 3), commits, strict=True):
        commit["record"] = record_for(place, chained)
    assert problems(ledger, [*chained, commits[0]]) == []
    found = problems(ledger, [*chained, *commits])
    assert found == [f"entry 5 of the account {NAME!r} closes a reservation that is not open."]


def test_nothing_is_reserved_for_nothing(bodies):
    ledger, (opened, dataset, first, *_) = bodies
    free = {**first, "epsilon": "0", "spent": "0", "request": identical(F(0), first["asked"])}
    assert problems(ledger, [opened, dataset, free]) == [
        f"entry 2 of the account {NAME!r} reserves what needs no reservation."
    ]


def test_a_replay_knows_for_whom_a_reservation_was_made(bodies):
    ledger, (opened, dataset, first, *_) = bodies
    asked = {**ASKED, "n": 5000, "own": "ann"}
    own = {**first, **reserved(asked)}
    assert problems(ledger, [opened, dataset, own], author="ann") == []
    assert problems(ledger, [opened, dataset, own], author="bob") == [
        f"entry 2 of the account {NAME!r} was reserved for another role."
    ]
