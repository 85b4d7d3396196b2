"""Arithmetic formulas as straight lines of steps: what an error bound is about.

Readers of text and of FPCore build these through `Builder`. Equal steps are one step: a machine that repeats a
computation repeats its rounding error, so the errors of repeated parts are not counted as independent. A format says
which floats there are: p bits, and exponents with or without an end. Parts without inputs are folded step by step, each
rounded to nearest as the machine rounds it, while MPFR encloses the real value: a constant's rounding error is a known
number with a sign, not an unknown one. Theory: docs/theory/error-bounds.md, (8).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any, Literal, assert_never

from snapdp.display.numbers import exact_operand
from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import exponent_of_power, power_of_two, round_nearest
from snapdp.exact.enclosure import Enclosure, enclose, refine
from snapdp.exact.functions import exp_enclosure, fraction_of_mpfr, ln_enclosure, mpfr_context
from snapdp.values import Value

Given = Literal["input", "constant", "number"]  # what a formula begins with
Applied = Literal["neg", "sqrt", "exp", "ln", "add", "sub", "mul", "div", "fma"]  # a new one: mypy names who must know
# operation: number of arguments
OPERATIONS: dict[Applied, int] = {
    "neg": 1,
    "sqrt": 1,
    "exp": 1,
    "ln": 1,
    "add": 2,
    "sub": 2,
    "mul": 2,
    "div": 2,
    "fma": 3,
}
LARGEST_FORMULA = 2000


class Format(Value):
    """Floats of p bits; least and greatest are exponents of the smallest subnormal and of overflow, or None."""

    p: int
    least: int | None = None
    greatest: int | None = None

    def _check(self) -> None:
        if not 2 <= self.p <= 4096:
            raise ParameterError(f"p = {self.p} is no precision a float can have.", "Give 2 <= p <= 4096.")

    def __str__(self) -> str:
        known = {BINARY64: "binary64", BINARY32: "binary32"}
        return known.get(self, f"{self.p} bits, exponents unbounded")

    @property
    def largest(self) -> Fraction | None:
        """Return the largest finite float."""
        return None if self.greatest is None else power_of_two(self.greatest) * (1 - power_of_two(-self.p))


BINARY64 = Format(p=53, least=-1074, greatest=1024)
BINARY32 = Format(p=24, least=-149, greatest=128)


class Operation(Value):
    """One operation; its arguments are earlier steps. "input" and "constant" have a name, "number" has a value."""

    operation: Given | Applied
    arguments: tuple[int, ...] = ()
    name: str = ""
    value: Fraction | None = None


class Formula(Value):
    """Steps in order of evaluation; the last one is the result."""

    steps: tuple[Operation, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(step.name for step in self.steps if step.operation == "input")

    def __str__(self) -> str:
        """Return the formula on one line; repeated parts are written out, cut where that is long."""
        text: list[str] = []
        for step in self.steps:
            text.append(_shortened(_written(step, [text[i] for i in step.arguments])))
        whole = text[-1]
        return whole[1:-1] if whole.startswith("(") and self.steps[-1].operation in _SIGNS else whole


_SIGNS: dict[str, str] = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def _written(step: Operation, parts: list[str]) -> str:
    if step.operation in _SIGNS:
        return f"({parts[0]} {_SIGNS[step.operation]} {parts[1]})"
    if step.operation == "number":
        assert step.value is not None
        return exact_operand(step.value)
    return step.name or ("-" + parts[0] if step.operation == "neg" else f"{step.operation}({', '.join(parts)})")


def _shortened(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:200]} ... {text[-100:]}"


class Builder:
    """Collects steps; an equal step is found again instead of being added."""

    def __init__(self) -> None:
        self.steps: list[Operation] = []
        self._places: dict[Operation, int] = {}

    def add(self, step: Operation) -> int:
        if step not in self._places:
            if len(self.steps) >= LARGEST_FORMULA:
                raise ParameterError(f"the formula has more than {LARGEST_FORMULA} operations.", "Bound parts of it.")
            self._places[step] = len(self.steps)
            self.steps.append(step)
        return self._places[step]

    def number(self, value: Fraction) -> int:
        return self.add(Operation(operation="number", value=value))

    def input(self, name: str) -> int:
        return self.add(Operation(operation="input", name=name))

    def apply(self, operation: Applied, *arguments: int) -> int:
        assert len(arguments) == OPERATIONS[operation]
        return self.add(Operation(operation=operation, arguments=arguments))

    def formula(self, result: int) -> Formula:
        """Return the steps that the result needs."""
        needed: set[int] = set()
        waiting = [result]
        while waiting:
            place = waiting.pop()
            if place not in needed:
                needed.add(place)
                waiting += self.steps[place].arguments
        places = {old: new for new, old in enumerate(sorted(needed))}
        steps = (self.steps[old] for old in sorted(needed))
        return Formula(
            steps=tuple(
                Operation(
                    operation=s.operation,
                    arguments=tuple(places[i] for i in s.arguments),
                    name=s.name,
                    value=s.value,
                )
                for s in steps
            )
        )


# Constants

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
