"""Intervals of one float value: two bounds, the range that contains both, and arithmetic before rounding.

An `Interval` is what Liu's note (L20) calls err: a pair of real expressions. Rules read signs from its range: an
interval whose ends are MPFR numbers of 64 bits, perhaps infinite, rounded away from its inside, so a sign read there
holds for every draw and every query value. With a sign known from the range a product takes the one corner that
matters, else the least or greatest of all.
Trap: operators on an mpfr round to the ambient context; only methods of our own contexts are used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.exact.dyadic import exponent_of_power
from snapdp.exact.functions import exact_mpfr, fraction_of_mpfr, mpfr_context
from snapdp.lab.language.syntax import (
    Addition,
    Binary,
    Constant,
    Division,
    Expression,
    Greatest,
    Least,
    Multiplication,
    Negation,
    Subtraction,
    Written,
)
from snapdp.values import Value

BITS = 64

Bound = Expression  # of the language BOUNDS


class Range:
    """The reals from lower to upper; `nonzero` says that zero is left out although an end may touch it (U > 0)."""

    __slots__ = ("lower", "nonzero", "upper")

    def __init__(self, lower: Any, upper: Any, *, nonzero: bool = False) -> None:
        assert lower <= upper
        self.lower, self.upper = lower, upper
        self.nonzero = nonzero or lower > 0 or upper < 0

    @property
    def nonnegative(self) -> bool:
        return bool(self.lower >= 0)

    @property
    def nonpositive(self) -> bool:
        return bool(self.upper <= 0)

    @property
    def positive(self) -> bool:
        return self.nonnegative and self.nonzero

    @property
    def excludes_zero(self) -> bool:
        """Zero is left out and all values have one sign."""
        return self.nonzero and (self.nonnegative or self.nonpositive)

    def __repr__(self) -> str:
        return f"[{float(self.lower):.6g}, {float(self.upper):.6g}]"

    # Where the results of an operation can lie

    def __neg__(self) -> Range:
        down, up = _outward()
        return Range(down.minus(self.upper), up.minus(self.lower), nonzero=self.nonzero)

    def __abs__(self) -> Range:
        """Return where |x| can lie, for a range on both sides of zero."""
        return Range(exact_mpfr(0), max(self.upper, (-self).upper), nonzero=self.nonzero)

    def __add__(self, other: Range) -> Range:
        down, up = _outward()
        return Range(down.add(self.lower, other.lower), up.add(self.upper, other.upper))

    def __sub__(self, other: Range) -> Range:
        down, up = _outward()
        return Range(down.sub(self.lower, other.upper), up.sub(self.upper, other.lower))

    def __mul__(self, other: Range) -> Range:
        return self._corners(other, _product)

    def __truediv__(self, other: Range) -> Range:
        """Return where quotients can lie; the divisor's range must exclude zero."""
        return self._corners(other, lambda context, x, y: _quotient(context, x, y, other))

    def _corners(self, other: Range, operation: Callable[[Any, Any, Any], Any]) -> Range:
        corners = [(x, y) for x in (self.lower, self.upper) for y in (other.lower, other.upper)]
        down, up = _outward()
        low, high = min(operation(down, x, y) for x, y in corners), max(operation(up, x, y) for x, y in corners)
        return Range(low, high, nonzero=self.nonzero and other.nonzero)

    def logarithm(self) -> Range:
        """Return where ln can lie, for a positive range; ln of an end at 0 is -infinity."""
        down, up = _outward()
        return Range(down.log(self.lower), up.log(self.upper))

    def widened(self, roundings: int, eta: Fraction) -> Range:
        """Return the range of rd of the lower and ru of the upper bound, taken `roundings` times."""
        factor = _end((1 + eta) ** roundings, "up")
        down, up = _outward()
        low = down.mul(self.lower, factor) if self.lower < 0 else down.div(self.lower, factor)
        high = up.mul(self.upper, factor) if self.upper > 0 else up.div(self.upper, factor)
        return Range(low, high, nonzero=self.nonzero)

    def image(self, function: Callable[[Fraction], Fraction]) -> Range:
        """Return where an increasing function of rationals can lie, infinite ends left as they are."""
        import gmpy2

        def at(end: Any, direction: str) -> Any:
            return end if gmpy2.is_infinite(end) else _end(function(fraction_of_mpfr(end)), direction)

        return Range(at(self.lower, "down"), at(self.upper, "up"))

    def clamped(self, lower: Fraction, upper: Fraction) -> Range:
        """Return where a clamp's results can lie; infinite ends become the clamp's."""
        import gmpy2

        low, high = (
            (lower if end < 0 else upper) if gmpy2.is_infinite(end) else min(max(fraction_of_mpfr(end), lower), upper)
            for end in (self.lower, self.upper)
        )
        return between(low, high)


