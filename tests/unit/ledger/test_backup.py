"""Backups are whole, private and never charged; the way back is against the newest record. Format 1 is migrated."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger import chain
from snapdp.ledger.backup import back_up, restore
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite_file import SqliteFile
from snapdp.ledger.storage.storage import FORMAT
from tests.unit.release.support import NAME, F, ask, new_ledger, record_of, release


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


def spent(path):
    with Ledger.open(path) as ledger:
        ledger.verify()
        return ledger.account(NAME).spent


def files(directory):
    return sorted(each.name for each in directory.iterdir())


# Backups


def test_a_backup_of_a_ledger_in_use_is_whole_and_private(path):
    copy = path.with_name("monday")
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
        held = ask(ledger, version, "b", "1/4")
        seen = back_up(path, copy)
        ledger.commit(held, record_of(held))
    assert (seen.accounts, seen.entries) == (1, 5)
    assert files(path.parent) == ["monday", "people.ledger"]
    assert os.stat(copy).st_mode & 0o777 == 0o600
    assert spent(copy) == spent(path) == F(1, 2)
    with Ledger.open(copy) as ledger:
        assert [charge.state for charge in ledger.history(NAME)] == ["committed", "orphaned"]


def test_a_backup_is_never_charged(path):
    copy = path.with_name("monday")
    ledger, version = new_ledger(path)
    ledger.close()
    back_up(path, copy)
    with Ledger.open(copy) as ledger:
        for work in (
            lambda: release(ledger, version, "a", "1/4"),
            lambda: ledger.create_account("more", cap=1, relation="change-one", rows=5),
            lambda: ledger.dataset_version(NAME, b"new"),
        ):
            with pytest.raises(LedgerError, match="is a copy"):
                work()
    shutil.copy(copy, path)  # put back as it is, over the ledger: still a backup
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="is a copy"):
        release(ledger, version, "a", "1/4")


def test_a_backup_overwrites_nothing_and_leaves_nothing_behind(path, monkeypatch):
    new_ledger(path)[0].close()
    precious = path.with_name("precious")
    precious.write_text("x")
    for target in (precious, path):
        with pytest.raises(LedgerError, match="exists already"):
            back_up(path, target)
    with pytest.raises(LedgerError, match="cannot be created"):
        back_up(path, path.parent / "absent" / "x")
    monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError))
    with pytest.raises(LedgerError, match="cannot be copied"):
        back_up(path, path.with_name("x"))
    assert precious.read_text() == "x"
    assert files(path.parent) == ["people.ledger", "precious"]


def test_an_unsound_ledger_is_not_backed_up(path):
    new_ledger(path)[0].close()
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE standing SET spent = '1/100'")
        database.commit()
    with pytest.raises(LedgerError, match="not sound"):
        back_up(path, path.with_name("monday"))
    assert files(path.parent) == ["people.ledger"]


def test_a_backup_is_restored_against_the_newest_record_only(path):
    copy, new = path.with_name("monday"), path.with_name("new.ledger")
    ledger, version = new_ledger(path)
    with ledger:
        first = release(ledger, version, "a", "1/4")
        back_up(path, copy)
        second = release(ledger, version, "b", "1/4")
    with pytest.raises(LedgerError, match="older copy"):
        restore(copy, new, against=second)
    with pytest.raises(LedgerError, match="newest record"):
        restore(copy, new, against=None)
    assert files(path.parent) == ["monday", "people.ledger"]
    restore(copy, new, against=first)
    with Ledger.open(new) as ledger:
        assert release(ledger, version, "a", "1/4") == first
        release(ledger, version, "c", "3/4")
    assert (spent(new), spent(copy)) == (1, F(1, 4))
    restore(copy, path.with_name("none.ledger"), against=None, none_was_published=True)


def test_a_backup_of_a_backup_is_a_backup(path):
    one, two = path.with_name("one"), path.with_name("two")
    ledger, version = new_ledger(path)
    ledger.close()
    back_up(path, one)
    back_up(one, two)
    with Ledger.open(two) as ledger, pytest.raises(LedgerError, match="is a copy"):
        release(ledger, version, "a", "1/4")


def test_a_ledger_on_a_server_is_backed_up_there():
    for way in (lambda: back_up("postgresql://x/y", "z"), lambda: restore("postgresql://x/y", "z", against=None)):
        with pytest.raises(LedgerError, match="server"):
            way()


# Format 1


def made_old(path):
    """Turn a ledger into what the first version of this library wrote."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        rule = database.execute("SELECT sql FROM sqlite_master WHERE name = 'no_update_of_ledger'").fetchone()[0]
        name, key = database.execute("SELECT name, key FROM ledger").fetchone()
        database.execute("DROP TRIGGER no_update_of_ledger")
        database.execute("UPDATE ledger SET format = 1, seal = ?", (chain.identity_seal(key, version=1, name=name),))
        database.execute(rule)
        database.execute("DROP TABLE place")
        database.execute("DROP INDEX amendments")
        database.execute("DROP TRIGGER no_charge_of_closed")
        database.execute("PRAGMA user_version = 0")


