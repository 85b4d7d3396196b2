"""Noninterference of a first look: whatever a cell is, with the same indices nothing that can be seen differs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.properties.test_noninterference import PAIRS, TEXTS, Pair, assert_nothing_is_told, study
from tests.tiers import those_in

MAGNITUDES = {
    "x": {"kind": "magnitude"},
    "y": {"kind": "magnitude", "exponents": [-3, 2]},
    "k": {"kind": "magnitude", "exponents": [0, 0]},
    "g": {"kind": "category", "categories": ["a", "b", "absent"], "unknown": "binned", "null": "binned"},
    "h": {"kind": "category", "categories": ["b", "a"]},
}
LOOKS = [
    {"kind": "magnitudes", "column": "x"},
    {"kind": "magnitudes", "column": "y", "outside": "0.4", "branching": 3},
    {"kind": "magnitudes", "column": "k", "where": [{"column": "g", "equals": "a"}]},
    {"kind": "histogram", "column": "g"},
]
SHORT = ["all cells not a number", "infinities", "a row of missing cells comes or goes", "many rows above n_max"]


def asked(pair: Pair) -> dict[str, Any]:
    return study(pair.relation, pair.rows, LOOKS, **MAGNITUDES)


@pytest.mark.parametrize("name", those_in(SHORT, PAIRS))
def test_looks_at_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    assert_nothing_is_told(PAIRS[name], "csv", tmp_path, capfd, values=asked(PAIRS[name]))


@pytest.mark.parametrize("name", TEXTS)
def test_cells_that_are_no_numbers_cannot_be_told_from_others_either(name, tmp_path, capfd):
    assert_nothing_is_told(TEXTS[name], "csv", tmp_path, capfd, values=asked(TEXTS[name]), texts=True)
