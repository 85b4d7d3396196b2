"""Logarithm, exponential, root and arcosh: outward enclosures, and correct rounding to p bits; sums of exponentials.

MPFR (through gmpy2) rounds each function correctly in the asked direction at any precision; the argument
is first enclosed the same way, and the functions used here increase, so lower end goes to lower end. Theory of
arcosh: docs/theory/planning.md, (6).
Trap: unary minus (and any operator) on an mpfr rounds to gmpy2's ambient 53-bit context. Hence no operator is used on
an mpfr here, only methods of a context of our own.
gmpy2 is imported when first needed, and then first asked whether it rounds as it is told: releases in
exact arithmetic never need it. ln of a power of two needs no library at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power, floor_log2, power_of_two, round_down, round_nearest, round_up
from snapdp.exact.enclosure import TINY_EXPONENT, Enclosure, enclose, refine, refined

# Does MPFR round as it is told? gmpy2 before 2.3 divides in the ambient context instead of the one it is given, and the
# "exact" law then misses the true value. So known results are asked for before first use: what integers can compute is
# computed again with them; the rest is a table of floors, which a test derives with Arb.

TABLE_BITS = 256
# (function, argument, floor(2**256 * function(argument)))
KNOWN_VALUES: tuple[tuple[str, Fraction, int], ...] = (
    ("log", Fraction(3), 0x1193EA7AAD030A976A4198D55053B7CB5BE1442D9B7E08DF03D97EEEA5149358C),
    ("log", Fraction(3, 4), -0x49A58844D36E49E0EFADD9DB02AA70A8C3D243732D50DE6AD6823FCCC60CBECC),
    ("exp", Fraction(1), 0x2B7E151628AED2A6ABF7158809CF4F3C762E7160F38B4DA56A784D9045190CFEF),
    ("exp", Fraction(-5, 16), 0xBB4B296F917BF09A22FBAA27077B854A35098FBF2D2C5DE255E30A4AD81EEDA2),
    ("expm1", Fraction(-1, 1024), -0x3FF800AAA0008882D8618478531320229F595E0DDBF0D874D97EA955EE3675),
)
OPERANDS = ((1, 3), (-1, 3), (2, 7), (10**40 + 1, 3**50), (1 << 60, (1 << 53) - 1))
PRECISIONS = (24, 53, 118)  # below, at and above the ambient 53 bits
DIRECTIONS = ("down", "up", "nearest")

Context = Callable[[int, str], Any]


def check_directed_rounding(context: Context) -> None:
    """Refuse to compute where a context does not round correctly in its direction and at its precision."""
    if not all(found == known for found, known in _answers(context)):
        raise PremiseError(
            "the installed gmpy2 (MPFR) does not round as it is told: no bound computed with it would be true.",
            "Install gmpy2 2.3 or newer.",
        )


def _answers(context: Context) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (what MPFR answers, what is true)."""
    for bits in PRECISIONS:
        for way in DIRECTIONS:
            rounding = context(bits, way)
            for a, b in OPERANDS:
                x, y = _exact(context, a), _exact(context, b)
                yield fraction_of_mpfr(rounding.div(x, y)), _rounded(Fraction(a, b), bits, way)
                yield fraction_of_mpfr(rounding.mul(x, y)), _rounded(Fraction(a * b), bits, way)
                yield fraction_of_mpfr(rounding.add(x, y)), _rounded(Fraction(a + b), bits, way)
            for function, argument, floor in KNOWN_VALUES:
                x = rounding.div(_exact(context, argument.numerator), _exact(context, argument.denominator))
                # No float of these precisions lies between the floor and the value: half a unit rounds like it.
                true = Fraction(2 * floor + 1, 2 << TABLE_BITS)
                yield fraction_of_mpfr(getattr(rounding, function)(x)), _rounded(true, bits, way)


def _exact(context: Context, number: int) -> Any:
    import gmpy2

    return context(max(2, number.bit_length()), "nearest").plus(gmpy2.mpfr(number, 1))


def _rounded(x: Fraction, bits: int, way: str) -> Fraction:
    if x == 0:
        return x
    if x < 0:
        return -_rounded(-x, bits, {"down": "up", "up": "down"}.get(way, way))
    return {"down": round_down, "up": round_up, "nearest": round_nearest}[way](x, bits)


# floor(ln 2 * 2**256): compared with MPFR and with Arb in the tests.
_LN2_BITS = 256
_LN2_SCALED = 0xB17217F7D1CF79ABC9E3B39803F2F6AF40F343267298B62D8A0D175B8BAAFA2B
LN2 = Enclosure(Fraction(_LN2_SCALED, 1 << _LN2_BITS), Fraction(_LN2_SCALED + 1, 1 << _LN2_BITS))

SIGNIFICANT_BITS = 53  # results that must round are doubles: within 2**-52 of the number, far inside 1e-9
NARROW_BITS = 64  # enclosures are refined to this many relative bits before they are rounded
_WIDE = 1 << 60  # exponents that no computation here can leave


