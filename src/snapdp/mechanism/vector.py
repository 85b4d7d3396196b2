"""The vector path: the filter of `fast` over cache-sized blocks in plain numpy, bit-identical to the definition.

Room: mechanism. About 17 cheap passes over blocks that stay in the second-level cache; the few values in doubt (about
one in a million on the natural grid, ten on the fine one) go to `index.decide` with the same bits.
Rounding to the grid adds and subtracts 1.5 * 2**52 * grid: the sum lies in a binade whose spacing is the grid, so the
result is a multiple of it in every rounding mode, and zero comes out positive (rint would give -0.0, and the sign of
zero leaks the sign of the value).
Nothing branches on the data except where the exact way is needed. The work arrays are wiped at the end.
Proof: docs/theory/fast-path.md, (1)-(12).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snapdp.exact.dyadic import exponent_of_power
from snapdp.exact.elementary import LN2
from snapdp.mechanism.fast import (
    KNOWN_LOG_TOLERANCE,
    SINGLE_SUM_SPAN,
    Coordinates,
    Filter,
    build_filter,
    coordinates,
)
from snapdp.mechanism.index import decide
from snapdp.mechanism.loading import Loader, loader_for, value_error
from snapdp.mechanism.logtable import KNOWN_LOGARITHMS
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.scalars import checked_scalar
from snapdp.randomness.bits import BitSource
from snapdp.randomness.uniform import DOUBLE_DIGITS, DOUBLE_MASK, LazyUniform

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BLOCK = 5 << 13  # three work arrays of 328 KB and the blocks of input and output share a second-level cache of 2 MB
# Arrays of no dimension: a ufunc takes them without the conversion that a Python number costs at every call.
_SIGN = np.array(-(1 << 63))
_DIGITS = np.array(DOUBLE_MASK)
_ONE = np.array(1.0)
_ONE_BITS = _ONE.view(np.int64)
_MAGIC = 1.5 * 2.0**52
_PAGE = 4096
_SHORT = 1 << 13


def numpy_log_is_trusted(log: Callable[..., Any]) -> bool:
    """Return whether numpy's logarithm agrees with the table, and zero rounds as the filter needs it."""
    points, known = np.array(KNOWN_LOGARITHMS).T
    zero = (np.full(16, -0.25) + _MAGIC) - _MAGIC
    accurate = np.abs(log(points) - known) <= KNOWN_LOG_TOLERANCE * -known
    return bool(accurate.all()) and not np.signbit(zero).any()


