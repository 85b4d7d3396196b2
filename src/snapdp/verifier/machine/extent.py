"""How large and how small the numbers of a program can become: programs whose numbers leave every range are refused.

Room: verifier. Exponents of the semantics are unbounded, so eleven squarings in a row make numbers of millions of bits.
What is read here off the operations is an estimate that limits the work, and what is printed; no bound of a loss rests
on it. Constants are held to the range of binary64, with more than 53 bits to a wider one.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple, assert_never

from snapdp.errors import ProgramError
from snapdp.exact import floor_log2
from snapdp.verifier.language import syntax
from snapdp.verifier.machine.machine import Machine

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

    def __init__(self, program: syntax.Program, machine: Machine) -> None:
        self.p, self.name = machine.p, program.name
        self.limit = min(FURTHEST, FACTORS * machine.largest_exponent + SMALLEST_DRAW + 2 * machine.p)
        self.leaves: Mapping[str, Extent] = {
            **{query.name: self._query(query) for query in program.queries},
            **{s.name: self._sample(s) for s in program.statements if isinstance(s, syntax.Sample)},
        }
        self._known: dict[int, Extent] = {}

    def require(self, tree: syntax.Expression) -> None:
        """Refuse an expression that makes numbers beyond the limit; it must outlive this object."""
        self._of(tree)

    def _of(self, tree: syntax.Expression) -> Extent:
        if id(tree) not in self._known:
            found = self._known[id(tree)] = self._found(tree)
            if max(found.high, found.low) > self.limit:
                raise ProgramError(
                    f"{self.name} computes with numbers beyond 2^{self.limit} or below 2^-{self.limit}.",
                    "A float program must stay in the range of floats.",
                )
        return self._known[id(tree)]

    def _found(self, tree: syntax.Expression) -> Extent:
        match tree:
            case syntax.Constant(value=value):
                return self._number(value)
            case syntax.Variable(name=name) | syntax.QueryValue(name=name):
                return self.leaves.get(name, ONE)
            case syntax.Negation(operand=operand):
                return self._of(operand)
            case syntax.Binary(operator=operator, left=left, right=right):
                return self._operation(operator, self._of(left), self._of(right))
            case syntax.Logarithm(operand=operand):
                x = self._of(operand)
                return self._float(max(x.high, x.low, 1).bit_length(), x.grid + 1)
            case syntax.Rounding(grid=grid, operand=operand):
                step = self._number(grid)
                return self._float(max(self._of(operand).high, step.high) + 1, step.low)
            case syntax.Clamping(lower=lower, upper=upper, operand=operand):
                x, *ends = self._of(operand), self._number(lower), self._number(upper)
                high = min(x.high, max(end.high for end in ends))
                return Extent(high, max(each.low for each in (x, *ends)), max(each.grid for each in (x, *ends)))
            case syntax.ExactFunction(name=name, operand=operand):
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

    def _query(self, query: syntax.Query) -> Extent:
        ends = [self._number(end) for end in (query.lower, query.upper) if end is not None]
        return self._float(max((end.high for end in ends), default=1), 0)

    def _sample(self, sample: syntax.Sample) -> Extent:
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
