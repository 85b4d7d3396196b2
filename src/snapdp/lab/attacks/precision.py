"""The precision test: near zero a double has more digits than the sum of 1 and noise can keep.

1 plus noise, between -1/2 and 1/2, comes from noise between 1/2 and 3/2, whose last digit is worth at
least 2**-53; the sum is exact. So a finer output was not made of 1. Noise added to 0 keeps all its digits. It needs
nothing but the output: no matter how the noise was drawn, as long as doubles were added.
Source: Haney, Desfontaines, Hartman, Shrestha and Hay 2022 (precision-based attacks).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from snapdp.lab.attacks import ours, peers, textbook
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Releases, Run, Trials, compared, counted, one_by_one
from snapdp.lab.attacks.statistics import TABLE_TRIALS, numbers_between, released

CLAIMED = Fraction(1, 2)
FINEST = 2.0**53
NUMBERS = (0.0, 1.0)
TO_ZERO, TO_ONE = [0.0, 0.0], [1.0, 0.0]  # rows whose sum is 0, or 1
TO_MEAN_ONE = [2.0, 0.0]
SUM_BOUNDS, MEAN_BOUNDS = (-1, 1), (-2, 2)
WORDS = "between -1/2 and 1/2, and no multiple of 2^-53"


def is_too_fine(output: float) -> bool:
    """Tell whether an output is one that 1 plus noise cannot be.

    >>> is_too_fine(0.1), is_too_fine(1.0 - 0.9), is_too_fine(0.6)
    (True, False, False)
    """
    return abs(output) < 0.5 and not (output * FINEST).is_integer()


def of_numbers(release: Callable[[float], float], trials: int) -> AttackOutcome:
    """Return how often outputs for 0 and for 1 are too fine."""
    inputs = ("for 0", "for 1")
    return counted(release, is_too_fine, neighbours=NUMBERS, inputs=inputs, claimed=CLAIMED, trials=trials)


def of_rows(releases: Releases, trials: int, *, to_one: Sequence[float]) -> AttackOutcome:
    """Return the same of a statistic of rows that is 0, or 1."""
    return compared(
        releases,
        is_too_fine,
        neighbours=(TO_ZERO, to_one),
        inputs=("for rows 0, 0", f"for rows {to_one[0]:g}, 0"),
        claimed=CLAIMED,
        trials=trials,
    )


def _against_statistics(kind: str, *, to_one: Sequence[float], bounds: tuple[int, int]) -> dict[str, Run]:
    """Return the runs against a sum or a mean, whose sensitivity is 2 for these bounds and two rows."""

    def of_textbook(trials: Trials) -> AttackOutcome:
        statistic = textbook.computed(kind, bounds)
        releases = textbook.of_rows(trials.generator(), statistic, 2 / float(CLAIMED))
        return of_rows(releases, trials.count, to_one=to_one)

    def of_ours(trials: Trials) -> AttackOutcome:
        releases = released(kind, numbers_between(bounds), epsilon=CLAIMED)
        return of_rows(releases, trials.count, to_one=to_one)

    def of_diffprivlib(trials: Trials) -> AttackOutcome:
        release = peers.diffprivlib_statistic(kind, CLAIMED, bounds)
        return of_rows(one_by_one(release), trials.count, to_one=to_one)

    return {"numpy": of_textbook, "snapdp": of_ours, "diffprivlib": of_diffprivlib}


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
        ours.runs_against_numbers(of_numbers, textbook.laplace, CLAIMED),
        10_000,
        {"opendp": peers.OPENDP_TRIALS},
    ),
    _attack(
        "precision-of-sum",
        "digits near zero, of a sum",
        "the sum",
        "Rows 0, 0 and rows 1, 0, between -1 and 1; one row changes.",
        _against_statistics("sum", to_one=TO_ONE, bounds=SUM_BOUNDS),
        2_000,
        {"snapdp": TABLE_TRIALS},
    ),
    _attack(
        "precision-of-mean",
        "digits near zero, of a mean",
        "the mean",
        "Rows 0, 0 and rows 2, 0, between -2 and 2; one row changes.",
        _against_statistics("mean", to_one=TO_MEAN_ONE, bounds=MEAN_BOUNDS),
        2_000,
        {"snapdp": TABLE_TRIALS},
    ),
)
