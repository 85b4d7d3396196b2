"""Unit tests, one file for each module of src/snapdp, and the two instruments they share.

`arb_ends` is the second opinion on every transcendental number: Arb (python-flint) shares no code with MPFR.
`word_of_digits` writes the digits of U into a first word as the header of randomness/uniform.py declares it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint

flint.ctx.prec = 2600  # of every ball in these tests; set here alone, so that no test rests on another's digits

EXTRA_BITS = 400  # no number here lies within 2**-400, relatively, of a rational it is compared with


def arb(x: Fraction) -> Any:
    return flint.arb(flint.fmpq(x.numerator, x.denominator))


def arb_ends(compute: Callable[[], Any], *, bits: int = 128) -> tuple[Fraction, Fraction]:
    """Return rationals that enclose the number `compute` builds from arb balls, far narrower than 2**-bits."""
    with flint.ctx.workprec(bits + EXTRA_BITS):
        ball = compute()
        return _fraction(ball.lower()), _fraction(ball.upper())


def _fraction(ball: Any) -> Fraction:
    mantissa, exponent = (int(part) for part in ball.man_exp())
    return mantissa * Fraction(2) ** exponent


def word_of_digits(digits: list[int], sign: int = 1) -> int:
    """Return the signed first word whose 63 digits of U these are: 52 low bits first, then bits 62 to 52."""
    assert len(digits) == 63
    first, rest = (int("".join(map(str, part)), 2) for part in (digits[:52], digits[52:]))
    unsigned = (sign < 0) << 63 | rest << 52 | first
    return unsigned - (1 << 64) if sign < 0 else unsigned
