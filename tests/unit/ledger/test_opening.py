"""What an account is opened with by a study: what the study declares, and a cap that holds its budget."""

from __future__ import annotations

import pytest

import snapdp
from snapdp.errors import ParameterError
from snapdp.ledger.ledger import Ledger


@pytest.fixture
def path(tmp_path):
    return tmp_path / "people.ledger"


def declared(**more):
    values = {
        "dataset": "people", "relation": "add-remove", "n_max": 100, "person": "id", "rows_per_person": 3,
        "budget": "1/2",
        "columns": {"age": {"kind": "integer", "lower": 0, "upper": 120, "missing": "middle"}},
        "statistic": [{"kind": "sum", "column": "age", "epsilon": "1/4"}],
    }  # fmt: skip
    return snapdp.study({key: value for key, value in {**values, **more}.items() if value is not None})


@pytest.mark.parametrize(
    ("more", "cap", "expected"),
    [
        ({}, None, ("1/2", "add-remove", 100, "person (id)")),
        ({}, 3, ("3", "add-remove", 100, "person (id)")),
        ({"person": None, "rows_per_person": None, "unit_rows": 4}, None, ("1/2", "add-remove", 100, "4 rows")),
        ({"person": ["a", "b"]}, None, ("1/2", "add-remove", 100, 'person (["a","b"])')),
        (
            {"relation": "change-one", "n_max": None, "n": 7, "person": None, "rows_per_person": None, "budget": None},
            "1/3",
            ("1/3", "change-one", 7, "row"),
        ),
    ],
)
def test_the_account_of_a_study_is_what_the_study_declares(path, more, cap, expected):
    with Ledger.create(path) as ledger:
        made = ledger.create_account_for(declared(**more), cap=cap)
        assert (str(made.cap), made.relation, made.rows, made.unit) == expected
        assert made == ledger.account("people")


@pytest.mark.parametrize(
    ("more", "cap", "words"),
    [({"budget": None}, None, "has no budget"), ({}, "1/3", "below the study's budget of 1/2"), ({}, 0, "cap = 0")],
)
def test_a_study_without_a_cap_that_holds_it_opens_no_account(path, more, cap, words):
    with Ledger.create(path) as ledger:
        with pytest.raises(ParameterError, match=words):
            ledger.create_account_for(declared(**more), cap=cap)
        assert ledger.accounts() == ()
