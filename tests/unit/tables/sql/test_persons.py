"""Persons: which rows are kept, and that adding or removing one person moves nobody else."""

from __future__ import annotations

import random
import uuid
from collections import Counter
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.errors import DataError, ParameterError
from snapdp.release.release import exact_values
from snapdp.studies.aggregates import Bins, Categories, Count, People, Persons, Sum
from snapdp.studies.columns import PersonColumn, category_column, integer_column
from snapdp.studies.relation import add_remove
from snapdp.studies.statistics.counts import count_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.sum import sum_query
from snapdp.tables.engines.engine import statement
from snapdp.tables.engines.opening import open_table
from snapdp.tables.sources.stored import described
from snapdp.tables.sql import generator, persons as persons_of_sql
from snapdp.tables.sql.dialects import DUCKDB, POSTGRES, SPARK
from snapdp.tables.sql.stored import LABEL, NUMERIC, TEXT, WHOLE, Field, Rows
from snapdp.values import replaced
from tests.unit.studies.test_aggregates import SOME, plain, random_table
from tests.unit.tables.kept import by_order, kept, text_of
from tests.unit.tables.kinds import level_rows
from tests.unit.tables.tables import FORMATS

X = integer_column("x", lower=0, upper=9, missing=4)
G = category_column("g", categories=["a", "b"])  # unknown and null are in no cell: a level may be NULL
PEOPLE = ["p", "q", "", " p", "1", "e\u0301", "é", "🙂", "a:b", "a'b", "{0}", "${HOME}", "a\\b\n", None]


def table_of(rows):
    """Return the table of (x, g, person)."""
    names = ("x", "g", "id")
    return open_table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def as_levels(rows):
    return [((x, {"a": 0, "b": 1}.get(g)), person) for x, g, person in rows]


def random_rows(draw, count):
    cells = [None, *range(10)], ["a", "b", "c", None], PEOPLE
    return [tuple(draw.choice(each) for each in cells) for _ in range(count)]


WINDOWS = replaced(DUCKDB, once=None)  # the text of an engine that computes a subquery each time it is read


def kept_on_duckdb(rows, *, most, salt="", dialect=DUCKDB):
    with duckdb.connect(config={"pandas_analyze_sample": "0"}) as connection:
        source = table_of(rows).source
        persons = Persons(columns=("id",), most=most)
        opened = source.open(connection, [X, G, *persons.person_columns])
        text = level_rows([X, G], opened, dialect=dialect, persons=persons, salt=salt)
        return by_order(((x, g), person) for x, g, person in connection.execute(text).fetchall())


@pytest.mark.parametrize("most", [1, 2, 5, 1000])
@pytest.mark.parametrize("salt", ["", "it's : {0} ${HOME}"])
def test_the_rows_kept_are_those_of_the_definition_in_any_order_of_the_table(most, salt):
    draw = random.Random(most)
    rows = random_rows(draw, 600)
    found = kept_on_duckdb(rows, most=most, salt=salt)
    assert found == kept(as_levels(rows), most=most, salt=salt)
    draw.shuffle(rows)
    assert kept_on_duckdb(rows, most=most, salt=salt) == found
    counts = Counter(person for *_, person in rows if person is not None)
    assert Counter(person for _, person in found) == {person: min(most, n) for person, n in counts.items()}


@pytest.mark.parametrize("most", [1, 2, 5, 40, 1000])
def test_copies_by_ranks_are_the_same_rows_equal_ones_and_those_without_a_level_too(most):
    rows = [*random_rows(random.Random(most), 300), *[(3, None, "p")] * 50, *[(3, "a", "p")] * 50]
    found = kept_on_duckdb(rows, most=most, salt="salt", dialect=WINDOWS)
    assert found == kept(as_levels(rows), most=most, salt="salt")
    with duckdb.connect() as connection:  # rows without any level are all equal
        connection.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('p'), ('p'), ('q'), (NULL)) AS v(p0)")
        text = persons_of_sql.kept_rows("t", ["p0"], [], most=1, dialect=WINDOWS, salt="")
        assert sorted(connection.execute(f"SELECT * FROM {text} AS kept").fetchall()) == [("p",), ("q",)]


