"""One value at the door: the Python number it is, or a refusal. Needs no numpy.

Room: mechanism. Values that are infinite stay floats (the clamp takes them); NaN needs a declared replacement.
"""

from __future__ import annotations

import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

from snapdp.errors import DataError
from snapdp.exact.numbers import not_a_real_number

NO_BITS = "No random bits were drawn."


def is_array_like(value: Any) -> bool:
    """Return whether a value is a list or an array, and not a single number."""
    if isinstance(value, (list, tuple)):
        return True
    numpy = sys.modules.get("numpy")
    return hasattr(value, "__array__") and not (numpy is not None and isinstance(value, numpy.generic))


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
        return value if value.is_finite() else _without_nan(math.nan if value.is_nan() else float(value), nan)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(value, "shape", None) == () and dtype.kind in "fiu":
        if dtype.kind in "iu":
            return int(value)
        return value if dtype.itemsize > 8 and math.isfinite(value) else _without_nan(float(value), nan)
    raise not_a_real_number(value)


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