@lru_cache(maxsize=64)
def mpfr_context(precision: int, direction: str) -> Any:
    """Return an MPFR context of our own; direction is "down", "up" or "nearest"."""
    require_directed_rounding()
    return _unchecked_context(precision, direction)


@lru_cache(maxsize=1)
def require_directed_rounding() -> None:
    """Import MPFR and refuse to go on where it does not round as it is told. Takes time in the first call only."""
    check_directed_rounding(_unchecked_context)


def _unchecked_context(precision: int, direction: str) -> Any:
    import gmpy2

    modes = {"down": gmpy2.RoundDown, "up": gmpy2.RoundUp, "nearest": gmpy2.RoundToNearest}
    return gmpy2.context(precision=precision, round=modes[direction], emin=-_WIDE, emax=_WIDE)


def exact_mpfr(numerator: int, exponent: int = 0) -> Any:
    """Return numerator * 2**exponent as an mpfr, without rounding."""
    import gmpy2

    context = mpfr_context(max(2, numerator.bit_length()), "nearest")
    return context.mul_2exp(gmpy2.mpfr(numerator, 1), exponent)


def fraction_of_mpfr(x: Any) -> Fraction:
    """Return the number that an mpfr is, exactly."""
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def _mpfr_of(x: Fraction, precision: int, direction: str) -> Any:
    """Return x as an mpfr, rounded in one direction; exact where x is dyadic."""
    exponent = exponent_of_power(Fraction(x.denominator))
    if exponent is not None:
        return exact_mpfr(x.numerator, -exponent)
    digits_before_the_point = max(0, floor_log2(abs(x)) + 1)
    return mpfr_context(precision + digits_before_the_point, direction).div(
        exact_mpfr(x.numerator), exact_mpfr(x.denominator)
    )


def _increasing(function: str, x: Fraction, precision: int) -> Enclosure:
    ends = []
    for direction in ("down", "up"):
        result = getattr(mpfr_context(precision, direction), function)(_mpfr_of(x, precision, direction))
        ends.append(fraction_of_mpfr(result))
    return Enclosure(ends[0], ends[1])


def ln_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of ln x, x > 0, to about `precision` bits; a single point where x == 1.

    >>> float(ln_enclosure(Fraction(10), 128))
    2.302585092994046
    """
    exponent = exponent_of_power(x)
    if exponent is not None and precision < _LN2_BITS - 8:
        return LN2 * exponent
    return _increasing("log", x, precision)


def exp_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of e**x to about `precision` bits; a single point where x == 0."""
    if x <= TINY_EXPONENT:  # e**x < 2**x <= 2**TINY_EXPONENT
        return Enclosure(Fraction(0), power_of_two(TINY_EXPONENT))
    return _increasing("exp", x, precision)


def expm1_enclosure(x: Fraction, precision: int) -> Enclosure:
    """Return an enclosure of e**x - 1 without cancellation near 0."""
    if x <= TINY_EXPONENT:
        return exp_enclosure(x, precision) - 1
    return _increasing("expm1", x, precision)


def ln_nearest(x: Fraction, bits: int) -> Fraction:
    """Return ln x rounded correctly to a float of `bits` bits, ties to even, for any bits >= 2 and rational x > 0.

    >>> ln_nearest(Fraction(1, 2), 8)
    Fraction(-177, 256)
    """
    if exponent_of_power(Fraction(x.denominator)) is not None:
        return fraction_of_mpfr(mpfr_context(bits, "nearest").log(_mpfr_of(x, bits, "nearest")))
    # ln of a rational other than 1 is irrational, so it is no midpoint and some precision decides (Ziv).
    decided = refine(
        lambda precision: ln_enclosure(x, precision),
        until=lambda e: e.lower * e.upper > 0 and round_nearest(e.lower, bits) == round_nearest(e.upper, bits),
    )
    return round_nearest(decided.lower, bits)


