"""Strings of bits and values that are hard to decide: what both definitions are given.

Those of the self-test, and values placed so that value and noise together lie at a tie, or so near to one that more
than a hundred digits of U decide.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from snapdp.lab.selftest import sampler
from snapdp.mechanism.parameters import SnappingParameters
from tests.oracles.definition import FIRST, HALF, Digits, finite_noise, truncated
from tests.oracles.logarithm import ln_enclosed

PLACED_DIGITS = FIRST + 64


class SeededBits(sampler.SeededBits):
    """The strings of the self-test, as the second definition reads them."""

    def digits(self, position: int) -> Digits:
        return Digits(self.first_word(position), self.extension(position))


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
