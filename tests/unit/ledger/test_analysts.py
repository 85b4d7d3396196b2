"""An analyst who speaks plain SQL: what the server takes verify takes, nobody waits for him, he sees what is his."""

from __future__ import annotations

import contextlib
import glob
import itertools
import json
import re
import socket
import struct

import pytest

from snapdp.audits.release_audit import audit
from snapdp.errors import LedgerError, ParameterError
from snapdp.ledger import chain
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.rules import identical, units_of
from snapdp.ledger.storage.postgres import loopholes
from snapdp.ledger.storage.storage import UnavailableError
from tests import VECTORS
from tests.tiers import first_of
from tests.unit.ledger.teams import opened, psycopg, refused
from tests.unit.ledger.test_forgeries import changes
from tests.unit.release.support import NAME, F, release

RECORD = VECTORS / "releases" / "record.json"
VERSION, SESSION, MOMENT = "1" * 16, "0" * 32, "2026-01-01T00:00:00Z"
RESERVE = "CALL snapdp.reserve(%s, %s, %s, %s, %s, %s, NULL)"
CLOSE = "CALL snapdp.close(%s, 'commit', %s, %s, %s, NULL)"
PERSON = "person (7, at most 3 rows)"
FREE, SEVERAL, TOGETHER = "person (7)", 'person (["7","8"])', "30 rows"
READY = re.compile(rb"Z\x00\x00\x00\x05.$", re.DOTALL)  # the end of an answer
REFUSALS = (psycopg.errors.CheckViolation, psycopg.DataError) if psycopg else ()


class Analyst:
    """A role that calls the procedures itself, on an account of its own."""

    def __init__(self, connection, account):
        self.sql, self.account = connection.execute, account
        self.sql("CALL snapdp.register(%s, %s, %s, NULL)", (account, account.encode(), VERSION))

    def reserve(self, text, epsilon="1/100", session=SESSION, moment=MOMENT):
        """Return what the server says, or None where it refuses."""
        return self._called(RESERVE, (self.account, VERSION, epsilon, text, session, moment))

    def commit(self, told, record):
        return self._called(CLOSE, (self.account, int(told[1]), told[3], record))

    def answer(self, told, asked):
        """Return the record that answers what was reserved."""
        body = json.loads(told[2])
        bound = {"dataset": self.account, "dataset_version": VERSION, "charged": body["epsilon"], "date": MOMENT[:10]}
        declared = {key: value for key, value in asked.items() if key != "snapdp_request"}
        return {**declared, **bound, "request": body["request"], "previous": told[3]}

    def _called(self, call, fields):
        try:
            return self.sql(call, fields).fetchone()[0]
        except REFUSALS:
            return None


@pytest.fixture
def analyst(team, request, monkeypatch):
    # The server takes what the library refuses: persons under change-one.
    monkeypatch.setattr("snapdp.ledger.ledger.relation_of_account", lambda **_: None)
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.create_account("mine", cap=10**6, relation="change-one", rows=100, unit=getattr(request, "param", "row"))
    with psycopg.connect(team.at("ann"), autocommit=True) as connection:
        yield Analyst(connection, "mine")


def asks(**more):
    statistics = [{"epsilon": "1/200", "kind": "count"}, {"epsilon": "1/200", "kind": "mean"}]
    return {"snapdp_request": 1, "relation": "change-one", "unit": "row", "n": 100, "statistics": statistics, **more}


def verified(team):
    with Ledger.open(team.at("keeper")) as keeper:
        return keeper.verify().entries


# What the server takes, verify takes


