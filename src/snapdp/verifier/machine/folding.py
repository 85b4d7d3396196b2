"""A program as one expression: assignments written out, constant sub-expressions evaluated once by the machine.

Room: verifier. What is left is an expression over samples and queries whose constants are the floats that the program
really uses: 1/eps is fl(1/fl(eps)), the same in every run, so it shifts the scale of the noise and is no error.
Theory: docs/theory/verifier-loss.md, (1)-(2).
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from snapdp.errors import ProgramError
from snapdp.exact import ln_nearest, nearest_multiple, round_nearest
from snapdp.values import replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.machine.machine import Machine

LARGEST_EXPRESSION = 10_000


def folded(program: syntax.Program, machine: Machine) -> syntax.Expression:
    """Return the returned expression over samples and queries, with constants as the machine evaluates them once."""
    assigned: dict[str, syntax.Expression] = {}
    sizes: dict[str, int] = {}
    for statement in program.statements:
        if isinstance(statement, syntax.Assignment):
            sizes[statement.name] = _size(statement.expression, sizes)
            if sizes[statement.name] > LARGEST_EXPRESSION:
                raise ProgramError(
                    f"{program.name} has more than {LARGEST_EXPRESSION} operations when it is written out.",
                    "Write the mechanism without reusing large intermediate values.",
                )
            assigned[statement.name] = _fold(statement.expression, assigned, machine.p, machine.ln_roundings > 1)
    return assigned.get(program.result, syntax.Variable(name=program.result))


def children(tree: syntax.Expression) -> list[syntax.Expression]:
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
        case syntax.Constant() | syntax.Variable() | syntax.QueryValue():
            return []
        case _:
            assert_never(tree)


def _size(tree: syntax.Expression, sizes: dict[str, int]) -> int:
    if isinstance(tree, syntax.Variable):
        return sizes.get(tree.name, 1)
    return 1 + sum(_size(child, sizes) for child in children(tree))


def _fold(tree: syntax.Expression, assigned: dict[str, syntax.Expression], p: int, keep_ln: bool) -> syntax.Expression:
    """Return the tree with names and constants replaced; keep_ln: a machine with a vague ln has no constant ln 2."""
    match tree:
        case syntax.Constant(value=value):
            return syntax.Constant(value=round_nearest(value, p))
        case syntax.Variable(name=name):
            return assigned.get(name, tree)
        case syntax.QueryValue():
            return tree
        case syntax.Binary(operator=operator, left=left, right=right):
            a, b = _fold(left, assigned, p, keep_ln), _fold(right, assigned, p, keep_ln)
            if isinstance(a, syntax.Constant) and isinstance(b, syntax.Constant):
                return syntax.Constant(value=rounded_operation(operator, a.value, b.value, p))
            return syntax.Binary(operator=operator, left=a, right=b)
        case syntax.Negation() | syntax.Logarithm() | syntax.Rounding() | syntax.Clamping():
            operand = _fold(tree.operand, assigned, p, keep_ln)
            if isinstance(operand, syntax.Constant) and not (keep_ln and isinstance(tree, syntax.Logarithm)):
                return syntax.Constant(value=rounded_unary(tree, operand.value, p))
            return replaced(tree, operand=operand)
        case _:
            assert_never(tree)


def rounded_operation(operator: str, a: Fraction, b: Fraction, p: int) -> Fraction:
    """Return a (operator) b rounded to nearest at p bits."""
    if operator == "/":
        if b == 0:
            raise ProgramError("a constant is divided by zero.", "A float program must compute numbers.")
        return round_nearest(a / b, p)
    return round_nearest(a + b if operator == "+" else a - b if operator == "-" else a * b, p)


def rounded_unary(tree: syntax.Unary[syntax.Expression], x: Fraction, p: int) -> Fraction:
    """Return what a negation, ln, rounding or clamp makes of a float."""
    match tree:
        case syntax.Negation():
            return -x
        case syntax.Logarithm():
            if x <= 0:
                raise ProgramError("ln of a constant that is not positive.", "A float program must compute numbers.")
            return Fraction(0) if x == 1 else ln_nearest(x, p)
        case syntax.Rounding(grid=grid):
            return round_nearest(nearest_multiple(x, grid), p)
        case syntax.Clamping(lower=lower, upper=upper):
            return round_nearest(min(max(x, lower), upper), p)
        case _:
            assert_never(tree)


def names_in(tree: syntax.Expression) -> set[str]:
    """Return the samples and queries that occur in an expression."""
    if isinstance(tree, (syntax.Variable, syntax.QueryValue)):
        return {tree.name}
    return set().union(*(names_in(child) for child in children(tree)))
