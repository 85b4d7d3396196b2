"""The one way in for numbers, and the directed way out to floats.

A *parameter* means what it prints: 0.1, "0.1" and Decimal("0.1") are 1/10, "1/3" is 1/3.
A *datum* is what it is: a double is the dyadic rational it stores. Inside everything is int and Fraction.
Trusts: int / int is correctly rounded to nearest (CPython's long division), which the directed conversions start from.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snapdp.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy import floating, integer

    Parameter = int | float | str | Fraction | Decimal | integer[Any] | floating[Any]
    Datum = int | float | Fraction | Decimal | integer[Any] | floating[Any]
else:
    Parameter = int | float | str | Fraction | Decimal  # a number that means what it prints; numpy's scalars, too
    Datum = int | float | Fraction | Decimal  # a number that is what it is

LARGEST_DECIMAL_EXPONENT = 1000  # far beyond doubles, far below what would exhaust memory as an integer
MOST_BITS = 13_000  # 3,900 digits: what Python still prints
MOST_DIGITS = 3_900
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)\s*$")
_DIGITS = re.compile(r"\s*[+-]?[0-9]*([./][0-9]*)?\s*")


class _BeyondExponents(Exception):
    """A finite number that is not read: as an integer it would exhaust the memory."""


class _TooManyDigits(Exception):
    """A number that cannot be meant."""


def parameter(value: object, *, name: str) -> Fraction:
    """Return the rational that a public parameter prints as.

    >>> parameter(0.1, name="epsilon"), parameter("1/3", name="epsilon")
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        number = _printed_rational(value)
    except _TooManyDigits:
        raise _too_long(name) from None
    except _BeyondExponents:
        raise ParameterError(
            f"{name} = {shown(value)} has an exponent beyond {LARGEST_DECIMAL_EXPONENT}.",
            f"Give {name} between 1e-{LARGEST_DECIMAL_EXPONENT} and 1e{LARGEST_DECIMAL_EXPONENT} in size.",
            largest_exponent=LARGEST_DECIMAL_EXPONENT,
        ) from None
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        raise ParameterError(
            f"{name} = {shown(value)} is not a finite number.",
            f"Give {name} as a number such as 0.1 or 1/3.",
        ) from None
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > MOST_BITS:
        raise _too_long(name)
    return number


def _too_long(name: str) -> ParameterError:
    return ParameterError(
        f"{name} is a number of thousands of digits.", f"Give {name} with fewer digits.", most_bits=MOST_BITS
    )


def positive(value: object, *, name: str) -> Fraction:
    """Return a public parameter that must be greater than zero."""
    number = parameter(value, name=name)
    if number <= 0:
        raise ParameterError(f"{name} = {shown(value)} is not positive.", f"Give {name} > 0.", **{name: number})
    return number


def probability(value: object, *, name: str, sure: bool = False) -> Fraction:
    """Return a public parameter that must lie strictly between 0 and 1, or be 1 where what is `sure` is allowed."""
    number = parameter(value, name=name)
    if not (0 < number < 1 or (sure and number == 1)):
        allowed = f"Give 0 < {name} <{'=' * sure} 1."
        raise ParameterError(f"{name} = {shown(value)} is no probability.", allowed, **{name: number})
    return number


def shown(value: object) -> str:
    """Return a public parameter as it was typed, cut where it is very long."""
    try:
        text = str(value) if isinstance(value, (Fraction, Decimal)) else repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        return "a number of thousands of digits"
    except Exception:  # a class of the caller's
        return f"a value of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _printed_rational(value: Any) -> Fraction:
    if isinstance(value, (bool, complex)):
        raise TypeError
    if isinstance(value, (int, Fraction)):
        return Fraction(value)
    if isinstance(value, Decimal):
        if value.is_finite() and abs(value.adjusted()) > LARGEST_DECIMAL_EXPONENT:
            raise _TooManyDigits if len(value.as_tuple().digits) > LARGEST_DECIMAL_EXPONENT else _BeyondExponents
        return Fraction(value)
    if isinstance(value, float):
        return Fraction(float.__repr__(value))
    if isinstance(value, str):
        exponent = _EXPONENT.search(value)
        if not value.isascii() or "_" in value:  # Python takes 1_0 for 10
            raise ValueError
        if exponent and _is_beyond(exponent[1]):
            Fraction(value[: exponent.start()] + "e0")  # what stands before the exponent must be a number, too
            raise _BeyondExponents
        if len(value) > MOST_DIGITS and _DIGITS.fullmatch(value):  # Python itself would call it no number
            raise _TooManyDigits
        return Fraction(value)
    if getattr(value, "shape", None) == () and getattr(value, "dtype", None) is not None and value.dtype.kind in "fiu":
        return _printed_rational(str(value))  # a numpy scalar: what it prints
    raise TypeError


