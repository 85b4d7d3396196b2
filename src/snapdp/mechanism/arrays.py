"""Arrays at the door: what is taken, what is refused, and which path they go. All checks come before the first bit.

Room: mechanism. numpy floats and ints of any shape and layout, and lists of Python numbers, which are never rounded on
the way in: a list that mixes large ints and floats goes value by value.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snapdp.errors import DataError
from snapdp.mechanism.scalars import NO_BITS, checked_scalar, contains_nan, hidden_cells
from snapdp.randomness.bits import BitSource

if TYPE_CHECKING:
    from snapdp.mechanism.fast import ScalarSampler
    from snapdp.mechanism.vector import VectorSampler

Array = NDArray[Any]
SCALAR_LIMIT = 32  # below this many values the fixed cost of the vector path is larger than a loop
_EXACT_INTEGER = 1 << 53
_KINDS = {"b": "truth values", "c": "complex numbers", "O": "Python objects", "S": "bytes", "U": "text"}


def release_array(
    values: Any, *, scalar: ScalarSampler, vector: VectorSampler, out: Any, nan: float | None, source: BitSource
) -> Array:
    """Return the released numbers of an array or list, in `out` if given."""
    array = checked_values(values, nan=nan, limits=scalar.parameters.value_clamp)
    target = checked_out(out, array, np.dtype(np.float64))
    if array.dtype.kind == "O" or array.size < SCALAR_LIMIT:
        indices = _one_by_one(array, scalar, nan, source)
        target[...] = np.array([scalar.parameters.released(k) for k in indices], np.float64).reshape(array.shape)
    else:
        vector.release(array, target, source, nan=nan)
    return target


def index_array(
    values: Any, *, scalar: ScalarSampler, vector: VectorSampler, out: Any, nan: float | None, source: BitSource
) -> Array:
    """Return the grid indices of an array or list, in `out` (int64) if given."""
    array = checked_values(values, nan=nan, limits=scalar.parameters.value_clamp)
    target = checked_out(out, array, np.dtype(np.int64))
    if array.dtype.kind == "O" or array.size < SCALAR_LIMIT:
        target[...] = np.array(_one_by_one(array, scalar, nan, source), np.int64).reshape(array.shape)
    else:
        vector.index(array, target, source, nan=nan)
    return target


def _one_by_one(array: Array, scalar: ScalarSampler, nan: float | None, source: BitSource) -> list[int]:
    return [scalar.index(checked_scalar(v, nan=nan), source, i) for i, v in enumerate(array.flat)]


def checked_values(values: Any, *, nan: float | None, limits: tuple[Fraction, Fraction]) -> Array:
    """Return the values as a numeric array; an array of Python objects only where a list needs it to stay exact."""
    if isinstance(values, np.ma.MaskedArray):
        raise hidden_cells()
    if isinstance(values, (list, tuple)):
        return _from_list(values, nan=nan, limits=limits)
    try:
        array = np.asarray(values)
    except Exception:
        raise DataError("the values cannot be read as an array.", f"Give a numpy array. {NO_BITS}") from None
    if array.dtype.kind not in "fiu":
        raise DataError(
            f"an array of {_KINDS.get(array.dtype.kind, 'other things')} holds no real numbers.",
            f"Give an array of numpy floats or ints. {NO_BITS}",
        )
    return _without_nan(array, nan=nan)


def _without_nan(array: Array, *, nan: float | None) -> Array:
    """Return an array that has no NaN, or a replacement for it."""
    if nan is None and array.dtype.kind == "f" and array.size:
        least = np.minimum.reduce(array, axis=None)
        if least != least:
            raise contains_nan()
    return array


def _from_list(values: Any, *, nan: float | None, limits: tuple[Fraction, Fraction]) -> Array:
    """Return a list as an array. Which way it goes depends on the types in it and on the public clamp.

    A plain list of floats, or of floats and ints where the clamp lies within +-2**53, is converted at once: an int
    beyond 2**53 rounds to a double beyond the clamp, which takes both to the same end. Everything else goes one by one.
    """
    kinds = set(map(type, values))
    clamp_is_small = max(abs(limit) for limit in limits) <= _EXACT_INTEGER
    if kinds == {float} or (clamp_is_small and kinds <= {float, int} and kinds):
        try:
            return _without_nan(np.array(values, np.float64), nan=nan)
        except OverflowError:  # an int beyond the doubles
            pass
    try:
        array = np.array(values, dtype=object)
    except ValueError:
        raise DataError("the list is ragged.", f"Give rows of equal length. {NO_BITS}") from None
    cells = [_within(checked_scalar(v, nan=nan), limits) for v in array.flat]
    if all(isinstance(v, float) or (isinstance(v, int) and abs(v) <= _EXACT_INTEGER) for v in cells):
        return np.array(cells, np.float64).reshape(array.shape)
    if all(isinstance(v, int) and -(1 << 63) <= v < 1 << 63 for v in cells):
        return np.array(cells, np.int64).reshape(array.shape)
    exact = np.empty(array.shape, object)
    exact.reshape(-1)[:] = cells
    return exact


def _within(value: Any, limits: tuple[Fraction, Fraction]) -> Any:
    """Return an integer beyond the clamp as an infinity, which the clamp takes to the same end: one type for a list."""
    if isinstance(value, int) and not limits[0] <= value <= limits[1]:
        return math.inf if value > limits[1] else -math.inf
    return value


def checked_out(out: Any, values: Array, dtype: np.dtype[Any]) -> Array:
    """Return the array that receives the result."""
    if out is None:
        return np.empty(values.shape, dtype)
    problem = None
    if not isinstance(out, np.ndarray) or out.dtype != dtype:
        problem = f"out must be an array of {dtype}."
    elif out.shape != values.shape:
        problem = f"out has shape {out.shape}; the values have {values.shape}."
    elif not out.flags.writeable:
        problem = "out cannot be written to."
    elif _overlap(out, values):
        problem = "out shares memory with the values; the exact path reads them again."
    if problem:
        raise DataError(problem, f"Give out=numpy.empty(values.shape, numpy.{dtype}). {NO_BITS}")
    target: Array = out
    return target


def _overlap(a: Array, b: Array) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=10_000))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
