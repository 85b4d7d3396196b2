"""Certified bounds on the rounding error of a formula over a box of inputs.

`bound_error` is the one call for commands and programs. Inputs are floats of the format; an error is the computed
result minus the formula over the reals. `Analysis.bounds` bounds the error over thousands of boxes at a time: it is at
most the sum over all operations of |derivative of the result by that operation's error| times a bound of that error,
theory (5); derivatives are taken over ranges that hold both the real and the computed value of each part. `supremum`
halves boxes where their bound is largest; its result holds whatever is halved and when, and no clock is read, so the
same question has the same answer everywhere.
Equal parts of a formula are one part: a machine that repeats a computation repeats its rounding error. Parts without
inputs are folded, each rounded to nearest as the machine rounds it, while MPFR encloses the real value: a constant's
rounding error is a known number with a sign. An operation is a line of REAL, of FORWARD and of DERIVATIVES.
Premises: every operation is correctly rounded to nearest, ln and exp within `roundings` roundings; the order of
operations is the formula's, nothing is contracted or kept in more bits. Theory: docs/theory/error-bounds.md, (5), (8)
and (9).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from snapdp.errors import ParameterError, PremiseError, ProgramError
from snapdp.exact.dyadic import exponent_of_power, floor_log2, power_of_two, round_nearest
from snapdp.exact.enclosure import Enclosure, enclose, refine
from snapdp.exact.functions import exp_of, ln_of, sqrt_of
from snapdp.exact.numbers import shown, to_float_down, to_float_up
from snapdp.lab.language.fpcore import CONSTANTS, Format
from snapdp.lab.language.parser import read_formula
from snapdp.lab.language.syntax import (
    FORMULAS,
    Constant,
    Exponential,
    Expression,
    Logarithm,
    NamedConstant,
    Negation,
    Parts,
    Variable,
    table,
)
from snapdp.lab.semantics import boxes
from snapdp.lab.semantics.boxes import Pair, mignitude, neighbours
from snapdp.values import Value

MOST_BOXES = 60_000  # fewer where ln and exp have to be computed
BOXES_FOR_RANGE = 2000
LARGEST_FORMULA = 2000  # operations

Box = Mapping[str, tuple[Fraction, Fraction]]


def input_names(formula: Expression) -> tuple[str, ...]:
    """Return the names of a formula's inputs, in order of evaluation."""
    return tuple(part.name for part in Parts(formula).parts if isinstance(part, Variable))


