"""What persons cost: sums over at most so many rows of each against the same sums over all rows, in interleaved rounds.

    python benchmarks/persons.py [--rows 10000000] [--rounds 5] [--engines duckdb,spark] [--only moments] [--memory]

The moments of three columns (ten sums) and one sum alone, exact in both cases, over rows/3 persons: where nobody has
more rows than the bound, where a tenth of the rows is of persons with a hundred each, and where most persons have more
than the bound; the rows of each person counted and nothing else, against the moments of all rows; then people counted
in one of eight cells each against rows counted by cell. One core. Seconds are CPU seconds of this process for DuckDB
and of Spark's JVM. The first round warms up and is left out. One JSON line for each ratio: of the medians, and its
range over rounds. `--memory` has the peak of a fresh process for each case on DuckDB.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from at_scale import COLUMNS, MOMENTS, cpu_seconds, session
from snapdp.studies.aggregates import Aggregate, Count, People, Persons, Sum
from snapdp.studies.columns import category_column
from snapdp.tables.engines.opening import open_table
from snapdp.values import replaced

CELLS = category_column("cell", categories=[f"c{i}" for i in range(8)])
FREQUENT = 100  # rows of a person in the second table
TABLES = {"nobody beyond": (0.0, 50), "a tenth of the rows beyond": (0.1, 50), "most persons beyond": (0.0, 2)}
ALONE: list[Aggregate] = [Sum(column=COLUMNS[0])]
BY_CELL: list[Aggregate] = [Count(by=CELLS)]


def write_table(path: Path, rows: int, share: float) -> None:
    """Write three columns of doubles, a cell and a person; a share of the rows is of persons with many."""
    cells = (
        "random() * 100 AS a, random() * 1000 - 500 AS b, random() * 8 AS c, 'c' || CAST(random() * 7 AS INT) AS cell"
    )
    many, few = (f"CAST(floor(random() * {max(1, n)}) AS BIGINT)" for n in (rows * share // FREQUENT, rows // 3))
    persons = f"CASE WHEN random() < {share} THEN -1 - {many} ELSE {few} END AS id"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {cells}, {persons} FROM range({rows})) TO '{path}' (FORMAT parquet)")


def who_in(table: str) -> Persons:
    """Return the persons of a table, with the bound of its case."""
    _, most = TABLES[table]
    return Persons(columns=("id",), most=most)


def pairs() -> dict[str, tuple[str, Sequence[Aggregate], Sequence[Aggregate]]]:
    """Return for each case the table, what is asked of rows, and the same of persons."""
    found: dict[str, tuple[str, Sequence[Aggregate], Sequence[Aggregate]]] = {}
    for table in TABLES:
        who = who_in(table)
        for what, asked in (("moments", MOMENTS), ("one sum", ALONE)):
            found[f"{what}, {table}"] = table, asked, [replaced(each, persons=who) for each in asked]
    table = "nobody beyond"  # what telling persons apart costs by itself, before any row is chosen or summed
    found[f"moments against a count of each person's rows, {table}"] = table, MOMENTS, [Count(persons=who_in(table))]
    people = People(by=CELLS, persons=Persons(columns=("id",), most=1))
    return found | {"people in one of 8 cells": ("nobody beyond", BY_CELL, [people])}


def file_of(folder: Path, table: str) -> Path:
    return folder / f"{TABLES[table][0]}.parquet"


def engines(names: Sequence[str], folder: Path) -> dict[str, tuple[int, Any]]:
    """Return for each engine its process, and what opens a file on it."""
    found: dict[str, tuple[int, Any]] = {}
    if "duckdb" in names:
        found["duckdb"] = os.getpid(), lambda table: open_table(file_of(folder, table), threads=1)
    if "spark" in names:
        spark = session()
        process = spark._jvm.java.lang.ProcessHandle.current().pid()
        found["spark"] = process, lambda table: open_table(spark.read.parquet(str(file_of(folder, table))))
    return found


def ratios(engine: str, process: int, opened: Any, told: argparse.Namespace) -> None:
    todo = {name: case for name, case in pairs().items() if told.only in name}
    used: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in todo}
    for number in range(told.rounds + 1):
        for name, (table, *both) in todo.items():
            for asked, seconds in zip(both, used[name], strict=True):
                before = cpu_seconds(process)
                opened(table).aggregates(asked, salt="salt")
                if number:
                    seconds.append(cpu_seconds(process) - before)
    for name, (plain, mine) in used.items():
        each = [ours / theirs for ours, theirs in zip(mine, plain, strict=True)]
        middle = [statistics.median(seconds) for seconds in (plain, mine)]
        found = {"ratio": round(middle[1] / middle[0], 2), "rounds": [round(min(each), 2), round(max(each), 2)]}
        cpu = {"all rows": round(middle[0], 2), "persons": round(middle[1], 2)}
        print(json.dumps({"name": f"{engine}: {name}", "rows": told.rows, **found, "cpu": cpu}), flush=True)


def peak(name: str, folder: Path) -> None:
    """Print the peak memory of this process with and without persons, in megabytes."""
    table, *both = pairs()[name]
    told = []
    for asked in both:
        open_table(file_of(folder, table), threads=1).aggregates(asked, salt="salt")
        told.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
    print(json.dumps({"name": f"duckdb: {name}", "peak_mb": {"rows": told[0], "persons": told[1]}}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", default="duckdb,spark")
    parser.add_argument("--only", default="", help="cases with this in their names")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)  # in a process of its own
    told = parser.parse_args()
    if told.peak:
        peak(told.peak[0], Path(told.peak[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        for share in {share for share, _ in TABLES.values()}:
            write_table(Path(folder) / f"{share}.parquet", told.rows, share)
        for name in [name for name in pairs() if told.only in name] if told.memory else ():
            subprocess.run([sys.executable, __file__, "--peak", name, folder], check=True)
        for engine, (process, opened) in engines(told.engines.split(","), Path(folder)).items():
            ratios(engine, process, opened, told)


if __name__ == "__main__":
    main()