def test_another_salt_keeps_other_rows():
    rows = random_rows(random.Random(5), 300)
    assert kept_on_duckdb(rows, most=2, salt="a") != kept_on_duckdb(rows, most=2, salt="b")


def test_no_kind_of_row_is_preferred():
    """Of 4000 persons with one row "a" and one "b" about half keep each; with nine "a" to one "b" about nine in ten."""
    for copies, expected in ((1, 0.5), (9, 0.9)):
        rows = [(1, label, str(i)) for i in range(4000) for label in ["a"] * copies + ["b"]]
        chosen = Counter(g for (_, g), _ in kept_on_duckdb(rows, most=1))
        # A fixed salt: no chance is left. Hoeffding's bound would allow 0.05 once in 10**8 salts.
        assert abs(chosen[0] / 4000 - expected) < 0.05


rows_of_tables = st.lists(
    st.tuples(
        st.sampled_from([None, 0, 1, 9]), st.sampled_from(["a", "b", None]), st.sampled_from(["p", "q", "r", None])
    ),
    max_size=14,
)


@settings(deadline=None, max_examples=30)
@given(rows_of_tables, st.integers(1, 3), st.sampled_from(["p", "q", "r"]))
def test_without_one_person_everybody_else_keeps_the_same_rows(rows, most, gone):
    here = kept_on_duckdb(rows, most=most)
    there = kept_on_duckdb([row for row in rows if row[2] != gone], most=most)
    assert there == [each for each in here if each[1] != gone]
    assert len(here) - len(there) <= most


@settings(deadline=None, max_examples=30)
@given(rows_of_tables, st.integers(1, 3), st.sampled_from(["p", "q", "r"]))
def test_one_person_moves_no_numerator_farther_than_declared(rows, most, gone):
    relation = add_remove(n_max=12, person="id", rows_per_person=most)
    queries = [
        count_query(relation), sum_query(X, relation), mean_query(X, relation, by=G), histogram_query(G, relation),
        histogram_query(X, relation, edges=[0, 3, 9], by=G),
    ]  # fmt: skip
    tables = table_of(rows), table_of([row for row in rows if row[2] != gone])
    for query, near, far in zip(queries, *(exact_values(queries, each) for each in tables), strict=True):
        for part, mine, other in zip(query.parts, near, far, strict=True):
            assert sum(abs(a - b) for a, b in zip(mine, other, strict=True)) <= part.numerator.sensitivity


def test_a_row_that_names_nobody_is_never_counted():
    who = Persons(columns=("id",), most=100)
    found = table_of([(1, "a", None)] * 50 + [(2, "a", "p")]).aggregates([Sum(column=X, persons=who)])
    assert (found.rows, found[Sum(column=X, persons=who)]) == (1, (2,))


def test_all_statements_of_a_request_keep_the_same_rows():
    """A cell that is dropped in one statement counts as a row in all: sums over groups and cells agree."""
    many = category_column("x", categories=[str(i) for i in range(100)], unknown="binned", null="binned")
    every = category_column("g", categories=["a", "b"], unknown="binned", null="binned")
    who = Persons(columns=("id",), most=3)
    asked = [
        Count(persons=who), Count(by=every, persons=who), Categories(column=many, by=every, persons=who),
        Bins(column=X, cuts=tuple(range(11)), missing=True, persons=who), Sum(column=X, persons=who),
    ]  # fmt: skip
    rows = random_rows(random.Random(9), 500)
    found = table_of(rows).aggregates(asked)
    (total,), by_group, cells, bins, (levels,) = (found[each] for each in asked)
    assert total == found.rows == 3 * (len(PEOPLE) - 1)
    assert sum(by_group) == sum(cells) == sum(bins) == total
    assert [sum(cells[i * 102 : i * 102 + 102]) for i in range(4)] == list(by_group)
    assert sum(level * count for level, count in enumerate((*bins[:-1], 0))) + 4 * bins[-1] == levels
    assert found == table_of(rows).aggregates(reversed(asked))


