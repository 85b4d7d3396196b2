"""Releases from tables against the same statistics in plain doubles: CPU time and memory, interleaved.

    python benchmarks/tables.py                  the first mean of a CSV, large CSV, 1e7 rows of Parquet, 1e6 keys
    python benchmarks/tables.py --rows 100000000 a larger table (writes some 2 GB to the temporary directory)

Every figure is a ratio of CPU times of fresh processes inside one run. The digest by which the ledger recognises a file
is left out (it is one reading of the file); `--digests` puts it back.
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
from pathlib import Path

ROUNDS = 5
COLUMNS = ("age", "pay", "hours")
UPPERS = {"age": 120, "pay": 8192, "hours": 80}
BINS = 20
KEYS, GROUPS = 1_000_000, 100_000
CSV_FILES = {"plain": "", "quoted": ", FORCE_QUOTE (region)"}  # how a large CSV file is written

PLAIN = """
import duckdb, numpy
connection = duckdb.connect()
connection.execute('SET enable_progress_bar = false')
print(len(connection.execute({query!r}).fetchall()))
"""
GROUPED = """
import duckdb, numpy, snapdp
connection = duckdb.connect()
connection.execute('SET enable_progress_bar = false')
query = "SELECT key, sum(pay), count(*) FROM read_parquet('groups.parquet') GROUP BY key"
print(len(connection.execute(query).fetchall()))
for sensitivity in (4096, 1):
    m = snapdp.Snapping(epsilon="1/2", sensitivity=sensitivity, lower=0, upper=10**10)
    m.release(numpy.zeros({groups}))
"""
FIRST = """
import duckdb, numpy
print(duckdb.connect().execute("SELECT avg(age) FROM read_csv('people.csv')").fetchall())
"""
RELEASE = """
import json, sys
import snapdp
from snapdp.tables.engines.engine import Engine
if not {digests}:
    Engine.fingerprint = lambda self: b"left out " + {ledger!r}.encode()
study = snapdp.study(json.load(open({study!r})))
with snapdp.Ledger.create({ledger!r}) as ledger:
    ledger.create_account("people", cap=100, relation=study.relation.kind, rows=study.relation.rows)
    result = study.release({data!r}, ledger=ledger)
