"""Noninterference of a first look: whatever a cell is, with the same indices nothing that can be seen differs."""

from __future__ import annotations

from typing import Any

import pytest

import snapdp
from tests.properties.observing import exact_numerators
from tests.properties.test_noninterference import PAIRS, TEXTS, Pair, assert_same, seen_twice, study, writer

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
    return study(pair.relation, pair.rows, LOOKS, **MAGNITUDES) | {"format": 1}


def loss(pair: Pair, folder: Any, *, texts: bool) -> None:
    """Assert that no statistic of a file loses more than it is charged."""
    request = snapdp.study(asked(pair)).request()
    tables = (writer("csv", rows, texts=texts)(folder) for rows in (pair.one, pair.two))
    check_loss(request.lines, *(exact_numerators(request, table) for table in tables))


def check_loss(lines: Any, one: Any, two: Any) -> None:
    """Assert that no statistic loses more than it is charged, in units of the epsilon typed."""
    for line, first, second in zip(lines, one, two, strict=True):
        lost = 0
        for part, a, b in zip(line.statistic.parts, first, second, strict=True):
            distance = sum(abs(int(x) - int(y)) for x, y in zip(a, b, strict=True))
            lost += part.share * distance / part.numerator.sensitivity
        assert lost <= 1, line.statistic.title


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name not in SHORT)) for name in PAIRS])
def test_looks_at_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    loss(PAIRS[name], tmp_path, texts=False)
    assert_same(*seen_twice(PAIRS[name], "csv", tmp_path, capfd, values=asked(PAIRS[name])))


@pytest.mark.parametrize("name", TEXTS)
def test_cells_that_are_no_numbers_cannot_be_told_from_others_either(name, tmp_path, capfd):
    loss(TEXTS[name], tmp_path, texts=True)
    assert_same(*seen_twice(TEXTS[name], "csv", tmp_path, capfd, values=asked(TEXTS[name]), texts=True))