@pytest.mark.parametrize("kind", FORMATS)
def test_every_source_keeps_the_same_rows(kind, tmp_path):
    rows = random_rows(random.Random(3), 300)
    # Text throughout: an empty cell without quotes is missing in a CSV file, and "" in quotes is a person.
    columns = {"x": [row[0] for row in rows], "g": [row[1] for row in rows], "id": [row[2] for row in rows]}
    who = Persons(columns=("id",), most=2)
    asked = [Sum(column=X, persons=who), Categories(column=G, persons=who)]
    found = FORMATS[kind](columns, tmp_path).aggregates(asked)
    by_name = kept([((g, x), person) for (x, g), person in as_levels(rows)], most=2)  # columns in the order of names
    assert found.rows == len(by_name)
    assert found[asked[0]] == (sum(4 if x is None else x for (_, x), _ in by_name),)
    assert found[asked[1]] == tuple(sum(g == code for (g, _), _ in by_name) for code in (0, 1))


# All aggregates, around the bound


def around_the_bound(draw, most):
    """Return a random table of persons with one row fewer than the bound, as many, one more, and some equal rows."""
    sizes = [max(1, most + more) for more in (-1, 0, 1, -1, 0, 1, 0, 3 * most)]
    persons = [f"p{i}" for i, size in enumerate(sizes) for _ in range(size)] + [None] * 5
    columns, levels = random_table(len(persons))
    rows = list(zip(*columns.values(), levels, persons, strict=True))
    rows[-8:] = [(*rows[-1][:-1], person) for person in persons[-8:]]  # three of the last person, five of nobody
    draw.shuffle(rows)
    table = {name: [row[i] for row in rows] for i, name in enumerate((*columns, "levels", "id"))}
    levels, persons = table.pop("levels"), table["id"]
    return open_table(table), levels, persons


def of_persons(most, salt, levels, persons):
    """Return the rows (x, y, few, many) that are kept, in levels: these are hashed in the order of their names."""
    mine = kept(
        [((few, many, x, y), p) for (x, y, few, many), p in zip(levels, persons, strict=True)], most=most, salt=salt
    )
    return [(x, y, few, many) for (few, many, x, y), _ in mine]


def compare_with_the_definition(seed, most):
    asked = [replaced(each, persons=Persons(columns=("id",), most=most)) for each in SOME]
    table, levels, persons = around_the_bound(random.Random(seed), most)
    found = table.aggregates(asked, salt=f"salt {seed}")
    rows = of_persons(most, f"salt {seed}", levels, persons)
    assert found.rows == len(rows)
    assert {each: found[each] for each in asked} == {each: plain(each, rows) for each in asked}


@pytest.mark.parametrize("most", [1, 2, 5])
def test_all_aggregates_are_those_of_the_kept_rows(most):
    for seed in range(2):
        compare_with_the_definition(seed, most)


@pytest.mark.long
@pytest.mark.parametrize("most", [1, 2, 3, 4, 7, 20])
def test_all_aggregates_are_those_of_the_kept_rows_on_many_tables(most):
    for seed in range(100, 112):
        compare_with_the_definition(seed, most)


def test_aggregates_of_one_request_may_keep_different_numbers_of_rows():
    table, levels, persons = around_the_bound(random.Random(7), 3)
    asked = [replaced(each, persons=Persons(columns=("id",), most=1 + i % 4)) for i, each in enumerate(SOME)]
    found = table.aggregates(asked, salt="s")
    for each in asked:
        assert found[each] == plain(each, of_persons(each.persons.most, "s", levels, persons)), each
    assert found.rows == len(of_persons(4, "s", levels, persons))
    assert found == table.aggregates(reversed(asked), salt="s")


def test_the_statement_is_shown_before_the_table_exists():
    who = Persons(columns=("g", "id"), most=3)  # g is a part of the name and a category as well
    text = statement([Sum(column=X, by=G, persons=who), People(by=G, persons=who)])
    assert '"id"' in text
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data (x DOUBLE, g VARCHAR, id VARCHAR)")
        for each in text.rstrip(";\n").split(";\n"):
            connection.execute(each)


# One reading


