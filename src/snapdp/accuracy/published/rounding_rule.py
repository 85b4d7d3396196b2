"""Grid and rounding by the bits of a double, as printed: not the rule "ties toward +infinity" that is meant.

Room: accuracy. Source: Covington, Snapping Mechanism Notes, section 4, the same at all three dates. A number is
(-1)^S 1.m_1...m_(p-1) 2^y. Privacy does not depend on the rule, which acts on the noisy sum; reproducing a draw does.
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.errors import ParameterError
from snapdp.exact import exponent_of_power, floor_log2, power_of_two, power_of_two_at_least, round_nearest, shown

DOUBLE = 53


def grid_4_1(noise_scale: Fraction) -> Fraction:
    """Return Lambda by (4.1): the least power of two >= lambda, lambda having been rounded to a double before.

    >>> grid_4_1(1 + Fraction(1, 2**60)), grid_4_1(1 + Fraction(1, 2**52))
    (Fraction(1, 1), Fraction(2, 1))
    """
    return power_of_two_at_least(round_nearest(noise_scale, DOUBLE))


def rounded_4_2(x: Fraction, grid: Fraction) -> Fraction:
    """Return the "nearest multiple of Lambda" by the three steps of 4.2, bit by bit as printed.

    Case 1, y >= 52: as it is, also where x has more than 53 bits. Case 2: up where m_(y+1) = 1, by adding 1 to
    (m_1...m_y), unless all bits of x are 1: then to the next power of two. A carry out of m_1 that the cases do not
    foresee is lost. Case 3: +-1. Case 4: 0.

    >>> [int(rounded_4_2(Fraction(x), Fraction(1))) for x in ("-2.5", "-0.5", "3.5", "2.5")]
    [-3, -1, 2, 3]
    """
    if exponent_of_power(grid) is None:
        raise ParameterError(f"grid = {shown(grid)} is not a power of two.", "The rule is for powers of two.")
    if x == 0:
        return x  # the notes mention that zero has no such form
    scaled = abs(x) / grid
    return grid * _nearest_by_bits(scaled, floor_log2(scaled)) * (1 if x > 0 else -1)


def _nearest_by_bits(scaled: Fraction, y: int) -> Fraction:
    if y >= DOUBLE - 1:
        return scaled
    if y < 0:
        return Fraction(y == -1)
    kept, rest = divmod(scaled, 1)  # 1m_1...m_y, and 0.m_(y+1)...
    if 2 * rest < 1:
        return Fraction(kept)
    if scaled * power_of_two(DOUBLE - 1 - y) == 2**DOUBLE - 1:  # every bit is 1
        return power_of_two(y + 1)
    leading = 2**y
    return Fraction(leading + (kept - leading + 1) % leading)
