"""Releases of arrays and lists: which path they go, and where the answers are written.

Room: mechanism. `many_values` says which numbers are taken; all checks come before the first bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snapdp.errors import DataError
from snapdp.mechanism.sampling.many_values import checked_values
from snapdp.mechanism.sampling.one_value import NO_BITS, checked_scalar
from snapdp.randomness import BitSource

if TYPE_CHECKING:
    from snapdp.mechanism.sampling.filter import ScalarSampler
    from snapdp.mechanism.sampling.vectors import VectorSampler

Array = NDArray[Any]
SCALAR_LIMIT = 32  # below this many values the fixed cost of the vector path is larger than a loop


def release_array(
    values: Any, *, scalar: ScalarSampler, vector: VectorSampler, out: Any, nan: float | None, source: BitSource
) -> Array:
    """Return the released numbers of an array or list, in `out` if given."""
    array = checked_values(values, nan=nan, parameters=scalar.parameters)
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
    array = checked_values(values, nan=nan, parameters=scalar.parameters)
    target = checked_out(out, array, np.dtype(np.int64))
    if array.dtype.kind == "O" or array.size < SCALAR_LIMIT:
        target[...] = np.array(_one_by_one(array, scalar, nan, source), np.int64).reshape(array.shape)
    else:
        vector.index(array, target, source, nan=nan)
    return target


def _one_by_one(array: Array, scalar: ScalarSampler, nan: float | None, source: BitSource) -> list[int]:
    return [scalar.index(checked_scalar(v, nan=nan), source, i) for i, v in enumerate(array.flat)]


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
    elif _overlaps_itself(out):
        problem = "entries of out share memory."
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


def _overlaps_itself(a: Array) -> bool:
    """Return whether two entries may share memory; every slice of an array that owns its memory is free of it."""
    if a.size == 0:
        return False
    extent = a.itemsize
    for stride, size in sorted(
        (abs(stride), size) for stride, size in zip(a.strides, a.shape, strict=True) if size > 1
    ):
        if stride < extent:
            return True
        extent += stride * (size - 1)
    return False
