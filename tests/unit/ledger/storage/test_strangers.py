"""Forked children, programs that are not this library, names that others keep open: the file is whole."""

from __future__ import annotations

import contextlib
import os
import sqlite3

import pytest

from tests.unit.ledger.colleague import Colleague
from tests.unit.ledger.storage.test_names import log_of, spent
from tests.unit.release.support import F, new_ledger

FORKED = "was open when this process was forked"
OTHER_PROGRAM = "is open in another program"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "people.ledger"
    new_ledger(path)[0].close()
    return path


def reading(path):
    """Return a connection of somebody who looked at the file with SQLite itself, and keeps it open."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("SELECT count(*) FROM entry").fetchall()
    return contextlib.closing(database)


def releases(colleague, name, count):
    return [colleague("release", f"{name} {turn}", "1/128") for turn in range(count)]


# Forks


def test_a_child_of_a_process_that_read_a_ledger_sees_what_others_charge(path):
    with Colleague(forked=(path, "read")) as child, Colleague() as third:
        assert child("open", path) is None
        assert child("release", "a", "3/10") == 0.5
        third("open", path)
        assert third("release", "b", "6/10") == 0.5
        assert child("spent") == "9/10"
        assert "has 1/10 left" in child("release", "c", "3/10")
        assert third("release", "d", "1/10") == 0.5
        assert child("spent") == "1"
    assert spent(path) == 1


def test_a_child_of_a_process_that_was_writing_is_told_so_and_others_go_on(path):
    with Colleague(forked=(path, "release")) as child, Colleague() as third:
        assert FORKED in child("open", path)
        third("open", path)
        assert third("release", "b", "6/10") == 0.5
        assert FORKED in child("open", path)
    assert spent(path) == F(7, 10)


def test_a_child_that_ends_takes_no_log_away(path):
    with Colleague(forked=(path, "release")) as child, Colleague() as killed:
        assert FORKED in child("open", path)  # the parent has closed it
        killed("open", path)
        assert killed("release", "b", "1/2") == 0.5
        killed.kill()
        assert child.end() == 0
        assert log_of(path).stat().st_size > 0
    assert spent(path) == F(6, 10)


# Programs that are not this library


def test_a_reader_of_another_program_is_waited_for_and_never_robbed_of_its_log(path):
    with reading(path) as database, Colleague() as one, Colleague() as two:
        two("open", path, 0.1)
        assert two("spent") == "0"
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM entry").fetchall()
        one("open", path, 0.1)
        assert "is locked" in one("release", "a", "1/4")
        assert one("close") is None
        database.execute("COMMIT")
        log = log_of(path).stat().st_ino
        assert OTHER_PROGRAM in two("release", "b", "1/4")
        assert OTHER_PROGRAM in two("verify")
        assert "sound" not in two("verify")
        assert log_of(path).stat().st_ino == log
        database.close()
        assert releases(two, "c", 60) == [0.5] * 60
        assert two("close") is None
    assert spent(path) == F(60, 128)


def test_a_program_that_looks_and_stays_keeps_nobody_from_charging(path):
    with reading(path) as database:
        for turn in range(2):
            with Colleague() as colleague:
                colleague("open", path, 0.1)
                assert releases(colleague, turn, 5) == [0.5] * 5
                assert colleague("close") is None
        assert database.execute("SELECT spent FROM standing").fetchall() == [("5/64",)]
    assert not log_of(path).exists()
    assert spent(path) == F(10, 128)


# A name that somebody keeps open while the file grows through another


def test_a_ledger_that_somebody_looked_at_works_through_all_its_names(path):
    other = path.with_name("other.ledger")
    os.link(path, other)
    with Colleague() as idle:
        idle("open", path)
        assert idle("spent") == "0"
        for turn, name in enumerate((path, other, path, other)):
            with Colleague() as colleague:
                colleague("open", name)
                assert releases(colleague, turn, 30) == [0.5] * 30
                assert colleague("close") is None
        assert idle("spent") == "15/16"
    assert spent(path) == F(120, 128)


def test_a_name_that_another_program_keeps_open_while_the_file_grows_is_never_called_damaged(path):
    other = path.with_name("other.ledger")
    os.link(path, other)
    with reading(path) as database, Colleague() as here, Colleague() as there:
        there("open", other, 0.1)
        assert releases(there, "there", 60) == [0.5] * 60
        assert "in use through another name" in here("open", path, 0.1)
        assert there("close") is None
        assert "in use through another name" in here("open", path, 0.1)
        database.close()
        there("open", other, 0.1)
        assert there("close") is None
        assert here("open", path, 0.1) is None
        assert here("spent") == "15/32"
    assert spent(path) == F(60, 128)
