"""When the file fails: a clear sentence, no reservation, no word of SQLite's own."""

from __future__ import annotations

import contextlib
import os
import resource
import sqlite3
import tempfile
import threading
from pathlib import Path

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage.sqlite_connection import SENTENCES
from snapdp.values import replaced
from tests.unit.release.support import NAME, TERMS, F, ask, fingerprint, new_ledger, record_of, release

NOBODY = 65534


@contextlib.contextmanager
def refused(words):
    """Expect a LedgerError that says so, and carries nothing of the error it came from."""
    with pytest.raises(LedgerError, match=words) as caught:
        yield
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def charges(path):
    with Ledger.open(path) as ledger:
        ledger.verify()
        return len(ledger.history(NAME))


# Full disk


def test_a_full_database_reserves_nothing(path):
    ledger, version = new_ledger(path)
    with ledger:
        pages = ledger._storage._run("PRAGMA page_count")[0][0]
        ledger._storage._run(f"PRAGMA max_page_count = {pages}")
        with refused("disk is full"):
            for what in range(100):
                ask(ledger, version, what, "1/1000")
        assert ledger.account(NAME).spent == F(what, 1000)
        ledger._storage._run("PRAGMA max_page_count = 1000000")
        ask(ledger, version, what, "1/1000")
    assert charges(path) == what + 1


