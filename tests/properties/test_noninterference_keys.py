"""Noninterference of groups by the keys of a file, hostile names too, few keys and many.

A row that moves from one key to another, that leaves the keys or comes or goes: with bits that give the same indices
nothing that can be seen differs, side files included, and no statistic loses more than it is charged.
"""

from __future__ import annotations

from pathlib import Path
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
from tests.tiers import those_in

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


def keys_in(folder: Path) -> str:
    """Write keys by the columns g and h that are no product, and return their path."""
    rows = [(g, h) for g in HOSTILE for h in HOSTILE if (g, h) != ("b", "a")]
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
    return study(pair.relation, pair.rows, statistics, **NUMBERS)


@pytest.mark.parametrize("name", those_in(IN_DEFAULT, PAIRS))
def test_files_of_neighbours_with_the_same_indices_cannot_be_told_apart(name, tmp_path, capfd):
    values = asked(PAIRS[name], keys_in(tmp_path / "public"))
    assert_same(*seen_twice(PAIRS[name], "csv", tmp_path / "home", capfd, values=values))


def test_a_row_that_moves_spends_what_is_charged_and_none_spends_more(tmp_path):
    keys = keys_in(tmp_path)
    lost = {name: losses(pair, "csv", tmp_path, values=asked(pair, keys))[0] for name, pair in PAIRS.items()}
    assert lost["a row moves between hostile names"] == lost["a row comes or goes"] == 1
    assert lost["a row leaves the keys"] * 2 == lost["a row is in a product of keys and in none of them"] * 2 == 1
