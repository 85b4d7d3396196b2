"""Noninterference of groups by the keys of a file, hostile names too, few keys and many.

A row that moves from one key to another, that leaves the keys or comes or goes: with bits that give the same indices
nothing that can be seen differs, side files included, and no statistic loses more than it is charged.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import snapdp
from tests.properties.observing import exact_numerators
from tests.properties.test_noninterference import (
    NAN,
    Pair,
    assert_same,
    changed,
    removed,
    seen_twice,
    study,
    writer,
)

HOSTILE = [",", " / ", '"', "\x1b[31m", "a", "b"]
NUMBERS: dict[str, Any] = {
    "x": {"kind": "number", "lower": 500, "upper": 1000, "step": "1/2", "missing": "dropped"},
    "k": {"kind": "integer", "lower": -3, "upper": 40, "missing": "dropped"},
}
PLAIN = (600.0, 2.0, 20.0, "a", "a")
PAIRS = {
    "a row moves between hostile names": changed((600.0, 2.0, 20.0, ",", "\x1b[31m"), (900.0, 2.0, 9.0, " / ", '"')),
    "a row leaves the keys": changed(PLAIN, (600.0, 2.0, 20.0, "a", "never declared")),
    "a row is in a product of keys and in none of them": changed(PLAIN, (600.0, 2.0, 20.0, "b", "a")),
    "all cells missing": changed(PLAIN, (None, NAN, None, None, None)),
    "a row comes or goes": removed(PLAIN),
    "a row above n_max": removed(PLAIN, n_max=3),
}
IN_DEFAULT = ["a row moves between hostile names", "a row comes or goes"]


def keys_in(folder: Path, more: int = 0) -> str:
    """Write keys by the columns g and h that are no product, and return their path."""
    rows = [(g, h) for g in HOSTILE for h in HOSTILE if (g, h) != ("b", "a")] + [(f"m{i}", "a") for i in range(more)]
    lines = [",".join('"{}"'.format(text.replace('"', '""')) for text in row) for row in [("g", "h"), *rows]]
    folder.mkdir(exist_ok=True)
    (folder / "keys.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder / "keys.csv")


def asked(pair: Pair, keys: str) -> dict[str, Any]:
    by = {"by": ["g", "h"], "keys": keys}
    statistics = [
        {"kind": "count", **by},
        {"kind": "sum", "column": "k", **by},
        {"kind": "mean", "column": "x", **by},
        {"kind": "histogram", "column": "x", "edges": [500, 700, 1000], **by},
    ]
    return study(pair.relation, pair.rows, statistics, **NUMBERS) | {"format": 1}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in IN_DEFAULT)) for name in PAIRS]
)
def test_files_of_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    values = asked(PAIRS[name], keys_in(tmp_path / "public"))
    assert_same(*seen_twice(PAIRS[name], "csv", tmp_path / "home", capfd, values=values))


def test_a_row_that_moves_spends_what_is_charged_and_none_spends_more(tmp_path):
    keys, found = keys_in(tmp_path), {}
    for name, pair in PAIRS.items():
        request = snapdp.study(asked(pair, keys)).request()
        one, two = (exact_numerators(request, writer("csv", rows)(tmp_path)) for rows in (pair.one, pair.two))
        found[name] = []
        for line, first, second in zip(request.lines, one, two, strict=True):
            lost = 0
            for part, a, b in zip(line.statistic.parts, first, second, strict=True):
                distance = sum(abs(int(x) - int(y)) for x, y in zip(a, b, strict=True))
                lost += part.share * distance / part.numerator.sensitivity
            assert lost <= 1, line.statistic.title
            found[name].append(lost)
    assert found["a row moves between hostile names"][0] == 1
    assert found["a row comes or goes"][0] == 1
    assert found["a row leaves the keys"][0] * 2 == 1
    assert found["a row is in a product of keys and in none of them"][0] * 2 == 1
