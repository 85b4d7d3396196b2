"""Certified bounds on the rounding error of a formula over a box of inputs.

`bound_error` is the one call for commands and programs. Inputs are floats of the format; an error is the computed
result minus the formula over the reals. `Analysis.bounds` bounds the error over thousands of boxes at a time: it is at
most the sum over all steps of |derivative of the result by that step's error| times a bound of that error, theory (5);
derivatives are taken over ranges that hold both the real and the computed value of each step. `supremum` halves boxes
where their bound is largest; its result holds whatever is halved and when, and no clock is read, so the same question
has the same answer everywhere.
Premises: every operation is correctly rounded to nearest, ln and exp within `roundings` roundings; the order of
operations is the formula's, nothing is contracted or kept in more bits. Theory: docs/theory/error-bounds.md, (5) and
(9).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, assert_never

from snapdp.errors import ParameterError, PremiseError
from snapdp.exact.dyadic import floor_log2, power_of_two
from snapdp.exact.numbers import to_float_down, to_float_up
from snapdp.lab.rounding import boxes
from snapdp.lab.rounding.boxes import Pair, mignitude, neighbours
from snapdp.lab.rounding.formula import Folded, Format, Formula, Operation, folded
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

    >>> from snapdp.lab.rounding.formula import BINARY64
    >>> from snapdp.lab.language.formulas import read_formula
    >>> found = bound_error(read_formula("x / 3"), {"x": (Fraction(1), Fraction(3))}, BINARY64)
    >>> from snapdp.display.numbers import scientific_up
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


# Branch and bound: the largest bound of any box that is left. Theory: docs/theory/error-bounds.md, (9).

BATCH = 512
FEW = 64  # boxes of a batch that are also evaluated at points, to know how low the bound can get
TOLERANCE = 1e-3  # the answer is this near to the largest value met at a point, where boxes suffice
STALL = 20_000  # boxes after which a bound that got no better by TOLERANCE / 10 is left as it is

Snap = Callable[[Any], tuple[Any, Any]]  # points -> where lower halves end and where upper halves begin
Objective = Callable[[Any, Any], Any]  # lower ends, upper ends -> a bound for each box
Progress = Callable[[int, float, float], None]  # boxes so far, bound so far, largest value met at a point


class Supremum(NamedTuple):
    """An upper bound of an objective over a box; the largest value met at a point, and that point; the box left whose
    bound is largest; how many boxes were made."""

    upper: float
    met: float
    point: tuple[float, ...]
    worst: tuple[tuple[float, ...], tuple[float, ...]]
    boxes: int


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
    left = _Boxes(objective, lower, upper, snap)
    improved, since = left.upper, 0
    while left.bound.size and left.made < most_boxes and left.made - since < STALL:
        left.halve()
        if not left.upper > improved - abs(improved) * TOLERANCE / 10:
            improved, since = left.upper, left.made
        if progress is not None:
            progress(left.made, left.upper, left.met)
    return Supremum(left.upper, left.met, tuple(left.point.tolist()), left.worst(), left.made)


class _Boxes:
    """The boxes still to be halved, and the largest bound of those that are done."""

    def __init__(self, objective: Objective, lower: Sequence[float], upper: Sequence[float], snap: Snap) -> None:
        import numpy as np

        self.objective, self.snap = objective, snap
        self.low, self.high = (np.array(ends, dtype=float)[:, None] for ends in (lower, upper))
        self.bound = objective(self.low, self.high)
        self.made = 1
        self.done, self.done_box = -np.inf, (self.low[:, 0], self.high[:, 0])
        self.met, self.point = -np.inf, self.low[:, 0]
        self._meet(np.concatenate([self.low, self.high], axis=1))
        self._settle()

    @property
    def upper(self) -> float:
        return max(float(self.done), float(self.bound.max(initial=-float("inf"))))

    def worst(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        box = self.done_box
        if self.bound.size and self.bound.max() > self.done:
            place = int(self.bound.argmax())
            box = self.low[:, place], self.high[:, place]
        return tuple(box[0].tolist()), tuple(box[1].tolist())

    def halve(self) -> None:
        """Halve the boxes with the largest bounds."""
        import numpy as np

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
        self.made += bounds.size
        self._settle()

    def _meet(self, points: Any) -> None:
        values = self.objective(points, points)
        place = int(values.argmax())
        if values[place] > self.met:
            self.met, self.point = float(values[place]), points[:, place]

    def _settle(self) -> None:
        """Put boxes aside that cannot matter, or that no halving changes."""
        settled = (self.bound <= self.met + abs(self.met) * TOLERANCE) | self._single()
        if settled.any():
            place = int(self.bound[settled].argmax())
            if self.bound[settled][place] > self.done:
                self.done = float(self.bound[settled][place])
                self.done_box = self.low[:, settled][:, place], self.high[:, settled][:, place]
            self.low, self.high, self.bound = self.low[:, ~settled], self.high[:, ~settled], self.bound[~settled]

    def _single(self) -> Any:
        """Return which boxes cannot be cut."""
        first, second = self.snap(_middle(self.low, self.high))
        return ((first >= self.high) | (second <= self.low)).all(axis=0)

    def _halves(self, low: Any, high: Any, first: Any, second: Any) -> tuple[Any, Any]:
        """Return both halves of each box, cut across the side without which its bound would be smallest."""
        import numpy as np

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
    import numpy as np

    with np.errstate(all="ignore"):
        ratio = high / low
        geometric = np.sign(low) * np.sqrt(abs(low)) * np.sqrt(abs(high))
    far = (np.sign(low) == np.sign(high)) & ((ratio > 4) | (ratio < 0.25))
    return np.clip(np.where(far, geometric, low / 2 + high / 2), low, high)


# Errors over boxes, in units of 2**-p, so that every precision fits into doubles


class Values(NamedTuple):
    """A step over all boxes: where its value can lie, and where before it is rounded; its rounding error in units of
    2**-p; the power of two of which every computed value is a multiple (-inf: not known)."""

    range: Pair
    exact: Pair
    error: Any
    grid: Any


class Bounds(NamedTuple):
    """For each box: the error in units of 2**-p, and where the result can lie."""

    error: Any
    range: Pair


class Analysis:
    """A formula on a machine, ready to be bounded over boxes."""

    def __init__(self, formula: Formula, floats: Format, *, roundings: int = 1) -> None:
        self.formula = formula
        self.floats = floats
        self.roundings = roundings
        self.constants = folded(formula, floats, roundings=roundings)
        self.largest = None if floats.largest is None else to_float_down(floats.largest)

    def bounds(self, lower: Any, upper: Any) -> Bounds:
        """Return bounds over boxes; arrays of one row per input, one column per box, ends that are floats."""
        import numpy as np

        with np.errstate(all="ignore"):
            values = self._forward(lower, upper)
            error = self._backward(values)
        return Bounds(np.broadcast_to(error, lower.shape[1:]), _spread(values[-1].range, lower))

    def values(self, lower: Any, upper: Any) -> Pair:
        """Return where the result can lie, over the reals and as computed."""
        import numpy as np

        with np.errstate(all="ignore"):
            return _spread(self._forward(lower, upper)[-1].range, lower)

    def obstacle(self, lower: tuple[float, ...], upper: tuple[float, ...]) -> str:
        """Return in words what makes the bound of a box infinite."""
        import numpy as np

        box = tuple(np.array(ends)[:, None] for ends in (lower, upper))
        with np.errstate(all="ignore"):
            values = self._forward(*box)
        troubles = {"div": "a divisor may be 0", "ln": "an argument of ln may be 0 or less"}
        troubles |= {"sqrt": "an argument of sqrt may be negative"}
        found = "a derivative may be unbounded"
        for step, value in zip(self.formula.steps, values, strict=True):
            if not all(np.isfinite(part).all() for part in (*value.range, value.error)):
                found = troubles.get(step.operation, f"a value may overflow {self.floats}")
                break
        near = ", ".join(f"{n} = {end:.6g}" for n, end in zip(self.formula.inputs, lower, strict=True))
        return f"{found} near {near}" if near else found

    # From the inputs to the result: where each step can lie, and how much it can round

    def _forward(self, lower: Any, upper: Any) -> list[Values]:
        import numpy as np

        values: list[Values] = []
        rows = iter(range(len(lower)))
        for place, step in enumerate(self.formula.steps):
            if place in self.constants:
                values.append(self._constant(self.constants[place]))
            elif step.operation == "input":
                row = next(rows)
                ends = lower[row], upper[row]
                values.append(Values(ends, ends, 0.0, self._grid(ends, np.full(lower.shape[1:], -np.inf))))
            else:
                values.append(self._rounded(step, values))
        return values

    def _constant(self, constant: Folded) -> Values:
        import numpy as np

        low = min(constant.computed, constant.real.lower)
        high = max(constant.computed, constant.real.upper)
        grid = np.inf if constant.twos is None else constant.twos
        ends = np.float64(to_float_down(low)), np.float64(to_float_up(high))
        return Values(ends, ends, 0.0, np.float64(grid))

    def _grid(self, ends: Pair, known: Any) -> Any:
        """Return the power of two that divides every float between two ends."""
        import numpy as np

        smallest = boxes.mignitude(ends)
        _, exponent = np.frexp(smallest)
        of_size = np.where(smallest > 0, exponent - float(self.floats.p), -np.inf)
        if self.floats.least is not None:
            of_size = np.maximum(of_size, float(self.floats.least))
        return np.maximum(of_size, known)

    def _rounded(self, step: Operation, values: list[Values]) -> Values:
        """Return the values of a step that is computed from others, and rounded."""
        import numpy as np

        parts = [values[i] for i in step.arguments]
        if step.operation == "neg":
            ends = boxes.neg(parts[0].range)
            return Values(ends, ends, 0.0, parts[0].grid)
        exact, grid = self._exact(step, parts)
        size = boxes.magnitude(exact)
        error = self._half_ulp(size)
        if step.operation in ("ln", "exp") and self.roundings > 1:
            error = np.maximum(error, size * self._several())
        else:
            fits = size <= np.ldexp(1.0, _whole(grid + self.floats.p))
            if self.floats.least is not None:
                fits &= grid >= self.floats.least
            error = np.where(fits, 0.0, error)
            error = np.minimum(error, self._smaller(step, parts, exact, error))
        ends = boxes.rounded(exact, self.floats.p, self.floats.least)
        if step.operation in ("ln", "exp") and self.roundings > 1:
            blur = np.maximum(np.ldexp(error, -self.floats.p), 5e-324)
            ends = boxes.rounded(boxes.add(exact, (-blur, blur)), self.floats.p, self.floats.least)
        largest = sys.float_info.max if self.largest is None else self.largest
        error = np.where(size <= largest, error, np.inf)  # also where an operation may be undefined
        return Values(ends, exact, error, self._grid(ends, grid))

    def _exact(self, step: Operation, parts: list[Values]) -> tuple[Pair, Any]:
        """Return where the exact result of a step on floats can lie, and the power of two it is a multiple of."""
        import numpy as np

        ranges = [part.range for part in parts]
        grids = [part.grid for part in parts]
        nothing = np.float64(-np.inf)
        match step.operation:
            case "add":
                return boxes.add(*ranges), np.minimum(*grids)
            case "sub":
                return boxes.sub(*ranges), np.minimum(*grids)
            case "mul":
                same = step.arguments[0] == step.arguments[1]
                return (boxes.square(ranges[0]) if same else boxes.mul(*ranges)), _sum(*grids)
            case "div":
                return boxes.div(*ranges), nothing
            case "fma":
                product = boxes.mul(*ranges[:2])
                return boxes.add(product, ranges[2]), np.minimum(_sum(*grids[:2]), grids[2])
            case "sqrt":
                return boxes.sqrt(ranges[0]), nothing
            case "exp":
                return boxes.exp(ranges[0]), nothing
            case "ln":
                return boxes.ln(ranges[0]), nothing
            case "neg" | "input" | "constant" | "number":
                raise TypeError(f"{step.operation} does not round")
            case _:
                assert_never(step.operation)

    def _half_ulp(self, size: Any) -> Any:
        """Return the largest error of rounding a number of at most this size: half an ulp, which a power of two at the
        upper end does not reach; theory (2)."""
        import numpy as np

        fraction, exponent = np.frexp(size)
        half = np.ldexp(0.5, np.where(fraction == 0.5, exponent - 1, exponent))
        half = np.where(size == 0, 0.0, np.where(np.isfinite(size), half, np.inf))
        if self.floats.least is not None:
            half = np.maximum(half, np.ldexp(1.0, self.floats.least - 1 + self.floats.p))
        return half

    def _several(self) -> float:
        """Return ((1 + eta)**k - 1) / eta, rounded up."""
        eta = power_of_two(-self.floats.p)
        return to_float_up(((1 + eta) ** self.roundings - 1) / eta)

    def _smaller(self, step: Operation, parts: list[Values], exact: Pair, error: Any) -> Any:
        """Return another bound of a rounding error, for sums and for scaling by powers of two; theory (3)."""
        import numpy as np

        if step.operation in ("add", "sub"):
            # Either operand is a float at the distance of the other: the nearest float is no farther.
            least = np.minimum(*(boxes.magnitude(part.range) for part in parts))
            return np.ldexp(least, self.floats.p)
        scales = [i for i in step.arguments if i in self.constants and self.constants[i].is_power]
        if not (step.arguments[1] in scales if step.operation == "div" else step.operation == "mul" and scales):
            return error
        if self.floats.least is None:
            return 0.0
        normal = boxes.mignitude(exact) >= np.ldexp(1.0, self.floats.least + self.floats.p - 1)
        return np.where(normal, 0.0, np.ldexp(1.0, self.floats.least - 1 + self.floats.p))

    # From the result back: what each step's error does to it

    def _backward(self, values: list[Values]) -> Any:
        import numpy as np

        steps = self.formula.steps
        slopes: list[Pair | None] = [None] * len(steps)
        slopes[-1] = (np.float64(1.0), np.float64(1.0))
        total: Any = np.float64(0.0)
        known: Pair = (total, total)  # the constants' errors have signs, which may cancel
        for place in reversed(range(len(steps))):
            slope = slopes[place]
            if slope is None:
                continue
            if place in self.constants:
                if not self.constants[place].is_exact:
                    known = boxes.loose_add(known, boxes.loose_mul(slope, self._deviation(self.constants[place])))
                continue
            total = boxes.upper_sum(total, boxes.upper_product(boxes.magnitude(slope), values[place].error))
            for argument, factor in self._derivatives(place, values):
                through = slope if factor is None else boxes.loose_mul(slope, factor)
                before = slopes[argument]
                slopes[argument] = through if before is None else boxes.loose_add(before, through)
        return boxes.upper_sum(total, boxes.magnitude(known))

    def _deviation(self, constant: Folded) -> Pair:
        """Return the error of a constant in units of 2**-p."""
        import numpy as np

        scale = power_of_two(self.floats.p)
        low = (constant.computed - constant.real.upper) * scale
        high = (constant.computed - constant.real.lower) * scale
        return np.float64(to_float_down(low)), np.float64(to_float_up(high))

    def _derivatives(self, place: int, values: list[Values]) -> list[tuple[int, Pair | None]]:
        """Return the arguments of a step with its derivative by each; None is 1."""
        import numpy as np

        step = self.formula.steps[place]
        at, exact = step.arguments, values[place].exact
        ranges = [values[i].range for i in at]
        minus = np.float64(-1.0), np.float64(-1.0)
        match step.operation:
            case "neg":
                return [(at[0], minus)]
            case "add":
                return [(at[0], None), (at[1], None)]
            case "sub":
                return [(at[0], None), (at[1], minus)]
            case "mul":
                return [(at[0], ranges[1]), (at[1], ranges[0])]
            case "fma":
                return [(at[0], ranges[1]), (at[1], ranges[0]), (at[2], None)]
            case "div":
                inverse = boxes.loose_reciprocal(ranges[1])
                return [(at[0], inverse), (at[1], boxes.neg(boxes.loose_mul(exact, inverse)))]
            case "sqrt":
                return [(at[0], boxes.loose_reciprocal((2 * exact[0], 2 * exact[1])))]
            case "exp":
                return [(at[0], exact)]
            case "ln":
                return [(at[0], boxes.loose_reciprocal(ranges[0]))]
            case "input" | "constant" | "number":
                return []
            case _:
                assert_never(step.operation)


def _spread(ends: Pair, box: Any) -> Pair:
    import numpy as np

    return np.broadcast_to(ends[0], box.shape[1:]), np.broadcast_to(ends[1], box.shape[1:])


def _sum(a: Any, b: Any) -> Any:
    """Return the sum of two exponents; -inf wins over inf (the grid of zero)."""
    import numpy as np

    total = a + b
    return np.where(np.isnan(total), -np.inf, total)


def _whole(exponent: Any) -> Any:
    """Return exponents as integers that ldexp takes; beyond the doubles they saturate."""
    import numpy as np

    return np.clip(exponent, -4000, 4000).astype(int)
