"""The definition of the mechanism again: a value, its constants and a string of bits give an index, and that a number.

Plain integers and rationals; it reads the constants of a mechanism and calls nothing of the library:
neither its logarithm, its rounding, its coordinates nor its packing of digits. `definition.decide` and the samplers
must answer alike for the same bits.
Theory: docs/theory/mechanism.md, (1), (2), (5); docs/theory/finite-precision.md, (1), (2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Protocol

from tests.oracles.logarithm import ln_enclosed, minus_ln_rounded, rounded

HALF = Fraction(1, 2)
WORD = 64
FIRST = 63  # digits of U in a first word; its sign is the sign of the noise
LOW = 52  # the low bits of a first word are the first digits, the eleven above them the next


class Precisions(Protocol):
    """What is read of `Precision`."""

    @property
    def uniform(self) -> int: ...
    @property
    def logarithm(self) -> int: ...
    @property
    def product(self) -> int: ...


class PublicConstants(Protocol):
    """What is read of `SnappingParameters`: public constants, all rational."""

    @property
    def offset(self) -> Fraction: ...
    @property
    def unit(self) -> Fraction: ...
    @property
    def noise_scale(self) -> Fraction: ...
    @property
    def grid(self) -> Fraction: ...
    @property
    def value_lower(self) -> Fraction: ...
    @property
    def value_upper(self) -> Fraction: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def end_lower(self) -> Fraction: ...
    @property
    def end_upper(self) -> Fraction: ...
    @property
    def step(self) -> Fraction | None: ...
    @property
    def precision(self) -> Precisions | None: ...


class Digits:
    """The sign and the digits of U of one string of bits: its first word, signed, and the words behind it."""

    def __init__(self, word: int, more: Iterator[int]) -> None:
        pattern = word % (1 << WORD)
        self.sign = -1 if pattern >> FIRST else 1
        self.known = (pattern % (1 << LOW)) << (FIRST - LOW) | (pattern >> LOW) % (1 << (FIRST - LOW))
        self.count = FIRST
        self._more = more

    def read_on(self) -> None:
        self.known = self.known << WORD | next(self._more)
        self.count += WORD


def inner(value: Any, constants: PublicConstants) -> Fraction:
    """Return a value of the data (an integer, a double, a rational), quantised, in inner coordinates, clamped."""
    c = constants
    if isinstance(value, float) and math.isinf(value):
        return c.value_upper if value > 0 else c.value_lower
    x = Fraction(value)
    if c.step is not None:
        x = c.step * math.floor(x / c.step + HALF)
    return min(max((x - c.offset) / c.unit, c.value_lower), c.value_upper)


def index(value: Any, constants: PublicConstants, digits: Digits) -> int:
    """Return the output index of a value for one string of bits."""
    place = inner(value, constants)
    if constants.precision is None:
        return _exact_index(place, constants, digits)
    drawn = truncated(digits, constants.precision.uniform)
    noise = digits.sign * finite_noise(*drawn, constants.noise_scale, constants.precision)
    return clamped(math.floor((place + noise) / constants.grid + HALF), constants)


def clamped(index: int, constants: PublicConstants) -> int:
    return min(max(index, constants.low), constants.high)


def number(index: int, constants: PublicConstants) -> float:
    """Return the double that is printed for an index: nearest to the exact number, and never a negative zero."""
    c = constants
    end = {c.low: c.end_lower, c.high: c.end_upper}.get(index)
    exact = c.offset + c.unit * (c.grid * index if end is None else end)
    return exact.numerator / exact.denominator + 0.0  # Python divides integers with one correct rounding


def _exact_index(place: Fraction, constants: PublicConstants, digits: Digits) -> int:
    """Read digits until all U that begin with them, and all their logarithms, have one index."""
    t, rho = place / constants.grid + HALF, constants.noise_scale / constants.grid
    centre, slope = t.numerator * rho.denominator, digits.sign * rho.numerator * t.denominator
    unit = t.denominator * rho.denominator
    bits = FIRST // 2
    while True:
        if digits.known:  # otherwise U may be as small as it likes
            *ends, scale = ln_enclosed(digits.known, 1 << digits.count, bits, wider=1)
            # floor(t + S rho ln U), with ln U = end / 2**scale
            low, high = (clamped(((centre << scale) + slope * end) // (unit << scale), constants) for end in ends)
            if low == high:
                return low
        if 2 * bits > digits.count or not digits.known:
            digits.read_on()
        bits = max(2 * bits, digits.count // 2)


def truncated(digits: Digits, bits: int) -> tuple[int, int]:
    """Return (m, e), m * 2**e = U cut off behind so many significant digits."""
    while digits.known.bit_length() < bits:
        digits.read_on()
    surplus = digits.known.bit_length() - bits
    return digits.known >> surplus, surplus - digits.count


def finite_noise(significand: int, exponent: int, noise_scale: Fraction, precision: Precisions) -> Fraction:
    """Return RN(noise_scale * RN(ln U*)) for U* = significand * 2**exponent: a number below 0."""
    m, e = minus_ln_rounded(significand, exponent, precision.logarithm)
    product = noise_scale * m * Fraction(2) ** e
    m, e = rounded(product.numerator, product.denominator, precision.product)
    return -m * Fraction(2) ** e
