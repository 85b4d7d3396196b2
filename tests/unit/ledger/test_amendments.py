"""Caps that are raised and accounts that are closed: by an entry with a reason, and in no other way. Both stores."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading

import pytest

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.errors import BudgetError, LedgerError, ParameterError
from snapdp.ledger import chain
from snapdp.ledger.accounts import LONGEST_REASON, is_reason
from snapdp.ledger.ledger import Ledger, back_up, restore
from snapdp.ledger.storage import storage as rows
from tests import ROOT
from tests.unit.ledger.teams import insert, opened, psycopg, refused
from tests.unit.ledger.test_forgeries import is_refused, relinked
from tests.unit.release.support import NAME, TERMS, F, ask, fingerprint, record_of, release

WHY = "A second wave of the survey"
HOSTILE = [
    "", " ", "\t", None, 5, b"more", ["more"], "a\nb", "a\x1b[31m", "a\x00b", "a\x7f", "a\x9b", "\u202eerom",
    "a\u2066b", "a\u2028b", "a\u200fb", "a\ud800", "x" * (LONGEST_REASON + 1), "x" * 10_000_000,
]  # fmt: skip
PLAIN = [
    "x",
    "x" * LONGEST_REASON,
    "Köln, zweite Welle (§ 5)",
    "\U0001f600" * LONGEST_REASON,
    'a "b" \\u0000 \\',
    "é\u00a0b",
]


# A raised cap


def test_a_raised_cap_is_spent_to_its_end_and_no_further(book):
    ledger, version = book
    release(ledger, version, "a", 1)
    with pytest.raises(BudgetError):
        ask(ledger, version, "b", "1/1000")
    before = ledger.account(NAME)
    raised = ledger.amend(NAME, cap="4/3", reason=f"  {WHY} ")
    assert raised == ledger.account(NAME)
    assert (raised.cap, raised.spent, raised.left, raised.closed) == (F(4, 3), 1, F(1, 3), False)
    assert (raised.entries, raised.opened) == (before.entries + 1, before.opened)
    with pytest.raises(BudgetError, match=r"has 1/3 left of 4/3"):
        ask(ledger, version, "b", "334/1000")
    release(ledger, version, "b", "1/3")
    assert ledger.account(NAME).left == 0
    (found,) = ledger.verify().amendments
    assert (found,) == ledger.amendments(NAME)
    assert (found.before, found.cap, found.reason, found.closes, found.author) == (1, F(4, 3), WHY, False, None)
    assert found.number == 4


@pytest.mark.parametrize("cap", [1, "1/2", "1/10", "999/1000"])
def test_a_cap_is_never_lowered(book, cap):
    ledger, version = book
    release(ledger, version, "a", "1/10")
    before = ledger.account(NAME)
    with refused("a cap is raised, never lowered"):
        ledger.amend(NAME, cap=cap, reason=WHY)
    assert ledger.account(NAME) == before


@pytest.mark.parametrize("cap", [0, -1, "x", None, float("nan"), 10**1001])
def test_what_is_no_cap_raises_nothing(book, cap):
    ledger, _ = book
    before = ledger.account(NAME)
    with pytest.raises(ParameterError):
        ledger.amend(NAME, cap=cap, reason=WHY)
    assert ledger.account(NAME) == before


@pytest.mark.parametrize("reason", HOSTILE, ids=lambda each: repr(each)[:12])
def test_an_account_is_amended_for_a_reason_that_can_be_shown(book, reason):
    ledger, _ = book
    before = ledger.account(NAME)
    for way in (lambda: ledger.amend(NAME, cap=2, reason=reason), lambda: ledger.close_account(NAME, reason=reason)):
        with pytest.raises(ParameterError, match="reason") as caught:
            way()
        said = str(caught.value)
        assert len(said) < 300
        assert said.replace("\n", "").isprintable()
    assert ledger.account(NAME) == before


@pytest.mark.parametrize("reason", PLAIN, ids=lambda each: repr(each)[:12])
def test_any_line_of_text_is_a_reason(book, reason):
    ledger, _ = book
    if reason.isprintable():
        assert ledger.amend(NAME, cap=2, reason=reason).amendment.reason == reason
        assert ledger.verify().amendments[0].reason == reason
    else:  # written by a program that knows other characters than this Python: read, and not written
        assert is_reason(reason)
        with pytest.raises(ParameterError, match="cannot be kept"):
            ledger.amend(NAME, cap=2, reason=reason)


# A closed account


def test_a_closed_account_takes_no_charge_and_repeats_what_it_answered(book):
    ledger, version = book
    first = release(ledger, version, "a", "1/4")
    held = ask(ledger, version, "b", "1/4")
    closed = ledger.close_account(NAME, reason="The table was deleted")
    assert (closed.closed, closed.cap, closed.spent, closed.left) == (True, 1, F(1, 2), 0)
    ledger.commit(held, record_of(held))  # it was paid before
    for epsilon in ("1/2", "1/1000"):
        with pytest.raises(BudgetError, match="was closed: it takes no further charge"):
            ask(ledger, version, "c", epsilon)
    assert release(ledger, version, "a", "1/4") == first
    assert release(ledger, version, "b", "1/4") == record_of(held)
    other = ledger.dataset_version(NAME, fingerprint("other rows"))
    with pytest.raises(BudgetError, match="was closed"):
        ask(ledger, other, "a", "1/4")
    for way in (lambda: ledger.amend(NAME, cap=9, reason=WHY), lambda: ledger.close_account(NAME, reason=WHY)):
        with refused("was closed"):
            way()
    with refused("exists already"):
        ledger.create_account(NAME, cap=9, **TERMS)
    ledger.create_account("firms", cap=1, **TERMS)
    assert ledger.account(NAME).spent == F(1, 2)
    assert [each.closes for each in ledger.verify(first).amendments] == [True]


def test_a_release_from_a_closed_account_is_refused_and_a_repeated_one_is_free(tmp_path):
    study = snapdp.study(
        dataset="people", relation="change-one", n=3, budget="1/2",
        columns={"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
        statistic=[{"kind": "mean", "column": "age", "epsilon": "1/4"}],
    )  # fmt: skip
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account_for(study)
        first = study.release({"age": [1, 2, 3]}, ledger=ledger)
        ledger.amend("people", cap=1, reason=WHY)
        ledger.close_account("people", reason="done")
        again = study.release({"age": [1, 2, 3]}, ledger=ledger)
        assert (again.free, again.record) == (True, first.record)
        with pytest.raises(BudgetError, match="was closed"):
            study.release({"age": [1, 2, 4]}, ledger=ledger)
        found = audit(first.record, ledger)
        assert found.sound
        assert [(each.before, each.cap, each.reason) for each in found.amendments] == [
            (F(1, 2), 1, WHY),
            (1, 1, "done"),
        ]
    assert audit(first.record).amendments == ()


# Forged


@pytest.fixture
def bodies(book):
    """A sound chain: opened, a version, a charge of 3/4, a raise to 2, another charge, closed."""
    ledger, version = book
    release(ledger, version, "a", "3/4")
    ledger.amend(NAME, cap=2, reason=WHY)
    release(ledger, version, "b", "5/4")
    ledger.close_account(NAME, reason="done")
    found = [json.loads(entry.body) for entry in ledger._storage.entries(NAME, start=0)]
    assert [body["kind"] for body in found] == [
        "open", "dataset", "reserve", "commit", "amend", "reserve", "commit", "close"
    ]  # fmt: skip
    assert not is_refused(ledger._storage, *relinked(found))
    return ledger, found


def renumbered(bodies):
    """Return bodies with the numbers of their places, and of the reservations they close."""
    places = {body["number"]: place for place, body in enumerate(bodies)}
    return [
        {**body, "number": place} | ({"reserve": places[body["reserve"]]} if "reserve" in body else {})
        for place, body in enumerate(bodies)
    ]


AMENDED, CLOSED = 4, 7
FORGED = {
    "another cap before": lambda b: b[AMENDED].update(before="3/2"),
    "a lower cap before": lambda b: b[AMENDED].update(before="1/2"),
    "a cap that does not rise": lambda b: b[AMENDED].update(cap="1"),
    "a cap below what is spent": lambda b: b[AMENDED].update(cap="1/2"),
    "a cap below what is spent later": lambda b: b[AMENDED].update(cap="3/2"),
    "another account": lambda b: b[AMENDED].update(account="firms"),
    "no reason": lambda b: b[AMENDED].update(reason=""),
    "a reason of two lines": lambda b: b[AMENDED].update(reason="a\nb"),
    "a reason that turns round": lambda b: b[AMENDED].update(reason="\u202e"),
    "a long reason": lambda b: b[AMENDED].update(reason="x" * 501),
    "another sum": lambda b: b[AMENDED].update(spent="0"),
    "no time": lambda b: b[AMENDED].update(time="soon"),
    "no amendment": lambda b: b.pop(AMENDED),
    "an amendment first": lambda b: b.insert(0, b.pop(AMENDED)),
    "after the charge": lambda b: b.insert(6, b.pop(AMENDED)),
    "raised once more when closed": lambda b: b.append({**b[AMENDED], "before": "2", "cap": "3", "spent": "2"}),
    "closed twice": lambda b: b.append(dict(b[CLOSED])),
    "closed under another cap": lambda b: b[CLOSED].update(cap="3"),
    "closed for no reason": lambda b: b[CLOSED].update(reason=" "),
    "charged when closed": lambda b: b.insert(5, {**b.pop(CLOSED), "spent": "3/4"}),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_forged_amendment_is_found(bodies, how):
    ledger, found = bodies
    FORGED[how](found)
    assert is_refused(ledger._storage, *relinked(renumbered(found)))


def test_a_raised_first_cap_without_an_entry_is_found_by_the_chain_and_if_that_is_forged_too_by_the_record(book):
    """The twin of an honest raise: whoever can write the file can write any history, but not the published one."""
    ledger, version = book
    record = release(ledger, version, "a", 1)
    found = [json.loads(entry.body) for entry in ledger._storage.entries(NAME, start=0)]
    honest, standing = relinked(found)
    found[0]["cap"] = "9"
    forged, moved = relinked(found)
    assert is_refused(ledger._storage, [forged[0], *honest[1:]], standing)
    assert not is_refused(ledger._storage, forged, moved)
    assert is_refused(ledger._storage, forged, moved, against=record)


def changed_in_place(path, number, body):
    """Write another text over the body of an entry, with a digest that fits."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        rule = database.execute("SELECT sql FROM sqlite_master WHERE name = 'no_update_of_entry'").fetchone()[0]
        database.execute("DROP TRIGGER no_update_of_entry")
        text = chain.canonical(body)
        fields = (text, chain.digest(text), body["kind"], number)
        database.execute("UPDATE entry SET body = ?, digest = ?, kind = ? WHERE number = ?", fields)
        database.execute(rule)


