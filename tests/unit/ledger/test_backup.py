"""Backups are whole, private and never charged; the way back is against the newest record."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger, back_up, restore
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