class Scratch:
    """Page-aligned work arrays of one block: 1.2 MB at most, whatever the size of the call."""

    def __init__(self, size: int, *, splits: bool) -> None:
        stride = -(-size * 8 // _PAGE) * _PAGE
        count = 4 if splits else 3
        self.memory = memory = np.empty(count * stride + _PAGE, np.uint8)
        start = -memory.ctypes.data % _PAGE
        arrays = [memory[start + i * stride :][: size * 8].view(np.float64) for i in range(count)]
        self.noise, self.total, words = arrays[:3]
        self.rounded = self.noise  # one after the other in the same memory
        self.whole = arrays[-1]  # of its own only where values are split
        self.words: Integers = words.view(np.int64)
        self.noise_bits: Integers = self.noise.view(np.int64)
        self.total_bits: Integers = self.total.view(np.int64)

    def first(self, size: int) -> Scratch:
        """Return the same memory cut to a shorter block."""
        if size == len(self.words):
            return self
        shorter = object.__new__(Scratch)
        for name, array in vars(self).items():
            setattr(shorter, name, array if name == "memory" else array[:size])
        return shorter


def clamp_is_far(where: Coordinates, f: Filter) -> bool:
    """Return whether no draw u >= smallest can carry a value beyond the outer clamp, so that clamping changes nothing.

    A public fact about the parameters, true for the wide clamp: theory (13).
    """
    exponent = exponent_of_power(Fraction(f.smallest))
    assert exponent is not None
    reach = where.noise_scale * -exponent * LN2.upper + where.grid
    return where.value_upper + reach <= where.high * where.grid and where.value_lower - reach >= where.low * where.grid


class VectorSampler:
    """Released numbers, or output indices, of whole arrays."""

    def __init__(
        self, parameters: SnappingParameters, *, filter: Filter | None = None, log: Callable[..., Any] = np.log
    ) -> None:
        self._parameters = parameters
        self._log = log
        self._where = where = coordinates(parameters)
        self.filter = filter
        if where is None:
            return
        self._splits = where.span > SINGLE_SUM_SPAN
        self._origin = where.origin
        self._lowest, self._highest = (np.array(float(end * where.grid)) for end in (where.low, where.high))
        if filter is None:
            if numpy_log_is_trusted(log):
                span = 1 if self._splits else where.span
                error = value_error(parameters, where)
                self.filter = build_filter(parameters, where, span=span, value_error=error)
            else:
                warnings.warn("numpy's logarithm is inaccurate here: every value goes the exact way.", stacklevel=5)
        if self.filter is not None:
            self._clamp_is_far = clamp_is_far(where, self.filter)
            self._magic = np.array(_MAGIC * self.filter.grid)
            self._noise_scale = np.array(self.filter.noise_scale)

    def release(self, values: Array, out: Array, source: BitSource, *, nan: float | None = None) -> None:
        """Write the released number of each value into out, a float64 array of the same shape."""
        direct = self._where is not None and self._where.on_lattice
        target = flat(out)
        for start, chunk, load, scratch in self._blocks(values, source, nan):
            stop = start + len(chunk)
            if direct and load is not None and isinstance(target, np.ndarray):
                self._snap(chunk, load, scratch, target[start:stop], start, source)
            elif direct and load is not None:
                target[start:stop] = self._snap(chunk, load, scratch, scratch.rounded, start, source)
            else:
                self._write(self._indices(chunk, load, scratch, start, source), target, start)

    def index(self, values: Array, out: Array, source: BitSource, *, nan: float | None = None) -> None:
        """Write the output index of each value into out, an int64 array of the same shape."""
        target = flat(out)
        for start, chunk, load, scratch in self._blocks(values, source, nan):
            target[start : start + len(chunk)] = self._indices(chunk, load, scratch, start, source)

    def _blocks(
        self, values: Array, source: BitSource, nan: float | None
    ) -> Iterator[tuple[int, Array, Loader | None, Scratch]]:
        """Yield each block of the values with its first words drawn; load is None where the exact way must be taken."""
        load = None
        if self.filter is not None and self._where is not None:
            load = loader_for(values.dtype, self._parameters, self._where, splits=self._splits)
        fill = source.first_words()
        run = flat(values)
        scratch = Scratch(min(BLOCK, values.size), splits=load is not None and self._splits)
        try:
            with np.errstate(all="ignore"):
                for start in range(0, values.size, BLOCK):
                    chunk = run[start : start + BLOCK]
                    if not chunk.dtype.isnative:
                        chunk = chunk.astype(chunk.dtype.newbyteorder("="))
                    if nan is not None and values.dtype.kind == "f":
                        chunk = np.where(np.isnan(chunk), np.float64(nan), chunk)  # at least a double: nan is one
                    block = scratch.first(len(chunk))
                    fill(block.words.data.cast("B"))
                    yield start, chunk, load, block
        finally:
            scratch.memory.fill(0)

    def _snap(self, chunk: Array, load: Loader, s: Scratch, target: Floats, start: int, source: BitSource) -> Floats:
        """Write the clamped multiples of the grid (in the filter's coordinates) of one block into target."""
        f = self.filter
        assert f is not None
        noise, total, rounded = s.noise, s.total, s.rounded
        np.bitwise_and(s.words, _DIGITS, s.noise_bits)
        np.bitwise_or(s.noise_bits, _ONE_BITS, s.noise_bits)
        np.subtract(noise, _ONE, noise)  # the first 52 digits of U as a double, exactly
        smallest = np.minimum.reduce(noise)
        self._log(noise, noise)
        np.multiply(noise, self._noise_scale, noise)
        np.bitwise_and(s.words, _SIGN, s.total_bits)
        np.bitwise_xor(s.noise_bits, s.total_bits, s.noise_bits)
        load(chunk, total, s.whole)
        np.add(total, noise, total)
        np.add(total, self._magic, rounded)
        np.subtract(rounded, self._magic, rounded)
        np.subtract(total, rounded, total)
        certain = np.maximum.reduce(total) < f.threshold and np.minimum.reduce(total) > -f.threshold
        if self._splits:
            np.add(rounded, s.whole, rounded)
        if not (self._clamp_is_far and smallest >= f.smallest):
            rounded.clip(self._lowest, self._highest, target)
        elif target is not rounded:
            np.copyto(target, rounded)
        if not (certain and smallest >= f.smallest):  # a NaN counts as doubt
            accepted = np.abs(total, out=total) < f.threshold
            if not smallest >= f.smallest:
                accepted &= (s.words & _DIGITS) >= f.smallest * 2.0**DOUBLE_DIGITS
            for i in np.flatnonzero(~accepted).tolist():
                index = self._decide(chunk[i], int(s.words[i]), start + i, source)
                target[i] = (index + self._origin) * f.grid
        return target

    def _indices(self, chunk: Array, load: Loader | None, s: Scratch, start: int, source: BitSource) -> Integers:
        if load is None:
            words = s.words.tolist()
            exact = (self._decide(chunk[i], words[i], start + i, source) for i in range(len(chunk)))
            return np.fromiter(exact, np.int64, len(chunk))
        assert self.filter is not None
        multiples = self._snap(chunk, load, s, s.rounded, start, source)
        indices = np.divide(multiples, self.filter.grid, multiples).astype(np.int64)
        indices -= self._origin
        return indices

    def _decide(self, value: Any, word: int, position: int, source: BitSource) -> int:
        p = self._parameters
        return decide(p.inner(checked_scalar(value, nan=None)), p, LazyUniform(word, source.extension(position)))

    def _write(self, indices: Integers, target: Any, start: int) -> None:
        """Write the correctly rounded numbers of some indices: each distinct one of a piece is converted once."""
        for first in range(0, len(indices), _SHORT):  # short pieces: little memory beside the work arrays
            piece = indices[first : first + _SHORT]
            distinct, which = np.unique(piece, return_inverse=True)
            numbers = np.array([self._parameters.released(int(k)) for k in distinct], np.float64)
            target[start + first : start + first + len(piece)] = numbers[which]


def flat(array: Array) -> Any:
    """Return something that can be sliced along one dimension without copying the whole: a view or a flat iterator."""
    return array.reshape(-1) if array.flags.c_contiguous else array.flat
