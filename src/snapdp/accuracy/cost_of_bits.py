"""What bits cost: effective epsilon and accuracy of p-bit arithmetic against exact arithmetic, for several p.

Room: accuracy. Public numbers only. Both mechanisms are on the natural grid, so that what differs is the arithmetic;
the notes' own grid follows their noise scale, which is just above 1/epsilon, and doubles where epsilon is a power of
two.
Theory: docs/theory/utility.md, (5).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.error import unclamped_enclosure
from snapdp.accuracy.family import constants_of
from snapdp.accuracy.tails import confidence
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact import power_of_two_at_least, rounded_up
from snapdp.mechanism import DataUnits, SnappingParameters, arithmetic_of, finite_parameters
from snapdp.values import Value

BITS = (24, 32, 40, 53, 64, 118)


class CostOfBits(Value):
    """One precision and what it leaves; None where the rule refuses so few bits, `refused` says why.

    lost            epsilon that the noise does not get: what rounding may give away is set aside
    accuracy        of what is printed, at level alpha, for every value and without a clamp, in data units
    accuracy_ratio  to exact arithmetic on the natural grid, rounded up
    """

    arithmetic: str
    bits: int
    lost: Fraction | None = None
    accuracy: DataUnits | None = None
    accuracy_ratio: Fraction | None = None
    refused: str | None = None


def what_bits_cost(
    p: SnappingParameters, *, bits: int | Iterable[int] | None = None, arithmetic: str = "proved", alpha: Any = "0.05"
) -> tuple[CostOfBits, ...]:
    """Return what each precision costs a mechanism with the epsilon, sensitivity and range of p.

    arithmetic  "proved" or "notes": the rule by which the effective epsilon is chosen
    """
    level = confidence(alpha)
    if arithmetic_of(arithmetic) is None:
        raise ParameterError("exact arithmetic has no bits, and loses nothing.", 'Give "proved" or "notes".')
    chosen = BITS if bits is None else (bits,) if isinstance(bits, int) else bits
    return tuple(_cost(p, arithmetic, each, level) for each in chosen)


def _cost(p: SnappingParameters, arithmetic: str, bits: int, alpha: Fraction) -> CostOfBits:
    asked, d = arithmetic_of(arithmetic, bits), p.declared
    assert asked is not None
    declared = {"epsilon": d.epsilon, "sensitivity": d.sensitivity, "lower": d.lower, "upper": d.upper}
    try:
        finite = finite_parameters(**declared, arithmetic=asked)
    except (BoundError, PremiseError) as refusal:
        return CostOfBits(arithmetic=arithmetic, bits=bits, refused=refusal.problem)
    scale = 1 / d.epsilon
    exact = unclamped_enclosure(noise_scale=scale, grid=power_of_two_at_least(scale), alpha=alpha)
    found = constants_of(finite, alpha).accuracy
    return CostOfBits(
        arithmetic=arithmetic,
        bits=bits,
        lost=d.epsilon - 1 / finite.noise_scale,
        accuracy=found,
        accuracy_ratio=rounded_up(found / (d.sensitivity * exact.lower)),
    )