def read_ranges(texts: Iterable[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the ranges of texts NAME=LOWER,UPPER; an end without a finite decimal is moved outward by a hair.

    >>> read_ranges(["f=-2**10,1/2"])
    {'f': (Fraction(-1024, 1), Fraction(1, 2))}
    """
    box: dict[str, tuple[Fraction, Fraction]] = {}
    for text in texts:
        name, equals, ends = (part.strip() for part in text.partition("="))
        parts = ends.split(",")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or len(parts) != 2:
            raise ProgramError(f"{shown(text)} is no range.", "A range is NAME=LOWER,UPPER, e.g. U=exp(-40),0.999.")
        if name in box:
            raise ProgramError(f"the range of {name} is given twice.", "Give each range once.")
        formulas = [read_formula(end) for end in parts]
        for end, formula in zip(parts, formulas, strict=True):
            if input_names(formula):
                raise ProgramError(f"{shown(end.strip())} is no number.", "The ends of a range are numbers.")
        lower, upper = (real_value(formula, PRECISION) for formula in formulas)
        if lower.lower > upper.upper:
            raise ProgramError(f"the lower end of {name} is above the upper end.", "A range is NAME=LOWER,UPPER.")
        box[name] = lower.lower, upper.upper
    return box


class ErrorBound(Value):
    """What is certain about the rounding error of a formula over a box.

    absolute  |computed - real| is at most this         relative  |computed - real| / |real| is at most this, or None
    lower, upper  between them lie the real and the computed value (None: not known)
    reached   the same sum of error bounds at a single point: no halving of boxes could go below it
    """

    formula: Expression
    floats: Format
    box: tuple[tuple[str, Fraction, Fraction], ...]
    roundings: int
    absolute: Fraction
    relative: Fraction | None
    lower: Fraction | None
    upper: Fraction | None
    reached: Fraction
    boxes: int


def bound_error(
    formula: Expression,
    box: Box,
    floats: Format,
    *,
    relative: bool = False,
    roundings: int = 1,
    most_boxes: int = MOST_BOXES,
    progress: Progress | None = None,
) -> ErrorBound:
    """Return bounds that hold for all floats in a box.

    >>> from snapdp.lab.language.fpcore import BINARY64
    >>> found = bound_error(read_formula("x / 3"), {"x": (Fraction(1), Fraction(3))}, BINARY64)
    >>> from snapdp.display.numbers import scientific_up
    >>> scientific_up(found.absolute), found.lower, found.upper
    ('5.552e-17', Fraction(6004799503160661, 18014398509481984), Fraction(1, 1))
    """
    if not 1 <= roundings <= 64:
        raise ParameterError(f"roundings = {roundings} is no number of roundings.", "1 is correctly rounded.")
    analysis = Analysis(formula, floats, roundings=roundings, inputs=tuple(box))
    elementary = sum(isinstance(part, (Logarithm, Exponential)) for part in analysis.parts.parts)
    most_boxes = max(1, most_boxes // (1 + elementary))  # ln and exp of ends cost far more than all the rest
    ends = [_inside(name, box, floats) for name in analysis.inputs]
    low, high = [end[0] for end in ends], [end[1] for end in ends]

    def snap(x: Any) -> tuple[Any, Any]:
        return neighbours(x, floats.p, floats.least)

    def largest(objective: Callable[[Any, Any], Any], most: int, watch: Progress | None = None) -> Supremum:
        return supremum(objective, low, high, most_boxes=most, snap=snap, progress=watch)

    error = largest(lambda a, b: analysis.bounds(a, b)[0], most_boxes, progress)
    if not math.isfinite(error.upper):
        place = error.worst if math.isfinite(error.met) else (error.point, error.point)
        raise PremiseError(
            f"no finite bound was found: {analysis.obstacle(*place)}.", "Give ranges that exclude such values."
        )
    lower = -largest(lambda a, b: -analysis.values(a, b)[0], BOXES_FOR_RANGE).upper
    upper = largest(lambda a, b: analysis.values(a, b)[1], BOXES_FOR_RANGE).upper
    quotient = math.inf
    if relative and (lower > 0 or upper < 0):
        quotient = largest(lambda a, b: _relative(*analysis.bounds(a, b)), most_boxes, progress).upper
    unit = power_of_two(-floats.p)
    return ErrorBound(
        formula=formula,
        floats=floats,
        box=tuple((name, *box[name]) for name in analysis.inputs),
        roundings=roundings,
        absolute=Fraction(error.upper) * unit,
        relative=Fraction(quotient) * unit if math.isfinite(quotient) else None,
        lower=Fraction(lower) if math.isfinite(lower) else None,
        upper=Fraction(upper) if math.isfinite(upper) else None,
        reached=Fraction(error.met) * unit,
        boxes=error.boxes,
    )


def _relative(error: Any, values: tuple[Any, Any]) -> Any:
    with np.errstate(all="ignore"):
        quotient = error / mignitude(values) * (1 + 2.0**-51)
        return np.where(np.isnan(quotient), np.inf, quotient)


def _inside(name: str, box: Box, floats: Format) -> tuple[float, float]:
    """Return doubles around the floats of an input: its extreme floats themselves where these are doubles."""
    if name not in box:
        raise ParameterError(f"input {name} has no range.", "Every input needs a lower and an upper end.")
    lower, upper = box[name]
    if floats.p <= 53:
        lower, upper = _float_above(lower, floats), -_float_above(-upper, floats)
    ends = to_float_down(lower), to_float_up(upper)
    if lower > upper:
        raise ParameterError(f"no float of {floats} lies in the range of {name}.", "Give a wider range.")
    if not all(map(math.isfinite, ends)) or max(abs(lower), abs(upper)) > (floats.largest or abs(lower) + abs(upper)):
        raise ParameterError(f"the range of {name} reaches beyond the numbers of {floats}.", "Give a smaller range.")
    return ends


def _float_above(x: Fraction, floats: Format) -> Fraction:
    """Return the smallest float >= x."""
    if x == 0:
        return x
    unit = floor_log2(abs(x)) - floats.p + 1
    grid = power_of_two(unit if floats.least is None else max(unit, floats.least))
    return grid * math.ceil(x / grid)


# Branch and bound: the largest bound of any box that is left. Theory: docs/theory/error-bounds.md, (9).

BATCH = 512
FEW = 64  # boxes of a batch that are also evaluated at points, to know how low the bound can get
TOLERANCE = 1e-3  # the answer is this near to the largest value met at a point, where boxes suffice
STALL = 20_000  # boxes after which a bound that got no better by TOLERANCE / 10 is left as it is

Snap = Callable[[Any], tuple[Any, Any]]  # points -> where lower halves end and where upper halves begin
Objective = Callable[[Any, Any], Any]  # lower ends, upper ends -> a bound for each box
Progress = Callable[[int, float, float], None]  # boxes so far, bound so far, largest value met at a point


def supremum(
    objective: Objective,
    lower: Sequence[float],
    upper: Sequence[float],
    *,
    most_boxes: int,
    snap: Snap = lambda x: (x, x),
    progress: Progress | None = None,
) -> Supremum:
    """Return an upper bound of an objective over a box, by halving it into at most so many boxes.

    Where only some points of the box matter, `snap` may leave a gap between two halves that holds none of them.

    >>> wave = supremum(lambda low, high: high[0] * (1 - low[0]), [0.0], [1.0], most_boxes=1000)
    >>> wave.met, round(wave.upper, 3)
    (0.25, 0.25)
    """
    found = Supremum(objective, lower, upper, snap)
    improved, since = found.upper, 0
    while found.bound.size and found.boxes < most_boxes and found.boxes - since < STALL:
        found.halve()
        if not found.upper > improved - abs(improved) * TOLERANCE / 10:
            improved, since = found.upper, found.boxes
        if progress is not None:
            progress(found.boxes, found.upper, found.met)
    return found


class Supremum:
    """The boxes still to be halved, and the largest bound of those that are done.

    upper  a bound over the whole box        met, point  the largest value met at a point, and that point
    worst  the ends of the box whose bound is largest        boxes  how many were made
    """

    def __init__(self, objective: Objective, lower: Sequence[float], upper: Sequence[float], snap: Snap) -> None:
        self.objective, self.snap = objective, snap
        self.low, self.high = (np.array(ends, dtype=float)[:, None] for ends in (lower, upper))
        self.bound = objective(self.low, self.high)
        self.boxes = 1
        self.done, self.done_box = -np.inf, (self.low[:, 0], self.high[:, 0])
        self.met, self.point = -np.inf, self.low[:, 0]
        self._meet(np.concatenate([self.low, self.high], axis=1))
        self._settle()

    @property
    def upper(self) -> float:
        return max(float(self.done), float(self.bound.max(initial=-float("inf"))))

    @property
    def worst(self) -> Pair:
        if not self.bound.size or self.bound.max() <= self.done:
            return self.done_box
        place = int(self.bound.argmax())
        return self.low[:, place], self.high[:, place]

    def halve(self) -> None:
        """Halve the boxes with the largest bounds."""
        size = self.bound.size
        chosen = np.argpartition(-self.bound, BATCH)[:BATCH] if size > BATCH else np.arange(size)
        low, high, parents = self.low[:, chosen], self.high[:, chosen], self.bound[chosen]
        first, second = self.snap(_middle(low, high))
        few = np.argsort(-parents, kind="stable")[:FEW]
        self._meet(np.concatenate([first[:, few], low[:, few], high[:, few]], axis=1))
        children = self._halves(low, high, first, second)
        bounds = np.minimum(self.objective(*children), np.tile(parents, 2))
        self.low = np.concatenate([np.delete(self.low, chosen, axis=1), children[0]], axis=1)
        self.high = np.concatenate([np.delete(self.high, chosen, axis=1), children[1]], axis=1)
        self.bound = np.concatenate([np.delete(self.bound, chosen), bounds])
        self.boxes += bounds.size
        self._settle()

    def _meet(self, points: Any) -> None:
        values = self.objective(points, points)
        place = int(values.argmax())
        if values[place] > self.met:
            self.met, self.point = float(values[place]), points[:, place]

    def _settle(self) -> None:
        """Put boxes aside that cannot matter, or that no halving changes."""
        first, second = self.snap(_middle(self.low, self.high))
        settled = ((first >= self.high) | (second <= self.low)).all(axis=0)
        settled |= self.bound <= self.met + abs(self.met) * TOLERANCE
        if settled.any():
            place = int(self.bound[settled].argmax())
            if self.bound[settled][place] > self.done:
                self.done = float(self.bound[settled][place])
                self.done_box = self.low[:, settled][:, place], self.high[:, settled][:, place]
            self.low, self.high, self.bound = self.low[:, ~settled], self.high[:, ~settled], self.bound[~settled]

    def _halves(self, low: Any, high: Any, first: Any, second: Any) -> tuple[Any, Any]:
        """Return both halves of each box, cut across the side without which its bound would be smallest."""
        sides, count = low.shape
        without = np.zeros((sides, count))
        for side in range(sides) if sides > 1 else ():
            flat_low, flat_high = low.copy(), high.copy()
            flat_low[side] = flat_high[side] = first[side]
            without[side] = np.minimum(self.objective(flat_low, flat_high), np.finfo(float).max)
        without[(first >= high) | (second <= low)] = np.inf  # no cut there
        cut = without.argmin(axis=0), np.arange(count)
        first_high, second_low = high.copy(), low.copy()
        first_high[cut], second_low[cut] = first[cut], second[cut]
        return np.concatenate([low, second_low], axis=1), np.concatenate([first_high, high], axis=1)


def _middle(low: Any, high: Any) -> Any:
    """Return points between the ends: the geometric mean where the ends have one sign and differ much in size."""
    with np.errstate(all="ignore"):
        ratio = high / low
        geometric = np.sign(low) * np.sqrt(abs(low)) * np.sqrt(abs(high))
    far = (np.sign(low) == np.sign(high)) & ((ratio > 4) | (ratio < 0.25))
    return np.clip(np.where(far, geometric, low / 2 + high / 2), low, high)


# Constants

PRECISION = 128  # bits beyond p with which real constants are enclosed


def _where(is_defined: bool, x: Enclosure, otherwise: str) -> Enclosure:
    if not is_defined:
        raise PremiseError(f"a constant part of the formula {otherwise}.")
    return x


OPERATIONS = FORMULAS - {Constant, NamedConstant, Variable}
REAL = table(  # of a precision and the operands' real values; a single point where the value is rational
    OPERATIONS,
    neg=lambda _, a: -a,
    add=lambda _, a, b: a + b,
    sub=lambda _, a, b: a - b,
    mul=lambda _, a, b: a * b,
    div=lambda _, a, b: a / _where(b.lower > 0 or b.upper < 0, b, "divides by zero"),
    fma=lambda _, a, b, c: a * b + c,
    sqrt=lambda bits, a: sqrt_of(_where(a.lower >= 0, a, "takes the root of a negative number"), bits),
    exp=lambda bits, a: exp_of(a, bits),
    ln=lambda bits, a: ln_of(_where(a.lower > 0, a, "takes ln of a number that is not positive"), bits),
)


def _real(e: Expression, precision: int, operands: Iterable[Enclosure]) -> Enclosure:
    if isinstance(e, Constant):
        return enclose(e.value)
    return CONSTANTS[e.name](precision) if isinstance(e, NamedConstant) else REAL[e.word](precision, *operands)


def real_value(formula: Expression, precision: int) -> Enclosure:
    """Return an enclosure of a formula without inputs, over the reals."""
    return _real(formula, precision, (real_value(operand, precision) for operand in formula.operands))


class FoldedConstant(NamedTuple):
    """A constant: the float the machine uses, and an enclosure of the real number it stands for."""

    computed: Fraction
    real: Enclosure


def _folded(part: Expression, operands: list[FoldedConstant], floats: Format) -> FoldedConstant:
    precision = floats.p + PRECISION
    points = [enclose(operand.computed) for operand in operands]
    exact = _real(part, precision, points)
    if not exact.is_exact:
        # The value is irrational (or a known constant): no midpoint of floats, so some precision decides (Ziv).
        exact = refine(
            lambda bits: _real(part, bits, points),
            until=lambda e: to_float(e.lower, floats) == to_float(e.upper, floats),
        )
    real = _real(part, precision, (operand.real for operand in operands))
    return FoldedConstant(to_float(exact.lower, floats), real)


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


# Errors over boxes, in units of 2**-p, so that every precision fits into doubles


class Values(NamedTuple):
    """A part over all boxes."""

    range: Pair  # where its value can lie
    exact: Pair  # the same before it is rounded
    error: Any  # of rounding it, in units of 2**-p
    grid: Any  # the power of two of which every computed value is a multiple (-inf: not known)
    is_power: bool = False  # a constant that is plus or minus a power of two


UNKNOWN = np.float64(-np.inf)  # the grid of a number that may be any


class Rounded(NamedTuple):
    """The result of an operation on floats before it is rounded: where it can lie, of which power of two it is a
    multiple, and another bound of its rounding error."""

    exact: Pair
    grid: Any = UNKNOWN
    most: Any = np.inf


def _sum(floats: Format, exact: Pair, a: Values, b: Values) -> Rounded:
    # Either operand is a float at the distance of the other: the nearest float is no farther; theory (3).
    least = np.minimum(boxes.magnitude(a.range), boxes.magnitude(b.range))
    return Rounded(exact, np.minimum(a.grid, b.grid), np.ldexp(least, floats.p))


def _product(floats: Format, a: Values, b: Values) -> Rounded:
    exact = boxes.square(a.range) if a is b else boxes.mul(a.range, b.range)
    return Rounded(exact, _added(a.grid, b.grid), _scaling(exact, floats, is_exact=a.is_power or b.is_power))


def _quotient(floats: Format, a: Values, b: Values) -> Rounded:
    exact = boxes.div(a.range, b.range)
    return Rounded(exact, most=_scaling(exact, floats, is_exact=b.is_power))


def _scaling(exact: Pair, floats: Format, *, is_exact: bool) -> Any:
    """Return the largest error of scaling by a power of two: none but for subnormal results; theory (3)."""
    if not is_exact:
        return np.inf
    if floats.least is None:
        return 0.0
    normal = boxes.mignitude(exact) >= np.ldexp(1.0, floats.least + floats.p - 1)
    return np.where(normal, 0.0, np.ldexp(1.0, floats.least - 1 + floats.p))


def _fused(_: Format, a: Values, b: Values, c: Values) -> Rounded:
    return Rounded(boxes.add(boxes.mul(a.range, b.range), c.range), np.minimum(_added(a.grid, b.grid), c.grid))


FORWARD = table(  # of the floats, and the values of the operands
    OPERATIONS,
    neg=lambda _, a: Rounded(boxes.neg(a.range), a.grid, 0.0),
    add=lambda floats, a, b: _sum(floats, boxes.add(a.range, b.range), a, b),
    sub=lambda floats, a, b: _sum(floats, boxes.sub(a.range, b.range), a, b),
    mul=_product,
    div=_quotient,
    fma=_fused,
    sqrt=lambda _, a: Rounded(boxes.sqrt(a.range)),
    exp=lambda _, a: Rounded(boxes.exp(a.range)),
    ln=lambda _, a: Rounded(boxes.ln(a.range)),
)
ONE, MINUS = ((np.float64(x), np.float64(x)) for x in (1.0, -1.0))


def _by_quotient(result: Values, _: Values, divisor: Values) -> tuple[Pair, Pair]:
    inverse = boxes.loose_reciprocal(divisor.range)
    return inverse, boxes.neg(boxes.loose_mul(result.exact, inverse))


DERIVATIVES = table(  # by each operand; of the values of the operation, and of its operands
    OPERATIONS,
    neg=lambda _, __: (MINUS,),
    add=lambda *_: (ONE, ONE),
    sub=lambda *_: (ONE, MINUS),
    mul=lambda _, a, b: (b.range, a.range),
    div=_by_quotient,
    fma=lambda _, a, b, __: (b.range, a.range, ONE),
    sqrt=lambda result, _: (boxes.loose_reciprocal((2 * result.exact[0], 2 * result.exact[1])),),
    exp=lambda result, _: (result.exact,),
    ln=lambda _, a: (boxes.loose_reciprocal(a.range),),
)


TROUBLES = {
    "div": "a divisor may be 0",
    "ln": "an argument of ln may be 0 or less",
    "sqrt": "an argument of sqrt may be negative",
}


class Analysis:
    """A formula on a machine, ready to be bounded over boxes. `inputs` orders the rows of boxes."""

    def __init__(
        self, formula: Expression, floats: Format, *, roundings: int = 1, inputs: tuple[str, ...] = ()
    ) -> None:
        self.floats = floats
        self.parts = Parts(formula)
        if len(self.parts.parts) > LARGEST_FORMULA:
            raise ParameterError(f"the formula has more than {LARGEST_FORMULA} operations.", "Bound parts of it.")
        order = {name: place for place, name in enumerate(inputs)}
        self.inputs = tuple(sorted(input_names(formula), key=lambda name: order.get(name, len(order))))
        self.roundings = roundings
        self.largest = sys.float_info.max if floats.largest is None else to_float_down(floats.largest)
        self.constants: dict[int, Values] = {}
        self.deviations: dict[int, Pair] = {}  # of constants that are not exact: their errors in units of 2**-p
        folded: dict[int, FoldedConstant] = {}
        for place, (part, operands) in enumerate(self._steps()):
            # ln and exp of constants are folded only where they are correctly rounded
            is_known = roundings == 1 or not isinstance(part, (Logarithm, Exponential))
            if is_known and not isinstance(part, Variable) and all(i in folded for i in operands):
                folded[place] = _folded(part, [folded[i] for i in operands], floats)
                self._add_constant(place, *folded[place])

    def _steps(self) -> Iterable[tuple[Expression, tuple[int, ...]]]:
        return zip(self.parts.parts, self.parts.operands, strict=True)

    def _add_constant(self, place: int, computed: Fraction, real: Enclosure) -> None:
        low, high = min(computed, real.lower), max(computed, real.upper)
        ends = np.float64(to_float_down(low)), np.float64(to_float_up(high))
        top, bottom = computed.numerator, computed.denominator
        twos = np.inf if top == 0 else (top & -top).bit_length() - bottom.bit_length()
        is_power = exponent_of_power(abs(computed)) is not None
        self.constants[place] = Values(ends, ends, 0.0, np.float64(twos), is_power)
        if low < high:
            scale = power_of_two(self.floats.p)
            errors = to_float_down((computed - real.upper) * scale), to_float_up((computed - real.lower) * scale)
            self.deviations[place] = np.float64(errors[0]), np.float64(errors[1])

    def bounds(self, lower: Any, upper: Any) -> tuple[Any, Pair]:
        """Return for each box the error in units of 2**-p, and where the result can lie, over the reals and as
        computed; arrays of one row per input, one column per box, ends that are floats."""
        with np.errstate(all="ignore"):
            values = self._values(lower, upper)
            error, *ends = (np.broadcast_to(x, lower.shape[1:]) for x in (self._backward(values), *values[-1].range))
        return error, (ends[0], ends[1])

    def values(self, lower: Any, upper: Any) -> list[Any]:
        """Return where the result can lie, as `bounds` does."""
        with np.errstate(all="ignore"):
            return [np.broadcast_to(end, lower.shape[1:]) for end in self._values(lower, upper)[-1].range]

    def obstacle(self, lower: Any, upper: Any) -> str:
        """Return in words what makes the bound of a box infinite."""
        with np.errstate(all="ignore"):
            values = self._values(lower[:, None], upper[:, None])
        obstacle = "a derivative may be unbounded"
        for part, value in zip(self.parts.parts, values, strict=True):
            if not all(np.isfinite(number).all() for number in (*value.range, value.error)):
                obstacle = TROUBLES.get(part.word, f"a value may overflow {self.floats}")
                break
        near = ", ".join(f"{name} = {end:.6g}" for name, end in zip(self.inputs, lower, strict=True))
        return f"{obstacle} near {near}" if near else obstacle

    def _values(self, lower: Any, upper: Any) -> list[Values]:
        values: list[Values] = []
        for place, (part, operands) in enumerate(self._steps()):
            if place in self.constants:
                values.append(self.constants[place])
            elif isinstance(part, Variable):
                row = self.inputs.index(part.name)
                ends = lower[row], upper[row]
                values.append(Values(ends, ends, 0.0, self._grid(ends, UNKNOWN)))
            else:
                values.append(self._rounded(part, FORWARD[part.word](self.floats, *(values[i] for i in operands))))
        return values

    def _rounded(self, part: Expression, result: Rounded) -> Values:
        """Return the values of an operation that rounds; ln and exp may round several times."""
        exact, grid, most = result
        if isinstance(part, Negation):
            return Values(exact, exact, 0.0, grid)
        size = boxes.magnitude(exact)
        error = self._half_ulp(size)
        ends = boxes.rounded(exact, self.floats.p, self.floats.least)
        if isinstance(part, (Logarithm, Exponential)) and self.roundings > 1:
            eta = power_of_two(-self.floats.p)
            error = np.maximum(error, size * to_float_up(((1 + eta) ** self.roundings - 1) / eta))
            blur = np.maximum(np.ldexp(error, -self.floats.p), 5e-324)
            ends = boxes.rounded(boxes.add(exact, (-blur, blur)), self.floats.p, self.floats.least)
        else:
            fits = size <= np.ldexp(1.0, np.clip(grid + self.floats.p, -4000, 4000).astype(int))
            if self.floats.least is not None:
                fits &= grid >= self.floats.least
            error = np.minimum(np.where(fits, 0.0, error), most)
        error = np.where(size <= self.largest, error, np.inf)  # also where an operation may be undefined
        return Values(ends, exact, error, self._grid(ends, grid))

    def _grid(self, ends: Pair, known: Any) -> Any:
        """Return the power of two that divides every float between two ends."""
        smallest = boxes.mignitude(ends)
        _, exponent = np.frexp(smallest)
        of_size = np.where(smallest > 0, exponent - float(self.floats.p), -np.inf)
        if self.floats.least is not None:
            of_size = np.maximum(of_size, float(self.floats.least))
        return np.maximum(of_size, known)

    def _half_ulp(self, size: Any) -> Any:
        """Return the largest error of rounding a number of at most this size: half an ulp, which a power of two at the
        upper end does not reach; theory (2)."""
        fraction, exponent = np.frexp(size)
        half = np.ldexp(0.5, np.where(fraction == 0.5, exponent - 1, exponent))
        half = np.where(size == 0, 0.0, np.where(np.isfinite(size), half, np.inf))
        if self.floats.least is not None:
            half = np.maximum(half, np.ldexp(1.0, self.floats.least - 1 + self.floats.p))
        return half

    def _backward(self, values: list[Values]) -> Any:
        """Return the sum of what the errors of all parts do to the result."""
        slopes: list[Pair | None] = [None] * len(values)
        slopes[-1] = ONE
        total: Any = np.float64(0.0)
        known: Pair = (total, total)  # the constants' errors have signs, which may cancel
        for place, (part, operands) in reversed(list(enumerate(self._steps()))):
            slope = slopes[place]
            if slope is None or isinstance(part, Variable):
                continue
            if place in self.constants:
                if place in self.deviations:
                    known = boxes.loose_add(known, boxes.loose_mul(slope, self.deviations[place]))
                continue
            total = boxes.upper_sum(total, boxes.upper_product(boxes.magnitude(slope), values[place].error))
            factors = DERIVATIVES[part.word](values[place], *(values[i] for i in operands))
            for operand, factor in zip(operands, factors, strict=True):
                through = slope if factor is ONE else boxes.loose_mul(slope, factor)
                before = slopes[operand]
                slopes[operand] = through if before is None else boxes.loose_add(before, through)
        return boxes.upper_sum(total, boxes.magnitude(known))


def _added(a: Any, b: Any) -> Any:
    """Return the sum of two exponents; -inf wins over inf (the grid of zero)."""
    total = a + b
    return np.where(np.isnan(total), -np.inf, total)
