"""Means: a sum that was rounded, and a denominator that counts the cells that can be read.

Room: attacks. A mean of n rows has noise for the n-th part of the difference of its bounds, because one row moves it by
no more. Two ways to make that false: the sum behind it is rounded, as in `sums`; or cells without a number are left out
of sum and denominator, while the noise is still for n. One cell of a hundred that can be read is the mean.
Ours adds whole numbers exactly. Cells without a number count as what is declared: where they are dropped, sum and count
of the others are released, each with noise for what one row moves it by, and the mean is made of the two.
"""

from __future__ import annotations

import math
from fractions import Fraction

from snapdp.attacks import peers, textbook
from snapdp.attacks.attack import Attack, AttackOutcome, Releases, Trials, compared, one_by_one
from snapdp.attacks.statistics.equal_columns import released
from snapdp.attacks.statistics.sums import BOUNDS, EIGHT, REPEATED, SOURCE

CLAIMED = Fraction(1)
TRIALS = 300
ROWS = 100
READABLE = tuple((value, *[math.nan] * (ROWS - 1)) for value in (1.0, 0.0))
UNIT = {"kind": "number", "lower": 0, "upper": 1, "missing": "dropped"}


def rounded(releases: Releases, trials: int) -> AttackOutcome:
    """Return how often released means of two columns of eight rows near 2^52 are at least 2^52 + 1."""
    return compared(
        releases,
        lambda output: bool(output >= EIGHT + 1),
        neighbours=(REPEATED.more, REPEATED.less),
        inputs=REPEATED.inputs,
        claimed=CLAIMED,
        trials=trials,
    )


def of_readable(releases: Releases, trials: int) -> AttackOutcome:
    """Return how often released means of a column with one cell that can be read are above 1/2."""
    return compared(
        releases,
        lambda output: bool(output > 0.5),
        neighbours=(READABLE[0], READABLE[1]),
        inputs=("where that cell is 1", "where it is 0"),
        claimed=CLAIMED,
        trials=trials,
    )


def textbook_mean(function: str, trials: Trials, *, rows: int) -> Releases:
    """Return numpy's mean, or nanmean, with noise for bounds that are 1 apart and so many rows."""
    return textbook.of_rows(trials.generator(), textbook.computed(function), float(1 / (CLAIMED * rows)))


def counted_from(lower: int) -> Releases:
    """Return our releases of the mean of a column that is counted from its lower bound, which is added again exactly.

    Near 2^52 doubles are 1 apart: a mean there could not be printed as precisely as it is promised, and a study that
    asks for one is refused, before anything is read. It says to subtract a public number first.
    """
    of_rest = released("mean", {"kind": "integer", "lower": 0, "upper": 1, "missing": 0}, epsilon=CLAIMED)
    return lambda cells, times: [
        lower + Fraction(output) for output in of_rest([cell - lower for cell in cells], times)
    ]


def of_those_who_answered() -> Releases:
    """Return our releases of the mean of the cells that can be read."""
    return released("mean", UNIT, epsilon=CLAIMED)


def _rounded_diffprivlib(trials: Trials) -> AttackOutcome:
    return rounded(one_by_one(peers.diffprivlib_statistic("mean", CLAIMED, BOUNDS)), trials.count)


def _readable_diffprivlib(trials: Trials) -> AttackOutcome:
    return of_readable(one_by_one(peers.diffprivlib_statistic("nanmean", CLAIMED, (0, 1))), trials.count)


ATTACKS = (
    Attack(
        name="rounded-mean",
        title="a mean of a rounded sum",
        source=SOURCE,
        assumes="The attacker sees one released mean, and knows all rows but one.",
        event="The mean is at least 2^52 + 1. More likely where all rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1: all are 2^52 + 1, or the last is 2^52. numpy.mean makes 2^52 of the "
            "second. It moves by 1; noise is for 1/8. To ours the column is given counted from 2^52, as it asks for."
        ),
        against={
            "numpy": lambda trials: rounded(textbook_mean("mean", trials, rows=8), trials.count),
            "snapdp": lambda trials: rounded(counted_from(EIGHT), trials.count),
            "diffprivlib": _rounded_diffprivlib,
        },
        trials=TRIALS,
        claimed=CLAIMED,
    ),
    Attack(
        name="missing-values",
        title="missing values in the denominator",
        source="folklore",
        assumes="The attacker sees one released mean, and knows all rows but one.",
        event="The mean is above 1/2. More likely where the cell is 1. Fixed before the sample.",
        neighbours=(
            "A hundred rows between 0 and 1, of which 99 are NaN and one is 1, or 0. The mean of the readable cells "
            "moves by 1; noise is for 1/100."
        ),
        against={
            "numpy": lambda trials: of_readable(textbook_mean("nanmean", trials, rows=ROWS), trials.count),
            "snapdp": lambda trials: of_readable(of_those_who_answered(), trials.count),
            "diffprivlib": _readable_diffprivlib,
        },
        trials=TRIALS,
        claimed=CLAIMED,
    ),
)
