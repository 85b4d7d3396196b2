"""Released numbers as frames: one row for each number, with the columns and types of a file of values.

Room: release. Public numbers only. Pandas and Polars are asked for when they are needed, and named where they are not
installed. What stands in side files is not in a frame: those files are Parquet, and both libraries read them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from snapdp.errors import PremiseError
from snapdp.release.files import typed_columns
from snapdp.release.tidy.value_table import value_table

if TYPE_CHECKING:
    from snapdp.release.result import Release


def pandas_frame(release: Release) -> Any:
    """Return the numbers of a release as a pandas frame."""
    return _library("pandas").DataFrame(_columns(release))


def polars_frame(release: Release) -> Any:
    """Return the numbers of a release as a Polars frame; an end that an interval does not have is null."""
    polars, columns = _library("polars"), _columns(release)
    kinds = {"b": polars.Boolean, "f": polars.Float64, "O": polars.String}
    schema = {name: kinds[column.dtype.kind] for name, column in columns.items()}
    return polars.DataFrame({name: column.tolist() for name, column in columns.items()}, schema=schema).fill_nan(None)


def _columns(release: Release) -> dict[str, Any]:
    return typed_columns(value_table(release.blocks()))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        advice = f"pip install {name}; or take release.numbers(), or save the values as CSV or Parquet."
        raise PremiseError(f"{name} is not installed.", advice) from None