@pytest.mark.parametrize("dialect", [DUCKDB, POSTGRES, SPARK], ids=lambda each: each.name)
def test_a_statement_reads_the_table_once(dialect):
    kinds = {"x": NUMERIC, "g": TEXT, "id": TEXT}
    rows = Rows(
        origin="the_table", fields=tuple(Field(name=n, reads=n, stored="?", kind=kind) for n, kind in kinds.items())
    )
    who = Persons(columns=("id",), most=2)
    asked = [Sum(column=X, persons=who), Count(by=G, persons=who), People(by=G, persons=who)]
    statements = generator.script(asked, rows, dialect=dialect).statements
    assert [each.text.count("the_table") for each in statements] == [1, 1, 1]


CHANGING = Rows(  # another table each time it is read: a hundred rows of about ten persons
    origin="(SELECT CAST(floor(random() * 10) AS BIGINT) AS id, 1 AS x FROM range(100))",
    fields=tuple(Field(name=name, reads=name, stored="BIGINT", kind=WHOLE) for name in ("id", "x")),
)


def most_rows_of_a_person(text):
    with duckdb.connect() as connection:
        return max(Counter(person for _, person in connection.execute(text).fetchall()).values())


def test_a_table_that_changes_between_readings_gives_nobody_more_rows():
    text = level_rows([X], CHANGING, persons=Persons(columns=("id",), most=8))
    assert {most_rows_of_a_person(text) for _ in range(5)} == {8}  # of ten persons with a hundred rows one has ten


def test_the_same_statement_in_several_readings_would_give_somebody_more():
    """The twin: where a subquery is computed each time, somebody is light in one reading and has more in another.

    For each of 200 persons that is likely by 0.3 * 0.6 (binomial, 100 rows, 1/10: at most 8 rows, at least 9).
    """
    text = level_rows([X], CHANGING, persons=Persons(columns=("id",), most=8)).replace(
        "AS MATERIALIZED", "AS NOT MATERIALIZED"
    )
    assert max(most_rows_of_a_person(text) for _ in range(20)) > 8


# Persons of several columns

PARTS = ["", "a", "b", ":", "1", "1:", "a:b", "1:a", "é", "🙂", None]


def test_persons_of_several_columns_keep_the_rows_of_the_definition():
    draw = random.Random(3)
    rows = [(draw.randrange(10), draw.choice(PARTS), draw.choice(PARTS), draw.choice([1, 2, None])) for _ in range(900)]
    who = Persons(columns=("house", "name", "born"), most=2)
    names = "x", *who.columns
    table = open_table({name: np.array([row[i] for row in rows], dtype=object) for i, name in enumerate(names)})
    persons = [(house, name, None if born is None else str(born)) for _, house, name, born in rows]
    wanted = kept([((x,), person) for (x, *_), person in zip(rows, persons, strict=True)], most=2, salt="s")
    asked = [Sum(column=X, persons=who), Count(persons=who)]
    found = table.aggregates(asked, salt="s")
    assert [found[each] for each in asked] == [(sum(x for (x,), _ in wanted),), (len(wanted),)]
    with duckdb.connect(config={"pandas_analyze_sample": "0"}) as connection:
        opened = table.source.open(connection, [X, *who.person_columns])
        text = level_rows([X], opened, persons=who, salt="s")
        assert by_order(((x,), person) for x, person in connection.execute(text).fetchall()) == wanted


def test_no_two_persons_of_several_columns_are_one():
    """Joined without their lengths, a:b and c would be a and b:c."""
    parts = [part for part in PARTS if part is not None]
    pairs = [(first, second) for first in parts for second in parts]
    table = open_table({name: [pair[i] for pair in pairs] for i, name in enumerate("ab")})
    both, swapped = (Count(persons=Persons(columns=columns, most=1)) for columns in ("ab", "ba"))
    assert table.aggregates([both]).rows == table.aggregates([swapped]).rows == len(pairs)
    assert len({text_of(pair) for pair in pairs}) == len(pairs)


def test_a_person_of_whom_a_part_is_missing_is_nobody():
    table = open_table({"a": ["p", None, "p", None], "b": ["q", "q", None, None]})
    asked = [Count(persons=Persons(columns=("a", "b"), most=9)), People(persons=Persons(columns=("a", "b"), most=9))]
    found = table.aggregates(asked)
    assert (found.rows, [found[each] for each in asked]) == (1, [(1,), (1,)])


