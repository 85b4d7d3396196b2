"""What a number means, in words, where people might not see it.

Room: display.
"""

from __future__ import annotations

from fractions import Fraction

HIDES_NOTHING = 20  # e**20 is more than 480 million


def hides_nothing(epsilon: Fraction) -> str:
    """Return a warning for an epsilon that protects nobody; empty for any other.

    >>> hides_nothing(Fraction(20)), hides_nothing(Fraction(41, 2))[:29]
    ('', 'Epsilon 41/2 hides nothing: w')
    """
    if epsilon <= HIDES_NOTHING:
        return ""
    return (
        f"Epsilon {epsilon} hides nothing: what is published can be more than 480 million times likelier "
        "with somebody's row than without it."
    )
