"""The formulas of the notes as printed, right or wrong. Nothing of snapdp computes with them; claims.py judges them.

Source: Covington, Snapping Mechanism Notes, 26 and 31 August 2019 and 26 August 2020; sections are
those of 2020 unless a date is named. As in the notes from section 5 on, everything is in units of the sensitivity
(but for the clamp from gamma, which is printed without any), f is not negative, and the noise is a real Laplace
variable: p-bit arithmetic is in the effective epsilon alone. Sums of exponentials and rationals are exact; the rest
can be enclosed at any precision, so that a comparison is decided and never rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

from snapdp.accuracy.clamping import notes_k
from snapdp.accuracy.error import confidence, guessed
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.exact.dyadic import HALF, exponent_of_power, floor_log2, power_of_two, power_of_two_at_least, round_nearest
from snapdp.exact.enclosure import Enclosure, decided_ceil, enclose, refined
from snapdp.exact.functions import (
    NARROW_BITS,
    Exponentials,
    exp_of,
    exponential,
    laplace_cdf,
    ln_enclosure,
    ln_of,
    sqrt_of,
)
from snapdp.exact.numbers import parameter, positive, shown
from snapdp.mechanism.finite_precision import bits_above, explicit_parameters, notes_effective_epsilon, required_bits
from snapdp.mechanism.parameters import SnappingParameters, arithmetic_of
from snapdp.values import Value

DOUBLE = 53


class PrintedNumber:
    """A real number that can be enclosed at any precision: what compares it with another can decide.

    >>> from fractions import Fraction
    >>> from snapdp.exact.functions import ln_enclosure
    >>> float(PrintedNumber(lambda bits: ln_enclosure(Fraction(2), bits)))
    0.6931471805599453
    """

    __slots__ = ("enclosed",)

    def __init__(self, enclosed: Callable[[int], Enclosure]) -> None:
        self.enclosed = enclosed

    @property
    def enclosure(self) -> Enclosure:
        """Return an enclosure that is narrow relative to the number."""
        return refined(self.enclosed, relative_bits=NARROW_BITS)

    def __float__(self) -> float:
        return float(self.enclosure)

    def __repr__(self) -> str:
        return f"PrintedNumber({float(self):.12g})"


class PrintedMechanism(Value):
    """Constants of one mechanism of the notes: eps, B, eta = 2**-bits (0 if bits is None), eps', lambda', Lambda'.

    grid_given  whether the grid was asked for, or follows the noise scale
    """

    epsilon: Fraction
    bound: Fraction
    bits: int | None
    grid: Fraction
    grid_given: bool = False

    def _check(self) -> None:
        _ = self.parameters  # outputs that are too many, or no doubles, are refused at once

    def at(self, *, epsilon: Fraction | None = None, bound: Fraction | None = None) -> PrintedMechanism:
        """Return the mechanism in the same arithmetic for another epsilon or bound; a grid that was given stays."""
        return printed_mechanism(
            epsilon=epsilon or self.epsilon,
            bound=bound or self.bound,
            arithmetic="exact" if self.bits is None else "notes",
            bits=self.bits,
            grid=self.grid if self.grid_given else None,
        )

    def epsilon_at(self, noise_scale: Fraction) -> Fraction:
        """Return the epsilon whose lambda' that is."""
        return (1 + 12 * self.bound * self.eta) / noise_scale + 2 * self.eta

    @property
    def eta(self) -> Fraction:
        return _eta(self.bits)

    @property
    def effective_epsilon(self) -> Fraction:
        return notes_effective_epsilon(epsilon=self.epsilon, bound=self.bound, eta=self.eta)

    @property
    def noise_scale(self) -> Fraction:
        return 1 / self.effective_epsilon

    @cached_property
    def parameters(self) -> SnappingParameters:
        """Return the constants in the form that has an exact law; every value within the bound is public range."""
        return explicit_parameters(
            noise_scale=self.noise_scale, grid=self.grid, bound=self.bound, precision=None, epsilon=self.epsilon
        )

    def value(self, if_value: Any) -> Fraction:
        """Return a guess as the notes take it: within the bound, and not negative (the mechanism is symmetric)."""
        f = abs(guessed(if_value))
        if f > self.bound:
            raise BoundError(
                f"value = {shown(if_value)} lies outside the bound, -{shown(self.bound)} to {shown(self.bound)}.",
                "The notes assume that the value lies within the bound: guess one that does.",
                value=f,
            )
        return f