def test_persons_of_other_columns_cannot_be_asked_about_at_one_time():
    one, other = (Count(persons=Persons(columns=(name,), most=1)) for name in "ab")
    table = open_table({"a": [1], "b": [2]})
    for asked in ([one, other], [one, Count()], [People(persons=one.persons), Count()]):
        with pytest.raises(ParameterError, match="one unit"):
            table.aggregates(asked)
    for wrong in ((), ("a", "a")):
        with pytest.raises(ParameterError, match="the person"):
            Persons(columns=wrong, most=1)


# What may name a person


def test_numbers_text_and_uuids_name_persons_alike():
    who = Persons(columns=("id",), most=1)
    asked = [Count(persons=who)]
    ids = [uuid.uuid5(uuid.NAMESPACE_DNS, str(i)) for i in (1, 2, 1)]
    for cells in ([1, 2, 1], ["1", "2", "1"], np.array([1, 2, 1]), ids, [True, 3.5, "x"]):
        expected = 1 if cells[0] is True else 2  # what is no text and no whole number names nobody
        assert open_table({"id": cells}).aggregates(asked).rows == expected


def test_a_name_keeps_the_same_rows_however_it_is_stored():
    """Whole numbers and UUIDs are told apart as they are stored, and hashed by their text."""
    draw = random.Random(4)
    ids = [draw.randrange(30) for _ in range(300)]
    uuids = [uuid.uuid5(uuid.NAMESPACE_DNS, str(i)) for i in ids]
    for names, kinds in ((ids, ("BIGINT", "UTINYINT", "HUGEINT", "VARCHAR")), (uuids, ("UUID", "VARCHAR"))):
        found = set()
        with duckdb.connect() as connection:
            connection.register("given", {"id": np.array(list(map(str, names))), "x": np.arange(300) % 7})
            for kind in kinds:
                origin = f"(SELECT CAST(id AS {kind}) AS id, x FROM given)"
                rows = Rows(origin=origin, fields=described(connection, f"SELECT * FROM {origin}"))
                text = level_rows([X], rows, persons=Persons(columns=("id",), most=2), salt="s")
                found.add(tuple(by_order(((x,), person) for x, person in connection.execute(text).fetchall())))
        wanted = kept([((i % 7,), str(name)) for i, name in enumerate(names)], most=2, salt="s")
        assert found == {tuple(wanted)}


def test_a_collation_of_the_column_makes_no_two_names_one(tmp_path):
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people (id VARCHAR COLLATE NOCASE)")
        connection.execute("INSERT INTO people VALUES ('ann'), ('Ann'), ('ANN'), ('ann')")
    who = Persons(columns=("id",), most=1)
    table = open_table(path, table="people")
    assert table.aggregates([Count(persons=who)]).rows == 3
    assert table.aggregates([People(persons=who)])[People(persons=who)] == (3,)


def test_numbers_that_are_not_whole_cannot_name_persons():
    for cells in (np.array([1.0, 2.0]), np.array([True, False])):
        with pytest.raises(DataError, match="declared as person but stored as"):
            open_table({"id": cells}).aggregates([Count(persons=Persons(columns=("id",), most=1))])
    with pytest.raises(DataError, match="no column named 'id'"):
        open_table({"x": [1]}).aggregates([Count(persons=Persons(columns=("id",), most=1))])
    with pytest.raises(ParameterError, match="keeps no row"):
        Persons(columns=("id",), most=0)


def test_a_person_column_takes_what_categories_take_but_truth():
    for kind in (TEXT, LABEL, WHOLE):
        rows = Rows(origin="t", fields=(Field(name="id", reads="id", stored="?", kind=kind),))
        assert rows.field(PersonColumn(name="id")).kind == kind


def test_more_rows_each_never_take_a_kept_row_away():
    rows = as_levels(random_rows(random.Random(2), 400))
    for few, more in pairwise((1, 2, 3, 7)):
        assert not Counter(kept(rows, most=few)) - Counter(kept(rows, most=more))
