"""What an account released before: the very same request is free, the same statistic of another one is paid again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import snapdp
from snapdp.ledger.accounts import declared_terms
from snapdp.ledger.book import earlier_releases
from snapdp.ledger.ledger import Ledger

AGE: dict[str, Any] = {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}
MEAN: dict[str, Any] = {"kind": "mean", "column": "age", "epsilon": "1/5"}
COUNT: dict[str, Any] = {"kind": "count", "where": [{"column": "age", "from": 18}], "epsilon": "1/10"}
BASE: dict[str, Any] = {"dataset": "people", "relation": "add-remove", "n_max": 9, "columns": {"age": AGE}}
PERSONS = {"person": "id", "rows_per_person": 2}


def repeats(folder: Path, first: dict[str, Any], then: dict[str, Any]) -> Any:
    """Release a study, and return what the account says of another one."""
    table, path = folder / "people.csv", folder / "people.ledger"
    table.write_text("id,age\n1,20\n1,30\n2,40\n", encoding="utf-8")
    made = snapdp.study({**BASE, **first})
    with Ledger.create(path) as ledger:
        ledger.create_account_for(made, cap=2)
        made.release(str(table), ledger=ledger, directory=folder)
        request = snapdp.study({**BASE, **then}).request()
        return earlier_releases(ledger.history("people")).of(request.epsilon, request.declaration)


def test_the_very_same_is_free_and_none_of_it_is_marked(tmp_path):
    found = repeats(tmp_path, {"statistic": [MEAN, COUNT]}, {"statistic": [MEAN, COUNT], "title": "Another"})
    assert (found.same, found.lines) == (2, (None, None))


@pytest.mark.parametrize("change", [{"epsilon": "1/7"}, {"alpha": "1/10"}])
def test_a_statistic_is_the_same_whatever_it_costs(tmp_path, change):
    found = repeats(tmp_path, {"statistic": [COUNT, MEAN]}, {"statistic": [{**MEAN, **change}]})
    assert found.same is None
    assert [(each.number, each.epsilon) for each in found.lines] == [(2, Fraction(1, 5))]


@pytest.mark.parametrize(
    "then",
    [
        {"statistic": [{**MEAN, "kind": "sum"}]},
        {"statistic": [{**COUNT, "where": [{"column": "age", "from": 19}]}]},
        {"statistic": [MEAN], "columns": {"age": {**AGE, "upper": 121}}},
        {"statistic": [MEAN], "columns": {"age": {**AGE, "missing": 1}}},
    ],
)
def test_another_statistic_is_not_marked(tmp_path, then):
    assert repeats(tmp_path, {"statistic": [MEAN, COUNT]}, then).lines == (None,)


def test_how_many_rows_of_a_person_count_makes_another_statistic_unless_it_says_so_itself(tmp_path):
    own = {**MEAN, "rows_per_person": 1}
    first = {**PERSONS, "statistic": [MEAN, {**own, "kind": "sum"}]}
    then = {**PERSONS, "rows_per_person": 3, "statistic": [MEAN, {**own, "kind": "sum"}]}
    assert [each is None for each in repeats(tmp_path, first, then).lines] == [True, False]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"relation": "change-one", "rows": 7}, {"relation": "change-one", "n": 7}),
        ({"relation": "add-remove", "rows": 7}, {"relation": "add-remove", "n_max": 7}),
        ({"rows": 7, "person": "id"}, {"relation": "add-remove", "n_max": 7, "person": "id"}),
        ({"rows": 7, "person": ["a", "b"]}, {"relation": "add-remove", "n_max": 7, "person": ["a", "b"]}),
        (
            {"rows": 7, "person": "id", "rows_per_person": 3},
            {"relation": "add-remove", "n_max": 7, "person": "id", "rows_per_person": 3},
        ),
        ({"rows": 7, "unit_rows": 4}, {"relation": "add-remove", "n_max": 7, "unit_rows": 4}),
        ({"rows": 7, "unit": "school"}, {}),
    ],
)
def test_an_account_says_what_a_study_must_say_to_ask_it(tmp_path, more, expected):
    with Ledger.create(tmp_path / "people.ledger") as ledger:
        made = ledger.create_account("people", cap=1, **{"relation": "add-remove", **more})
        assert declared_terms(made) == expected
