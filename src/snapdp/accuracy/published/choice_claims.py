"""What the notes print about choosing: epsilon for an accuracy, the clamp, the shift of a range, the largest statistic.

Room: accuracy. Each function evaluates one printed claim in a setting and decides it. Theory of the exact answers:
docs/theory/planning.md, (9)-(11) and (19)-(21).
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.accuracy.clamping import bound_for
from snapdp.accuracy.published import formulas
from snapdp.accuracy.published.claim import OF_2020, Claims, PrintedClaim, Setting
from snapdp.accuracy.published.least_epsilon import has_accuracy, least_epsilon, least_epsilon_promised
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.display import exact_amount
from snapdp.exact import HALF, Exponentials, enclose, exponential, refine, rounded_up


def epsilon_by_6_4(s: Setting) -> PrintedClaim:
    return _epsilon_claim(
        s,
        formulas.epsilon_6_4(s.mechanism, accuracy=s.target, alpha=s.alpha),
        name="(6.4)",
        if_valid="the grid put in is that of the epsilon that comes out, or coarser.",
        if_not="the grid put in is finer than that of the epsilon that comes out.",
    )


def epsilon_by_6_5(s: Setting) -> PrintedClaim:
    return _epsilon_claim(
        s,
        formulas.epsilon_6_5(s.mechanism, accuracy=s.target, alpha=s.alpha),
        name="(6.5)",
        if_valid="the noise scale in it exceeds half the grid by more than its last step takes off; no search is "
        "needed.",
        if_not="its last step takes off more than the noise scale exceeds half the grid.",
    )


def _epsilon_claim(s: Setting, at: PrintedNumber, *, name: str, if_valid: str, if_not: str) -> PrintedClaim:
    least, valid = least_epsilon(s), has_accuracy(s, s.mechanism.at(epsilon=rounded_up(at.enclosure.upper)))
    return PrintedClaim(
        name=name,
        claim=f"an epsilon with accuracy {float(s.target * s.sensitivity):.4g} at any value within the bound",
        source=f"6.3 of {OF_2020}",
        says=at.enclosure,
        exact=enclose(least),
        valid=valid,
        why=(if_valid if least else ANY_EPSILON) if valid else if_not,
    )


ANY_EPSILON = "no error is larger than twice the bound: any epsilon has this accuracy."


def last_step(s: Setting) -> PrintedClaim:
    """Both sides are one logarithm times a rational, plus the same: the rationals decide."""
    left, right = formulas.last_step_of_6_5(s.mechanism, accuracy=s.target, alpha=s.alpha)
    valid = s.mechanism.noise_scale <= 1 / s.mechanism.epsilon
    return PrintedClaim(
        name="(6.5), last step",
        claim="no less than the line before it",
        source=f"6.3 of {OF_2020}",
        says=right.enclosure,
        exact=left.enclosure,
        valid=valid,
        why="without rounding eps' is epsilon, and the lines are equal."
        if valid
        else "reversed: 1/eps' is above 1/epsilon, so a - 1/eps' is the smaller divisor; by about 12 B eta.",
        measured=("the line before exceeds it by", PrintedNumber(lambda bits: left(bits) - right(bits)).enclosure),
    )


def k_by_epsilon(s: Setting) -> PrintedClaim:
    k = formulas.k_of_epsilon(s.mechanism.epsilon)
    return _k_claim(s, k, s.mechanism.grid, name="k from epsilon")


def k_by_accuracy(s: Setting) -> PrintedClaim:
    """The grid is that of the epsilon which the accuracy needs by GetAccuracy2, whatever epsilon the mechanism has."""
    k = formulas.k_of_accuracy(accuracy=s.target, alpha=s.alpha)
    return _k_claim(s, k, s.mechanism.at(epsilon=least_epsilon_promised(s)).grid, name="k from an accuracy")


def _k_claim(s: Setting, k: Fraction, grid: Fraction, *, name: str) -> PrintedClaim:
    valid = k >= grid
    return PrintedClaim(
        name=name,
        claim="at least the grid",
        source=f"6.5.1 of {OF_2020}",
        says=enclose(k * s.sensitivity),
        exact=enclose(grid * s.sensitivity),
        valid=valid,
        why="the grid is below two noise scales, and B eta at most 2^-52."
        if valid
        else "this grid is coarser than that of the notes, or B eta above 2^-52.",
    )


def clamp_from_gamma(s: Setting) -> PrintedClaim:
    """The bound given stands for B', the largest statistic; in data units, as the formula takes it."""
    m, within = s.mechanism, s.mechanism.bound
    at = formulas.bound_from_gamma(largest=within * s.sensitivity, k=formulas.k_of_epsilon(m.epsilon), gamma=s.gamma)
    clamp = _decided(at, m.grid * s.sensitivity) / s.sensitivity
    binding = _binding(m.at(bound=clamp), within, clamp)
    valid = (s.gamma - binding).sign() >= 0
    tight = bound_for(m.parameters, gamma=s.gamma).bound
    return PrintedClaim(
        name="B from gamma",
        claim=f"a clamp that binds with probability at most {exact_amount(s.gamma)} while |f| <= B' = "
        f"{exact_amount(within * s.sensitivity)}, on a grid of {exact_amount(m.grid * s.sensitivity)}",
        source=f"6.5.1 of {OF_2020}",
        says=at.enclosure,
        exact=enclose(tight * s.sensitivity),
        valid=valid,
        why="wide enough: k exceeds the grid; wider than needed."
        if valid and s.sensitivity <= 1
        else "wide enough here, but the second term lacks the factor sensitivity."
        if valid
        else "the second term lacks the factor sensitivity.",
        measured=("binds with probability", binding.enclosure()),
    )


