"""The relation of an account is the one it was opened with, whatever the columns of persons are named."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from snapdp.errors import ParameterError
from snapdp.studies.relation import (
    Relation,
    add_remove,
    bounded_in,
    bounded_unit,
    change_one,
    named_person,
    person_unit,
    relation_of_account,
    rows_unit,
)

NAMES = st.text(min_size=1)
HOSTILE = [
    "id", "a, b", '["a","b"]', '["a", "b"]', "[", "id, at most 3 rows", "id, at most 3 rows)", ", at most 3 rows",
    "a\nb (c)", '"', "\\", '\\"', "é", "30 rows", "row", ")", "person (id)", '["id, at most 3 rows"]',
    "id, at most 0 rows",
]  # fmt: skip


def back(unit: str) -> Relation:
    return relation_of_account(kind="add-remove", rows=9, unit=unit)


@settings(max_examples=100, deadline=None)
@given(person=NAMES, most=st.integers(1, 10**6))
@example(person="id, at most 3 rows)", most=2)
@example(person="a\nb (c)", most=1)
def test_an_account_that_fixes_the_rows_of_a_person_gives_its_relation_back(person, most):
    relation = add_remove(n_max=9, person=person, rows_per_person=most)
    assert back(bounded_unit(person, most)) == relation
    assert bounded_in(bounded_unit(person, most)) == (person, most)


@settings(max_examples=100, deadline=None)
@given(person=st.one_of(NAMES, st.lists(NAMES, min_size=2, max_size=4, unique=True)))
@example(person="id, at most 3 rows")
@example(person='["a","b"]')
@example(person=["a", "b"])
def test_the_unit_of_an_account_gives_the_relation_back(person):
    for relation in (add_remove(n_max=9, person=person), add_remove(n_max=9, unit_rows=7), add_remove(n_max=9)):
        assert back(relation.unit_in_full) == relation
        assert bounded_in(relation.unit_in_full) is None
    one = change_one(n=9)
    assert relation_of_account(kind=one.kind, rows=one.rows, unit=one.unit_in_full) == one


def test_no_two_units_are_one_text_whatever_columns_are_named():
    several = [(a, b) for a in HOSTILE for b in HOSTILE if a != b]
    plain = [*map(person_unit, HOSTILE), *map(person_unit, several), *map(rows_unit, (2, 30)), "row"]
    bounded = [bounded_unit(name, most) for name in HOSTILE for most in (1, 3)]
    assert len({*plain, *bounded}) == len(plain) + len(bounded)
    careless = [f"person ({', '.join([name] if isinstance(name, str) else name)})" for name in (*HOSTILE, *several)]
    assert len({*careless, *bounded}) < len(careless) + len(bounded)  # the twin: what a plain list would be taken for


@pytest.mark.parametrize(
    "unit",
    [
        "person", "household", "person (id, at most 0 rows)", "rows", "person (, at most 2 rows)", "1 rows", "0 rows",
        "030 rows", "person ()", "person ([])", 'person (["id"])', 'person (["a", "b"])', 'person (["a","a"])',
        "person ([1,2])", "person (" + "[" * 10_000 + ")", "persons (id)",
    ],
)  # fmt: skip
def test_a_unit_that_names_no_column_is_refused(unit):
    with pytest.raises(ParameterError, match="no column is known"):
        back(unit)


@pytest.mark.parametrize("given", [[], (), [""], ["a", 1], [None], 3, {"a": 1}, {"a", "b"}, b"id", [["a"], "b"]])
def test_what_names_no_columns_is_refused_without_being_quoted(given):
    with pytest.raises(ParameterError, match="that names no columns"):
        named_person(given)


def test_a_column_that_is_named_twice_is_refused():
    with pytest.raises(ParameterError, match="twice"):
        add_remove(n_max=9, person=["user", "user"])


def test_one_column_in_a_list_is_that_column():
    assert add_remove(n_max=9, person=["id"]) == add_remove(n_max=9, person=("id",)) == add_remove(n_max=9, person="id")
    assert add_remove(n_max=9, person=["user", "country"]).person_columns == ("user", "country")


def test_a_unit_of_one_row_is_the_row():
    assert add_remove(n_max=9, unit_rows=1) == add_remove(n_max=9)
    assert add_remove(n_max=9, unit_rows=1).unit_in_full == "row"
    assert (add_remove(n_max=9, unit_rows=2).unit, add_remove(n_max=9, unit_rows=2).moved_rows) == ("rows", 2)


@pytest.mark.parametrize("unit_rows", [0, -1, "1/2", True, "many"])
def test_a_unit_of_no_rows_is_refused(unit_rows):
    with pytest.raises(ParameterError, match="unit_rows = "):
        add_remove(n_max=9, unit_rows=unit_rows)


def test_a_unit_is_a_person_or_several_rows():
    for unit_rows in (1, 3):
        with pytest.raises(ParameterError, match="both given"):
            add_remove(n_max=9, person="id", unit_rows=unit_rows)
    with pytest.raises(ParameterError, match="both given"):
        Relation(kind="add-remove", rows=9, person="id", unit_rows=3)
    with pytest.raises(ParameterError, match="add-remove only"):
        Relation(kind="change-one", rows=9, unit_rows=3)