def printed_mechanism(
    *, epsilon: Any, bound: Any, arithmetic: str = "notes", bits: int | None = None, grid: Any = None
) -> PrintedMechanism:
    """Return the mechanism of the notes for an epsilon and a bound B in sensitivities.

        eps' = (eps - 2 eta)/(1 + 12 B eta),  lambda' = 1/eps',  Lambda' the least power of two >= lambda'

    arithmetic  "notes": eta = 2**-bits, bits as the notes choose them, at least 118; "exact": eta = 0
    grid        another Lambda' than theirs, to see what happens

    >>> printed_mechanism(epsilon=1, bound=10).grid, printed_mechanism(epsilon=1, bound=10, arithmetic="exact").grid
    (Fraction(2, 1), Fraction(1, 1))
    """
    eps, half_width = positive(epsilon, name="epsilon"), positive(bound, name="bound")
    if arithmetic == "exact" and bits is not None:
        raise ParameterError("bits belongs to the notes' arithmetic.", 'Give arithmetic="notes", or leave bits out.')
    asked = arithmetic_of(arithmetic, bits)
    if asked is not None and asked.rule != "notes":
        raise ParameterError(f"arithmetic = {shown(arithmetic)} is not in the notes.", 'Give "notes" or "exact".')
    chosen = None if asked is None else asked.bits or required_bits(epsilon=eps, bound=half_width)
    eta = _eta(chosen)
    if eps <= 2 * eta:
        raise PremiseError("the notes need epsilon > 2 eta.", "Give more bits, or a larger epsilon.", epsilon=eps)
    scale = 1 / notes_effective_epsilon(epsilon=eps, bound=half_width, eta=eta)
    own = power_of_two_at_least(scale) if grid is None else positive(grid, name="grid")
    return PrintedMechanism(epsilon=eps, bound=half_width, bits=chosen, grid=own, grid_given=grid is not None)


def _eta(bits: int | None) -> Fraction:
    return Fraction(0) if bits is None else Fraction(1, 1 << bits)


# Section 4: grid and rounding by the bits of a double. Privacy does not depend on the rule, reproducing a draw does.


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


def bits_of_epsilon(epsilon: Any) -> int:
    """Return p = m + 2 of section 5, 2^-m the least power of two >= eps: the fewest bits with eps > 2 eta.

    All three dates. The mechanism takes at least 118.
    """
    return bits_above(positive(epsilon, name="epsilon"))


# Section 6.1, and section 7: ranges


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


# Section 6.3: probabilities at the clamp, and the distribution functions that Algorithm 1 is made of