def sqrt_enclosure(x: Fraction, bits: int) -> Enclosure:
    """Return an enclosure of the square root of x >= 0; a single point where x is the square of a short dyadic.

    >>> sqrt_enclosure(Fraction(9, 4), 64)
    Enclosure(3/2)
    """
    if x == 0:
        return Enclosure(x, x)
    shift = max(0, bits - floor_log2(x) // 2)
    scaled = x * (1 << 2 * shift)
    root = math.isqrt(math.floor(scaled))
    above = root if root * root == scaled else root + 1
    return Enclosure(Fraction(root, 1 << shift), Fraction(above, 1 << shift))


def root_for_rounding(x: Fraction) -> Fraction:
    """Return a number that rounds to a double, in every direction, like the square root of x; 0 where x is negative.

    sqrt(p/q) = sqrt(p q)/q. The integer root has more than 64 bits; where it is not exact, half a unit is added: no
    double and no midpoint of two lies between it and the next integer, at any scale of x.
    """
    if x <= 0:
        return Fraction(0)
    square = x.numerator * x.denominator << 2 * (x.denominator.bit_length() + 66)
    whole = math.isqrt(square)
    exact = whole * whole == square
    return Fraction(2 * whole + (not exact), x.denominator << (x.denominator.bit_length() + 67))


def sqrt_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of the square root of a number >= 0 that is enclosed by e."""
    return Enclosure(
        sqrt_enclosure(max(e.lower, Fraction(0)), bits).lower,
        sqrt_enclosure(max(e.upper, Fraction(0)), bits).upper,
    )


def ln_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of the logarithm of a positive enclosed number."""
    return Enclosure(ln_enclosure(e.lower, bits).lower, ln_enclosure(e.upper, bits).upper)


def exp_of(e: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of e to an enclosed power."""
    return Enclosure(exp_enclosure(e.lower, bits).lower, exp_enclosure(e.upper, bits).upper)


def arcosh_of_exp(w: Enclosure, bits: int) -> Enclosure:
    """Return an enclosure of arcosh(e^w) = w + ln(1 + sqrt(1 - e^(-2w))), for an enclosed w >= 0: planning (6).

    Nothing overflows: e^w itself may be far beyond what can be stored.
    """
    lower, upper = max(w.lower, Fraction(0)), max(w.upper, Fraction(0))
    ends = [-expm1_enclosure(-2 * end, bits) for end in (lower, upper)]
    root = sqrt_of(Enclosure(ends[0].lower, ends[1].upper), bits)
    return ln_of(root + 1, bits) + Enclosure(lower, upper)


def rounded_up(x: Fraction, bits: int = SIGNIFICANT_BITS) -> Fraction:
    """Return a short dyadic number >= x, within 2**(1-bits) of it, relatively.

    >>> rounded_up(Fraction(1, 3), 2), rounded_up(Fraction(-1, 3), 2)
    (Fraction(3, 8), Fraction(-1, 4))
    """
    if x == 0:
        return x
    return round_up(x, bits) if x > 0 else -round_down(-x, bits)


# Sums of exponentials


class Exponentials:
    """The number sum of c e^r over its terms {r: c}; a rational number is a term with r = 0.

    Every probability of a Laplace variable between rational ends is such a number. Two of them are equal only if they
    are equal term by term (Lindemann-Weierstrass: e to different rational powers are linearly independent over the
    rationals). So one is 0 exactly where no term is left, and elsewhere some precision tells its sign.

    >>> third = Exponentials({Fraction(-1): Fraction(1, 3)})
    >>> (third * 3 - Exponentials({Fraction(-1): Fraction(1)})).sign()
    0
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[Fraction, Fraction]) -> None:
        self.terms = {power: factor for power, factor in terms.items() if factor}

    def __add__(self, other: Exponentials | Fraction | int) -> Exponentials:
        added = _as_terms(other)
        powers = self.terms.keys() | added.keys()
        zero = Fraction(0)
        return Exponentials({power: self.terms.get(power, zero) + added.get(power, zero) for power in powers})

    def __mul__(self, other: Exponentials | Fraction | int) -> Exponentials:
        product: dict[Fraction, Fraction] = {}
        for power, factor in self.terms.items():
            for other_power, other_factor in _as_terms(other).items():
                both = power + other_power
                product[both] = product.get(both, Fraction(0)) + factor * other_factor
        return Exponentials(product)

    def __neg__(self) -> Exponentials:
        return self * -1

    def __sub__(self, other: Exponentials | Fraction | int) -> Exponentials:
        return self + Exponentials(_as_terms(other)) * -1

    def __rsub__(self, other: Fraction | int) -> Exponentials:
        return -self + other

    __radd__ = __add__
    __rmul__ = __mul__

    def __repr__(self) -> str:
        return " + ".join(f"{factor}*e^({power})" for power, factor in sorted(self.terms.items())) or "0"

    def enclosed(self, bits: int) -> Enclosure:
        """Return an enclosure at a precision; a point where the number is rational."""
        total = enclose(0)
        for power, factor in self.terms.items():
            total = total + exp_enclosure(power, bits) * factor
        return total

    def enclosure(self) -> Enclosure:
        """Return an enclosure that is narrow relative to the number."""
        return refined(self.enclosed, relative_bits=NARROW_BITS)

    def __float__(self) -> float:
        """Return a double near the number, for display."""
        return float(self.enclosure())

    def sign(self) -> int:
        """Return -1, 0 or 1. The largest power is divided out: beside 1 no term is too small to be told from 0."""
        if not self.terms:
            return 0
        largest = max(self.terms)
        scaled = Exponentials({power - largest: factor for power, factor in self.terms.items()})
        decided = refine(scaled.enclosed, until=lambda e: e.lower > 0 or e.upper < 0)
        return 1 if decided.lower > 0 else -1


def _as_terms(x: Exponentials | Fraction | int) -> dict[Fraction, Fraction]:
    return x.terms if isinstance(x, Exponentials) else {Fraction(0): Fraction(x)}


def exponential(power: Fraction) -> Exponentials:
    """Return e**power."""
    return Exponentials({power: Fraction(1)})


def laplace_cdf(x: Fraction, scale: Fraction) -> Exponentials:
    """Return P(Y <= x) of a Laplace variable around 0."""
    half = exponential(-abs(x) / scale) * HALF
    return half if x < 0 else 1 - half