def _is_beyond(exponent: str) -> bool:
    """Return whether the digits of an exponent say more than is read; there may be thousands of them."""
    digits = exponent.lstrip("+-").lstrip("0")
    return len(digits) > len(str(LARGEST_DECIMAL_EXPONENT)) or int(digits or "0") > LARGEST_DECIMAL_EXPONENT


def datum(value: Any) -> Fraction:
    """Return the rational a data value stores; infinities and NaN are the caller's to handle first.

    >>> datum(0.1) == Fraction(1, 10), datum(0.5)
    (False, Fraction(1, 2))
    """
    if isinstance(value, (int, Fraction, float, Decimal)) and not isinstance(value, bool):
        return Fraction(value)
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        if value.dtype.kind in "iu":
            return Fraction(int(value))
        if value.dtype.kind == "f":
            return Fraction(*value[()].as_integer_ratio())  # an array of no dimensions holds one number
    raise not_a_real_number(value)


def not_a_real_number(value: object) -> DataError:
    """Return the refusal of a value that is no real number; it names the type, never the value."""
    return DataError(
        f"a value of type {type(value).__name__} is not a real number.",
        "Give an int, float, Fraction or Decimal, or an array of numpy floats or ints. No random bits were drawn.",
    )


def over_common(numbers: Iterable[Fraction]) -> tuple[list[int], int]:
    """Return numerators over one denominator, and this: sums of many rationals are sums of integers then.

    >>> over_common([Fraction(1, 2), Fraction(-2, 3), Fraction(4)])
    ([3, -4, 24], 6)
    """
    given = list(numbers)
    common = math.lcm(*{each.denominator for each in given})
    return [each.numerator * (common // each.denominator) for each in given], common


def to_float_nearest(x: Fraction) -> float:
    """Return the double nearest to x, ties to even; beyond the doubles, an infinity."""
    return ratio_nearest(x.numerator, x.denominator)


def to_float_up(x: Fraction) -> float:
    """Return the smallest double >= x.

    >>> to_float_up(Fraction(1, 10)).hex(), to_float_up(Fraction(-1, 10)).hex()
    ('0x1.999999999999ap-4', '-0x1.9999999999999p-4')
    """
    return ratio_up(x.numerator, x.denominator)


def to_float_down(x: Fraction) -> float:
    """Return the largest double <= x."""
    return ratio_down(x.numerator, x.denominator)


def ratio_nearest(numerator: int, denominator: int) -> float:
    """Return the same of numerator/denominator, which need not be in lowest terms; denominator > 0."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf


def ratio_up(numerator: int, denominator: int) -> float:
    """Return the least double that is not below a quotient; the denominator is positive."""
    nearest = ratio_nearest(numerator, denominator)
    if math.isinf(nearest):
        return nearest if nearest > 0 else -math.nextafter(math.inf, 0)
    n, d = nearest.as_integer_ratio()
    return nearest if n * denominator >= numerator * d else math.nextafter(nearest, math.inf)


def ratio_down(numerator: int, denominator: int) -> float:
    """Return the greatest double that is not above a quotient; the denominator is positive."""
    return 0.0 - ratio_up(-numerator, denominator)  # zero is +0.0


def ratios_up(numerators: Any, denominators: Any) -> Any:
    """Return `ratio_up` of whole columns: arrays of integers in, an array of doubles out.

    The nearest double is m * 2**e, and whether it is large enough is asked in integers, for all at once.
    """
    import numpy as np

    numerators, denominators = (np.asarray(each, dtype=object) for each in (numerators, denominators))
    try:
        nearest = (numerators / denominators).astype(np.float64)
    except OverflowError:  # beyond the doubles: one by one
        return np.array([ratio_up(n, d) for n, d in zip(numerators, denominators, strict=True)])
    fractions, exponents = np.frexp(nearest)
    exponents = exponents.astype(np.int64) - 53
    least = min(int(exponents.min(initial=0)), 0)
    significands = np.ldexp(fractions, 53).astype(np.int64).astype(object)
    enough = (significands << (exponents - least).astype(object)) * denominators >= (numerators << -least)
    return np.where(enough, nearest, np.nextafter(nearest, np.inf)) + 0.0


def ratios_down(numerators: Any, denominators: Any) -> Any:
    """Return the greatest doubles that are not above quotients, as `ratios_up` takes them."""
    return 0.0 - ratios_up(-numerators, denominators)  # zero is +0.0
