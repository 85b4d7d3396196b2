"""Logarithms of this machine against the second one: the tables, those of Python and numpy, and MPFR's.

The tables are compared exactly. Python's and numpy's need only be as good as the filters assume. MPFR's
must be rounded correctly, at every precision and in every direction.
Theory: docs/theory/fast-path.md, (3), (16); docs/theory/finite-precision.md, (2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from random import Random

from snapdp.exact.functions import (
    KNOWN_VALUES,
    LN2,
    TABLE_BITS,
    exact_mpfr,
    exp_enclosure,
    fraction_of_mpfr,
    ln_enclosure,
    mpfr_context,
)
from snapdp.lab.selftest.suite import Checked, Comparison, Effort
from snapdp.mechanism.sampling.filter import KNOWN_LOGARITHMS
from tests.oracles.logarithm import ln_enclosed, ln_tries, minus_ln_rounded, rounded

KNOWN = 64
DOUBLE_BITS = 53
PRECISIONS = (*range(2, 17), 24, 30, 53, 64, 100, 118, 200)


def compare_tables(_: Effort) -> Checked:
    """Compare every entry of both tables of known values with what integers give."""
    comparison = Comparison()
    comparison.same(len(KNOWN_LOGARITHMS), KNOWN, "number of known logarithms:")
    for point, known in KNOWN_LOGARITHMS:
        m, e = minus_ln_rounded(*_dyadic(point), DOUBLE_BITS) if point < 1 else (0, 0)
        comparison.same(known, -math.ldexp(m, e) + 0.0, f"known logarithm of {point!r}:")
    *ends, scale = ln_enclosed(2, 1, 2 * TABLE_BITS)
    is_around = LN2.lower * (1 << scale) <= ends[0] <= ends[1] <= LN2.upper * (1 << scale)
    comparison.holds(is_around, "the known enclosure of ln 2 does not hold it")
    for function, x, floor in KNOWN_VALUES:
        comparison.holds(
            _is_floor(function, x, floor), f"known value of {function} at {x}: {floor:#x} is not its floor"
        )
    return comparison.checked()


def _is_floor(function: str, x: Fraction, floor: int) -> bool:
    """Tell whether floor <= 2**256 * function(x) < floor + 1, by logarithms alone."""
    unit = 1 << TABLE_BITS
    if function == "log":
        lower, upper, scale = ln_enclosed(x.numerator, x.denominator, 2 * TABLE_BITS)
        return {lower << TABLE_BITS >> scale, upper << TABLE_BITS >> scale} == {floor}
    shift = unit if function == "expm1" else 0
    return _ln_sign(floor + shift, unit, x) <= 0 < _ln_sign(floor + 1 + shift, unit, x)


def _ln_sign(numerator: int, denominator: int, x: Fraction) -> int:
    """Return the sign of ln(numerator/denominator) - x, x another number than 0: it is never 0."""
    for lower, upper, scale in ln_tries(numerator, denominator, TABLE_BITS):
        if lower > x * (1 << scale):
            return 1
        if upper < x * (1 << scale):
            return -1
    raise AssertionError("tries have no end")


# MPFR


def compare_mpfr(effort: Effort) -> Checked:
    """Compare logarithms and products of every precision, and enclosures of ln and exp, with those of integers."""
    comparison, dice = Comparison(), effort.dice("mpfr")
    for bits in PRECISIONS:
        for m, e in _floats(bits, dice, effort.size(300, 24)):
            _compare_rounded(bits, m, e, dice, comparison)
    for _ in range(effort.size(400, 60)):
        x = Fraction(1 + dice.getrandbits(40), 1 + dice.getrandbits(40)) * Fraction(2) ** dice.randint(-30, 30)
        precision = dice.choice([24, 53, 118, 300])
        found = ln_enclosure(x, precision)
        lower, upper, scale = ln_enclosed(x.numerator, x.denominator, 2 * precision)
        told = f"the enclosure of ln({x}) at {precision} bits"
        comparison.holds(found.lower <= Fraction(upper, 1 << scale), told, "lies above it")
        comparison.holds(found.upper >= Fraction(lower, 1 << scale), told, "lies below it")
        power = -Fraction(1 + dice.getrandbits(30), 1 << dice.randrange(20, 40))
        ends = exp_enclosure(power, precision)
        told = f"the enclosure of exp({power}) at {precision} bits"
        comparison.holds(_ln_sign(*ends.lower.as_integer_ratio(), power) < 0, told, "lies above it")
        comparison.holds(_ln_sign(*ends.upper.as_integer_ratio(), power) > 0, told, "lies below it")
    return comparison.checked()


def _compare_rounded(bits: int, m: int, e: int, dice: Random, comparison: Comparison) -> None:
    nearest, x = mpfr_context(bits, "nearest"), exact_mpfr(m, e)
    found = fraction_of_mpfr(nearest.log(x))
    comparison.same(found, -_value(*minus_ln_rounded(m, e, bits)), f"ln({m} * 2**{e}) to {bits} bits:")
    other = 1 + dice.getrandbits(bits)
    product = fraction_of_mpfr(nearest.mul(x, exact_mpfr(other)))
    true = Fraction(other) * _value(m, e)
    comparison.same(
        product, _value(*rounded(*true.as_integer_ratio(), bits)), f"{other} * {m} * 2**{e} to {bits} bits:"
    )


def _floats(bits: int, dice: Random, count: int) -> Iterator[tuple[int, int]]:
    """Yield floats below 1 of so many bits: at few bits all of some binades, then any; the nearest to 1 first."""
    first = 1 << (bits - 1)
    if bits <= 6:
        yield from ((first + i, -bits - e) for e in range(6) for i in range(first))
        return
    yield 2 * first - 1, -bits
    yield first, -bits
    for _ in range(count):
        yield first + dice.getrandbits(bits - 1), -bits - dice.choice([0, 0, 0, 1, 2, 5, 40, 1000])


def _value(m: int, e: int) -> Fraction:
    return m * Fraction(2) ** e


def _dyadic(x: float) -> tuple[int, int]:
    numerator, denominator = x.as_integer_ratio()
    return numerator, 1 - denominator.bit_length()
