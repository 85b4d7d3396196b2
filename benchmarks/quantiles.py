"""What quantiles are worth, and what they cost: rank errors of trees, and counts of levels against a bare GROUP BY.

    python benchmarks/quantiles.py ranks [--draws 200]        python benchmarks/quantiles.py counts [--rows 10000000]
    python benchmarks/quantiles.py plan

ranks   Two made-up tables: 5,000 ages (121 levels) and 10^5 incomes (131,072 levels); nine deciles at epsilon 0.5 under
        add-remove and 1 under change-one. The rank error is the distance of q n from (N(< j), N(<= j)], in rows, its
        mean over deciles and draws: for the tree that is chosen, and for every other depth with its narrowest branching
        (and some wider ones); how often intervals miss, and their mean length in rows. Noise is drawn in doubles: it is
        the estimate that is studied.
counts  131,072 levels over so many rows on DuckDB, exact, against the GROUP BY of the same column as SQL has it: CPU
        seconds in interleaved rounds, the first left out.
plan    A plan of nine deciles over 131,072 levels: the first one of a process, and the median of the next ten.
One JSON line for each figure.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from snapdp.accuracy.quantiles import LevelTree, best_tree, prefixes, ranked
from snapdp.studies.aggregates import LevelCounts
from snapdp.studies.columns import integer_column
from snapdp.studies.plans.lines import ask
from snapdp.studies.plans.plan import plan
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.tables.engines.opening import open_table

DECILES = tuple(Fraction(k, 10) for k in range(1, 10))
GRIDS = 1 << 12  # of a noise scale
LEVELS = 131_072
ALPHA = Fraction(1, 20)


def tables() -> dict[str, Any]:
    """Return the rows at each level of both tables."""
    dice = np.random.default_rng(2012)
    ages = np.clip(np.rint(dice.normal(41, 22, 5000)), 0, 120).astype(int)
    incomes = np.clip(dice.lognormal(10.2, 0.6, 100_000), 0, LEVELS - 1).astype(int)
    return {"ages": np.bincount(ages, minlength=121), "incomes": np.bincount(incomes, minlength=LEVELS)}


def rank_errors(counts: Any, tree: LevelTree, epsilon: float, draws: int, shares: Any = DECILES) -> dict[str, float]:
    """Return the mean rank error, the share of intervals that miss, and their mean length in rows."""
    dice = np.random.default_rng(17)
    scale = tree.depth * (2 if tree.known_total else 1) / epsilon
    up_to, n = np.cumsum(counts), int(counts.sum())
    depths = [counts]
    while len(depths) < tree.depth:
        depths.append(np.add.reduceat(depths[-1], np.arange(0, len(depths[-1]), tree.branching)))
    radii = [tree.radii(q, noise_scale=Fraction(GRIDS), grid=Fraction(1), level=ALPHA) for q in shares]
    errors, missed, lengths = [], [], []
    for _ in range(draws):
        noisy = [
            np.rint((each + dice.laplace(0, scale, len(each))) / scale * GRIDS).astype(int) for each in reversed(depths)
        ]
        total = Fraction(n * GRIDS) / Fraction(scale) if tree.known_total else None
        for q, row in zip(shares, ranked(prefixes(tree, noisy, total=total), shares, radii), strict=True):
            rank = float(q * n)
            below = up_to[row.cell - 1] if row.cell else 0
            errors.append(max(below - rank, rank - up_to[row.cell], 0.0))
            true = int(np.searchsorted(up_to, rank))
            missed.append(not row.low <= true <= row.high)
            lengths.append(up_to[row.high] - (up_to[row.low - 1] if row.low else 0))
    return {
        "rank_error": round(float(np.mean(errors)), 2),
        "missed": round(float(np.mean(missed)), 4),
        "interval_rows": round(float(np.mean(lengths)), 1),
    }


def ranks(draws: int) -> None:
    for name, counts in tables().items():
        for known, epsilon in ((False, 0.5), (True, 1.0)):
            chosen = best_tree(len(counts), DECILES, known_total=known)
            relation = "change-one" if known else "add-remove"
            about = {"table": name, "relation": relation, "epsilon": epsilon}
            found = {}
            for branching in sorted({chosen.branching, *others(len(counts))}):
                tree = LevelTree(cells=len(counts), branching=branching, known_total=known)
                found[branching] = rank_errors(counts, tree, epsilon, draws)
                told = {"branching": branching, "depth": tree.depth, "chosen": branching == chosen.branching}
                print(json.dumps({**about, **told, **found[branching]}), flush=True)
            best = min(each["rank_error"] for each in found.values())
            ratio = round(found[chosen.branching]["rank_error"] / best, 3)
            median = rank_errors(counts, chosen, epsilon, draws, (Fraction(1, 2),))
            print(json.dumps({**about, "chosen_against_best": ratio, "median": median}), flush=True)


def others(cells: int) -> set[int]:
    """Return the narrowest branching of every depth, and powers of two between."""
    narrow = {next(b for b in range(2, cells + 1) if b**depth >= cells) for depth in range(1, 18)}
    return narrow | {b for b in (8, 12, 16, 24, 32, 64) if b < cells}


def counts(rows: int, rounds: int) -> None:
    import duckdb

    column = integer_column("pay", lower=0, upper=LEVELS - 1, missing="dropped")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pay.parquet"
        with duckdb.connect() as connection:
            cells = f"SELECT CAST(least(exp(10.2 + 0.6 * sqrt(-2 * ln(random())) * cos(6.2832 * random())), {LEVELS}) "
            connection.execute(f"COPY ({cells} AS INT) AS pay FROM range({rows})) TO '{path}' (FORMAT parquet)")
        engine = open_table(path, threads=1)
        found: dict[str, list[float]] = {"group by": [], "levels": []}
        for _ in range(rounds + 1):
            with duckdb.connect(config={"threads": "1"}) as connection:
                begun = time.process_time()
                connection.execute(f"SELECT pay, COUNT(*) FROM '{path}' GROUP BY pay ORDER BY pay").fetchall()
                found["group by"].append(time.process_time() - begun)
            begun = time.process_time()
            answer = engine.aggregates([LevelCounts(column=column)])
            found["levels"].append(time.process_time() - begun)
            assert sum(answer[LevelCounts(column=column)]) == rows
    ratios = [ours / bare for ours, bare in zip(found["levels"][1:], found["group by"][1:], strict=True)]
    medians = {name: round(statistics.median(each[1:]), 3) for name, each in found.items()}
    span = [round(min(ratios), 2), round(max(ratios), 2)]
    ratio = round(statistics.median(found["levels"][1:]) / statistics.median(found["group by"][1:]), 2)
    print(json.dumps({"rows": rows, "levels": LEVELS, "cpu": medians, "ratio": ratio, "rounds": span}))


def planning() -> None:
    column = integer_column("pay", lower=0, upper=LEVELS - 1, missing="dropped")

    def once(epsilon: Fraction) -> float:
        begun = time.perf_counter()
        repr(plan([ask(quantiles_query(column, add_remove(n_max=200_000), at=DECILES), epsilon=epsilon)]))
        return 1000 * (time.perf_counter() - begun)

    first, *more = [once(Fraction(50 + number, 100)) for number in range(11)]  # nothing is remembered from before
    print(json.dumps({"plan_ms": {"first": round(first, 1), "warm": round(statistics.median(more), 1)}}))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["ranks", "counts", "plan"])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    if given.what == "ranks":
        ranks(given.draws)
    elif given.what == "counts":
        counts(given.rows, given.rounds)
    else:
        planning()


if __name__ == "__main__":
    main()