def long_sums():
    """Return amounts that sum to 1/100, whose denominators have 1001 digits."""
    below = (10**1000 // 200 + 1) * 200
    above = next(n for n in range(below // 200 - 1, 0, -1) if F(n, below).denominator == below
                 and (F(1, 100) - F(n, below)).denominator == below)  # fmt: skip
    return [str(F(above, below)), str(F(1, 100) - F(above, below))]


def test_long_denominators_are_refused(team, analyst):
    asked = asks(statistics=[{"epsilon": each} for each in long_sums()])
    assert analyst.reserve(chain.canonical(asked)) is None
    assert analyst.reserve(chain.canonical(asks()))[0] == "done"
    verified(team)


@pytest.mark.parametrize("analyst", [PERSON], indirect=True)
def test_a_person_is_a_name(team, analyst):
    for person, rows in itertools.product(([7], 7, {"7": 7}, None, "7", ["7"]), (3, "3", [3], 3.0, None)):
        told = analyst.reserve(chain.canonical(asks(person=person, rows_per_person=rows)))
        assert (told is not None) == ((person, rows, type(rows)) == ("7", 3, int)), (person, rows)
    verified(team)


@pytest.mark.parametrize("analyst", [FREE], indirect=True)
def test_a_person_whose_rows_no_account_bounds_is_a_name_with_any_bound(team, analyst):
    for person, rows in itertools.product(([7], 7, None, "7", ["7"], ["7", "8"], "8"), (3, 1, 0, -1, "3", 3.0, None)):
        told = analyst.reserve(chain.canonical(asks(person=person, rows_per_person=rows)))
        assert (told is not None) == (person == "7" and type(rows) is int and rows > 0), (person, rows)
    assert analyst.reserve(chain.canonical(asks(person="7"))) is None
    assert analyst.reserve(chain.canonical(asks(unit=FREE))) is None  # a unit is not what it says, but what makes it
    verified(team)


@pytest.mark.parametrize("analyst", [SEVERAL], indirect=True)
def test_a_person_of_several_columns_is_their_list(team, analyst):
    for person in (["7", "8"], ["8", "7"], ["7", 8], ["7"], "7", '["7","8"]', [], ["7", "8", "9"]):
        told = analyst.reserve(chain.canonical(asks(person=person, rows_per_person=1)))
        assert (told is not None) == (person == ["7", "8"]), person
    verified(team)


@pytest.mark.parametrize("analyst", [TOGETHER], indirect=True)
def test_so_many_rows_are_a_whole_number(team, analyst):
    for rows in (30, "30", 30.0, 31, 3, 0, None, [30], True):
        told = analyst.reserve(chain.canonical(asks(unit="rows", unit_rows=rows)))
        assert (told is not None) == (type(rows) is int and rows == 30), rows
    assert analyst.reserve(chain.canonical(asks(unit=TOGETHER))) is None
    assert analyst.reserve(chain.canonical(asks(unit_rows=30, person="7", rows_per_person=1))) is None
    verified(team)


@pytest.mark.parametrize("analyst", [PERSON, FREE], indirect=True)
def test_an_account_that_fixes_a_bound_takes_no_other_bound_and_counts_no_persons(team, analyst, request):
    fixed = request.node.callspec.params["analyst"] == PERSON
    for more in ({"rows_per_person": 2}, {"rows_per_person": 3}, {"rows_per_person": None}, {"kind": "persons"}):
        statistics = [{"epsilon": "1/100", "kind": "count", **more}]
        told = analyst.reserve(chain.canonical(asks(person="7", rows_per_person=3, statistics=statistics)))
        assert (told is None) == fixed, more
    verified(team)


NAMES = [
    "id", "a, b", '["a","b"]', "[", "id, at most 3 rows", "id, at most 3 rows)", ", at most 3 rows", "a (c)", '"', "\\",
    '\\"', "é", "\\u00e9", "30 rows", "row", ")", "person (id)", "id, at most 0 rows", "'", "%s", "$$",
]  # fmt: skip


def test_the_server_makes_of_a_request_the_units_that_the_library_makes(team):
    """Columns of any name, one or two; with a bound of all statistics or their own."""
    several = [[a, b] for a, b in itertools.pairwise([*NAMES, "id"])]
    own = [{"epsilon": "1", "rows_per_person": 2}]
    every = [asks(), asks(unit="rows", unit_rows=30)]
    for person, more in itertools.product([*NAMES, *several], ({}, {"statistics": own})):
        every.append(asks(person=person, rows_per_person=3, **more))
    with psycopg.connect(team.at("keeper"), autocommit=True) as connection:
        for asked in every:
            call = connection.execute("SELECT snapdp.units(snapdp.plain(%s))", (chain.canonical(asked),))
            ((found,),) = call.fetchall()
            assert tuple(map(json.loads, found)) == units_of(asked), asked


def test_a_request_of_another_version_is_refused(analyst):
    for value in (2, 0, None, True, 1.0, "1", [1], {}):
        assert analyst.reserve(chain.canonical(asks(snapdp_request=value))) is None, value


def test_own_is_the_name_of_the_role(team):
    """A role may be called 7; its requests name it as text."""
    team.sql(None, 'CREATE ROLE "7" LOGIN')
    try:
        team.sql("keeper", "SELECT snapdp.admit('7')")
        with Ledger.open(team.at("keeper")) as keeper:
            keeper.create_account("mine", cap=1, relation="change-one", rows=100)
        where = team.at("ann").replace(team.roles["ann"], "7")
        with psycopg.connect(where, autocommit=True) as connection:
            seven = Analyst(connection, "mine")
            assert seven.reserve(chain.canonical(asks(own=7))) is None
            assert seven.reserve(chain.canonical(asks(own="7")))[0] == "done"
        verified(team)
    finally:
        team.sql(None, 'DROP OWNED BY "7"', 'DROP ROLE "7"')


def test_a_time_that_never_was_is_refused(analyst):
    never = ("2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00Z", "2026-01-01T24:00:00Z", "", "x")
    for moment in never:
        assert analyst.reserve("{}", moment=moment) is None, moment
    assert analyst.reserve("{}")[0] == "done"


def kinds(value):
    """Yield a value changed in every field, and every field as each other kind of JSON."""
    yield from (changed for _, changed in changes(value))
    if isinstance(value, dict):
        for key, each in value.items():
            for other in (None, True, 1, 1.0, 0, "", "1", [], {}, [each], {"epsilon": each}, str(each)):
                yield {**value, key: other}
            if isinstance(each, dict | list):
                yield from ({**value, key: changed} for changed in kinds(each))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            for other in (None, 1, "x", [], {}, [each]):
                yield [*value[:place], other, *value[place + 1 :]]
            yield from ([*value[:place], changed, *value[place + 1 :]] for changed in kinds(each))


def texts(value):
    """Yield the texts of a value changed in every way; some are not canonical, some no JSON."""
    for changed in kinds(value):
        try:
            yield chain.canonical(changed)
        except ParameterError:
            continue
    plain = chain.canonical(value)
    for place in range(0, len(plain), 7):
        for more in ("0", '"', " ", ".0", "\\u0041", "\\ud800", "e5", "-", "[", "é"):
            yield plain[:place] + more + plain[place:]


HALF = {"epsilon": "1/200", "kind": "count"}
WHOLE = {
    "row": {"person": "7", "rows_per_person": 3},
    PERSON: {"person": "7", "rows_per_person": 3},
    FREE: {"person": "7", "rows_per_person": 2, "statistics": [HALF | {"rows_per_person": 4}, HALF]},
    SEVERAL: {"person": ["7", "8"], "rows_per_person": 1, "statistics": [HALF | {"kind": "persons"}, HALF]},
    TOGETHER: {"unit": "rows", "unit_rows": 30},
}


@pytest.mark.parametrize("analyst", first_of(WHOLE), indirect=True)
@pytest.mark.parametrize("step", first_of([7, 1]))
def test_whatever_the_server_takes_of_an_analyst_verify_takes(team, analyst, step, request):
    """Requests changed in every field and kind, reserved and answered; and answers changed in every field and kind."""
    whole = asks(**WHOLE[request.node.callspec.params["analyst"]], own=team.roles["ann"])
    every = list(dict.fromkeys([*texts(whole), *texts(asks()), *texts({"ask": [1, {"b": 0.5}]})]))
    assert len(every) >= 900
    taken = [(told, text) for text in every[::step] if (told := analyst.reserve(text)) is not None]
    answers = [analyst.commit(told, chain.canonical(analyst.answer(told, json.loads(text)))) for told, text in taken]
    assert len([each for each in answers if each]) >= 40 // step
    fits = next(each for each in (whole, asks()) if analyst.reserve(chain.canonical({**each, "x": 0})))
    assert answered_in_every_way(analyst, fits, step) > 0
    assert answered_in_every_way(analyst, {"ask": "z"}, step) > 0
    verified(team)


def answered_in_every_way(analyst, asked, step):
    """Return how many changed records are taken, each for a reservation of its own."""
    tried, taken = 0, 0
    while True:
        epsilon = F(1, 100) + F(taken, 10**6)
        more = {"statistics": [{"epsilon": str(epsilon), "kind": "count"}]} if "statistics" in asked else {}
        fresh = {**asked, **more}
        told = analyst.reserve(chain.canonical(fresh), str(epsilon))
        record = analyst.answer(told, fresh)
        if more:
            record["statistics"] = [{**each, "parts": [{"index": [1]}]} for each in record["statistics"]]
        for text in itertools.islice(texts(record), tried, None, step):
            tried += step
            if analyst.commit(told, text) is not None:
                taken += 1
                break
        else:
            return taken


# Nobody waits for him


def raw_connection(team, who):
    """Return a socket that speaks the protocol itself, so that it can stop reading."""
    parts = psycopg.conninfo.conninfo_to_dict(team.at(who))
    (name,) = (each for each in glob.glob(parts["host"] + "/.s.PGSQL.*") if not each.endswith(".lock"))
    found = socket.socket(socket.AF_UNIX)
    found.connect(name)
    told = struct.pack("!I", 196608) + f"user\0{parts['user']}\0database\0{parts['dbname']}\0\0".encode()
    found.sendall(struct.pack("!I", len(told) + 4) + told)
    read_until_ready(found)
    return found


def read_until_ready(connection):
    heard = b""
    while not READY.search(heard):
        heard += connection.recv(1 << 20)
    return heard


def say(connection, text):
    told = text.encode() + b"\0"
    connection.sendall(b"Q" + struct.pack("!I", len(told) + 4) + told)


def messages(heard):
    """Yield kind and content of every message of a server."""
    while heard:
        length = struct.unpack("!I", heard[1:5])[0]
        yield heard[:1], heard[5 : length + 1]
        heard = heard[length + 1 :]


LOUD = "SET client_min_messages = debug5; SET debug_print_plan = on; SET debug_print_parse = on"
CALLS = {
    "reserve": f"CALL snapdp.reserve('mine', '{VERSION}', '1/100', '{{}}', '{SESSION}', '{MOMENT}', NULL)",
    "reserve too much": f"CALL snapdp.reserve('mine', '{VERSION}', '10000000', '{{}}', '{SESSION}', '{MOMENT}', NULL)",
    "register": "CALL snapdp.register('mine', 'new', '2222222222222222', NULL)",
    "register in vain": f"CALL snapdp.register('mine', 'newer', '{VERSION}', NULL)",
}


WAITS = (
    "SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN (SELECT pid FROM pg_stat_activity WHERE usename = %s AND "
    "datname = current_database())"
)


@pytest.mark.usefixtures("analyst")
def test_while_an_account_is_locked_nothing_is_sent(team):
    """A call waits for an account that somebody holds. What it sends once it is free comes after its own end.

    At this level the server tells of every transaction: the first that is heard is the start of the next one.
    """
    with raw_connection(team, "ann") as loud, psycopg.connect(team.at(None)) as holder:
        say(loud, LOUD)
        read_until_ready(loud)
        for name, call in CALLS.items():
            holder.execute("SELECT * FROM snapdp.standing FOR UPDATE")
            say(loud, call)
            loud.setblocking(False)
            with psycopg.connect(team.at(None), autocommit=True) as watch:
                while not watch.execute(WAITS, (team.roles["ann"],)).fetchall():
                    drain(loud)
            drain(loud)
            loud.setblocking(True)
            holder.rollback()
            heard = [content for kind, content in messages(read_until_ready(loud)) if kind in (b"N", b"E")]
            assert b"StartTransaction" in heard[0], name


def drain(connection):
    with contextlib.suppress(BlockingIOError):
        while connection.recv(1 << 20):
            pass


@pytest.mark.usefixtures("analyst")
def test_an_account_is_not_held_by_who_does_not_read(team):
    """Read some bytes of what a call sends, and stop, and read some more: the account is free at each stop."""
    with raw_connection(team, "ann") as loud, psycopg.connect(team.at("bob"), autocommit=True) as bob:
        bob.execute("SET lock_timeout = '20s'")
        say(loud, LOUD)
        read_until_ready(loud)
        for call in CALLS.values():
            say(loud, call)
            ended = None
            while not ended:
                bob.execute(RESERVE, ("mine", VERSION, "1/1000", "{}", SESSION, MOMENT))
                ended = READY.search(loud.recv(16384))
    verified(team)


LONG = {
    "session": f"CALL snapdp.reserve('mine', '{VERSION}', '1/100', '{{}}', repeat('a', 3000000), '{MOMENT}', NULL)",
    "moment": f"CALL snapdp.reserve('mine', '{VERSION}', '1/100', '{{}}', '{SESSION}', repeat('a', 3000000), NULL)",
    "version": f"CALL snapdp.reserve('mine', repeat('1', 3000000), '1/100', '{{}}', '{SESSION}', '{MOMENT}', NULL)",
    "epsilon": f"CALL snapdp.reserve('mine', '{VERSION}', repeat('1', 3000000), '{{}}', '{SESSION}', '{MOMENT}', NULL)",
    "asked": f"""CALL snapdp.reserve('mine', '{VERSION}', '1/100', '{{"a":"' || repeat('a', 17000000) || '"}}',
                 '{SESSION}', '{MOMENT}', NULL)""",
    "account": f"CALL snapdp.reserve(repeat('a', 3000000), '{VERSION}', '1', '{{}}', '{SESSION}', '{MOMENT}', NULL)",
    "fingerprint": "CALL snapdp.register('mine', decode(repeat('00', 3000000), 'hex'), '2222222222222222', NULL)",
    "fresh": "CALL snapdp.register('mine', 'x', repeat('2', 3000000), NULL)",
    "kind": "CALL snapdp.close('mine', repeat('a', 3000000), 2, 'x', '{}', NULL)",
    "head": "CALL snapdp.close('mine', 'commit', 2, repeat('a', 3000000), '{}', NULL)",
    "record": "CALL snapdp.close('mine', 'commit', 2, 'x', repeat('a', 17000000), NULL)",
}


def test_a_long_argument_is_refused_before_the_account_is_locked(team, analyst):
    """Somebody holds the account: a call that would wait for it would fail by its lock time-out instead."""
    with psycopg.connect(team.at(None)) as holder:
        holder.execute("SELECT * FROM snapdp.standing FOR UPDATE")
        analyst.sql("SET lock_timeout = '2s'")
        for call in LONG.values():
            with pytest.raises(psycopg.errors.CheckViolation):
                analyst.sql(call)
        holder.rollback()


# He sees what is his


def test_no_plan_counts_the_entries_of_others(team):
    ann, version = opened(team.at("ann"))
    with ann:
        release(ann, version, "secret", "1/4")
    same = identical(F(1, 4), {"ask": "secret"})
    with psycopg.connect(team.at("bob"), autocommit=True) as bob:
        for name in ("entry", "dataset", "ledger"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                bob.execute(f"EXPLAIN ANALYZE SELECT 1 FROM snapdp.{name}")
        bob.execute("SET enable_seqscan = off")
        for source in (f"snapdp.entries_from('{NAME}', 0, 99)", f"snapdp.entry_at('{NAME}', 3)",
                       f"snapdp.twins('{NAME}', '{version}', 'sha256:0')"):  # fmt: skip
            plan = bob.execute(f"EXPLAIN (ANALYZE, VERBOSE) SELECT 1 FROM {source} WHERE number >= 0").fetchall()
            assert "Removed" not in str(plan)
            assert "snapdp.entry " not in str(plan)
        last = bob.execute("SELECT entries - 1 FROM snapdp.standing").fetchone()[0]
        assert [bob.execute("SELECT * FROM snapdp.entry_at(%s, %s)", (NAME, place)).fetchall()
                for place in range(1, last + 1)] == [[]] * last  # fmt: skip
        twins = bob.execute("SELECT kind FROM snapdp.twins(%s, %s, %s)", (NAME, version, same)).fetchall()
        assert sorted(twins) == [("commit",), ("reserve",)]  # who can name a request gets its answer
    with Ledger.open(team.at("bob")) as bob:
        assert bob.account(NAME).spent == F(1, 4)


def test_an_analyst_does_not_charge_an_account_whose_standing_is_not_its_last_entrys(team):
    ann, version = opened(team.at("ann"))
    with ann:
        release(ann, version, "a", "1/4")
        team.sql("keeper", "UPDATE snapdp.standing SET spent = '0'")
        with refused("was altered"):
            ann.account(NAME)


# Verify


def test_a_view_of_an_analyst_changes_no_rule(team):
    with psycopg.connect(team.at("ann"), autocommit=True) as ann:
        ann.execute("CREATE TEMP VIEW mine AS SELECT * FROM snapdp.standing")
        verified(team)
    team.sql("keeper", "CREATE TEMP VIEW theirs AS SELECT * FROM snapdp.ledger")
    with psycopg.connect(team.at("keeper"), autocommit=True) as keeper:
        keeper.execute("CREATE TEMP VIEW theirs AS SELECT * FROM snapdp.ledger")
        with refused("reader ledger"):
            verified(team)


LOOPHOLES = {
    "GRANT {keeper} TO {eve}": ("REVOKE {keeper} FROM {eve}", "may act as the keeper"),
    "ALTER DATABASE {base} SET session_replication_role = replica":
        ("ALTER DATABASE {base} RESET session_replication_role", "skip the rules"),
    "ALTER DATABASE {base} SET synchronous_commit = off":
        ("ALTER DATABASE {base} RESET synchronous_commit", "before it has synced"),
    "CREATE PUBLICATION away FOR ALL TABLES": ("DROP PUBLICATION away", "sends every table away"),
}  # fmt: skip
EVERYWHERE = (  # what every database of the server would see: told in a transaction that is never committed
    "ALTER ROLE {eve} SET session_replication_role = replica",
    "ALTER ROLE {keeper} SET session_replication_role = origin",
    "GRANT SET ON PARAMETER session_replication_role TO {eve}",
)


def test_what_undoes_the_rules_from_outside_is_found(team):
    names = {"keeper": team.roles["keeper"], "eve": team.roles["eve"], "base": team.name}
    for change, (undo, words) in LOOPHOLES.items():
        team.sql(None, change.format(**names))
        try:
            with refused(words):
                verified(team)
        finally:
            team.sql(None, undo.format(**names))
    verified(team)


@pytest.mark.parametrize("change", EVERYWHERE)
def test_what_undoes_the_rules_for_the_whole_server_is_found(team, change):
    with psycopg.connect(team.at(None)) as connection:

        def found():
            return loopholes(lambda statement: connection.execute(statement).fetchall())

        assert found() == []
        connection.execute(change.format(keeper=team.roles["keeper"], eve=team.roles["eve"]))
        assert [each for each in found() if "skip the rules" in each]
        connection.rollback()


def test_a_function_outside_with_the_keepers_rights_is_found(team):
    team.sql(None, "CREATE SCHEMA aside", f"GRANT ALL ON SCHEMA aside TO {team.roles['keeper']}")
    leak = "CREATE FUNCTION aside.leak() RETURNS bytea LANGUAGE sql {} AS 'SELECT key FROM snapdp.ledger'"
    team.sql("keeper", leak.format(""))
    verified(team)
    team.sql("keeper", "DROP FUNCTION aside.leak()", leak.format("SECURITY DEFINER"))
    with refused(r"aside.leak\(\) outside the ledger"):
        verified(team)


def test_a_server_that_fails_is_not_an_unsound_ledger(team, monkeypatch):
    with Ledger.open(team.at("keeper")) as ledger:
        for state in ("53200", "53100", "08006", "57P01", "55P03", "58030"):
            fails = f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$"
            monkeypatch.setattr(ledger._storage, "standings", lambda fails=fails: ledger._storage._run(fails))
            with pytest.raises(UnavailableError) as caught:
                ledger.verify()
            assert "not sound" not in str(caught.value)
            assert "problems" not in caught.value.numbers


def test_a_disk_that_fails_is_not_an_unsound_ledger(tmp_path):
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        pass
    with pytest.raises(LedgerError, match="was closed") as caught:
        ledger.verify()
    assert "problems" not in caught.value.numbers
    with pytest.raises(LedgerError, match="was closed"):
        audit(json.loads(RECORD.read_text()), ledger)
