"""Interleaved rounds over one worker process per environment.

On a shared machine absolute times drift, so every round runs every case once, one after the other and never two
workers at a time, starting at another case in each round. Ratios are formed inside a round; their median is quoted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from peers import HERE, PEERS, Missing, ensure, without_pythonpath

OWN_MODULES = ("cases_ours", "cases_baseline")
MIN_CPU_SECONDS = 0.05
QUICK_MIN_CPU_SECONDS = 0.01
# Idle threads of numpy's linear algebra spin for a while after the import: CPU time of the process, but not work.
SINGLE_THREADED = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass
class Result:
    """What is known about one case: nanoseconds per value, one entry a round, or the reason why there is none."""

    name: str
    kind: str
    environment: str
    ns_per_value: list[float] = field(default_factory=list)
    missing: str | None = None

    @property
    def measured(self) -> bool:
        """True when every round has a figure."""
        return self.missing is None and bool(self.ns_per_value)


Results = dict[str, Result]


class Worker:
    """A running worker process and the cases it offers."""

    def __init__(
        self, environment: str, interpreter: Path, modules: Sequence[str], variables: Mapping[str, str]
    ) -> None:
        self.environment = environment
        self._process = subprocess.Popen(
            [str(interpreter), str(HERE / "worker.py"), *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**variables, **SINGLE_THREADED},
        )
        hello = self._read()
        self.cases: list[dict[str, str]] = hello.get("cases", [])
        self.versions: dict[str, str] = hello.get("versions", {})
        lost = dict.fromkeys(modules, hello["missing"]) if "cases" not in hello else hello["missing"]
        self.missing_modules: dict[str, str] = lost

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return {"missing": f"the worker process ended with code {self._process.wait()}"}
        answer: dict[str, Any] = json.loads(line)
        return answer

    def run(self, case: str, min_cpu_seconds: float) -> dict[str, Any]:
        """Ask for one measurement and wait for it."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"case": case, "min_cpu_seconds": min_cpu_seconds}) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return {"missing": "the worker process ended"}
        return self._read()

    def close(self) -> None:
        """End the process by ending its input."""
        self._process.communicate()


def own_worker(modules: Sequence[str] = OWN_MODULES) -> Worker:
    """Start a worker in the environment that this program runs in."""
    return Worker("snapdp", Path(sys.executable), modules, os.environ)


def start_workers(*, with_peers: bool, say: Callable[[str], None]) -> tuple[list[Worker], Results]:
    """Start all workers; environments that cannot be built are returned as results without figures."""
    workers, absent = [own_worker()], {}
    for peer in PEERS if with_peers else ():
        say(f"environment of {peer.name} ...")
        interpreter = ensure(peer)
        if isinstance(interpreter, Missing):
            absent[peer.name] = Result(peer.name, "missing", peer.name, missing=interpreter.reason)
        else:
            workers.append(Worker(peer.name, interpreter, [peer.cases_module], without_pythonpath()))
    return workers, absent


def rotated(items: Sequence[Any], turn: int, turns: int) -> list[Any]:
    """Return the items in the same cyclic order, begun at another place in each turn."""
    start = turn * len(items) // max(turns, 1)
    return [*items[start:], *items[:start]]


def run_rounds(
    workers: Iterable[Worker],
    *,
    rounds: int,
    min_cpu_seconds: float,
    wanted: Callable[[str], bool],
    say: Callable[[str], None],
) -> Results:
    """Measure every wanted case once a round; a case that fails is dropped and keeps its reason."""
    results: Results = {}
    agenda: list[tuple[Worker, Result]] = []
    for worker in workers:
        for module, reason in worker.missing_modules.items():
            results[module] = Result(module, "missing", worker.environment, missing=reason)
        for case in worker.cases:
            if wanted(case["name"]):
                result = Result(case["name"], case["kind"], worker.environment)
                results[result.name] = result
                agenda.append((worker, result))
    say("preparing ...")
    for worker, result in agenda:
        result.missing = worker.run(result.name, 0.0).get("missing")
    for turn in range(rounds):
        say(f"round {turn + 1} of {rounds} ...")
        for worker, result in rotated(agenda, turn, rounds):
            if result.missing is None:
                _measure(worker, result, min_cpu_seconds)
    return results


def _measure(worker: Worker, result: Result, min_cpu_seconds: float) -> None:
    answer = worker.run(result.name, min_cpu_seconds)
    if "missing" in answer:
        result.missing = answer["missing"]
    else:
        result.ns_per_value.append(answer["cpu_seconds"] / answer["values"] * 1e9)


def median_ratio(results: Results, numerator: Sequence[str], denominator: Sequence[str]) -> float | None:
    """Return the median over the rounds of sum(numerator) / sum(denominator), or None if a case has no figures."""
    names = [*numerator, *denominator]
    if not all(name in results and results[name].measured for name in names):
        return None
    above = zip(*(results[name].ns_per_value for name in numerator), strict=True)
    below = zip(*(results[name].ns_per_value for name in denominator), strict=True)
    ratios: list[float] = [sum(a) / sum(b) for a, b in zip(above, below, strict=True)]
    return median(ratios)
