"""Bounds and floats on whole arrays: a filter in doubles, and the exact semantics where the filter cannot decide.

With few operations on 3-bit numbers of moderate size doubles compute everything to well below NEAR; what they find
nearer than that to a bound decides nothing and goes to the exact evaluators.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from snapdp.lab.language.syntax import (
    Binary,
    BySign,
    Constant,
    Down,
    ExactFunction,
    Greatest,
    Least,
    Negation,
    Powered,
    QueryValue,
    Rounding,
    Up,
)
from snapdp.lab.semantics.floats import evaluate_float
from snapdp.lab.semantics.machine import Machine
from snapdp.lab.semantics.reals import evaluate_real
from tests.unit.lab.counted import FUNCTIONS, OPERATIONS, rounded

NEAR = 2.0**-24


def floats(e: Any, arrays: dict[str, Any], bits: int) -> Any:
    """Return the float value of an expression; single operations on 3-bit floats are exact in doubles, bar quotients,
    whose round_nearest 3-bit float no double rounding can change (their ties are dyadic, hence exact)."""
    match e:
        case Constant(value=value):
            return rounded(float(value), bits)
        case QueryValue(name=name):
            return arrays[name]
        case Negation(operand=operand):
            return -floats(operand, arrays, bits)
        case Rounding(grid=grid, operand=operand):
            return rounded(float(grid) * np.floor(floats(operand, arrays, bits) / float(grid) + 0.5), bits)
        case ExactFunction(word=name, operand=operand):
            return FUNCTIONS[name](floats(operand, arrays, bits))
        case Binary(symbol=operator, left=left, right=right):
            return rounded(OPERATIONS[operator](floats(left, arrays, bits), floats(right, arrays, bits)), bits)
    raise TypeError(type(e).__name__)


def reals(bound: Any, arrays: dict[str, Any], eta: float) -> Any:
    """Return the real value of a bound, nearly; a part that occurs several times is computed once."""
    known: dict[int, Any] = {}

    def value(e: Any) -> Any:
        if id(e) not in known:
            known[id(e)] = compute(e)
        return known[id(e)]

    def compute(e: Any) -> Any:
        match e:
            case Constant(value=number):
                return float(number)
            case QueryValue(name=name):
                return arrays[name]
            case Negation(operand=operand):
                return -value(operand)
            case Binary(symbol=operator, left=left, right=right):
                return OPERATIONS[operator](value(left), value(right))
            case Rounding(grid=grid, operand=operand):
                steps = value(operand) / float(grid) + 0.5
                near_a_tie = np.abs(steps - np.rint(steps)) < NEAR
                return np.where(near_a_tie, np.nan, float(grid) * np.floor(steps))
            case ExactFunction(word=name, operand=operand):
                x = value(operand)
                jumps = {"floor": np.rint(x), "rint": np.floor(x) + 0.5, "sign": 0.0 * x}.get(name)
                return (
                    FUNCTIONS[name](x)
                    if jumps is None
                    else np.where(np.abs(x - jumps) < NEAR, np.nan, FUNCTIONS[name](x))
                )
            case Powered(operand=operand, power=power):
                return value(operand) * (1 + eta) ** power
            case Down(operand=operand, roundings=k):
                return np.minimum(value(operand) * (1 + eta) ** k, value(operand) / (1 + eta) ** k)
            case Up(operand=operand, roundings=k):
                return np.maximum(value(operand) * (1 + eta) ** k, value(operand) / (1 + eta) ** k)
            case Least(choices=operands):
                return np.minimum.reduce(np.broadcast_arrays(*(value(x) for x in operands)))
            case Greatest(choices=operands):
                return np.maximum.reduce(np.broadcast_arrays(*(value(x) for x in operands)))
            case BySign(premise=premise, nonnegative=nonnegative, negative=negative):
                # Real values of the small programs are multiples of 1/(105 * 2**k), k < 14: nearer to zero is zero.
                return np.where(value(premise) > -NEAR, value(nonnegative), value(negative))
        raise TypeError(type(e).__name__)

    return value(bound)


def violations(expression: Any, lower: Any, upper: Any, arrays: dict[str, Any], machine: Machine) -> list[int]:
    """Return the positions at which the float value lies outside the bounds."""
    eta = float(machine.eta)
    values = floats(expression, arrays, machine.p)
    below, above = reals(lower, arrays, eta) - values, values - reals(upper, arrays, eta)
    excess = np.broadcast_to(np.maximum(below, above), next(iter(arrays.values())).shape)
    certain = np.flatnonzero(excess > NEAR)
    unclear = np.flatnonzero(~(np.abs(excess) > NEAR))
    return [*map(int, certain), *(int(k) for k in unclear if _outside(expression, lower, upper, arrays, k, machine))]


def _outside(expression: Any, lower: Any, upper: Any, arrays: dict[str, Any], k: int, machine: Machine) -> bool:
    environment = {name: Fraction(float(values[k])) for name, values in arrays.items()}
    value = evaluate_float(expression, environment, machine)
    low, high = (evaluate_real(end, environment, machine) for end in (lower, upper))
    assert low.is_exact
    assert high.is_exact
    return not low.lower <= value <= high.upper
