"""What a release costs in a team ledger: as its history grows, and shared among writers.

    bin/services .venv/bin/python benchmarks/team.py [--history 10000] [--writers 8] [--seconds 4]

Two databases of one server take turns, one with an empty account and one with a long history: only the ratio of one run
means anything. Targets: 1.2 times the time of an empty ledger after 10,000 releases; no writer with less than a quarter
of the mean.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import statistics
import time
import uuid
from typing import Any

import psycopg

from snapdp import Ledger

TERMS = {"relation": "change-one", "rows": 5000}
BURST, ROUNDS = 25, 15


def new_address() -> str:
    """Return the address of a new database of the server that SNAPDP_POSTGRES names."""
    server, name = os.environ["SNAPDP_POSTGRES"], f"bench_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return server.replace("/postgres?", f"/{name}?")


def opened(address: str, *, create: bool) -> tuple[Ledger, str]:
    ledger = (Ledger.create if create else Ledger.open)(address)
    if create:
        ledger.create_account("people", cap=10**6, **TERMS)
    return ledger, ledger.dataset_version("people", hashlib.sha256(b"rows").digest())


def release(ledger: Ledger, version: str, number: Any) -> None:
    request = {"kind": "mean", "column": "age", "number": number}
    held: Any = ledger.reserve("people", epsilon="1/1000", request=request, version=version, **TERMS)
    ledger.commit(held, {**held.binding, "format": 1, "value": 0.5})


def burst(ledger: Ledger, version: str, first: int) -> float:
    start = time.perf_counter()
    for number in range(first, first + BURST):
        release(ledger, version, number)
    return (time.perf_counter() - start) / BURST


def growth(history: int) -> None:
    """Print the time of a release at an empty ledger and after a history, in turns."""
    empty, long = opened(new_address(), create=True), opened(new_address(), create=True)
    for number in range(history):
        release(*long, -number - 1)
    times = [(burst(*empty, i * BURST), burst(*long, i * BURST)) for i in range(ROUNDS)]
    ratios = [after / before for before, after in times]
    found = {"history": history, "ratio": statistics.median(ratios), "lowest": min(ratios), "highest": max(ratios)}
    print(json.dumps({**found, "empty_ms": 1000 * statistics.median(before for before, _ in times)}))


def write(address: str, seconds: float, who: int, out: Any) -> None:
    ledger, version = opened(address, create=False)
    count, worst, end = 0, 0.0, time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        release(ledger, version, f"{who}/{count}")
        count, worst = count + 1, max(worst, time.perf_counter() - start)
    out.put((count, worst))


def shares(writers: int, seconds: float) -> None:
    """Print how many releases each of several processes made, and the longest wait."""
    address = new_address()
    opened(address, create=True)[0].close()
    out: Any = multiprocessing.Queue()
    every = [multiprocessing.Process(target=write, args=(address, seconds, who, out)) for who in range(writers)]
    for each in every:
        each.start()
    found = [out.get() for _ in every]
    for each in every:
        each.join()
    counts = [count for count, _ in found]
    mean = statistics.mean(counts)
    said = {"writers": writers, "a_second": sum(counts) / seconds, "least_share": min(counts) / mean}
    print(json.dumps({**said, "worst_wait_ms": 1000 * max(worst for _, worst in found)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", type=int, default=10_000)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    shares(options.writers, options.seconds)
    growth(options.history)


if __name__ == "__main__":
    main()
