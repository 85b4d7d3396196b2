"""Delta of several releases of our own mechanism, by convolving their exact laws: rational enclosures, no grid."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

from snapdp import Snapping
from snapdp.exact.functions import exp_enclosure

BITS = 240


def classes(mechanism: Snapping, value: Fraction, other: Fraction) -> list[tuple[Fraction, Fraction]]:
    """Return lower bounds of P and upper bounds of Q of all outputs, those of one likelihood ratio together.

    Outputs beyond both values have the ratio e^eps or e^-eps, whatever they are: one event each.
    """
    near, far = mechanism.law(value), mechanism.law(other)
    grid = mechanism.parameters.data_grid
    first, last = (floor(each / grid + Fraction(1, 2)) for each in (min(value, other), max(value, other)))
    found = [(near.index_probability(k).lower, far.index_probability(k).upper) for k in range(first, last + 1)]
    below = near.index_cdf(first - 1).lower, far.index_cdf(first - 1).upper
    above = near.upper_tail(last + 1).lower, far.upper_tail(last + 1).upper
    return [below, *found, above]


def convolved(pairs: list[list[tuple[Fraction, Fraction]]]) -> list[tuple[int, int]]:
    """Return the outputs of a product of laws: P rounded down and Q rounded up, in units of 2**-BITS."""
    found = [(1 << BITS, 1 << BITS)]
    for each in pairs:
        scaled = [(floor(p * (1 << BITS)), ceil(q * (1 << BITS))) for p, q in each]
        found = [((p * a) >> BITS, -(-q * b >> BITS)) for p, q in found for a, b in scaled]
    return found


def deltas_at_least(outputs: list[tuple[int, int]], step: Fraction, count: int) -> Iterator[Fraction]:
    """Yield lower bounds of delta at 0, step, 2 step, ...: so many. Outputs that lose less than an epsilon drop out."""
    factor, by_step = 1 << BITS, ceil(exp_enclosure(step, BITS).upper * (1 << BITS))
    falling = sorted(outputs, key=lambda output: Fraction(*output), reverse=True)
    p, q = (sum(each) for each in zip(*outputs, strict=True))
    for _ in range(count):
        while falling and falling[-1][0] << BITS <= factor * falling[-1][1]:
            lost = falling.pop()
            p, q = p - lost[0], q - lost[1]
        yield Fraction((p << BITS) - factor * q, 1 << 2 * BITS)
        factor = -(-factor * by_step >> BITS)


def delta_at_least(outputs: list[tuple[int, int]], epsilon: Fraction) -> Fraction:
    """Return a lower bound of delta of outputs, within about 2**-100 of it."""
    factor = ceil(exp_enclosure(epsilon, BITS).upper * (1 << BITS))
    return Fraction(sum(max(0, (p << BITS) - factor * q) for p, q in outputs), 1 << 2 * BITS)
