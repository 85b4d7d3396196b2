"""What epsilon means to people: how often somebody could guess right.

Room: display. Who thinks two tables that are neighbours equally likely, and sees what was published, holds the one that
is behind it for likely with probability at most e**epsilon / (1 + e**epsilon): a ratio of likelihoods of at most
e**epsilon, beside even odds.                                                                     theory: planning (39)
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.exact import Enclosure, decided_ceil, enclose, exp_enclosure

CASES = 100
SURE = 5  # e**5 / (1 + e**5) > 99/100: from here on all cases


def guessed_right(epsilon: Fraction) -> int:
    """Return in how many of 100 cases, rounded up, somebody guesses right who would do so in 50 without the release.

    >>> [guessed_right(Fraction(each)) for each in ("1/2", "1", "5", "0")]
    [63, 74, 100, 50]
    """
    assert epsilon >= 0
    if epsilon >= SURE:
        return CASES

    def cases(precision: int) -> Enclosure:  # irrational but for 0, where it is a point
        return enclose(CASES) / (1 + exp_enclosure(-epsilon, precision))

    return decided_ceil(cases)


def right_in(epsilon: Fraction) -> str:
    """Return in how many of 100 cases, within a sentence: no number is said to be the most where all could be.

    >>> right_in(Fraction(1)), right_in(Fraction(6))
    ('at most 74 of 100', 'perhaps all of 100')
    """
    right = guessed_right(epsilon)
    return f"perhaps all of {CASES}" if right == CASES else f"at most {right} of {CASES}"


def odds_in_words(epsilon: Fraction, secret: str, *, seen: str = "what is published") -> str:
    """Return what so much epsilon allows somebody to learn who knows everything but the secret.

    secret   what is protected, as an indirect question: "whether this row is in the table"
    seen     what so much epsilon was paid for, where more than this is published

    >>> odds_in_words(Fraction(1, 2), "whether this row is in the table")
    'Somebody who knows everything else, and would guess right in 50 of 100 cases whether this row is in the table, is \
right in at most 63 of them after seeing what is published.'
    """
    right = guessed_right(epsilon)
    told = "could be right in all of them" if right == CASES else f"is right in at most {right} of them"
    return (
        f"Somebody who knows everything else, and would guess right in 50 of {CASES} cases {secret}, {told} after "
        f"seeing {seen}."
    )
