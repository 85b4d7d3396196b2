"""What changed since an earlier commit: the cases of `cases_changed.py` on both, interleaved, as ratios.

    python benchmarks/before.py REVISION [--rounds 9] [--only TEXT]

The earlier commit is checked out into a temporary directory; both run in this environment, one worker each, one case at
a time. A target holds a ratio inside one round; the median over the rounds is judged.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from peers import HERE
from rounds import MIN_CPU_SECONDS, Worker

REPOSITORY = HERE.parent
# (title, numerator, denominator, limit): a case is (side, name)
NOW, BEFORE = "now", "before"
TARGETS = (
    ("vector of 1,000: now over before", (NOW, "vector 1e3"), (BEFORE, "vector 1e3"), 0.7),
    ("list of 10^5 floats over the array", (NOW, "list of floats 1e5"), (NOW, "array 1e5"), 10),
    ("list of 10^5 ints over the array", (NOW, "list of ints 1e5"), (NOW, "array 1e5"), 10),
    ("derived means: now over before", (NOW, "derived means, one group"), (BEFORE, "derived means, one group"), 0.1),
    (
        "moments over 16,000 indices: now over before",
        (NOW, "moments over 16,000 indices"),
        (BEFORE, "moments over 16,000 indices"),
        0.2,
    ),
)
Key = tuple[str, str]


def check_out(revision: str, directory: Path, ending: ExitStack) -> Path:
    """Return a working tree of another commit, removed at the end."""
    tree = directory / "before"
    subprocess.run(["git", "-C", REPOSITORY, "worktree", "add", "--detach", tree, revision], check=True)
    ending.callback(subprocess.run, ["git", "-C", REPOSITORY, "worktree", "remove", "--force", tree], check=True)
    return tree


def worker(side: str, tree: Path, ending: ExitStack) -> Worker:
    settings = {**os.environ, "PYTHONPATH": str(tree / "src")}
    found = Worker(side, Path(sys.executable), ["cases_changed"], settings)
    ending.callback(found.close)
    if found.missing_modules:
        raise SystemExit(f"{side}: {found.missing_modules}")
    return found


def measure(workers: dict[str, Worker], names: list[str], rounds: int) -> dict[Key, list[float]]:
    """Return nanoseconds a value, one figure a round; the two sides take turns in being first."""
    times: dict[Key, list[float]] = {}
    for name in names:
        for side in workers:
            workers[side].run(name, 0.0)  # prepares
        for turn in range(rounds):
            for side in (NOW, BEFORE) if turn % 2 else (BEFORE, NOW):
                answer = workers[side].run(name, MIN_CPU_SECONDS)
                if "missing" in answer:
                    raise SystemExit(f"{side}, {name}: {answer['missing']}")
                times.setdefault((side, name), []).append(answer["cpu_seconds"] / answer["values"] * 1e9)
    return times


def ratio(times: dict[Key, list[float]], above: Key, below: Key) -> float | None:
    if above not in times or below not in times:
        return None
    return median(a / b for a, b in zip(times[above], times[below], strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the cost of changed work with an earlier commit.")
    parser.add_argument("revision")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    with ExitStack() as ending:
        directory = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        trees = {NOW: REPOSITORY, BEFORE: check_out(options.revision, directory, ending)}
        workers = {side: worker(side, tree, ending) for side, tree in trees.items()}
        names = [case["name"] for case in workers[NOW].cases if options.only in case["name"]]
        times = measure(workers, names, options.rounds)
    for name in names:
        now, before = (median(times[side, name]) for side in (NOW, BEFORE))
        share = ratio(times, (NOW, name), (BEFORE, name))
        print(f"{name:32} now {now:14,.1f} ns  before {before:14,.1f} ns  ratio {share:.3f}")
    for title, above, below, limit in TARGETS:
        found = ratio(times, above, below)
        if found is not None:
            print(f"{'ok     ' if found <= limit else 'NOT MET'} {title}: {found:.3f}, at most {limit}")


if __name__ == "__main__":
    main()
