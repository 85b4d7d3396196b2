"""What a program or a bound is over the reals, enclosed (L20, Figures 4 and 7).

Rationals stay exact, only ln is rounded, outward, by MPFR: an expression without ln has a single point. Bounds are
expressions with steps of their own, rd and ru among them, which follow those of programs.
Theory: docs/theory/verifier-rules.md, (1)-(4).
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.enclosure import Enclosure
from snapdp.exact.functions import ln_enclosure
from snapdp.lab.language.syntax import BOUNDS, Expression, Held, Semantics
from snapdp.lab.semantics.floats import Environment
from snapdp.lab.semantics.machine import FUNCTIONS, Machine, fraction_of, rational_of

PRECISION = 256

Ends = tuple[Any, Any]  # of a closed interval that contains the value: two mpq


class Real(Semantics[Ends], language=BOUNDS | {Held}):
    """An interval around the real value of an expression or bound; the environment holds the values of names."""

    def __init__(self, machine: Machine, environment: Environment, precision: int) -> None:
        super().__init__()
        self.precision = precision
        self.factor = rational_of(1 + machine.eta)
        self.environment = {name: rational_of(value) for name, value in environment.items()}

    def const(self, e: Any) -> Ends:
        return rational_of(e.value), rational_of(e.value)

    held = const

    def var(self, e: Any) -> Ends:
        return self.environment[e.name], self.environment[e.name]

    query = var

    def neg(self, _: Any, a: Ends) -> Ends:
        return -a[1], -a[0]

    def ln(self, _: Any, a: Ends) -> Ends:
        if a[0] <= 0:
            raise PremiseError("ln of a bound that is not positive is not defined.")
        return _ln(fraction_of(a[0]), self.precision)[0], _ln(fraction_of(a[1]), self.precision)[1]

    def round(self, e: Any, a: Ends) -> Ends:
        low, high = (rational_of(nearest_multiple(fraction_of(end), e.grid)) for end in a)
        return low, high

    def clamp(self, e: Any, a: Ends) -> Ends:
        lower, upper = rational_of(e.lower), rational_of(e.upper)
        return min(max(a[0], lower), upper), min(max(a[1], lower), upper)

    def floor(self, e: Any, a: Ends) -> Ends:
        low, high = (rational_of(FUNCTIONS[e.word](fraction_of(end))) for end in a)
        return low, high

    rint = sign = floor

    def abs(self, _: Any, a: Ends) -> Ends:
        low, high = max(a[0], -a[1]), max(a[1], -a[0])
        return (low if low > 0 else 0 * low), high

    def add(self, _: Any, a: Ends, b: Ends) -> Ends:
        return a[0] + b[0], a[1] + b[1]

    def sub(self, _: Any, a: Ends, b: Ends) -> Ends:
        return a[0] - b[1], a[1] - b[0]

    def mul(self, _: Any, a: Ends, b: Ends) -> Ends:
        return _corners(operator.mul, a, b)

    def div(self, _: Any, a: Ends, b: Ends) -> Ends:
        if b[0] <= 0 <= b[1]:
            raise PremiseError("a division by a bound that may be zero has no value.")
        return _corners(operator.truediv, a, b)

    def powered(self, e: Any, a: Ends) -> Ends:
        return a[0] * self.factor**e.power, a[1] * self.factor**e.power

    def down(self, e: Any, a: Ends) -> Ends:
        return self._moved(a[0], -e.roundings), self._moved(a[1], -e.roundings)

    def up(self, e: Any, a: Ends) -> Ends:
        return self._moved(a[0], e.roundings), self._moved(a[1], e.roundings)

    def least(self, _: Any, *choices: Ends) -> Ends:
        return min(low for low, _ in choices), min(high for _, high in choices)

    def greatest(self, _: Any, *choices: Ends) -> Ends:
        return max(low for low, _ in choices), max(high for _, high in choices)

    def by_sign(self, _: Any, premise: Ends, nonnegative: Ends, negative: Ends) -> Ends:
        if premise[0] < 0 <= premise[1]:
            raise PremiseError("the sign of a premise is not decided at this precision.")
        return nonnegative if premise[0] >= 0 else negative

    def _moved(self, end: Any, roundings: int) -> Any:
        return end * self.factor ** (roundings if end >= 0 else -roundings)


def evaluate_real(
    bound: Expression, environment: Environment, machine: Machine, *, precision: int = PRECISION
) -> Enclosure:
    """Return an enclosure of the real value of a bound; a single point where no ln is met.

    >>> from snapdp.lab.language.syntax import Constant, Powered
    >>> float(evaluate_real(Powered(operand=Constant(value=Fraction(1)), power=-1), {}, Machine(p=3)))
    0.8888888888888888
    """
    lower, upper = Real(machine, environment, precision).of(bound)
    return Enclosure(fraction_of(lower), fraction_of(upper))


def _corners(operation: Callable[[Any, Any], Any], a: Ends, b: Ends) -> Ends:
    """Return the least and the greatest of an operation on the ends of two intervals."""
    if a[0] == a[1] and b[0] == b[1]:
        point = operation(a[0], b[0])
        return point, point
    corners = [operation(x, y) for x in a for y in b]
    return min(corners), max(corners)


@lru_cache(maxsize=1024)
def _ln(x: Fraction, precision: int) -> Ends:
    enclosure = ln_enclosure(x, precision)
    return rational_of(enclosure.lower), rational_of(enclosure.upper)
