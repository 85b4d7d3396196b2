"""The table of claims: each formula of the notes and of Liu's note as printed, right or wrong, and what judges it.

Nothing of snapdp computes with them. Source: Covington, Snapping Mechanism Notes, 26 and 31 August 2019 and 26 August
2020; sections are those of 2020 unless a date is named. Units are sensitivities (but for the clamp from gamma, which is
printed without any). What is wrong, and why: docs/errata.md. Sums of exponentials and rationals are exact; the rest can
be enclosed at any precision, so that a comparison is decided and never rounded. A function without a docstring has the
one that `claim` makes of its row. In a row a stands for the target accuracy, F for the distribution function of the
noise, f for the value, out for the output, N for its error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from snapdp.accuracy.clamping import bound_for, notes_k
from snapdp.accuracy.epsilon import laplace_epsilon
from snapdp.accuracy.error import confidence, exceeds, guessed
from snapdp.errors import BoundError, ParameterError, PremiseError, SnapdpError
from snapdp.exact.dyadic import (
    HALF,
    exponent_of_power,
    floor_log2,
    nearest_multiple,
    power_of_two,
    power_of_two_at_least,
    round_nearest,
)
from snapdp.exact.enclosure import Enclosure, decided_ceil, enclose, refine, refined
from snapdp.exact.functions import (
    Exponentials,
    exp_of,
    exponential,
    laplace_cdf,
    ln_enclosure,
    ln_of,
    rounded_up,
    sqrt_of,
)
from snapdp.exact.numbers import parameter, positive, shown
from snapdp.lab.claims.judges import (
    CLAIMS,
    DOUBLE,
    ZERO,
    PrintedClaim,
    Setting,
    Verdict,
    bounds_the_chance_of_an_error,
    bounds_the_loss,
    claim,
    compared,
    has_the_accuracy,
    has_the_level,
    least_decimal,
    narrow,
)
from snapdp.lab.claims.mechanism import PrintedMechanism, PrintedNumber, printed_mechanism
from snapdp.mechanism.finite_precision import bits_above
from snapdp.mechanism.law.exact import ExactLaw
from snapdp.mechanism.law.finite import liu_formula, mironov_formula
from snapdp.mechanism.law.law import ONE
from snapdp.mechanism.parameters import Inner

FIRST, SECOND, THIRD = "26 August 2019", "31 August 2019", "26 August 2020"
LAST_TWO, ALL_DATES = f"{SECOND}, {THIRD}", f"{FIRST}, {SECOND}, {THIRD}"
IN_6, IN_6_3, IN_6_5_1 = "notes, 6.3 (6.2 in 2019)", "notes, 6.3", "notes, 6.5.1"
AT_EVERY_VALUE = partial(has_the_level, everywhere=True)
BINDS = "P(B = B' + (Lambda'/2)(1 + 2 ln(1/gamma)) binds at f = B') <="


def _rational(x: Fraction) -> PrintedNumber:
    return PrintedNumber(lambda _: enclose(x))


def _of_logarithm(level: Fraction, factor: Fraction, offset: Fraction = ZERO) -> PrintedNumber:
    """Return factor ln(1/level) + offset."""
    return PrintedNumber(lambda bits: ln_enclosure(1 / level, bits) * factor + offset)


# Section 6.3: accuracy


class GetAccuracy(NamedTuple):
    """What Algorithm 1 returns: the accuracy, and which of its four cases gave it."""

    case: int
    accuracy: PrintedNumber


@claim("Algorithm 1", IN_6, LAST_TWO, "P(N > GetAccuracy) <= alpha at this f", partial(has_the_level, everywhere=False))
def get_accuracy(m: PrintedMechanism, *, if_value: Any, alpha: Any = "0.05") -> GetAccuracy:
    """Return what Algorithm 1 returns for a value: "missed with probability at most alpha", which case 4 is not.

    Which case is taken is decided, not rounded.

    >>> from snapdp.lab.claims import printed_mechanism
    >>> found = get_accuracy(printed_mechanism(epsilon="5/3", bound=4), if_value=4)
    >>> found.case, f"{float(found.accuracy):.3f}"
    (4, '0.686')
    """
    f, level = m.value(if_value), confidence(alpha)
    lower, upper = p_lower_plus(m, if_value=f), p_upper_minus(m, if_value=f)
    at_clamp, needed = f_z_minus(m, m.bound - f), 1 + lower - level

    def solved(left: Exponentials) -> PrintedNumber:
        """(1 - ln(left))/eps'. left > 0 has a rational term: the number is irrational, no distance of two outputs."""
        return PrintedNumber(lambda bits: (1 - ln_of(refined(left.enclosed, relative_bits=bits), bits)) * m.noise_scale)

    if (lower - level).sign() >= 0:
        return GetAccuracy(case=1, accuracy=_rational(m.bound + f))
    if (at_clamp - needed).sign() >= 0:
        return GetAccuracy(case=2, accuracy=solved(level - lower))
    if (at_clamp + upper - needed).sign() >= 0:
        return GetAccuracy(case=3, accuracy=_rational(m.bound - f))
    return GetAccuracy(case=4, accuracy=solved(level - lower + upper))


