"""Counts of people: who counts in which cells, that nobody else matters, and the same integers on every engine."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import ParameterError
from snapdp.studies.aggregates import Count, Levels, Member, People, Persons, Present, Sum
from snapdp.studies.columns import category_column, integer_column
from snapdp.tables.engines.opening import open_table
from tests.services import on_spark
from tests.unit.tables.everywhere import on_duckdb, on_postgres, on_spark as spark_table
from tests.unit.tables.kept import counted_in, kept, people

X = integer_column("x", lower=0, upper=9, missing="dropped")
FEW = category_column("g", categories=["a", "b", "c"], null="binned")  # what is unknown is in no cell
MANY = category_column("many", categories=[f"k{i}" for i in range(80)])
WHO = Persons(columns=("id", "born"), most=1)
ONE = Persons(columns=("id",), most=3)
HIGH = (Levels(column=X, start=5, below=10),)
NAMES = ["p", "q", "", ":", "1:p", "it's", '"', "\\", "é", "🙂", "${HOME}", "{0}", " p", "p\n", None]


def random_rows(draw, count):
    """Return rows (x, g, many, id, born)."""
    cells = [*range(10), None], ["a", "b", "c", "d", None], [f"k{i}" for i in range(9)], NAMES, [1, 2, 11, None]
    return [tuple(draw.choice(each) for each in cells) for _ in range(count)]


def typed(rows):
    kinds = {"x": "bigint", "g": "text", "many": "text", "id": "text", "born": "bigint"}
    return {name: (kind, [row[i] for row in rows]) for i, (name, kind) in enumerate(kinds.items())}


def table_of(rows):
    return open_table({name: cells for name, (_, cells) in typed(rows).items()})


def cells_of(asked, rows):
    """Return (cell, person) of the rows that meet the tests: None where a row is in no cell."""
    place = {"a": 0, "b": 1, "c": 2, None: 3}
    for x, g, many, name, born in rows:
        if asked.where == HIGH and (x is None or x < 5):
            continue
        if asked.where == (Present(column=X), Member(column=FEW, category="b")) and (x is None or g != "b"):
            continue
        cell = 0 if asked.by is None else place.get(g) if asked.by.cells == FEW.cells else int(many[1:])
        yield cell, (name, None if born is None else str(born)) if asked.persons == WHO else name


ASKED = [
    *(People(by=FEW, persons=WHO, groups=k) for k in (1, 2, 3, 4, 9)),
    *(People(by=FEW, persons=ONE, groups=k, where=HIGH) for k in (1, 3)),
    People(by=FEW, persons=ONE),
    People(persons=ONE),
    People(persons=ONE, where=(Present(column=X), Member(column=FEW, category="b"))),
    *(People(by=MANY, persons=ONE, groups=k) for k in (1, 2, 80)),
]


SOME = [ASKED[1], *ASKED[5:7], ASKED[9], ASKED[11]]  # where each statement takes long


def counts_people_as_the_definition_does(open_typed, chosen):
    rows = random_rows(random.Random(5), 300)
    table = open_typed(typed(rows))
    for who in (WHO, ONE):
        asked = [each for each in chosen if each.persons == who]
        found = table.aggregates(asked, salt="it's")
        for each in asked:
            cells = 1 if each.by is None else each.by.cells
            wanted = people(cells_of(each, rows), count=cells, most=each.groups, salt="it's")
            assert found[each] == wanted, each


def test_people_are_counted_as_the_definition_says(tmp_path):
    counts_people_as_the_definition_does(lambda table: on_duckdb(table, tmp_path), ASKED)


@on_spark
def test_spark_counts_people_as_the_definition_says(spark):
    counts_people_as_the_definition_does(lambda table: spark_table(table, spark), SOME)


def test_postgresql_counts_people_as_the_definition_says(database):
    counts_people_as_the_definition_does(lambda table: on_postgres(table, database), ASKED)


def test_people_and_rows_of_people_are_counted_in_one_request():
    """What people count does not change which rows are kept, and the other way round."""
    rows = random_rows(random.Random(6), 400)
    table, total = table_of(rows), Sum(column=X, persons=ONE)
    asked = [People(by=FEW, persons=ONE), total, People(persons=Persons(columns=("id",), most=1), where=HIGH)]
    found, alone = table.aggregates(asked, salt="s"), table.aggregates([total], salt="s")
    assert (found.rows, found[total]) == (alone.rows, alone[total])
    for each in (asked[0], asked[2]):
        assert found[each] == table.aggregates([each], salt="s")[each]
    mine = kept([((x,), name) for x, _, _, name, _ in rows], most=3, salt="s")
    assert alone[total] == (sum(x for (x,), _ in mine if x is not None),)


def test_where_only_people_are_counted_rows_are_those_that_name_somebody():
    rows = random_rows(random.Random(7), 200)
    found = table_of(rows).aggregates([People(persons=ONE, where=HIGH)])
    assert found.rows == sum(name is not None for *_, name, _ in rows)


def test_how_many_rows_are_kept_plays_no_part():
    table = table_of(random_rows(random.Random(8), 200))
    asked = [People(by=FEW, persons=Persons(columns=("id",), most=most), groups=2) for most in (1, 2, 100)]
    found = table.aggregates(asked)
    assert len({found[each] for each in asked}) == 1


def test_another_salt_chooses_other_cells():
    table = table_of(random_rows(random.Random(9), 300))
    asked = People(by=FEW, persons=WHO)
    assert table.aggregates([asked], salt="a")[asked] != table.aggregates([asked], salt="b")[asked]


def test_no_cell_is_preferred():
    """Of 4000 persons in three cells about a third counts in each, however many rows they have there."""
    rows = [(1, g, "k1", f"p{i}", 1) for i in range(4000) for g in "aaabc"]
    asked = People(by=FEW, persons=ONE)
    found = table_of(rows).aggregates([asked])[asked]
    assert sum(found) == 4000
    # A fixed salt: no chance is left. Hoeffding's bound would allow 0.05 once in 10**8 salts.
    assert all(abs(each / 4000 - 1 / 3) < 0.05 for each in found[:3])


def test_nobody_and_no_cell_count_nowhere():
    asked = [People(by=FEW, persons=ONE, groups=k) for k in (1, 4)] + [People(persons=ONE)]
    for rows in ([], [(1, "a", "k1", None, 1)] * 3):
        found = table_of(rows).aggregates(asked)
        assert [found[each] for each in asked] == [(0,) * 4, (0,) * 4, (0,)]
    found = table_of([(1, "d", "k1", "p", 1)]).aggregates(asked)
    assert [found[each] for each in asked] == [(0,) * 4, (0,) * 4, (1,)]


def test_people_need_a_column_that_names_them_and_a_cell():
    with pytest.raises(ParameterError, match="no column names the people"):
        People(by=FEW)
    with pytest.raises(ParameterError, match="count nowhere"):
        People(persons=ONE, groups=0)


# Neighbours


def without(rows, gone):
    return [row for row in rows if row[3] != gone]


small_rows = st.lists(
    st.tuples(
        st.sampled_from([0, 9]), st.sampled_from(["a", "b", "c", "d", None]), st.sampled_from(["k1", "k2"]),
        st.sampled_from(["p", "q", None]), st.just(1),
    ),
    max_size=12,
)  # fmt: skip


@settings(deadline=None, max_examples=25)
@given(small_rows, st.integers(1, 4))
def test_one_person_moves_at_most_so_many_cells_by_one(rows, groups):
    asked = [People(by=FEW, persons=ONE, groups=groups), People(persons=ONE, where=HIGH)]
    near, far = (table_of(each).aggregates(asked) for each in (rows, without(rows, "p")))
    for each, most in zip(asked, (groups, 1), strict=True):
        moves = [here - there for here, there in zip(near[each], far[each], strict=True)]
        assert {*moves} <= {0, 1}
        assert sum(moves) <= most
    theirs = counted_in(cells_of(asked[0], without(rows, "p")), most=groups)
    assert theirs == {
        person: cells for person, cells in counted_in(cells_of(asked[0], rows), most=groups).items() if person != "p"
    }


BAGS = [bag for size in range(5) for bag in combinations_with_replacement(["0", "1", "2", None], size)]
PLACES = category_column("place", categories=[f"{t}:{c}" for t in range(len(BAGS)) for c in range(3)])


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_no_bag_of_rows_moves_more_cells_than_declared(groups):
    """All tables in which p has up to four rows in three cells or none, side by side in one; q is in all cells."""
    mine = [(f"p{t}", None if cell is None else f"{t}:{cell}") for t, bag in enumerate(BAGS) for cell in bag]
    others = [(f"q{t}", f"{t}:{cell}") for t in range(len(BAGS)) for cell in range(3)]
    asked = People(by=PLACES, persons=ONE, groups=groups)

    def found(rows):
        return open_table({"id": [i for i, _ in rows], "place": [p for _, p in rows]}).aggregates([asked])[asked]

    moves = [near - far for near, far in zip(found(mine + others), found(others), strict=True)]
    tables = [moves[3 * t : 3 * t + 3] for t in range(len(BAGS))]
    assert {*moves} == {0, 1}
    assert [sum(each) for each in tables] == [min(groups, len({*bag} - {None})) for bag in BAGS]
    assert all(
        moved <= (str(cell) in bag) for bag, each in zip(BAGS, tables, strict=True) for cell, moved in enumerate(each)
    )


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_bag_of_rows_moves_a_sum_by_more_rows_than_declared(most):
    """The same bags as rows of p: a count moves by the rows kept, a sum by no more than so many times the range."""
    who = Persons(columns=("id",), most=most)
    place = category_column("place", categories=[str(t) for t in range(len(BAGS))])
    asked = [Count(by=place, persons=who), Sum(column=X, by=place, persons=who)]
    mine = [(f"p{t}", str(t), {"0": 0, "1": 5, "2": 9}.get(cell)) for t, bag in enumerate(BAGS) for cell in bag]
    others = [(f"q{t}", str(t), 9) for t in range(len(BAGS)) for _ in range(most + 1)]
    names = "id", "place", "x"
    near, far = (
        open_table({name: [row[i] for row in rows] for i, name in enumerate(names)}).aggregates(asked)
        for rows in (mine + others, others)
    )
    counts, sums = ([a - b for a, b in zip(near[each], far[each], strict=True)] for each in asked)
    assert counts == [min(most, len(bag)) for bag in BAGS]
    assert 0 <= min(sums) <= max(sums) == most * X.levels
