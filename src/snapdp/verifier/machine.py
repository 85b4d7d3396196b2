"""The machine of a judgement: precision, exponent range, how well ln rounds, and how U is sampled.

Room: verifier. Part of every derivation, verdict and certificate. Rounding is to nearest, ties to even; evaluation is
strict, nothing is contracted to fma or kept in extended precision: the report states that as an assumption.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact.dyadic import power_of_two
from snapdp.values import Value

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
