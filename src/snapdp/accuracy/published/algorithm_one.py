"""Algorithm 1 of the notes, GetAccuracy, with the bounds it is made of, as printed. Not valid: case 4 misses too often.

Room: accuracy. Source: Covington, Snapping Mechanism Notes: 31 August 2019, section 6.2, and 26 August 2020, section
6.3; the notes of 26 August 2019 stop before the algorithm. All probabilities are sums of exponentials, so which case is
taken is decided, not rounded. Units of the sensitivity; f >= 0 as the notes assume.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from snapdp.accuracy.published.printed_mechanism import PrintedMechanism
from snapdp.accuracy.published.printed_number import PrintedNumber
from snapdp.accuracy.tails import confidence
from snapdp.exact import (
    HALF,
    Exponentials,
    enclose,
    exponential,
    laplace_cdf,
    ln_of,
    refined,
)
from snapdp.values import Value


class GetAccuracy(Value):
    """What Algorithm 1 returns: the accuracy, and which of its four cases gave it."""

    case: int
    accuracy: PrintedNumber


def p_lower_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_L^+ = F(-B - f + lambda'), printed as more than P(output = -B). All three dates."""
    f = m.value(if_value)
    return laplace_cdf(-m.bound - f + m.noise_scale, m.noise_scale)


def p_upper_minus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_U^- = 1 - F(B - f - lambda'), printed as at most P(output = B). 31 August 2019 and 2020."""
    f = m.value(if_value)
    return 1 - laplace_cdf(m.bound - f - m.noise_scale, m.noise_scale)


def p_upper_plus(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return P_U^+ = 1 - F(B - f - lambda'/2), printed as at least P(output = B). 26 August 2019 alone."""
    f = m.value(if_value)
    return 1 - laplace_cdf(m.bound - f - m.noise_scale / 2, m.noise_scale)


def p_lower(m: PrintedMechanism, *, if_value: Any) -> Exponentials:
    """Return F(-B - f + Lambda'/2), printed as equal to P(output = -B) in 2019, as no less in section 6.2 of 2020."""
    f = m.value(if_value)
    return laplace_cdf(-m.bound - f + m.grid / 2, m.noise_scale)


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


def get_accuracy(m: PrintedMechanism, *, if_value: Any, alpha: Any = "0.05") -> GetAccuracy:
    """Return what Algorithm 1 returns for a value: "missed with probability at most alpha", which case 4 is not.

    >>> from snapdp.accuracy import printed_mechanism
    >>> found = get_accuracy(printed_mechanism(epsilon="5/3", bound=4), if_value=4)
    >>> found.case, f"{float(found.accuracy):.3f}"
    (4, '0.686')
    """
    f, level = m.value(if_value), confidence(alpha)
    lower, upper = p_lower_plus(m, if_value=f), p_upper_minus(m, if_value=f)
    at_clamp, needed = f_z_minus(m, m.bound - f), 1 + lower - level
    if (lower - level).sign() >= 0:
        return GetAccuracy(case=1, accuracy=PrintedNumber(lambda _: enclose(m.bound + f)))
    if (at_clamp - needed).sign() >= 0:
        return GetAccuracy(case=2, accuracy=_solved(m, level - lower))
    if (at_clamp + upper - needed).sign() >= 0:
        return GetAccuracy(case=3, accuracy=PrintedNumber(lambda _: enclose(m.bound - f)))
    return GetAccuracy(case=4, accuracy=_solved(m, level - lower + upper))


def _solved(m: PrintedMechanism, left: Exponentials) -> PrintedNumber:
    """Return what encloses (1 - ln(left))/eps'.

    left > 0, with a rational term that no exponential cancels: so the accuracy is irrational, and equals no distance
    between two outputs.
    """
    return PrintedNumber(lambda bits: (1 - ln_of(refined(left.enclosed, relative_bits=bits), bits)) * m.noise_scale)