def binding_by_6_6(s: Setting) -> PrintedClaim:
    printed = formulas.binding_6_6(s.mechanism, largest=s.mechanism.bound, gamma=s.gamma)
    return _binding_claim(
        s,
        printed,
        name="(6.6)",
        if_valid="the upper tail is bounded by more than the lower one lacks, whose shift has the wrong sign.",
        if_not="the shift of Y** serves the upper tail alone; the lower one needs the other sign.",
    )


def binding_by_6_7(s: Setting) -> PrintedClaim:
    printed = formulas.binding_6_7(s.mechanism, gamma=s.gamma)
    return _binding_claim(s, printed, name="(6.7)", if_valid=EACH_TAIL, if_not=EACH_TAIL)


def binding_by_6_8(s: Setting) -> PrintedClaim:
    return _binding_claim(
        s,
        PrintedNumber(lambda _: enclose(s.gamma)),
        name="(6.8)",
        if_valid="(6.7) is at most gamma where the grid is at least the noise scale.",
        if_not="this grid is finer than the noise scale.",
    )


EACH_TAIL = "each tail is at most half of it, the lower one with the other shift as well."


def _binding_claim(s: Setting, printed: PrintedNumber, *, name: str, if_valid: str, if_not: str) -> PrintedClaim:
    """Return the claim of a probability with which B = B' + (Lambda'/2)(1 + 2 ln(1/gamma)) binds, at f = B'.

    The bound given stands for B'; grid and noise scale are those put in, as the notes leave the circle open here. The
    probability is a sum of exponentials of rational numbers other than 0, the printed one has a term that is none: they
    differ, and some precision tells how.
    """
    m, within = s.mechanism, s.mechanism.bound
    bound = formulas.bound_from_gamma(largest=within, k=m.grid, gamma=s.gamma)
    exact = _binding(m, within, _decided(bound, m.grid))
    excess = refine(lambda b: printed(b) - exact.enclosed(b), until=lambda e: e.lower > 0 or e.upper < 0)
    valid = excess.lower > 0
    return PrintedClaim(
        name=name,
        claim=f"at least how probable it is that B = {float(bound.enclosure * s.sensitivity):.4g} binds at f = B' = "
        f"{exact_amount(within * s.sensitivity)}, on a grid of {exact_amount(m.grid * s.sensitivity)}",
        source=f"6.5.1 of {OF_2020}",
        says=printed.enclosure,
        exact=exact.enclosure(),
        valid=valid,
        why=if_valid if valid else if_not,
    )


