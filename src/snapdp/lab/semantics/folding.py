"""A program as one expression: assignments written out, constant sub-expressions evaluated once by the machine.

What is left is an expression over samples and queries whose constants are the floats that the program really uses:
1/eps is fl(1/fl(eps)), the same in every run, so it shifts the scale of the noise and is no error. Programs whose
numbers leave every range are refused: exponents of the semantics are unbounded, so eleven squarings in a row make
numbers of millions of bits.
Theory: docs/theory/verifier-loss.md, (1)-(2).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import NamedTuple, assert_never

from snapdp.errors import ProgramError
from snapdp.exact.dyadic import floor_log2, round_nearest
from snapdp.exact.functions import ln_nearest
from snapdp.lab.language.syntax import (
    Assignment,
    Binary,
    Clamping,
    Constant,
    ExactFunction,
    Expression,
    Held,
    Logarithm,
    Negation,
    Program,
    Query,
    QueryValue,
    Rounding,
    Sample,
    Unary,
    UnaryOperation,
    Variable,
    children,
    walk,
    with_operands,
)
from snapdp.lab.semantics.machine import FUNCTIONS, Machine

LARGEST_EXPRESSION = 10_000


def folded(program: Program, machine: Machine) -> Expression:
    """Return the returned expression over samples and queries, with constants as the machine evaluates them once."""
    assigned: dict[str, Expression] = {}
    sizes: dict[str, int] = {}
    extents = Extents(program, machine)
    for statement in program.statements:
        if isinstance(statement, Assignment):
            sizes[statement.name] = _size(statement.expression, sizes)
            if sizes[statement.name] > LARGEST_EXPRESSION:
                raise ProgramError(
                    f"{program.name} has more than {LARGEST_EXPRESSION} operations when it is written out.",
                    "Write the mechanism without reusing large intermediate values.",
                )
            assigned[statement.name] = _fold(statement.expression, assigned, machine)
            extents.require(assigned[statement.name])
    return assigned.get(program.result, Variable(name=program.result))


def _size(tree: Expression, sizes: dict[str, int]) -> int:
    if isinstance(tree, Variable):
        return sizes.get(tree.name, 1)
    return 1 + sum(_size(child, sizes) for child in children(tree))


def _fold(tree: Expression, assigned: dict[str, Expression], machine: Machine) -> Expression:
    """Return the tree with names and constants replaced; a machine with a vague ln has no constant ln 2."""
    tree = with_operands(tree, lambda part: _fold(part, assigned, machine))
    match tree:
        case Constant(value=value):
            return _held(machine.constant(value), machine)
        case Variable(name=name):
            return assigned.get(name, tree)
        case Binary(operator=operator, left=Constant(value=a), right=Constant(value=b)):
            return _held(rounded_operation(operator, a, b, machine), machine)
        case Logarithm() if machine.ln_roundings > 1:
            return tree
        case UnaryOperation(operand=Constant(value=value)):
            return _held(rounded_unary(tree, value, machine), machine)
        case QueryValue() | Binary() | UnaryOperation():
            return tree
        case _:
            assert_never(tree)


def _held(x: Fraction, machine: Machine) -> Held:
    return Held(value=constant_in_range(x, machine))


def written_out(tree: Expression, written: Mapping[str, Expression]) -> Expression:
    """Return an expression over samples and queries: assigned names replaced by what they are, nothing evaluated."""
    if isinstance(tree, Variable):
        return written.get(tree.name, tree)
    return with_operands(tree, lambda part: written_out(part, written))


def rounded_operation(operator: str, a: Fraction, b: Fraction, machine: Machine) -> Fraction:
    """Return what the machine makes of a (operator) b."""
    if operator == "/":
        if b == 0:
            raise ProgramError("a constant is divided by zero.", "A float program must compute numbers.")
        return round_nearest(a / b, machine.p)
    return round_nearest(a * b, machine.p) if operator == "*" else machine.summed(a + b if operator == "+" else a - b)


def rounded_unary(tree: Unary, x: Fraction, machine: Machine) -> Fraction:
    """Return what a negation, ln, rounding or clamp makes of a number of the machine."""
    match tree:
        case Negation():
            return -x
        case Logarithm():
            if x <= 0:
                raise ProgramError("ln of a constant that is not positive.", "A float program must compute numbers.")
            return Fraction(0) if x == 1 else ln_nearest(x, machine.p)
        case Rounding(grid=grid):
            return machine.snapped(x, grid)
        case Clamping(lower=lower, upper=upper):
            return machine.clamped(x, lower, upper)
        case ExactFunction(name=name):
            return FUNCTIONS[name](x)
        case _:
            assert_never(tree)


def takes_functions(tree: Expression, names: Collection[str] = FUNCTIONS) -> bool:
    """Return whether one of the functions named stands anywhere in an expression."""
    return any(isinstance(part, ExactFunction) and part.name in names for part in walk(tree))


def names_in(tree: Expression) -> set[str]:
    """Return the samples and queries that occur in an expression."""
    return {part.name for part in walk(tree) if isinstance(part, (Variable, QueryValue))}


# Extents: an estimate that limits the work, and what is printed; no bound of a loss rests on it. Constants are held to
# the range of binary64, with more than 53 bits to a wider one.

FURTHEST = 14_000  # exponents of results: fewer digits than Python still prints
FACTORS = 3  # so many of the largest constants may be multiplied
SMALLEST_DRAW = 1074  # of U as it is counted here: its own tail is no growth
LOGARITHM = 14  # |ln U| < 2**14 for every draw that is told apart


class Extent(NamedTuple):
    """A number is 0, or between 2**-low and 2**high in size, and a multiple of 2**-grid."""

    high: int
    low: int
    grid: int


NOTHING, ONE = Extent(0, 0, 0), Extent(1, 0, 0)


class Extents:
    """The extents of the expressions of one program on one machine; shared parts are looked at once."""

    def __init__(self, program: Program, machine: Machine) -> None:
        self.p, self.name = machine.p, program.name
        self.limit = min(FURTHEST, FACTORS * machine.largest_exponent + SMALLEST_DRAW + 2 * machine.p)
        self.leaves: Mapping[str, Extent] = {
            **{query.name: self._query(query) for query in program.queries},
            **{s.name: self._sample(s) for s in program.statements if isinstance(s, Sample)},
        }
        self._known: dict[int, Extent] = {}

    def require(self, tree: Expression) -> None:
        """Refuse an expression that makes numbers beyond the limit; it must outlive this object."""
        self._of(tree)

    def _of(self, tree: Expression) -> Extent:
        if id(tree) not in self._known:
            found = self._known[id(tree)] = self._found(tree)
            if max(found.high, found.low) > self.limit:
                raise ProgramError(
                    f"{self.name} computes with numbers beyond 2^{self.limit} or below 2^-{self.limit}.",
                    "A float program must stay in the range of floats.",
                )
        return self._known[id(tree)]

    def _found(self, tree: Expression) -> Extent:
        match tree:
            case Constant(value=value):
                return self._number(value)
            case Variable(name=name) | QueryValue(name=name):
                return self.leaves.get(name, ONE)
            case Negation(operand=operand):
                return self._of(operand)
            case Binary(operator=operator, left=left, right=right):
                return self._operation(operator, self._of(left), self._of(right))
            case Logarithm(operand=operand):
                x = self._of(operand)
                return self._float(max(x.high, x.low, 1).bit_length(), x.grid + 1)
            case Rounding(grid=grid, operand=operand):
                step = self._number(grid)
                return self._float(max(self._of(operand).high, step.high) + 1, step.low)
            case Clamping(lower=lower, upper=upper, operand=operand):
                x, *ends = self._of(operand), self._number(lower), self._number(upper)
                high = min(x.high, max(end.high for end in ends))
                return Extent(high, max(each.low for each in (x, *ends)), max(each.grid for each in (x, *ends)))
            case ExactFunction(name=name, operand=operand):
                x = self._of(operand)
                return {"abs": x, "sign": ONE}.get(name, Extent(max(x.high, 0) + 1, 0, 0))
            case _:
                assert_never(tree)

    def _operation(self, operator: str, a: Extent, b: Extent) -> Extent:
        if operator == "*":
            return self._float(a.high + b.high, a.low + b.low)
        if operator == "/":
            return self._float(a.high + b.low, a.low + b.high)
        grid = max(a.grid, b.grid)  # what cancels is a multiple of the finer grid; rounding keeps it one
        return Extent(max(a.high, b.high) + 1, grid, grid)

    def _float(self, high: int, low: int) -> Extent:
        return Extent(high, low, low + self.p)

    def _number(self, value: Fraction) -> Extent:
        if value == 0:
            return NOTHING
        exponent = floor_log2(abs(value))
        return self._float(exponent + 1, -exponent)

    def _query(self, query: Query) -> Extent:
        ends = [self._number(end) for end in (query.lower, query.upper) if end is not None]
        return self._float(max((end.high for end in ends), default=1), 0)

    def _sample(self, sample: Sample) -> Extent:
        if sample.distribution == "laplace":
            scale = self._number(sample.argument or Fraction(1))
            return self._float(scale.high + LOGARITHM, scale.low)
        return self._float(1, SMALLEST_DRAW) if sample.distribution == "unif" else ONE


def constant_in_range(x: Fraction, machine: Machine) -> Fraction:
    """Return a constant of a program as it is, refused where its exponent leaves what the machine is judged for."""
    largest = machine.largest_exponent
    if x and not -largest <= floor_log2(abs(x)) <= largest:
        raise ProgramError(
            f"a constant of the program is beyond 2^{largest} or below 2^-{largest}.",
            f"With p = {machine.p} constants are judged between these.",
        )
    return x
