"""Constant parts of a formula: what the machine makes of them once, and how far that is from the real number.

Room: rounding. A constant's rounding error is a known number with a sign, not an unknown one: parts without inputs are
folded step by step, each rounded to nearest as the machine rounds it, while the real value is enclosed by MPFR.
Theory: docs/theory/error-bounds.md, (8).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, assert_never

from snapdp.errors import PremiseError
from snapdp.exact import (
    Enclosure,
    enclose,
    exp_enclosure,
    exponent_of_power,
    fraction_of_mpfr,
    ln_enclosure,
    mpfr_context,
    power_of_two,
    refine,
    round_nearest,
)
from snapdp.rounding.formula import Format, Formula, Operation
from snapdp.values import Value

PRECISION = 128  # bits beyond p with which real constants are enclosed


class Folded(Value):
    """A constant: the float the machine uses, and an enclosure of the real number it stands for."""

    computed: Fraction
    real: Enclosure

    @property
    def is_exact(self) -> bool:
        return self.real.is_exact and self.real.lower == self.computed

    @property
    def is_power(self) -> bool:
        """The machine's number is plus or minus a power of two."""
        return exponent_of_power(abs(self.computed)) is not None

    @property
    def twos(self) -> int | None:
        """Return the exponent of the largest power of two that divides the machine's number; None for 0."""
        top, bottom = self.computed.numerator, self.computed.denominator
        return None if top == 0 else (top & -top).bit_length() - bottom.bit_length()


def folded(formula: Formula, floats: Format, *, roundings: int) -> dict[int, Folded]:
    """Return the constant steps by place; ln and exp of constants only where they are correctly rounded."""
    found: dict[int, Folded] = {}
    for place, step in enumerate(formula.steps):
        if step.operation == "input" or any(i not in found for i in step.arguments):
            continue
        if roundings > 1 and step.operation in ("ln", "exp"):
            continue
        found[place] = _fold(step, [found[i] for i in step.arguments], floats)
    return found


def real_value(formula: Formula, precision: int) -> Enclosure:
    """Return an enclosure of a formula without inputs, over the reals."""
    values: list[Enclosure] = []
    for step in formula.steps:
        values.append(_defined(step, [values[i] for i in step.arguments], precision))
    return values[-1]


def _fold(step: Operation, parts: list[Folded], floats: Format) -> Folded:
    computed, reals = [part.computed for part in parts], [part.real for part in parts]
    precision = floats.p + PRECISION
    real = _defined(step, reals, precision)
    exact = _defined(step, [enclose(x) for x in computed], precision)
    if not exact.is_exact:
        # The value is irrational (or a known constant): no midpoint of floats, so some precision decides (Ziv).
        exact = refine(
            lambda bits: _real(step, [enclose(x) for x in computed], bits),
            until=lambda e: to_float(e.lower, floats) == to_float(e.upper, floats),
        )
    return Folded(computed=to_float(exact.lower, floats), real=real)


def to_float(x: Fraction, floats: Format) -> Fraction:
    """Return the float of a format nearest to x, ties to even.

    >>> to_float(Fraction(1, 3), Format(p=3, least=-2))
    Fraction(1, 4)
    """
    result = round_nearest(x, floats.p)
    if floats.least is not None and 0 < abs(x) < power_of_two(floats.least + floats.p - 1):
        result = round(x / power_of_two(floats.least)) * power_of_two(floats.least)
    if floats.largest is not None and abs(result) > floats.largest:
        raise PremiseError(f"a constant of the formula overflows {floats}.")
    return result


def _defined(step: Operation, parts: list[Enclosure], precision: int) -> Enclosure:
    try:
        return _real(step, parts, precision)
    except ZeroDivisionError:
        raise PremiseError("a constant part of the formula divides by zero.") from None


def _real(step: Operation, parts: list[Enclosure], precision: int) -> Enclosure:
    """Return an enclosure of the exact result of a step; a single point where it is rational."""
    match step.operation:
        case "number":
            assert step.value is not None
            return enclose(step.value)
        case "constant":
            return CONSTANTS[step.name](precision)
        case "neg":
            return -parts[0]
        case "add":
            return parts[0] + parts[1]
        case "sub":
            return parts[0] - parts[1]
        case "mul":
            return parts[0] * parts[1]
        case "div":
            return parts[0] / parts[1]
        case "fma":
            return parts[0] * parts[1] + parts[2]
        case "sqrt":
            return _root(parts[0], precision)
        case "exp":
            return _increasing(exp_enclosure, parts[0], precision)
        case "ln":
            if parts[0].lower <= 0:
                raise PremiseError("a constant part of the formula takes ln of a number that is not positive.")
            return _increasing(ln_enclosure, parts[0], precision)
        case "input":
            raise TypeError("an input has no value of its own")
        case _:
            assert_never(step.operation)


def _increasing(function: Callable[[Fraction, int], Enclosure], x: Enclosure, precision: int) -> Enclosure:
    return Enclosure(function(x.lower, precision).lower, function(x.upper, precision).upper)


def _root(x: Enclosure, precision: int) -> Enclosure:
    if x.lower < 0:
        raise PremiseError("a constant part of the formula takes the root of a negative number.")
    return Enclosure(_root_ends(x.lower, precision)[0], _root_ends(x.upper, precision)[1])


def _root_ends(x: Fraction, precision: int) -> tuple[Fraction, Fraction]:
    """Return sqrt(x) rounded down and up to multiples of 2**-precision over the denominator; exact where rational."""
    shift = 1 << precision
    square, parts = x.numerator * x.denominator * shift * shift, x.denominator * shift
    root = isqrt(square)
    return Fraction(root, parts), Fraction(root if root * root == square else root + 1, parts)


def _pi(precision: int) -> Enclosure:
    ends = (fraction_of_mpfr(mpfr_context(precision, way).const_pi()) for way in ("down", "up"))
    return Enclosure(*ends)


def _ln(x: int) -> Callable[[int], Enclosure]:
    return lambda precision: ln_enclosure(Fraction(x), precision)


def _e(precision: int) -> Enclosure:
    return exp_enclosure(Fraction(1), precision)


def _sqrt(x: Any, precision: int) -> Enclosure:
    return _root(enclose(x), precision)


CONSTANTS: dict[str, Callable[[int], Enclosure]] = {
    "E": _e,
    "LOG2E": lambda precision: enclose(1) / _ln(2)(precision),
    "LOG10E": lambda precision: enclose(1) / _ln(10)(precision),
    "LN2": _ln(2),
    "LN10": _ln(10),
    "PI": _pi,
    "PI_2": lambda precision: _pi(precision) * Fraction(1, 2),
    "PI_4": lambda precision: _pi(precision) * Fraction(1, 4),
    "M_1_PI": lambda precision: enclose(1) / _pi(precision),
    "M_2_PI": lambda precision: enclose(2) / _pi(precision),
    "M_2_SQRTPI": lambda precision: enclose(2) / _sqrt(_pi(precision), precision),
    "SQRT2": lambda precision: _sqrt(2, precision),
    "SQRT1_2": lambda precision: _sqrt(Fraction(1, 2), precision),
}
