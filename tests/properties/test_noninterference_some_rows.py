"""Noninterference of statistics of some rows: of those who answered, and of those that meet conditions.

Who starts or stops counting, has a cell or none, meets a condition or not, alone or among a person's rows: with bits
that give the same indices nothing that can be seen differs.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.test_noninterference import (
    COLUMNS,
    NAN,
    PAIRS,
    PLAIN,
    TEXTS,
    Pair,
    assert_nothing_is_told,
    assert_same,
    changed,
    removed,
    seen_twice,
    study,
)
from tests.tiers import first_of, those_in

RULES = {"x": "dropped", "y": "middle", "k": 40}
GAPS = {name: {**each, "missing": RULES[name]} if name in RULES else each for name, each in COLUMNS.items()}
A, HIGH = {"column": "g", "equals": "a"}, {"column": "x", "from": 750}
SOME = [
    {"kind": "mean", "column": "x"},
    {"kind": "mean", "column": "y", "where": [HIGH], "count_share": "3/4"},
    {"kind": "mean", "column": "x", "by": "g", "where": [{"column": "k", "below": 21}]},
    {"kind": "mean", "columns": ["x", "k"], "complete": True},
    {"kind": "mean", "columns": ["y", "x", "k"], "complete": True, "by": "g", "where": [HIGH]},
    {"kind": "variance", "column": "x"},
    {"kind": "covariance", "columns": ["x", "k"], "correlation": True},
    {"kind": "covariance", "columns": ["y", "x"], "by": "g", "where": [HIGH]},
    {"kind": "sum", "column": "x", "where": [A]},
    {"kind": "sum", "column": "k", "where": [HIGH, A]},
    {"kind": "histogram", "column": "x", "edges": [500, 750, 1000], "missing": "binned", "by": "g"},
    {"kind": "histogram", "column": "k", "edges": list(range(-3, 41)), "where": [HIGH]},  # 43 cells: the vector path
    {"kind": "histogram", "column": "g", "where": [HIGH]},
    {"kind": "count", "where": [HIGH]},
    {"kind": "quantiles", "column": "k"},  # where every row counts n is the root
    {"kind": "quantiles", "column": "y", "at": ["1/4", "3/4"], "branching": 5, "where": [HIGH]},
]
MORE = {
    "a row stops counting": changed((800.0, 2.0, 20.0, "a", "a"), (None, 2.0, 20.0, "a", "a")),
    "a row no longer meets a condition": changed((750.0, 2.0, 20.0, "a", "a"), (749.0, 2.0, 20.0, "b", "a")),
    "nobody answered but one": Pair(
        "change-one", 2, [(NAN, 1.0, 1.0, "a", "a"), PLAIN], [(NAN, 1.0, 1.0, "a", "a")] * 2
    ),
    "the only one who answered comes or goes": removed(PLAIN, rows=[(None, 2.0, 20.0, "a", "a")] * 3),
}
NAMES = [
    "from one bound to the other",
    "a row moves between groups",
    "all cells missing",
    "all cells not a number",
    "a row of missing cells comes or goes",
    "a row above n_max",
]
SLOWER = NAMES[::2]  # in the long suite
EVERY = {**MORE, **{name: PAIRS[name] for name in NAMES}}


def asked(pair: Pair) -> dict[str, Any]:
    shared = {"kind": "mean", "column": "x", "count_share": "1/4"}
    statistics = [*SOME[1:], shared] if pair.relation == "add-remove" else SOME
    return study(pair.relation, pair.rows, statistics, **GAPS)


@pytest.mark.parametrize("name", those_in(EVERY.keys() - SLOWER, EVERY))
def test_files_of_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    assert_nothing_is_told(EVERY[name], "csv", tmp_path, capfd, values=asked(EVERY[name]))


@pytest.mark.parametrize("kind", first_of(["parquet", "duckdb", "pandas"]))
def test_tables_and_frames_of_neighbours_with_the_same_indices_cannot_be_told_apart(kind, tmp_path, capfd):
    pair = MORE["a row stops counting"]
    assert_same(*seen_twice(pair, kind, tmp_path, capfd, values=asked(pair)))


def test_text_that_is_no_number_cannot_be_told_from_a_number(tmp_path, capfd):
    pair = TEXTS["text that is no number"]
    assert_same(*seen_twice(pair, "csv", tmp_path, capfd, values=asked(pair), texts=True))