@claim("GetAccuracy2", IN_6_3, THIRD, "P(N > min(lambda' ln(1/alpha) + Lambda'/2, 2 B)) <= alpha", AT_EVERY_VALUE)
def get_accuracy2(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    level = confidence(alpha)
    # The logarithm of a rational other than 1 is irrational, so whether the cap is reached is decided.
    capped = decided_ceil(lambda b: ln_enclosure(1 / level, b) - (2 * m.bound - m.grid / 2) / m.noise_scale) > 0
    return _rational(2 * m.bound) if capped else _of_logarithm(level, m.noise_scale, m.grid / 2)


@claim("(1 + ln(1/alpha))/eps'", IN_6_3, THIRD, "P(N > (1 + ln(1/alpha))/eps') <= alpha", AT_EVERY_VALUE)
def simple_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    return _of_logarithm(confidence(alpha), m.noise_scale, m.noise_scale)


def laplace_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return ln(1/alpha)/eps, the accuracy of the Laplace mechanism to which the notes compare."""
    return _of_logarithm(confidence(alpha), 1 / m.epsilon)


@claim("alpha from a", IN_6_3, THIRD, "P(N > a) <= e^(-eps' (a - Lambda'/2))", bounds_the_chance_of_an_error)
def alpha_of_accuracy(m: PrintedMechanism, *, accuracy: Any) -> Exponentials:
    return exponential((m.grid / 2 - positive(accuracy, name="accuracy")) / m.noise_scale)


# Section 6.3: probabilities at the clamp, and the distribution functions that Algorithm 1 is made of


def _lower_tail(m: PrintedMechanism, value: Any, shift: Fraction) -> Exponentials:
    return laplace_cdf(-m.bound - m.value(value) + shift, m.noise_scale)


def _upper_tail(m: PrintedMechanism, value: Any, shift: Fraction) -> Exponentials:
    return 1 - laplace_cdf(m.bound - m.value(value) - shift, m.noise_scale)


def _mass_at_lower(m: PrintedMechanism, if_value: Fraction) -> Exponentials:
    return laplace_cdf((m.parameters.low + HALF) * m.grid - if_value, m.noise_scale)


def _mass_at_upper(m: PrintedMechanism, if_value: Fraction) -> Exponentials:
    return 1 - laplace_cdf((m.parameters.high - HALF) * m.grid - if_value, m.noise_scale)


def f_z(m: PrintedMechanism, z: Fraction) -> Exponentials:
    """Return the distribution function of Z = |Y'| + Lambda'/2 itself: 0 below Lambda'/2."""
    over = z - m.grid / 2
    return Exponentials({}) if over < 0 else 1 - exponential(-over / m.noise_scale)


@claim("P_L+", IN_6, ALL_DATES, "P(out = -B) < F(-B - f + lambda')", compared(">=", _mass_at_lower))
def p_lower_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    return _lower_tail(m, if_value, m.noise_scale)


@claim(
    "P_L", "notes, 6.3 (6.1 in 2019)", ALL_DATES, "P(out = -B) = F(-B - f + Lambda'/2)", compared("=", _mass_at_lower)
)
def p_lower(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    return _lower_tail(m, if_value, m.grid / 2)


@claim("P_U-", IN_6, LAST_TWO, "P(out = B) >= 1 - F(B - f - lambda')", compared("<=", _mass_at_upper))
def p_upper_minus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    return _upper_tail(m, if_value, m.noise_scale)


@claim("P_U+", "notes, 6.2", FIRST, "P(out = B) <= 1 - F(B - f - lambda'/2)", compared(">=", _mass_at_upper))
def p_upper_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    return _upper_tail(m, if_value, m.noise_scale / 2)


@claim("F_Z-", IN_6, LAST_TWO, "P(|Y'| + Lambda'/2 <= z) > 1 - e^(-eps' z + 1), z = B - f", compared("<=", f_z))
def f_z_minus(m: PrintedMechanism, z: Fraction) -> Exponentials:
    return 1 - exponential(1 - z / m.noise_scale)


@claim("F_Z+", IN_6, ALL_DATES, "P(|Y'| + Lambda'/2 <= z) <= 1 - e^(-eps' z + 1/2), z = B - f", compared(">=", f_z))
def f_z_plus(m: PrintedMechanism, z: Fraction) -> Exponentials:
    return 1 - exponential(HALF - z / m.noise_scale)


@claim(
    "F_Nsub-",
    IN_6,
    LAST_TWO,
    "P(N <= B + f) >= F_Z-(B - f) + P_U- + F_Z-(B + f) - F_Z+(B - f)",
    compared("<=", lambda: 1),
)
def f_n_sub_minus(m: PrintedMechanism, x: Fraction, *, if_value: Any) -> Exponentials:
    f = m.value(if_value)
    total = f_z_minus(m, min(m.bound - f, x))
    if x < m.bound - f:
        return total
    return total + p_upper_minus(m, if_value=f) + f_z_minus(m, min(m.bound + f, x)) - f_z_plus(m, m.bound - f)


# Section 6.4: bias


def _judge_bias(formula: Callable[..., Exponentials], s: Setting) -> Verdict:
    """Bias+ is a lower bound of a negative number; the exact bias is never equal to it."""
    law, f = ExactLaw(Inner(s.if_value), s.m.parameters), s.if_value
    exact = PrintedNumber(lambda bits: law.expectation_parts(lambda output: output - f, bits, ONE))
    says, _, valid, misses_by = compared("<=", lambda: exact, in_data_units=True)(formula, s)
    return says, law.bias * s.sensitivity, valid, misses_by


@claim(
    "Bias+",
    "notes, 6.4",
    THIRD,
    "p_L (-B - f) + p_U (B - f) + (1 - p_L - p_U) E[Y*; -B - f to B - f] < E(out) - f, of which it bounds the size",
    _judge_bias,
)
def bias_plus(m: PrintedMechanism, *, if_value: Any, factor: bool = True) -> Exponentials:
    """Return Bias^+ of 6.4, printed as bounding the bias: from below, the bias being negative; f >= 0.

        p_L (-B - f) + p_U (B - f) + (1 - p_L - p_U) * integral of y over the density of Y*, from -B - f to B - f

    Y* ~ Laplace(-Lambda'/2, lambda'). factor=False leaves the factor out that should not be there.
    """
    f = m.value(if_value)
    below, above, centre, scale = -m.bound - f, m.bound - f, -m.grid / 2, m.noise_scale
    p_l, p_u = laplace_cdf(below - centre, scale), 1 - laplace_cdf(above - centre, scale)

    def integral_up_to(y: Fraction) -> Exponentials:
        if y <= centre:
            return exponential((y - centre) / scale) * ((y - scale) / 2)
        return centre - exponential((centre - y) / scale) * ((y + scale) / 2)

    middle = integral_up_to(above) - integral_up_to(below)
    return p_l * below + p_u * above + (middle * (1 - p_l - p_u) if factor else middle)


# Section 6.3: epsilon from an accuracy


@claim(
    "(6.4)", IN_6_3, THIRD, "eps >= (1 + 12 B eta) ln(1/alpha)/(a - Lambda'/2) + 2 eta has accuracy a", has_the_accuracy
)
def epsilon_6_4(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> PrintedNumber:
    level, over = confidence(alpha), positive(accuracy, name="accuracy") - m.grid / 2
    if over <= 0:
        raise ParameterError(f"(6.4) needs an accuracy above half the grid, {shown(m.grid / 2)}.", "Ask for more.")
    return _epsilon_by_division(m, level, over)


def _epsilon_by_division(m: PrintedMechanism, level: Fraction, divisor: Fraction) -> PrintedNumber:
    return _of_logarithm(level, (1 + 12 * m.bound * m.eta) / divisor, 2 * m.eta)


@claim("(6.5)", IN_6_3, THIRD, "eps >= (1 + 12 B eta) ln(1/alpha)/(a - 1/eps) + 2 eta has accuracy a", has_the_accuracy)
def epsilon_6_5(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> PrintedNumber:
    """Return the epsilon at which (6.5) is an equality, which the notes search for: the larger root of a square.

    (eps - 2 eta)(a - 1/eps) = c,  c = (1 + 12 B eta) ln(1/alpha)
    """
    level, a = confidence(alpha), positive(accuracy, name="accuracy")

    def root(bits: int) -> Enclosure:
        half = (ln_enclosure(1 / level, bits) * (1 + 12 * m.bound * m.eta) + (1 + 2 * m.eta * a)) * HALF
        return (half + sqrt_of(half * half - 2 * m.eta * a, bits)) / a

    return PrintedNumber(root)


def _judge_last_step(formula: Callable[..., Any], s: Setting) -> Verdict:
    """Both sides are one logarithm times a rational, plus the same: the rationals decide."""
    left, right = formula(s.m, accuracy=s.accuracy, alpha=s.alpha)
    valid = s.m.noise_scale <= 1 / s.m.epsilon
    missing = None if valid else narrow(PrintedNumber(lambda bits: left.enclosed(bits) - right.enclosed(bits)))
    return right.enclosure, left.enclosure, valid, missing


@claim("(6.5), last step", IN_6_3, THIRD, "(6.5) with 1/eps' in the place of 1/eps <= (6.5)", _judge_last_step)
def last_step_of_6_5(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> tuple[PrintedNumber, PrintedNumber]:
    """Return both sides of the last "<=" of (6.5): with 1/eps' under the fraction, and with 1/eps. It points wrong."""
    level, a = confidence(alpha), positive(accuracy, name="accuracy")
    if a <= m.noise_scale:
        raise ParameterError("(6.5) needs an accuracy above 1/eps'.", "Ask for more.")
    return _epsilon_by_division(m, level, a - m.noise_scale), _epsilon_by_division(m, level, a - 1 / m.epsilon)


# Section 6.5.1: the clamp from gamma


@claim(
    "k from epsilon",
    IN_6_5_1,
    THIRD,
    "Lambda' <= k = (2 + 24 2^-52)/(eps - 2^-117)",
    compared(">=", lambda m: m.grid, in_data_units=True),
)
def k_of_epsilon(epsilon: Any) -> Fraction:
    return notes_k(positive(epsilon, name="epsilon"))


def _judge_grid_of_target(formula: Callable[..., Any], s: Setting) -> Verdict:
    """The exact answer: the grid of the least epsilon of four digits whose GetAccuracy2, uncapped, meets the target."""

    def promises(m: PrintedMechanism) -> bool:
        # The logarithm of a rational other than 1 is irrational: decided.
        return not exceeds(_of_logarithm(s.alpha, m.noise_scale, m.grid / 2).enclosed, s.accuracy)

    grid = s.m.at(epsilon=least_decimal(s, laplace_epsilon(s.accuracy, s.alpha, Fraction(1)), promises)).grid
    return compared(">=", lambda: grid, in_data_units=True)(formula, s)


@claim("k from an accuracy", IN_6_5_1, THIRD, "Lambda' <= the same k of eps^- = ln(1/alpha)/a", _judge_grid_of_target)
def k_of_accuracy(*, accuracy: Any, alpha: Any = "0.05") -> Fraction:
    """Return k with eps^- = ln(1/alpha)/a in the place of epsilon, rounded up: eps^- is below every epsilon needed."""
    a, level = positive(accuracy, name="accuracy"), confidence(alpha)
    return notes_k(_of_logarithm(level, 1 / a).enclosure.lower)


def _judge_clamp(formula: Callable[..., PrintedNumber], s: Setting) -> Verdict:
    """The bound given stands for B', the largest statistic; in data units, as the formula takes it."""
    m, delta = s.m, s.sensitivity
    printed = formula(largest=m.bound * delta, k=notes_k(m.epsilon), gamma=s.gamma)
    clamp = _steps_decided(printed, m.grid * delta) / delta
    excess = _binding(m.at(bound=clamp), m.bound, clamp) - s.gamma
    exact, valid = enclose(bound_for(m.parameters, gamma=s.gamma).bound * delta), excess.sign() <= 0
    return printed.enclosure, exact, valid, None if valid else narrow(excess)


def _steps_decided(bound: PrintedNumber, grid: Fraction) -> Fraction:
    """Return a rational number with as many grid steps as B. B is irrational: it is decided."""
    return refine(bound.enclosed, until=lambda b: math.floor(b.lower / grid) == math.floor(b.upper / grid)).upper


def _binding(m: PrintedMechanism, value: Fraction, bound: Fraction) -> Exponentials:
    """Return the probability that a clamp to +-bound changes an output of m at +-value, its largest: planning (19)."""
    edge = (math.floor(bound / m.grid) + HALF) * m.grid
    up, down = (edge - value) / m.noise_scale, (edge + value) / m.noise_scale
    return (exponential(-up) if up >= 0 else 2 - exponential(up)) * HALF + exponential(-down) * HALF


def _exact_binding(m: PrintedMechanism, largest: Fraction, gamma: Fraction) -> Exponentials:
    """Return how probable it is that B = B' + (Lambda'/2)(1 + 2 ln(1/gamma)) binds at f = B', the bound that was given.

    Grid and noise scale are those put in, as the notes leave the circle open here.
    """
    return _binding(m, largest, _steps_decided(bound_from_gamma(largest=largest, k=m.grid, gamma=gamma), m.grid))


@claim(
    "B from gamma", IN_6_5_1, THIRD, "P(B = B' + (k/2)(1 + 2 ln(1/gamma)) binds) <= gamma while |f| <= B'", _judge_clamp
)
def bound_from_gamma(*, largest: Any, k: Fraction, gamma: Any = "0.05") -> PrintedNumber:
    """Return B = B' + (k/2)(1 + 2 ln(1/gamma)), as printed: no sensitivity in it, whatever the units of B'."""
    level, within = confidence(gamma, name="gamma", sure=True), positive(largest, name="largest")
    return _of_logarithm(level, k, k / 2 + within)


def p_lower_stars(m: PrintedMechanism, *, largest: Any) -> Exponentials:
    """Return p_L** = F(-B - B') of Y** ~ Laplace(Lambda'/2, lambda'): too small, the lower tail needs -Lambda'/2."""
    return _lower_tail(m, largest, -m.grid / 2)


def p_upper_stars(m: PrintedMechanism, *, largest: Any) -> Exponentials:
    """Return p_U** = 1 - F(B - B') of the same Y**."""
    return _upper_tail(m, largest, m.grid / 2)


@claim(
    "(6.6)",
    IN_6_5_1,
    THIRD,
    f"{BINDS} (e^(eps' (-2 B' + Lambda' ln gamma - Lambda')) + e^(eps' Lambda' ln gamma))/2",
    compared(">=", _exact_binding),
)
def binding_6_6(m: PrintedMechanism, *, largest: Any, gamma: Any = "0.05") -> PrintedNumber:
    power = binding_6_7(m, gamma=gamma)
    further = exponential(-(2 * positive(largest, name="largest") + m.grid) / m.noise_scale)
    return PrintedNumber(lambda bits: power.enclosed(bits) * (further.enclosed(bits) + 1) * HALF)


@claim("(6.7)", IN_6_5_1, THIRD, f"{BINDS} gamma^(eps' Lambda')", compared(">=", _exact_binding))
def binding_6_7(m: PrintedMechanism, *, gamma: Any = "0.05") -> PrintedNumber:
    level, power = confidence(gamma, name="gamma", sure=True), m.grid / m.noise_scale
    return PrintedNumber(lambda bits: exp_of(ln_enclosure(level, bits) * power, bits))


claim("(6.8)", IN_6_5_1, THIRD, f"{BINDS} gamma", compared(">=", _exact_binding))(lambda gamma: gamma)


# Section 6.1, and section 7: ranges


def _judge_shift(formula: Callable[..., tuple[Fraction, Fraction]], s: Setting) -> Verdict:
    shift, bound = formula(lower=s.lower, upper=s.upper)
    outside = max(-bound - (s.lower - shift), (s.upper - shift) - bound)
    return enclose(bound), enclose((s.upper - s.lower) / 2), outside <= 0, None if outside <= 0 else enclose(outside)


@claim(
    "B = upper - s", "notes, 6.1", THIRD, "-B to B holds lower - s to upper - s, s = (upper - lower)/2", _judge_shift
)
def shift_and_bound(*, lower: Any, upper: Any) -> tuple[Fraction, Fraction]:
    """Return s = (upper - lower)/2 and B = upper - s of 6.1, as printed; s should be (upper + lower)/2."""
    low, high = parameter(lower, name="lower"), parameter(upper, name="upper")
    shift = (high - low) / 2
    return shift, high - shift


def largest_mean(*, lower: Any, upper: Any) -> Fraction:
    """Return B' of a mean, 7.1: max(|a|, |b|)."""
    return max(abs(parameter(lower, name="lower")), abs(parameter(upper, name="upper")))


def _exact_variance(lower: Fraction, upper: Fraction, rows: int) -> Fraction:
    """A variance is convex in each row, so it is largest where each row is at an end: half of them at the upper one."""
    most = rows // 2 * (rows - rows // 2)
    return Fraction(most, rows * (rows - 1)) * (upper - lower) ** 2


@claim(
    "B' of a variance",
    "notes, 7.2 and 7.3",
    THIRD,
    "largest variance of n rows = (b - a)^2/4, times n/(n - 1) for an even n; of a covariance (b - a)(d - c)/4",
    compared(">=", _exact_variance),
)
def largest_variance(*, lower: Any, upper: Any, rows: int) -> Fraction:
    return largest_covariance((lower, upper), (lower, upper), rows=rows)


def largest_covariance(first: tuple[Any, Any], second: tuple[Any, Any], *, rows: int) -> Fraction:
    """Return B' of a covariance, 7.3: (b - a)(d - c)/4, times n/(n - 1) for an even n."""
    a, b, c, d = (parameter(end, name="bounds") for end in (*first, *second))
    even = Fraction(rows, rows - 1) if rows % 2 == 0 else Fraction(1)
    return even * (b - a) * (d - c) / 4


def largest_count(*, rows: int) -> Fraction:
    """Return B' of a bin of a histogram, 7.4: the number of rows."""
    return Fraction(rows)


# Section 5: the loss in p-bit arithmetic


claim(
    "eps' of section 5",
    "notes, 3 and 5",
    ALL_DATES,
    "loss <= eps, with eps' = (eps - 2 eta)/(1 + 12 B eta), eta = 2^-p, a uniform draw of at most 53 bits",
    partial(bounds_the_loss, uniform=DOUBLE),
)(lambda epsilon: epsilon)
claim(
    "Mironov's bound",
    "Mironov 2012, as quoted in notes, 5",
    ALL_DATES,
    "loss <= (1 + 12 B eta) eps' + 2 eta, less eps'",
    bounds_the_loss,
)(mironov_formula)
claim("Liu's bound", "Liu, Theorem 2", "22 March 2020", "loss <= eps' + 23 B eps' eta, less eps'", bounds_the_loss)(
    liu_formula
)


def _fewest_bits(epsilon: Fraction) -> int:
    """Return the least p >= 1 with epsilon > 2 eta.

    With 2**f <= epsilon < 2**(f + 1), p = -f is too few, and 1 - f is one too few only where epsilon is 2**f itself.
    """
    bits = max(1, 1 - floor_log2(epsilon))
    return bits + (epsilon <= Fraction(2, 1 << bits))


@claim(
    "p = m + 2",
    "notes, 5",
    ALL_DATES,
    "fewest bits with eps' > 0: p = m + 2, 2^-m the least power of two >= eps",
    compared("=", _fewest_bits),
)
def bits_of_epsilon(epsilon: Any) -> int:
    return bits_above(positive(epsilon, name="epsilon"))


# Section 4: grid and rounding by the bits of a double. Privacy does not depend on the rule, reproducing a draw does.


@claim(
    "(4.1)",
    "notes, 4.1",
    ALL_DATES,
    "least power of two >= lambda = Lambda by the bits of lambda, a double",
    compared("=", lambda noise_scale: power_of_two_at_least(noise_scale), in_data_units=True),
)
def grid_4_1(noise_scale: Fraction) -> Fraction:
    """Return Lambda by (4.1): the least power of two >= lambda, lambda having been rounded to a double before.

    >>> grid_4_1(1 + Fraction(1, 2**60)), grid_4_1(1 + Fraction(1, 2**52))
    (Fraction(1, 1), Fraction(2, 1))
    """
    return power_of_two_at_least(round_nearest(noise_scale, DOUBLE))


def rounded_4_2(x: Fraction, grid: Fraction) -> Fraction:
    """Return the "nearest multiple of Lambda" by the three steps of 4.2, bit by bit as printed: not ties toward +inf.

    Of (-1)^S 1.m_1...m_(p-1) 2^y: case 1, y >= 52: as it is, also where x has more than 53 bits. Case 2: up where
    m_(y+1) = 1, by adding 1 to (m_1...m_y), unless all bits of x are 1: then to the next power of two. A carry out of
    m_1 that the cases do not foresee is lost. Case 3: +-1. Case 4: 0.

    >>> [int(rounded_4_2(Fraction(x), Fraction(1))) for x in ("-2.5", "-0.5", "3.5", "2.5")]
    [-3, -1, 2, 3]
    """
    if exponent_of_power(grid) is None:
        raise ParameterError(f"grid = {shown(grid)} is not a power of two.", "The rule is for powers of two.")
    if x == 0:
        return x  # the notes mention that zero has no such form
    nearest = abs(x) / grid
    y = floor_log2(nearest)
    if y < 0:
        nearest = Fraction(y == -1)
    elif y < DOUBLE - 1:
        kept, rest = divmod(nearest, 1)  # 1m_1...m_y, and 0.m_(y+1)...
        leading, is_up = 2**y, 2 * rest >= 1
        if is_up and nearest * power_of_two(DOUBLE - 1 - y) == 2**DOUBLE - 1:  # every bit is 1
            nearest = power_of_two(y + 1)
        else:
            nearest = Fraction(leading + (kept - leading + is_up) % leading)
    return grid * nearest * (1 if x > 0 else -1)


def _round_steps(rule: Callable[[Fraction, Fraction], Fraction], steps: Fraction, noise_scale: Fraction) -> Fraction:
    """Return a value so many grid steps from 0 as a rule rounds it, all of which scales with the grid."""
    grid = power_of_two_at_least(noise_scale)
    return rule(steps * grid, grid)


for steps in (Fraction("-2.5"), Fraction("3.5"), Fraction("1.5")):
    claim(
        f"(4.2) at {float(steps)} grid steps",
        "notes, 4.2",
        ALL_DATES,
        f"nearest multiple of Lambda, ties toward +infinity = the steps of (4.2), for x = {float(steps)} Lambda",
        compared("=", partial(_round_steps, nearest_multiple, steps), in_data_units=True),
    )(partial(_round_steps, rounded_4_2, steps))


# The table in one setting


class BesideExact(NamedTuple):
    """The claims, those that say nothing here, each with the reason, and the constants by the notes' names.

    The constants are in sensitivities. B' is the bound given, as the largest |f|; a is the accuracy that is asked for.
    Exact arithmetic has no p and no eta.
    """

    claims: dict[str, PrintedClaim]
    left_out: dict[str, str]
    notation: dict[str, Fraction]


def beside_exact(
    *names: str,
    epsilon: Any,
    bound: Any,
    if_value: Any,
    alpha: Any = "0.05",
    gamma: Any = "0.05",
    accuracy: Any = None,
    sensitivity: Any = 1,
    bounds: tuple[Any, Any] = (-10, 30),
    rows: int = 3,
    arithmetic: str = "notes",
    bits: int | None = None,
    grid: Any = None,
) -> BesideExact:
    """Return every printed formula with what it says, the exact answer, and whether it holds; or those that are named.

    A formula that cannot be evaluated in a setting is left out with the reason.

    bound, grid, if_value  in data units; the notes' B, Lambda' and f are these over the sensitivity
    accuracy               the target that an epsilon is asked for; without it, what GetAccuracy2 says
    bounds, rows           of the range that is shifted (6.1) and of the column whose variance is bounded (7.2)
    arithmetic, bits       as in `printed_mechanism`

    >>> found = beside_exact("Algorithm 1", epsilon="5/3", bound=4, if_value=4).claims["Algorithm 1"]
    >>> f"{float(found.says):.3f} {float(found.exact):.0f}", found.valid, f"{float(found.misses_by):.3f}"
    ('0.686 1', False, '0.167')
    """
    names = tuple("Algorithm 1" if name == "GetAccuracy" else name for name in names)
    if unknown := [name for name in names if name not in CLAIMS]:
        listed = ", ".join(f'"{name}"' for name in CLAIMS)  # some names hold a comma
        raise ParameterError(f"no printed formula is called {shown(unknown[0])}.", f"There are {listed}.")
    delta, level = positive(sensitivity, name="sensitivity"), confidence(alpha)
    m = printed_mechanism(
        epsilon=epsilon,
        bound=positive(bound, name="bound") / delta,
        arithmetic=arithmetic,
        bits=bits,
        grid=None if grid is None else positive(grid, name="grid") / delta,
    )
    lower, upper = (parameter(end, name="bounds") for end in bounds)
    if lower >= upper:
        raise BoundError(f"bounds {shown(lower)}, {shown(upper)} are no range.", "Give lower < upper.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 2:
        raise ParameterError(f"rows = {shown(rows)} has no variance.", "Give a whole number of at least 2.")
    f, target = m.value(guessed(if_value) / delta), rounded_up(get_accuracy2(m, alpha=level).enclosure.upper)
    setting = Setting(
        m=m,
        epsilon=m.epsilon,
        noise_scale=m.noise_scale,
        largest=m.bound,
        sensitivity=delta,
        if_value=f,
        z=m.bound - f,
        x=m.bound + f,
        alpha=level,
        gamma=confidence(gamma, name="gamma", sure=True),
        accuracy=target if accuracy is None else positive(accuracy, name="accuracy") / delta,
        lower=lower,
        upper=upper,
        rows=rows,
    )
    found = BesideExact(claims={}, left_out={}, notation={"epsilon'": m.effective_epsilon, "lambda'": m.noise_scale})
    found.notation.update({"Lambda'": m.grid, "B": m.bound, "B'": setting.largest, "a": setting.accuracy})
    found.notation["gamma"] = setting.gamma
    with suppress(PremiseError):  # an epsilon below 2^-117 has no k
        found.notation["k"] = k_of_epsilon(m.epsilon)
    if m.bits is not None:
        found.notation.update(p=Fraction(m.bits), eta=m.eta)
    for name in names or CLAIMS:
        try:
            found.claims[name] = CLAIMS[name](setting)
        except SnapdpError as refusal:
            found.left_out[name] = refusal.problem
    return found
