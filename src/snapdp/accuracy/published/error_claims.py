"""What the notes print about the error of an output: probabilities at the clamp, accuracy, bias.

Room: accuracy. Each function evaluates one printed claim in a setting and decides it. Theory of the exact answers:
docs/theory/planning.md, (1)-(6) and (14).
"""

from __future__ import annotations

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
from snapdp.accuracy.published.formulas import bias_plus, get_accuracy2, simple_accuracy
from snapdp.display import exact_amount
from snapdp.exact import HALF, Enclosure, Exponentials, enclose, laplace_cdf, refine
from snapdp.mechanism import ONE, ExactLaw, Inner

MISSED = "missed with probability"


def lower_clamp_bound(s: Setting) -> PrintedClaim:
    printed, exact = one.p_lower_plus(s.mechanism, if_value=s.value), _at_lower_clamp(s)
    valid = (printed - exact).sign() >= 0
    return PrintedClaim(
        name="P_L+",
        claim="above P(output = -B)",
        source=f"6.3 of {ALL_THREE}",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="half the grid is at most the noise scale." if valid else "this grid is more than twice the noise scale.",
    )


def lower_clamp_equality(s: Setting) -> PrintedClaim:
    printed, exact = one.p_lower(s.mechanism, if_value=s.value), _at_lower_clamp(s)
    valid = (printed - exact).sign() == 0
    return PrintedClaim(
        name="P_L",
        claim="equal to P(output = -B)",
        source=f"6.3 of {OF_2020}, and 6.1 of both dates of 2019",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="the grid divides B." if valid else "an equality only where the grid divides B, which it does not here.",
    )


def upper_clamp_bound(s: Setting) -> PrintedClaim:
    printed, exact = one.p_upper_minus(s.mechanism, if_value=s.value), _at_upper_clamp(s)
    valid = (exact - printed).sign() >= 0
    return PrintedClaim(
        name="P_U-",
        claim="at most P(output = B)",
        source=f"6.3 of {LAST_TWO}",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="true on a grid this coarse; where half the grid is below the noise scale the inequality is reversed."
        if valid
        else "the inequality is reversed: half the grid is at most the noise scale, so this is the larger number.",
    )


def first_upper_clamp_bound(s: Setting) -> PrintedClaim:
    printed, exact = one.p_upper_plus(s.mechanism, if_value=s.value), _at_upper_clamp(s)
    valid = (printed - exact).sign() >= 0
    return PrintedClaim(
        name="P_U+",
        claim="at least P(output = B)",
        source=f"6.2 of {FIRST_OF_2019} alone",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="true where the grid is no coarser than the noise scale, or B lies far off it."
        if valid
        else "the inequality is reversed: the grid is at least the noise scale, so this is the smaller number.",
    )


def lower_bound_of_z(s: Setting) -> PrintedClaim:
    z = s.mechanism.bound - s.value
    printed, exact = one.f_z_minus(s.mechanism, z), one.f_z(s.mechanism, z)
    valid = (exact - printed).sign() >= 0
    return PrintedClaim(
        name="F_Z-",
        claim="below P(|Y'| + grid/2 <= B - f)",
        source=f"6.3 of {LAST_TWO}",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="half the grid is at most the noise scale." if valid else "this grid is more than twice the noise scale.",
    )


def upper_bound_of_z(s: Setting) -> PrintedClaim:
    z = s.mechanism.bound - s.value
    printed, exact = one.f_z_plus(s.mechanism, z), one.f_z(s.mechanism, z)
    valid = (printed - exact).sign() >= 0
    return PrintedClaim(
        name="F_Z+",
        claim="at least P(|Y'| + grid/2 <= B - f)",
        source=f"6.3 of {ALL_THREE}",
        says=printed.enclosure(),
        exact=exact.enclosure(),
        valid=valid,
        why="the grid is at least the noise scale."
        if valid
        else "the expression is the probability only from half a noise scale on, and only if the grid is no finer; "
        "below it is negative.",
    )


def sub_distribution(s: Setting) -> PrintedClaim:
    furthest = s.mechanism.bound + s.value
    printed = one.f_n_sub_minus(s.mechanism, furthest, if_value=s.value)
    valid = (1 - printed).sign() >= 0
    return PrintedClaim(
        name="F_Nsub-",
        claim="at most a distribution function, at the largest error B + f",
        source=f"6.3 of {LAST_TWO}",
        says=printed.enclosure(),
        exact=ONE,
        valid=valid,
        why="it stays below 1 here; it does not at epsilon = 1, B = 10, value 5: the clamped mass is counted twice."
        if valid
        else "no distribution function exceeds 1: the mass at the clamp is counted twice.",
    )


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
    at = get_accuracy2(s.mechanism, alpha=s.alpha)
    missed, valid = missed_anywhere(s, at)
    return PrintedClaim(
        name="GetAccuracy2",
        claim=f"an error exceeded with probability at most {exact_amount(s.alpha)}, at any value within the bound",
        source=f"6.3 of {OF_2020}",
        says=at.enclosure * s.sensitivity,
        exact=enclose(s.exact_anywhere * s.sensitivity),
        valid=valid,
        why="rounding adds at most half a grid step and the clamp adds nothing; not the least such number.",
        measured=(f"at the worst value {MISSED}", missed),
    )


def simple_algorithm(s: Setting) -> PrintedClaim:
    at = simple_accuracy(s.mechanism, alpha=s.alpha)
    missed, valid = missed_anywhere(s, at)
    return PrintedClaim(
        name="(1 + ln(1/alpha))/eps'",
        claim="the same, simpler and looser",
        source=f"6.3 of {OF_2020}",
        says=at.enclosure * s.sensitivity,
        exact=enclose(s.exact_anywhere * s.sensitivity),
        valid=valid,
        why="half the grid is at most the noise scale." if valid else "this grid is more than twice the noise scale.",
        measured=(f"at the worst value {MISSED}", missed),
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


def _at_lower_clamp(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return laplace_cdf((p.low + HALF) * p.grid - s.value, p.noise_scale)


def _at_upper_clamp(s: Setting) -> Exponentials:
    p = s.mechanism.parameters
    return 1 - laplace_cdf((p.high - HALF) * p.grid - s.value, p.noise_scale)


ERROR_CLAIMS: Claims = {
    "Algorithm 1": algorithm_1,
    "GetAccuracy2": algorithm_2,
    "(1 + ln(1/alpha))/eps'": simple_algorithm,
    "P_L+": lower_clamp_bound,
    "P_L": lower_clamp_equality,
    "P_U-": upper_clamp_bound,
    "P_U+": first_upper_clamp_bound,
    "F_Z-": lower_bound_of_z,
    "F_Z+": upper_bound_of_z,
    "F_Nsub-": sub_distribution,
    "Bias+": bias_bound,
}
