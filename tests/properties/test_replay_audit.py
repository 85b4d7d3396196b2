"""Our own releases, audited as users audit theirs: with the same noise, neighbours differ in the number alone."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import snapdp
from snapdp.lab.testing import audit

STUDY = {
    "dataset": "people",
    "relation": "change-one",
    "n": 3,
    "columns": {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
    "statistic": [{"kind": "sum", "column": "age", "epsilon": "1/10"}],
}


@pytest.mark.parametrize("told", [None, sum], ids=["nothing", "the sum"])
def test_a_release_of_a_table_with_its_ledger_passes_and_one_that_tells_more_does_not(told):
    """Each call has a ledger of its own: the same request is answered once, and then repeated."""
    with TemporaryDirectory() as folder:
        numbers = count()

        def release(rows):
            path = Path(folder) / f"{next(numbers)}.ledger"
            study = snapdp.study(**STUDY)
            with snapdp.Ledger.create(path, clock=lambda: "2026-01-01T00:00:00Z") as ledger:
                ledger.create_account_for(study, cap=1)
                found = study.release({"age": rows}, ledger=ledger)
            more = {"told": told(rows)} if told else {}
            return {"numbers": found.value, "record": found.to_json(), "report": found.to_html(), **more}

        # No epsilon is claimed: what differs in all replays is found, however few they are.
        report = audit(
            release, [20, 35, 50], [20, 35, 90], sensitivity=120, released=lambda out: out["numbers"], replays=5
        )
    assert report.kinds == ({"metadata"} if told else set())
