"""The other formulas of the notes about accuracy, epsilon, bias and bounds, as printed.

Room: accuracy. Source: Covington, Snapping Mechanism Notes, 26 August 2020, sections 6.1 to 7.4; none of them stands in
the notes of 2019. What is irrational is a function of the precision, so that whoever compares can decide. Units of the
sensitivity, but for the clamp from gamma, which is printed without any.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from snapdp.accuracy.clamping import notes_k
from snapdp.accuracy.error import published_bound
from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.accuracy.tails import confidence
from snapdp.errors import ParameterError
from snapdp.exact import (
    HALF,
    NARROW_BITS,
    Enclosure,
    Exponentials,
    decided_ceil,
    enclose,
    exp_of,
    exponential,
    laplace_cdf,
    ln_enclosure,
    parameter,
    positive,
    refined,
    shown,
    sqrt_of,
)
from snapdp.mechanism import bits_above


def get_accuracy2(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return GetAccuracy2: lambda' ln(1/alpha) + Lambda'/2, at most 2 B. Valid for every value within the bound."""
    level = confidence(alpha)
    # The logarithm of a rational other than 1 is irrational, so whether the cap is reached is decided.
    capped = decided_ceil(lambda b: ln_enclosure(1 / level, b) - (2 * m.bound - m.grid / 2) / m.noise_scale) > 0
    if capped:
        return PrintedNumber(lambda _: enclose(2 * m.bound))
    return _by_method("notes", m, level)


def simple_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return (1 + ln(1/alpha))/eps', the looser bound after GetAccuracy2; it needs Lambda' <= 2 lambda'."""
    level = confidence(alpha)
    return _by_method("simple", m, level)


def _by_method(method: str, m: PrintedMechanism, level: Fraction) -> PrintedNumber:
    shape = {"noise_scale": m.noise_scale, "grid": m.grid}
    return PrintedNumber(lambda bits: published_bound(method, ln_enclosure(1 / level, bits), **shape))


def laplace_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return ln(1/alpha)/eps, the accuracy of the Laplace mechanism to which the notes compare."""
    level = confidence(alpha)
    return PrintedNumber(lambda bits: ln_enclosure(1 / level, bits) / m.epsilon)


def alpha_of_accuracy(m: PrintedMechanism, *, accuracy: Any) -> Exponentials:
    """Return alpha = e^(-eps' (a - Lambda'/2)), which an accuracy is missed with at most; above 1 for a < Lambda'/2."""
    return exponential((m.grid / 2 - positive(accuracy, name="accuracy")) / m.noise_scale)


