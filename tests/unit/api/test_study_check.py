"""A table can be checked before anything is opened or charged: refused is what a release would refuse."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.errors import SnapdpError


def asked(n: int, column: str = "age") -> snapdp.Study:
    declared = {column: {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}}
    statistic = [{"kind": "mean", "column": column, "epsilon": 1}]
    return snapdp.study(dataset="d", relation="change-one", n=n, columns=declared, statistic=statistic)


def test_a_table_that_fits_passes_without_a_word():
    assert asked(3).check({"age": [1, 2, None]}) is None


@pytest.mark.parametrize(("study", "table"), [(asked(4), {"age": [1, 2, 3]}), (asked(3, "pay"), {"age": [1, 2, 3]})])
def test_what_a_release_would_refuse_is_refused(study, table, tmp_path):
    with pytest.raises(SnapdpError) as before:
        study.check(table)
    with snapdp.Ledger.create(tmp_path / "l") as ledger:
        ledger.create_account("d", cap=1, relation="change-one", rows=study.relation.rows)
        with pytest.raises(SnapdpError) as after:
            study.release(table, ledger=ledger)
    assert str(before.value) == str(after.value)
