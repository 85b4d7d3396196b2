"""A small table of people, studies of it, and a ledger for them: what tests of the engine and of records share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import snapdp
from snapdp.ledger.ledger import Ledger

COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"},
    "pay": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/2", "missing": "middle"},
    "region": {"kind": "category", "categories": ["north", "south"], "unknown": "binned"},
    "cell": {"kind": "integer", "lower": 0, "upper": 5000, "missing": "middle"},
    "many": {"kind": "category", "categories": [f"key {i}" for i in range(1200)]},
}
ROWS = {
    "age": [31, 62, 7, None],
    "pay": [512.5, 999.0, 700.0, 1200.0],
    "region": ["north", "south", "north", "?"],
    "cell": [1, 2, 3, 4],
    "many": ["key 1", None, "key 7", "key 7"],
}
MEAN = {"kind": "mean", "column": "age", "epsilon": "1/2"}
LONG = {"kind": "histogram", "column": "cell", "edges": list(range(1100)), "epsilon": "1/2"}


def study(*statistics: dict[str, Any], relation: str = "change-one", rows: int = 4, **more: Any) -> Any:
    return snapdp.study(
        format=1,
        dataset="people",
        relation=relation,
        columns=COLUMNS,
        statistic=list(statistics) or [MEAN],
        **{"n" if relation == "change-one" else "n_max": rows},
        **more,
    )


def new_book(folder: Path, *, cap: Any = 10, relation: str = "change-one", rows: int = 4) -> Ledger:
    ledger = Ledger.create(folder / "people.ledger")
    ledger.create_account("people", cap=cap, relation=relation, rows=rows)
    return ledger


def released(folder: Path, *statistics: dict[str, Any], relation: str = "change-one", rows: int = 4, data: Any = None):
    """Release some statistics of the people from a fresh ledger."""
    with new_book(folder, cap=10**6, relation=relation, rows=rows) as ledger:
        asked = study(*statistics, relation=relation, rows=rows)
        return asked.release(ROWS if data is None else data, ledger=ledger, directory=folder)
