"""What the notes print about the error of an output: probabilities at the clamp, accuracy, bias.

Room: accuracy. Each function evaluates one printed claim in a setting and decides it. Theory of the exact answers:
docs/theory/planning.md, (1)-(6) and (14).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from snapdp.accuracy.published import algorithm_one as one
from snapdp.accuracy.published.claim import (
    ALL_THREE,
    FIRST_OF_2019,
    LAST_TWO,
    OF_2020,
    Claims,
    PrintedClaim,
    Setting,
    missed_anywhere,
    missed_at_value,
)
from snapdp.accuracy.published.formulas import alpha_of_accuracy, bias_plus, get_accuracy2, simple_accuracy
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.accuracy.tails import worst_chance
from snapdp.display import exact_amount
from snapdp.exact import HALF, Enclosure, Exponentials, enclose, exponential, laplace_cdf, refine
from snapdp.mechanism import ONE, ExactLaw, Inner

MISSED = "missed with probability"
HALF_A_STEP = "rounding adds at most half a grid step and the clamp adds nothing; not the least such number."


class Bound(NamedTuple):
    """A probability that is printed as no less (side 1), no more (side -1) or the same (side 0) as another one."""

    claim: str
    source: str
    printed: Callable[[Setting], Exponentials]
    exact: Callable[[Setting], Exponentials]
    side: int
    if_valid: str
    if_not: str

    def decided(self, name: str, s: Setting) -> PrintedClaim:
        """Return the claim in a setting."""
        printed, exact = self.printed(s), self.exact(s)
        sign = (printed - exact).sign()
        valid = sign * self.side >= 0 if self.side else sign == 0
        return PrintedClaim(
            name=name,
            claim=self.claim,
            source=self.source,
            says=printed.enclosure(),
            exact=exact.enclosure(),
            valid=valid,
            why=self.if_valid if valid else self.if_not,
        )


def _at_lower_clamp(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return laplace_cdf((p.low + HALF) * p.grid - s.value, p.noise_scale)


def _at_upper_clamp(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return 1 - laplace_cdf((p.high - HALF) * p.grid - s.value, p.noise_scale)


def _of_z(formula: Callable[[PrintedMechanism, Fraction], Exponentials]) -> Callable[[Setting], Exponentials]:
    return lambda s: formula(s.mechanism, s.mechanism.bound - s.value)


HALF_A_GRID = "half the grid is at most the noise scale.", "this grid is more than twice the noise scale."
BOUNDS = {
    "P_L+": Bound(
        "above P(output = -B)",
        f"6.3 of {ALL_THREE}",
        lambda s: one.p_lower_plus(s.mechanism, if_value=s.value),
        _at_lower_clamp,
        1,
        *HALF_A_GRID,
    ),
    "P_L": Bound(
        "equal to P(output = -B)",
        f"6.3 of {OF_2020}, and 6.1 of both dates of 2019",
        lambda s: one.p_lower(s.mechanism, if_value=s.value),
        _at_lower_clamp,
        0,
        "the grid divides B.",
        "an equality only where the grid divides B, which it does not here.",
    ),
    "P_U-": Bound(
        "at most P(output = B)",
        f"6.3 of {LAST_TWO}",
        lambda s: one.p_upper_minus(s.mechanism, if_value=s.value),
        _at_upper_clamp,
        -1,
        "true on a grid this coarse; where half the grid is below the noise scale the inequality is reversed.",
        "the inequality is reversed: half the grid is at most the noise scale, so this is the larger number.",
    ),
    "P_U+": Bound(
        "at least P(output = B)",
        f"6.2 of {FIRST_OF_2019} alone",
        lambda s: one.p_upper_plus(s.mechanism, if_value=s.value),
        _at_upper_clamp,
        1,
        "true where the grid is no coarser than the noise scale, or B lies far off it.",
        "the inequality is reversed: the grid is at least the noise scale, so this is the smaller number.",
    ),
    "F_Z-": Bound(
        "below P(|Y'| + grid/2 <= B - f)",
        f"6.3 of {LAST_TWO}",
        _of_z(one.f_z_minus),
        _of_z(one.f_z),
        -1,
        *HALF_A_GRID,
    ),
    "F_Z+": Bound(
        "at least P(|Y'| + grid/2 <= B - f)",
        f"6.3 of {ALL_THREE}",
        _of_z(one.f_z_plus),
        _of_z(one.f_z),
        1,
        "the grid is at least the noise scale.",
        "the expression is the probability only from half a noise scale on, and only if the grid is no finer; "
        "below it is negative.",
    ),
    "F_Nsub-": Bound(
        "at most a distribution function, at the largest error B + f",
        f"6.3 of {LAST_TWO}",
        lambda s: one.f_n_sub_minus(s.mechanism, s.mechanism.bound + s.value, if_value=s.value),
        lambda _: exponential(Fraction(0)),
        -1,
        "it stays below 1 here; it does not at epsilon = 1, B = 10, value 5: the clamped mass is counted twice.",
        "no distribution function exceeds 1: the mass at the clamp is counted twice.",
    ),
}


CASES = {
    (1, True): "case 1: no error is larger than B + f.",
    (2, True): "case 2: valid, though never less than GetAccuracy2.",
    (3, True): "case 3: B - f; no violation of this case is known.",
    (4, True): "case 4: true here by chance; at epsilon = 5/3, B = 4, value 4 it is missed four times too often.",
    (4, False): "case 4: P_U- is taken off what may be missed, but it is no lower bound on the mass at the clamp, and "
    "F_Z- holds that mass already.",
}


def algorithm_1(s: Setting) -> PrintedClaim:
    found = one.get_accuracy(s.mechanism, if_value=s.value, alpha=s.alpha)
    missed, valid = missed_at_value(s, found.accuracy)
    return PrintedClaim(
        name="Algorithm 1",
        claim=f"an error exceeded with probability at most {exact_amount(s.alpha)}, at this value",
        source=f"GetAccuracy, 6.3 of {LAST_TWO}",
        says=found.accuracy.enclosure * s.sensitivity,
        exact=enclose(s.exact_at_value * s.sensitivity),
        valid=valid,
        why=CASES.get((found.case, valid), f"case {found.case}: it needs a grid of at most twice the noise scale."),
        measured=(MISSED, missed),
    )


def algorithm_2(s: Setting) -> PrintedClaim:
    return _anywhere(
        s,
        get_accuracy2(s.mechanism, alpha=s.alpha),
        name="GetAccuracy2",
        claim=f"an error exceeded with probability at most {exact_amount(s.alpha)}, at any value within the bound",
        why=(HALF_A_STEP, HALF_A_STEP),
    )


def simple_algorithm(s: Setting) -> PrintedClaim:
    at = simple_accuracy(s.mechanism, alpha=s.alpha)
    return _anywhere(s, at, name="(1 + ln(1/alpha))/eps'", claim="the same, simpler and looser", why=HALF_A_GRID)


def _anywhere(s: Setting, at: PrintedNumber, *, name: str, claim: str, why: tuple[str, str]) -> PrintedClaim:
    """Return the claim of an accuracy at every value; why it is valid, and why not."""
    missed, valid = missed_anywhere(s, at)
    return PrintedClaim(
        name=name,
        claim=claim,
        source=f"6.3 of {OF_2020}",
        says=at.enclosure * s.sensitivity,
        exact=enclose(s.exact_anywhere * s.sensitivity),
        valid=valid,
        why=why[0] if valid else why[1],
        measured=(f"at the worst value {MISSED}", missed),
    )


def alpha_by_accuracy(s: Setting) -> PrintedClaim:
    """P(Z > a), of which P(N > a) is at most as much at every value: a theorem, and the law agrees."""
    printed = alpha_of_accuracy(s.mechanism, accuracy=s.target).enclosure()
    exact = worst_chance(s.mechanism.parameters, s.target)
    return PrintedClaim(
        name="alpha from a",
        claim=f"how probable an error above {float(s.target * s.sensitivity):.4g} is at most, at any value within the "
        "bound",
        source=f"6.3 of {OF_2020}",
        says=printed,
        exact=exact,
        valid=exact.lower <= printed.upper,
        why=HALF_A_STEP,
    )


def bias_bound(s: Setting) -> PrintedClaim:
    """Bias+ is a lower bound of a negative number; the exact bias is never equal to it, so some precision decides."""
    printed = bias_plus(s.mechanism, if_value=s.value)
    mended = bias_plus(s.mechanism, if_value=s.value, factor=False)
    law = ExactLaw(Inner(s.value), s.mechanism.parameters)

    def over(bits: int) -> Enclosure:
        return law.expectation_parts(lambda v: v - s.value, bits, ONE) - printed.enclosed(bits)

    valid = refine(over, until=lambda e: e.lower > 0 or e.upper < 0).lower > 0
    return PrintedClaim(
        name="Bias+",
        claim="below the bias E(output) - f (printed as an upper bound: of its size)",
        source=f"6.4 of {OF_2020}",
        says=printed.enclosure() * s.sensitivity,
        exact=law.bias * s.sensitivity,
        valid=valid,
        why="true here, though the factor 1 - p_L - p_U does not belong there: on a fine grid the bound fails."
        if valid
        else "the factor 1 - p_L - p_U does not belong there: the integral has left out the clamped draws already.",
        measured=("without that factor", mended.enclosure() * s.sensitivity),
    )


ERROR_CLAIMS: Claims = {
    "Algorithm 1": algorithm_1,
    "GetAccuracy2": algorithm_2,
    "(1 + ln(1/alpha))/eps'": simple_algorithm,
    "alpha from a": alpha_by_accuracy,
    **{name: partial(bound.decided, name) for name, bound in BOUNDS.items()},
    "Bias+": bias_bound,
}
