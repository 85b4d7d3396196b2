"""Our releases, as a user calls them: one number, and statistics of a table, many times over.

Room: attacks. Everything goes through the public names of the package.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import snapdp

LARGEST = 1000  # end of the public range of a number
IN_ARRAY = 100
COPIES = 50  # columns of one table: each is a release of its own


def number(*, epsilon: Fraction, sensitivity: int = 1, grid: int | None = None) -> Callable[[float], float]:
    """Return the release of one number between 0 and 1,000."""
    return snapdp.Snapping(epsilon=epsilon, sensitivity=sensitivity, lower=0, upper=LARGEST, grid=grid).release


def number_in_arrays(*, epsilon: Fraction) -> Callable[[float], float]:
    """Return the same, taken from arrays of a hundred equal numbers: other code draws them."""
    release = snapdp.Snapping(epsilon=epsilon, sensitivity=1, lower=0, upper=LARGEST).release
    waiting: dict[str, list[float]] = {}

    def one(value: float) -> float:
        import numpy as np

        drawn = waiting.setdefault(repr(value), [])  # by its spelling: -0.0 is not 0.0
        if not drawn:
            drawn += release(np.full(IN_ARRAY, value)).tolist()
        return drawn.pop()

    return one


def statistics_of_rows(
    kind: str, rows: Sequence[float], *, bounds: tuple[int, int], epsilon: Fraction, times: int
) -> list[float]:
    """Return a statistic of one column so often, each with noise of its own: tables of equal columns are released.

    kind   "sum" or "mean"
    rows   the column; what is no number counts as the lower bound
    """
    found: list[float] = []
    while len(found) < times:
        found += _released(kind, rows, bounds, epsilon, min(COPIES, times - len(found)))
    return found


def _released(kind: str, rows: Sequence[float], bounds: tuple[int, int], epsilon: Fraction, copies: int) -> list[float]:
    names = [f"x{copy}" for copy in range(copies)]
    column = {"kind": "number", "lower": bounds[0], "upper": bounds[1], "step": "1/1024", "missing": bounds[0]}
    study = snapdp.study(
        dataset="rows",
        relation="change-one",
        n=len(rows),
        columns=dict.fromkeys(names, column),
        statistic=[{"kind": kind, "column": name, "epsilon": str(epsilon)} for name in names],
    )
    with tempfile.TemporaryDirectory() as directory:
        table, ledger = Path(directory) / "rows.csv", Path(directory) / "rows.ledger"
        lines = [",".join(names), *(",".join([str(row)] * copies) for row in rows)]
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        with snapdp.Ledger.create(ledger) as book:
            book.create_account("rows", cap=epsilon * copies, relation="change-one", rows=len(rows))
            release = study.release(table, ledger=book)
    return [float(value) for value in release.values.values()]
