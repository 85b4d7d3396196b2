"""A team ledger on PostgreSQL: the chain of a file, roles that cannot cheat, lost connections, killed clients."""

from __future__ import annotations

import os
import tempfile
import threading
from pathlib import Path

import pytest

from snapdp.errors import BudgetError, LedgerError
from snapdp.ledger import chain
from snapdp.ledger.accounts import Answer
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.rules import identical
from snapdp.ledger.storage import postgres
from snapdp.ledger.storage.schema import schema_text
from snapdp.ledger.storage.storage import Standing
from tests.tiers import first_of
from tests.unit.ledger.proxy import Proxy
from tests.unit.ledger.teams import forged, insert, opened, psycopg, refused
from tests.unit.ledger.test_processes import Crowd, kill_at_random
from tests.unit.release.support import NAME, TERMS, F, ask, fingerprint, new_ledger, record_of, release

NOT_ALLOWED = "does not let this role"


# The same ledger


def some_days(ledger):
    """Do a bit of everything and return all heads."""
    ledger.create_account("it's 🙂 é", cap="1e20", **TERMS)
    ledger.dataset_version("it's 🙂 é", fingerprint("other rows"))
    ledger.create_account(NAME, cap=1, **TERMS)
    version = ledger.dataset_version(NAME, fingerprint("rows"))
    heads = [ledger.commit(held := ask(ledger, version, "a", "1/3"), record_of(held))]
    assert isinstance(ask(ledger, version, "a", "1/3"), Answer)
    strange = [
        "b\x00\u2028",
        "\ud83d",
        "\ude00\ud83d\ude00",
        "\\u0000\\ud800",
        "🙂",
    ]  # what JSON can say and servers cannot
    heads.append(ledger.abandon(ask(ledger, version, strange, "0.1")))
    heads.append(ask(ledger, version, {"deep": [1, None, 0.5]}, "13/30").head)
    with pytest.raises(BudgetError):
        ask(ledger, version, "c", "0.13334")  # 2/15 are left
    assert ledger.verify().entries == 9
    return [*heads, ledger.account(NAME)]


def test_the_chain_is_the_same_as_in_a_file(database, tmp_path):
    def fixed():
        numbers = iter(range(1, 100))
        return {"clock": lambda: "2026-01-01T00:00:00Z", "entropy": lambda n: bytes([next(numbers)]) * n}

    with Ledger.create(tmp_path / "file.ledger", **fixed()) as file, Ledger.create(database, **fixed()) as server:
        assert some_days(file) == some_days(server)


def test_a_ledger_is_created_once_and_opened_where_there_is_one(database):
    with refused("is no ledger"):
        Ledger.open(database)
    Ledger.create(database).close()
    with refused("exists already"):
        Ledger.create(database)
    with Ledger.open(database) as ledger:
        assert ledger.verify().accounts == 0


def test_every_commit_is_synced_to_the_disk(database, monkeypatch):
    Ledger.create(database).close()
    dbname = psycopg.conninfo.conninfo_to_dict(database)["dbname"]
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {dbname} SET synchronous_commit = off")
    with Ledger.open(database) as ledger:
        assert ledger._storage._run("SHOW synchronous_commit") == [("on",)]
    run = postgres.PostgresStorage._run
    monkeypatch.setattr(
        postgres.PostgresStorage,
        "_run",
        lambda self, text, fields=None: [("off",)] if text == "SHOW fsync" else run(self, text, fields),
    )
    with refused("does not sync its disk"):
        Ledger.open(database)


# Roles


def test_an_analyst_reserves_commits_and_reads_its_own_entries(team):
    ann, version = opened(team.at("ann"))
    bob, same = opened(team.at("bob"))
    with ann, bob:
        assert version == same
        answer = release(ann, version, "a", "1/4")
        release(bob, version, "b", "1/8", value=0.75)
        assert [charge.asked for charge in ann.history(NAME)] == ['{"ask":"a"}']
        assert [charge.asked for charge in bob.history(NAME)] == ['{"ask":"b"}']
        assert release(bob, version, "a", "1/4") == answer  # the same request is answered, free, whoever asked first
        assert ann.account(NAME).spent == bob.account(NAME).spent == F(3, 8)
        with refused("the keeper verifies"):
            ann.verify()
    seen = team.sql("ann", f"SELECT author FROM snapdp.entries_from('{NAME}', 0, 99) WHERE kind <> 'open'")
    assert set(seen) == {(team.roles["ann"],)}
    with Ledger.open(team.at("keeper")) as ledger:
        assert len(ledger.history(NAME)) == 2
        ledger.verify(against=answer)


