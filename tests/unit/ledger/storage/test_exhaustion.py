"""When descriptors or memory run out within a write: what is spent is as before or as after, and the ledger goes on."""

from __future__ import annotations

import builtins
import errno
import io
import os
import sqlite3
import subprocess
import sys

import pytest

from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger
from snapdp.ledger.storage import sqlite_connection as sqlite_link
from tests import ROOT
from tests.unit.release.support import NAME, F, fingerprint, new_ledger, release

BEFORE, COST = F(1, 4), F(1, 8)


@pytest.fixture
def path(tmp_path):
    """A ledger that holds a charge, idle."""
    found = tmp_path / "people.ledger"
    ledger, version = new_ledger(found)
    with ledger:
        release(ledger, version, "before", BEFORE)
    return found


def charge(path):
    with Ledger.open(path, patience=0.2) as ledger:
        release(ledger, ledger.dataset_version(NAME, fingerprint("rows of " + NAME)), "after", COST)


def spent(path):
    with Ledger.open(path, patience=0.2) as ledger:
        ledger.verify()
        return ledger.account(NAME).spent


class Exhausted:
    """Lets the call of a given number fail, and with `from_then_on` all that follow; counts them."""

    def __init__(self, number, *, from_then_on):
        self.number, self.from_then_on = number, from_then_on
        self.calls = 0

    def wrapped(self, function, error):
        def called(*given, **named):
            self.calls += 1
            if self.calls == self.number or (self.from_then_on and self.calls > self.number):
                raise error()
            return function(*given, **named)

        return called


def no_descriptor():
    return OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def cannot_open():
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    return error


OPENS = [(os, "open"), (os, "scandir"), (os, "listdir"), (io, "open"), (builtins, "open")]
WAYS = {
    "descriptors": lambda failing: [
        (sqlite3, "connect", failing.wrapped(sqlite3.connect, cannot_open)),
        *((where, name, failing.wrapped(getattr(where, name), no_descriptor)) for where, name in OPENS),
    ],
    "memory": lambda failing: [(sqlite3, "connect", failing.wrapped(sqlite3.connect, MemoryError))],
    "statements": lambda failing: [
        (
            sqlite_link.SqliteLink,
            "_run_on",
            failing.wrapped(sqlite_link.SqliteLink._run_on, lambda: LedgerError("the ledger cannot be opened.")),
        )
    ],
    "memory of statements": lambda failing: [
        (sqlite_link.SqliteLink, "_run_on", failing.wrapped(sqlite_link.SqliteLink._run_on, MemoryError))
    ],
}


def fails_in_turn(path, monkeypatch, way, *, from_then_on):
    """Charge copies of a ledger, the first call failing, then the second, until none does; yield what became of each.

    A copy has another inode, so each is put into the file itself.
    """
    files = {each: each.read_bytes() for each in path.parent.iterdir()}
    number = 0
    while True:
        number += 1
        for each in path.parent.iterdir():
            each.unlink() if each not in files else each.write_bytes(files[each])
        failing, said = Exhausted(number, from_then_on=from_then_on), None
        with monkeypatch.context() as patched:
            for where, name, wrapped in WAYS[way](failing):
                patched.setattr(where, name, wrapped)
            try:
                charge(path)
            except (LedgerError, MemoryError) as error:
                said = error
        if failing.calls < number:
            assert said is None
            return
        yield number, said


@pytest.mark.parametrize("from_then_on", [False, True], ids=["once", "for good"])
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.long] if "statements" in way else []) for way in WAYS]
)
def test_whichever_call_of_a_write_fails_the_ledger_opens_and_has_lost_nothing(path, monkeypatch, way, from_then_on):
    failed = 0
    for number, said in fails_in_turn(path, monkeypatch, way, from_then_on=from_then_on):
        found = spent(path)
        assert found in (BEFORE, BEFORE + COST), number
        assert said is not None or found == BEFORE + COST, number
        if way == "descriptors" and said is not None and "Nothing was spent" in str(said):
            assert found == BEFORE, number
        failed += said is not None
        charge(path)  # the same request: an answer, or a charge
        assert spent(path) >= BEFORE + COST
    assert failed >= (3 if "statements" not in way else 20)


def test_a_reader_that_is_closed_before_the_writer_loses_the_log(path, monkeypatch):
    """The teeth of the test above: if the one that writes is the last to go the mark is odd, and its log is gone."""
    whole = sqlite_link.SqliteLink._run_on

    def run_on(link, connection, statement, fields=()):
        if connection is link._reader and statement == "BEGIN":
            raise LedgerError("no descriptor is left.")
        return whole(link, connection, statement, fields)

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_link.SqliteLink, "_run_on", run_on)
        with pytest.raises(LedgerError, match="no descriptor"):
            charge(path)
        assert spent(path) == BEFORE
        patched.setattr(sqlite_link.SqliteLink, "drop", lambda link: link._disconnect())
        with pytest.raises(LedgerError, match="no descriptor"):
            charge(path)
    with pytest.raises(LedgerError, match="needs its log"):
        spent(path)


LIMITED = """
import os, resource, sys
from fractions import Fraction
from snapdp.errors import LedgerError
from snapdp.ledger.ledger import Ledger
from tests.unit.release.support import NAME, fingerprint, release

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]

def limit(left):
    used = [int(each) for each in os.listdir("/proc/self/fd")]
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(used) + left, hard))

def free():
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 256), hard))

path, stage = sys.argv[1:]
print("begun")
told = Fraction(1, 4)
for left in range(10):
    if stage == "open":
        limit(left)
    said = "charged"
    try:
        with Ledger.open(path, patience=0.2) as ledger:
            if stage == "write":
                limit(left)
            version = ledger.dataset_version(NAME, fingerprint("rows of " + NAME))
            release(ledger, version, left, "1/100")
            if stage == "close":
                limit(left)
    except LedgerError as error:
        said = "refused"
    free()
    with Ledger.open(path, patience=0.2) as ledger:
        ledger.verify()
        spent = ledger.account(NAME).spent
    assert spent - told in ((Fraction(1, 100),) if said == "charged" else (0, Fraction(1, 100))), (left, said)
    told = spent
    print(said)
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not list descriptors")
@pytest.mark.parametrize("stage", ["open", "write", "close"])
def test_however_few_descriptors_are_left_the_ledger_is_never_without_its_log(path, stage):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path), stage], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout.split()
    assert len(said) == 11
    assert said[-1] == "charged"
    assert "refused" in said or stage == "close"
    assert spent(path) >= BEFORE + F(said.count("charged"), 100)