def epsilon_6_4(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> PrintedNumber:
    """Return (6.4): (1 + 12 B eta) ln(1/alpha)/(a - Lambda'/2) + 2 eta, with the Lambda' and eta of a mechanism.

    Lambda' belongs to the epsilon that is sought: with another one the answer need not have the accuracy.
    """
    level, over = confidence(alpha), positive(accuracy, name="accuracy") - m.grid / 2
    if over <= 0:
        raise ParameterError(f"(6.4) needs an accuracy above half the grid, {shown(m.grid / 2)}.", "Ask for more.")
    return PrintedNumber(lambda bits: ln_enclosure(1 / level, bits) * ((1 + 12 * m.bound * m.eta) / over) + 2 * m.eta)


def epsilon_6_5(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> PrintedNumber:
    """Return the epsilon at which (6.5) is an equality, which the notes search for: the larger root of a square.

    (eps - 2 eta)(a - 1/eps) = c,  c = (1 + 12 B eta) ln(1/alpha)
    """
    level, a = confidence(alpha), positive(accuracy, name="accuracy")

    def root(bits: int) -> Enclosure:
        half = (ln_enclosure(1 / level, bits) * (1 + 12 * m.bound * m.eta) + (1 + 2 * m.eta * a)) * HALF
        return (half + sqrt_of(half * half - 2 * m.eta * a, bits)) / a

    return PrintedNumber(root)


def last_step_of_6_5(m: PrintedMechanism, *, accuracy: Any, alpha: Any = "0.05") -> tuple[PrintedNumber, PrintedNumber]:
    """Return both sides of the last "<=" of (6.5): with 1/eps' under the fraction, and with 1/eps. It points wrong."""
    level, a = confidence(alpha), positive(accuracy, name="accuracy")
    if a <= m.noise_scale:
        raise ParameterError("(6.5) needs an accuracy above 1/eps'.", "Ask for more.")

    def side(inverse: Fraction) -> PrintedNumber:
        factor = (1 + 12 * m.bound * m.eta) / (a - inverse)
        return PrintedNumber(lambda bits: ln_enclosure(1 / level, bits) * factor + 2 * m.eta)

    return side(m.noise_scale), side(1 / m.epsilon)


def k_of_epsilon(epsilon: Any) -> Fraction:
    """Return k = (2 + 24 2^-52)/(eps - 2^-117), printed as at least Lambda'."""
    return notes_k(positive(epsilon, name="epsilon"))


def k_of_accuracy(*, accuracy: Any, alpha: Any = "0.05") -> Fraction:
    """Return k with eps^- = ln(1/alpha)/a in the place of epsilon, rounded up: eps^- is below every epsilon needed."""
    a, level = positive(accuracy, name="accuracy"), confidence(alpha)
    return notes_k(refined(lambda bits: ln_enclosure(1 / level, bits) / a, relative_bits=NARROW_BITS).lower)


def bound_from_gamma(*, largest: Any, k: Fraction, gamma: Any = "0.05") -> PrintedNumber:
    """Return B = B' + (k/2)(1 + 2 ln(1/gamma)), as printed: no sensitivity in it, whatever the units of B'."""
    level, within = confidence(gamma, name="gamma", sure=True), positive(largest, name="largest")
    return PrintedNumber(lambda bits: (ln_enclosure(1 / level, bits) * 2 + 1) * (k / 2) + within)


def p_lower_stars(m: PrintedMechanism, *, largest: Any) -> Exponentials:
    """Return p_L** = F(-B - B') of Y** ~ Laplace(Lambda'/2, lambda'): too small, the lower tail needs -Lambda'/2."""
    return laplace_cdf(-m.bound - m.value(largest) - m.grid / 2, m.noise_scale)


def p_upper_stars(m: PrintedMechanism, *, largest: Any) -> Exponentials:
    """Return p_U** = 1 - F(B - B') of the same Y**."""
    return 1 - laplace_cdf(m.bound - m.value(largest) - m.grid / 2, m.noise_scale)


def binding_6_6(m: PrintedMechanism, *, largest: Any, gamma: Any = "0.05") -> PrintedNumber:
    """Return p_L** + p_U** where B = B' + (Lambda'/2)(1 + 2 ln(1/gamma)), as (6.6) leaves it; not a bound.

    (e^(eps' (-2 B' + Lambda' ln gamma - Lambda')) + e^(eps' Lambda' ln gamma))/2
    """
    within = positive(largest, name="largest")
    power, further = _power_of_gamma(m, gamma), exponential(-(2 * within + m.grid) / m.noise_scale)
    return PrintedNumber(lambda bits: power(bits) * (further.enclosed(bits) + 1) * HALF)


def binding_6_7(m: PrintedMechanism, *, gamma: Any = "0.05") -> PrintedNumber:
    """Return gamma^(eps' Lambda') of (6.7), which (6.8) says is at most gamma."""
    return PrintedNumber(_power_of_gamma(m, gamma))


def _power_of_gamma(m: PrintedMechanism, gamma: Any) -> Callable[[int], Enclosure]:
    level, power = confidence(gamma, name="gamma", sure=True), m.grid / m.noise_scale
    return lambda bits: exp_of(ln_enclosure(level, bits) * power, bits)


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


def shift_and_bound(*, lower: Any, upper: Any) -> tuple[Fraction, Fraction]:
    """Return s = (upper - lower)/2 and B = upper - s of 6.1, as printed; s should be (upper + lower)/2."""
    low, high = parameter(lower, name="lower"), parameter(upper, name="upper")
    shift = (high - low) / 2
    return shift, high - shift


def largest_mean(*, lower: Any, upper: Any) -> Fraction:
    """Return B' of a mean, 7.1: max(|a|, |b|)."""
    return max(abs(parameter(lower, name="lower")), abs(parameter(upper, name="upper")))


def largest_covariance(first: tuple[Any, Any], second: tuple[Any, Any], *, rows: int) -> Fraction:
    """Return B' of a sample covariance, 7.3, as printed: for an odd number of rows it is too small.

    (b - a)(d - c)/4, times n/(n - 1) where n is even
    """
    a, b, c, d = (parameter(end, name="bounds") for end in (*first, *second))
    even = Fraction(rows, rows - 1) if rows % 2 == 0 else Fraction(1)
    return even * (b - a) * (d - c) / 4


def largest_variance(*, lower: Any, upper: Any, rows: int) -> Fraction:
    """Return B' of a sample variance, 7.2, as printed: for an odd number of rows it is too small."""
    return largest_covariance((lower, upper), (lower, upper), rows=rows)


def largest_count(*, rows: int) -> Fraction:
    """Return B' of a bin of a histogram, 7.4: the number of rows."""
    return Fraction(rows)


def bits_of_epsilon(epsilon: Any) -> int:
    """Return p = m + 2 of section 5, 2^-m the least power of two >= eps: the fewest bits with eps > 2 eta.

    All three dates. The mechanism takes at least 118.
    """
    return bits_above(positive(epsilon, name="epsilon"))
