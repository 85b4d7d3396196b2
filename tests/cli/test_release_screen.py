"""What `snapdp release` prints: tables that fit 80 columns, dashes where nothing is known, the cost in odds."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import snapdp
from snapdp.cli.release_screen import show_release
from snapdp.release.result import Release
from tests.unit.audits.releases import random_record
from tests.unit.release.people import MEAN, new_book, released

WIDTH = 80


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def shown(result, capsys, **more):
    show_release(result, left=Fraction(1), **more)
    return capsys.readouterr()


def rows_of(text):
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")]


@pytest.mark.parametrize("seed", range(30))
def test_no_line_of_a_table_is_longer_than_the_terminal(seed, capsys):
    printed = shown(Release(random_record(random.Random(seed))), capsys)
    assert max(map(len, printed.out.splitlines()), default=0) <= WIDTH
    assert "derived" not in printed.out + printed.err
    assert "cell" not in printed.out.split()


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ((MEAN, {"kind": "variance", "column": "age", "epsilon": 1}), None),
        (({"kind": "histogram", "column": "region", "epsilon": 1},), "each of the 3 numbers"),
        ((MEAN, {**MEAN, "by": "region"}), "each number"),
    ],
)
def test_intervals_of_several_numbers_are_said_once_to_hold_for_each_by_itself(asked, holds, tmp_path, capsys):
    result = released(tmp_path, *asked)
    said, page = shown(result, capsys).err, result.to_html()
    if holds is None:
        assert "by itself" not in said + page
        return
    assert said.count(f"The interval holds for {holds} by itself, not for all at once.\n") == 1
    sure = "An interval holds the statistic of the table with probability at least 95 %. It holds for"
    assert page.count(f"{sure} {holds} by itself, not for all at once. It speaks of the noise alone") == 1


def test_a_dash_stands_where_nothing_is_known(tmp_path, capsys):
    printed = shown(released(tmp_path, {**MEAN, "epsilon": "1/1000"}), capsys)  # of four rows
    assert rows_of(printed.out)[0][-3] == "-"
    assert "nothing is known" in printed.err


def test_the_cost_is_said_in_odds_of_the_release_and_of_the_account(tmp_path, capsys):
    result = released(tmp_path, MEAN)
    said = " ".join(shown(result, capsys, spent=Fraction(1)).err.split())
    assert "charged: epsilon 0.5; left: 1" in said
    assert "the results raise their chance of picking the right one from 50% to at most 63%" in said
    assert (
        "everything that was ever charged to this account, epsilon 1, their chance rises from 50% to at most 74%."
        in said
    )
    alone = " ".join(shown(result, capsys, spent=Fraction(1, 2)).err.split())
    assert "After everything that was ever charged" not in alone


def test_what_comes_with_a_statistic_is_free_and_what_that_means_is_said(tmp_path, capsys):
    result = released(tmp_path, {"kind": "variance", "column": "age", "epsilon": 1})
    printed = shown(result, capsys)
    assert [row[-1] for row in rows_of(printed.out)] == ["1", "free"]
    assert "free: computed from the numbers above, at no extra cost." in printed.err


@pytest.mark.parametrize("by", [["region", "sex"], ["sex", "region"]])
def test_groups_by_two_columns_are_crossed_in_whichever_order_they_were_named(by, tmp_path, capsys):
    regions = [f"region {letter}" for letter in "abcdefghij"]
    columns = {
        "region": {"kind": "category", "categories": regions},
        "sex": {"kind": "category", "categories": ["f", "m"]},
    }
    asked = {"kind": "count", "by": by, "epsilon": 1}
    rows = {"region": regions * 2, "sex": ["f"] * 10 + ["m"] * 10}
    made = snapdp.study(dataset="people", relation="change-one", n=20, columns=columns, statistic=[asked])
    with new_book(tmp_path, rows=20) as ledger:
        printed = shown(made.release(rows, ledger=ledger, directory=tmp_path), capsys)
    head = next(line for line in printed.out.splitlines() if line.startswith("┃"))
    assert [cell.strip() for cell in head.split("┃")[1:-1]] == ["region", "sex f", "sex m"]
    assert [row[0] for row in rows_of(printed.out)] == regions
    assert "in brackets: the 95 % interval" in printed.err
