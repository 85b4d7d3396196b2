"""The vector path: the two filters of `filter` over cache-sized blocks in plain numpy.

Bit-identical to the definition, in about 20 cheap passes over blocks that stay in the second-level cache. Two levels,
each accepting only what its error bound leaves no doubt about: noise in singles from the first half of a word; for what
is left, noise in doubles from the whole word. The rest (about one value in six million on the natural grid, in 1.4
million on the fine one) goes to `definition.decide` with the same bits. Short vectors and noise of very many grid steps
start at the second level.
Rounding to the grid adds and subtracts 1.5 * 2**52 * grid: the sum lies in a binade whose spacing is the grid, so the
result is a multiple of it in every rounding mode, and zero comes out positive (rint would give -0.0, and the sign of
zero leaks the sign of the value).
On a lattice every double and every 64-bit integer is loaded without error. Off the lattice (finite precision with a
sensitivity that is not a power of two or a midpoint off the grid) and with a step, the error of shift and scale is
bounded by `value_error` and enters the filter's bound; where that is too wide there is no filter.
Nothing branches on the data except where a value is in doubt. The work arrays are wiped at the end.
Proof: docs/theory/fast-path.md; of the loaders (9)-(12) and (19).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snapdp.exact.dyadic import exponent_of_power, nearest_index
from snapdp.exact.functions import LN2
from snapdp.exact.numbers import to_float_down, to_float_nearest, to_float_up
from snapdp.mechanism.definition import decide
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.filter import (
    KNOWN_LOG_TOLERANCE,
    KNOWN_LOGARITHMS,
    KNOWN_SINGLE_LOG_TOLERANCE,
    UNSPLIT_SPAN,
    Coordinates,
    Filter,
    SingleFilter,
    build_filter,
    build_single_filter,
    coordinates,
)
from snapdp.mechanism.sampling.scalar import checked_scalar
from snapdp.randomness.bits import BitSource
from snapdp.randomness.uniform import DOUBLE_MASK, HALF_DIGITS, HALF_MASK, LazyUniform, joined

# Blocks of values, the work arrays that take them, and loaders from the one to the other

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
        arrays = np.ndarray((count, size), np.float64, memory, start, (stride, 8))
        bits = np.ndarray((count, size), np.int64, memory, start, (stride, 8))
        flags = np.ndarray((2, size), np.bool_, memory, start + count * stride)
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


Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Log = Callable[..., Any]
Answers = Iterator[tuple[Any, Array]]  # (places, multiples of the grid or indices)

BLOCK = 5 << 13  # three work arrays of 328 KB and the blocks of input and output share a second-level cache of 2 MB
SINGLE_LIMIT = 1 << 15  # below this many values the fixed cost of a first level is larger than what it saves
WAITING = 1 << 10  # values in doubt are taken to the second level by so many or more
# Arrays of no dimension: a ufunc takes them without the conversion that a Python number costs at every call.
_SIGN = np.array(-(1 << 63))
_DIGITS = np.array(DOUBLE_MASK)
_ONE = np.array(1.0)
_ONE_BITS = _ONE.view(np.int64)
_HALF_SIGN = np.array(-(1 << 31), np.int32)
_HALF_DIGITS = np.array(HALF_MASK, np.int32)
_HALF_UNIT = np.array(2.0**-HALF_DIGITS, np.float32)


def numpy_log_is_trusted(log: Log) -> bool:
    """Return whether numpy's logarithm agrees with the table, and zero rounds as the filter needs it."""
    points, known = np.array(KNOWN_LOGARITHMS).T
    accurate = np.abs(log(points) - known) <= KNOWN_LOG_TOLERANCE * -known
    return bool(accurate.all()) and _zero_is_positive(np.float64)


def numpy_single_log_is_trusted(log: Log) -> bool:
    """Return the same of singles. To round a point to a single moves its logarithm by at most 2**-24."""
    points, known = np.array(KNOWN_LOGARITHMS).T
    accurate = np.abs(log(points.astype(np.float32)) - known) <= KNOWN_SINGLE_LOG_TOLERANCE * (1 - known)
    return bool(accurate.all()) and _zero_is_positive(np.float32)


def _zero_is_positive(kind: Any) -> bool:
    magic = kind(_magic(kind))
    return not np.signbit((np.full(16, -0.25, kind) + magic) - magic).any()


def _magic(kind: Any) -> float:
    """Return 1.5 * 2**52 for doubles, 1.5 * 2**23 for singles."""
    return 1.5 * 2.0 ** int(np.finfo(kind).nmant)


