"""A command that starts with closed streams: the ledger's descriptors are never 0, 1 or 2, and whatever prints does no
harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from snapdp.ledger.ledger import Ledger
from tests.unit.release.support import F

CLOSED = [each for count in (1, 2, 3) for each in combinations((0, 1, 2), count)]
OPEN = ["people.ledger", "--dataset", "people", "--cap", "1", "--relation", "add-remove", "--n-max", "9"]
ASK = ["people.csv", "--count", "--n-max", "9", "--epsilon", "1/4", "--ledger", "people.ledger", "--dataset", "people"]
# Whatever prints, at the worst moment: the C library, Python's own descriptors, and a child process.
NOISE = """
import ctypes, os, subprocess
from contextlib import suppress

def print_everywhere():
    ctypes.CDLL(None).perror(b"x" * 500)
    for number in (0, 1, 2):
        with suppress(OSError):
            os.write(number, b"y" * 500)
    subprocess.run(["sh", "-c", "echo z; echo z >&2"], check=False)
    if any("people.ledger" in os.path.realpath(f"/proc/self/fd/{number}") for number in (0, 1, 2)):
        os._exit(99)
"""
COMMAND = f"""
import runpy, sys
{NOISE}
from snapdp.ledger import ledger
for name in ("reserve", "commit", "create_account"):
    def noisy(*given, plain=getattr(ledger.Ledger, name), **named):
        print_everywhere()
        done = plain(*given, **named)
        print_everywhere()
        return done
    setattr(ledger.Ledger, name, noisy)
sys.argv[0] = "snapdp"
runpy.run_module("snapdp", run_name="__main__")
"""
LIBRARY = f"""
{NOISE}
import snapdp
with snapdp.Ledger.create("people.ledger") as book:
    print_everywhere()
    book.create_account("people", cap=1, relation="add-remove", rows=9)
    print_everywhere()
    count = {{"kind": "count", "epsilon": "1/4"}}
    study = snapdp.study(dataset="people", relation="add-remove", n_max=9, statistic=[count])
    study.release("people.csv", ledger=book).save("record.json")
    print_everywhere()
"""


def run_without(closed: tuple[int, ...], folder: Path, program: str, *words: str) -> int:
    """Run a program of Python that starts with some streams closed; return its exit code."""
    ends = " ".join(f"{number}{'<' if number == 0 else '>'}&-" for number in closed)
    command = ["sh", "-c", f'exec "$@" {ends}', "sh", sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, env=os.environ).returncode


def check(folder: Path) -> None:
    """The ledger is sound, holds the record, and can be charged."""
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    with Ledger.open(folder / "people.ledger") as ledger:
        ledger.verify(against=record)
        assert ledger.account("people").spent == F(1, 4)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text("age\n31\n42\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("closed", CLOSED)
def test_whichever_streams_are_closed_a_ledger_is_created_and_charged_by_the_command(closed, folder):
    assert run_without(closed, folder, COMMAND, "ledger", "create", *OPEN) == 0
    assert run_without(closed, folder, COMMAND, "release", *ASK, "--yes", "--record", "record.json") == 0
    check(folder)


@pytest.mark.parametrize("closed", CLOSED)
def test_whichever_streams_are_closed_a_ledger_is_created_and_charged_by_the_library(closed, folder):
    assert run_without(closed, folder, LIBRARY) == 0
    check(folder)


def test_a_release_without_stderr_prints_its_record(folder):
    assert run_without((), folder, COMMAND, "ledger", "create", *OPEN) == 0
    words = [sys.executable, "-m", "snapdp", "release", *ASK, "--yes", "--json"]
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *words], cwd=folder, check=False, stdout=subprocess.PIPE)
    assert (done.returncode, json.loads(done.stdout)["charged"]) == (0, "1/4")
