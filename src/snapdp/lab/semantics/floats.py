"""What a machine computes: every operation once, on rationals, rounded where the machine rounds (L20, Figures 3, 6).

`Float` is the definition that rules and faster executions are tested against: each operation is done on rationals and
rounded once, to nearest, ties to even (a sum only where the machine rounds sums); exponents are unbounded: no over- or
underflow. `folded` writes a program as one expression over samples and queries whose constants are the floats that
the program really uses: 1/eps is fl(1/fl(eps)), the same in every run, so it shifts the scale of the noise and is no
error. Programs whose numbers leave every range are refused: eleven squarings in a row make numbers of millions of bits.
Where sums do not round a number of a run is an mpfr if it has a finite binary expansion, else an mpq; both are exact,
and they can be compared with each other.
Theory: docs/theory/verifier-rules.md, (1)-(4), and verifier-loss.md, (1)-(2).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.errors import PremiseError, ProgramError
from snapdp.exact.dyadic import floor_log2, round_nearest
from snapdp.exact.functions import ln_nearest, mpfr_context
from snapdp.lab.language.syntax import (
    FOLDED,
    PROGRAMS,
    Assignment,
    Expression,
    Held,
    Logarithm,
    Program,
    Query,
    QueryValue,
    Sample,
    Semantics,
    Statement,
    Variable,
    walk,
)
from snapdp.lab.semantics.machine import FUNCTIONS, Machine, power_as_mpfr, rational_of

Environment = Mapping[str, Fraction]


class Float(Semantics[Fraction], language=FOLDED):
    """The number that a machine computes for an expression; the environment holds the floats of names.

    Its ln is correctly rounded, one of those that a machine with a vague ln allows.
    """

    def __init__(self, machine: Machine, environment: Environment | None = None) -> None:
        super().__init__()
        self.machine, self.environment = machine, environment or {}

    def const(self, e: Any) -> Fraction:
        return self.machine.constant(e.value)

    def held(self, e: Held) -> Fraction:
        return e.value

    def var(self, e: Any) -> Fraction:
        return self.environment[e.name]

    query = var

    def neg(self, _: Any, x: Fraction) -> Fraction:
        return -x

    def ln(self, _: Any, x: Fraction) -> Fraction:
        if x <= 0:
            raise PremiseError(f"ln of {x} is not defined.")
        return ln_nearest(x, self.machine.p)

    def round(self, e: Any, x: Fraction) -> Fraction:
        return self.machine.snapped(x, e.grid)

    def clamp(self, e: Any, x: Fraction) -> Fraction:
        return min(max(x, self.machine.constant(e.lower)), self.machine.constant(e.upper))

    def floor(self, e: Any, x: Fraction) -> Fraction:
        return FUNCTIONS[e.word](x)

    rint = abs = sign = floor

    def add(self, _: Any, a: Fraction, b: Fraction) -> Fraction:
        return self._summed(a + b)

    def sub(self, _: Any, a: Fraction, b: Fraction) -> Fraction:
        return self._summed(a - b)

    def mul(self, _: Any, a: Fraction, b: Fraction) -> Fraction:
        return round_nearest(a * b, self.machine.p)

    def div(self, _: Any, a: Fraction, b: Fraction) -> Fraction:
        if b == 0:
            raise PremiseError("a division by zero has no value.")
        return round_nearest(a / b, self.machine.p)

    def _summed(self, x: Fraction) -> Fraction:
        return x if self.machine.adds_exactly else round_nearest(x, self.machine.p)


def evaluate_float(expression: Expression, environment: Environment, machine: Machine) -> Fraction:
    """Return what the machine computes for an expression; the environment holds floats, by name."""
    return Float(machine, environment).of(expression)


def run_float(program: Program, draws: Environment, machine: Machine) -> dict[str, Fraction]:
    """Return the value of every name of a program; `draws` holds the samples and the queries' values."""
    values = dict(draws)
    for statement in program.statements:
        if isinstance(statement, Assignment):
            values[statement.name] = evaluate_float(statement.expression, values, machine)
    return values


# A program as one expression

LARGEST_EXPRESSION = 10_000


