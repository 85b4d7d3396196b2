"""How values of each numpy type enter the vector path: clamped, as doubles, split by the grid where that is needed.

Room: mechanism. Blocks of values, the work arrays that take them, and loaders from the one to the other.
On a lattice every double and every 64-bit integer is loaded without error. Off the lattice (finite precision with a
sensitivity that is no power of two or a midpoint off the grid) and with a step, the error of shift and scale is
bounded by `value_error` and enters the filter's bound; where that is too wide there is no filter.
Proof: docs/theory/fast-path.md, (9)-(12) and (19).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snapdp.exact import exponent_of_power, nearest_index, to_float_down, to_float_nearest, to_float_up
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.filter import Coordinates

Array = NDArray[Any]
Chunks = Iterator[tuple[int, Array]]  # (position of the first value, values)
Loader = Callable[[Array, Array, Array], None]  # (values, total, whole): fills total, and whole where values are split

_PAGE = 4096
_MAGIC = 1.5 * 2.0**52
_EXACT_INTEGER = 1 << 53
_LARGEST_INT64 = (1 << 63) - 1
_SHORT = 1 << 13  # values quantised at a time
_AFFINE_ERRORS = 8  # conversion, step, its product, shift, subtraction, scale, product, and one to spare


def flat(array: Array) -> Any:
    """Return something that can be sliced along one dimension without copying the whole: a view or a flat iterator."""
    return array.reshape(-1) if array.flags.c_contiguous else array.flat


def chunks_of(values: Array, width: int, *, nan: float | None) -> Chunks:
    """Yield the values by blocks, in this machine's byte order and with a number for NaN."""
    run = flat(values)
    for start in range(0, values.size, width):
        chunk = run[start : start + width]
        if not chunk.dtype.isnative:
            chunk = chunk.astype(chunk.dtype.newbyteorder("="))
        if nan is not None and chunk.dtype.kind == "f":
            chunk = chunk.astype(np.promote_types(chunk.dtype, np.float64))  # at least a double: nan is one
            np.copyto(chunk, nan, where=np.isnan(chunk))
        yield start, chunk