def between(lower: Fraction | None, upper: Fraction | None, *, nonzero: bool = False) -> Range:
    """Return the range from lower to upper; None is an infinite end."""
    import gmpy2

    low = gmpy2.mpfr("-inf") if lower is None else _end(lower, "down")
    high = gmpy2.mpfr("inf") if upper is None else _end(upper, "up")
    return Range(low, high, nonzero=nonzero)


def _outward() -> tuple[Any, Any]:
    return mpfr_context(BITS, "down"), mpfr_context(BITS, "up")


def _end(x: Fraction, direction: str) -> Any:
    return mpfr_context(BITS, direction).div(exact_mpfr(x.numerator), exact_mpfr(x.denominator))


def _product(context: Any, x: Any, y: Any) -> Any:
    return exact_mpfr(0) if x == 0 or y == 0 else context.mul(x, y)  # 0 * infinity: the end 0 is attained


def _quotient(context: Any, x: Any, y: Any, divisors: Range) -> Any:
    import gmpy2

    if x == 0 or gmpy2.is_infinite(y):
        # With an infinite divisor the quotients approach 0, unless the dividend is infinite too: then another
        # corner, with the divisor's finite end, is infinite, and 0 lies between.
        return exact_mpfr(0)
    if y == 0:  # a divisor as near to zero as one likes, on the side of its range
        return gmpy2.mpfr("inf") if (x > 0) == divisors.nonnegative else gmpy2.mpfr("-inf")
    return context.div(x, y)


class Interval(Value):
    """Bounds of one float value, and the range that both lie in, whatever is drawn."""

    lower: Bound
    upper: Bound
    range: Range

    @property
    def constant(self) -> Fraction | None:
        """Return the number this is, where it is exactly one."""
        return self.lower.value if isinstance(self.lower, Constant) and self.lower == self.upper else None

    def __neg__(self) -> Interval:
        """Return the interval of -a: the ends change places."""
        return Interval(lower=_minus(self.upper), upper=_minus(self.lower), range=-self.range)

    def __abs__(self) -> Interval:
        """Return the interval of |a|: between max(a0, -a1, 0) and max(-a0, a1), shorter where the sign is known."""
        if self.range.nonnegative:
            return self
        if self.range.nonpositive:
            return -self
        nothing = Constant(value=Fraction(0))
        lower = Greatest(choices=(self.lower, _minus(self.upper), nothing))
        return Interval(lower=lower, upper=Greatest(choices=(_minus(self.lower), self.upper)), range=abs(self.range))

    def __add__(self, other: Interval) -> Interval:
        lower, upper = Addition(left=self.lower, right=other.lower), Addition(left=self.upper, right=other.upper)
        return Interval(lower=lower, upper=upper, range=self.range + other.range)

    def __sub__(self, other: Interval) -> Interval:
        lower, upper = Subtraction(left=self.lower, right=other.upper), Subtraction(left=self.upper, right=other.lower)
        return Interval(lower=lower, upper=upper, range=self.range - other.range)

    def image(self, e: Expression, lies: Range) -> Interval:
        """Return the exact image under an operation that rises: it is done to both bounds."""
        lower, upper = e.with_operands(lambda _: self.lower), e.with_operands(lambda _: self.upper)
        return Interval(lower=lower, upper=upper, range=lies)


