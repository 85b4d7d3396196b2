"""Neighbours that differ in a boolean, a date or a category that is a number move no farther than declared."""

from __future__ import annotations

import random

import pytest

from snapdp.release.release import exact_values
from snapdp.studies.categories import boolean_column, compared, date_column
from snapdp.studies.columns import category_column, integer_column
from snapdp.studies.conditions import condition
from snapdp.studies.relation import add_remove, change_one
from snapdp.studies.statistics.counts import count_query, persons_query
from snapdp.studies.statistics.histogram import histogram_query
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.quantiles import quantiles_query
from snapdp.tables.engines.opening import open_table
from tests.services import new_database, on_spark, postgres_server, spark_session
from tests.unit.studies.statistics.test_exact import assert_close
from tests.unit.tables.everywhere import on_duckdb, on_postgres, on_spark as spark_table
from tests.unit.tables.kinds import HAND_MADE
from tests.unit.tables.tables import csv_text

AGE = integer_column("age", lower=0, upper=120, missing="middle")
TENS = integer_column("age", lower=0, upper=120, step=10, missing="dropped")
SMOKES = boolean_column("smokes", unknown="binned")
CODE = compared(category_column("code", categories=["0", "1", "2.5"], null="binned"), "numbers")
MANY = compared(category_column("code", categories=[str(i) for i in range(100)], unknown="binned"), "numbers")
WEEKS = date_column("visit", start="2024-01-31", end="2024-03-15", each="week", unknown="binned", null="binned")
DAYS = date_column("visit", start="2024-01-31", end="2024-05-15", each="day", unknown="binned")
KNOWN = {"smokes": ["yes", "0.0", "TRUE"], "code": ["1.0", "0", " 2.50", "17"]}
KNOWN |= {"visit": ["2024-02-29", "2024-03-15T10:00"]}
NEIGHBOURS = ["change-one", "add-remove", "persons", "several", "together"]
TEXTS = [each for each in HAND_MADE if each is None or not set("\r\n") & set(each)]


def asked(relation):
    where = [condition(WEEKS, start="2024-W07", below="2024-W10"), condition(SMOKES, equals="yes")]
    people = [
        persons_query(relation),
        persons_query(relation, where=where),
        persons_query(relation, by=WEEKS, groups_per_person=2),
        persons_query(relation, by=DAYS, groups_per_person=1, where=[condition(CODE, equals="1.0")]),
        persons_query(relation, by=SMOKES, groups_per_person=3),
        mean_query(AGE, relation, by=WEEKS, rows_per_person=1),
        histogram_query(SMOKES, relation, rows_per_person=7),
        quantiles_query(TENS, relation, rows_per_person=1, by=SMOKES),
    ] if relation.person else []  # fmt: skip
    return [
        *people,
        histogram_query(SMOKES, relation),
        histogram_query(CODE, relation, by=SMOKES),
        histogram_query(MANY, relation),
        histogram_query(WEEKS, relation, by=CODE),
        histogram_query(DAYS, relation),
        count_query(relation, where=where),
        count_query(relation, where=[condition(CODE, equals="1.0")], by=WEEKS),
        mean_query(AGE, relation, by=WEEKS),
        quantiles_query(TENS, relation, branching=3),
        quantiles_query(TENS, relation, by=[SMOKES, WEEKS], where=[condition(CODE, equals="1.0")]),
    ]


def row(dice):
    cells = [dice.choice(TEXTS if dice.random() < 0.3 else known) for known in KNOWN.values()]
    return [dice.choice([None, 0, 31, 200]), *cells, dice.choice("abcdefghij")]


def neighbours(dice, kind):
    rows = [row(dice) for _ in range(dice.choice([1, 2, 60]))]
    other, place = list(rows), dice.randrange(len(rows))
    if kind in ("persons", "several"):
        columns = {"persons": ["visitor"], "several": ["visitor", "smokes"]}[kind]
        relation = add_remove(n_max=2 * len(rows), person=columns, rows_per_person=2)
        whose = [(each[-1], each[1] if len(columns) > 1 else "") for each in rows]
        return relation, rows, [each for each, one in zip(rows, whose, strict=True) if one != whose[place]]
    if kind == "together":
        relation = add_remove(n_max=2 * len(rows), unit_rows=3)
        return relation, rows, [each for number, each in enumerate(rows) if not place - 2 <= number <= place]
    if kind == "change-one":
        other[place] = row(dice)
        return change_one(n=len(rows)), rows, other
    del other[place]
    return add_remove(n_max=dice.choice([len(rows), 2 * len(rows)])), rows, other


def columns_of(rows):
    return {name: [each[i] for each in rows] for i, name in enumerate(["age", *KNOWN, "visitor"])}


def typed(rows):
    kinds = {"age": "bigint", **dict.fromkeys([*KNOWN, "visitor"], "text")}
    return {name: (kinds[name], cells) for name, cells in columns_of(rows).items()}


def compare(dice, kind, open_rows):
    relation, rows, other = neighbours(dice, kind)
    queries = asked(relation)
    here, there = (exact_values(queries, open_rows(each)) for each in (rows, other))
    plain = exact_values(queries, open_table(columns_of(rows)))
    assert here == plain
    for query, near, far in zip(queries, here, there, strict=True):
        assert_close(query, near, far)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        *((kind, seed) for kind in NEIGHBOURS[:3] for seed in range(2)),
        *((kind, seed) for seed, kind in enumerate(NEIGHBOURS[3:])),
        *(pytest.param(kind, seed, marks=pytest.mark.long) for kind in NEIGHBOURS[2:] for seed in range(2, 12)),
    ],
)
def test_neighbours_in_files_and_tables_move_no_farther_than_declared(kind, seed, tmp_path):
    def as_csv(rows):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.csv"
        path.write_text(csv_text(columns_of(rows)), encoding="utf-8", newline="")
        return open_table(path)

    dice = random.Random(f"{kind} {seed}")
    compare(dice, kind, as_csv if seed % 2 else lambda rows: on_duckdb(typed(rows), tmp_path))


@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_neighbours_on_postgresql_move_no_farther_than_declared(kind):
    with new_database(postgres_server()) as address:
        compare(random.Random(kind), kind, lambda rows: on_postgres(typed(rows), address))


@on_spark
@pytest.mark.long
@pytest.mark.parametrize("kind", NEIGHBOURS)
def test_neighbours_on_spark_move_no_farther_than_declared(kind):
    compare(random.Random(kind), kind, lambda rows: spark_table(typed(rows), spark_session()))
