"""Releases of arrays and lists: which numbers they hold, exactly, or a refusal; the path they go; where answers go.

One definition: value i of an array or list is what a release of that element alone would take. numpy floats and ints of
any shape and layout are taken as they are. Lists, and columns whose cells may be missing (pandas, polars, pyarrow), are
never rounded on the way in. Which way a list goes depends on the types in it and on public parameters, never on a
value. All checks come before the first bit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from snapdp.errors import DataError
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.scalar import NO_BITS, checked_scalar, contains_nan, hidden_cells, is_array_like
from snapdp.randomness.bits import BitSource

if TYPE_CHECKING:
    from snapdp.mechanism.sampling.filter import ScalarSampler
    from snapdp.mechanism.sampling.vectors import VectorSampler

Array = NDArray[Any]
SCALAR_LIMIT = 32  # below this many values the fixed cost of the vector path is larger than a loop


def draw_array(
    values: Any,
    *,
    scalar: ScalarSampler,
    vector: VectorSampler,
    out: Any,
    nan: float | None,
    source: BitSource,
    indices: bool,
) -> Array:
    """Return the released numbers of an array or list, or their grid indices (int64), in `out` if given."""
    array = checked_values(values, nan=nan, parameters=scalar.parameters)
    target = checked_out(out, array, np.dtype(np.int64 if indices else np.float64))
    if array.dtype.kind == "O" or array.size < SCALAR_LIMIT:
        draw = scalar.index if indices else scalar.release
        drawn = [draw(checked_scalar(v, nan=nan), source, i) for i, v in enumerate(array.flat)]
        target[...] = np.array(drawn, target.dtype).reshape(array.shape)
    else:
        (vector.index if indices else vector.release)(array, target, source, nan=nan)
    return target


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


# Numbers of arrays and lists

Limits = tuple[Fraction, Fraction]

MOST_DIMENSIONS = 32
_EXACT_INTEGER = 1 << 53
_INT64 = 1 << 63
_KINDS = {"b": "truth values", "c": "complex numbers", "O": "Python objects", "S": "bytes", "U": "text"}
_FLOATS = ("float", "double", "halffloat", "torch.float")  # how types of floats that are not numpy's are named
_CELLS = ("to_list", "tolist", "to_pylist")  # how columns give their cells as Python numbers


def sure_limits(p: SnappingParameters) -> Limits:
    """Return numbers beyond which every value is taken to an end of the clamp, quantised first or not.

    Rounding to a multiple of the step moves a value by at most half a step; a whole step beyond the clamp is beyond it.
    """
    lower, upper = p.value_clamp
    step = Fraction(0) if p.step is None else p.step
    return lower - step, upper + step


def checked_values(values: Any, *, nan: float | None, parameters: SnappingParameters) -> Array:
    """Return the values as a numeric array; an array of Python objects only where a list needs it to stay exact."""
    if isinstance(values, (list, tuple)):
        return _from_list(values, nan=nan, limits=sure_limits(parameters))
    array = _unrounded(values)
    if isinstance(array, list):
        return _from_list(array, nan=nan, limits=sure_limits(parameters))
    return _without_nan(array, nan=nan)


def _unrounded(values: Any) -> Array | list[Any]:
    """Return an array-like as a numeric array, or as a list of its cells where an array of them would be rounded.

    numpy has no missing integers: a column that has some becomes doubles. Only a type of numpy's own that stays what it
    is, and floats, are taken as an array; other columns give their cells, and a missing one is NaN.
    """
    if isinstance(values, np.ndarray) and hasattr(values, "mask"):
        raise hidden_cells()
    column = getattr(values, "dtype", getattr(values, "type", None))
    if column is not None and is_array_like(values) and not _is_float_or_numpy(column):
        return _cells(values)
    try:
        array = np.asarray(values)
    except Exception:
        raise _unreadable() from None
    # Refuse what holds no real numbers, and what numpy has changed to make one type of several.
    declared = [column] if column is not None else getattr(values, "dtypes", [])
    if array.dtype.kind not in "fiu":
        raise DataError(
            f"an array of {_KINDS.get(array.dtype.kind, 'other things')} holds no real numbers.",
            f"Give an array of numpy floats or ints. {NO_BITS}",
        )
    for kind in declared:
        if not _is_float_or_numpy(kind) or (isinstance(kind, np.dtype) and kind != array.dtype):
            raise DataError(
                "the values would be rounded to one type.", f"Give each column, or a numpy array of one type. {NO_BITS}"
            )
    return array


def _is_float_or_numpy(kind: Any) -> bool:
    return isinstance(kind, np.dtype) or str(kind).lower().startswith(_FLOATS)


def _cells(values: Any) -> list[Any]:
    """Return the cells of a column as Python numbers, with NaN for the missing ones."""
    try:
        give = next(getattr(values, name) for name in _CELLS if hasattr(values, name))
        cells = list(give())
    except Exception:
        raise _unreadable() from None
    return [math.nan if cell is None or type(cell).__name__ == "NAType" else cell for cell in cells]


def _unreadable() -> DataError:
    return DataError("the values cannot be read as an array.", f"Give a numpy array. {NO_BITS}")


def _without_nan(array: Array, *, nan: float | None) -> Array:
    """Return an array that has no NaN, or a replacement for it."""
    if nan is None and array.dtype.kind == "f" and array.size:
        least = np.minimum.reduce(array, axis=None)
        if least != least:
            raise contains_nan()
    return array


def _from_list(values: Any, *, nan: float | None, limits: Limits) -> Array:
    """Return a list as an array.

    A plain list of floats, or of floats and ints where the limits lie within +-2**53, is converted at once: an int
    beyond 2**53 rounds to a double that is beyond the limits, too, and both go to the same end.
    """
    kinds = set(map(type, values))
    small = max(abs(limit) for limit in limits) <= _EXACT_INTEGER
    if kinds == {float} or (small and kinds <= {float, int} and kinds):
        try:
            return _without_nan(np.array(values, np.float64), nan=nan)
        except OverflowError:  # an int beyond the doubles
            pass
    unfolded = _unfolded(values, 1)
    try:
        array = np.array(unfolded, dtype=object)
    except ValueError:
        raise DataError("the list is ragged.", f"Give rows of equal length. {NO_BITS}") from None
    least, most = math.floor(limits[0]), math.ceil(limits[1])
    cells = [_within(checked_scalar(v, nan=nan), least, most) for v in array.flat]
    return _one_type(cells, small=small, least=least, most=most).reshape(array.shape)


def _unfolded(values: Any, depth: int) -> list[Any]:
    """Return a list whose arrays are lists of their numbers, each refused where it would be refused by itself."""
    if depth > MOST_DIMENSIONS:
        raise DataError(f"the list has more than {MOST_DIMENSIONS} levels.", f"Give fewer dimensions. {NO_BITS}")
    return [v if type(v) in (int, float, Fraction) else _element(v, depth) for v in values]


def _element(value: Any, depth: int) -> Any:
    if isinstance(value, (list, tuple)):
        return _unfolded(value, depth + 1)
    if not is_array_like(value):
        return value
    inside = _unrounded(value)
    if isinstance(inside, list) or inside.ndim == 0:
        return _unfolded(inside, depth + 1) if isinstance(inside, list) else inside[()]
    return _unfolded(list(inside), depth + 1)


def _within(value: Any, least: int, most: int) -> Any:
    """Return an integer moved to the limits, rounded outward: the clamp takes both to the same end."""
    return min(max(value, least), most) if isinstance(value, int) else value


def _one_type(cells: list[Any], *, small: bool, least: int, most: int) -> Array:
    """Return checked cells as an array of doubles or of 64-bit integers where that holds them exactly, else objects."""
    if (small and all(isinstance(v, (float, int)) for v in cells)) or all(isinstance(v, float) for v in cells):
        return np.array(cells, np.float64)
    if least >= -_INT64 and most < _INT64 and all(isinstance(v, int) for v in cells):
        return np.array(cells, np.int64)
    exact = np.empty(len(cells), object)
    exact[:] = cells
    return exact
