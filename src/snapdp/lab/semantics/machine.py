"""The machine of a judgement: precision, exponent range, how well ln rounds, how U is sampled, whether sums round.

Part of every derivation, verdict and certificate. Rounding is to nearest, ties to even; evaluation is
strict, nothing is contracted to fma or kept in extended precision: the report states that as an assumption. Where the
sum is exact, + and - do not round, and a multiple of a power of two is itself: what a mechanism does that adds with
whole numbers. Constants, products, quotients, ln and the ends of clamps have p bits on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import exponent_of_power, nearest_multiple, power_of_two, round_nearest
from snapdp.exact.numbers import shown
from snapdp.values import Value

KEYS = {"p": "p", "ln": "ln_roundings", "sampler": "sampler", "umin": "umin", "sum": "sum"}
SAMPLERS = ("ulp", "nearest", "ideal", "grid53")
SUMS = ("rounded", "exact")
FUNCTIONS: dict[str, Callable[[Fraction], Fraction]] = {  # exact on every machine, whatever bits the number has
    "floor": lambda x: Fraction(math.floor(x)),
    "rint": lambda x: Fraction(round(x)),  # Python sends ties to even
    "abs": abs,
    "sign": lambda x: Fraction((x > 0) - (x < 0)),
}
WORDS = {"sampler": SAMPLERS, "sum": SUMS}  # keys whose value is a word, not a number


class Machine(Value):
    """p significand bits; umin is the exponent of the smallest positive U (None: unbounded); sum: do + and - round."""

    p: int = 53
    ln_roundings: int = 1
    sampler: str = "ulp"
    umin: int | None = None
    sum: str = "rounded"

    def _check(self) -> None:
        if not 2 <= self.p <= 4096:
            raise ParameterError(f"p = {self.p} is no precision this machine can have.", "Give 2 <= p <= 4096.")
        if not 1 <= self.ln_roundings <= 64:
            raise ParameterError(
                f"ln = {self.ln_roundings} is no number of roundings.", "Give 1 (correctly rounded) or 2 (faithful)."
            )
        if self.sampler not in SAMPLERS:
            raise ParameterError(f"sampler = {self.sampler!r} is unknown.", f"Give one of {', '.join(SAMPLERS)}.")
        if self.umin is not None and not -(1 << 20) <= self.umin <= -1:
            raise ParameterError(f"umin = {self.umin} is no exponent of a smallest U.", "Give e.g. umin=-1074.")
        if self.sum not in SUMS:
            raise ParameterError(f"sum = {self.sum!r} is unknown.", f"Give one of {', '.join(SUMS)}.")

    @property
    def adds_exactly(self) -> bool:
        """Tell whether sums do not round."""
        return self.sum == "exact"

    @property
    def eta(self) -> Fraction:
        """Return the unit roundoff 2**-p."""
        return power_of_two(-self.p)

    @property
    def largest_exponent(self) -> int:
        """Return e: constants of programs are 0, or between 2**-e and 2**(e+1) in size; binary64's up to 53 bits."""
        return 1022 if self.p <= 53 else 4096

    def constant(self, x: Fraction) -> Fraction:
        """Return a number of a program, or an end of a clamp, as the machine holds it: it has p bits on every one."""
        return round_nearest(x, self.p)

    def summed(self, x: Fraction) -> Fraction:
        """Return what the machine makes of a sum."""
        return x if self.adds_exactly else round_nearest(x, self.p)

    def snapped(self, x: Fraction, grid: Fraction) -> Fraction:
        """Return the multiple of the grid nearest to x, ties up, as the machine holds it."""
        multiple, exact = nearest_multiple(x, grid), self.adds_exactly and exponent_of_power(grid) is not None
        return multiple if exact else round_nearest(multiple, self.p)

    def clamped(self, x: Fraction, lower: Fraction, upper: Fraction) -> Fraction:
        """Return x, or the end that it is beyond; ends are constants, so they have p bits."""
        return min(max(x, self.constant(lower)), self.constant(upper))

    @property
    def stated_sum(self) -> dict[str, str]:
        """Return the key `sum` where it is not the usual one: certificates and JSON hold it only then."""
        return {"sum": self.sum} if self.adds_exactly else {}

    @property
    def stated(self) -> dict[str, int | str | None]:
        """Return the machine as certificates and derivations state it."""
        usual = {"p": self.p, "ln_roundings": self.ln_roundings, "umin": self.umin}
        return {**usual, "sampler": self.sampler, **self.stated_sum}


def parse_machine(text: str) -> Machine:
    """Return the machine that a text such as "p=53,sampler=ulp,umin=-1074,ln=1" describes; what is left out is usual.

    >>> parse_machine("p=24,umin=-149")
    Machine(p=24, ln_roundings=1, sampler='ulp', umin=-149, sum='rounded')
    """
    fields: dict[str, int | str | None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in KEYS or not equals:
            raise ParameterError(f"{shown(part)} describes no machine.", f"Give {', '.join(f'{k}=...' for k in KEYS)}.")
        if KEYS[key] in fields:
            raise ParameterError(f"{key} is given twice.", "Give each key once.")
        fields[KEYS[key]] = value if key in WORDS else _integer(key, value)
    return Machine(**fields)  # type: ignore[arg-type]


def _integer(key: str, text: str) -> int | None:
    if key == "umin" and text == "none":
        return None
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise ParameterError(f"{key} = {shown(text)} is no whole number.", f"Give e.g. {key}=53 or umin=-1074.")
    return int(text)
