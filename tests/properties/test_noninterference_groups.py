"""Noninterference of groups by several columns: categories, booleans, dates and bins of numbers, hostile names too.

A row that moves from one cell to another, in one column or in all, that leaves the cells or comes or goes: with bits
that give the same indices nothing that can be seen differs, and no statistic loses more than it is charged.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.test_noninterference import (
    NAN,
    Pair,
    assert_same,
    changed,
    losses,
    removed,
    seen_twice,
    study,
)
from tests.tiers import first_of, those_in

HOSTILE = ["", ",", " / ", '"', "\x1b[31m", "a"]
CUT = {"edges": [500, 600, "700.5"], "outside": "binned", "null": "binned"}
COLUMNS: dict[str, Any] = {
    "x": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/2", "missing": "dropped", **CUT},
    "y": {"kind": "number", "lower": -4, "upper": 4, "step": "1/8", "missing": 0, "edges": [-4, 0, 4]},
    "k": {"kind": "integer", "lower": -3, "upper": 40, "missing": "dropped"},
    "g": {
        "kind": "category",
        "categories": ["b", *HOSTILE],
        "unknown": "binned",
        "compare": "text",
        "parents": {"one / two": {"\x1b[31m": ["b", *HOSTILE[:3]], ",": HOSTILE[3:]}},
    },
    "h": {"kind": "category", "categories": [*HOSTILE, "b"], "null": "binned", "compare": "text"},
}
STATISTICS = [
    {"kind": "count", "by": ["g", "h"]},
    {"kind": "count", "by": ["h", "x"], "where": [{"column": "k", "below": 21}]},
    {"kind": "count", "by": "x"},
    {"kind": "sum", "column": "k", "by": ["x", "y"]},
    {"kind": "mean", "column": "x", "by": ["y", "h"]},
    {"kind": "histogram", "column": "x", "by": ["y", "h"]},
    {"kind": "histogram", "column": "h", "by": "x"},
    {"kind": "count", "by": ["g", "x"], "margins": "all"},
    {
        "kind": "sum",
        "column": "k",
        "by": ["h", "x"],
        "margins": [[], ["x"], ["h", "x"]],
        "shares": ["1/2", "1/4", "1/4"],
    },
    {"kind": "count", "by": "g", "margins": "hierarchy"},
    {"kind": "variance", "column": "k", "by": ["y", "h"]},
    {"kind": "quantiles", "column": "k", "at": ["1/3", "0.5"], "by": "y"},
]
PLAIN = (600.0, 2.0, 20.0, "a", "a")
PAIRS = {
    "a row moves in both columns": changed(PLAIN, (1000.0, -2.0, 20.0, "b", ",")),
    "a row moves in one column": changed(PLAIN, (600.0, 2.0, 20.0, "a", '"')),
    "a row moves between hostile names": changed((600.0, 2.0, 20.0, ",", "\x1b[31m"), (600.0, 2.0, 20.0, " / ", '"')),
    "a number moves over an edge": changed((599.5, 0.0, 3.0, "a", "a"), (600.0, -0.125, 3.0, "a", "a")),
    "a row leaves the cells of one column": changed(PLAIN, (600.0, 2.0, 20.0, "a", "never declared")),
    "all cells missing": changed(PLAIN, (None, NAN, None, None, None)),
    "a row comes or goes": removed(PLAIN),
    "a row that is in no cell comes or goes": removed((NAN, None, 2.0, None, "?")),
    "a row above n_max": removed(PLAIN, n_max=3),
}
IN_DEFAULT = ["a row moves between hostile names", "a row that is in no cell comes or goes"]


def asked(pair: Pair) -> dict[str, Any]:
    return study(pair.relation, pair.rows, STATISTICS, **COLUMNS)


@pytest.mark.parametrize("name", those_in(IN_DEFAULT, PAIRS))
def test_files_of_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    assert_same(*seen_twice(PAIRS[name], "csv", tmp_path, capfd, values=asked(PAIRS[name])))


def test_a_row_that_moves_spends_what_is_charged_and_none_spends_more(tmp_path):
    """Teeth: where a row goes from one cell to another the whole epsilon is used; more than that would be a defect."""
    lost = {name: losses(pair, "csv", tmp_path, values=asked(pair)) for name, pair in PAIRS.items()}
    assert lost["a row moves in both columns"][0] == 1
    assert lost["a row moves in one column"][0] == 1
    assert lost["a row moves in one column"][2] == 0  # its number did not move
    assert lost["a number moves over an edge"][2] == 1
    assert lost["a row leaves the cells of one column"][0] * 2 == 1
    assert lost["a row comes or goes"][0] == 1
    assert lost["a row that is in no cell comes or goes"][0] == 0
    assert lost["a row comes or goes"][7] == 1  # in every margin
    assert lost["a row that is in no cell comes or goes"][7:10] == [0, 0, 0]  # and in none, the total included
    assert lost["a row moves in both columns"][9] * 3 == 2  # in two levels; the total stays
    assert lost["a row comes or goes"][9] == 1
    assert lost["a row comes or goes"][11] == 1  # in every depth


@pytest.mark.parametrize("kind", first_of(["lists", "polars"]))
def test_frames_of_neighbours_with_the_same_indices_cannot_be_told_apart(kind, tmp_path, capfd):
    """In a frame the empty text is a category of its own."""
    pair = changed((600.0, 2.0, 20.0, "", ""), (600.0, 2.0, 20.0, ",", None))
    assert losses(pair, kind, tmp_path, values=asked(pair))[0] == 1
    assert_same(*seen_twice(pair, kind, tmp_path, capfd, values=asked(pair)))
