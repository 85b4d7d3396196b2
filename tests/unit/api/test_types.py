"""Types of the public names: a parameter is a number, and what comes out is of the kind that went in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_overloads

import numpy as np
import pandas as pd
import polars as pl
import pytest

import snapdp
from snapdp import Snapping

TYPED = Path(__file__).with_name("typed.py")
M = Snapping(epsilon=1, sensitivity=1, lower=0, upper=100, nan=50)


@pytest.mark.long
def test_a_type_checker_refuses_exactly_the_lines_that_are_wrong():
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null", str(TYPED)],
        capture_output=True,
        text=True,
        check=False,
    )
    found = {int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line}
    lines = TYPED.read_text(encoding="utf-8").splitlines()
    assert found == {number for number, line in enumerate(lines, start=1) if line.endswith("# error")}


def test_no_parameter_is_of_any_type():
    """What the type checker is told, without running it."""
    said = Snapping.__init__.__annotations__
    assert [name for name, kind in said.items() if "Any" in kind] == []
    assert said["epsilon"] == said["sensitivity"] == "Parameter"
    for method, one, several in ((Snapping.release, "float", "float64"), (Snapping.release_index, "int", "int64")):
        returned = [each.__annotations__["return"] for each in get_overloads(method)]
        assert returned == [one, "SeriesT", f"NDArray[{several}]"]
    assert (Path(snapdp.__file__).parent / "py.typed").exists()
    assert isinstance("0.5", snapdp.Parameter)
    assert not isinstance([1], snapdp.Parameter)


@pytest.mark.parametrize("count", [3, 40])
@pytest.mark.parametrize("method", ["release", "release_index"])
def test_a_series_of_pandas_comes_back_with_its_index_and_name(method, count):
    given = pd.Series(range(count), index=[f"row {i}" for i in range(count)][::-1], name="age", dtype="Int64")
    found = getattr(M, method)(given)
    assert isinstance(found, pd.Series)
    assert found.index.equals(given.index)
    assert found.name == "age"
    assert found.dtype == (np.float64 if method == "release" else np.int64)
    twice = pd.Series([1.0, None, 3.0], index=[7, 7, 7])
    assert list(getattr(M, method)(twice).index) == [7, 7, 7]


@pytest.mark.parametrize("method", ["release", "release_index"])
def test_a_series_of_polars_comes_back_as_one(method):
    found = getattr(M, method)(pl.Series("age", [1, None, 3]))
    assert isinstance(found, pl.Series)
    assert (found.name, len(found)) == ("age", 3)
    assert found.dtype == (pl.Float64 if method == "release" else pl.Int64)


def test_other_kinds_come_back_as_arrays_and_out_stays_what_it_is():
    for values in ([1, 2], (1, 2), np.arange(2), pd.Index([1, 2]), pd.array([1, 2], dtype="Int64")):
        assert type(M.release(values)) is np.ndarray
    out = np.empty(2)
    assert M.release(pd.Series([1, 2]), out=out) is out
    assert type(M.release(np.float32(2))) is float
