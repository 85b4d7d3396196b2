"""Our own releases, audited as users audit theirs: with the same noise, neighbours differ in the number alone."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

import snapdp
from snapdp.testing import audit

COUNTED = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=100)
HISTOGRAM = snapdp.Snapping(epsilon="1/2", sensitivity=1, lower=0, upper=100)
FINITE = snapdp.Snapping(epsilon=1, sensitivity=1, lower=0, upper=100, arithmetic=snapdp.FinitePrecision(rule="proved"))
PAIRS = {
    "change-one": ([20, 35, 50], [20, 35, 90]),
    "at an end": ([0, 0, 0], [0, 0, 120]),
    "as many": ([1] * 3, [1, 1, 2]),
}
STUDY = {
    "dataset": "people",
    "relation": "change-one",
    "n": 3,
    "columns": {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
    "statistic": [{"kind": "sum", "column": "age", "epsilon": "1/10"}],
}
every_pair = pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)


@pytest.mark.parametrize("mechanism", [COUNTED, FINITE], ids=["exact", "finite precision"])
def test_a_number_passes(mechanism):
    def release(rows):
        return mechanism.release(sum(row > 40 for row in rows))

    for pair in PAIRS.values():
        audit(release, *pair, epsilon=1, sensitivity=1).check()


@every_pair
def test_an_array_passes(pair):
    def release(rows):
        return HISTOGRAM.release(np.histogram(rows, bins=[0, 30, 60, 121])[0])

    audit(release, *pair, epsilon=1, sensitivity=2).check()


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
        report = audit(release, *PAIRS["change-one"], sensitivity=120, released=lambda out: out["numbers"], replays=5)
    assert report.kinds == ({"metadata"} if told else set())
