"""A program as one expression: assignments written out, constant sub-expressions evaluated once by the machine.

Room: verifier. What is left is an expression over samples and queries whose constants are the floats that the program
really uses: 1/eps is fl(1/fl(eps)), the same in every run, so it shifts the scale of the noise and is no error.
Theory: docs/theory/verifier-loss.md, (1)-(2).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from snapdp.errors import ProgramError
from snapdp.exact import ln_nearest, round_nearest
from snapdp.values import replaced
from snapdp.verifier.language import syntax
from snapdp.verifier.machine.extent import Extents, constant_in_range
from snapdp.verifier.machine.machine import FUNCTIONS, Machine

LARGEST_EXPRESSION = 10_000


def folded(program: syntax.Program, machine: Machine) -> syntax.Expression:
    """Return the returned expression over samples and queries, with constants as the machine evaluates them once."""
    assigned: dict[str, syntax.Expression] = {}
    sizes: dict[str, int] = {}
    extents = Extents(program, machine)
    for statement in program.statements:
        if isinstance(statement, syntax.Assignment):
            sizes[statement.name] = _size(statement.expression, sizes)
            if sizes[statement.name] > LARGEST_EXPRESSION:
                raise ProgramError(
                    f"{program.name} has more than {LARGEST_EXPRESSION} operations when it is written out.",
                    "Write the mechanism without reusing large intermediate values.",
                )
            assigned[statement.name] = _fold(statement.expression, assigned, machine)
            extents.require(assigned[statement.name])
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
            | syntax.ExactFunction(operand=a)
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


def _fold(tree: syntax.Expression, assigned: dict[str, syntax.Expression], machine: Machine) -> syntax.Expression:
    """Return the tree with names and constants replaced; a machine with a vague ln has no constant ln 2."""
    match tree:
        case syntax.Constant(value=value):
            return _held(machine.constant(value), machine)
        case syntax.Variable(name=name):
            return assigned.get(name, tree)
        case syntax.QueryValue():
            return tree
        case syntax.Binary(operator=operator, left=left, right=right):
            a, b = _fold(left, assigned, machine), _fold(right, assigned, machine)
            if isinstance(a, syntax.Constant) and isinstance(b, syntax.Constant):
                return _held(rounded_operation(operator, a.value, b.value, machine), machine)
            return syntax.Binary(operator=operator, left=a, right=b)
        case syntax.Negation() | syntax.Logarithm() | syntax.Rounding() | syntax.Clamping() | syntax.ExactFunction():
            operand = _fold(tree.operand, assigned, machine)
            vague = machine.ln_roundings > 1 and isinstance(tree, syntax.Logarithm)
            if isinstance(operand, syntax.Constant) and not vague:
                return _held(rounded_unary(tree, operand.value, machine), machine)
            return replaced(tree, operand=operand)
        case _:
            assert_never(tree)


def _held(x: Fraction, machine: Machine) -> syntax.Held:
    return syntax.Held(value=constant_in_range(x, machine))


def written_out(tree: syntax.Expression, written: Mapping[str, syntax.Expression]) -> syntax.Expression:
    """Return an expression over samples and queries: assigned names replaced by what they are, nothing evaluated."""
    match tree:
        case syntax.Variable(name=name):
            return written.get(name, tree)
        case syntax.Binary(operator=operator, left=left, right=right):
            a, b = written_out(left, written), written_out(right, written)
            return syntax.Binary(operator=operator, left=a, right=b)
        case syntax.Negation() | syntax.Logarithm() | syntax.Rounding() | syntax.Clamping() | syntax.ExactFunction():
            return replaced(tree, operand=written_out(tree.operand, written))
        case syntax.Constant() | syntax.QueryValue():
            return tree
        case _:
            assert_never(tree)


def rounded_operation(operator: str, a: Fraction, b: Fraction, machine: Machine) -> Fraction:
    """Return what the machine makes of a (operator) b."""
    if operator == "/":
        if b == 0:
            raise ProgramError("a constant is divided by zero.", "A float program must compute numbers.")
        return round_nearest(a / b, machine.p)
    return round_nearest(a * b, machine.p) if operator == "*" else machine.summed(a + b if operator == "+" else a - b)


def rounded_unary(tree: syntax.Unary[syntax.Expression], x: Fraction, machine: Machine) -> Fraction:
    """Return what a negation, ln, rounding or clamp makes of a number of the machine."""
    match tree:
        case syntax.Negation():
            return -x
        case syntax.Logarithm():
            if x <= 0:
                raise ProgramError("ln of a constant that is not positive.", "A float program must compute numbers.")
            return Fraction(0) if x == 1 else ln_nearest(x, machine.p)
        case syntax.Rounding(grid=grid):
            return machine.snapped(x, grid)
        case syntax.Clamping(lower=lower, upper=upper):
            return machine.clamped(x, lower, upper)
        case syntax.ExactFunction(name=name):
            return FUNCTIONS[name](x)
        case _:
            assert_never(tree)


def takes_functions(tree: syntax.Expression, names: tuple[str, ...] = syntax.FUNCTIONS) -> bool:
    """Return whether one of the functions named stands anywhere in an expression."""
    own = isinstance(tree, syntax.ExactFunction) and tree.name in names
    return own or any(takes_functions(child, names) for child in children(tree))


def operations_in(tree: syntax.Expression) -> int:
    """Return how many operations and numbers an expression has."""
    return 1 + sum(operations_in(child) for child in children(tree))


def names_in(tree: syntax.Expression) -> set[str]:
    """Return the samples and queries that occur in an expression."""
    if isinstance(tree, (syntax.Variable, syntax.QueryValue)):
        return {tree.name}
    return set().union(*(names_in(child) for child in children(tree)))
