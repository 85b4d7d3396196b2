"""Intervals of bounds, and the exact images that rules round: sums, products, quotients, negation, powers of two.

An interval holds one float value between two bounds (real expressions) and knows the range where both
lie. With a sign known from the range a product takes the one corner that matters, else the least or greatest of all.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact.dyadic import exponent_of_power
from snapdp.exact.functions import mpfr_context
from snapdp.lab.language.syntax import BINARY, Binary, Constant, Negation, Unary
from snapdp.lab.semantics import ranges
from snapdp.lab.semantics.floats import Bound, Greatest, Least
from snapdp.lab.semantics.ranges import Range
from snapdp.values import Value, replaced


class Interval(Value):
    """Bounds of one float value, and the range that both lie in, whatever is drawn."""

    lower: Bound
    upper: Bound
    range: Range

    @property
    def constant(self) -> Fraction | None:
        """Return the number this is, where it is exactly one."""
        return self.lower.value if isinstance(self.lower, Constant) and self.lower == self.upper else None


def op(operator: str, left: Bound, right: Bound) -> Binary:
    """Return the real expression left (operator) right."""
    return BINARY[operator](left=left, right=right)


def applied(e: Unary, bound: Bound) -> Bound:
    """Return an operation done to a bound in the place of its operand."""
    return replaced(e, operand=bound)


def image(e: Unary, a: Interval, found: Range) -> Interval:
    """Return the exact image of an interval under an operation that rises."""
    return Interval(lower=applied(e, a.lower), upper=applied(e, a.upper), range=found)


def negated(a: Interval) -> Interval:
    """Return the interval of -a: the ends change places."""
    lower, upper = (_minus(end) for end in (a.upper, a.lower))
    return Interval(lower=lower, upper=upper, range=ranges.negated(a.range))


def _minus(bound: Bound) -> Bound:
    if isinstance(bound, Negation):
        return bound.operand
    return Constant(value=-bound.value) if isinstance(bound, Constant) else Negation(operand=bound)


def magnitude(a: Interval) -> Interval:
    """Return the interval of |a|: between max(a0, -a1, 0) and max(-a0, a1), written shorter where the sign is known."""
    if a.range.nonnegative:
        return a
    if a.range.nonpositive:
        return negated(a)
    low, high = (_minus(end) for end in (a.upper, a.lower))
    nothing = Constant(value=Fraction(0))
    lower, upper = Greatest(choices=(a.lower, low, nothing)), Greatest(choices=(high, a.upper))
    return Interval(lower=lower, upper=upper, range=ranges.magnitude(a.range))


def within_a_factor_of_two(a: Range, b: Range) -> bool:
    """Sterbenz: b/2 <= a <= 2b for all values makes a - b exact."""
    double = mpfr_context(2 * ranges.BITS, "nearest").mul_2exp
    return bool(a.lower > 0 and b.upper <= double(a.lower, 1) and a.upper <= double(b.lower, 1))


def scaled(operator: str, a: Interval, b: Interval, found: Range) -> Interval | None:
    """Return the exact product or quotient by a power of two, or None where neither operand is one."""
    if operator == "*" and _exponent(b) is None:
        a, b = b, a
    exponent = _exponent(b)
    factor = b.constant
    if exponent is None or factor is None:
        return None
    if factor < 0:
        a, factor = negated(a), -factor
    if factor == 1:
        return Interval(lower=a.lower, upper=a.upper, range=found)
    ends = (op(operator, end, Constant(value=factor)) for end in (a.lower, a.upper))
    return Interval(lower=next(ends), upper=next(ends), range=found)


def _exponent(a: Interval) -> int | None:
    return exponent_of_power(abs(a.constant)) if a.constant else None


def corners(operator: str, a: Interval, b: Interval, found: Range) -> Interval:
    """Return the exact image: the least and the greatest of four corners, fewer where signs are known."""
    if operator == "*" and not (b.range.nonnegative or b.range.nonpositive):
        a, b = b, a
    if not (b.range.nonnegative or b.range.nonpositive):
        four = tuple(op(operator, x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper))
        return Interval(lower=Least(choices=four), upper=Greatest(choices=four), range=found)
    # The end of b that makes the result larger in size, and the one that makes it smaller.
    stretch, shrink = (b.upper, b.lower) if (operator == "*") == b.range.nonnegative else (b.lower, b.upper)
    small, large = (a.lower, a.upper) if b.range.nonnegative else (a.upper, a.lower)
    down_for, up_for = (shrink, stretch) if b.range.nonnegative else (stretch, shrink)
    if a.range.nonnegative:
        return Interval(lower=op(operator, small, down_for), upper=op(operator, large, up_for), range=found)
    if a.range.nonpositive:
        return Interval(lower=op(operator, small, up_for), upper=op(operator, large, down_for), range=found)
    lows = (op(operator, small, shrink), op(operator, small, stretch))
    highs = (op(operator, large, shrink), op(operator, large, stretch))
    if b.lower == b.upper:
        return Interval(lower=lows[0], upper=highs[0], range=found)
    return Interval(lower=Least(choices=lows), upper=Greatest(choices=highs), range=found)
