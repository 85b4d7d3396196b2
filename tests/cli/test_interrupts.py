"""Ctrl-C, wherever it comes: one line, the exit code of an interrupt, no defect, and a cost that the ledger holds."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from random import Random

import pytest

from snapdp.ledger.ledger import Ledger
from tests.tiers import first_of
from tests.unit.release.support import F

ASK = ["release", "people.csv", "--count", "--n-max", "9", "--epsilon", "1/4", "--ledger", "people.ledger", "--yes"]
COMMAND = """
import os, runpy, signal, sys

def stop():
    os.kill(os.getpid(), signal.SIGINT)

def stop_around(holder, name, when):
    plain = getattr(holder, name)
    def stopped(*given, **named):
        if when == "before":
            stop()
        done = plain(*given, **named)
        if when == "after":
            stop()
        return done
    setattr(holder, name, stopped)

sys.argv[0] = "snapdp"
"""
RUN = "\nrunpy.run_module('snapdp', run_name='__main__')\n"
AROUND = """
from snapdp.ledger.ledger import Ledger
from snapdp.release import release
from snapdp.tables.engines.engine import Engine
holder = {"Ledger": Ledger, "release": release, "Engine": Engine}[HOLDER]
stop_around(holder, NAME, WHEN)
"""
SCAN = """
import threading
from snapdp.tables.engines.duckdb import DuckdbEngine

def slow(self, connection, statement, plain=DuckdbEngine._rows):
    threading.Timer(0.3, stop).start()
    return plain(self, connection, "SELECT sum(sin(range)) FROM range(100000000000)")

DuckdbEngine._rows = slow
"""
IMPORT = """
class Counting:
    calls = 0
    def find_spec(self, name, path=None, target=None):
        Counting.calls += "snapdp.cli.process" in sys.modules
        if Counting.calls == NUMBER:
            stop()
        return None

