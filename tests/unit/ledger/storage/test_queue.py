"""Who is next at a ledger: in the order they came, whoever is killed meanwhile; and nobody waits for a history."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from snapdp.ledger.storage import sqlite_connection as inode
from snapdp.ledger.storage.sqlite_connection import Inode
from snapdp.ledger.storage.sqlite_file import SqliteFile
from tests import ROOT
from tests.unit.release.support import NAME, ask, new_ledger, release

PATIENCE = 30


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "people.ledger"
    file.touch()
    return file


class Waiter(threading.Thread):
    """Queues up, notes when its turn came, and lets the next one in."""

    def __init__(self, path, name, order, *, alone=True):
        super().__init__()
        self.inode = Inode(path)
        self.queued = threading.Event()
        self._name, self._order, self._alone = name, order, alone
        queue_up = self.inode._queue_up

        def noted():
            place = queue_up()
            self.queued.set()
            return place

        self.inode._queue_up = noted

    def run(self):
        assert self.inode.acquire(alone=self._alone, patience=PATIENCE)
        self._order.append(self._name)
        self.inode.release()
        self.inode.close()


def test_writers_and_readers_come_in_the_order_in_which_they_asked(path):
    holder, order = Inode(path), []
    assert holder.acquire(alone=True, patience=0)
    waiters = [Waiter(path, number, order, alone=number % 3 != 0) for number in range(9)]
    for waiter in waiters:
        waiter.start()
        assert waiter.queued.wait(PATIENCE)
    assert order == []
    holder.release()
    for waiter in waiters:
        waiter.join()
    assert [number for number in order if number % 3] == [1, 2, 4, 5, 7, 8]
    assert all(order.index(reader) > order.index(reader - 1) for reader in (3, 6))
    holder.close()


def test_who_lets_go_and_asks_again_comes_last(path):
    holder, order = Inode(path), []
    assert holder.acquire(alone=True, patience=0)
    waiter = Waiter(path, "waiter", order)
    waiter.start()
    assert waiter.queued.wait(PATIENCE)
    holder.release()
    assert holder.acquire(alone=True, patience=PATIENCE)
    order.append("holder")
    waiter.join()
    assert order == ["waiter", "holder"]
    holder.close()


QUEUES = """
import sys
from pathlib import Path
from snapdp.ledger.storage.sqlite_connection import Inode
inode = Inode(Path(sys.argv[1]))
inode._locked = lambda way: print("first", flush=True)
inode.acquire(alone=True, patience=1000)
"""


def test_who_is_killed_in_the_queue_keeps_nobody_waiting(path):
    with subprocess.Popen([sys.executable, "-c", QUEUES, path], stdout=subprocess.PIPE, text=True, cwd=ROOT) as first:
        assert first.stdout.readline() == "first\n"
        behind = Inode(path)
        assert not behind._is_first(behind._queue_up())
        first.kill()
    assert behind.acquire(alone=True, patience=PATIENCE)
    behind.close()


def test_who_hangs_in_the_queue_does_not_stop_the_others_for_good(path):
    """The queue says who is next, never whether: after a while the lock alone decides."""
    hung, other = Inode(path), Inode(path)
    hung._queue_up()
    assert other.acquire(alone=True, patience=0.2)
    hung.close()
    other.close()


def test_without_a_queue_the_lock_alone_decides(path, monkeypatch):
    monkeypatch.setattr(inode, "QUEUED", False)
    one, two = Inode(path), Inode(path)
    assert one.acquire(alone=True, patience=0)
    assert not two.acquire(alone=False, patience=0)
    one.release()
    assert two.acquire(alone=False, patience=0)
    assert one.acquire(alone=False, patience=0)
    assert not one.acquire(alone=True, patience=0)
    one.close()
    two.close()


def test_descriptors_are_closed_with_the_last_user_of_the_file(path):
    """Earlier, the locks of SQLite in this process would be lost; later, they would pile up."""
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    one, two, three = Inode(path), Inode(path), Inode(path)
    two.close()
    one.close()
    os.fstat(one._file)
    os.fstat(two._file)
    three.close()
    for each in (one, two, three):
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(each._file)
    assert before == (len(os.listdir("/proc/self/fd")) if before else 0)


# What a release costs does not depend on what was released before


def statements(monkeypatch, work):
    """Return every statement that some work runs, with its fields."""
    seen, run_on = [], SqliteFile._run_on

    def noted(file, connection, statement, fields=()):
        seen.append((statement, fields))
        return run_on(file, connection, statement, fields)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteFile, "_run_on", noted)
        work()
    return seen


def test_every_statement_of_a_release_finds_its_rows_by_an_index(tmp_path, monkeypatch):
    ledger, version = new_ledger(tmp_path / "people.ledger")
    with ledger:
        seen = statements(monkeypatch, lambda: release(ledger, version, "a", "1/4"))
        asked = [each for each in seen if each[0].startswith(("SELECT", "UPDATE", "INSERT"))]
        plans = {
            (statement, row[3])
            for statement, fields in asked
            for row in ledger._storage._run(f"EXPLAIN QUERY PLAN {statement}", fields)
        }
    tables = {statement.partition("FROM ")[2].split(" ")[0] for statement, _ in plans}
    assert {"entry", "standing", "dataset"} <= tables
    whole = {plan for plan in plans if plan[1].startswith("SCAN")}
    assert {each for each in whole if "FROM place" not in each[0] and "changes()" not in each[0]} == set()
    sorted_ = {statement for statement, step in plans if "TEMP B-TREE" in step}
    assert all("request = ?" in statement for statement in sorted_)  # the few entries of one request


def steps_of(ledger, work):
    """Return how many steps SQLite's machine takes for some work, in tens."""
    count = [0]

    def tick():
        count[0] += 1

    ledger._storage._file.connection.set_progress_handler(tick, 10)
    work()
    ledger._storage._file.connection.set_progress_handler(None, 0)
    return count[0]


def test_a_release_takes_as_many_steps_after_four_hundred_as_after_ten(tmp_path):
    ledger, version = new_ledger(tmp_path / "people.ledger", cap=100)
    with ledger:
        ledger._storage._run("PRAGMA synchronous = OFF")
        taken = {}
        for number in range(401):
            if number in (10, 400):
                taken[number] = steps_of(ledger, lambda: release(ledger, version, f"measured {number}", "1/64"))  # noqa: B023
            release(ledger, version, number, "1/64")
            if number < 200:
                ledger.dataset_version(NAME, number.to_bytes(32, "big"))
    assert taken[10] > 10
    assert taken[400] <= 1.2 * taken[10] + 2


def test_a_request_that_was_given_up_many_times_takes_no_more_steps(tmp_path):
    ledger, version = new_ledger(tmp_path / "people.ledger", cap=100)
    with ledger:
        taken = {}
        for number in range(101):
            ask_again = lambda: ledger.abandon(ask(ledger, version, "the same", "1/64"))  # noqa: E731
            taken[number] = steps_of(ledger, ask_again)
        assert release(ledger, version, "the same", "1/64") == release(ledger, version, "the same", "1/64")
    assert taken[10] > 10
    assert taken[100] <= 1.2 * taken[10] + 2
