"""The samplers on this machine against the definition of the mechanism, on the same strings of bits.

Mechanisms whose constants lead through every path of the samplers; words of all zeros and all ones, U
that begins with many zeros, and values on the grid, at ties and beside them, at both clamps, beyond the range,
infinite, and placed so that the noise carries them next to a tie. Indices are compared as integers, released numbers by
their bits, because -0.0 == 0.0. Theory: docs/theory/fast-path.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from snapdp.exact.dyadic import HALF
from snapdp.exact.integers import ln_scaled
from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.mechanism.definition import decide
from snapdp.mechanism.finite_precision import finite_parameters
from snapdp.mechanism.mechanism import Mechanism, index_with_bits, release_with_bits
from snapdp.mechanism.parameters import DataUnits, FinitePrecision, SnappingParameters, exact_parameters
from snapdp.mechanism.sampling.filter import ScalarSampler
from snapdp.randomness.bits import RecordedBits
from snapdp.randomness.uniform import LazyUniform
from snapdp.values import replaced

PLACED_DIGITS = 127  # of U, that decide where a placed value ends
ONES = (1 << 63) - 1
EXTREMES = (0, -1, 1, ONES, -1 - ONES, -ONES, (1 << 52) - 1, 1 << 52, 1 << 51, 1 << 62, -(1 << 52), (1 << 52) + 1)
LONG = ("count", "clamped to 0..100", "2**26 + 1 steps")  # sums in singles, in doubles, both clamps within reach
LONG_SIZE = 33_000  # from 2**15 values on, words are taken by halves, and decided in single precision first


def exact(epsilon: Any, sensitivity: Any, lower: Any, upper: Any, grid: Any = "fine", clamp: Any = "wide") -> Any:
    return exact_parameters(
        epsilon=epsilon, sensitivity=sensitivity, lower=lower, upper=upper, grid=grid, clamp=clamp, gamma=None
    )


def finite(rule: str, sensitivity: Any, lower: Any, upper: Any) -> SnappingParameters:
    arithmetic = FinitePrecision(bits=None, rule=rule)
    return finite_parameters(epsilon=1, sensitivity=sensitivity, lower=lower, upper=upper, arithmetic=arithmetic)


MECHANISMS: dict[str, Callable[[], SnappingParameters]] = {
    "count": lambda: exact("0.5", 1, 0, 1000, "natural"),
    "count, fine": lambda: exact("0.5", 1, 0, 1000),
    "sensitivity 72/1000, 500..1000": lambda: exact("0.3", "72/1000", 500, 1000),
    "clamped to 0..100": lambda: exact("0.5", 1, 0, 100, "natural", "range"),
    "two outputs": lambda: exact("0.1", 1, 0, 1, 1, "range"),
    "noise far below the grid": lambda: exact(1000, 1, -50, 50, 1),
    "grid 2**-29": lambda: exact(1, 1, -10, 30, Fraction(1, 1 << 29)),
    "grid 2**950": lambda: exact(1, 1 << 950, -(1 << 990), 1 << 990, "natural", "range"),
    "2**26 + 1 steps": lambda: exact(1, 1, 0, (1 << 26) + 1, 1, "range"),
    "2**52 steps": lambda: exact(1, 1, -(1 << 52), 1 << 52, 1, "range"),
    "integers beyond 2**53": lambda: exact(1, 1 << 12, -(1 << 60), 1 << 60, "natural", "range"),
    "notes": lambda: finite("notes", 1, 0, 1001),
    "proved, off the lattice": lambda: finite("proved", "1/10", Fraction(3 * 10**12 + 1, 3), 10**12 + 999),
    "step 1/10": lambda: replaced(exact(1, "1/10", -10, 30), step=DataUnits(Fraction(1, 10))),
}


class SeededBits(RecordedBits):
    """First words as given, and behind each of them words without end that a name decides.

    Every seventh string goes on with 64 zeros, every eleventh with 64 ones.
    """

    def __init__(self, words: list[int], name: str) -> None:
        super().__init__(words)
        self._name = name

    def extension(self, position: int = 0) -> Iterator[int]:
        if position % 7 == 0:
            yield 0
        if position % 11 == 0:
            yield (1 << 64) - 1
        dice = Random(f"{self._name} {position}")
        while True:
            yield dice.getrandbits(64)


def draw_words(dice: Random, count: int) -> list[int]:
    """Return first words: the extremes, words whose first digits are zeros, and fair ones."""
    words = list(EXTREMES[:count])
    while len(words) < count:
        word = dice.getrandbits(64) - (1 << 63)
        if len(words) % 8 == 0:
            word = word >> 52 << 52 | (word % (1 << 52)) >> dice.randrange(53)
        words.append(word)
    return words


def draw_value(p: SnappingParameters, dice: Random) -> Any:
    """Return a value: a double or an integer, inside the range, at a tie, at an end, or far beyond."""
    lower, upper, grid = float(p.lower), float(p.upper), float(p.data_grid)
    inside = lower + (upper - lower) * dice.random()
    steps = math.floor((inside - float(p.offset)) / grid)
    tie = float(p.offset) + (steps + 0.5) * grid
    return dice.choice(
        [
            *[inside] * 4,
            2 * inside - dice.choice([lower, upper]),
            float(p.offset) + steps * grid,
            tie,
            math.nextafter(tie, dice.choice([-math.inf, math.inf])),
            dice.choice([lower, upper]),
            dice.choice([-0.0, 0.0, 5e-324, -5e-324, 1e-310, 1e-200, -1e-200]),
            dice.choice([-math.inf, math.inf, 1e300, -1e300, 1e25, -1e25]),
            math.floor(inside),
        ]
    )


def place_value(p: SnappingParameters, uniform: LazyUniform, dice: Random) -> Fraction:
    """Return a value that the exact noise of a string carries next to a tie: more digits than a word has decide."""
    digits = uniform.digits(PLACED_DIGITS)
    if not digits:
        return p.lower
    log, _ = ln_scaled(digits, PLACED_DIGITS, 2 * PLACED_DIGITS)
    noise = uniform.sign * p.noise_scale * Fraction(log, 1 << 2 * PLACED_DIGITS)
    k = dice.randint(max(p.low, -(1 << 40)), min(p.high, 1 << 40))
    return Fraction(p.offset + p.unit * ((k - HALF) * p.grid - noise))


def compare_sampler(effort: Effort) -> Checked:
    """Compare one value at a time, short arrays, and arrays long enough to be drawn by halves of words."""
    comparison = Comparison()
    for name in MECHANISMS:
        _compare(name, effort, effort.size(800, 60), comparison)
    for name in LONG[: effort.size(3, 1)]:
        _compare(name, effort, LONG_SIZE, comparison)
    return comparison.checked()


def _compare(name: str, effort: Effort, count: int, comparison: Comparison) -> None:
    import numpy as np

    dice, p = effort.dice("sampler", name, count), MECHANISMS[name]()
    bits = SeededBits(draw_words(dice, count), f"{effort.seed} {name}")
    given = [draw_value(p, dice) for _ in range(count)]
    for i in range(3, count, 4 if count < LONG_SIZE else 200) if p.precision is None else ():
        given[i] = place_value(p, LazyUniform(bits.first_word(i), bits.extension(i)), dice)
    values = [float(value) for value in given]

    def define(values: list[Any]) -> list[int]:
        uniforms = (LazyUniform(bits.first_word(i), bits.extension(i)) for i in range(count))
        return [decide(p.inner(value), p, uniform) for value, uniform in zip(values, uniforms, strict=True)]

    def told(way: str) -> Callable[[int], str]:
        return lambda i: f"{name}, {way}: value {values[i]!r}, first word {bits.first_word(i)}: "

    expected = define(values)
    printed = {index: p.released(index).hex() for index in set(expected)}
    numbers = [printed[index] for index in expected]
    mechanism, array = Mechanism(p), np.array(values)
    comparison.all_same(index_with_bits(mechanism, array, bits).tolist(), expected, told("array"))
    released = [number.hex() for number in release_with_bits(mechanism, array, bits).tolist()]
    comparison.all_same(released, numbers, told("array"))
    if count < LONG_SIZE:
        sampler = ScalarSampler(p)
        indices = [sampler.index(value, bits, i) for i, value in enumerate(given)]
        comparison.all_same(indices, define(given), told("single value"))
        singles = [sampler.release(value, bits, i).hex() for i, value in enumerate(values)]
        comparison.all_same(singles, numbers, told("released"))
