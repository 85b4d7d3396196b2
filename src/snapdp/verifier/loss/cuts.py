"""Where the cells of a snap begin in the real sum, and how far the roundings on the way can move that.

Room: verifier. Between the sum and the step that makes whole numbers (or multiples of a grid) of it, a program may
scale and shift: y / 3, y + 0.5. Each such operation rises and rounds once, so that a cell still begins at one place of
the real sum, the same for every private value; it lies near where it would without roundings, and this is how near.
Theory: docs/theory/verifier-loss.md, (42)-(45).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import exponent_of_power, floor_log2, power_of_two
from snapdp.values import Value
from snapdp.verifier.language import syntax
from snapdp.verifier.loss.query_path import constant_operation

Ends = tuple[Fraction, Fraction]


class RisingStep(Value):
    """x -> factor x + shift, rounded once where `rounds`; the factor is positive, and one of the two does nothing."""

    factor: Fraction
    shift: Fraction
    rounds: bool


def rising_step(layer: syntax.Expression) -> RisingStep | None:
    """Return the step that an expression is: its operand times, over, plus or minus a constant; None: it is none."""
    operation = constant_operation(layer)
    if operation is None:
        return None
    c, first = operation.constant, operation.constant_first
    if operation.operator in "+-":
        if operation.operator == "-" and first:
            return None  # c - x falls
        return RisingStep(factor=Fraction(1), shift=c if operation.operator == "+" else -c, rounds=True)
    if c < 0:
        return None
    factor = c if operation.operator == "*" else 1 / c
    return RisingStep(factor=factor, shift=Fraction(0), rounds=exponent_of_power(c) is None)


def affine(steps: tuple[RisingStep, ...]) -> tuple[Fraction, Fraction]:
    """Return slope and offset of all steps, the first of them nearest to the sum, as if nothing rounded."""
    slope, offset = Fraction(1), Fraction(0)
    for step in steps:
        slope, offset = step.factor * slope, step.factor * offset + step.shift
    return slope, offset


def slack(cuts: Ends, steps: tuple[RisingStep, ...], *, at_floats: bool, p: int) -> Ends:
    """Return how far below and above its place in the real sum a cell may begin.

    cuts       the least and greatest value, after all steps, at which a cell begins
    at_floats  a cell begins at such a value and not after it, and the value is a float: rounding moves it down only

    Each rounding, the sum's too, moves a cut by at most half the gap of floats at the largest of them; theory (44).
    """
    (low, high), below, above = cuts, Fraction(0), Fraction(0)
    for step in (*reversed(steps), RisingStep(factor=Fraction(1), shift=Fraction(0), rounds=True)):
        if step.rounds:
            moved = half_gap(max(abs(low), abs(high)) + max(below, above), p)
            below, above, at_floats = below + moved, above + (0 if at_floats else moved), False
        low, high = ((end - step.shift) / step.factor for end in (low, high))
        below, above = below / step.factor, above / step.factor
    return below, above


def half_gap(size: Fraction, p: int) -> Fraction:
    """Return half the distance of neighbouring floats from a size on; nothing at zero, where they are dense."""
    return power_of_two(floor_log2(size) - p) if size else Fraction(0)
