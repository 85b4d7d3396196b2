"""The precision test: near zero a double has more digits than the sum of 1 and noise can keep.

1 plus noise, between -1/2 and 1/2, comes from noise between 1/2 and 3/2, whose last digit is worth at
least 2**-53; the sum is exact. So a finer output was not made of 1. Noise added to 0 keeps all its digits. It needs
nothing but the output: no matter how the noise was drawn, as long as doubles were added.
Source: Haney, Desfontaines, Hartman, Shrestha and Hay 2022 (precision-based attacks).
"""

from __future__ import annotations

from fractions import Fraction

from snapdp.lab.attacks import ours, peers, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher, Run, one_by_one
from snapdp.lab.attacks.statistics import TABLE_TRIALS, numbers_between, released

CLAIMED = Fraction(1, 2)
FINEST = 2.0**53
WORDS = "between -1/2 and 1/2, and no multiple of 2^-53"


def is_too_fine(output: float) -> bool:
    """Tell whether an output is one that 1 plus noise cannot be.

    >>> is_too_fine(0.1), is_too_fine(1.0 - 0.9), is_too_fine(0.6)
    (True, False, False)
    """
    return abs(output) < 0.5 and not (output * FINEST).is_integer()


OF_NUMBERS = Distinguisher(event=is_too_fine, neighbours=(0.0, 1.0), inputs=("for 0", "for 1"), claimed=CLAIMED)


def _against_statistic(kind: str, largest: int) -> dict[str, Run]:
    """Return the runs against a sum or a mean that is 0, or 1; its sensitivity is 2 for these bounds and two rows."""
    bounds, to_one = (-largest, largest), [float(largest), 0.0]
    inputs = ("for rows 0, 0", f"for rows {largest}, 0")
    of_rows = Distinguisher(event=is_too_fine, neighbours=([0.0, 0.0], to_one), inputs=inputs, claimed=CLAIMED)
    statistic = textbook.computed(kind, bounds)
    return of_rows.against(
        numpy=lambda trials: textbook.of_rows(trials.generator(), statistic, 2 / float(CLAIMED)),
        snapdp=lambda _: released(kind, numbers_between(bounds), epsilon=CLAIMED),
        diffprivlib=lambda _: one_by_one(peers.diffprivlib_statistic(kind, CLAIMED, bounds)),
    )


def _attack(
    name: str, title: str, what: str, neighbours: str, against: dict[str, Run], trials: int, fewer: dict[str, int]
) -> Attack:
    return Attack(
        name=name,
        title=title,
        source="Haney et al. 2022",
        assumes="The attacker sees one output with all its digits, and knows nothing of how the noise is drawn.",
        event=f"The output is {WORDS}. More likely where {what} is 0. Fixed before the sample.",
        neighbours=neighbours,
        against=against,
        trials=trials,
        fewer=fewer,
        claimed=CLAIMED,
    )


ATTACKS = (
    _attack(
        "precision",
        "digits near zero",
        "the number",
        "The number 0, and the number 1: sensitivity 1.",
        ours.against_numbers(OF_NUMBERS, textbook.laplace, with_peers=True),
        10_000,
        {"opendp": peers.OPENDP_TRIALS},
    ),
    _attack(
        "precision-of-sum",
        "digits near zero, of a sum",
        "the sum",
        "Rows 0, 0 and rows 1, 0, between -1 and 1; one row changes.",
        _against_statistic("sum", 1),
        2_000,
        {"snapdp": TABLE_TRIALS},
    ),
    _attack(
        "precision-of-mean",
        "digits near zero, of a mean",
        "the mean",
        "Rows 0, 0 and rows 2, 0, between -2 and 2; one row changes.",
        _against_statistic("mean", 2),
        2_000,
        {"snapdp": TABLE_TRIALS},
    ),
)