@pytest.mark.parametrize("cap", ["1/2", "3/4"])
def test_an_amendment_that_lowers_a_cap_is_not_charged_to_and_does_not_stop_other_accounts(path, book, cap):
    ledger, version = book
    ledger.amend(NAME, cap=2, reason=WHY)
    release(ledger, version, "a", "1/4")
    body = json.loads(ledger._storage.entry(NAME, 2).body)
    ledger.create_account("firms", cap=1, **TERMS)
    ledger.close()
    changed_in_place(path, 2, {**body, "cap": cap})
    with Ledger.open(path) as again:
        for way in (lambda: again.account(NAME), lambda: ask(again, version, "b", "1/8"), lambda: again.verify()):
            with pytest.raises(LedgerError, match=r"was altered|does not raise"):
                way()
        assert [each.name for each in again.accounts()] == ["firms"]


def test_an_amendment_beyond_the_end_of_the_chain_raises_nothing(path, book):
    ledger, version = book
    standing = ledger._storage.standing(NAME) if ledger._storage.begin(writing=False) is None else None
    ledger._storage.rollback()
    ledger.close()
    beyond = rows.Standing(account=NAME, entries=9, spent="0", head=standing.head)
    entry, _ = chain.link(beyond, "amend", spent="0", before="1", cap="99", reason=WHY, time="2026-01-01T00:00:00Z")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry._values())
    with Ledger.open(path) as again:
        for way in (lambda: ask(again, version, "b", "1/8"), again.verify):
            with pytest.raises(LedgerError, match=r"was altered|not sound"):
                way()


