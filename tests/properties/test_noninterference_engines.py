"""Noninterference and neighbours on Spark and PostgreSQL: fewer examples of what holds on DuckDB."""

from __future__ import annotations

from typing import Any

import pytest

import snapdp
from tests.properties.observing import exact_numerators
from tests.properties.test_noninterference import COLUMNS, PAIRS, Pair, assert_same, seen_twice, study
from tests.properties.test_noninterference_magnitudes import asked as asked_of_a_look, check_loss
from tests.services import new_database, on_spark, postgres_server, spark_session
from tests.unit.tables import everywhere

NAMES = ["a row moves between groups", "all cells missing", "infinities", "many rows above n_max"]
STATISTICS = [
    {"kind": "mean", "column": "x"},
    {"kind": "sum", "column": "k", "by": "g"},
    {"kind": "mean", "column": "x", "by": "g"},
    {"kind": "histogram", "column": "h"},
    {"kind": "histogram", "column": "y", "edges": [-1, 0, 1], "outside": "binned", "by": "g"},
    {"kind": "count", "where": [{"column": "x", "from": 600}]},
]
MOMENTS = [
    {"kind": "variance", "column": "y", "by": "g"},
    {"kind": "covariance", "columns": ["x", "y"], "where": [{"column": "x", "from": 600}], "correlation": True},
]
RANKS = [
    {"kind": "quantiles", "column": "y", "at": ["0.25", "0.5", "0.75"]},
    {"kind": "quantiles", "column": "k", "by": "g", "where": [{"column": "x", "from": 600}]},
]
VARIANCES = [{"kind": "variance", "column": "y"}, {"kind": "covariance", "columns": ["x", "y"]}]


def typed(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    kinds = {name: "text" if name in "gh" else "double" for name in COLUMNS}
    return {name: (kinds[name], [row[i] for row in rows]) for i, name in enumerate(COLUMNS)}


def asked(pair: Pair) -> dict[str, Any]:
    more = VARIANCES if pair.relation == "change-one" else []
    return study(pair.relation, pair.rows, [*STATISTICS, *MOMENTS, *RANKS, *more])


def both(pair: Pair, make: Any, folder: Any, values: dict[str, Any]) -> Any:
    """Return the lines of a request, and the exact numerators of both tables."""
    request = snapdp.study(values).request()
    one, two = (exact_numerators(request, make(rows)(folder)) for rows in (pair.one, pair.two))
    return request.lines, one, two


def moves(pair: Pair, make: Any, folder: Any) -> None:
    """Assert that no part of a statistic moves by more than it may."""
    lines, one, two = both(pair, make, folder, asked(pair))
    for line, first, second in zip(lines, one, two, strict=True):
        for part, a, b in zip(line.statistic.parts, first, second, strict=True):
            distance = sum(abs(int(x) - int(y)) for x, y in zip(a, b, strict=True))
            assert distance <= part.moving * part.numerator.sensitivity


def look(pair: Pair, kind: str, make: Any, folder: Any, capture: Any) -> None:
    """Assert that a first look loses what it is charged, and that nothing but its indices can be seen."""
    values = asked_of_a_look(pair)
    check_loss(*both(pair, make, folder, values))
    assert_same(*seen_twice(pair, kind, folder, capture, values=values, make=make))


LOOKS = ["infinities", "many rows above n_max", "all cells not a number", "zeros of both signs and subnormals"]


@pytest.mark.parametrize("name", [*LOOKS[:2], *(pytest.param(name, marks=pytest.mark.long) for name in LOOKS[2:])])
def test_a_server_cannot_tell_looks_at_neighbours_apart(name, tmp_path, capfd):
    with new_database(postgres_server()) as where:

        def make(rows: list[tuple[Any, ...]]) -> Any:
            return lambda _: everywhere.on_postgres(typed(rows), where)

        look(PAIRS[name], "postgres", make, tmp_path, capfd)


@on_spark
@pytest.mark.long
@pytest.mark.parametrize("name", LOOKS)
def test_spark_cannot_tell_looks_at_neighbours_apart(name, tmp_path, capfd):
    session = spark_session()
    look(PAIRS[name], "spark", lambda rows: lambda _: everywhere.on_spark(typed(rows), session), tmp_path, capfd)


@pytest.mark.parametrize("name", NAMES)
def test_a_server_cannot_tell_neighbours_with_the_same_indices_apart(name, tmp_path, capfd):
    with new_database(postgres_server()) as where:

        def make(rows: list[tuple[Any, ...]]) -> Any:
            return lambda _: everywhere.on_postgres(typed(rows), where)

        moves(PAIRS[name], make, tmp_path)
        seen = seen_twice(PAIRS[name], "postgres", tmp_path, capfd, values=asked(PAIRS[name]), make=make)
        assert_same(*seen)


@on_spark
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES[1::2])
def test_spark_cannot_tell_neighbours_with_the_same_indices_apart(name, tmp_path, capfd):
    session = spark_session()

    def make(rows: list[tuple[Any, ...]]) -> Any:
        return lambda _: everywhere.on_spark(typed(rows), session)

    moves(PAIRS[name], make, tmp_path)
    assert_same(*seen_twice(PAIRS[name], "spark", tmp_path, capfd, values=asked(PAIRS[name]), make=make))