def within_a_factor_of_two(a: Range, b: Range) -> bool:
    """Sterbenz: b/2 <= a <= 2b for all values makes a - b exact."""
    double = mpfr_context(2 * BITS, "nearest").mul_2exp
    return bool(a.lower > 0 and b.upper <= double(a.lower, 1) and a.upper <= double(b.lower, 1))


def scaled(kind: type[Binary], a: Interval, b: Interval) -> Interval | None:
    """Return the exact product or quotient by a power of two, or None where neither operand is one."""
    lies = _range(kind, a, b)
    if kind is Multiplication and not _is_power(b.constant):
        a, b = b, a
    factor = b.constant
    if factor is None or not _is_power(factor):
        return None
    if factor < 0:
        a, factor = -a, _opposite(factor)
    if factor == 1:
        return Interval(lower=a.lower, upper=a.upper, range=lies)
    lower, upper = (kind(left=end, right=Constant(value=factor)) for end in (a.lower, a.upper))
    return Interval(lower=lower, upper=upper, range=lies)


def corners(kind: type[Binary], a: Interval, b: Interval) -> Interval:
    """Return the exact products or quotients: the least and the greatest of four corners, fewer for known signs."""
    lies = _range(kind, a, b)
    if kind is Multiplication and not (b.range.nonnegative or b.range.nonpositive):
        a, b = b, a
    if not (b.range.nonnegative or b.range.nonpositive):
        four = tuple(kind(left=x, right=y) for x in (a.lower, a.upper) for y in (b.lower, b.upper))
        return Interval(lower=least(four), upper=greatest(four), range=lies)
    # The end of b that makes the result larger in size, and the one that makes it smaller.
    stretch, shrink = (b.upper, b.lower) if (kind is Multiplication) == b.range.nonnegative else (b.lower, b.upper)
    small, large = (a.lower, a.upper) if b.range.nonnegative else (a.upper, a.lower)
    lows, highs = ([shrink], [stretch]) if a.range.nonnegative == b.range.nonnegative else ([stretch], [shrink])
    if not (a.range.nonnegative or a.range.nonpositive):
        lows = highs = [shrink] if b.lower == b.upper else [shrink, stretch]
    lower = least(tuple(kind(left=small, right=end) for end in lows))
    return Interval(lower=lower, upper=greatest(tuple(kind(left=large, right=end) for end in highs)), range=lies)


def least(choices: tuple[Bound, ...]) -> Bound:
    return choices[0] if len(choices) == 1 else Least(choices=choices)


def greatest(choices: tuple[Bound, ...]) -> Bound:
    return choices[0] if len(choices) == 1 else Greatest(choices=choices)


def _range(kind: type[Binary], a: Interval, b: Interval) -> Range:
    return a.range / b.range if kind is Division else a.range * b.range


def _is_power(factor: Fraction | None) -> bool:
    return factor is not None and exponent_of_power(abs(factor)) is not None


def _minus(bound: Bound) -> Bound:
    if isinstance(bound, Negation):
        return bound.operand
    return Constant(value=_opposite(bound.value)) if isinstance(bound, Constant) else Negation(operand=bound)


def _opposite(x: Fraction) -> Fraction:
    """Return -x with the name that a person would give it: -eps of eps, and eps of -eps.

    >>> _opposite(Written(Fraction(1, 2), "eps")).text
    '-eps'
    """
    if isinstance(x, Written) and x.text.removeprefix("-").isidentifier():
        return Written(-x, x.text[1:] if x.text.startswith("-") else f"-{x.text}")
    return -x
