"""A file and a server answer alike: what a ledger asks of its storage means the same on both."""

from __future__ import annotations

import pytest

from snapdp.ledger import chain
from snapdp.ledger.chain import ABANDON, COMMIT, DATASET, OPEN, RESERVE, amount_text
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage import postgres, sqlite
from snapdp.ledger.storage.storage import Dataset
from snapdp.values import replaced
from tests.unit.ledger.teams import refused
from tests.unit.release.support import NAME, TERMS, F, ask, fingerprint, record_of, release

VERSION = "5" * 16
WHEN = {"time": "2026-01-01T00:00:00Z"}
STORES = {"file": sqlite.SqliteStorage, "server": postgres.PostgresStorage}


@pytest.fixture(params=STORES)
def where(request, tmp_path):
    """The place of a new ledger, on each store."""
    return tmp_path / "people.ledger" if request.param == "file" else request.getfixturevalue("database")


@pytest.fixture
def ledger(where):
    with Ledger.create(where) as made:
        made.create_account(NAME, cap=10, **TERMS)
        yield made


@pytest.fixture
def version(ledger):
    return ledger.dataset_version(NAME, fingerprint("rows"))


def told(entries):
    return [(entry.number, entry.kind, entry.reserve) for entry in entries]


def methods(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


def test_the_twins_of_a_request_are_its_answer_or_its_newest_reservation_while_that_is_open(ledger, version):
    storage, request = ledger._storage, None

    def twins():
        with ledger._transaction(writing=False):
            return told(storage.twins(NAME, version, request))

    first = ask(ledger, version, "a", "1/4")
    request = first.request
    assert twins() == [(2, RESERVE, None)]
    ledger.abandon(first)
    assert twins() == []
    second = ask(ledger, version, "a", "1/4")
    assert twins() == [(4, RESERVE, None)]
    release(ledger, version, "b", "1/4")  # another request is nobody's twin
    assert twins() == [(4, RESERVE, None)]
    ledger.commit(second, record_of(second))
    assert twins() == [(4, RESERVE, None), (7, COMMIT, 4)]
    assert storage.twins(NAME, VERSION, request) == []
    assert storage.twins("nobody", version, request) == []


def test_a_closing_is_the_commit_or_the_abandonment_of_a_reservation(ledger, version):
    held = [ask(ledger, version, what, "1/4") for what in "abc"]
    ledger.commit(held[0], record_of(held[0]))
    ledger.abandon(held[1])
    with ledger._transaction(writing=False):
        found = [ledger._storage.closing(NAME, each.number) for each in held]
        assert told(found[:2]) == [(5, COMMIT, 2), (6, ABANDON, 3)]
        assert found[2] is None
        assert ledger._storage.closing(NAME, 0) is None
        assert ledger._storage.closing("nobody", 2) is None


def test_entries_come_in_order_and_by_pages(ledger, version, monkeypatch):
    for module in (sqlite, postgres):
        monkeypatch.setattr(module, "PAGE", 3)
    for what in "abc":
        release(ledger, version, what, "1/4")
    storage = ledger._storage
    with ledger._transaction(writing=False):
        pages = [[entry.number for entry in storage.entries(NAME, start=start)] for start in (0, 3, 6, 7, 8, 100)]
        assert pages == [[0, 1, 2], [3, 4, 5], [6, 7], [7], [], []]
        assert storage.entries("nobody", start=0) == []
        assert storage.entry(NAME, 7) == storage.entries(NAME, start=7)[0]
        assert storage.entry(NAME, 8) is None


def test_a_standing_moves_with_its_entry_and_only_where_that_leads(ledger, version):
    storage = ledger._storage
    with ledger._transaction(writing=True):
        old = storage.standing(NAME)
        entry, new = reserved(old, version)
        assert not storage.swap_standing(old, new)  # nothing was appended that leads there
        assert storage.standing(NAME) == old
        storage.append(entry)
        for field, value in (("entries", 4), ("spent", "1/8"), ("head", "sha256:0")):
            assert not storage.swap_standing(replaced(old, **{field: value}), replaced(new, **{field: value}))
        assert storage.swap_standing(old, new)
        assert storage.swap_standing(old, new)  # it stands there
        assert storage.standing(NAME) == new
        assert not storage.swap_standing(new, old)
        assert storage.standing(NAME) == new
    ledger.verify()
    assert ledger.account(NAME).spent == F(1, 4)


def reserved(standing, version):
    """Return a reservation of 1/4 as the library writes it, and where it leads."""
    asked, epsilon = {"ask": "a"}, F(1, 4)
    same = chain.digest(chain.canonical({"epsilon": str(epsilon), "request": asked}))
    fields = {"asked": asked, "epsilon": str(epsilon), "request": same, "session": "0" * 32, "version": version}
    return chain.link(standing, RESERVE, spent=amount_text(F(standing.spent) + epsilon), **fields, **WHEN)


def test_an_entry_that_does_not_follow_is_not_appended(ledger, version):
    storage = ledger._storage
    old = storage.standing(NAME)
    entry, _ = reserved(old, version)
    release(ledger, version, "b", "1/4")
    with refused("contradicts"), ledger._transaction(writing=True):
        storage.append(entry)
    ledger.verify()


def test_an_account_and_a_content_are_added_with_their_entries(ledger):
    storage, identity = ledger._storage, ledger._identity
    opening = {"cap": "1", "ledger": identity.name, "relation": "change-one", "rows": 5000, "unit": "row", **WHEN}
    keyed = chain.keyed(identity.key, "content", "00")
    seal = chain.dataset_seal(identity.key, keyed_digest=keyed, account="wages", version=VERSION)
    row = Dataset(keyed=keyed, account="wages", version=VERSION, seal=seal)
    with ledger._transaction(writing=True):
        entry, standing = chain.link(chain.nothing("wages"), OPEN, spent="0", **opening)
        storage.append(entry)
        storage.add_standing(standing)
        assert storage.standing("wages") == standing
        entry, after = chain.link(standing, DATASET, spent="0", version=VERSION)
        storage.append(entry)
        assert storage.swap_standing(standing, after)
        assert storage.dataset(keyed) is None
        storage.add_dataset(row)
    with ledger._transaction(writing=False):
        assert storage.dataset(keyed) == storage.dataset_of(VERSION) == row
        assert row in storage.datasets()
    ledger.verify()


def test_what_an_analyst_sees_of_a_server_is_less_and_never_something_else(team):
    """The class of the protocol says which methods know analysts."""
    with Ledger.open(team.at("ann")) as ann, Ledger.open(team.at("bob")) as bob, Ledger.open(team.at("keeper")) as all_:
        version = ann.dataset_version(NAME, fingerprint("rows"))
        request = ask(ann, version, "a", "1/4").request
        mine, hers, whole = bob._storage, ann._storage, all_._storage
        assert (mine.identity().key, mine.identity().seal) == (b"", "")
        assert mine.standings() == whole.standings()
        assert told(mine.entries(NAME, start=0)) == [(0, OPEN, None)]
        assert (mine.entry(NAME, 2), hers.entry(NAME, 2)) == (None, whole.entry(NAME, 2))
        assert mine.twins(NAME, version, request) == whole.twins(NAME, version, request)
        entry, _ = reserved(mine.standing(NAME), version)
        row = Dataset(keyed="0", account=NAME, version=VERSION, seal="0")
        for refusal in (
            lambda: mine.closing(NAME, 2),
            mine.datasets,
            lambda: mine.dataset("0"),
            lambda: mine.dataset_of(version),
            lambda: mine.append(entry),
            lambda: mine.add_dataset(row),
        ):
            with refused("does not let this role"):
                refusal()
        with refused("the keeper verifies it"):
            mine.damage()
