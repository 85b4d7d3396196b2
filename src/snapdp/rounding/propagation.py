"""The rounding error of a formula over boxes: one bound for each of thousands of boxes at a time.

Room: rounding. `Analysis.bounds` is the inequality (5) of docs/theory/error-bounds.md: the error is at most the sum
over all steps of |derivative of the result by that step's error| times a bound of that error; derivatives are taken
over ranges that hold both the real and the computed value of each step.
Errors are counted in units of 2**-p, so that every precision fits into doubles.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, assert_never

from snapdp.exact import power_of_two, to_float_down, to_float_up
from snapdp.rounding import boxes
from snapdp.rounding.boxes import Pair
from snapdp.rounding.constants import Folded, folded
from snapdp.rounding.formula import Format, Formula, Operation


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