class Level:
    """One filter as the arrays of no dimension that its passes take.

    noise, sums  the types in which the noise, and the value, the sum and its rounding to the grid, are computed
    """

    def __init__(self, f: Filter, where: Coordinates, log: Log, *, noise: Any, sums: Any) -> None:
        constants = (f.threshold, -f.threshold, _magic(sums) * f.grid, where.low * f.grid, where.high * f.grid)
        self.above, self.below, self.magic, self.lowest, self.highest = (np.array(x, sums) for x in constants)
        self.smallest, self.noise_scale = np.array(f.smallest, noise), np.array(f.noise_scale, noise)
        self.single_sums = sums is np.float32
        self.clamp_is_far = clamp_is_far(where, f)
        self.log = log

    def single_noise(self, s: Scratch) -> None:
        """Write the noise of the first halves; accepted is set where u is large enough."""
        noise = s.single_noise
        np.bitwise_and(s.halves, _HALF_DIGITS, s.spare)
        np.copyto(noise, s.spare)
        np.multiply(noise, _HALF_UNIT, noise)  # the first 31 digits of U, rounded to a single: theory (15)
        np.greater_equal(noise, self.smallest, s.accepted)
        self.log(noise, noise)
        np.multiply(noise, self.noise_scale, noise)
        np.bitwise_and(s.halves, _HALF_SIGN, s.spare)
        np.bitwise_xor(s.single_noise_bits, s.spare, s.single_noise_bits)
        if not self.single_sums:
            np.copyto(s.noise, noise)

    def double_noise(self, s: Scratch) -> None:
        """Write the noise of the first words; accepted is set where u is large enough."""
        noise = s.noise
        np.bitwise_and(s.words, _DIGITS, s.noise_bits)
        np.bitwise_or(s.noise_bits, _ONE_BITS, s.noise_bits)
        np.subtract(noise, _ONE, noise)  # the first 52 digits of U as a double, exactly
        np.greater_equal(noise, self.smallest, s.accepted)
        self.log(noise, noise)
        np.multiply(noise, self.noise_scale, noise)
        np.bitwise_and(s.words, _SIGN, s.total_bits)
        np.bitwise_xor(s.noise_bits, s.total_bits, s.noise_bits)

    def snap(self, chunk: Array, load: Loader, s: Scratch, *, splits: bool) -> tuple[Array, Integers]:
        """Return the clamped multiples of the grid (in the filter's coordinates) of a block, and which are in doubt."""
        noise, total = (s.single_noise, s.single_total) if self.single_sums else (s.noise, s.total)
        rounded, accepted = noise, s.accepted  # noise and rounded sum one after the other in the same memory
        load(chunk, total, s.whole)
        np.add(total, noise, total)
        np.add(total, self.magic, rounded)
        np.subtract(rounded, self.magic, rounded)
        np.subtract(total, rounded, total)
        np.bitwise_and(accepted, np.less(total, self.above, s.test), accepted)  # a NaN counts as doubt
        np.bitwise_and(accepted, np.greater(total, self.below, s.test), accepted)
        if splits:
            np.add(rounded, s.whole, rounded)
        if not self.clamp_is_far:
            rounded.clip(self.lowest, self.highest, rounded)
        return rounded, np.logical_not(accepted, accepted).nonzero()[0]


def clamp_is_far(where: Coordinates, f: Filter) -> bool:
    """Return whether no draw u >= smallest can carry a value beyond the outer clamp, so that clamping changes nothing.

    A public fact about the parameters, true for the wide clamp: theory (13).
    """
    exponent = exponent_of_power(Fraction(f.smallest))
    assert exponent is not None
    largest = where.noise_scale * -exponent * LN2.upper + where.grid
    return (
        where.value_upper + largest <= where.high * where.grid and where.value_lower - largest >= where.low * where.grid
    )


