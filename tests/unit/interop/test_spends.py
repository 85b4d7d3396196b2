"""Which law dominates what was charged: by enumerating small tables, and from records."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import snapdp
from snapdp import Ledger
from snapdp.interop.composition import Spend, composed
from snapdp.interop.dp_accounting import charged_spends, is_laplace, record_spends, spends_of, statistic_spends
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.studies.statistics.registry import KINDS
from snapdp.studies.statistics.sum import sum_query
from tests.unit.studies.statistics.enumeration import Extremes

F = Fraction
TERMS = {"relation": "change-one", "rows": 5}
RECORDS = sorted((Path(__file__).parents[2] / "vectors" / "releases").glob("record*.json"))
X = integer_column("x", lower=-1, upper=1, missing="middle")
G = category_column("g", categories=["a", "b"])
ROWS = [(F(x), F(0), g) for x in (-1, 0, 1) for g in "ab"]


def spent(statistic, epsilon="1"):
    return [(each.law, str(each.epsilon), each.times) for each in statistic_spends(statistic, F(epsilon))]


@pytest.mark.parametrize("relation", [change_one(n=3), add_remove(n_max=3)], ids=lambda each: each.kind)
def test_where_laplace_draws_are_taken_no_cell_moves_by_more_than_one_sensitivity(relation):
    found = 0
    for query in (
        count_query(relation, by=G),
        histogram_query(G, relation),
        histogram_query(X, relation, by=G, edges=[-1, 0, 1]),
        quantiles_query(X, relation),
        sum_query(X, relation),
        sum_query(X, relation, by=G),
        mean_query(X, relation),
    ):
        seen = Extremes(query, ROWS)
        for p, part in enumerate(query.parts):
            if is_laplace(query, part):
                found += 1
                assert seen.largest_move[p] <= part.numerator.sensitivity
                assert max(moves[p] for moves in seen.moves) <= part.moving
    assert found >= 5


def test_a_sum_by_groups_may_move_by_two_sensitivities_in_one_cell_and_is_pure():
    query = sum_query(X, change_one(n=3), by=G)
    assert Extremes(query, ROWS).largest_move[0] == 2 * query.parts[0].numerator.sensitivity
    assert spent(query) == [("pure", "1", 1)]
    assert spent(sum_query(X, change_one(n=3))) == [("laplace", "1", 1)]


def test_a_row_that_moves_is_in_two_cells_and_a_row_that_comes_in_one():
    assert spent(histogram_query(G, change_one(n=3)), "1/2") == [("laplace", "1/4", 2)]
    assert spent(histogram_query(G, add_remove(n_max=3)), "1/2") == [("laplace", "1/2", 1)]


def test_rows_of_a_person_may_be_anywhere_and_are_pure_while_persons_are_not():
    relation = add_remove(n_max=9, person="id", rows_per_person=3)
    assert spent(count_query(relation, by=G)) == [("pure", "1", 1)]
    assert spent(count_query(relation)) == [("laplace", "1", 1)]
    assert spent(persons_query(relation, by=G, groups_per_person=2)) == [("laplace", "1/2", 2)]
    assert spent(count_query(add_remove(n_max=9, unit_rows=2), by=G)) == [("pure", "1", 1)]


def test_parts_that_cannot_move_at_one_time_are_one_pure_spend():
    dropped = integer_column("x", lower=-1, upper=1, missing="dropped")
    query = mean_query(dropped, change_one(n=5))
    assert sum(part.share * part.moving for part in query.parts) > 1
    assert spent(query) == [("pure", "1", 1)]


def test_only_kinds_that_say_so_move_singly():
    assert {name for name, kind in KINDS.items() if kind.moves_singly} == {"count", "histogram", "persons", "quantiles"}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_the_spends_of_a_record_add_up_to_its_charge(path):
    record = json.loads(path.read_text(encoding="utf-8"))
    spends = record_spends(record)
    assert sum(each.total for each in spends) == F(record["charged"])


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"relation": "change-one", "n": 3},
        {"relation": "change-one", "n": 3, "statistics": [{"kind": "count", "epsilon": "1/2"}]},
        {"relation": "change-one", "n": 3, "statistics": [{"kind": "unheard of", "epsilon": "1"}]},
        {"relation": "change-one", "n": -3, "statistics": [{"kind": "count", "epsilon": "1"}]},
        {"relation": "change-one", "n": 3, "statistics": 7},
        {"relation": "add-remove", "n_max": 3, "statistics": [{"kind": "count", "epsilon": "1", "where": [[]]}]},
    ],
)
def test_what_cannot_be_read_or_does_not_add_up_is_pure_at_its_charge(asked):
    assert charged_spends(F(1), asked) == (Spend(law="pure", epsilon=F(1)),)


def test_all_charges_of_an_account_count_also_those_that_came_to_nothing(tmp_path):
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account("people", cap=2, relation="change-one", rows=5)
        version = ledger.dataset_version("people", b"\0" * 32)
        for text in ("a", "b"):
            found = ledger.reserve("people", version=version, request={"asked by": text}, epsilon="1/4", **TERMS)
            ledger.abandon(found)
        spends = spends_of(ledger.history("people"))
    assert spends == (Spend(law="pure", epsilon=F(1, 4), times=2),)


@pytest.mark.long
def test_a_released_study_is_composed_and_nothing_more_is_charged(tmp_path):
    table = tmp_path / "people.csv"
    table.write_text("g\n" + "a\nb\n" * 5, encoding="utf-8")
    study = snapdp.study(
        dataset="people",
        relation="change-one",
        n=10,
        columns={"g": {"kind": "category", "categories": ["a", "b"], "unknown": "dropped", "null": "dropped"}},
        statistic=[{"kind": "histogram", "column": "g", "epsilon": "0.5"}],
    )
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        ledger.create_account_for(study.declared, cap=1)
        study.release(table, ledger=ledger)
        spends = spends_of(ledger.history("people"))
        assert spends == (Spend(law="laplace", epsilon=F(1, 4), times=2),)
        assert composed(spends).pure == ledger.account("people").spent == F(1, 2)
