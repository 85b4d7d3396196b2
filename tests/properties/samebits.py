"""What the same-bits tests share: bit strings, a catalogue of mechanisms, awkward values, and a 560-bit reference.

Three computations must answer alike for the same bits: `index.decide` (the definition), the scalar sampler and the
vector sampler. Answers are compared as bit patterns, never with ==, because -0.0 == 0.0.
The reference is independent of the library: Arb balls (python-flint) of 560 bits instead of MPFR, its own coordinates,
rounding to p bits and packing of digits into words. It either knows the index for certain or raises.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from snapdp.mechanism.definition import decide
from snapdp.mechanism.parameters import SnappingParameters
from snapdp.mechanism.sampling import vectors as vector_module
from snapdp.mechanism.sampling.filter import ScalarSampler, coordinates
from snapdp.mechanism.sampling.vectors import VectorSampler
from snapdp.randomness.uniform import LazyUniform, halves
from tests.oracles import mechanisms as catalogue
from tests.oracles.mechanisms import CATALOGUE

Array = np.ndarray[Any, np.dtype[Any]]

REFERENCE_BITS = 560
PLACED_WORDS = 7
PLACED_DIGITS = 63 + 64 * PLACED_WORDS  # 511 digits of U are written out for a placed value
HALF = Fraction(1, 2)
SMALL_BLOCK = 3_001


# Bits ----------------------------------------------------------------------------------------------------------------


class HashedBits:
    """Given first words; extension words are hashes of the position, so that every string is infinite and repeatable.

    `exact` counts how often an extension was asked for: once for every value that takes the exact way. `seconds` counts
    second halves: one for every value that the first level of the vector path leaves in doubt.
    """

    def __init__(self, words: Array) -> None:
        self.words = words
        self.exact = self.seconds = 0

    def first_word(self, position: int = 0) -> int:
        return int(self.words[position])

    def first_words(self) -> Any:
        position = 0

        def fill(buffer: Any) -> None:
            nonlocal position
            count = len(buffer) // 8
            buffer[:] = np.ascontiguousarray(self.words[position : position + count], "<i8").view(np.uint8).data
            position += count

        return fill

    def first_halves(self) -> Any:
        first = halves(self.words)[0].astype("<i4").view(np.uint8)
        position = 0

        def fill(buffer: Any) -> None:
            nonlocal position
            buffer[:] = first[position : position + len(buffer)].data
            position += len(buffer)

        return fill

    def second_halves(self, positions: Any) -> bytes:
        self.seconds += len(positions)
        return bytes(halves(self.words[positions])[1].astype("<u4").data)

    def extension(self, position: int = 0) -> Iterator[int]:
        self.exact += 1
        return _hashes(position)


def _hashes(position: int) -> Iterator[int]:
    depth = 0
    while True:
        digest = blake2b(b"%d %d" % (position, depth), digest_size=64).digest()
        yield from np.frombuffer(digest, "<u8").tolist()
        depth += 1


class PlacedBits(HashedBits):
    """First words and the extension words that follow each; reading beyond them is an error."""

    def __init__(self, words: Array, extensions: Sequence[Sequence[int]]) -> None:
        super().__init__(words)
        self.extensions = extensions

    def extension(self, position: int = 0) -> Iterator[int]:
        self.exact += 1
        yield from self.extensions[position]
        raise IndexError("more digits were read than were placed")


def seeded(*key: Any) -> np.random.Generator:
    return np.random.default_rng([ord(letter) for part in key for letter in str(part)])


def fair_words(rng: np.random.Generator, count: int) -> Array:
    return rng.integers(-(1 << 63), 1 << 63, count, dtype=np.int64)


def random_words(rng: np.random.Generator, count: int) -> Array:
    """Return fair words, but in the first half every eighth starts with up to 52 zero digits, every 250th with 63.

    The second half stays fair, so that whole blocks of the vector path see no small u.
    """
    words = fair_words(rng, count)
    half = words[: count // 2]
    small = half[: count // 16]
    small[:] = (small & (-1 << 52)) | (small & ((1 << 52) - 1)) >> rng.integers(0, 53, len(small))
    half[: count // 500] &= -(1 << 63)
    extremes = [0, -(1 << 63), (1 << 63) - 1, -1, 1, (1 << 52) - 1, 1 << 52, 1 << 51, -(1 << 63) + 1]
    half[: len(extremes)] = extremes[: len(half)]
    rng.shuffle(half)
    return words


def packed(sign: int, digits: int, count: int) -> tuple[int, list[int]]:
    """Return (first word, extension words) of a sign and the first `count` = 63 + 64 n digits of U."""
    first = digits >> (count - 63)
    word = (first >> 11) | (first & 0x7FF) << 52
    rest = [(digits >> shift) & ((1 << 64) - 1) for shift in range(count - 127, -1, -64)]
    return (word if sign > 0 else word - (1 << 63)), rest


# Mechanisms ----------------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """One mechanism; `filtered` says whether both samplers have a filter (otherwise all values go the exact way)."""

    parameters: SnappingParameters
    filtered: bool = True


def exact(*words: Any, **options: Any) -> Case:
    return Case(catalogue.exact(*words, **options))


def finite(*words: Any, **options: Any) -> Case:
    return Case(catalogue.finite(*words, **options))


def with_step(case: Case, step: Any) -> Case:
    return Case(catalogue.with_step(case.parameters, step), case.filtered)


UNFILTERED = {
    "2**51 + 1 steps",
    "2**52 steps",
    "grid 2**-1000",
    "grid 2**950",
    "no power of two",
    "4 bits",
}
CASES = {name: Case(made(), filtered=name not in UNFILTERED) for name, made in CATALOGUE.items()}


# Values --------------------------------------------------------------------------------------------------------------


def awkward_doubles(parameters: SnappingParameters, rng: np.random.Generator, count: int) -> Array:
    """Return doubles inside and beyond the range, on the grid, at ties and beside them, tiny, huge and infinite."""
    p = parameters
    lower, upper = float(p.lower), float(p.upper)

    def between(low: float, high: float) -> Array:
        share = rng.random(count)
        return low * (1 - share) + high * share

    inside = between(lower, upper)
    width = min(upper / 2 - lower / 2, 1e300)
    grid, offset = float(p.data_grid), float(p.offset)
    with np.errstate(all="ignore"):
        steps = np.rint((inside - offset) / grid)
        on_grid, ties = offset + steps * grid, offset + (steps + 0.5) * grid
    up, down = np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf)
    beside = np.where(rng.random(count) < 0.5, up, down)
    tiny = rng.choice([-1.0, 1.0], count) * rng.choice([0.0, 5e-324, 2.2250738585072e-308, 1e-310, 1e-200], count)
    huge = rng.choice([-np.inf, np.inf, 1.7976931348623157e308, -1e300, 1e25, -1e25], count)
    kinds = [inside, between(lower - width, upper + width), on_grid, ties, beside, tiny, huge]
    return _mixed(kinds, [0.45, 0.1, 0.12, 0.15, 0.1, 0.04, 0.04], rng, count)


def awkward(parameters: SnappingParameters, rng: np.random.Generator, count: int) -> tuple[Array, HashedBits]:
    """Return awkward doubles, and bits for them."""
    return awkward_doubles(parameters, rng, count), HashedBits(random_words(rng, count))


def awkward_integers(parameters: SnappingParameters, dtype: Any, rng: np.random.Generator, count: int) -> Array:
    """Return integers of one type: inside and beyond the range, at ties and beside them, at the ends of the type."""
    p, info = parameters, np.iinfo(dtype)
    limits = np.array([info.min, info.max], dtype)
    low, high = (min(max(math.floor(end), int(info.min)), int(info.max)) for end in (p.lower, p.upper))
    inside = rng.integers(low, high, count, dtype=dtype, endpoint=True)
    anywhere = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    half = max(1, int(p.data_grid / 2))
    beside = zip(inside.tolist(), rng.integers(-1, 2, count).tolist(), strict=True)
    ties = [min(max(v // half * half + d, low), high) for v, d in beside]
    ends = np.array([min(max(end + d, int(info.min)), int(info.max)) for end in (low, high) for d in (-1, 0, 1)], dtype)
    kinds = [inside, anywhere, np.array(ties, dtype), rng.choice(limits, count), rng.choice(ends, count)]
    return _mixed(kinds, [0.45, 0.1, 0.35, 0.05, 0.05], rng, count)


def _mixed(kinds: Sequence[Array], shares: Sequence[float], rng: np.random.Generator, count: int) -> Array:
    return np.choose(rng.choice(len(kinds), count, p=shares), kinds)


# The three computations ----------------------------------------------------------------------------------------------


def defined(parameters: SnappingParameters, values: Sequence[Any], bits: Any) -> Array:
    """Return the indices of Python numbers by the definition."""
    inner, word, more = parameters.inner, bits.first_word, bits.extension
    indices = (decide(inner(v), parameters, LazyUniform(word(i), more(i))) for i, v in enumerate(values))
    return np.fromiter(indices, np.int64, len(values))


def by_scalar(sampler: ScalarSampler, values: Sequence[Any], bits: Any) -> Array:
    return np.fromiter((sampler.index(v, bits, i) for i, v in enumerate(values)), np.int64, len(values))


def by_vector(sampler: VectorSampler, values: Array, bits: Any) -> tuple[Array, Array]:
    """Return (indices, released numbers) of an array, the same with both levels and with the second alone.

    The numbers in small blocks, so that there are many of them.
    """
    found = {}
    for levels, limit in (("both", 0), ("second", values.size + 1)):
        indices, numbers = np.full(values.shape, -1, np.int64), np.full(values.shape, np.nan)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vector_module, "SINGLE_LIMIT", limit)
            sampler.index(values, indices, bits)
            patch.setattr(vector_module, "BLOCK", SMALL_BLOCK)
            sampler.release(values, numbers, bits)
        found[levels] = indices, numbers
    same = [(one.view(np.int64) == two.view(np.int64)).all() for one, two in zip(*found.values(), strict=True)]
    assert all(same), "the levels of the vector path disagree"
    return found["both"]


def released(parameters: SnappingParameters, indices: Array) -> Array:
    """Return the number of each index, each taken from `parameters.released`."""
    numbers = {k: parameters.released(k) for k in set(indices.tolist())}
    return np.array([numbers[k] for k in indices.tolist()], np.float64)


def differences(expected: Array, got: Array, values: Sequence[Any], bits: Any) -> list[str]:
    """Return a line for each of the first positions where two arrays differ as bit patterns."""
    assert expected.dtype == got.dtype
    assert expected.shape == got.shape == (len(values),)
    where = np.flatnonzero(expected.view(np.int64) != got.view(np.int64))
    lines = [f"{len(where)} of {len(values)} differ"] if len(where) else []
    for i in where[:3].tolist():
        lines.append(f"value {values[i]!r}, word {bits.first_word(i)}: {got[i]!r}, should be {expected[i]!r}")
    return lines


def disagreements(
    parameters: SnappingParameters,
    values: Array,
    bits: Any,
    *,
    expected: Array | None = None,
    scalar: ScalarSampler | None = None,
    vector: VectorSampler | None = None,
) -> list[str]:
    """Return how scalar path and vector path (indices and numbers) differ from the definition; empty: they agree."""
    numbers = values.tolist()
    expected = defined(parameters, numbers, bits) if expected is None else expected
    indices, floats = by_vector(vector or VectorSampler(parameters), values, bits)
    singles = by_scalar(scalar or ScalarSampler(parameters), numbers, bits)
    found = {
        "vector index": differences(expected, indices, numbers, bits),
        "vector release": differences(released(parameters, expected), floats, numbers, bits),
        "scalar index": differences(expected, singles, numbers, bits),
    }
    return [f"{path}: {line}" for path, lines in found.items() for line in lines]


def beside_threshold(
    p: SnappingParameters, f: Any, rng: np.random.Generator, count: int, distance: Any
) -> tuple[Array, Array, HashedBits]:
    """Return inner values whose sum with the noise is this far from a multiple of the grid; the sums; and the bits.

    f   the filter of a sampler: its noise scale and its grid count
    """
    words = fair_words(rng, count)
    u = np.maximum(words & ((1 << 52) - 1), 1) * 2.0**-52
    noise = np.log(u) * f.noise_scale * np.where(words >= 0, 1, -1)
    where = coordinates(p)
    assert where is not None
    somewhere = rng.uniform(float(where.value_lower), float(where.value_upper), count)
    total = np.rint((somewhere + noise) / f.grid) * f.grid + rng.choice([-1, 1], count) * distance
    return total - noise, total, HashedBits(words)


# The independent reference -------------------------------------------------------------------------------------------


def ball(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def uniform_ball(digits: int, count: int) -> arb:
    """Return a ball around [digits, digits + 1] * 2**-count."""
    return arb(fmpq(2 * digits + 1, 1 << (count + 1)), fmpq(1, 1 << (count + 1)))


def reference_inner(value: float, parameters: SnappingParameters) -> Fraction:
    """Return a finite double or an integer in inner coordinates: rounded to the step, shifted, scaled, clamped."""
    p, x = parameters, Fraction(value)
    if p.step is not None:
        x = math.floor(x / p.step + HALF) * p.step
    return min(max((x - p.offset) / p.unit, p.value_lower), p.value_upper)


def reference_index(value: Fraction, parameters: SnappingParameters, sign: int, digits: int, count: int) -> int:
    """Return the index of a clamped inner value and the first `count` digits of U, or raise if they leave it open."""
    p = parameters
    with ctx.workprec(REFERENCE_BITS):
        if p.precision is None:
            noise = uniform_ball(digits, count).log() * ball(p.noise_scale)
            total = (ball(value) + sign * noise) / ball(p.grid) + ball(HALF)
            index = int(total.floor().unique_fmpz())  # None, hence TypeError, where the ball contains an integer
        else:
            surplus = digits.bit_length() - p.precision.uniform
            truncated = ball(Fraction(digits >> surplus)) * arb(2) ** (surplus - count)
            logarithm = rounded_to(p.precision.logarithm, truncated.log())
            product = rounded_to(p.precision.product, ball(logarithm * p.noise_scale))
            index = math.floor((value + sign * product) / p.grid + HALF)  # an exact sum: it may be a tie
    return min(max(index, p.low), p.high)


def rounded_to(bits: int, x: arb) -> Fraction:
    """Return the float of so many bits nearest to a ball, ties to even; raise where the ball leaves it open."""
    ends = {_nearest(bits, _fraction(end)) for end in (x.lower(), x.upper())}
    if len(ends) != 1:
        raise ArithmeticError("the ball is too wide to round")
    return ends.pop()


def _fraction(x: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


def _nearest(bits: int, x: Fraction) -> Fraction:
    if x == 0:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length() - bits
    while abs(x) >= Fraction(2) ** (exponent + bits):
        exponent += 1
    return round(x / Fraction(2) ** exponent) * Fraction(2) ** exponent


def first_digits(bits: Any, position: int, count: int = PLACED_DIGITS) -> tuple[int, int]:
    """Return (sign, first digits of U) of one position's string: the packing read backwards."""
    word, more = bits.first_word(position), bits.extension(position)
    digits = (word & ((1 << 52) - 1)) << 11 | (word >> 52) & 0x7FF
    for _ in range((count - 63) // 64):
        digits = digits << 64 | next(more)
    return (1 if word >= 0 else -1), digits
