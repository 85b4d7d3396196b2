"""Numbers of a run that no float is: where sums do not round, a private value may be any rational, and so may a sum.

Room: verifier. A number is an mpfr where it has a finite binary expansion, else an mpq; both are exact, and both can be
compared with each other. What is done with an mpq is done on rationals, and rounded where the machine rounds.
Theory: docs/theory/verifier-loss.md, (20)-(21).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.exact import exact_mpfr, exponent_of_power, mpfr_context

Operation = Callable[..., Any]


def as_mpfr(x: Fraction) -> Any:
    """Return a binary fraction as an mpfr; no other number is one."""
    exponent = exponent_of_power(Fraction(x.denominator))
    if exponent is None:
        raise ArithmeticError("a number that is no binary fraction would be rounded")
    return exact_mpfr(x.numerator, -exponent)


def as_number(x: Fraction) -> Any:
    """Return a rational as it is: an mpfr where it is a binary fraction, else an mpq."""
    import gmpy2

    is_binary = x.denominator & (x.denominator - 1) == 0
    return as_mpfr(x) if is_binary else gmpy2.mpq(x.numerator, x.denominator)


def is_ratio(x: Any) -> bool:
    """Return whether a number of a run is an mpq."""
    import gmpy2

    return isinstance(x, gmpy2.mpq)


def finite(x: Any) -> bool:
    return is_ratio(x) or bool(x.is_finite())


def is_nan(x: Any) -> bool:
    return not is_ratio(x) and bool(x.is_nan())


def fraction_of(x: Any) -> Fraction:
    """Return a finite number of a run as a rational."""
    numerator, denominator = (x.numerator, x.denominator) if is_ratio(x) else x.as_integer_ratio()
    return Fraction(int(numerator), int(denominator))


def of_rationals(usual: Operation, exact: Callable[..., Fraction | None], p: int) -> Operation:
    """Return an operation on numbers of a run: the usual one on mpfr; where an mpq is among them, the one on rationals.

    Beside an infinity only the sign of an mpq counts, which rounding keeps, and so it is where rationals have no value.
    """
    nearest = mpfr_context(p, "nearest")

    def operation(*numbers: Any) -> Any:
        if not any(is_ratio(each) for each in numbers):
            return usual(*numbers)
        found = exact(*(fraction_of(each) for each in numbers)) if all(finite(each) for each in numbers) else None
        if found is not None:
            return as_number(found)
        return usual(*(_nearest(each, nearest) if is_ratio(each) else each for each in numbers))

    return operation


def _nearest(x: Any, context: Any) -> Any:
    return context.div(exact_mpfr(int(x.numerator)), exact_mpfr(int(x.denominator)))
