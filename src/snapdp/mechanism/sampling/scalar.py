"""One value as it is given: the Python number it is, or a refusal. Needs no numpy.

Values that are infinite stay floats (the clamp takes them); NaN needs a declared replacement.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

from snapdp.errors import DataError
from snapdp.exact.numbers import LARGEST_DECIMAL_EXPONENT, not_a_real_number

NO_BITS = "No random bits were drawn."
SMALLEST_DECIMAL_EXPONENT = 10_000


def is_array_like(value: Any) -> bool:
    """Return whether a value is a list or an array, and not a single number."""
    if isinstance(value, (list, tuple)):
        return True
    numpy = sys.modules.get("numpy")
    return hasattr(value, "__array__") and not (numpy is not None and isinstance(value, numpy.generic))


def in_kind(released: Any, values: Any) -> Any:
    """Return released numbers as the kind of column their values are: a pandas or Polars Series, else as they are."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(values, pandas.Series):
        return pandas.Series(released, index=values.index, name=values.name)
    if polars is not None and isinstance(values, polars.Series):
        return polars.Series(values.name, released)
    return released


def checked_scalar(value: Any, *, nan: float | None) -> Any:
    """Return an int, float, Fraction, finite Decimal or numpy long double that equals the value exactly."""
    kind = type(value)
    if kind is int or kind is Fraction:
        return value
    if kind is float:
        return _without_nan(value, nan)
    if isinstance(value, bool):
        raise not_a_real_number(value)
    if isinstance(value, (int, Fraction)):
        return int(value) if isinstance(value, int) else value
    if isinstance(value, float):
        return _without_nan(float(value), nan)
    if isinstance(value, Decimal):
        # A Decimal that is small to store exactly; one beyond the doubles lies beyond every clamp.
        if not value.is_finite():
            return _without_nan(math.nan if value.is_nan() else float(value), nan)
        if value and value.adjusted() > LARGEST_DECIMAL_EXPONENT:
            return -math.inf if value.is_signed() else math.inf
        if int(value.as_tuple().exponent) < -SMALLEST_DECIMAL_EXPONENT:
            raise DataError(
                f"a Decimal has more than {SMALLEST_DECIMAL_EXPONENT} digits after the point.",
                f"Quantise it first. {NO_BITS}",
            )
        return value
    dtype = getattr(value, "dtype", None)
    if hasattr(value, "mask"):
        raise hidden_cells()
    if dtype is not None and getattr(value, "shape", None) == () and dtype.kind in "fiu":
        if dtype.kind in "iu":
            return int(value)
        return value if dtype.itemsize > 8 and math.isfinite(value) else _without_nan(float(value), nan)
    raise not_a_real_number(value)


def hidden_cells() -> DataError:
    return DataError("the values have masked cells.", f"Fill them with a public value first. {NO_BITS}")


def _without_nan(value: float, nan: float | None) -> float:
    if value == value:
        return value
    if nan is None:
        raise contains_nan()
    return nan


def contains_nan() -> DataError:
    return DataError(
        "the values contain NaN.",
        "Give nan=, a public replacement: an error that depends on the data is itself a disclosure. " + NO_BITS,
    )
