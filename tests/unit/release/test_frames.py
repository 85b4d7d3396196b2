"""A release as a frame: the rows of a file of values, in the types of that file."""

from __future__ import annotations

import sys

import pandas as pd
import polars as pl
import pytest

from snapdp.errors import ParameterError, PremiseError
from snapdp.release.value_table import VALUE_FIELDS
from snapdp.values import replaced
from tests.unit.release.people import LONG, MEAN, released

HISTOGRAM = {"kind": "histogram", "column": "region", "epsilon": 1}


def test_a_release_of_long_blocks_alone_is_an_empty_frame_of_the_same_types(tmp_path):
    result = released(tmp_path, LONG)
    assert result.to_polars().shape == (0, len(VALUE_FIELDS))
    assert result.to_pandas().shape == (0, len(VALUE_FIELDS))
    assert result.to_polars().schema["value"] == pl.Float64
    with pytest.raises(ParameterError, match="side file"):
        result.value  # noqa: B018


def test_a_missing_end_of_an_interval_is_missing_in_a_frame(tmp_path, monkeypatch):
    result = released(tmp_path, MEAN)
    (block,) = result.blocks()
    (number,) = block.numbers
    open_ended = replaced(block, numbers=(number._replace(low=None, high=None),))
    monkeypatch.setattr(result, "blocks", lambda: iter([open_ended]))
    assert result.to_polars()["low"].to_list() == [None]
    assert pd.isna(result.to_pandas()["high"]).all()


def test_the_only_number_of_a_release_is_its_value(tmp_path):
    result = released(tmp_path, MEAN)
    (number,) = result.numbers()
    assert float(result) == result.value == number.value


def test_several_numbers_are_no_single_value(tmp_path):
    result = released(tmp_path, HISTOGRAM)
    assert list(result.value) == ["north", "south", "(unknown)"]
    with pytest.raises(ParameterError, match="has 3 numbers"):
        float(result)


def test_several_statistics_have_no_single_value(tmp_path):
    result = released(tmp_path, MEAN, HISTOGRAM)
    with pytest.raises(ParameterError, match="has 2 statistics"):
        result.value  # noqa: B018


def test_a_mean_of_sum_and_count_is_the_value_of_its_release(tmp_path):
    result = released(tmp_path, MEAN, relation="add-remove", rows=10)
    (derived,) = result.record["derived"]
    assert float(result) == derived["value"][0]


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(name, tmp_path, monkeypatch):
    result = released(tmp_path, MEAN)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PremiseError, match=f"{name} is not installed"):
        getattr(result, f"to_{name}")()
