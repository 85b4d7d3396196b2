"""What a number means, in words, where people might not see it.

Room: display.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from snapdp.display.numbers import exact_amount

HIDES_NOTHING = 20  # e**20 is more than 480 million


def hides_nothing(epsilon: Fraction) -> str:
    """Return a warning for an epsilon that protects nobody; empty for any other.

    >>> hides_nothing(Fraction(20)), hides_nothing(Fraction(41, 2))[:29]
    ('', 'Epsilon 20.5 hides nothing: w')
    """
    if epsilon <= HIDES_NOTHING:
        return ""
    return (
        f"Epsilon {exact_amount(epsilon)} hides nothing: what is published can be more than 480 million times likelier "
        "for one of two neighbouring tables than for the other."
    )


def confidence(alpha: Fraction) -> str:
    """Return the probability 1 - alpha: in percent where that is a short decimal.

    >>> confidence(Fraction(1, 20)), confidence(Fraction(1, 1000)), confidence(Fraction(1, 3))
    ('95 %', '99.9 %', '1 - 1/3')
    """
    found = percent(1 - alpha)
    return found if found.endswith("%") else f"1 - {exact_amount(alpha)}"


def how_often(alpha: Fraction) -> str:
    """Return how often something holds that may fail with alpha.

    >>> how_often(Fraction(1, 20)), how_often(Fraction(1, 1000)), how_often(Fraction(1, 3))
    ('in 95 of 100 releases', 'in 999 of 1000 releases', 'with probability 1 - 1/3')
    """
    for cases in (100, 1000, 10_000):
        holds = cases * (1 - alpha)
        if holds.denominator == 1:
            return f"in {holds} of {cases} releases"
    return f"with probability {confidence(alpha)}"


def each_by_itself(what: str, numbers: Sequence[int]) -> str:
    """Return that what is said of several numbers holds for each of them, not for all at once; empty where none is.

    numbers   so many stand behind each line, or in each table, that it is said of

    >>> each_by_itself("±", [1, 1]), each_by_itself("±", [6])
    ('', '± holds for each of the 6 numbers by itself, not for all at once.')
    >>> each_by_itself("The interval", [4, 1])
    'The interval holds for each number by itself, not for all at once.'
    """
    if max(numbers, default=1) == 1:
        return ""
    each = f"each of the {numbers[0]:,} numbers" if len(numbers) == 1 else "each number"
    return f"{what} holds for {each} by itself, not for all at once."


def percent(share: Fraction) -> str:
    """Return a share in percent where that is a short decimal, else the share itself.

    >>> percent(Fraction(1, 20)), percent(Fraction(1, 1000)), percent(Fraction(1, 3))
    ('5 %', '0.1 %', '1/3')
    """
    found = exact_amount(100 * share)
    return exact_amount(share) if "/" in found else f"{found} %"


def above_or_below(share: Fraction) -> str:
    """Return by how much something differs from what it is compared with, in percent and to nearest.

    >>> above_or_below(Fraction(21, 1000)), above_or_below(Fraction(-1, 3))
    ('2.1 % above', '33.3 % below')
    """
    return f"{float(100 * abs(share)):.1f} % {'above' if share >= 0 else 'below'}"


def listed(names: Sequence[str], most: int) -> str:
    """Return names as a sentence has them; of very many the first, and how many others there are.

    >>> listed(["a"], most=3), listed(["a", "b", "c"], most=3), listed(["a", "b", "c", "d", "e"], most=3)
    ('a', 'a, b and c', 'a, b and 3 more')
    """
    shown = list(names) if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
