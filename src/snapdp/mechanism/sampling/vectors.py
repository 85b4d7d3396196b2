"""The vector path: the filters of `single_filter` and `filter` over cache-sized blocks in plain numpy.

Room: mechanism. Bit-identical to the definition, in about 20 cheap passes over blocks that stay in the second-level
cache. Two levels, each accepting only what its error bound leaves no doubt about: noise in singles from the first half
of a word; for what is left, noise in doubles from the whole word. The rest (about one value in six million on the
natural grid, in 1.4 million on the fine one) goes to `definition.decide` with the same bits. Short vectors and noise of
very many grid steps start at the second level.
Rounding to the grid adds and subtracts 1.5 * 2**52 * grid: the sum lies in a binade whose spacing is the grid, so the
result is a multiple of it in every rounding mode, and zero comes out positive (rint would give -0.0, and the sign of
zero leaks the sign of the value).
Nothing branches on the data except where a value is in doubt. The work arrays are wiped at the end.
Proof: docs/theory/fast-path.md.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from snapdp.exact import LN2, exponent_of_power
from snapdp.mechanism.definition import decide
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling.filter import (
    KNOWN_LOG_TOLERANCE,
    UNSPLIT_SPAN,
    Coordinates,
    Filter,
    build_filter,
    coordinates,
)
from snapdp.mechanism.sampling.known_logarithms import KNOWN_LOGARITHMS
from snapdp.mechanism.sampling.loaders import (
    Chunks,
    Loader,
    Scratch,
    chunks_of,
    flat,
    loader_for,
    single_loader,
    value_error,
)
from snapdp.mechanism.sampling.one_value import checked_scalar
from snapdp.mechanism.sampling.single_filter import KNOWN_SINGLE_LOG_TOLERANCE, SingleFilter, build_single_filter
from snapdp.randomness import DOUBLE_MASK, HALF_DIGITS, HALF_MASK, BitSource, LazyUniform, joined

Array = NDArray[Any]
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
_SHORT = 1 << 13


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
                    yield from self._by_words(chunks, load, scratch, source)
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

    def _by_words(self, chunks: Chunks, load: Loader | None, scratch: Scratch, source: BitSource) -> Answers:
        fill = source.first_words()
        for start, chunk in chunks:
            s, stop = scratch.first(len(chunk)), start + len(chunk)
            fill(s.words.data.cast("B"))
            yield slice(start, stop), self._settle(chunk, load, s, range(start, stop), source)

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
        numbers: Floats = found.view(np.float64)
        for start in range(0, len(found), _SHORT):  # short pieces: little memory beside the work arrays
            piece = slice(start, start + _SHORT)
            distinct, which = np.unique(self._indices(found[piece]), return_inverse=True)
            numbers[piece] = np.array([self.parameters.released(int(k)) for k in distinct], np.float64)[which]
        return numbers
