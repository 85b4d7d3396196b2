"""Noninterference and neighbours on Spark and PostgreSQL: fewer examples of what holds on DuckDB."""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.test_noninterference import COLUMNS, PAIRS, Pair, assert_nothing_is_told, study
from tests.properties.test_noninterference_magnitudes import asked as asked_of_a_look
from tests.properties.test_noninterference_persons import SHORT, asked as asked_of_persons, pair_of
from tests.services import new_database, on_spark, postgres_server, spark_session
from tests.tiers import first_of
from tests.unit.tables import everywhere

NAMES = ["a row moves between groups", "all cells missing", "infinities", "many rows above n_max"]
STATISTICS = [
    {"kind": "mean", "column": "x"},
    {"kind": "sum", "column": "k", "by": "g"},
    {"kind": "mean", "column": "x", "by": "g"},
    {"kind": "histogram", "column": "h"},
    {"kind": "histogram", "column": "y", "edges": [-1, 0, 1], "outside": "binned", "by": "g"},
    {"kind": "count", "where": [{"column": "x", "from": 600}]},
    {"kind": "variance", "column": "y", "by": "g"},
    {"kind": "covariance", "columns": ["x", "y"], "where": [{"column": "x", "from": 600}], "correlation": True},
    {"kind": "quantiles", "column": "y", "at": ["0.25", "0.5", "0.75"]},
    {"kind": "quantiles", "column": "k", "by": "g", "where": [{"column": "x", "from": 600}]},
]
VARIANCES = [{"kind": "variance", "column": "y"}, {"kind": "covariance", "columns": ["x", "y"]}]
LOOKS = ["infinities", "many rows above n_max", "all cells not a number", "zeros of both signs and subnormals"]


def typed(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    kinds = {name: "text" if name in "gh" else "double" for name in COLUMNS}
    return {name: (kinds[name], [row[i] for row in rows]) for i, name in enumerate(COLUMNS)}


def asked(pair: Pair) -> dict[str, Any]:
    more = VARIANCES if pair.relation == "change-one" else []
    return study(pair.relation, pair.rows, [*STATISTICS, *more])


def check_server(pair: Pair, values: dict[str, Any], *places: Any) -> None:
    with new_database(postgres_server()) as where:

        def make(rows: list[tuple[Any, ...]]) -> Any:
            return lambda _: everywhere.on_postgres(typed(rows), where)

        assert_nothing_is_told(pair, "postgres", *places, values=values, make=make)


def check_spark(pair: Pair, values: dict[str, Any], *places: Any) -> None:
    def make(rows: list[tuple[Any, ...]]) -> Any:
        return lambda _: everywhere.on_spark(typed(rows), spark_session())

    assert_nothing_is_told(pair, "spark", *places, values=values, make=make)


@pytest.mark.parametrize("name", first_of(LOOKS, 2))
def test_a_server_cannot_tell_looks_at_neighbours_apart(name, tmp_path, capfd):
    check_server(PAIRS[name], asked_of_a_look(PAIRS[name]), tmp_path, capfd)


@on_spark
@pytest.mark.long
@pytest.mark.parametrize("name", LOOKS)
def test_spark_cannot_tell_looks_at_neighbours_apart(name, tmp_path, capfd):
    check_spark(PAIRS[name], asked_of_a_look(PAIRS[name]), tmp_path, capfd)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_cannot_tell_neighbours_with_the_same_indices_apart(name, tmp_path, capfd):
    check_server(PAIRS[name], asked(PAIRS[name]), tmp_path, capfd)


@on_spark
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES[1::2])
def test_spark_cannot_tell_neighbours_with_the_same_indices_apart(name, tmp_path, capfd):
    check_spark(PAIRS[name], asked(PAIRS[name]), tmp_path, capfd)


def test_a_server_cannot_tell_a_person_from_nobody(tmp_path, capfd):
    check_server(pair_of(SHORT), asked_of_persons("h"), tmp_path, capfd)


@on_spark
@pytest.mark.long
def test_spark_cannot_tell_a_person_from_nobody(tmp_path, capfd):
    check_spark(pair_of(SHORT), asked_of_persons("h"), tmp_path, capfd)
