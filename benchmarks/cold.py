"""What a fresh process costs: first commands of snapdp, beside an earlier commit and a plain query of DuckDB.

    python benchmarks/cold.py [REVISION] [--rounds 15]

Processor time of whole processes, interleaved; bytecode is compiled on both sides first. Ratios are medians over
rounds.
"""

from __future__ import annotations

import argparse
import compileall
import os
import random
import resource
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

REPOSITORY = Path(__file__).resolve().parent.parent
RELEASE = (
    "release people.csv --dataset people --mean age --bounds age=0,120 --missing dropped --n-max 10000 --epsilon 1"
)
OPEN = "ledger create {ledger} --dataset people --cap 1000 --relation add-remove --n-max 10000"
COMMANDS = {
    "help": "--help",
    "plan": "plan --mean age --bounds age=0,120 --missing dropped --n-max 10000 --epsilon 1",
    "ledger create": OPEN,
    "release": f"{RELEASE} --ledger {{ledger}} --yes",
}
DUCKDB = "import duckdb; duckdb.sql(\"select avg(age) from read_csv('people.csv')\").fetchall()"


def processor_seconds(arguments: list[str], settings: dict[str, str], where: Path) -> float:
    """Return the processor time of a process and of those it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, env=settings, cwd=where, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with ExitStack() as ending:
        where = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        ages = random.Random(1)
        (where / "people.csv").write_text("age\n" + "".join(f"{ages.randrange(90)}\n" for _ in range(5000)))
        trees = {"now": REPOSITORY}
        if options.revision:
            tree = trees["before"] = where / "tree"
            subprocess.run(
                ["git", "-C", REPOSITORY, "worktree", "add", "-q", "--detach", tree, options.revision], check=True
            )
            ending.callback(
                subprocess.run, ["git", "-C", REPOSITORY, "worktree", "remove", "--force", tree], check=True
            )
        base = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        settings = {side: {**base, "PYTHONPATH": str(tree / "src")} for side, tree in trees.items()}
        for tree in trees.values():
            compileall.compile_dir(tree / "src", quiet=2)
        seconds: dict[tuple[str, str], list[float]] = {}
        for number in range(options.rounds + 1):
            seconds.setdefault(("duckdb", ""), []).append(
                processor_seconds([sys.executable, "-c", DUCKDB], base, where)
            )
            for side in trees:
                for name, command in COMMANDS.items():
                    ledger = f"{side}{number}.ledger"
                    line = command.format(ledger=ledger).split()
                    started = processor_seconds([sys.executable, "-m", "snapdp", *line], settings[side], where)
                    seconds.setdefault((side, name), []).append(started)
        for (side, name), all_rounds in seconds.items():
            print(f"{side:8} {name:14} {1000 * median(all_rounds[1:]):6.0f} ms")
        plain = seconds["duckdb", ""][1:]
        for side in trees:
            print(
                f"{side}: release over plain DuckDB",
                round(median(a / b for a, b in zip(seconds[side, "release"][1:], plain, strict=True)), 2),
            )
        for name in COMMANDS if options.revision else ():
            pairs = zip(seconds["now", name][1:], seconds["before", name][1:], strict=True)
            print(f"{name}: now over before", round(median(a / b for a, b in pairs), 2))


if __name__ == "__main__":
    main()