def test_a_ledger_of_format_1_is_read_as_it_is_and_migrated_when_it_is_charged(path):
    ledger, version = new_ledger(path)
    with ledger:
        first = release(ledger, version, "a", "1/4")
    made_old(path)
    before = path.read_bytes()
    with Ledger.open(path) as ledger:
        ledger.verify(against=first)
        assert ledger.account(NAME).spent == F(1, 4)
    assert path.read_bytes() == before
    with Ledger.open(path) as ledger, Ledger.open(path) as other:
        assert release(ledger, version, "a", "1/4") == first
        release(ledger, version, "b", "1/4")
        for each in (ledger, other):
            each.verify(against=first)
        release(other, version, "c", "1/4")
        assert ledger._storage._run("SELECT format FROM ledger") == [(FORMAT,)]
    assert spent(path) == F(3, 4)


def test_the_log_of_a_killed_process_of_format_1_is_not_lost(path):
    ledger, version = new_ledger(path)
    ledger.close()
    made_old(path)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA wal_autocheckpoint = 0")
        database.execute("INSERT INTO standing VALUES ('zzz', 1, '0', '')")  # what only the log has
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{path}.killed{suffix}")
    killed = path.with_name("people.ledger.killed")
    with Ledger.open(killed) as ledger:
        with ledger._transaction(writing=False):
            assert [each.account for each in ledger._storage.standings()] == [NAME, "zzz"]
        release(ledger, version, "a", "1/4")
        with ledger._transaction(writing=False):
            assert [each.account for each in ledger._storage.standings()] == [NAME, "zzz"]


def test_a_migration_that_is_killed_is_done_again(path, monkeypatch):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
    made_old(path)
    old = path.read_bytes()

    class Killed(Exception):
        pass

    def run_on(file, connection, statement, fields=()):
        left[0] -= 1
        if left[0] < 0:
            file.drop()
            raise Killed
        return whole(file, connection, statement, fields)

    whole, survived = SqliteFile._run_on, 0
    for count in range(0, 180, 6):
        file = path.with_name(f"{count}.ledger")
        file.write_bytes(old)
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
    assert 0 < survived < 30


def test_a_backup_of_format_1_is_one_of_the_newest_format(path):
    new_ledger(path)[0].close()
    made_old(path)
    back_up(path, path.with_name("monday"))
    with Ledger.open(path.with_name("monday")) as ledger:
        with ledger._transaction(writing=False):
            assert ledger._storage._run("SELECT format FROM ledger") == [(FORMAT,)]
        ledger.verify()


def test_a_ledger_on_a_server_is_neither_copied_nor_written_over_here(path, monkeypatch):
    """The address was taken for the name of a file, in a directory called postgresql: ."""
    monkeypatch.chdir(path.parent)
    (path.parent / "postgresql:" / "db").mkdir(parents=True)
    for first, second in (("postgresql://db/x", path), (path, "postgresql://db/x")):
        with pytest.raises(LedgerError, match="kept by a server"):
            back_up(first, second)
        with pytest.raises(LedgerError, match="kept by a server"):
            restore(first, second, against=None, none_was_published=True)
    assert list((path.parent / "postgresql:" / "db").iterdir()) == []


def test_a_backup_without_answers_is_restored_without_a_record(path):
    copy, new = path.with_name("monday"), path.with_name("new")
    ledger, version = new_ledger(path)
    with ledger:
        ledger.abandon(ask(ledger, version, "a", "1/4"))
    back_up(path, copy)
    restore(copy, new, against=None)
    with Ledger.open(new) as again:
        release(again, version, "b", "1/4")
    assert spent(new) == F(1, 2)