@contextlib.contextmanager
def largest_file(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_wherever_writing_stops_a_refused_reservation_is_none(path):
    """The log may grow by 0, 512, 1024, ... bytes: some reservations fit, the others leave no trace."""
    ledger, version = new_ledger(path)
    fitted, said = 0, set()
    with ledger:
        log = path.with_name(path.name + "-wal")
        for room in range(0, 40_000, 512):
            with largest_file(log.stat().st_size + room):
                try:
                    ask(ledger, version, room, "1/1000")
                    fitted += 1
                except LedgerError as error:
                    said.add(error.problem.split("' ")[1])
            assert ledger.account(NAME).spent == F(fitted, 1000)
    assert fitted > 0
    assert said
    assert said <= {SENTENCES[sqlite3.SQLITE_IOERR][0], SENTENCES[sqlite3.SQLITE_FULL][0]}
    assert charges(path) == fitted


def test_a_commit_that_does_not_fit_leaves_the_reservation_spent_and_retryable(path):
    ledger, version = new_ledger(path)
    with ledger:
        held = ask(ledger, version, "a", "1/4")
        log = path.with_name(path.name + "-wal")
        with largest_file(log.stat().st_size), refused("room"):
            ledger.commit(held, record_of(held, "x" * 10_000))
        assert ledger.account(NAME).spent == F(1, 4)
        ledger.commit(held, record_of(held))
    assert charges(path) == 1


def test_a_creation_that_does_not_fit_leaves_no_file(path):
    with largest_file(20_000), refused("room|disk is full"):
        Ledger.create(path)
    assert os.listdir(path.parent) == []


def test_every_commit_is_synced_to_the_disk(path):
    new_ledger(path)[0].close()
    with Ledger.open(path) as ledger, ledger._transaction(writing=True):
        for pragma, value in [("journal_mode", "wal"), ("synchronous", 2), ("fullfsync", 1)]:
            assert ledger._storage._run(f"PRAGMA {pragma}") == [(value,)]


# Read-only, locked


@contextlib.contextmanager
def without_privileges():
    """The superuser may write anything: be nobody for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_ledger_reserves_nothing():
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "people.ledger"
        ledger, version = new_ledger(path)
        ledger.close()
        path.chmod(0o444)
        os.chmod(directory, 0o555)
        with without_privileges(), refused("cannot be opened|read-only"), Ledger.open(path) as ledger:
            ask(ledger, version, "a", "1/4")
        os.chmod(directory, 0o777)
        with without_privileges(), refused("read-only"), Ledger.open(path) as ledger:
            ask(ledger, version, "a", "1/4")
        path.chmod(0o600)
        os.chmod(directory, 0o755)
        assert charges(path) == 0


@pytest.mark.parametrize("what", ["directory", "pipe"])
def test_what_is_no_file_is_no_ledger(tmp_path, what):
    path = tmp_path / "people.ledger"
    path.mkdir() if what == "directory" else os.mkfifo(path)
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger.open(path)


def test_a_ledger_in_a_directory_that_takes_no_files_is_not_created():
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o555)
        with without_privileges(), refused("cannot be created"):
            Ledger.create(Path(directory) / "people.ledger")
        os.chmod(directory, 0o755)


def test_a_ledger_locked_by_somebody_else_says_so(path):
    ledger, version = new_ledger(path, patience=0.1)
    with ledger, contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused("is locked"):
            ask(ledger, version, "a", "1/4")
        assert ledger.account(NAME).spent == 0
        other.execute("ROLLBACK")
        ask(ledger, version, "a", "1/4")


def test_a_directory_without_room_for_the_session_file_reserves_nothing(path, monkeypatch):
    ledger, version = new_ledger(path)
    with ledger:
        monkeypatch.setattr(
            "snapdp.ledger.storage.sqlite._locked_file", lambda _: (_ for _ in ()).throw(LedgerError("no"))
        )
        with pytest.raises(LedgerError):
            ask(ledger, version, "a", "1/4")
    assert charges(path) == 0


# No ledger, or none any more


def test_a_missing_file_is_not_created(path):
    with refused("cannot be opened"):
        Ledger.open(path)
    assert not path.exists()


def test_an_existing_file_is_never_overwritten(path):
    path.write_text("precious")
    with refused("exists already"):
        Ledger.create(path)
    assert path.read_text() == "precious"


@pytest.mark.parametrize("content", [b"", b"age,pay\n31,1200\n" * 100, b"SQLite format 3\0" + b"x" * 5000])
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with refused("no ledger|damaged|cannot be opened"):
        Ledger.open(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kept", [100, 4096, 9000, 20000, -8192, -4097, -4096, -1])
def test_a_file_cut_short_reserves_nothing(path, kept):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(LedgerError), Ledger.open(path) as ledger:
        ledger.verify()


def test_a_page_of_rubbish_reserves_nothing(path):
    ledger, version = new_ledger(path)
    with ledger:
        release(ledger, version, "a", "1/4")
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(index * 37 % 251 for index in range(len(content) - 4096))
    path.write_bytes(content)
    with refused("damaged"), Ledger.open(path) as ledger:
        ask(ledger, version, "b", "1/4")


def test_a_creation_cut_short_is_told_from_a_ledger(path):
    path.touch()
    with refused("no ledger"):
        Ledger.open(path)


# Misuse


def test_a_closed_ledger_says_so(path):
    ledger, version = new_ledger(path)
    ledger.close()
    ledger.close()
    with refused("was closed"):
        ask(ledger, version, "a", "1/4")


def test_a_ledger_taken_into_another_thread_says_so(path):
    ledger, version = new_ledger(path)
    caught = []

    def use():
        with refused("another thread"):
            ask(ledger, version, "a", "1/4")
        caught.append(True)

    with ledger:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert caught == [True]


def test_a_ledger_carried_over_a_fork_says_so(path, monkeypatch):
    ledger, version = new_ledger(path)
    with ledger:
        with monkeypatch.context() as child:
            child.setattr(os, "getpid", lambda: -1)
            ledger.close()  # not this process's to close
            with refused("another thread or process"):
                ask(ledger, version, "a", "1/4")
        ask(ledger, version, "a", "1/4")


def test_an_error_inside_a_transaction_leaves_the_ledger_usable(path):
    ledger, version = new_ledger(path)
    with ledger:
        with pytest.raises(LedgerError):
            ledger.create_account(NAME, cap=1, **TERMS)
        with pytest.raises(LedgerError):
            ledger.dataset_version("nobody", fingerprint("x"))
        release(ledger, version, "a", "1/4")


def test_an_account_that_changed_meanwhile_is_not_charged(path, monkeypatch):
    """No storage with one writer at a time lets it happen; one that does is refused, and the entry is taken back."""
    ledger, version = new_ledger(path)
    with ledger:
        with monkeypatch.context() as broken:
            broken.setattr(ledger._storage, "swap_standing", lambda *_: False)
            with refused("changed while"):
                ask(ledger, version, "a", "1/4")
        assert ledger._storage.entry(NAME, 2) is None
        ask(ledger, version, "a", "1/4")
    assert charges(path) == 1


def test_a_standing_is_swapped_only_if_it_is_still_the_one_that_was_read(path):
    ledger, version = new_ledger(path)
    with ledger:
        storage = ledger._storage
        old = storage.standing(NAME)
        ask(ledger, version, "a", "1/4")
        now = storage.standing(NAME)
        assert not storage.swap_standing(old, old)
        for field, value in (("entries", 1), ("spent", "0"), ("head", "")):
            assert not storage.swap_standing(replaced(now, **{field: value}), old)
        assert storage.standing(NAME) == now


@pytest.mark.parametrize("name", ["a\x00b", "n" * 5000, "absent/" * 2000 + "x"])
def test_a_path_that_no_file_can_have_is_refused(name):
    for way in (Ledger.open, Ledger.create):
        with pytest.raises(LedgerError):
            way(name)
