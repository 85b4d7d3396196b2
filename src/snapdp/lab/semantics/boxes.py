"""Intervals of doubles by the thousand: pairs of numpy arrays, every operation rounded outward.

A pair (lower, upper) of arrays encloses one real number per entry; an end may be infinite.
Sums, products, quotients and roots are *tight*: the rounding error of the double operation is computed without error
(Knuth's sum, Dekker's product), and an end is moved only where it is not exact already. The operations named `loose_*`
move every end and are meant for derivatives, where a unit in the last place does not matter.
Trusts: numpy's + - * / and sqrt on doubles are IEEE 754 to nearest (tests compare with rationals); MPFR's ln and exp
are rounded in the asked direction. Nothing is trusted about the system's own ln and exp.
Theory: docs/theory/error-bounds.md, (7).
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any

import numpy as np

from snapdp.exact.functions import require_directed_rounding

Pair = tuple[Any, Any]

_LARGEST = sys.float_info.max
_STEP = 2.0**-52  # |x| * _STEP + _TINY is at least one and at most two units in the last place of x
_TINY = 5e-324
_SPLIT = 2.0**27 + 1
_SMALL, _BIG = 2.0**-900, 2.0**900  # between them, no part of Dekker's product over- or underflows


def _below(x: Any) -> Any:
    return x - (abs(x) * _STEP + _TINY)


def _above(x: Any) -> Any:
    return x + (abs(x) * _STEP + _TINY)


def _ends(lower: Any, upper: Any) -> Pair:
    """Return ends without NaN and with infinities on their own side only: lower < inf, upper > -inf."""
    lower = np.where(np.isnan(lower), -np.inf, np.minimum(lower, _LARGEST))
    upper = np.where(np.isnan(upper), np.inf, np.maximum(upper, -_LARGEST))
    return lower, upper


def _directed(x: Any, error: Any) -> Pair:
    """Return x + error rounded down and up; an error that is not known (NaN) moves both ends."""
    lower = np.where(error >= 0, x, _below(np.minimum(x, _LARGEST)))
    return lower, np.where(error <= 0, x, _above(np.maximum(x, -_LARGEST)))


def _sum(a: Any, b: Any) -> Pair:
    """Return the exact a + b rounded down and up."""
    x = a + b
    back = x - a
    return _directed(x, (a - (x - back)) + (b - back))  # Knuth 1969; NaN where something is infinite


def _product_error(a: Any, b: Any, x: Any) -> Any:
    """Return a*b - x without rounding error, NaN where that cannot be promised."""
    big = a * _SPLIT
    a_high = big - (big - a)
    big = b * _SPLIT
    b_high = big - (big - b)
    a_low, b_low = a - a_high, b - b_high
    error = ((a_high * b_high - x) + a_high * b_low + a_low * b_high) + a_low * b_low  # Dekker 1971
    safe = (abs(x) > _SMALL) & (abs(x) < _BIG) & (abs(a) < _BIG) & (abs(b) < _BIG)
    return np.where(safe, error, np.where((a == 0) | (b == 0), 0.0, np.nan))


def _product(a: Any, b: Any) -> Pair:
    x = np.where((a == 0) | (b == 0), 0.0, a * b)  # 0 * infinity: the end 0 is attained, infinity is not
    return _directed(x, _product_error(a, b, x))


def _quotient(a: Any, b: Any) -> Pair:
    """Return a / b rounded down and up, b not 0."""
    x = np.where(np.isinf(b), 0.0, a / b)
    # a - x*b has the sign of the error times that of b; a - fl(x*b) is exact because the two are near each other.
    product = x * b
    rest = (a - product) - _product_error(x, b, product)
    known = (abs(a) > _SMALL) & (abs(a) < _BIG) & (abs(x) > _SMALL) & np.isfinite(b)
    exact_zero = (a == 0) | np.isinf(b)
    return _directed(x, np.where(known, rest * np.sign(b), np.where(exact_zero, 0.0, np.nan)))


def add(a: Pair, b: Pair) -> Pair:
    return _ends(_sum(a[0], b[0])[0], _sum(a[1], b[1])[1])


def neg(a: Pair) -> Pair:
    return -a[1], -a[0]


def sub(a: Pair, b: Pair) -> Pair:
    return add(a, neg(b))


def mul(a: Pair, b: Pair) -> Pair:
    return _corners(_product, a, b)


def square(a: Pair) -> Pair:
    least = np.maximum(np.maximum(a[0], -a[1]), 0.0)
    most = magnitude(a)
    return _ends(np.maximum(_product(least, least)[0], 0.0), _product(most, most)[1])


def div(a: Pair, b: Pair) -> Pair:
    """Return the quotients; everything where the divisor may be zero."""
    undefined = (b[0] <= 0) & (b[1] >= 0)
    lower, upper = _corners(_quotient, a, (np.where(undefined, 1.0, b[0]), np.where(undefined, 1.0, b[1])))
    return np.where(undefined, -np.inf, lower), np.where(undefined, np.inf, upper)


def _corners(function: Any, a: Pair, b: Pair) -> Pair:
    a0, a1, b0, b1 = np.broadcast_arrays(*a, *b)
    lower, upper = function(np.stack([a0, a0, a1, a1]), np.stack([b0, b1, b0, b1]))
    return _ends(lower.min(axis=0), upper.max(axis=0))


def sqrt(a: Pair) -> Pair:
    """Return the roots; from -infinity where the argument may be negative, so that the result is never mistaken."""

    def root(x: Any) -> Pair:
        y = np.sqrt(np.maximum(x, 0.0))
        product = y * y
        rest = (x - product) - _product_error(y, y, product)  # has the sign of sqrt(x) - y
        return _directed(y, np.where((x > _SMALL) & (x < _BIG), rest, np.where(x == 0, 0.0, np.nan)))

    lower = np.where(a[0] < 0, -np.inf, np.maximum(root(a[0])[0], 0.0))
    return lower, root(a[1])[1]


def ln(a: Pair) -> Pair:
    """Return the logarithms; from -infinity where the argument may be zero or less."""
    return _ends(_by_mpfr("log", a[0], "down"), _by_mpfr("log", a[1], "up"))


def exp(a: Pair) -> Pair:
    return _ends(_by_mpfr("exp", a[0], "down"), _by_mpfr("exp", a[1], "up"))


@lru_cache(maxsize=4)
def _context(direction: str) -> Any:
    import gmpy2

    require_directed_rounding()
    context = gmpy2.ieee(64)
    context.round = {"down": gmpy2.RoundDown, "up": gmpy2.RoundUp}[direction]
    return context


def _by_mpfr(function: str, x: Any, direction: str) -> Any:
    import gmpy2

    compute = getattr(_context(direction), function)
    points, places = np.unique(x, return_inverse=True)
    worst = -np.inf if direction == "down" else np.inf
    values = [
        worst if function == "log" and not point > 0 else float(compute(gmpy2.mpfr(point, 53)))
        for point in points.tolist()
    ]
    return np.array(values)[places].reshape(np.shape(x))


def rounded(a: Pair, p: int, least: int | None = None) -> Pair:
    """Return ends moved outward to floats of p bits (of 53, where p is more) that are multiples of 2**least."""
    if p >= 53:
        return a  # doubles are floats of p bits already, and every double is a multiple of 2**-1074
    results = []
    for end, toward in zip(a, (np.floor, np.ceil), strict=True):
        _, exponent = np.frexp(end)
        unit = exponent - p if least is None else np.maximum(exponent - p, least)
        moved = np.ldexp(toward(np.ldexp(end, -unit)), unit)
        results.append(np.where(np.isfinite(end), moved, end))
    return results[0], results[1]


def neighbours(x: Any, p: int, least: int | None = None) -> Pair:
    """Return for each x the largest float at or below it and the next float above; x twice where doubles are too few
    to tell."""
    if p > 53:
        return x, x
    below = rounded((x, x), p, least)[0]
    fraction, exponent = np.frexp(below)
    unit = np.where(fraction == -0.5, exponent - 1, exponent) - p  # toward zero from -2**k, floats are twice as dense
    above = below + np.ldexp(1.0, unit if least is None else np.maximum(unit, least))
    far = abs(below) > _SMALL
    return np.where(far, below, x), np.where(far, above, x)


def magnitude(a: Pair) -> Any:
    """Return the largest absolute value."""
    return np.maximum(-a[0], a[1])


def mignitude(a: Pair) -> Any:
    """Return the smallest absolute value."""
    return np.maximum(np.maximum(a[0], -a[1]), 0.0)


# For derivatives: every end moves


def loose_add(a: Pair, b: Pair) -> Pair:
    return _ends(_below(a[0] + b[0]), _above(a[1] + b[1]))


def loose_mul(a: Pair, b: Pair) -> Pair:
    corners = np.array([x * y for x in a for y in b])
    corners[np.isnan(corners)] = 0.0  # 0 * infinity
    return _ends(_below(corners.min(axis=0)), _above(corners.max(axis=0)))


def loose_reciprocal(a: Pair) -> Pair:
    undefined = (a[0] <= 0) & (a[1] >= 0)
    low, high = (1.0 / np.where(undefined, 1.0, end) for end in a)
    return _ends(np.where(undefined, -np.inf, _below(high)), np.where(undefined, np.inf, _above(low)))


# For sums of bounds, all at least 0


def upper_sum(a: Any, b: Any) -> Any:
    return np.where(a == 0, b, np.where(b == 0, a, _above(a + b)))


def upper_product(slope: Any, error: Any) -> Any:
    """Return slope * error; an infinite error stays infinite: nothing that follows makes an undefined step harmless."""
    product = np.where((slope == 0) | (error == 0), 0.0, _above(slope * error))
    return np.where(error == np.inf, np.inf, product)
