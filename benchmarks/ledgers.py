"""What a charge costs in a ledger file: against bare SQLite commits, an earlier commit of this library, and a history.

    python benchmarks/ledgers.py                           bare WAL commits, an empty ledger, one with 10,000 releases
    python benchmarks/ledgers.py --before COMMIT           and the library of an earlier commit, from this repository
    python benchmarks/ledgers.py --writers 8 --seconds 4   the shares and the waits of eight writers

A release is two durable commits (reserve, commit), so disks decide: bursts of all contestants alternate, and only the
ratios of one run mean anything. Targets: a third of the bare commits a second; 60 % of the commit before; 1.2 times the
time of an empty ledger after 10,000 releases; no writer with less than a quarter of the mean.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
BURST, ROUNDS, HISTORY = 25, 15, 10_000

BARE = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for pragma in ("journal_mode = WAL", "synchronous = FULL"):
    database.execute("PRAGMA " + pragma)
database.execute("CREATE TABLE entry (body TEXT)")
def one(number):
    for _ in range(2):
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO entry VALUES (?)", ("x" * 500,))
        database.execute("COMMIT")
"""
LEDGER = """
import hashlib, os, sys, time
from snapdp import Ledger
terms = {"relation": "change-one", "rows": 5000}
new = not os.path.exists(sys.argv[1])
ledger = (Ledger.create if new else Ledger.open)(sys.argv[1])
if new:
    ledger.create_account("people", cap=10**6, **terms)
version = ledger.dataset_version("people", hashlib.sha256(b"rows").digest())
def one(number):
    request = {"kind": "mean", "column": "age", "number": number, "who": os.getpid()}
    held = ledger.reserve("people", epsilon="1/1000", request=request, version=version, **terms)
    ledger.commit(held, {**held.binding, "format": 1, "value": number})
ledger._storage._run("PRAGMA synchronous = OFF")
for earlier in range(int(sys.argv[2])):
    one(-earlier - 1)
ledger._storage._run("PRAGMA synchronous = FULL")
"""
BURSTS = """
number = 0
for line in sys.stdin:
    begun = time.perf_counter()
    for _ in range(int(line)):
        one(number := number + 1)
    print(time.perf_counter() - begun, flush=True)
"""
SHARE = """
sys.stdin.readline()
end, number, worst = time.monotonic() + float(sys.argv[3]), 0, 0.0
while (begun := time.monotonic()) < end:
    one(number := number + 1)
    worst = max(worst, time.monotonic() - begun)
print(number, worst, flush=True)
ledger.close()
"""


class Contestant:
    """A process that makes bursts of releases when told."""

    def __init__(self, name: str, code: str, *words: object, source: Path | None = None) -> None:
        self.name = name
        self.seconds: list[float] = []
        settings = os.environ | ({"PYTHONPATH": str(source)} if source else {})
        command = [sys.executable, "-c", code, *map(str, words)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=settings, **pipes)  # type: ignore[call-overload]

    def burst(self, size: int) -> None:
        print(size, file=self.process.stdin, flush=True)
        self.seconds.append(float(self.process.stdout.readline()) / size)

    def end(self) -> None:
        self.process.communicate()


def source_of(commit: str, directory: Path) -> Path:
    """Return the source of an earlier commit."""
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", directory], input=archive, check=True)
    return directory / "src"


def say(**figures: object) -> None:
    print(json.dumps(figures), flush=True)


def costs(directory: Path, options: argparse.Namespace) -> None:
    """Print one line for each contestant: milliseconds of a release, and the median ratio to the bare commits."""
    ledger = LEDGER + BURSTS
    crowd = [
        Contestant("bare WAL", BARE + BURSTS, directory / "bare"),
        Contestant("ledger, empty", ledger, directory / "empty.ledger", 0),
        Contestant(f"ledger, {options.history} releases", ledger, directory / "full.ledger", options.history),
    ]
    if options.before:
        source = source_of(options.before, directory)
        crowd.append(Contestant(f"ledger of {options.before}", ledger, directory / "old.ledger", 0, source=source))
    with contextlib.ExitStack() as ending:
        for each in crowd:
            ending.callback(each.end)
            each.burst(BURST)  # the first burst only warms up
            each.seconds.clear()
        for _ in range(options.rounds):
            for each in crowd:
                each.burst(BURST)
    for each in crowd:
        to = {
            f"times {other.name}": round(
                statistics.median(a / b for a, b in zip(each.seconds, other.seconds, strict=True)), 2
            )
            for other in crowd
            if other is not each
        }
        say(case=each.name, milliseconds=round(1000 * statistics.median(each.seconds), 3), **to)


def shares(directory: Path, options: argparse.Namespace) -> None:
    """Print how many releases each of several writers got, and how long the unluckiest waited."""
    path = directory / "shared.ledger"
    Contestant("first", LEDGER, path, 0).end()
    crowd = [Contestant("writer", LEDGER + SHARE, path, 0, options.seconds) for _ in range(options.writers)]
    time.sleep(1 + options.writers / 4)  # until all have imported and opened it
    for each in crowd:
        print("go", file=each.process.stdin, flush=True)
    results = [each.process.communicate()[0].split() for each in crowd]
    counts, waits = [int(count) for count, _ in results], [float(wait) for _, wait in results]
    say(
        case=f"{options.writers} writers",
        each=sorted(counts),
        a_second=round(sum(counts) / options.seconds),
        least_of_mean=round(min(counts) / statistics.mean(counts), 2),
        worst_wait_ms=round(1000 * max(waits)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what a charge costs in a ledger file.")
    parser.add_argument("--before", metavar="COMMIT", help="also measure the library of this commit")
    parser.add_argument("--history", type=int, default=HISTORY, help=f"earlier releases (default {HISTORY})")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--writers", type=int, default=0, help="measure the shares of so many writers instead")
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        (shares if options.writers else costs)(Path(name), options)


if __name__ == "__main__":
    main()
