"""Does MPFR round as it is told? Known quotients, products, logarithms and exponentials, asked for before first use.

Room: exact. Every enclosure of this library rests on contexts that round down, up or to nearest at their own precision;
gmpy2 before 2.3 divides in the ambient context instead, and the "exact" law then misses the true value. What integers
can compute is computed again with them; the rest is a table of floors, which a test derives with Arb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from snapdp.errors import PremiseError
from snapdp.exact.dyadic import round_down, round_nearest, round_up

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
                yield _rational(rounding.div(x, y)), _rounded(Fraction(a, b), bits, way)
                yield _rational(rounding.mul(x, y)), _rounded(Fraction(a * b), bits, way)
                yield _rational(rounding.add(x, y)), _rounded(Fraction(a + b), bits, way)
            for function, argument, floor in KNOWN_VALUES:
                x = rounding.div(_exact(context, argument.numerator), _exact(context, argument.denominator))
                # No float of these precisions lies between the floor and the value: half a unit rounds like it.
                true = Fraction(2 * floor + 1, 2 << TABLE_BITS)
                yield _rational(getattr(rounding, function)(x)), _rounded(true, bits, way)


def _exact(context: Context, number: int) -> Any:
    import gmpy2

    return context(max(2, number.bit_length()), "nearest").plus(gmpy2.mpfr(number, 1))


def _rational(x: Any) -> Fraction:
    numerator, denominator = x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def _rounded(x: Fraction, bits: int, way: str) -> Fraction:
    if x == 0:
        return x
    if x < 0:
        return -_rounded(-x, bits, {"down": "up", "up": "down"}.get(way, way))
    return {"down": round_down, "up": round_up, "nearest": round_nearest}[way](x, bits)