def p_lower_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_L^+ = F(-B - f + lambda'), printed as more than P(output = -B). All three dates."""
    return laplace_cdf(-m.bound - m.value(if_value) + m.noise_scale, m.noise_scale)


def p_upper_minus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_U^- = 1 - F(B - f - lambda'), printed as at most P(output = B). 31 August 2019 and 2020."""
    return 1 - laplace_cdf(m.bound - m.value(if_value) - m.noise_scale, m.noise_scale)


def p_upper_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_U^+ = 1 - F(B - f - lambda'/2), printed as at least P(output = B). 26 August 2019 alone."""
    return 1 - laplace_cdf(m.bound - m.value(if_value) - m.noise_scale / 2, m.noise_scale)


def p_lower(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return F(-B - f + Lambda'/2), printed as equal to P(output = -B) in 2019, as no less in section 6.2 of 2020."""
    return laplace_cdf(-m.bound - m.value(if_value) + m.grid / 2, m.noise_scale)


def f_z_minus(m: PrintedMechanism, z: Fraction) -> Exponentials:
    """Return F_Z^-(z) = 1 - e^(-eps' z + 1), printed as below the distribution function of Z = |Y'| + Lambda'/2."""
    return 1 - exponential(1 - z / m.noise_scale)


def f_z_plus(m: PrintedMechanism, z: Fraction) -> Exponentials:
    """Return F_Z^+(z) = 1 - e^(-eps' z + 1/2), printed as at least that distribution function."""
    return 1 - exponential(HALF - z / m.noise_scale)


def f_z(m: PrintedMechanism, z: Fraction) -> Exponentials:
    """Return the distribution function of Z itself: 0 below Lambda'/2."""
    over = z - m.grid / 2
    return Exponentials({}) if over < 0 else 1 - exponential(-over / m.noise_scale)


def f_n_sub_minus(m: PrintedMechanism, x: Fraction, *, if_value: Any) -> Exponentials:
    """Return F_Nsub^-(x), printed as at most a distribution function. 31 August 2019 and 2020.

    F_Z^-(min(B - f, x)) + (P_U^- + F_Z^-(min(B + f, x)) - F_Z^+(B - f)) where x >= B - f
    """
    f = m.value(if_value)
    total = f_z_minus(m, min(m.bound - f, x))
    if x < m.bound - f:
        return total
    return total + p_upper_minus(m, if_value=f) + f_z_minus(m, min(m.bound + f, x)) - f_z_plus(m, m.bound - f)


# Section 6.3: accuracy, alpha and epsilon


class GetAccuracy(Value):
    """What Algorithm 1 returns: the accuracy, and which of its four cases gave it."""

    case: int
    accuracy: PrintedNumber


def get_accuracy(m: PrintedMechanism, *, if_value: Any, alpha: Any = "0.05") -> GetAccuracy:
    """Return what Algorithm 1 returns for a value: "missed with probability at most alpha", which case 4 is not.

    Printed on 31 August 2019 (6.2) and in 2020. Which case is taken is decided, not rounded.

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
        return GetAccuracy(case=1, accuracy=PrintedNumber(lambda _: enclose(m.bound + f)))
    if (at_clamp - needed).sign() >= 0:
        return GetAccuracy(case=2, accuracy=solved(level - lower))
    if (at_clamp + upper - needed).sign() >= 0:
        return GetAccuracy(case=3, accuracy=PrintedNumber(lambda _: enclose(m.bound - f)))
    return GetAccuracy(case=4, accuracy=solved(level - lower + upper))


def get_accuracy2(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return GetAccuracy2: lambda' ln(1/alpha) + Lambda'/2, at most 2 B. Valid for every value within the bound."""
    level = confidence(alpha)
    # The logarithm of a rational other than 1 is irrational, so whether the cap is reached is decided.
    capped = decided_ceil(lambda b: ln_enclosure(1 / level, b) - (2 * m.bound - m.grid / 2) / m.noise_scale) > 0
    return PrintedNumber(lambda _: enclose(2 * m.bound)) if capped else _of_logarithm(level, m.noise_scale, m.grid / 2)


def simple_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return (1 + ln(1/alpha))/eps', the looser bound after GetAccuracy2; it needs Lambda' <= 2 lambda'."""
    return _of_logarithm(confidence(alpha), m.noise_scale, m.noise_scale)


def _of_logarithm(level: Fraction, factor: Fraction, offset: Fraction) -> PrintedNumber:
    """Return factor ln(1/level) + offset."""
    return PrintedNumber(lambda bits: ln_enclosure(1 / level, bits) * factor + offset)


def laplace_accuracy(m: PrintedMechanism, *, alpha: Any = "0.05") -> PrintedNumber:
    """Return ln(1/alpha)/eps, the accuracy of the Laplace mechanism to which the notes compare."""
    return _of_logarithm(confidence(alpha), 1 / m.epsilon, Fraction(0))


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
    return _epsilon_by_division(m, level, over)


def _epsilon_by_division(m: PrintedMechanism, level: Fraction, divisor: Fraction) -> PrintedNumber:
    return _of_logarithm(level, (1 + 12 * m.bound * m.eta) / divisor, 2 * m.eta)


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
    return _epsilon_by_division(m, level, a - m.noise_scale), _epsilon_by_division(m, level, a - 1 / m.epsilon)


# Section 6.4: bias


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


# Section 6.5.1: the clamp from gamma


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
    return _of_logarithm(level, k, k / 2 + within)


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
    power = binding_6_7(m, gamma=gamma)
    further = exponential(-(2 * positive(largest, name="largest") + m.grid) / m.noise_scale)
    return PrintedNumber(lambda bits: power.enclosed(bits) * (further.enclosed(bits) + 1) * HALF)


def binding_6_7(m: PrintedMechanism, *, gamma: Any = "0.05") -> PrintedNumber:
    """Return gamma^(eps' Lambda') of (6.7), which (6.8) says is at most gamma."""
    level, power = confidence(gamma, name="gamma", sure=True), m.grid / m.noise_scale
    return PrintedNumber(lambda bits: exp_of(ln_enclosure(level, bits) * power, bits))
