"""What is declared of a statistic is said in the same words before a release and after it."""

from __future__ import annotations

from typing import Any

from snapdp.api.study import Study
from snapdp.release.remarks import declared_clauses
from snapdp.studies.study_file import study_from_values
from tests.unit.api.test_consequence import COLUMNS, EVERYTHING, PERSONS

MORE_COLUMNS: dict[str, Any] = {
    "hours": {"kind": "number", "lower": 0, "upper": "80.000", "step": 1, "missing": "dropped"},
    "paid": {"kind": "number", "lower": 0, "upper": 100000, "step": 1, "missing": 5, "edges": [0, 100, 1000]},
    "day": {"kind": "date", "from": "2026-01-01", "to": "2026-03-01", "each": "month"},
    "ill": {"kind": "boolean"},
    "ward": {"kind": "category", "categories": [str(at) for at in range(1500)]},
}
MORE: list[dict[str, Any]] = [
    {"kind": "histogram", "column": "hours", "edges": [0, 40, 80], "missing": "binned"},
    {"kind": "histogram", "column": "hours", "edges": [10, 40, 70], "by": "ill"},
    {"kind": "histogram", "column": "paid"},
    {"kind": "count", "by": ["day", "paid"]},
    {"kind": "mean", "column": "paid", "by": "paid"},
    {
        "kind": "count",
        "by": "ward",
        "where": [{"column": "hours", "from": 5}, {"column": "ill", "equals": "true"}],
    },
]


def said(columns: dict[str, Any], asked: list[dict[str, Any]]) -> dict[str, tuple[set[str], list[str]]]:
    """Return by title what a plan says of its cells, and what a declaration says."""
    lines = [{"epsilon": "1/2", **each} for each in asked]
    values = {"format": 1, "dataset": "people", **PERSONS, "columns": {**COLUMNS, **columns}, "statistic": lines}
    request = Study(study_from_values(values)).request()
    found = {}
    for line, declared in zip(request.lines, request.declaration["statistics"], strict=True):
        statistic = line.statistic
        planned = {*statistic.missing_in_words, *statistic.others_in_words}
        found[statistic.readable_title] = planned, declared_clauses(declared)
    return found


def test_a_declaration_says_of_its_cells_what_the_plan_says():
    for title, (planned, declared) in said(MORE_COLUMNS, [*EVERYTHING, *MORE]).items():
        words = {each.removesuffix(", and how many count is private") for each in planned}
        assert words <= {*declared}, title


def test_bounds_bins_and_categories_are_said_as_they_are_read():
    found = {title: declared for title, (_, declared) in said(MORE_COLUMNS, [*EVERYTHING, *MORE]).items()}
    assert found["histogram(hours)"][0] == "3 bins of hours with the edges 0, 40 and 80"
    assert found["mean(paid) by paid"][:2] == [
        "paid from 0 to 100,000",
        "2 bins of paid with the edges 0, 100 and 1,000",
    ]
    assert found["histogram(region)"][0] == "2 categories of region: north, south"
    assert found["count where 5 <= hours and ill = true by ward"][0] == "1,500 categories of ward"
    assert "day from 2026-01-01 to 2026-03-01, by month" in found["count by day, paid"]
    assert found["count"] == []


def test_beside_a_table_its_own_names_are_left_out():
    values = {
        "columns": [{"name": "g", "kind": "category", "categories": ["a"], "unknown": "dropped", "null": "dropped"}]
    }
    declared = {"kind": "histogram", **values}
    assert len(declared_clauses(declared)) == 2
    assert declared_clauses(declared, cells=False) == [
        "cells of g that mean none of its categories, and empty ones, are left out"
    ]


def test_nothing_is_said_of_what_cannot_be_read():
    assert declared_clauses({"kind": "histogram", "columns": [{"name": "x"}]}) == []
    assert declared_clauses({}) == []
