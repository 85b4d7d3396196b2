"""The relation of an account is the one it was opened with, whatever the column of persons is named."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.errors import ParameterError
from snapdp.studies.relation import add_remove, change_one, relation_of_account


@settings(max_examples=100, deadline=None)
@given(person=st.text(min_size=1), most=st.integers(1, 10**6))
@example(person="id, at most 3 rows)", most=2)
@example(person="a\nb (c)", most=1)
def test_the_unit_of_an_account_gives_the_relation_back(person, most):
    for relation in (add_remove(n_max=9, person=person, rows_per_person=most), add_remove(n_max=9), change_one(n=9)):
        unit = relation.unit_in_full
        assert relation_of_account(kind=relation.kind, rows=relation.rows, unit=unit) == relation


@pytest.mark.parametrize(
    "unit", ["person", "household", "person (id, at most 0 rows)", "rows", "person (, at most 2 rows)"]
)
def test_a_unit_that_names_no_column_is_refused(unit):
    with pytest.raises(ParameterError, match="no column is known"):
        relation_of_account(kind="add-remove", rows=9, unit=unit)
