"""What is printed about p-bit arithmetic: the privacy loss, the precision, the grid, the rounding rule.

Room: accuracy. Losses are those of the exact law of p-bit arithmetic. The worst pair is searched for, so a bound that
no found pair exceeds is called valid only where the proved bound is below it. Theory:
docs/theory/finite-precision.md, (3)-(9).
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from typing import Protocol

from snapdp.accuracy.published import formulas, rounding_rule
from snapdp.accuracy.published.claim import ALL_DATES, Claims, PrintedClaim, Setting
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.errors import PremiseError
from snapdp.exact import Enclosure, enclose, floor_log2, nearest_multiple, power_of_two_at_least, round_up
from snapdp.mechanism import (
    Precision,
    explicit_parameters,
    liu_formula,
    mironov_formula,
    notes_effective_epsilon,
    proved_loss,
    worst_pair,
)

FOUND = "largest found"  # of the loss of a pair: the largest of all is not known
UNIFORM_BITS = 53  # of U* in section 3, whatever the precision of everything else


class LossFormula(Protocol):
    """A published bound on the loss."""

    def __call__(self, *, effective_epsilon: Fraction, bound: Fraction, eta: Fraction) -> Fraction: ...


def loss_of_section_5(s: Setting) -> PrintedClaim:
    bits = _bits(s)
    uniform = min(UNIFORM_BITS, bits)
    found, proved, _ = _losses(s.mechanism, Precision(uniform=uniform, logarithm=bits, product=bits))
    claimed = s.mechanism.epsilon
    valid = _settled(found, proved, claimed)
    return PrintedClaim(
        name="eps' of section 5",
        claim=f"a loss of at most epsilon with eta = 2^-{bits} and a uniform draw of {uniform} bits",
        source=f"3 and 5 of {ALL_DATES}",
        says=enclose(claimed),
        exact=found,
        valid=valid,
        why=_why_of_section_5(valid, is_short=uniform < bits),
        measured=("loss beyond epsilon", found - claimed),
        answer=FOUND,
    )


def _why_of_section_5(valid: bool | None, *, is_short: bool) -> str:
    """Return why the claim holds or not; is_short: the uniform draw has fewer bits than eta says."""
    if valid is not False:
        return "no pair that loses more was found; the 2 eta is for a uniform draw of as many bits as eta says."
    if not is_short:
        return WHY_OF_LOSS[valid]
    return "the 2 eta is the granularity of the uniform draw: it needs as many bits as eta says."


def mironov(s: Setting) -> PrintedClaim:
    return _loss_claim(
        s, mironov_formula, name="Mironov's bound", source=f"Mironov 2012, as quoted in 5 of {ALL_DATES}"
    )


def liu(s: Setting) -> PrintedClaim:
    return _loss_claim(s, liu_formula, name="Liu's bound", source="Liu, March 2020, Theorem 2")


def _loss_claim(s: Setting, formula: LossFormula, *, name: str, source: str) -> PrintedClaim:
    bits = _bits(s)
    found, proved, scale = _losses(s.mechanism, Precision.of(bits))
    claimed = formula(effective_epsilon=1 / scale, bound=s.mechanism.bound, eta=s.mechanism.eta)
    valid = _settled(found, proved, claimed)
    return PrintedClaim(
        name=name,
        claim=f"the most that {bits} bits in every step add to a loss of eps'",
        source=source,
        says=enclose(claimed - 1 / scale),
        exact=found - 1 / scale,
        valid=valid,
        why=WHY_OF_LOSS[valid],
        answer=FOUND,
    )


WHY_OF_LOSS = {
    True: "the proved bound is below it.",
    None: "no pair that loses more was found; it was tested under B > noise scale and grid >= noise scale, not proved.",
    False: "it needs B > noise scale and grid >= noise scale, and a pair was found that loses more.",
}


def _bits(s: Setting) -> int:
    if s.mechanism.bits is None:
        raise PremiseError("the claim is about p-bit arithmetic.", "In exact arithmetic the loss is epsilon.")
    return s.mechanism.bits


@lru_cache(maxsize=8)
def _losses(m: PrintedMechanism, precision: Precision) -> tuple[Enclosure, Fraction | None, Fraction]:
    """Return the largest loss found, the proved bound, and the noise scale as a float of p bits."""
    scale = round_up(m.noise_scale, precision.product)
    p = explicit_parameters(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision, epsilon=m.epsilon)
    found = worst_pair(p).loss
    if found is None:
        raise PremiseError("an output is possible for one value only: no finite loss holds.", "Give more bits.")
    return found, proved_loss(noise_scale=scale, grid=m.grid, bound=m.bound, precision=precision), scale


def _settled(found: Enclosure, proved: Fraction | None, claimed: Fraction) -> bool | None:
    if found.lower > claimed:
        return False
    return True if proved is not None and proved <= claimed else None


def precision(s: Setting) -> PrintedClaim:
    """With p = m + 2 the effective epsilon is positive; how much of epsilon it is, is another question."""
    fewest = _fewest_bits(s.mechanism.epsilon)
    bits = formulas.bits_of_epsilon(s.mechanism.epsilon)
    eta = Fraction(1, 2**bits) if bits >= 0 else Fraction(2**-bits)
    left = notes_effective_epsilon(epsilon=s.mechanism.epsilon, bound=s.mechanism.bound, eta=eta)
    return PrintedClaim(
        name="p = m + 2",
        claim="the fewest bits that leave a positive eps'",
        source=f"5 of {ALL_DATES}",
        says=enclose(bits),
        exact=enclose(fewest),
        valid=bits == fewest,
        why="true, but eps' may be any small part of epsilon; the 118 bits of the logarithm save it."
        if bits == fewest
        else "an epsilon above 2 makes m + 2 less than one bit; the 118 bits of the logarithm save it.",
        measured=("eps' as a part of epsilon", enclose(left / s.mechanism.epsilon)),
    )


def _fewest_bits(epsilon: Fraction) -> int:
    """Return the least p >= 1 with epsilon > 2 eta, eta = 2**-p: eps' of section 5 is positive from there on.

    With 2**f <= epsilon < 2**(f + 1), p = -f is too few, and 1 - f is one too few only where epsilon is 2**f itself.
    """
    bits = max(1, 1 - floor_log2(epsilon))
    return bits if epsilon > Fraction(2, 1 << bits) else bits + 1


def grid(s: Setting) -> PrintedClaim:
    printed = rounding_rule.grid_4_1(s.mechanism.noise_scale)
    exact = power_of_two_at_least(s.mechanism.noise_scale)
    return PrintedClaim(
        name="(4.1)",
        claim="the least power of two that is at least the noise scale",
        source=f"4.1 of {ALL_DATES}",
        says=enclose(printed * s.sensitivity),
        exact=enclose(exact * s.sensitivity),
        valid=printed == exact,
        why="rounding the noise scale to a double does not cross a power of two here."
        if printed == exact
        else "the noise scale is just above a power of two, and rounding it to a double makes it that power.",
    )


def _rounding(steps: Fraction, why: str, s: Setting) -> PrintedClaim:
    step = power_of_two_at_least(s.mechanism.noise_scale)
    printed, exact = rounding_rule.rounded_4_2(steps * step, step), nearest_multiple(steps * step, step)
    return PrintedClaim(
        name=_name_of_rounding(steps),
        claim="the nearest multiple of the grid, ties toward +infinity",
        source=f"4.2 of {ALL_DATES}",
        says=enclose(printed * s.sensitivity),
        exact=enclose(exact * s.sensitivity),
        valid=printed == exact,
        why=why,
    )


def _name_of_rounding(steps: Fraction) -> str:
    return f"(4.2) at {float(steps)} grid steps"


WRONGLY_ROUNDED = {
    Fraction(-5, 2): "the rule rounds ties away from zero, not toward +infinity.",
    Fraction(7, 2): "the carry must look at m_1...m_y alone; a zero further right hides it.",
    Fraction(3, 2): "at y = 0 there are no m_1...m_y to add 1 to, and the carry is lost.",
}
ARITHMETIC_CLAIMS: Claims = {
    "eps' of section 5": loss_of_section_5,
    "Mironov's bound": mironov,
    "Liu's bound": liu,
    "p = m + 2": precision,
    "(4.1)": grid,
    **{_name_of_rounding(steps): partial(_rounding, steps, why) for steps, why in WRONGLY_ROUNDED.items()},
}
