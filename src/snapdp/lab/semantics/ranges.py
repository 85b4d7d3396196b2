"""Where a bound can lie at all: intervals with infinite ends, rounded outward, from which rules read signs.

Ends are MPFR numbers of 64 bits, rounded away from the interval's inside, so a sign read here holds
for every draw and every query value. `nonzero` says that zero is left out although an end may touch it (U > 0).
Trap: operators on an mpfr round to the ambient context; only methods of our own contexts are used.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.exact.dyadic import nearest_multiple
from snapdp.exact.functions import exact_mpfr, fraction_of_mpfr, mpfr_context

BITS = 64


class Range:
    """The reals from lower to upper."""

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


def between(lower: Fraction | None, upper: Fraction | None, *, nonzero: bool = False) -> Range:
    """Return the range from lower to upper; None is an infinite end."""
    import gmpy2

    low = gmpy2.mpfr("-inf") if lower is None else _end(lower, "down")
    high = gmpy2.mpfr("inf") if upper is None else _end(upper, "up")
    return Range(low, high, nonzero=nonzero)


def _end(x: Fraction, direction: str) -> Any:
    return mpfr_context(BITS, direction).div(exact_mpfr(x.numerator), exact_mpfr(x.denominator))


def image(operator: str, a: Range, b: Range) -> Range:
    """Return where a (operator) b can lie; for a quotient, b must exclude zero."""
    down, up = mpfr_context(BITS, "down"), mpfr_context(BITS, "up")
    if operator == "+":
        return Range(down.add(a.lower, b.lower), up.add(a.upper, b.upper))
    if operator == "-":
        return Range(down.sub(a.lower, b.upper), up.sub(a.upper, b.lower))
    corners = [(x, y) for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    if operator == "*":
        low = min(_product(down, x, y) for x, y in corners)
        high = max(_product(up, x, y) for x, y in corners)
    else:
        low = min(_quotient(down, x, y, b) for x, y in corners)
        high = max(_quotient(up, x, y, b) for x, y in corners)
    return Range(low, high, nonzero=a.nonzero and b.nonzero)


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


def negated(a: Range) -> Range:
    return Range(mpfr_context(BITS, "down").minus(a.upper), mpfr_context(BITS, "up").minus(a.lower), nonzero=a.nonzero)


def logarithm(a: Range) -> Range:
    """Return where ln can lie, for a positive range; ln of an end at 0 is -infinity."""
    return Range(mpfr_context(BITS, "down").log(a.lower), mpfr_context(BITS, "up").log(a.upper))


def widened(a: Range, roundings: int, eta: Fraction) -> Range:
    """Return the range of rd of the lower and ru of the upper bound, taken `roundings` times."""
    factor = _end((1 + eta) ** roundings, "up")
    down, up = mpfr_context(BITS, "down"), mpfr_context(BITS, "up")
    low = down.mul(a.lower, factor) if a.lower < 0 else down.div(a.lower, factor)
    high = up.mul(a.upper, factor) if a.upper > 0 else up.div(a.upper, factor)
    return Range(low, high, nonzero=a.nonzero)


def monotone(a: Range, function: Callable[[Fraction], Fraction]) -> Range:
    """Return where an increasing function of rationals can lie, infinite ends left as they are."""
    import gmpy2

    low, high = (end if gmpy2.is_infinite(end) else function(fraction_of_mpfr(end)) for end in (a.lower, a.upper))
    return Range(
        _end(low, "down") if isinstance(low, Fraction) else low,
        _end(high, "up") if isinstance(high, Fraction) else high,
    )


def magnitude(a: Range) -> Range:
    """Return where |x| can lie, for a range on both sides of zero."""
    opposite = negated(a)
    return Range(exact_mpfr(0), max(a.upper, opposite.upper), nonzero=a.nonzero)


def rounded(a: Range, grid: Fraction) -> Range:
    return monotone(a, lambda x: nearest_multiple(x, grid))


def clamped(a: Range, lower: Fraction, upper: Fraction) -> Range:
    """Return where a clamp's results can lie; infinite ends become the clamp's."""
    import gmpy2

    low, high = (
        (lower if end < 0 else upper) if gmpy2.is_infinite(end) else min(max(fraction_of_mpfr(end), lower), upper)
        for end in (a.lower, a.upper)
    )
    return between(low, high)
