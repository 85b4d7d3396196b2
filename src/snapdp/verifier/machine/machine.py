"""The machine of a judgement: precision, exponent range, how well ln rounds, and how U is sampled.

Room: verifier. Part of every derivation, verdict and certificate. Rounding is to nearest, ties to even; evaluation is
strict, nothing is contracted to fma or kept in extended precision: the report states that as an assumption.
"""

from __future__ import annotations

import re
from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact import power_of_two, shown
from snapdp.values import Value

KEYS = {"p": "p", "ln": "ln_roundings", "sampler": "sampler", "umin": "umin"}
SAMPLERS = ("ulp", "nearest", "ideal", "grid53")


class Machine(Value):
    """p significand bits; umin is the exponent of the smallest positive U (None: unbounded)."""

    p: int = 53
    ln_roundings: int = 1
    sampler: str = "ulp"
    umin: int | None = None

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

    @property
    def eta(self) -> Fraction:
        """Return the unit roundoff 2**-p."""
        return power_of_two(-self.p)


def parse_machine(text: str) -> Machine:
    """Return the machine that a text such as "p=53,sampler=ulp,umin=-1074,ln=1" describes; what is left out is usual.

    >>> parse_machine("p=24,umin=-149")
    Machine(p=24, ln_roundings=1, sampler='ulp', umin=-149)
    """
    fields: dict[str, int | str | None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key not in KEYS or not equals:
            raise ParameterError(f"{shown(part)} describes no machine.", f"Give {', '.join(f'{k}=...' for k in KEYS)}.")
        if KEYS[key] in fields:
            raise ParameterError(f"{key} is given twice.", "Give each key once.")
        fields[KEYS[key]] = value if key == "sampler" else _integer(key, value)
    return Machine(**fields)  # type: ignore[arg-type]


def _integer(key: str, text: str) -> int | None:
    if key == "umin" and text == "none":
        return None
    if not re.fullmatch("-?[0-9]{1,9}", text):
        raise ParameterError(f"{key} = {shown(text)} is no whole number.", f"Give e.g. {key}=53 or umin=-1074.")
    return int(text)
