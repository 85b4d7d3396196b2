"""Means that share a count, released: what is read of them, what they cost, and what a page says."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.errors import ParameterError
from snapdp.release.remarks import complete_lines, unknown_line

COLUMNS = {
    "age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "dropped"},
    "pay": {"kind": "number", "lower": 500, "upper": 1000, "step": 1, "missing": 600},
    "region": {"kind": "category", "categories": ["north", "south"]},
}
ROWS = {"age": [30, None, 50, 70], "pay": [500, 999, None, 800], "region": ["north", "north", "south", "south"]}
MEANS = {"kind": "mean", "columns": ["age", "pay"], "complete": True, "epsilon": 10**6}


def released(folder, *statistics, relation="add-remove", table=ROWS, times=1):
    data = {name: cells * times for name, cells in table.items()}
    rows = {"n" if relation == "change-one" else "n_max": len(data["age"])}
    study = snapdp.study(dataset="people", relation=relation, columns=COLUMNS, statistic=list(statistics), **rows)
    with snapdp.Ledger.create(folder / "l.ledger") as ledger:
        ledger.create_account("people", cap=10**9, relation=relation, rows=len(data["age"]))
        return study.release(data, ledger=ledger)


@pytest.mark.parametrize("relation", ["change-one", "add-remove"])
def test_values_are_by_column_and_then_by_cell_and_are_the_means_of_complete_rows(tmp_path, relation):
    found = released(tmp_path, MEANS, {**MEANS, "by": "region"}, relation=relation)
    assert found.values["mean(age, pay)"] == pytest.approx({"age": 50, "pay": (500 + 600 + 800) / 3}, abs=0.01)
    by_region = found.values["mean(age, pay) by region"]
    assert by_region["age"] == pytest.approx({"north": 30, "south": 60}, abs=0.01)
    assert by_region["pay"] == pytest.approx({"north": 500, "south": 700}, abs=0.01)
    assert [each.charged for each in found.numbers() if each.charged != "0"] == ["1000000"] * 2


def test_each_mean_is_among_the_first_numbers_and_no_sum_is(tmp_path):
    found = released(tmp_path, MEANS)
    first = [block for block in found.blocks() if block.is_first]
    assert [block.part for block in first] == ["mean of age", "mean of pay"]
    with pytest.raises(ParameterError, match="2 numbers"):
        float(found)
    assert found.value == found.values["mean(age, pay)"]


def test_means_of_all_rows_are_parts_of_their_own_where_n_is_public(tmp_path):
    filled = {"kind": "mean", "columns": ["pay", "rank"], "epsilon": 10**6}
    columns = {"pay": COLUMNS["pay"], "rank": {"kind": "integer", "lower": 1, "upper": 9, "missing": 9}}
    study = snapdp.study(dataset="people", relation="change-one", n=4, columns=columns, statistic=[filled])
    with snapdp.Ledger.create(tmp_path / "l.ledger") as ledger:
        ledger.create_account("people", cap=10**9, relation="change-one", rows=4)
        found = study.release({"pay": ROWS["pay"], "rank": [1, 2, None, 4]}, ledger=ledger)
    assert found.value == pytest.approx({"pay": 724.75, "rank": 4}, abs=0.01)
    assert found.record["derived"] == []
    assert complete_lines(found.record) == []
    assert all(block.is_first and block.epsilon == "1000000" for block in found.blocks())


def test_a_page_has_the_means_before_their_sums_and_says_which_rows_count(tmp_path):
    page = released(tmp_path, MEANS, {**MEANS, "by": "region"}).to_html()
    for word in (
        ">Mean of age<",
        "<h3>Mean of pay by region</h3>",
        "1000000 for all means",
        "cost: epsilon 1000000 for",
    ):
        assert word.lower() in page.lower()
    assert page.index(">Mean of pay<") < page.index("(centred sum of age)")
    assert "mean(age, pay): only rows count that have age." in page


def test_each_mean_says_by_itself_that_nothing_is_known(tmp_path):
    found = released(tmp_path, {**MEANS, "epsilon": "1/1000"})
    said = [unknown_line(block) for block in found.blocks() if block.is_first]
    assert [line.partition(":")[0] for line in said] == ["mean(age, pay), mean of age", "mean(age, pay), mean of pay"]
    assert all("nothing is known" in line for line in said)
