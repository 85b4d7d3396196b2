"""How far standard deviations and correlations may be off, if columns spread as widely as somebody guesses.

Room: studies. Functions of public parameters only. A variance that is off by little makes a small deviation wrong by
much: what is computed with a root, or divided by one, has no useful bound for every table. It has one for every table
whose deviations are at least as large as a guess.

    |deviation~ - deviation| <= s - sqrt(s**2 - a),    sqrt(a) where a > s**2                  theory (31)
    |correlation~ - correlation| <= (1 + a_xy/(s_x s_y))/sqrt((1 - a_x/s_x**2)(1 - a_y/s_y**2)) - 1    theory (32)

Both are rounded up. Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import sqrt_enclosure
from snapdp.studies.columns import NumberColumn

SPREAD = Fraction(1, 4)  # of the width of a column: half of the largest deviation there is
WIDEST_CORRELATION = Fraction(2)  # from -1 to 1
_BITS = 64


def guessed_deviation(column: NumberColumn) -> Fraction:
    """Return the deviation that a plan guesses: a quarter of the width between the bounds."""
    return SPREAD * (column.upper - column.lower)


def deviation_error(of_variance: Fraction, deviation: Fraction) -> Fraction:
    """Return how far a standard deviation is off at most, if it is so large or larger and its variance is off by that.

    theory (31)

    >>> deviation_error(Fraction(7), Fraction(4)), deviation_error(Fraction(9), Fraction(2))
    (Fraction(1, 1), Fraction(3, 1))
    """
    square = deviation * deviation
    if of_variance > square:
        return sqrt_enclosure(of_variance, _BITS).upper
    return deviation - sqrt_enclosure(square - of_variance, _BITS).lower


def correlation_error(
    *, of_covariance: Fraction, of_variances: tuple[Fraction, Fraction], deviations: tuple[Fraction, Fraction]
) -> Fraction:
    """Return how far a correlation is off at most, if both deviations are so large or larger.            theory (32)

    >>> said = {"of_variances": (Fraction(7, 16), Fraction(0)), "deviations": (Fraction(1), Fraction(1))}
    >>> correlation_error(of_covariance=Fraction(1, 2), **said)
    Fraction(1, 1)
    """
    x, y = (a / (s * s) for a, s in zip(of_variances, deviations, strict=True))
    if max(x, y) >= 1:
        return WIDEST_CORRELATION
    least = sqrt_enclosure((1 - x) * (1 - y), _BITS).lower
    if least <= 0:
        return WIDEST_CORRELATION
    return min(WIDEST_CORRELATION, (1 + of_covariance / (deviations[0] * deviations[1])) / least - 1)