sys.meta_path.insert(0, Counting())
"""
PLACES = [
    (holder, name, when)
    for holder, names in {
        "Ledger": ("account", "answered", "dataset_version", "reserve", "commit", "close"),
        "release": ("exact_values", "draw", "record_values"),
        "Engine": ("fingerprint", "aggregates"),
    }.items()
    for name in names
    for when in ("before", "after")
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("age\n31\n42\n", encoding="utf-8")
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=1, relation="add-remove", rows=9)
    return tmp_path


def run(folder, program, *words):
    command = [sys.executable, "-c", COMMAND + program + RUN, *words]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def spent(folder):
    with Ledger.open(folder / "people.ledger", patience=1) as ledger:
        ledger.verify()
        return ledger.account("people").spent


def is_quiet(done):
    told = done.stdout + done.stderr
    return not any(word in told for word in ("Traceback", "defect", "KeyboardInterrupt", "Aborted"))


def said_of(done):
    """Return what an interrupted command says that it has cost: it says it once, as JSON."""
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert is_quiet(done), (done.stdout, done.stderr)
    (line,) = done.stdout.splitlines()
    said = json.loads(line)
    assert (said["ok"], said["error"]) == (False, "Stopped.")
    return said["spent"]


@pytest.mark.parametrize(("holder", "name", "when"), [
    pytest.param(*place, marks=[] if place[1] in ("reserve", "commit", "aggregates") else pytest.mark.long)
    for place in PLACES
])  # fmt: skip
def test_an_interrupt_around_any_step_of_a_release_costs_what_it_says(folder, holder, name, when):
    program = AROUND.replace("HOLDER", repr(holder)).replace("NAME", repr(name)).replace("WHEN", repr(when))
    done = run(folder, program, *ASK, "--json")
    truth = spent(folder)
    if done.returncode == 0:  # it came when the record had been printed
        assert (json.loads(done.stdout)["charged"], truth) == ("1/4", F(1, 4))
        return
    said = said_of(done)
    assert said == "unknown" or F(said) == truth
    if name in ("account", "answered", "dataset_version", "exact_values", "fingerprint", "aggregates"):
        assert (said, truth) in (("0", 0), ("1/4", F(1, 4)))  # an account is looked at before and after


def test_an_interrupt_while_duckdb_reads_is_no_defect_and_costs_nothing(folder):
    done = run(folder, SCAN, *ASK)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == "Stopped. Nothing was charged."
    assert done.stderr.count("Stopped") == 1
    assert is_quiet(done)
    assert said_of(run(folder, SCAN, *ASK, "--json")) == "0"
    assert spent(folder) == 0


@pytest.mark.parametrize("number", first_of([5, 60, 250, 450, 700, *Random(7).sample(range(5, 900), 60)], 5))
def test_an_interrupt_while_anything_is_imported_is_one_line(folder, number):
    done = run(folder, IMPORT.replace("NUMBER", str(number)), *ASK)
    if done.returncode == 0:  # fewer modules are imported
        assert spent(folder) == F(1, 4)
        return
    assert done.returncode == 1, done.stderr
    assert is_quiet(done), done.stderr
    assert done.stderr.splitlines()[-1].startswith("Stopped.")
    if "Nothing was charged" in done.stderr:
        assert spent(folder) == 0


@pytest.mark.long
@pytest.mark.parametrize("number", range(40))
def test_an_interrupt_at_any_moment_is_one_line(folder, number):
    command = [sys.executable, "-m", "snapdp", *ASK]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.3 + Random(number).random())  # Python itself has started by then
    process.send_signal(signal.SIGINT)
    output, told = process.communicate(timeout=60)
    assert process.returncode in (0, 1), told
    assert not any(word in told for word in ("Traceback", "defect", "KeyboardInterrupt"))
    if process.returncode == 1:
        assert told.splitlines()[-1].startswith("Stopped.")
    truth = spent(folder)
    assert truth == F(1, 4) or output == ""
    if "Nothing was charged" in told:
        assert truth == 0


def test_an_interrupt_of_any_other_command_is_one_line(folder):
    program = AROUND.replace("HOLDER", repr("Ledger")).replace("NAME", repr("accounts")).replace("WHEN", repr("before"))
    done = run(folder, program, "ledger", "show", "people.ledger")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Stopped.\n")


def test_where_the_signal_is_ignored_it_stays_ignored(folder):
    program = "signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + AROUND.replace("HOLDER", repr("Ledger"))
    program = program.replace("NAME", repr("reserve")).replace("WHEN", repr("before"))
    assert run(folder, program, *ASK).returncode == 0
    assert spent(folder) == F(1, 4)


def test_where_duckdb_itself_hears_of_the_interrupt_it_is_one_too():
    from snapdp.tables.engines.opening import open_table

    engine = open_table({"x": [1]})
    with pytest.raises(KeyboardInterrupt), engine._connected():
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="anything else"), engine._connected():
        raise RuntimeError("anything else")


UNSURE = """
from snapdp.ledger.storage.sqlite import SqliteStorage
from snapdp.ledger.ledger import Ledger

def lost(self, plain=SqliteStorage.commit):
    plain(self)
    if Ledger.reserves:
        raise self._file.refused("cannot be read or written: the disk reports an error, or no room.", "Check the disk.")

def reserve(*given, plain=Ledger.reserve, **named):
    Ledger.reserves = True
    return plain(*given, **named)

Ledger.reserves, Ledger.reserve, SqliteStorage.commit = False, reserve, lost
"""
AFTER = """
from snapdp.ledger.ledger import Ledger

def account(self, name, plain=Ledger.account):
    if self._session is not None:  # it has charged
        raise self._storage._file.refused("is locked: another process has been writing for too long.", "Wait for it.")
    return plain(self, name)

Ledger.account = account
"""


def test_a_charge_that_nobody_knows_of_is_not_said_to_have_cost_nothing(folder):
    done = run(folder, UNSURE, *ASK, "--json")
    said = json.loads(done.stdout)
    assert (done.returncode, said["ok"], said["spent"]) == (1, False, "unknown")
    assert said["try"] == "snapdp ledger history people.ledger"
    assert "not known whether the epsilon of 1/4 was charged" in said["advice"]
    assert spent(folder) == F(1, 4)


def test_what_fails_after_a_release_says_that_it_was_made(folder):
    said = json.loads(run(folder, AFTER, *ASK, "--json").stdout)
    assert (said["ok"], said["spent"]) == (False, "1/4")
    assert said["advice"] == "Epsilon 0.25 was charged: the same request again is free."
    assert json.loads(run(folder, "", *ASK, "--json").stdout)["charged"] == "1/4"
    assert spent(folder) == F(1, 4)
