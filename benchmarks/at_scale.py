"""What exactness costs on Spark: CPU seconds in interleaved rounds. What persons cost is in persons.py.

    python benchmarks/at_scale.py [--rows 10000000] [--rounds 5]

Means, variances and covariances of three columns, with and without three histograms of 20 bins, in doubles as Spark
does them and in exact integers; on DuckDB in exact integers only. Local, one core.
Seconds are those of Spark's JVM (user and system), or of this process for DuckDB. The first round warms up and is left
out. One JSON line for each case, and one for each ratio to the doubles: medians, and the range over rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

from snapdp.studies.aggregates import Aggregate, Bins, Count, Products, Sum
from snapdp.studies.columns import number_column
from snapdp.tables.engines.opening import open_table

COLUMNS = [
    number_column("a", lower=0, upper=100, missing="middle"),
    number_column("b", lower=-500, upper=500, missing="middle"),
    number_column("c", lower=0, upper=8, missing="middle"),
]
PAIRS = [(i, j) for i in range(3) for j in range(i, 3)]
MOMENTS: list[Aggregate] = [
    Count(),
    *(Sum(column=column) for column in COLUMNS),
    *(Products(first=COLUMNS[i], second=COLUMNS[j]) for i, j in PAIRS),
]
BINS = 20
HISTOGRAMS: list[Aggregate] = [
    Bins(column=each, cuts=(*(each.levels * i // BINS for i in range(BINS)), each.levels + 1)) for each in COLUMNS
]
IN_DOUBLES = (
    "SELECT COUNT(*), avg(a), avg(b), avg(c), var_samp(a), var_samp(b), var_samp(c), "
    "covar_samp(a, b), covar_samp(a, c), covar_samp(b, c) FROM bench"
)


def write_table(path: Path, rows: int) -> None:
    cells = "random() * 100 AS a, random() * 1000 - 500 AS b, random() * 8 AS c"
    persons = f"CAST(floor(random() * {max(1, rows // 3)}) AS BIGINT) AS id"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {cells}, {persons} FROM range({rows})) TO '{path}' (FORMAT parquet)")


def session() -> Any:
    warnings.simplefilter("ignore")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[1]").appName("at scale").config("spark.driver.memory", "2g")
    for key in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(key, "false")
    found = builder.config("spark.sql.shuffle.partitions", "4").config("spark.log.level", "OFF").getOrCreate()
    found.sparkContext.setLogLevel("OFF")
    return found


def cases(spark: Any, path: Path) -> dict[str, tuple[str, Callable[[], object]]]:
    frame = spark.read.parquet(str(path))
    frame.createOrReplaceTempView("bench")
    on_spark, on_duckdb = open_table(frame), open_table(path, threads=1)

    def doubles() -> object:
        return spark.sql(IN_DOUBLES).collect()

    def doubles_and_histograms() -> object:
        doubles()
        for each in COLUMNS:
            width = float((each.upper - each.lower) / BINS)
            bin_ = f"CAST(floor(({each.name} - ({float(each.lower)})) / {width}) AS INT)"
            spark.sql(f"SELECT {bin_}, COUNT(*) FROM bench GROUP BY 1").collect()
        return None

    return {
        "spark, doubles": ("jvm", doubles),
        "spark, exact": ("jvm", lambda: on_spark.aggregates(MOMENTS)),
        "spark, doubles, histograms": ("jvm", doubles_and_histograms),
        "spark, exact, histograms": ("jvm", lambda: on_spark.aggregates([*MOMENTS, *HISTOGRAMS])),
        "duckdb, exact": ("self", lambda: on_duckdb.aggregates(MOMENTS)),
    }


def cpu_seconds(process: int) -> float:
    """Return the CPU seconds that a process has used, user and system."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.parquet"
        write_table(path, told.rows)
        spark = session()
        processes = {"jvm": spark._jvm.java.lang.ProcessHandle.current().pid(), "self": os.getpid()}
        todo = cases(spark, path)
        used: dict[str, list[float]] = {name: [] for name in todo}
        lasted: dict[str, list[float]] = {name: [] for name in todo}
        for number in range(told.rounds + 1):
            for name, (who, action) in todo.items():
                before, start = cpu_seconds(processes[who]), time.perf_counter()
                action()
                if number:
                    used[name].append(cpu_seconds(processes[who]) - before)
                    lasted[name].append(time.perf_counter() - start)
        spark.stop()
    for name in todo:
        seconds = {"cpu": round(statistics.median(used[name]), 2), "wall": round(statistics.median(lasted[name]), 2)}
        print(json.dumps({"name": name, "rows": told.rows, "rounds": told.rounds, **seconds}))
    for ours, theirs in (
        ("spark, exact", "spark, doubles"),
        ("spark, exact, histograms", "spark, doubles, histograms"),
    ):
        each = [mine / other for mine, other in zip(used[ours], used[theirs], strict=True)]
        found = statistics.median(used[ours]) / statistics.median(used[theirs])
        ends = [round(min(each), 2), round(max(each), 2)]
        print(json.dumps({"name": f"{ours} / {theirs}", "ratio": round(found, 2), "rounds": ends}))


if __name__ == "__main__":
    main()