class Folded(NamedTuple):
    """A program as one expression over samples and queries, and the statement that each part of it comes from."""

    expression: Expression
    statements: dict[int, Statement]  # by the identity of parts


def folded(program: Program, machine: Machine) -> Expression:
    """Return the returned expression over samples and queries, with constants as the machine evaluates them once."""
    return fold(program, machine).expression


def fold(program: Program, machine: Machine) -> Folded:
    """Return the returned expression, with constants as the machine evaluates them, and where its parts come from.

    >>> from snapdp.lab.language.parser import parse
    >>> z = fold(parse("program p { query f; y = f(D) / 4; z = y + (1 - 3); return z; }"), Machine())
    >>> z.expression.right, [z.statements[id(part)].name for part in z.expression.operands]
    (Held(value=-2), ['y', 'z'])
    """
    folding, sizes, extents = _Folding(machine), dict[str, int](), Extents(program, machine)
    for statement in program.statements:
        folding.statement = statement
        if isinstance(statement, Assignment):
            parts = walk(statement.expression)
            sizes[statement.name] = sum(sizes.get(e.name, 1) if isinstance(e, Variable) else 1 for e in parts)
            if sizes[statement.name] > LARGEST_EXPRESSION:
                raise ProgramError(
                    f"{program.name} has more than {LARGEST_EXPRESSION} operations when it is written out.",
                    "Write the mechanism without reusing large intermediate values.",
                )
            folding.assigned[statement.name] = folding.of(statement.expression)
            extents.of(folding.assigned[statement.name])
    return Folded(folding.var(Variable(name=program.result)), folding.statements)