class VectorSampler:
    """Released numbers, or output indices, of whole arrays."""

    def __init__(
        self,
        parameters: SnappingParameters,
        *,
        filter: Filter | None = None,
        single: SingleFilter | None = None,
        log: Log = np.log,
    ) -> None:
        self.parameters = parameters
        self._where = where = coordinates(parameters)
        self.filter, self.single = filter, single
        self._loaders: dict[np.dtype[Any], Loader | None] = {}
        if where is None:
            return
        self._splits = where.span > UNSPLIT_SPAN
        self._origin = where.origin
        if filter is None:
            self._build_filters(where, log)
        if self.filter is not None:
            self._double = Level(self.filter, where, log, noise=np.float64, sums=np.float64)
        if self.single is not None:
            sums = np.float32 if self.single.single_sums else np.float64
            self._single = Level(self.single, where, log, noise=np.float32, sums=sums)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_loaders": {}}  # functions: a copy makes its own

    def _build_filters(self, where: Coordinates, log: Log) -> None:
        if not numpy_log_is_trusted(log):
            warnings.warn("numpy's logarithm is inaccurate here: every value goes the exact way.", stacklevel=6)
            return
        span, error = (1 if self._splits else where.span), value_error(self.parameters, where)
        self.filter = build_filter(self.parameters, where, span=span, value_error=error)
        if self.filter is not None and numpy_single_log_is_trusted(log):
            self.single = build_single_filter(self.parameters, where, span=span, value_error=error)

    def release(self, values: Array, out: Array, source: BitSource, *, nan: float | None = None) -> None:
        """Write the released number of each value into out, a float64 array of the same shape."""
        direct = self._where is not None and self._where.on_lattice
        target = flat(out)
        for places, found in self._answers(values, source, nan):
            target[places] = found if direct and found.dtype.kind == "f" else self._numbers(found)

    def index(self, values: Array, out: Array, source: BitSource, *, nan: float | None = None) -> None:
        """Write the output index of each value into out, an int64 array of the same shape."""
        target = flat(out)
        for places, found in self._answers(values, source, nan):
            target[places] = self._indices(found)

    def _answers(self, values: Array, source: BitSource, nan: float | None) -> Answers:
        """Yield (places, answers): multiples of the grid, or indices where every value must go the exact way.

        A place that the first level leaves in doubt is yielded twice: with 0, and later with its answer.
        """
        load = first_load = None
        if self.filter is not None and self._where is not None:
            load = self._loader(values.dtype)
            if load is not None and self.single is not None and values.size >= SINGLE_LIMIT:
                first_load = single_loader(self._where) if self.single.single_sums else load
        splits = load is not None and self._splits
        scratch = Scratch(min(BLOCK, values.size), splits=splits, halved=first_load is not None)
        chunks = chunks_of(values, BLOCK, nan=nan)
        try:
            with np.errstate(all="ignore"):
                if load is None or first_load is None:
                    fill = source.first_words()
                    for start, chunk in chunks:
                        s, stop = scratch.first(len(chunk)), start + len(chunk)
                        fill(s.words.data.cast("B"))
                        yield slice(start, stop), self._settle(chunk, load, s, range(start, stop), source)
                else:
                    yield from self._by_halves(chunks, first_load, load, scratch, source)
        finally:
            scratch.memory.fill(0)

    def _loader(self, dtype: np.dtype[Any]) -> Loader | None:
        """Return the loader of an array type, made once: it is a good part of what a short vector costs."""
        if dtype not in self._loaders:
            assert self._where is not None
            self._loaders[dtype] = loader_for(dtype, self.parameters, self._where, splits=self._splits)
        return self._loaders[dtype]

    def _by_halves(
        self, chunks: Chunks, first_load: Loader, load: Loader, scratch: Scratch, source: BitSource
    ) -> Answers:
        fill = source.first_halves()
        waiting: list[tuple[Array, ...]] = []  # positions, values and first halves in doubt
        for start, chunk in chunks:
            s = scratch.first(len(chunk))
            fill(s.halves.data.cast("B"))
            self._single.single_noise(s)
            rounded, doubtful = self._single.snap(chunk, first_load, s, splits=self._splits)
            waiting.append((doubtful + start, chunk[doubtful], s.halves[doubtful]))
            rounded[doubtful] = 0.0
            yield slice(start, start + len(chunk)), rounded
            if sum(len(positions) for positions, *_ in waiting) >= WAITING:
                yield from self._in_doubt(waiting, load, scratch, source)
                waiting.clear()
        if waiting:
            yield from self._in_doubt(waiting, load, scratch, source)

    def _in_doubt(self, waiting: list[tuple[Array, ...]], load: Loader, scratch: Scratch, source: BitSource) -> Answers:
        """Complete the words of values that the first level left in doubt, and settle them."""
        positions, values, first = (np.concatenate(parts) for parts in zip(*waiting, strict=True))
        width = len(scratch.words)
        for start in range(0, len(positions), width):
            some = slice(start, start + width)
            places, s = positions[some], scratch.first(len(positions[some]))
            second = np.frombuffer(source.second_halves(places), "<u4")
            s.words[:] = joined(first[some].astype(np.int64), second.astype(np.int64))
            yield places, self._settle(values[some], load, s, places, source)

    def _settle(self, chunk: Array, load: Loader | None, s: Scratch, positions: Any, source: BitSource) -> Array:
        """Return the answers of values whose first words are drawn: the second level, then the exact way."""
        if load is None:
            words = s.words.tolist()
            exact = (self._decide(chunk[i], words[i], positions[i], source) for i in range(len(chunk)))
            return np.fromiter(exact, np.int64, len(chunk))
        assert self.filter is not None
        self._double.double_noise(s)
        rounded, doubtful = self._double.snap(chunk, load, s, splits=self._splits)
        for i in doubtful.tolist():
            index = self._decide(chunk[i], int(s.words[i]), int(positions[i]), source)
            rounded[i] = (index + self._origin) * self.filter.grid
        return rounded

    def _decide(self, value: Any, word: int, position: int, source: BitSource) -> int:
        p = self.parameters
        return decide(p.inner(checked_scalar(value, nan=None)), p, LazyUniform(word, source.extension(position)))

    def _indices(self, found: Array) -> Integers:
        """Return answers as indices."""
        if found.dtype == np.int64:
            return found
        assert self.filter is not None
        indices = np.divide(found, self.filter.grid, found).astype(np.int64)
        indices -= self._origin
        return indices

    def _numbers(self, found: Array) -> Floats:
        """Return answers as correctly rounded numbers, in the same memory; each distinct one of a piece made once."""
        numbers = found.view(np.float64)
        for start in range(0, len(found), _SHORT):  # short pieces: little memory beside the work arrays
            piece = slice(start, start + _SHORT)
            distinct, which = np.unique(self._indices(found[piece]), return_inverse=True)
            numbers[piece] = np.array([self.parameters.released(int(k)) for k in distinct], np.float64)[which]
        return numbers
