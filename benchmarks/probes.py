"""Measurements that need processes of their own: growth with the size, memory, and cold start."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable

from peers import HERE, last_line
from rounds import SINGLE_THREADED, Results, own_worker, rotated, run_rounds

MEMORY_SIZES = (10**6, 10**7)
_MECHANISM = "import snapdp; m = snapdp.Snapping(epsilon='0.5', sensitivity=1, lower=0, upper=1000); "
COLD_PROGRAMS = {
    "bare python": "pass",
    "import numpy": "import numpy",
    "import gmpy2": "import gmpy2",
    "import snapdp": "import snapdp",
    "import snapdp + scalar release": _MECHANISM + "m.release(412)",
    "import snapdp + vector release": _MECHANISM + "import numpy; m.release(numpy.full(1000, 412.0))",
    "import duckdb": "import duckdb",
}


def growth(*, rounds: int, wanted: Callable[[str], bool], say: Callable[[str], None]) -> Results:
    """Return the cost per value for growing vectors, in a worker that is ended afterwards (it holds 1.8 GB)."""
    worker = own_worker(["cases_growth"])
    try:
        return run_rounds([worker], rounds=rounds, min_cpu_seconds=0.05, wanted=wanted, say=say)
    finally:
        worker.close()


def memory() -> list[dict[str, object]]:
    """Return what a release into `out` needs on top, one entry a size; a failure is an entry with its reason."""
    rows: list[dict[str, object]] = []
    for size in MEMORY_SIZES:
        command = [sys.executable, str(HERE / "probe_memory.py"), str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        rows.append(json.loads(done.stdout) if done.returncode == 0 else {"missing": last_line(done.stderr)})
    return rows


def _children_cpu_ms() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (usage.ru_utime + usage.ru_stime) * 1e3


def _runs(program: str) -> bool:
    # With bytecode, as an installed package has it: the first run of each program writes what is missing.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command, variables = [sys.executable, "-c", program], {**inherited, **SINGLE_THREADED}
    return subprocess.run(command, env=variables, capture_output=True, check=False).returncode == 0


def cold(rounds: int) -> dict[str, list[float]]:
    """Return CPU milliseconds of fresh interpreters, one entry a round; programs that fail here are left out."""
    usable = [name for name, program in COLD_PROGRAMS.items() if _runs(program)]
    times: dict[str, list[float]] = {name: [] for name in usable}
    for turn in range(rounds):
        for name in rotated(usable, turn, rounds):
            before = _children_cpu_ms()
            _runs(COLD_PROGRAMS[name])
            times[name].append(_children_cpu_ms() - before)
    return times
