"""The law of a program at few bits by running every draw from every private value, in doubles rounded to p bits.

Nothing of the verifier's execution, cells or bounds is used. Zeros have signs, as they have in Python: -0.0 is another
output than 0.0, and another private value. With few bits every sum and product of floats is a double, and so a rounding
of it to p bits is the only one; quotients are rounded twice, which changes nothing at 2p + 2 bits or more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from snapdp.exact.functions import ln_nearest
from snapdp.lab.language import syntax
from snapdp.lab.semantics.machine import Machine

STOPPED = "stopped"  # the output of a program that ends at the logarithm of zero
OPERATIONS = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}
FUNCTIONS = {"floor": np.floor, "rint": np.rint, "abs": np.abs, "sign": np.sign}


def rounded(x: Any, p: int) -> Any:
    """Return doubles rounded to p bits, ties to even; infinities and signs of zeros stay."""
    significand, exponent = np.frexp(x)
    return np.ldexp(np.rint(np.ldexp(significand, p)), exponent - p)


@lru_cache(maxsize=1 << 16)
def _ln(x: float, p: int) -> float:
    return -math.inf if x == 0 else float(ln_nearest(Fraction(x), p))


class Run:
    """A program run on arrays of private values and draws: what it returns, and where it took the logarithm of zero."""

    def __init__(self, program: syntax.Program, names: Mapping[str, Any], machine: Machine) -> None:
        self.values, self.p, self.stopped = dict(names), machine.p, np.bool_(False)
        with np.errstate(all="ignore"):
            for statement in program.statements:
                if isinstance(statement, syntax.Assignment):
                    self.values[statement.name] = self._value(statement.expression)
        self.outputs = self.values[program.result]

    def _value(self, tree: syntax.Expression) -> Any:
        match tree:
            case syntax.Constant(value=r):
                return rounded(np.float64(float(r)), self.p)
            case syntax.Variable(name=name) | syntax.QueryValue(name=name):
                return self.values[name]
            case syntax.Negation(operand=a):
                return -self._value(a)
            case syntax.Logarithm(operand=a):
                x = self._value(a)
                self.stopped = self.stopped | (x == 0)
                return np.vectorize(lambda each: _ln(float(each), self.p), otypes=[float])(x)
            case syntax.Binary(symbol=operator, left=a, right=b):
                return rounded(OPERATIONS[operator](self._value(a), self._value(b)), self.p)
            case syntax.Rounding(grid=grid, operand=a):
                return float(grid) * np.floor(self._value(a) / float(grid) + 0.5) + 0.0
            case syntax.Clamping(lower=low, upper=high, operand=a):
                x = self._value(
                    a
                )  # -0.0 is not below an end of 0, and stays what it is, as with min, max and numpy.clip
                return np.where(x < float(low), float(low), np.where(x > float(high), float(high), x))
            case syntax.ExactFunction(word=name, operand=a):
                return FUNCTIONS[name](self._value(a))
        raise TypeError(type(tree).__name__)


def draws(machine: Machine, *, grid_bits: int | None = None) -> tuple[Any, list[Fraction]]:
    """Return every draw and its probability; below the smallest one a real uniform becomes the smallest."""
    if grid_bits is not None:
        return np.arange(1 << grid_bits) / 2.0**grid_bits, [Fraction(1, 1 << grid_bits)] * (1 << grid_bits)
    assert machine.umin is not None
    steps = 1 << (machine.p - 1)
    floats = [Fraction(2) ** e * (1 + Fraction(k, steps)) for e in range(machine.umin, 0) for k in range(steps)]
    if machine.sampler == "nearest":
        floats.append(Fraction(1))
        ends = [Fraction(0), *((a + b) / 2 for a, b in pairwise(floats)), Fraction(1)]
    else:
        ends = [Fraction(0), *floats[1:], Fraction(1)]
    return np.array([float(u) for u in floats]), [b - a for a, b in pairwise(ends)]


def private_values(low: Fraction, high: Fraction, p: int, least: int = -4) -> list[float]:
    """Return the floats of an interval from 2**least on; where it holds zero, both zeros."""
    steps, exponent = 1 << (p - 1), least
    found = [0.0, -0.0] if low <= 0 <= high else []
    while Fraction(2) ** exponent <= max(abs(low), abs(high)):
        sizes = [Fraction(2) ** exponent * (1 + Fraction(k, steps)) for k in range(steps)]
        found += [float(sign * size) for size in sizes for sign in (1, -1) if low <= sign * size <= high]
        exponent += 1
    return sorted(found)


def law(
    program: syntax.Program, machine: Machine, values: list[float], *, grid_bits: int | None = None, stops: bool = False
) -> dict[Any, Any]:
    """Return, for every output and its sign, the probability from every private value: multiples of one number.

    stops   the logarithm of zero ends the program: that is an output then, and no infinity
    """
    uniform, masses = draws(machine, grid_bits=grid_bits)
    unit = max(mass.denominator for mass in masses)
    weights = np.array([int(mass * unit) for mass in masses], dtype=float)
    assert all(int(weight) == mass * unit for weight, mass in zip(weights, masses, strict=True))
    [query] = program.queries
    samples = {s.name: s.distribution for s in program.statements if isinstance(s, syntax.Sample)}
    drawn = dict.fromkeys((name for name, kind in samples.items() if kind == "unif"), uniform[None, :])
    signs = [name for name, kind in samples.items() if kind == "sign"]
    found: dict[Any, Any] = {}
    for sign in (1.0, -1.0) if signs else (1.0,):
        names = {query.name: np.array(values)[:, None], **drawn, **dict.fromkeys(signs, np.float64(sign))}
        made = Run(program, names, machine)
        outputs = np.broadcast_to(made.outputs, (len(values), len(uniform)))
        stopped = np.broadcast_to(made.stopped & stops, outputs.shape)
        for x, negative in _with_signs(outputs):
            hit = (outputs == x) & (np.signbit(outputs) == negative) & ~stopped
            found[x, negative] = found.get((x, negative), 0) + hit @ weights
        found[STOPPED] = found.get(STOPPED, 0) + stopped @ weights
    return found


def _with_signs(outputs: Any) -> list[tuple[float, bool]]:
    """Return each output with its sign: numpy.unique takes the two zeros for one."""
    return [(float(x), bool(negative)) for x in np.unique(outputs) for negative in ((x < 0,) if x else (False, True))]


def largest_loss(found: dict[Any, Any], values: list[float], distance: Fraction) -> float:
    """Return the largest loss of one output for two neighbours, to a double; infinity where one never gives it."""
    numbers = np.array(values)
    near = np.abs(numbers[:, None] - numbers[None, :]) <= float(distance)
    worst = 1.0
    for chances in found.values():
        with np.errstate(all="ignore"):
            ratios = np.where(near & (chances[:, None] > 0), chances[:, None] / chances[None, :], 1.0)
        worst = max(worst, float(ratios.max()))
    return math.log(worst)