print(len(result.record["statistics"]))
"""


def run(code: list[str], directory: Path) -> tuple[float, int]:
    """Return CPU seconds and peak memory (bytes) of a fresh process."""
    settings = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    settings |= {"OPENBLAS_NUM_THREADS": "1", "PYTHONPYCACHEPREFIX": str(directory / "bytecode")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    probe = [sys.executable, "-c", PROBE, *code]
    done = subprocess.run(probe, cwd=directory, env=settings, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = json.loads(done.stdout.splitlines()[-1])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - own["probe"], own["peak"]


PROBE = """
import json, resource, subprocess, sys
start = resource.getrusage(resource.RUSAGE_SELF)
subprocess.run([sys.executable, *sys.argv[1:]], check=True, stdout=subprocess.DEVNULL)
children = resource.getrusage(resource.RUSAGE_CHILDREN)
own = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"peak": children.ru_maxrss * 1024, "probe": own.ru_utime + own.ru_stime}))
"""


def moments_study(rows: int) -> dict[str, object]:
    """Return 3 means, 3 variances, 3 covariances and 3 histograms of 20 bins."""
    pairs = [(a, b) for i, a in enumerate(COLUMNS) for b in COLUMNS[i + 1 :]]
    statistics_ = [{"kind": kind, "column": name} for kind in ("mean", "variance") for name in COLUMNS]
    statistics_ += [{"kind": "covariance", "columns": list(pair)} for pair in pairs]
    for name in COLUMNS:
        edges = [f"{UPPERS[name] * i}/{BINS}" for i in range(BINS + 1)]
        statistics_.append({"kind": "histogram", "column": name, "edges": edges})
    return {
        "dataset": "people",
        "relation": "change-one",
        "n": rows,
        "columns": {
            name: {"kind": "number", "lower": 0, "upper": UPPERS[name], "missing": "middle"} for name in COLUMNS
        },
        "statistic": [{**each, "epsilon": "1/10"} for each in statistics_],
    }


def moments_query(file: str) -> str:
    parts = [f"avg({name}), var_samp({name})" for name in COLUMNS]
    parts += [f"covar_samp({a}, {b})" for i, a in enumerate(COLUMNS) for b in COLUMNS[i + 1 :]]
    for name in COLUMNS:
        parts += [f"count_if({name} < {(i + 1) * UPPERS[name] / BINS})" for i in range(BINS)]  # cumulative: the fastest
    return f"SELECT {', '.join(parts)} FROM read_parquet('{file}')"


def keys_study(rows: int) -> dict[str, object]:
    return {
        "dataset": "people",
        "relation": "add-remove",
        "n_max": rows,
        "columns": {"key": {"kind": "category", "categories": [f"k{i}" for i in range(KEYS)]}},
        "statistic": [{"kind": "histogram", "column": "key", "epsilon": "1"}],
    }


def groups_study(rows: int) -> dict[str, object]:
    keys = {"kind": "category", "categories": [f"k{i}" for i in range(GROUPS)]}
    return {
        "dataset": "people",
        "relation": "add-remove",
        "n_max": rows,
        "columns": {"key": keys, "pay": {"kind": "number", "lower": 0, "upper": UPPERS["pay"], "missing": "middle"}},
        "statistic": [{"kind": "mean", "column": "pay", "by": "key", "epsilon": "1"}],
    }


def csv_study(rows: int) -> dict[str, object]:
    """Return the means of two columns and the sizes of seven regions."""
    regions = [f"north of {i}" for i in range(7)]
    statistics_ = [{"kind": "mean", "column": "age"}, {"kind": "mean", "column": "pay"}]
    statistics_.append({"kind": "histogram", "column": "region"})
    return {
        "dataset": "people",
        "relation": "change-one",
        "n": rows,
        "columns": {
            **{
                name: {"kind": "number", "lower": 0, "upper": UPPERS[name], "missing": "middle"}
                for name in ("age", "pay")
            },
            "region": {"kind": "category", "categories": regions},
        },
        "statistic": [{**each, "epsilon": "1/10"} for each in statistics_],
    }


def csv_query(file: str) -> str:
    cells = ", ".join(f"count_if(region = 'north of {i}')" for i in range(7))
    return f"SELECT avg(age), avg(pay), {cells} FROM read_csv('{file}')"


def prepare(directory: Path, rows: int) -> None:
    """Write the tables and studies."""
    import duckdb

    connection = duckdb.connect()
    spread = "least(119.5, random() * 120) AS age, random() * 8000 AS pay, random() * 79 AS hours"
    connection.execute(f"COPY (SELECT {spread} FROM range({rows})) TO '{directory}/moments.parquet' (FORMAT PARQUET)")
    key = f"'k' || CAST(floor(random() * {KEYS}) AS BIGINT) AS key"
    connection.execute(f"COPY (SELECT {key} FROM range({rows})) TO '{directory}/keys.parquet' (FORMAT PARQUET)")
    group = f"'k' || CAST(floor(random() * {GROUPS}) AS BIGINT) AS key, random() * 8000 AS pay"
    connection.execute(f"COPY (SELECT {group} FROM range({rows})) TO '{directory}/groups.parquet' (FORMAT PARQUET)")
    people = "range AS id, CAST(floor(random() * 99) AS BIGINT) AS age, round(random() * 5000, 2) AS pay"
    connection.execute(f"COPY (SELECT {people} FROM range(100000)) TO '{directory}/people.csv' (HEADER)")
    people += ", 'north of ' || (range % 7) AS region"
    for name, quoting in CSV_FILES.items():
        file = f"{directory}/{name}.csv"
        connection.execute(f"COPY (SELECT {people} FROM range({rows // 2})) TO '{file}' (HEADER{quoting})")
        (directory / f"{name}.json").write_text(json.dumps(csv_study(rows // 2)))
    (directory / "moments.json").write_text(json.dumps(moments_study(rows)))
    (directory / "keys.json").write_text(json.dumps(keys_study(rows)))
    (directory / "groups.json").write_text(json.dumps(groups_study(rows)))


def command(directory: Path, name: str, round_: int) -> list[str]:
    """Return the command line of a first mean, with a fresh ledger."""
    ledger = f"{name}-{round_}.ledger"
    create = ["ledger", "create", "--dataset", "people", "--cap", "1", "--relation", "change-one", "--n", "100000"]
    run(["-m", "snapdp", *create, ledger], directory)
    flags = [
        "--mean",
        "age",
        "--bounds",
        "0,120",
        "--missing",
        "middle",
        "--n",
        "100000",
        "--epsilon",
        "0.5",
        "--yes",
        "--ledger",
    ]
    return ["-m", "snapdp", "release", "people.csv", *flags, ledger]


def measure(name: str, rows: int, plain: str, ours: object, directory: Path, rounds: int) -> None:
    ratios, peaks, seconds = [], [], []
    for round_ in range(rounds):
        base, _ = run(["-c", plain], directory)
        mine, peak = run(ours(round_), directory)  # type: ignore[operator]
        ratios.append(mine / base)
        peaks.append(peak)
        seconds.append(mine)
    found = {
        "name": name,
        "rows": rows,
        "ratio": round(statistics.median(ratios), 3),
        "lowest": round(min(ratios), 3),
        "highest": round(max(ratios), 3),
        "seconds": round(statistics.median(seconds), 3),
        "peak_mb": round(max(peaks) / 1e6),
    }
    print(json.dumps(found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--digests", action="store_true", help="include the digest of the file")
    parser.add_argument("--only", default="", help="first, csv, moments, keys or groups")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        prepare(directory, options.rows)

        def released(case: str, round_: int) -> list[str]:
            data = f"{case}.{'csv' if case in CSV_FILES else 'parquet'}"
            files = {"study": f"{case}.json", "data": data, "ledger": f"{case}-{round_}.ledger"}
            return ["-c", RELEASE.format(digests=options.digests, **files)]

        if options.only in ("", "first"):
            measure(
                "first mean of a CSV",
                100_000,
                FIRST,
                lambda i: command(directory, "first", i),
                directory,
                options.rounds,
            )
        for case in CSV_FILES if options.only in ("", "csv") else ():
            plain = PLAIN.format(query=csv_query(f"{case}.csv"))
            name = f"large CSV, {case}"
            measure(name, options.rows // 2, plain, lambda i, c=case: released(c, i), directory, options.rounds)
        if options.only in ("", "moments"):
            plain = PLAIN.format(query=moments_query("moments.parquet"))
            measure("3 columns", options.rows, plain, lambda i: released("moments", i), directory, options.rounds)
        if options.only in ("", "keys"):
            plain = PLAIN.format(query="SELECT key, count(*) FROM read_parquet('keys.parquet') GROUP BY key")
            measure("1e6 keys", options.rows, plain, lambda i: released("keys", i), directory, options.rounds)
        if options.only in ("", "groups"):  # against the GROUP BY and the draw
            plain = GROUPED.format(groups=GROUPS)
            measure(
                "mean by 1e5 groups", options.rows, plain, lambda i: released("groups", i), directory, options.rounds
            )


if __name__ == "__main__":
    main()