# Files


def test_the_file_itself_takes_no_charge_of_a_closed_account(path, book):
    ledger, version = book
    ledger.close_account(NAME, reason="done")
    with ledger._transaction(writing=False):
        standing = ledger._storage.standing(NAME)
    about = {"asked": {}, "epsilon": "1/4", "request": "x", "session": "0" * 32, "version": version}
    entry, _ = chain.link(standing, "reserve", spent="1/4", time="2026-01-01T00:00:00Z", **about)
    with pytest.raises(LedgerError), ledger._transaction(writing=True):
        ledger._storage.append(entry)
    ledger.close()
    with contextlib.closing(sqlite3.connect(path)) as database, pytest.raises(sqlite3.IntegrityError, match="closed"):
        database.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry._values())


def test_a_backup_has_the_amendments_and_what_it_is_restored_to_as_well(path, book):
    ledger, version = book
    record = release(ledger, version, "a", 1)
    ledger.amend(NAME, cap=2, reason=WHY)
    backup, again = path.with_name("backup"), path.with_name("again")
    assert len(back_up(path, backup).amendments) == 1
    with Ledger.open(backup) as copy, refused("is a copy"):
        copy.amend(NAME, cap=3, reason=WHY)
    restore(backup, again, against=record)
    with Ledger.open(again) as copy:
        assert copy.account(NAME).cap == 2
        copy.amend(NAME, cap=3, reason=WHY)
        assert [each.cap for each in copy.verify(record).amendments] == [2, 3]