class Scratch:
    """Work arrays of one block, long ones page-aligned: 1.4 MB at most, whatever the size of the call."""

    def __init__(self, size: int, *, splits: bool, halved: bool) -> None:
        stride = -(-size * 8 // _PAGE) * _PAGE
        count = 4 if splits else 3
        self.memory = memory = np.empty(count * stride + 2 * size + _PAGE, np.uint8)
        start = -memory.__array_interface__["data"][0] % _PAGE if size >= _PAGE else 0  # short ones lie anywhere
        arrays: Array = np.ndarray((count, size), np.float64, memory, start, (stride, 8))
        bits: Array = np.ndarray((count, size), np.int64, memory, start, (stride, 8))
        flags: Array = np.ndarray((2, size), np.bool_, memory, start + count * stride)
        self.noise, self.total = arrays[0], arrays[1]
        self.whole = arrays[-1]  # of its own only where values are split
        self.noise_bits, self.total_bits, self.words = bits[0], bits[1], bits[2]
        self.accepted, self.test = flags[0], flags[1]
        if halved:  # first halves and their noise share the memory of whole words
            self.halves, self.single_noise_bits = self.words.view(np.int32).reshape(2, size)
            self.single_noise = self.single_noise_bits.view(np.float32)
            self.single_total = self.total.view(np.float32)[:size]
            self.spare = self.noise.view(np.int32)[:size]

    def first(self, size: int) -> Scratch:
        """Return the same memory cut to a shorter block."""
        if size == len(self.words):
            return self
        shorter = object.__new__(Scratch)
        for name, array in vars(self).items():
            setattr(shorter, name, array if name == "memory" else array[:size])
        return shorter


def value_error(parameters: SnappingParameters, where: Coordinates) -> Fraction:
    """Return the error of a loaded value in grid steps: theory (10); 0 on a lattice without step."""
    if where.on_lattice and parameters.step is None:
        return Fraction(0)
    shift, scale = _affine(parameters, where)
    size = where.span + 2 * abs(shift) * scale / where.grid + 1
    return size * _AFFINE_ERRORS / (1 << 52)


def loader_for(
    dtype: np.dtype[Any], parameters: SnappingParameters, where: Coordinates, *, splits: bool
) -> Loader | None:
    """Return the loader for an array type, or None where its values must be taken one by one."""
    if dtype.kind == "f" and dtype.itemsize > 8:
        return None
    lower, upper = float(where.value_lower), float(where.value_upper)
    if not _quantiser_is_exact(parameters):
        return None
    if parameters.step is not None or not where.on_lattice:
        front = _affine_front(parameters, where)
        return _finish(front, lower, upper, splits, where)
    wide = max(abs(where.value_lower), abs(where.value_upper)) > _EXACT_INTEGER
    if dtype.kind in "iu" and dtype.itemsize == 8 and wide and splits:
        return _integer_loader(where)
    return _finish(_convert, lower, upper, splits, where)


def single_loader(where: Coordinates) -> Loader:
    """Return the loader into singles, for a lattice of few grid points and values without step: theory (19)."""
    least, most = (np.array(float(end), np.float32) for end in (where.value_lower, where.value_upper))

    def load(values: Array, total: Array, _whole: Array) -> None:
        np.copyto(total, values, casting="unsafe")
        total.clip(least, most, total)

    return load


def _convert(values: Array, total: Array) -> None:
    """Copy to doubles. A 64-bit integer beyond 2**53 rounds here: theory (6) counts it, or the clamp takes it."""
    np.copyto(total, values, casting="unsafe")


def _finish(
    front: Callable[[Array, Array], None], lower: float, upper: float, splits: bool, where: Coordinates
) -> Loader:
    magic, least, most = (np.array(x) for x in (_MAGIC * float(where.grid), lower, upper))

    def load(values: Array, total: Array, whole: Array) -> None:
        if front is _convert and values.dtype == np.float64:
            values.clip(least, most, total)
        else:
            front(values, total)
            total.clip(least, most, total)
        if splits:
            np.add(total, magic, whole)
            np.subtract(whole, magic, whole)
            np.subtract(total, whole, total)

    return load


def _integer_loader(where: Coordinates) -> Loader | None:
    """Split 64-bit integers by shifts, where the clamp reaches beyond 2**53."""
    exponent = where.exponent
    lower, upper = max(int(where.value_lower), -_LARGEST_INT64 - 1), min(int(where.value_upper), _LARGEST_INT64)
    if not 0 < exponent < 63 or lower > upper or where.value_upper > _LARGEST_INT64:
        return None
    grid = float(where.grid)

    def load(values: Array, total: Array, whole: Array) -> None:
        if values.dtype.kind == "u":
            values = np.minimum(values, np.uint64(max(upper, 0))).astype(np.int64)
        clamped = np.clip(values, lower, upper)
        multiple = clamped >> exponent
        np.copyto(total, clamped - (multiple << exponent))
        np.multiply(multiple, grid, out=whole)

    return load


def _affine(parameters: SnappingParameters, where: Coordinates) -> tuple[Fraction, Fraction]:
    """Return (shift, scale): a value's coordinate is (value - shift) * scale."""
    return (Fraction(0), Fraction(1)) if where.on_lattice else (parameters.offset, 1 / parameters.unit)


def _affine_front(parameters: SnappingParameters, where: Coordinates) -> Callable[[Array, Array], None]:
    shift, scale = (to_float_nearest(x) for x in _affine(parameters, where))
    quantise = None if parameters.step is None else _quantiser(parameters, parameters.step)

    def front(values: Array, total: Array) -> None:
        np.copyto(total, values, casting="unsafe")
        if quantise is not None:
            for start in range(0, len(total), _SHORT):  # short pieces: little memory beside the work arrays
                quantise(total[start : start + _SHORT])
        np.subtract(total, shift, total)
        np.multiply(total, scale, total)

    return front


def _quantiser(parameters: SnappingParameters, step: Fraction) -> Callable[[Array], None]:
    """Return a function that replaces doubles by the nearest multiples of step, exactly: theory (12).

    Values are first clamped one step outside the clamp that follows, so quotients are small. On a power of two the
    quotient and its fractional part are exact, ties included; elsewhere a quotient near a tie is decided by integers.
    """
    width, per_step = to_float_nearest(step), to_float_nearest(1 / step)
    near_a_tie = 0.0 if exponent_of_power(step) is not None else 2.0**-50
    lower, upper = parameters.value_clamp
    least, most = to_float_down(lower - step), to_float_up(upper + step)

    def quantise(total: Array) -> None:
        clamped = total.clip(least, most)
        np.multiply(clamped, per_step, total)
        multiple = np.floor(total)
        remainder = total - multiple
        multiple += remainder >= 0.5
        if near_a_tie:
            unclear = np.abs(remainder - 0.5) <= np.abs(total) * near_a_tie
            for i in np.flatnonzero(unclear).tolist():
                multiple[i] = nearest_index(Fraction(float(clamped[i])), step)
        np.multiply(multiple, width, total)

    return quantise


def _quantiser_is_exact(parameters: SnappingParameters) -> bool:
    """Return whether quotients by the step stay well inside the doubles, and integers in range convert exactly."""
    if parameters.step is None:
        return True
    largest = max(abs(end) for end in parameters.value_clamp) + parameters.step
    return largest < _EXACT_INTEGER and largest / parameters.step < 1 << 51
