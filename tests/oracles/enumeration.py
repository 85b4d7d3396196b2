"""The law of the p-bit mechanism by running it on every string of bits that can matter: at few bits they are few.

With the second definition, so that neither its logarithm nor its rounding is the library's. U* has p
bits and an exponent without end; from the exponent on at which every output stands at the end of the clamp, all smaller
draws stand there too, and their mass is added at once.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count

from tests.oracles.definition import HALF, PublicConstants, clamped, finite_noise


def enumerated_law(value: Fraction, constants: PublicConstants) -> dict[int, Fraction]:
    """Return the exact probability of every index that can occur, for a clamped inner value."""
    assert constants.precision is not None, "a real number has no last digit"
    bits, scale, precision = constants.precision.uniform, constants.noise_scale, constants.precision
    masses: dict[int, Fraction] = {}
    for sign, end in ((1, constants.low), (-1, constants.high)):
        for exponent in count(1):
            each = Fraction(1, 1 << (exponent + bits))  # sign, exponent and the bits behind the leading one
            seen = set()
            for significand in range(1 << (bits - 1), 1 << bits):
                noise = sign * finite_noise(significand, 1 - bits - exponent, scale, precision)
                index = clamped(math.floor((value + noise) / constants.grid + HALF), constants)
                masses[index] = masses.get(index, Fraction(0)) + each
                seen.add(index)
            if seen == {end}:
                masses[end] += HALF / (1 << exponent)
                break
    return masses