def test_a_copy_of_before_an_amendment_is_found_by_the_head_that_it_returned(path, book):
    """The newest record may be older than the amendment: it is in both."""
    ledger, version = book
    record = release(ledger, version, "a", "1/4")
    backup = path.with_name("backup")
    back_up(path, backup)
    closed = ledger.close_account(NAME, reason="done")
    ledger.verify(against=closed.head)
    with Ledger.open(backup) as copy:
        copy.verify(against=record)
        with refused("does not hold the head given"):
            copy.verify(against=closed.head)


# Several at once

RAISE = """
import sys
from snapdp.errors import SnapdpError
from snapdp.ledger.ledger import Ledger
path, name, first = sys.argv[1:]
with Ledger.open(path) as ledger:
    for cap in range(int(first), 40, 2):
        try:
            ledger.amend(name, cap=cap, reason=f"to {cap}")
        except SnapdpError:
            pass
"""


def raising(path, first):
    command = [sys.executable, "-c", RAISE, str(path), NAME, str(first)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def test_processes_that_raise_a_cap_while_others_charge_never_pass_it(path, book):
    ledger, version = book
    processes = [raising(path, first) for first in (2, 3)]
    number, spent = 0, F(0)
    while any(process.poll() is None for process in processes) or ledger.account(NAME).left:
        number += 1
        with contextlib.suppress(BudgetError):
            release(ledger, version, number, 1)
            spent += 1
    assert [(process.wait(), process.stderr.read()) for process in processes] == [(0, "")] * 2
    assert [process.stderr.close() for process in processes] == [None, None]
    account = ledger.account(NAME)
    assert (account.cap, account.spent, spent) == (39, 39, 39)
    found = ledger.verify().amendments
    assert [each.before for each in found] == [1, *(each.cap for each in found[:-1])]
    assert all(each.before < each.cap for each in found)


ENDLESS = """
import sys
from snapdp.ledger.ledger import Ledger
with Ledger.open(sys.argv[1]) as ledger:
    while True:
        cap = ledger.account(sys.argv[2]).cap + 1
        ledger.amend(sys.argv[2], cap=cap, reason=f"to {cap}")
        print(cap, flush=True)
"""


def test_a_process_that_is_killed_while_it_raises_a_cap_leaves_the_old_one_or_the_new_one(path, book):
    ledger, _ = book
    ledger.close()
    cap = 1
    for acknowledged in (1, 2, 3):
        command = [sys.executable, "-c", ENDLESS, str(path), NAME]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        told = [int(process.stdout.readline()) for _ in range(acknowledged)]
        process.kill()  # SIGKILL, of a process started here
        more = process.communicate()[0].split()
        cap = int(more[-1]) if more else told[-1]
        with Ledger.open(path) as again:
            found = [each.cap for each in again.verify().amendments]
            assert found == list(range(2, len(found) + 2))
            assert again.account(NAME).cap == found[-1]
            assert found[-1] in (cap, cap + 1)


# The same on a server


def test_the_keeper_alone_amends_and_everybody_is_bound_by_it(team):
    ann, version = opened(team.at("ann"))
    with ann:
        release(ann, version, "a", 1)
        with refused("does not let this role do that"):
            ann.amend(NAME, cap=2, reason=WHY)
        with refused("does not let this role do that"):
            ann.close_account(NAME, reason=WHY)
        with Ledger.open(team.at("keeper")) as keeper:
            raised = keeper.amend(NAME, cap="5/4", reason=WHY)
            assert (raised.cap, raised.amendment.author) == (F(5, 4), team.roles["keeper"])
        assert ann.account(NAME) == raised
        assert [each.reason for each in ann.amendments(NAME)] == [WHY]
        with pytest.raises(BudgetError, match="has 1/4 left of 5/4"):
            ask(ann, version, "b", "1/2")
        first = release(ann, version, "b", "1/8")
        with Ledger.open(team.at("keeper")) as keeper:
            keeper.close_account(NAME, reason="done")
            keeper.verify(first)
        with pytest.raises(BudgetError, match="was closed"):
            ask(ann, version, "c", "1/8")
        assert release(ann, version, "b", "1/8") == first
        assert [each.closes for each in ann.amendments(NAME)] == [False, True]
    with Ledger.open(team.at("keeper")) as keeper, refused("was closed"):
        keeper.amend(NAME, cap=9, reason=WHY)


def test_an_analyst_who_speaks_sql_amends_nothing(team):
    with Ledger.open(team.at("keeper")) as keeper, keeper._transaction(writing=False):
        standing = keeper._storage.standing(NAME)
    entry, _ = chain.link(standing, "amend", spent="0", before="1", cap="9", reason=WHY, time="2026-01-01T00:00:00Z")
    appended = "snapdp.appended(s, 'close', '', '', '', 0, '', '', '', '')"
    with psycopg.connect(team.at("ann"), autocommit=True) as connection:
        for statement in (
            lambda: insert(connection, entry),
            lambda: connection.execute(f"SELECT {appended} FROM snapdp.standing s"),
            lambda: connection.execute("SELECT * FROM snapdp.standing FOR UPDATE"),
            lambda: connection.execute("SELECT snapdp.cap_of('survey')"),
        ):  # fmt: skip
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                statement()
        assert connection.execute("SELECT count(*) FROM snapdp.amendments('survey')").fetchall() == [(0,)]


def test_the_server_takes_an_amendment_that_verify_takes_and_no_other(team):
    when = {"time": "2026-01-01T00:00:00Z"}
    with Ledger.open(team.at("keeper")) as keeper:
        keeper.amend(NAME, cap=2, reason=WHY)
        with keeper._transaction(writing=False):
            standing = keeper._storage.standing(NAME)
        told = {"spent": "0", "before": "2", "cap": "3", "reason": "more", **when}
        wrong = [
            {"before": "1"},
            {"cap": "2"},
            {"cap": "1"},
            {"cap": "6/2"},
            {"cap": "x"},
            {"spent": "1"},
            {"time": "soon"},
        ]
        reasons = [each for each in [*HOSTILE, *PLAIN] if isinstance(each, str) and len(each) < 10_000]
        with psycopg.connect(team.at("keeper"), autocommit=True) as connection:
            for more in [{}, *wrong, *({"reason": each} for each in reasons)]:
                entry, _ = chain.link(standing, "amend", **{**told, **more})
                expected = not more or ("reason" in more and is_reason(more["reason"]))
                assert is_taken(connection, entry) is expected, more
            for more in [{}, {"cap": "1"}, {"cap": "3"}, {"reason": " "}, {"time": "soon"}, {"spent": "1"}]:
                told = {"spent": "0", "cap": "2", "reason": "done", **when}
                entry, _ = chain.link(standing, "close", **{**told, **more})
                assert is_taken(connection, entry) is (not more), more
        keeper.close_account(NAME, reason="done")
        with keeper._transaction(writing=False):
            standing = keeper._storage.standing(NAME)
        told = {"spent": "0", "before": "2", "cap": "3", "reason": "more", **when}
        with psycopg.connect(team.at("keeper"), autocommit=True) as connection:
            assert not is_taken(connection, chain.link(standing, "amend", **told)[0])
        keeper.verify()


def is_taken(connection, entry) -> bool:
    """Tell whether the server takes an entry of the keeper's; nothing stays."""
    try:
        with connection.transaction(force_rollback=True):
            insert(connection, entry)
    except psycopg.Error:
        return False
    return True


def test_a_charge_waits_for_the_amendment_that_has_the_account_and_is_bound_by_it(team):
    """The analyst asks while the keeper's transaction closes the account: what it reads after the lock decides."""
    ann, version = opened(team.at("ann"))
    outcome = []

    def charge():
        own, _ = opened(team.at("bob"))
        with own:
            try:
                outcome.append(ask(own, version, "b", "1/8"))
            except BudgetError as refusal:
                outcome.append(str(refusal))

    with ann, Ledger.open(team.at("keeper")) as keeper:
        with keeper._transaction(writing=True):
            holder, standing = keeper._amendable(NAME)
            thread = threading.Thread(target=charge)
            thread.start()
            fields = {"cap": str(holder.cap), "reason": "done", "time": "2026-01-01T00:00:00Z"}
            keeper._append(standing, "close", spent=standing.spent, **fields)
        thread.join()
        keeper.verify()
    assert len(outcome) == 1
    assert "was closed" in outcome[0]
