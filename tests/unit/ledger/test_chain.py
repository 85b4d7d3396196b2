"""The chain: one text for one value, every flipped byte found or harmless, an old copy put back found."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sqlite3

import pytest
from hypothesis import given, strategies as st

from snapdp.errors import LedgerError, ParameterError
from snapdp.ledger.chain import canonical
from snapdp.ledger.ledger import Ledger, restore
from tests.tiers import first_of
from tests.unit.release.support import NAME, F, ask, fingerprint, new_ledger, release

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


# Canonical JSON


@given(value=JSON)
def test_canonical_text_is_ascii_and_reads_back_to_the_same_text(value):
    text = canonical(value)
    assert text.isascii()
    assert canonical(json.loads(text)) == text
    assert json.loads(text) == value


def test_what_cannot_be_written_down_is_refused_without_repeating_it():
    nested = []
    for _ in range(100):
        nested = [nested]
    for value in (float("inf"), {1: "secret"}, {"secret"}, b"secret", F(1, 2), nested, 10**5000):
        with pytest.raises(ParameterError) as caught:
            canonical({"x": value})
        assert "secret" not in str(caught.value)


# Flipped bytes


@pytest.fixture
def full(tmp_path):
    """A ledger with everything in it: two accounts, three versions, committed, abandoned and orphaned charges."""
    path = tmp_path / "people.ledger"
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/3", value=44.8832)
        newer = ledger.dataset_version(NAME, fingerprint("rows, changed"))
        ledger.abandon(ask(ledger, newer, "a", "1/5"))
        release(ledger, newer, "a", "1/5", value=-1)
        ask(ledger, newer, "b", "1/7")
        ledger.create_account("wages", cap="0.7", relation="add-remove", rows=100)
        ledger.dataset_version("wages", fingerprint("wages"))
    return path


def contents(path):
    """Return everything a ledger says, or None if it refuses to be opened or to be verified."""
    try:
        with Ledger.open(path) as ledger:
            ledger.verify()
            known = [ledger.dataset_version(NAME, fingerprint(rows)) for rows in ("rows of survey", "rows, changed")]
            return ledger.accounts(), [ledger.history(account.name) for account in ledger.accounts()], known
    except LedgerError:
        return None


def flips(content, count):
    """Return places of bytes that say something, and some that do not."""
    dice = random.Random(20121016)
    saying = [place for place, byte in enumerate(content) if byte]
    silent = [place for place, byte in enumerate(content) if not byte]
    return dice.sample(saying, count) + dice.sample(silent, count // 5)


def found_or_harmless(path, places):
    content, sound = path.read_bytes(), contents(path)
    assert sound is not None
    found = 0
    for place in places:
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        for leftover in path.parent.glob(f"{path.name}-*"):
            leftover.unlink()
        path.write_bytes(changed)
        said = contents(path)
        assert said in (None, sound), place
        found += said is None
    return found


def test_a_flipped_byte_anywhere_in_the_file_is_found_or_changes_nothing(full):
    assert found_or_harmless(full, flips(full.read_bytes(), 45)) > 30


@pytest.mark.long
@pytest.mark.parametrize("share", range(4))
def test_every_flipped_byte_that_says_something_is_found_or_changes_nothing(full, share):
    """All bytes but zeros, in four shares, and one in sixteen of the zeros, of which most are unused space."""
    content = full.read_bytes()
    saying = [place for place, byte in enumerate(content) if byte]
    silent = [place for place, byte in enumerate(content) if not byte]
    assert found_or_harmless(full, saying[share::4] + silent[16 * share :: 64]) > len(saying) // 8


@pytest.mark.parametrize("every", first_of([67, 17]))
def test_every_flipped_byte_of_an_entry_is_found(full, every):
    content = full.read_bytes()
    with contextlib.closing(sqlite3.connect(full)) as database:
        bodies = [body.encode() for (body,) in database.execute("SELECT body FROM entry")]
    starts = [content.index(body) for body in bodies]
    places = [
        place for start, body in zip(starts, bodies, strict=True) for place in range(start, start + len(body), every)
    ]
    assert len(places) > 1700 // every
    assert found_or_harmless(full, places) == len(places)


# Rows changed through the database itself


def tampered(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as database:
        rules = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in rules:
            database.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            database.execute(statement)
        for _, sql in rules:
            database.execute(sql)
        database.commit()


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE standing SET spent = '1/3' WHERE account = 'survey'", "is not that of its last entry"),
        ("UPDATE standing SET account = 'other' WHERE account = 'wages'", "does not exist"),
        ('UPDATE entry SET body = replace(body, \'"cap":"1"\', \'"cap":"9"\')', "entry 0 .* was altered"),
        ("UPDATE entry SET version = 'other' WHERE kind = 'commit'", "was altered"),
        ("UPDATE entry SET digest = 'sha256:0' WHERE kind = 'reserve'", "was altered"),
        ("DELETE FROM entry WHERE number = 3", "does not follow"),
        ("DELETE FROM entry WHERE number = 0", "does not follow"),
        ("DELETE FROM dataset WHERE account = 'wages'", "dataset versions of the account 'wages'"),
        ("UPDATE dataset SET keyed = 'other' WHERE account = 'wages'", "dataset versions of the account 'wages'"),
        ("UPDATE dataset SET account = 'survey'", "dataset versions"),
        ("DROP INDEX one_answer", "rules of the database"),
        ("CREATE TABLE more (x)", "rules of the database"),
        ("PRAGMA application_id = 1", "another version"),
        ("UPDATE ledger SET key = zeroblob(32)", "key of the ledger"),
        ("UPDATE ledger SET name = 'other'", "key of the ledger"),
        (
            "INSERT INTO entry SELECT 'ghost', 0, kind, version, request, reserve, body, digest FROM entry LIMIT 1",
            "ghost|not exist",
        ),
    ],
)
def test_a_row_changed_behind_the_ledger_is_found(full, statement, said):
    tampered(full, statement)
    with pytest.raises(LedgerError, match=said), Ledger.open(full) as ledger:
        ledger.verify()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE standing SET spent = '1/3' WHERE account = 'survey'",
        'UPDATE entry SET body = replace(body, \'"cap":"1"\', \'"cap":"9"\')',
        "UPDATE standing SET entries = 2 WHERE account = 'survey'",
        "UPDATE standing SET head = 'sha256:0' WHERE account = 'survey'",
        "DELETE FROM entry WHERE number = 0",
    ],
)
def test_budget_cannot_be_won_by_changing_a_row(full, statement):
    """Each reservation checks the first entry, the last and the standing, without waiting for verify."""
    with Ledger.open(full) as ledger:
        version = ledger.history(NAME)[0].version
    tampered(full, statement)
    with pytest.raises(LedgerError, match="altered"), Ledger.open(full) as ledger:
        ask(ledger, version, "more", "1/100")


@pytest.mark.parametrize("table", ["ledger", "entry", "dataset", "standing"])
def test_the_database_itself_refuses_to_forget(full, table):
    with (
        contextlib.closing(sqlite3.connect(full)) as database,
        pytest.raises(sqlite3.IntegrityError, match="append only"),
    ):
        database.execute(f"DELETE FROM {table}")


def test_every_problem_is_listed(full):
    tampered(full, "UPDATE standing SET spent = '0'", "DELETE FROM dataset WHERE account = 'wages'")
    with Ledger.open(full) as ledger, pytest.raises(LedgerError, match="1 more") as caught:
        ledger.verify()
    assert caught.value.numbers["problems"] == (
        "the standing of the account 'survey' is not that of its last entry.",
        "the dataset versions of the account 'wages' were altered.",
    )


# Old copies


def test_an_old_copy_put_back_is_found_by_a_later_record(tmp_path):
    path, copy = tmp_path / "people.ledger", tmp_path / "backup"
    ledger, version = new_ledger(path)
    with ledger:
        first = release(ledger, version, "a", "1/3")
    shutil.copy(path, copy)
    with Ledger.open(path) as ledger:
        second = release(ledger, version, "b", "1/3")
        head = ledger.account(NAME).head
        for known in (None, first, second, head, json.loads(json.dumps(second))):
            ledger.verify(against=known)
    shutil.copy(copy, path)
    with Ledger.open(path) as ledger:
        ledger.verify()  # in itself the old copy is sound
        ledger.verify(against=first)
        for unknown in (second, head):
            with pytest.raises(LedgerError, match="older copy was put back"):
                ledger.verify(against=unknown)


def test_a_copy_from_between_reservation_and_commit_is_found(tmp_path):
    path, copy = tmp_path / "people.ledger", tmp_path / "backup"
    ledger, version = new_ledger(path)
    with ledger:
        held = ask(ledger, version, "a", "1/3")
        with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
            source.backup(target)
        record = {**held.binding, "value": 1}
        ledger.commit(held, record)
    with Ledger.open(copy) as ledger:
        ledger.verify(against=record["previous"])
        with pytest.raises(LedgerError, match="does not hold the record"):
            ledger.verify(against=record)


def test_an_altered_record_is_not_taken_for_the_stored_one(full):
    with Ledger.open(full) as ledger:
        record = ledger.history(NAME)[0].answer.record
        ledger.verify(against=record)
        with pytest.raises(LedgerError, match="record was altered"):
            ledger.verify(against={**record, "value": 44.8833})


def test_a_copy_that_went_on_by_itself_is_found(tmp_path):
    """Two files that both went on are two histories: each lacks the other's records."""
    path, copy = tmp_path / "people.ledger", tmp_path / "fork.ledger"
    ledger, version = new_ledger(path)
    ledger.close()
    restore(path, copy, against=None)
    with Ledger.open(path) as one, Ledger.open(copy) as two:
        ours, theirs = release(one, version, "a", "1/3"), release(two, version, "a", "1/3", value=0.6)
        one.verify(against=ours)
        with pytest.raises(LedgerError):
            one.verify(against=theirs)


def test_verify_counts_what_it_saw(full):
    with Ledger.open(full) as ledger:
        seen = ledger.verify()
    assert (seen.accounts, seen.entries) == (2, 12)