class _Folding(Semantics[Expression], language=PROGRAMS):
    """An expression with names and constants replaced; a machine with a vague ln has no constant ln 2."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.float = Float(machine)
        self.assigned: dict[str, Expression] = {}
        self.statement: Statement
        self.statements: dict[int, Statement] = {}

    def placed(self, e: Expression) -> Expression:
        self.statements[id(e)] = self.statement
        return e

    def const(self, e: Any) -> Expression:
        return self._held(self.float.const(e))

    def var(self, e: Any) -> Expression:
        return self.assigned[e.name] if e.name in self.assigned else self.placed(e)

    def query(self, e: Any) -> Expression:
        return self.placed(e)

    def neg(self, e: Any, *operands: Expression) -> Expression:
        vague = isinstance(e, Logarithm) and self.float.machine.ln_roundings > 1
        numbers = [operand.value for operand in operands if isinstance(operand, Held)]
        if vague or len(numbers) < len(operands):
            remaining = iter(operands)
            return self.placed(e.with_operands(lambda _: next(remaining)))
        try:
            return self._held(getattr(self.float, e.word)(e, *numbers))
        except PremiseError:
            problem = "ln of a constant that is not positive" if e.word == "ln" else "a constant is divided by zero"
            raise ProgramError(f"{problem}.", "A float program must compute numbers.") from None

    ln = round = clamp = floor = rint = abs = sign = add = sub = mul = div = neg

    def _held(self, x: Fraction) -> Expression:
        """Return a constant as the machine holds it; refused where its exponent leaves what that is judged for."""
        largest = self.float.machine.largest_exponent
        if x and not -largest <= floor_log2(abs(x)) <= largest:
            raise ProgramError(
                f"a constant of the program is beyond 2^{largest} or below 2^-{largest}.",
                f"With p = {self.float.machine.p} constants are judged between these.",
            )
        return self.placed(Held(value=x))


def written_out(tree: Expression, written: Mapping[str, Expression]) -> Expression:
    """Return an expression over samples and queries: assigned names replaced by what they are, nothing evaluated."""
    if isinstance(tree, Variable):
        return written.get(tree.name, tree)
    return tree.with_operands(lambda part: written_out(part, written))


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


class Extents(Semantics[Extent], language=FOLDED):
    """The extents of the expressions of one program on one machine; what makes numbers beyond the limit is refused."""

    def __init__(self, program: Program, machine: Machine) -> None:
        super().__init__()
        self.p, self.name = machine.p, program.name
        self.limit = min(FURTHEST, FACTORS * machine.largest_exponent + SMALLEST_DRAW + 2 * machine.p)
        self.leaves: Mapping[str, Extent] = {
            **{query.name: self._query(query) for query in program.queries},
            **{s.name: self._sample(s) for s in program.samples.values()},
        }

    def of(self, e: Expression) -> Extent:
        extent = super().of(e)
        if max(extent.high, extent.low) > self.limit:
            raise ProgramError(
                f"{self.name} computes with numbers beyond 2^{self.limit} or below 2^-{self.limit}.",
                "A float program must stay in the range of floats.",
            )
        return extent

    def const(self, e: Any) -> Extent:
        return self._number(e.value)

    held = const

    def var(self, e: Any) -> Extent:
        return self.leaves.get(e.name, ONE)

    query = var

    def neg(self, _: Any, x: Extent) -> Extent:
        return x

    abs = neg

    def ln(self, _: Any, x: Extent) -> Extent:
        return self._float(max(x.high, x.low, 1).bit_length(), x.grid + 1)

    def round(self, e: Any, x: Extent) -> Extent:
        step = self._number(e.grid)
        return self._float(max(x.high, step.high) + 1, step.low)

    def clamp(self, e: Any, x: Extent) -> Extent:
        a, b = self._number(e.lower), self._number(e.upper)
        return Extent(min(x.high, max(a.high, b.high)), max(x.low, a.low, b.low), max(x.grid, a.grid, b.grid))

    def floor(self, _: Any, x: Extent) -> Extent:
        return Extent(max(x.high, 0) + 1, 0, 0)

    rint = floor

    def sign(self, *_: Any) -> Extent:
        return ONE

    def add(self, _: Any, a: Extent, b: Extent) -> Extent:
        grid = max(a.grid, b.grid)  # what cancels is a multiple of the finer grid; rounding keeps it one
        return Extent(max(a.high, b.high) + 1, grid, grid)

    sub = add

    def mul(self, _: Any, a: Extent, b: Extent) -> Extent:
        return self._float(a.high + b.high, a.low + b.low)

    def div(self, _: Any, a: Extent, b: Extent) -> Extent:
        return self._float(a.high + b.low, a.low + b.high)

    def _float(self, high: int, low: int) -> Extent:
        return Extent(high, low, low + self.p)

    def _number(self, value: Fraction | None) -> Extent:
        if not value:
            return NOTHING
        exponent = floor_log2(abs(value))
        return self._float(exponent + 1, -exponent)

    def _query(self, query: Query) -> Extent:
        ends = [end for end in (query.lower, query.upper) if end is not None]
        return self._float(max((self._number(end).high for end in ends), default=1), 0)

    def _sample(self, sample: Sample) -> Extent:
        if sample.distribution == "laplace":
            scale = self._number(sample.argument or Fraction(1))
            return self._float(scale.high + LOGARITHM, scale.low)
        return self._float(1, SMALLEST_DRAW) if sample.distribution == "unif" else ONE


# Numbers of a run. What is done with an mpq is done on rationals, and rounded where the machine rounds.
# Theory: docs/theory/verifier-loss.md, (20)-(21).


def as_mpfr(x: Fraction) -> Any:
    """Return a binary fraction as an mpfr; no other number is one."""
    numerator, denominator = x.numerator, x.denominator
    if denominator & (denominator - 1):
        raise ArithmeticError("a number that is no binary fraction would be rounded")
    context = mpfr_context(max(2, numerator.bit_length()), "nearest")
    return context.mul(numerator, power_as_mpfr(1 - denominator.bit_length()))


def as_number(x: Fraction) -> Any:
    """Return a rational as it is: an mpfr where it is a binary fraction, else an mpq."""
    return rational_of(x) if x.denominator & (x.denominator - 1) else as_mpfr(x)


def is_ratio(x: Any) -> bool:
    """Return whether a number of a run is an mpq."""
    import gmpy2

    return isinstance(x, gmpy2.mpq)


def finite(x: Any) -> bool:
    return is_ratio(x) or bool(x.is_finite())


def is_nan(x: Any) -> bool:
    return not is_ratio(x) and bool(x.is_nan())