def _decided(bound: PrintedNumber, grid: Fraction) -> Fraction:
    """Return a rational number with as many grid steps as B, which is no multiple of the grid: its logarithm is none.

    The factor of the logarithm and what is added are rational.
    """
    return refine(bound, until=lambda b: math.floor(b.lower / grid) == math.floor(b.upper / grid)).upper


def _binding(m: PrintedMechanism, value: Fraction, bound: Fraction) -> Exponentials:
    """Return the probability that a clamp to +-bound changes an output of m at +-value, its largest: planning (19)."""
    edge = (math.floor(bound / m.grid) + HALF) * m.grid
    up, down = (edge - value) / m.noise_scale, (edge + value) / m.noise_scale
    return (exponential(-up) if up >= 0 else 2 - exponential(up)) * HALF + exponential(-down) * HALF


def shifted_range(s: Setting) -> PrintedClaim:
    shift, bound = formulas.shift_and_bound(lower=s.lower, upper=s.upper)
    valid = -bound <= s.lower - shift and s.upper - shift <= bound
    return PrintedClaim(
        name="B = upper - s",
        claim=f"half the width of a range around 0 that holds {_range(s)} less s = {exact_amount(shift)}",
        source=f"6.1 of {OF_2020}",
        says=enclose(bound),
        exact=enclose((s.upper - s.lower) / 2),
        valid=valid,
        why="the range lies above 0: it is held, though s should be the middle, (upper + lower)/2."
        if valid
        else f"s should be the middle, (upper + lower)/2: {exact_amount(s.lower)} goes to "
        f"{exact_amount(s.lower - shift)}, outside +-{exact_amount(bound)}.",
    )


def largest_variance(s: Setting) -> PrintedClaim:
    printed = formulas.largest_variance(lower=s.lower, upper=s.upper, rows=s.rows)
    return _largest(s, printed, name="B' of a variance", section="7.2")


def largest_covariance(s: Setting) -> PrintedClaim:
    ends = (s.lower, s.upper)
    return _largest(s, formulas.largest_covariance(ends, ends, rows=s.rows), name="B' of a covariance", section="7.3")


def _largest(s: Setting, printed: Fraction, *, name: str, section: str) -> PrintedClaim:
    """A variance is convex in each row, so it is largest where each row is at an end: j of n at the upper one."""
    most = s.rows // 2 * (s.rows - s.rows // 2)
    exact = Fraction(most, s.rows * (s.rows - 1)) * (s.upper - s.lower) ** 2
    valid = printed >= exact
    return PrintedClaim(
        name=name,
        claim=f"the largest of {s.rows} rows within {_range(s)}",
        source=f"{section} of {OF_2020}",
        says=enclose(printed),
        exact=enclose(exact),
        valid=valid,
        why="an even number of rows has half of them at each end."
        if valid
        else "with an odd number of rows no row belongs in the middle: the odd one goes to an end as well.",
    )


def _range(s: Setting) -> str:
    return f"{exact_amount(s.lower)} to {exact_amount(s.upper)}"


CHOICE_CLAIMS: Claims = {
    "(6.4)": epsilon_by_6_4,
    "(6.5)": epsilon_by_6_5,
    "(6.5), last step": last_step,
    "k from epsilon": k_by_epsilon,
    "k from an accuracy": k_by_accuracy,
    "B from gamma": clamp_from_gamma,
    "(6.6)": binding_by_6_6,
    "(6.7)": binding_by_6_7,
    "(6.8)": binding_by_6_8,
    "B = upper - s": shifted_range,
    "B' of a variance": largest_variance,
    "B' of a covariance": largest_covariance,
}