def test_an_analyst_cannot_open_accounts_and_a_stranger_nothing(team):
    with Ledger.open(team.at("ann")) as ann, refused(NOT_ALLOWED):
        ann.create_account("another", cap=1000, **TERMS)
    with refused(NOT_ALLOWED):
        Ledger.open(team.at("eve"))
    for statement in (
        "SELECT * FROM snapdp.entry",
        "CALL snapdp.register('survey', '', '', NULL)",
        "SELECT snapdp.twins('survey', '', '')",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            team.sql("eve", statement)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.sql("ann", f"SELECT snapdp.admit('{team.roles['eve']}')")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapdp.standing SET spent = '0'",
        "UPDATE snapdp.entry SET body = body",
        "DELETE FROM snapdp.entry",
        "DELETE FROM snapdp.standing",
        "TRUNCATE snapdp.entry CASCADE",
        "INSERT INTO snapdp.standing VALUES ('other', 1, '0', '')",
        "UPDATE snapdp.ledger SET key = 'x'",
        "ALTER TABLE snapdp.entry DISABLE TRIGGER ALL",
        "ALTER TABLE snapdp.entry DISABLE ROW LEVEL SECURITY",
        "CREATE OR REPLACE FUNCTION snapdp.is_keeper() RETURNS boolean LANGUAGE sql AS 'SELECT true'",
        "DROP SCHEMA snapdp CASCADE",
        "SET session_replication_role = replica",
    ],
)
def test_an_analyst_who_speaks_sql_changes_nothing(team, statement):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.sql("ann", statement)


def test_the_server_refuses_every_entry_that_hands_budget_back_or_passes_the_cap(team):
    ann, version = opened(team.at("ann"))
    with ann:
        held = ask(ann, version, "a", "1/4")
        with opened(team.at("bob"))[0] as bob:
            other = ask(bob, version, "b", "1/4")
        now = ann._storage.standing(NAME)
    same = identical(F(1, 4), {})
    more = {"asked": {}, "request": same, "session": "0" * 32, "time": "2026-01-01T00:00:00Z", "version": version}
    closing = {"version": version, "record": {}}
    wrong = [
        forged(now, "reserve", epsilon="1/4", **{**more, "spent": "1/2"}),  # spent does not grow
        forged(now, "reserve", epsilon="1/4", **{**more, "spent": "0"}),
        forged(now, "reserve", epsilon="-1/4", **{**more, "spent": "1/4"}),
        forged(now, "reserve", epsilon="0", **{**more, "spent": "1/2"}),
        forged(now, "reserve", epsilon="3/4", **{**more, "spent": "5/4"}),  # beyond the cap
        forged(now, "reserve", epsilon="1/4", **{**more, "spent": "6/8"}),  # not in lowest terms
        forged(now, "reserve", epsilon="1/4", **{**more, "spent": "3/4", "version": "unknown"}),
        forged(now, "dataset", version="0" * 16, spent="0"),
        forged(now, "abandon", request=held.request, reserve=held.number, version=version, spent="1/4"),
        forged(now, "commit", request=other.request, reserve=other.number, **closing),  # somebody else's reservation
        forged(now, "commit", request="sha256:y", reserve=held.number, **closing),
        forged(now, "commit", request=held.request, reserve=0, **closing),
        forged(
            Standing(account=NAME, entries=now.entries, spent=now.spent, head="sha256:0"), "dataset", version="0" * 16
        ),
        forged(Standing(account=NAME, entries=2, spent=now.spent, head=now.head), "dataset", version="0" * 16),
        forged(Standing(account=NAME, entries=99, spent=now.spent, head=now.head), "dataset", version="0" * 16),
        forged(Standing(account="new", entries=1, spent="0", head=""), "dataset", version="0" * 16),
    ]
    fields = {"ledger": "x", "relation": "change-one", "rows": 1, "time": "", "unit": "row"}
    wrong.append(forged(now, "open", cap="1000", **fields))
    with psycopg.connect(team.at("ann"), autocommit=True) as connection:
        for entry in wrong:  # analysts append through the procedures only
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                insert(connection, entry)
    with psycopg.connect(team.at("keeper"), autocommit=True) as connection:  # and for the keeper the rules hold as well
        for entry in wrong:
            with pytest.raises((psycopg.errors.CheckViolation, psycopg.errors.UniqueViolation)):
                insert(connection, entry)
        good = forged(now, "reserve", epsilon="1/4", **{**more, "spent": "3/4"})
        twice = good.body.replace('"spent":"3/4"', '"spent":"1/2","spent":"3/4"')
        for body, digest in ((good.body, "sha256:0"), (good.body + " ", good.digest), (twice, chain.digest(twice))):
            bad = type(good)(**{**dict(zip(good._fields, good._values(), strict=True)), "body": body, "digest": digest})
            with pytest.raises(psycopg.errors.CheckViolation):
                insert(connection, bad)
        insert(connection, good)  # the very same with the right sum is taken: the test has teeth
        with pytest.raises(psycopg.errors.CheckViolation):
            connection.execute("INSERT INTO snapdp.dataset VALUES ('k', %s, 'made up', 's')", (NAME,))
    with Ledger.open(team.at("keeper")) as ledger:
        assert ledger.verify().entries == now.entries + 1
        assert ledger.account(NAME).spent == F(3, 4)


