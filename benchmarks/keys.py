"""What declared keys cost: counts by the keys of a file, released, against the bare GROUP BY of the same rows.

    python benchmarks/keys.py [--keys 25000000] [--rows 10000000] [--rounds 3] [--threads 2]

Keys are texts of one column in a Parquet file, in an order of their own; a row has one of them at random, one in eleven
a text that is no key. Interleaved in every round: the bare GROUP BY, written to Parquet; the same with every key, by a
left join in the order of the file, written to Parquet; the release as people make it (keys read and checked, the table
counted, the ledger charged, noise drawn, the side file written, the record stored). Each has a process of its own, so
that seconds, CPU seconds of all threads and the peak of memory are its own. One JSON line for each round, and one for
the medians of each and their ratios.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

import snapdp

CASES = ("group by", "group by with every key", "release")


def write_files(folder: Path, keys: int, rows: int) -> None:
    """Write the keys in a scattered order, and rows with keys at random."""
    with duckdb.connect() as connection:
        scattered = f"SELECT 'page/' || (i * 7919 % {keys}) AS page FROM range({keys}) AS t(i)"
        connection.execute(f"COPY ({scattered}) TO '{folder}/keys.parquet' (FORMAT PARQUET)")
        chosen = f"SELECT 'page/' || (hash(i) % {keys * 11 // 10}) AS page FROM range({rows}) AS t(i)"
        connection.execute(f"COPY ({chosen}) TO '{folder}/rows.parquet' (FORMAT PARQUET)")


def bare(folder: Path, threads: int, *, every: bool) -> None:
    found = f"SELECT page, COUNT(*) AS n FROM '{folder}/rows.parquet' GROUP BY page"
    if every:
        listed = (
            f"SELECT page, file_row_number AS code FROM read_parquet('{folder}/keys.parquet', file_row_number=true)"
        )
        found = (
            f"SELECT keys.page, coalesce(n, 0) AS n FROM ({listed}) AS keys LEFT JOIN ({found}) AS found "
            "USING (page) ORDER BY code"
        )
    with duckdb.connect(config={"threads": str(threads)}) as connection:
        connection.execute(f"COPY ({found}) TO '{folder}/out.parquet' (FORMAT PARQUET)")


def release(folder: Path, threads: int, rows: int) -> None:
    study = snapdp.study(
        dataset="pages",
        relation="add-remove",
        n_max=2 * rows,
        statistic=[{"kind": "count", "by": "page", "keys": f"{folder}/keys.parquet", "epsilon": 1}],
    )
    table = snapdp.open_table(folder / "rows.parquet", threads=threads)
    with tempfile.TemporaryDirectory(dir=folder) as own, snapdp.Ledger.create(Path(own) / "ledger") as ledger:
        ledger.create_account("pages", cap=1, relation="add-remove", rows=2 * rows)
        study.release(table, ledger=ledger, directory=own)


def measure(case: str, folder: Path, told: argparse.Namespace) -> None:
    """Run one case and print its seconds and the peak of this process."""
    start, before = time.perf_counter(), time.process_time()
    if case == "release":
        release(folder, told.threads, told.rows)
    else:
        bare(folder, told.threads, every=case != "group by")
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = round(time.process_time() - before, 1)
    print(json.dumps({"seconds": round(seconds, 1), "cpu": cpu, "peak_mb": used.ru_maxrss // 1000}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keys", type=int, default=25_000_000)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--case", nargs=2, help=argparse.SUPPRESS)  # in a process of its own
    told = parser.parse_args()
    if told.case:
        measure(told.case[0], Path(told.case[1]), told)
        return
    size = {"keys": told.keys, "rows": told.rows, "threads": told.threads}
    used: dict[str, list[dict[str, float]]] = {case: [] for case in CASES}
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder), told.keys, told.rows)
        for number in range(told.rounds):
            for case in CASES:
                flags = [f"--{key}={value}" for key, value in size.items()]
                command = [sys.executable, __file__, "--case", case, folder, *flags]
                found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                used[case].append(found)
                print(json.dumps({"name": case, **size, "round": number, **found}), flush=True)
    peak = {case: max(each["peak_mb"] for each in rounds) for case, rounds in used.items()}
    for what in ("seconds", "cpu"):
        middle = {case: statistics.median(each[what] for each in rounds) for case, rounds in used.items()}
        ratios = {case: round(middle["release"] / middle[case], 2) for case in CASES[:2]}
        print(json.dumps({"name": f"release, {what}", **size, what: middle, "ratio": ratios, "peak_mb": peak}))


if __name__ == "__main__":
    main()
