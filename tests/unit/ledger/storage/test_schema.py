"""The schema of a ledger: one file makes it, the ledger keeps its digest, and a ledger of another one is refused."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from fractions import Fraction

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger, restore
from snapdp.ledger.storage.schema import expected_schema, schema_digest, schema_of
from snapdp.ledger.storage.sqlite_file import SqliteFile
from snapdp.ledger.storage.storage import FORMAT
from tests import VECTORS
from tests.tiers import first_of
from tests.unit.ledger.teams import refused
from tests.unit.release.support import NAME, TERMS, F, ask, new_ledger, release

GOLDEN = VECTORS / "people.ledger.sql"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


def changed(path, *statements):
    """Change a file as somebody who may, without its rule that the row of the ledger stays."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        rule = expected_schema()["no_update_of_ledger"]
        for each in ("DROP TRIGGER no_update_of_ledger", *statements, rule):
            database.execute(each)


# What makes a ledger


def test_a_file_has_what_its_schema_makes_and_keeps_its_digest(path):
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert schema_of(lambda text: database.execute(text).fetchall()) == expected_schema()
        assert database.execute("SELECT format, schema FROM ledger").fetchall() == [(FORMAT, schema_digest("sqlite"))]


def test_a_file_with_another_table_is_not_sound(path):
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE note (text TEXT NOT NULL)")
    with Ledger.open(path) as ledger, refused("tables or rules of the database were changed"):
        ledger.verify()


@pytest.mark.parametrize(
    "change", ["UPDATE place SET home = ''", "UPDATE place SET home = '12' || char(0)", "UPDATE place SET home = x'31'",
               "UPDATE place SET log = 'x'", "DELETE FROM place", "INSERT INTO place VALUES (0, 0, '1')"],
)  # fmt: skip
def test_a_file_that_does_not_say_where_it_is_is_not_sound(path, change):
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(change)
    with Ledger.open(path) as ledger, refused("place does not say where the ledger is"):
        ledger.verify()


# Another version


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE ledger SET format = format + 1",
        "UPDATE ledger SET schema = 'x'",
        "ALTER TABLE ledger DROP COLUMN schema",
        "PRAGMA application_id = 1",
    ],
)
def test_a_file_of_another_version_is_refused_in_one_sentence_and_left_alone(path, change):
    new_ledger(path)[0].close()
    changed(path, change)
    before = path.read_bytes()
    with refused("people.ledger' was made by another version of snapdp, or by another program"):
        Ledger.open(path)
    assert path.read_bytes() == before


def test_a_file_of_another_schema_is_refused_and_so_is_its_copy(path, monkeypatch):
    ledger, version = new_ledger(path)
    with ledger:
        record = release(ledger, version, "a", "1/4")
    with monkeypatch.context() as newer:
        newer.setattr("snapdp.ledger.storage.sqlite.schema_digest", lambda store: f"another of {store}")
        with refused("another version"):
            Ledger.open(path)
        with refused("another version"):
            restore(path, path.with_name("again"), against=record)
    with Ledger.open(path) as ledger:
        ledger.verify(against=record)


def test_a_ledger_that_was_written_before_is_read_and_goes_on(path):
    """Whoever changes the schema refuses every ledger of before, this one too: then it is written anew."""
    copy = path.with_name("copy")
    with contextlib.closing(sqlite3.connect(copy)) as database:
        database.executescript(GOLDEN.read_text(encoding="utf-8"))
    restore(copy, path, against=None, none_was_published=True)
    with Ledger.open(path) as ledger:
        amended = {each.account: each for each in ledger.verify().amendments}
        assert [len(ledger.amendments(each)) for each in ("people", "visits", "wages")] == [2, 0, 2]
        assert (amended["people"].before, amended["people"].cap) == (Fraction(3, 2), 2)
        assert [each.closed for each in ledger.accounts()] == [False, False, True]
        assert [each.spent for each in ledger.accounts()] == [Fraction(5, 4), 0, Fraction(3, 8)]
        assert [charge.state for charge in ledger.history("people")] == ["committed", "abandoned"]
        version = ledger.dataset_version("people", b"other content")
        ledger.abandon(ask(ledger, version, "more", "1/4", name="people", rows=40))
        assert ledger.account("people").left == Fraction(1, 2)


# Killed


def test_a_making_that_was_killed_before_its_log_came_into_the_file_is_whole(path, monkeypatch):
    killed = path.with_name("killed")

    def checkpoint(_):
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{killed}{suffix}")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(SqliteFile, "checkpoint", checkpoint)
        with pytest.raises(KeyboardInterrupt):
            Ledger.create(path)
    assert not path.exists()
    with Ledger.open(killed) as ledger:
        ledger.verify()
        with pytest.raises(LedgerError, match="is a copy"):  # it was made at another inode
            ledger.create_account(NAME, cap=1, **TERMS)
    restore(killed, path, against=None)
    with Ledger.open(path) as ledger:
        ledger.create_account(NAME, cap=1, **TERMS)
        ledger.verify()


@pytest.mark.parametrize("every", first_of([30, 6]))
def test_a_release_that_is_killed_at_any_statement_is_spent_or_not_and_the_file_goes_on(path, monkeypatch, every):
    ledger, version = new_ledger(path)
    with ledger:
        record = release(ledger, version, "a", "1/4")

    class Killed(Exception):
        pass

    def run_on(file, connection, statement, fields=()):
        left[0] -= 1
        if left[0] < 0:
            file.drop()
            raise Killed
        return whole(file, connection, statement, fields)

    def spent(file):
        with Ledger.open(file) as ledger:
            ledger.verify(against=record)
            return ledger.account(NAME).spent

    whole, survived = SqliteFile._run_on, 0
    for count in range(0, 180, every):
        file = path.with_name(f"{count}.ledger")
        restore(path, file, against=record)
        left = [count]
        with monkeypatch.context() as patched, contextlib.suppress(Killed):
            patched.setattr(SqliteFile, "_run_on", run_on)
            with Ledger.open(file) as ledger:
                release(ledger, version, "b", "1/4")
                left[0] = 1000
                survived += 1
        assert spent(file) in (F(1, 4), F(1, 2))
        with Ledger.open(file) as ledger:
            release(ledger, version, "c", "1/2")
        assert spent(file) in (F(3, 4), 1)
    assert 0 < survived < 180 // every