def test_the_keeper_cannot_change_entries_either_and_rules_that_were_changed_are_found(team):
    ann, version = opened(team.at("ann"))
    with ann:
        release(ann, version, "a", "1/4")
    for statement in (
        "UPDATE snapdp.entry SET body = body",
        "DELETE FROM snapdp.dataset",
        "TRUNCATE snapdp.entry CASCADE",
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            team.sql("keeper", statement)
    table = "ALTER TABLE snapdp.entry"
    team.sql("keeper", f"{table} DISABLE TRIGGER check_entry")
    with Ledger.open(team.at("keeper")) as ledger, refused("rules of the database were changed: trigger entry"):
        ledger.verify()
    team.sql("keeper", f"{table} ENABLE TRIGGER check_entry")
    with Ledger.open(team.at("keeper")) as ledger:
        ledger.verify()
    cheaper = "UPDATE snapdp.entry SET body = replace(body, '1/4', '1/5')"
    team.sql("keeper", f"{table} DISABLE TRIGGER append_only", cheaper, f"{table} ENABLE TRIGGER append_only")
    with Ledger.open(team.at("keeper")) as ledger, refused("altered"):
        ledger.verify()


# Other versions


OLDER = {
    "another digest": "UPDATE snapdp.ledger SET schema = repeat('0', 64)",
    "another format": "UPDATE snapdp.ledger SET format = format + 1",
    "no digest": "DROP FUNCTION snapdp.identity(); CREATE FUNCTION snapdp.identity(OUT format integer, OUT name text) "
    "RETURNS SETOF record LANGUAGE sql AS 'SELECT 1, $$x$$'; GRANT EXECUTE ON FUNCTION snapdp.identity() TO PUBLIC",
    "no identity": "DROP FUNCTION snapdp.identity()",
}


@pytest.mark.parametrize("change", OLDER)
@pytest.mark.parametrize("role", ["keeper", "ann"])
def test_a_ledger_of_another_version_is_refused_in_one_sentence(team, change, role):
    table = "ALTER TABLE snapdp.ledger"
    team.sql("keeper", f"{table} DISABLE TRIGGER append_only", OLDER[change], f"{table} ENABLE TRIGGER append_only")
    with refused("was made by another version of snapdp"):
        Ledger.open(team.at(role))


def test_a_schema_that_fails_leaves_nothing(database, monkeypatch):
    with monkeypatch.context() as bad:
        bad.setattr(postgres, "schema_text", lambda store: schema_text(store) + "SELECT 1/0;")
        with pytest.raises(LedgerError):
            Ledger.create(database)
    Ledger.create(database).close()


# Failures


def test_the_password_is_in_no_error(database):
    wrong = "postgresql://somebody:hunter2@127.0.0.1:1/nowhere"
    for action in (Ledger.open, Ledger.create):
        with pytest.raises(LedgerError, match="cannot be reached") as caught:
            action(wrong, patience=2)
        told = str(caught.value) + repr(vars(caught.value))
        assert "hunter2" not in told
        assert "somebody" not in told
        assert caught.value.__context__ is None
    ledger, _ = new_ledger(database.replace("postgres@", "postgres:hunter2@"))
    with ledger:
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("DROP SCHEMA snapdp CASCADE")
        with refused("is no ledger") as caught:
            ledger.account(NAME)
    assert "hunter2" not in str(caught.value) + repr(vars(caught.value))


def test_a_ledger_locked_by_somebody_else_says_so(database):
    ledger, version = new_ledger(database, patience=0.2)
    with ledger, psycopg.connect(database) as other:
        other.execute("SELECT * FROM snapdp.standing WHERE account = %s FOR UPDATE", (NAME,))
        with refused("is locked"):
            ask(ledger, version, "a", "1/4")
        other.rollback()
        ask(ledger, version, "a", "1/4")


def test_two_accounts_do_not_wait_for_each_other(database):
    ledger, version = new_ledger(database, patience=0.2)
    with ledger, psycopg.connect(database) as other:
        ledger.create_account("second", cap=1, **TERMS)
        other.execute("SELECT * FROM snapdp.standing WHERE account = 'second' FOR UPDATE")
        ask(ledger, version, "a", "1/4")


def test_a_ledger_in_another_thread_or_process_or_closed_says_so(database, monkeypatch):
    ledger, version = new_ledger(database)
    caught = []

    def use():
        with refused("another thread"):
            ask(ledger, version, "a", "1/4")
        caught.append(True)

    with ledger:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        with monkeypatch.context() as child:
            child.setattr(os, "getpid", lambda: -1)
            ledger.close()  # not this process's to close
            with refused("another thread or process"):
                ask(ledger, version, "a", "1/4")
        ask(ledger, version, "a", "1/4")
    with refused("was closed"):
        ask(ledger, version, "b", "1/4")
    assert caught == [True]


def short_folder():
    """Return a folder whose sockets have short names: longer ones than 107 bytes are no addresses."""
    return tempfile.TemporaryDirectory(prefix="p")


@pytest.mark.parametrize("reply", first_of([False, True]), ids=["before it arrives", "after it was done"])
def test_a_connection_lost_at_any_message_leaves_spent_or_untouched(database, reply):
    """Cut at each message of open, reserve and commit in turn: what was acknowledged is there, nothing half there."""
    keeper, version = new_ledger(database, cap=100)
    parts = psycopg.conninfo.conninfo_to_dict(database)
    outcomes, failures, cut, spent = set(), set(), 0, F(0)
    with keeper, short_folder() as folder:
        while True:
            told = None
            through = f"postgresql://postgres@/{parts['dbname']}?host={folder}"
            with Proxy(Path(folder), parts["host"], cut=cut, reply=reply) as proxy:
                try:
                    with Ledger.open(through, patience=5) as ledger:
                        held = ask(ledger, version, cut, "1/3")
                        told = "reserved"
                        ledger.commit(held, record_of(held, cut))
                        told = "committed"
                except LedgerError as error:
                    failures.add((error.problem.split("' ")[1], error.__context__))
                finished = proxy.messages <= cut
            charges = {charge.asked: charge for charge in keeper.history(NAME)}
            mine = charges.get(f'{{"ask":{cut}}}')
            after = keeper.account(NAME).spent
            assert after - spent == (0 if mine is None else F(1, 3))
            assert told is None or mine is not None
            assert told != "committed" or mine.state == "committed"
            outcomes.add((told, None if mine is None else mine.answer is not None))
            spent = after
            if finished:
                break
            cut += 1
        keeper.verify()
    assert told == "committed"
    assert cut > 20
    # Nothing; reserved without knowing; reserved and told; committed without knowing; committed and told.
    possible = {(None, None), (None, False), ("reserved", False), ("reserved", True), ("committed", True)}
    # A step is one message: what its answer was lost of was done, what never arrived was not.
    expected = possible - ({("reserved", False)} if reply else {(None, False), ("reserved", True)})
    assert outcomes == expected
    assert failures == {("lost its connection.", None), ("cannot be reached, or refuses this role.", None)}


def test_a_request_whose_connection_was_lost_can_be_asked_again(database):
    ledger, version = new_ledger(database)
    ending = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
    with ledger, psycopg.connect(database, autocommit=True) as other:
        held = ask(ledger, version, "a", "1/4")
        other.execute(ending + "current_database()")
        with refused("lost its connection"):
            ledger.commit(held, record_of(held))
    with Ledger.open(database) as ledger:
        assert [charge.state for charge in ledger.history(NAME)] == ["orphaned"]
        release(ledger, version, "a", "1/4")
        assert ledger.account(NAME).spent == F(1, 2)


# Many processes


@pytest.mark.parametrize("seconds", [1, pytest.param(20, marks=pytest.mark.long)])
def test_nothing_acknowledged_is_lost_when_clients_are_killed_at_random(database, tmp_path, seconds):
    kill_at_random(tmp_path, seconds, path=database, enough=30, pause=0.3)


def test_a_race_at_a_small_cap_stops_exactly_at_the_cap(database, tmp_path):
    with Crowd(tmp_path, job="many", cap="99/3", epsilons=["1/3"], path=database) as crowd:
        crowd.start_all()
        crowd.finish()
        told = crowd.lines("reserved")
        with Ledger.open(database) as ledger:
            ledger.verify()
            assert ledger.account(NAME).left == 0
            assert len(ledger.history(NAME)) == 99 == len(told)


def test_concurrent_twins_draw_once(database, tmp_path):
    with Crowd(tmp_path, job="twin", cap=1, epsilons=["1/3"], path=database) as crowd:
        crowd.start_all(4)
        crowd.wait_for("DRAW", 1)
        crowd.drawn.touch()
        crowd.finish()
        ((drawer,),) = crowd.lines("DRAW")
        answers = crowd.lines("answer")
        with Ledger.open(database) as ledger:
            assert ledger.account(NAME).spent == F(1, 3)
    assert [value for value, _ in answers] == [drawer] * 4
