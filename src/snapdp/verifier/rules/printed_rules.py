"""The rules as L20 prints them, kept to show where they fail. Nothing is judged by them.

Room: verifier. Figure 1 of L20, read literally (lower bound from the maximum, upper from the minimum; unary operations
all taken as increasing), or repaired in these two points. Both choose the factor by the sign of the *real* value of the
expression, and that is unsound where the bounds of one value have different signs: (0.75 * 6 + 0.5) - 5 at p = 3 is 0
over the reals, -1 in floats, and the repaired rules derive [-8/9, 1449/1024]. Sound rules: rules.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from snapdp.exact import round_nearest
from snapdp.verifier.language.syntax import (
    Binary,
    Clamping,
    Constant,
    Expression,
    Logarithm,
    Negation,
    QueryValue,
    Rounding,
    Unary,
    Variable,
)
from snapdp.verifier.machine.machine import Machine
from snapdp.verifier.machine.semantics import Bound, BySign, Greatest, Least, Powered

Pair = tuple[Bound, Bound]


def derive_as_printed(expression: Expression, machine: Machine, *, repaired: bool) -> Pair:
    """Return the bounds (lower, upper) that the printed rules derive; VAL-EQ is preferred to VAL where both apply."""
    match expression:
        case Constant(value=r):
            return (
                (expression, expression)
                if round_nearest(r, machine.p) == r
                else _by_sign(expression, expression, expression)
            )
        case Variable() | QueryValue():
            return expression, expression
        case Binary(operator=operator, left=left, right=right):
            a = derive_as_printed(left, machine, repaired=repaired)
            b = derive_as_printed(right, machine, repaired=repaired)
            corners = tuple(Binary(operator=operator, left=x, right=y) for x in a for y in b)
            least, greatest = Least(operands=corners), Greatest(operands=corners)
            return _by_sign(expression, *((least, greatest) if repaired else (greatest, least)))
        case Negation() | Logarithm() | Rounding() | Clamping():
            low, high = derive_as_printed(expression.operand, machine, repaired=repaired)
            apply = _unary(expression)
            if repaired and isinstance(expression, Negation):
                return apply(high), apply(low)
            return _by_sign(expression, apply(low), apply(high))
        case _:
            assert_never(expression)


def _by_sign(real: Expression, low: Bound, high: Bound) -> Pair:
    """BOP, UOP, VAL where the real value is at least 0, their -NEG forms where it is below."""
    return (
        BySign(premise=real, nonnegative=Powered(operand=low, power=-1), negative=Powered(operand=low, power=1)),
        BySign(premise=real, nonnegative=Powered(operand=high, power=1), negative=Powered(operand=high, power=-1)),
    )


def _unary(expression: Unary[Expression]) -> Callable[[Bound], Bound]:
    match expression:
        case Negation():
            return lambda bound: Negation(operand=bound)
        case Logarithm():
            return lambda bound: Logarithm(operand=bound)
        case Rounding(grid=grid):
            return lambda bound: Rounding(grid=grid, operand=bound)
        case Clamping(lower=lower, upper=upper):
            return lambda bound: Clamping(lower=lower, upper=upper, operand=bound)
        case _:
            assert_never(expression)
