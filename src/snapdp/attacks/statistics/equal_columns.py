"""A statistic of one column, released as often as an attack asks for it, through a study of equal columns.

Room: attacks. What a user calls: a study, a ledger, a release. Every column of the table is a copy of the one that is
attacked and pays an epsilon of its own, so one release has as many independent numbers of it as there are columns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import snapdp

COLUMNS = 100  # of one table
TABLE_TRIALS = 1_000  # outputs of a column where others give thousands: each takes 2 ms

Cells = Sequence[float]


def numbers_between(bounds: tuple[int, int]) -> dict[str, Any]:
    """Return what is declared of a column of numbers: steps of 1/1024; what is no number counts as the lower bound."""
    lower, upper = bounds
    return {"kind": "number", "lower": lower, "upper": upper, "step": "1/1024", "missing": lower}


def released(kind: str, column: Mapping[str, Any], *, epsilon: Fraction) -> Callable[[Cells, int], list[Any]]:
    """Return releases of a statistic of a column: one of its rows may change, and their number is public.

    kind    "sum" or "mean"
    column  what is declared of it, with the keys of a study
    """

    def releases(cells: Cells, times: int) -> list[Any]:
        found: list[Any] = []
        while len(found) < times:
            found += _released(kind, column, epsilon, cells, min(COLUMNS, times - len(found)))
        return found

    return releases


def _released(kind: str, column: Mapping[str, Any], epsilon: Fraction, cells: Cells, copies: int) -> list[Any]:
    import numpy as np

    names = [f"x{copy}" for copy in range(copies)]
    study = snapdp.study(
        dataset="attacked",
        relation="change-one",
        n=len(cells),
        columns=dict.fromkeys(names, column),
        statistic=[{"kind": kind, "column": name, "epsilon": str(epsilon)} for name in names],
    )
    table = dict.fromkeys(names, np.array(cells))
    return list(released_once(study, table, cap=epsilon * copies).values.values())


def released_once(study: snapdp.Study, table: Any, *, cap: Fraction) -> snapdp.Release:
    """Return one release, charged to a ledger that is forgotten afterwards."""
    with tempfile.TemporaryDirectory() as directory, snapdp.Ledger.create(Path(directory) / "a.ledger") as ledger:
        ledger.create_account_for(study, cap=cap)
        return study.release(table, ledger=ledger, directory=directory)
