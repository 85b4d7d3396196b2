"""Epsilon as guessing accuracy.

Room: display. If two neighbouring tables are equally likely beforehand, no output makes either more likely than
e**epsilon / (1 + e**epsilon). The sentences about it are in snapdp.studies.protection.           theory: planning (39)
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import Enclosure, decided_ceil, enclose, exp_enclosure

CASES = 100
SURE = 5  # e**5 / (1 + e**5) > 99/100: from here on 100


def guessed_right(epsilon: Fraction) -> int:
    """Return the percentage, rounded up, to which the results may raise an even chance of guessing right.

    >>> [guessed_right(Fraction(each)) for each in ("1/2", "1", "5", "0")]
    [63, 74, 100, 50]
    """
    assert epsilon >= 0
    if epsilon >= SURE:
        return CASES

    def cases(precision: int) -> Enclosure:  # irrational but for 0, where it is a point
        return enclose(CASES) / (1 + exp_enclosure(-epsilon, precision))

    return decided_ceil(cases)
