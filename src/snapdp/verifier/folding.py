"""A program as one expression: assignments written out, constant sub-expressions evaluated once by the machine.

Room: verifier. What is left is an expression over samples and queries whose constants are the floats that the program
really uses: 1/eps is fl(1/fl(eps)), the same in every run, so it shifts the scale of the noise and is no error.
Theory: docs/theory/verifier-loss.md, (1)-(2).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import nearest_multiple, round_nearest
from snapdp.exact.elementary import ln_nearest
from snapdp.verifier import syntax
from snapdp.verifier.machine import Machine

LARGEST_EXPRESSION = 10_000


def nearest_float(x: Fraction, p: int) -> Fraction:
    """Return the p-bit float nearest to x, ties to even."""
    return x if x == 0 else round_nearest(x, p) if x > 0 else -round_nearest(-x, p)


def folded(program: syntax.Program, machine: Machine) -> Any:
    """Return the returned expression over samples and queries, with constants as the machine evaluates them once."""
    bound: dict[str, Any] = {}
    sizes: dict[str, int] = {}
    for statement in program.statements:
        if isinstance(statement, syntax.Assignment):
            sizes[statement.name] = _size(statement.expression, sizes)
            if sizes[statement.name] > LARGEST_EXPRESSION:
                raise ProgramError(
                    f"{program.name} has more than {LARGEST_EXPRESSION} operations when it is written out.",
                    "Write the mechanism without reusing large intermediate values.",
                )
            bound[statement.name] = _fold(statement.expression, bound, machine.p, machine.ln_roundings > 1)
    return bound.get(program.result, syntax.Variable(name=program.result))


def children(tree: Any) -> list[Any]:
    """Return the operands of an expression."""
    match tree:
        case syntax.Binary(left=left, right=right):
            return [left, right]
        case (
            syntax.Negation(operand=a)
            | syntax.Logarithm(operand=a)
            | syntax.Rounding(operand=a)
            | syntax.Clamping(operand=a)
        ):
            return [a]
    return []


def _size(tree: Any, sizes: dict[str, int]) -> int:
    if isinstance(tree, syntax.Variable):
        return sizes.get(tree.name, 1)
    return 1 + sum(_size(child, sizes) for child in children(tree))


def _fold(tree: Any, bound: dict[str, Any], p: int, keep_ln: bool) -> Any:
    """Return the tree with names and constants replaced; keep_ln: a machine with a vague ln has no constant ln 2."""
    match tree:
        case syntax.Constant(value=value):
            return syntax.Constant(value=nearest_float(value, p))
        case syntax.Variable(name=name):
            return bound.get(name, tree)
        case syntax.QueryValue():
            return tree
        case syntax.Binary(operator=operator, left=left, right=right):
            a, b = _fold(left, bound, p, keep_ln), _fold(right, bound, p, keep_ln)
            if isinstance(a, syntax.Constant) and isinstance(b, syntax.Constant):
                return syntax.Constant(value=rounded_operation(operator, a.value, b.value, p))
            return syntax.Binary(operator=operator, left=a, right=b)
    (child,) = children(tree)
    operand = _fold(child, bound, p, keep_ln)
    if isinstance(operand, syntax.Constant) and not (keep_ln and isinstance(tree, syntax.Logarithm)):
        return syntax.Constant(value=rounded_unary(tree, operand.value, p))
    fields = {name: getattr(tree, name) for name in tree._fields if name != "operand"}
    return type(tree)(**fields, operand=operand)


def rounded_operation(operator: str, a: Fraction, b: Fraction, p: int) -> Fraction:
    """Return a (operator) b rounded to nearest at p bits."""
    if operator == "/":
        if b == 0:
            raise ProgramError("a constant is divided by zero.", "A float program must compute numbers.")
        return nearest_float(a / b, p)
    return nearest_float(a + b if operator == "+" else a - b if operator == "-" else a * b, p)


def rounded_unary(tree: Any, x: Fraction, p: int) -> Fraction:
    """Return what a negation, ln, rounding or clamp makes of a float."""
    match tree:
        case syntax.Negation():
            return -x
        case syntax.Logarithm():
            if x <= 0:
                raise ProgramError("ln of a constant that is not positive.", "A float program must compute numbers.")
            return Fraction(0) if x == 1 else ln_nearest(x, p)
        case syntax.Rounding(grid=grid):
            return nearest_float(nearest_multiple(x, grid), p)
        case syntax.Clamping(lower=lower, upper=upper):
            return nearest_float(min(max(x, lower), upper), p)
    raise TypeError(type(tree).__name__)


def names_in(tree: Any) -> set[str]:
    """Return the samples and queries that occur in an expression."""
    if isinstance(tree, (syntax.Variable, syntax.QueryValue)):
        return {tree.name}
    return set().union(*(names_in(child) for child in children(tree)))
