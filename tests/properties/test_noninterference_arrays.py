"""Noninterference over every kind of array, with warnings as errors: a cell beyond the doubles is not heard of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas
import pytest

import snapdp
from tests.properties.test_noninterference import COLUMNS, PAIRS, PLAIN, Pair, assert_same, changed, removed, seen_twice
from tests.properties.test_noninterference_engines import asked

FAR = np.longdouble("1e4000")
FAR_PAIRS = {
    "beyond the doubles": changed((FAR, -FAR, FAR, "a", "a"), PLAIN),
    "a row beyond the doubles comes or goes": removed((-FAR, FAR, -FAR, "?", None)),
}


def floats(cells: list[Any], kind: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.array([np.nan if cell is None else cell for cell in cells], dtype=np.longdouble).astype(kind)


KINDS = {
    "long doubles": lambda cells: floats(cells, np.longdouble),
    "singles": lambda cells: floats(cells, np.float32),
    "halves": lambda cells: floats(cells, np.float16),
    "big-endian": lambda cells: floats(cells, ">f8"),
    "objects": lambda cells: np.array([None if c is None else np.longdouble(c) for c in cells] + [None])[:-1],
    "a list": lambda cells: [None if c is None else np.longdouble(c) for c in cells],
    "masked": lambda cells: np.ma.masked_array(floats(cells, np.longdouble), mask=[c is None for c in cells]),
    "nullable": lambda cells: pandas.array([None if c is None else float(c) for c in floats(cells, float)], "Float64"),
}


def maker(kind: str, frame: bool) -> Any:
    def make(rows: list[tuple[Any, ...]]) -> Any:
        columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
        arrays = {name: KINDS[kind](columns[name]) for name in "xyk"}
        arrays |= {name: np.array([*columns[name], None], dtype=object)[:-1] for name in "gh"}
        return lambda _: snapdp.open_table(pandas.DataFrame(arrays) if frame else arrays)

    return make


def assert_nothing_is_heard(kind: str, pair: Pair, tmp_path: Any, capfd: Any, *, frame: bool = False) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(*seen_twice(pair, kind, tmp_path, capfd, values=asked(pair), make=maker(kind, frame)))


@pytest.mark.parametrize("kind", ["long doubles", "objects", "masked", "singles"])
def test_no_kind_of_array_tells_a_cell_beyond_the_doubles(kind, tmp_path, capfd):
    assert_nothing_is_heard(kind, FAR_PAIRS["beyond the doubles"], tmp_path, capfd)


@pytest.mark.long
@pytest.mark.parametrize("name", [*FAR_PAIRS, *PAIRS])
@pytest.mark.parametrize("frame", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_of_array_tells_neighbours_apart(kind, frame, name, tmp_path, capfd):
    assert_nothing_is_heard(kind, {**FAR_PAIRS, **PAIRS}[name], tmp_path, capfd, frame=frame)
