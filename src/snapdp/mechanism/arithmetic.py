"""In which arithmetic a mechanism runs: exact, or p-bit under one of two rules. Names, bits, and what they ask for.

Room: mechanism. One spelling everywhere: flag, study key and Python keyword are `arithmetic` = "exact", "proved" or
"notes", and `bits`. `arithmetic_of` is the one place that reads them.
Theory: docs/theory/finite-precision.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown
from snapdp.values import Value

ARITHMETICS = ("exact", "proved", "notes")
RULES = ("proved", "notes")
LARGEST_PRECISION = 1 << 12


class Precision(Value):
    """Bits of the uniform draw, the logarithm and the product; the sum is exact."""

    uniform: int
    logarithm: int
    product: int

    @classmethod
    def of(cls, bits: int) -> Precision:
        """Return one precision for every step."""
        return cls(uniform=bits, logarithm=bits, product=bits)

    def _check(self) -> None:
        for bits in (self.uniform, self.logarithm, self.product):
            if isinstance(bits, bool) or not isinstance(bits, int) or not 2 <= bits <= LARGEST_PRECISION:
                raise ParameterError(
                    f"a precision of {shown(bits)} bits is not usable.",
                    f"Give an integer from 2 to {LARGEST_PRECISION}.",
                )

    @property
    def eta(self) -> Fraction:
        """Return the largest unit roundoff of the three."""
        return Fraction(1, 1 << min(self.uniform, self.logarithm, self.product))


class FinitePrecision(Value):
    """Ask for the mechanism in p-bit arithmetic; bits=None takes the smallest p the rules allow, at least 118.

    rule="proved" charges the bound proved in docs/theory/finite-precision.md (any grid); rule="notes" the published
    constants (grid >= noise scale, bound > noise scale).
    slack, for few bits (24 is single precision): the noise scale is that of epsilon, the proved loss may exceed epsilon
    by this much, and epsilon + slack is what a release costs. For study; tables are never released with one.
    """

    bits: int | None = None
    rule: str = "proved"
    slack: Fraction = Fraction(0)

    def __init__(self, *, bits: int | None = None, rule: str = "proved", slack: Any = 0) -> None:
        super().__init__(bits=bits, rule=rule, slack=parameter(slack, name="slack"))

    def _check(self) -> None:
        if self.bits is not None:
            Precision.of(self.bits)
        if self.rule not in RULES:
            raise ParameterError(f"rule = {shown(self.rule)} is unknown.", 'Give rule="proved" or rule="notes".')
        if self.slack < 0:
            raise ParameterError(f"slack = {shown(self.slack)} is negative.", "Give slack > 0, or leave it out.")
        if self.slack and (self.bits is None or self.rule != "proved"):
            raise ParameterError(
                "slack is for a declared number of bits under the rule proved.",
                'Give bits, such as FinitePrecision(bits=24, slack="0.01"), or leave slack out.',
            )

    def __repr__(self) -> str:
        slack = f", slack={self.slack}" if self.slack else ""
        return f"FinitePrecision(bits={self.bits}, rule={self.rule!r}{slack})"


def arithmetic_of(arithmetic: object = None, bits: int | None = None) -> FinitePrecision | None:
    """Return the p-bit arithmetic that is asked for; None is exact arithmetic.

    arithmetic  "exact" (the same as None), "proved" or "notes"; or a FinitePrecision, which has its own bits
    bits        of every step of finite precision; None takes the smallest number the rules allow

    >>> arithmetic_of("notes", 118)
    FinitePrecision(bits=118, rule='notes')
    """
    if isinstance(arithmetic, FinitePrecision):
        if bits is not None:
            raise ParameterError("bits is given twice.", "FinitePrecision has its own bits: give them there alone.")
        return arithmetic
    if arithmetic is None or arithmetic == "exact":
        if bits is not None:
            raise ParameterError(
                "bits belongs to finite precision.",
                'Give arithmetic="proved" or arithmetic="notes" with it, or leave bits out.',
            )
        return None
    if not isinstance(arithmetic, str) or arithmetic not in RULES:
        raise ParameterError(f"arithmetic = {shown(arithmetic)} is unknown.", f"Give one of {', '.join(ARITHMETICS)}.")
    return FinitePrecision(bits=bits, rule=arithmetic)
