"""Strings of bits and values that are hard to decide: what both definitions are given.

Room: selftest. Words of all zeros and all ones, U that begins with many zeros, values on the grid, at ties and beside
them, at both clamps, beyond the range, infinite; and values placed so that value and noise together lie at a tie, or so
near to one that more than a hundred digits of U decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from snapdp.mechanism import SnappingParameters
from snapdp.randomness import RecordedBits
from snapdp.selftest.second_definition import FIRST, HALF, Digits, finite_noise, truncated
from snapdp.selftest.second_logarithm import ln_enclosed

ONES = (1 << 63) - 1
EXTREMES = (0, -1, 1, ONES, -1 - ONES, -ONES, (1 << 52) - 1, 1 << 52, 1 << 51, 1 << 62, -(1 << 52), (1 << 52) + 1)
PLACED_DIGITS = FIRST + 64


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

    def digits(self, position: int) -> Digits:
        return Digits(self.first_word(position), self.extension(position))


def words(dice: Random, count: int) -> list[int]:
    """Return first words: the extremes, words whose first digits are zeros, and fair ones."""
    found = list(EXTREMES[:count])
    while len(found) < count:
        word = dice.getrandbits(64) - (1 << 63)
        if len(found) % 8 == 0:
            word = word >> 52 << 52 | (word % (1 << 52)) >> dice.randrange(53)
        found.append(word)
    return found


def awkward(p: SnappingParameters, dice: Random) -> Any:
    """Return a number as somebody might give it: a double or an integer."""
    lower, upper, grid = float(p.lower), float(p.upper), float(p.data_grid)
    inside = lower + (upper - lower) * dice.random()
    steps = math.floor((inside - float(p.offset)) / grid)
    tie = float(p.offset) + (steps + 0.5) * grid
    kind = dice.randrange(12)
    if kind < 4:
        return inside
    if kind == 4:
        return 2 * inside - dice.choice([lower, upper])
    if kind == 5:
        return float(p.offset) + steps * grid
    if kind == 6:
        return tie
    if kind == 7:
        return math.nextafter(tie, dice.choice([-math.inf, math.inf]))
    if kind == 8:
        return dice.choice([lower, upper])
    if kind == 9:
        return dice.choice([-0.0, 0.0, 5e-324, -5e-324, 1e-310, 1e-200, -1e-200])
    if kind == 10:
        return dice.choice([-math.inf, math.inf, 1e300, -1e300, 1e25, -1e25])
    return math.floor(inside)


def placed(p: SnappingParameters, digits: Digits, dice: Random) -> Fraction:
    """Return a value, in data units, that the noise of a string carries to a tie, or next to one.

    In finite precision the sum is a tie exactly. In exact arithmetic no sum is; it is then as near as the first 127
    digits of U tell, on either side.
    """
    k = dice.randint(max(p.low, -(1 << 40)), min(p.high, 1 << 40))
    if p.precision is None:
        while digits.count < PLACED_DIGITS:
            digits.read_on()
        if not digits.known:
            return Fraction(p.lower)
        *ends, scale = ln_enclosed(digits.known, 1 << digits.count, PLACED_DIGITS, wider=1)
        noise = p.noise_scale * Fraction(dice.choice(ends), 1 << scale)
    else:
        noise = finite_noise(*truncated(digits, p.precision.uniform), p.noise_scale, p.precision)
    return Fraction(p.offset + p.unit * ((k - HALF) * p.grid - digits.sign * noise))
