"""Certified bounds on the rounding error of a formula over a box of inputs.

Room: rounding. The one call for commands and programs: bounds of all parts (propagation.py), maximised over the box
(branch_and_bound.py). Inputs are floats of the format; an error is the computed result minus the formula over the
reals.
Premises: every operation is correctly rounded to nearest, ln and exp within `roundings` roundings; the order of
operations is the formula's, nothing is contracted or kept in more bits. Theory: docs/theory/error-bounds.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact import floor_log2, power_of_two, to_float_down, to_float_up
from snapdp.rounding.boxes import mignitude, neighbours
from snapdp.rounding.branch_and_bound import Progress, Supremum, supremum
from snapdp.rounding.formula import Format, Formula
from snapdp.rounding.propagation import Analysis
from snapdp.values import Value

MOST_BOXES = 60_000  # fewer where ln and exp have to be computed
BOXES_FOR_RANGE = 2000

Box = Mapping[str, tuple[Fraction, Fraction]]


class ErrorBound(Value):
    """What is certain about the rounding error of a formula over a box.

    absolute  |computed - real| is at most this         relative  |computed - real| / |real| is at most this, or None
    lower, upper  between them lie the real and the computed value (None: not known)
    reached   the same sum of error bounds at a single point: no halving of boxes could go below it
    """

    formula: Formula
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
    formula: Formula,
    box: Box,
    floats: Format,
    *,
    relative: bool = False,
    roundings: int = 1,
    most_boxes: int = MOST_BOXES,
    progress: Progress | None = None,
) -> ErrorBound:
    """Return bounds that hold for all floats in a box.

    >>> from snapdp.rounding import BINARY64
    >>> from snapdp.rounding import read_formula
    >>> found = bound_error(read_formula("x / 3"), {"x": (Fraction(1), Fraction(3))}, BINARY64)
    >>> from snapdp.display import scientific_up
    >>> scientific_up(found.absolute), found.lower, found.upper
    ('5.552e-17', Fraction(6004799503160661, 18014398509481984), Fraction(1, 1))
    """
    if not 1 <= roundings <= 64:
        raise ParameterError(f"roundings = {roundings} is no number of roundings.", "1 is correctly rounded.")
    elementary = sum(step.operation in ("ln", "exp") for step in formula.steps)
    most_boxes = max(1, most_boxes // (1 + elementary))  # ln and exp of ends cost far more than all the rest
    analysis = Analysis(formula, floats, roundings=roundings)
    ends = [_inside(name, box, floats) for name in formula.inputs]
    low, high = [end[0] for end in ends], [end[1] for end in ends]

    def snap(x: Any) -> tuple[Any, Any]:
        return neighbours(x, floats.p, floats.least)

    def largest(objective: Callable[[Any, Any], Any], most: int, watch: Progress | None = None) -> Supremum:
        return supremum(objective, low, high, most_boxes=most, snap=snap, progress=watch)

    found = largest(lambda a, b: analysis.bounds(a, b).error, most_boxes, progress)
    if not math.isfinite(found.upper):
        place = found.worst if math.isfinite(found.met) else (found.point, found.point)
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
        box=tuple((name, *box[name]) for name in formula.inputs),
        roundings=roundings,
        absolute=Fraction(found.upper) * unit,
        relative=Fraction(quotient) * unit if math.isfinite(quotient) else None,
        lower=Fraction(lower) if math.isfinite(lower) else None,
        upper=Fraction(upper) if math.isfinite(upper) else None,
        reached=Fraction(found.met) * unit,
        boxes=found.boxes,
    )


def _relative(error: Any, values: tuple[Any, Any]) -> Any:
    import numpy as np

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
