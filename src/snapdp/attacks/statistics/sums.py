"""Sums in finite arithmetic: neighbouring tables whose sums differ by 1, and whose computed sums differ by more.

Room: attacks. The noise is for 1, the difference of the bounds, because a row that changes changes a sum by no more.
The columns lie far from zero, where a double holds no fractions and a sum of several rows no units: each addition
rounds. `math.fsum` rounds once, at the end, and that suffices; additions one by one depend on the order of rows, which
a table does not have; sums of integers wrap around. Ours adds whole numbers of any size, and rounds nothing.
The event is decided by the released number. It is the same for every target, and fixed before the sample.
Theory: docs/theory/attacks.md, (8).
Source: Casacuberta, Shoemate, Vadhan and Wagaman 2022.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from snapdp.attacks import peers, textbook
from snapdp.attacks.attack import Attack, AttackOutcome, Releases, Run, Trials, compared, one_by_one
from snapdp.attacks.statistics.equal_columns import Cells, released
from snapdp.values import Value

SOURCE = "Casacuberta et al. 2022"
CLAIMED = Fraction(1)
TRIALS = 300
numpy_sum = textbook.computed("sum")  # adds eight or more numbers by pairs of pairs

EIGHT, THIRTY_TWO = 2**52, 2**49  # lower bounds of columns of so many rows; the upper bound is 1 more
BOUNDS = (EIGHT, EIGHT + 1)
WIDE = 2**60  # an upper bound of eight integers


class SumPair(Value):
    """Two columns with bounds one apart that differ in one row, and the event in the released sum.

    more, less   the column that makes the event more likely in the textbook, and its neighbour
    threshold    the sum is at least this, or, where `is_below`, at most
    inputs       both columns in words
    """

    lower: int
    more: Cells
    less: Cells
    threshold: int
    is_below: bool = False
    inputs: tuple[str, str]

    def event(self, output: Any) -> bool:
        """Tell whether a released number shows it; whole numbers and doubles are compared exactly by Python."""
        return bool(output <= self.threshold if self.is_below else output >= self.threshold)


def ones(lower: int, *pattern: int) -> tuple[float, ...]:
    """Return a column of doubles: the lower bound, or 1 more, as the pattern says."""
    return tuple(float(lower + extra) for extra in pattern)


REPEATED = SumPair(
    lower=EIGHT,
    more=ones(EIGHT, *[1] * 8),
    less=ones(EIGHT, *[1] * 7, 0),
    threshold=8 * EIGHT + 8,
    inputs=("where all rows have the unit", "where one has not"),
)
ONCE = SumPair(
    lower=EIGHT,
    more=ones(EIGHT, *[1] * 5, *[0] * 3),
    less=ones(EIGHT, *[1] * 4, *[0] * 4),
    threshold=8 * EIGHT + 8,
    inputs=("where five rows have the unit", "where four have it"),
)
REORDERED = SumPair(
    lower=THIRTY_TWO,
    more=ones(THIRTY_TWO, *[1] * 16, *[0] * 16),
    less=ones(THIRTY_TWO, *[0] * 17, *[1] * 15),
    threshold=32 * THIRTY_TWO + 16,
    inputs=("with 16 units first", "with 15 units last"),
)
OVERFLOWING = SumPair(
    lower=WIDE - 1,
    more=(WIDE,) * 8,
    less=(WIDE,) * 7 + (WIDE - 1,),
    threshold=2**63 - 8,
    is_below=True,
    inputs=("where the sum is 2^63", "where it is 2^63 - 1"),
)


def summed(releases: Releases, pair: SumPair, trials: int, *, claimed: Fraction = CLAIMED) -> AttackOutcome:
    """Return how often released sums of the two columns show the event."""
    return compared(
        releases, pair.event, neighbours=(pair.more, pair.less), inputs=pair.inputs, claimed=claimed, trials=trials
    )


def running_total(cells: Any) -> float:
    """Return the sum of a column of a table of numpy, which adds row after row."""
    import numpy as np

    return float(np.sum(np.stack([cells, cells], axis=1), axis=0)[0])


def our_sum(pair: SumPair) -> Releases:
    """Return our releases of the sum: a study of a column of whole numbers between the bounds."""
    column = {"kind": "integer", "lower": pair.lower, "upper": pair.lower + 1, "missing": pair.lower}
    return released("sum", column, epsilon=CLAIMED)


def _of_textbook(pair: SumPair, total: textbook.OfArray) -> Run:
    """Return the run against a computed sum, with noise for bounds that are 1 apart."""

    def run(trials: Trials) -> AttackOutcome:
        return summed(textbook.of_rows(trials.generator(), total, float(1 / CLAIMED)), pair, trials.count)

    return run


def _of_ours(pair: SumPair) -> Run:
    return lambda trials: summed(our_sum(pair), pair, trials.count)


def _of_diffprivlib(trials: Trials) -> AttackOutcome:
    return summed(one_by_one(peers.diffprivlib_statistic("sum", CLAIMED, BOUNDS)), REPEATED, trials.count)


def _of_opendp(trials: Trials) -> AttackOutcome:
    release, claimed = peers.opendp_sum(CLAIMED, BOUNDS, rows=len(REPEATED.more))
    return summed(one_by_one(release), REPEATED, trials.count, claimed=claimed)


def _of_python_dp(trials: Trials) -> AttackOutcome:
    """Its epsilon is for a row that appears; a row that changes loses it twice."""
    return summed(one_by_one(peers.python_dp_sum(CLAIMED / 2, BOUNDS)), REPEATED, trials.count)


ATTACKS = (
    Attack(
        name="rounded-sum",
        title="a sum that is rounded repeatedly",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at least 2^55 + 8. More likely where all rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1: all are 2^52 + 1, or the last is 2^52. The sums are 2^55 + 8 and "
            "2^55 + 7; numpy.sum rounds three times and makes 2^55 of the second. It moves by 8; noise is for 1."
        ),
        against={
            "numpy": _of_textbook(REPEATED, numpy_sum),
            "snapdp": _of_ours(REPEATED),
            "diffprivlib": _of_diffprivlib,
            "opendp": _of_opendp,
            "python-dp": _of_python_dp,
        },
        trials=TRIALS,
        claimed=CLAIMED,
    ),
    Attack(
        name="sum-rounded-once",
        title="a sum that is rounded once",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at least 2^55 + 8. More likely where five rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1, of which five are 2^52 + 1, or four. The sums are 2^55 + 5 and "
            "2^55 + 4; doubles there are 8 apart, and math.fsum makes 2^55 + 8 and 2^55 of them. Noise is for 1."
        ),
        against={"numpy": _of_textbook(ONCE, math.fsum), "snapdp": _of_ours(ONCE)},
        trials=TRIALS,
        claimed=CLAIMED,
    ),
    Attack(
        name="reordered-sum",
        title="rows in another order",
        source=SOURCE,
        assumes="The attacker sees one released sum, knows all rows but one, and in which order each table is read.",
        event="The sum is at least 2^54 + 16. More likely where the units come first. Fixed before the sample.",
        neighbours=(
            "Thirty-two rows between 2^49 and 2^49 + 1: 16 are 2^49 + 1 and come first, or 15 are and come last. "
            "The tables differ in one row; the order in which rows are read is no part of a table. A running total "
            "keeps units that come first and loses those that come last: it moves by 16. Noise is for 1."
        ),
        against={"numpy": _of_textbook(REORDERED, running_total), "snapdp": _of_ours(REORDERED)},
        trials=TRIALS,
        claimed=CLAIMED,
    ),
    Attack(
        name="overflowing-sum",
        title="a sum that wraps around",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at most 2^63 - 8. More likely in wrapped sums of 2^63. Fixed before the sample.",
        neighbours=(
            "Eight whole numbers between 2^60 - 1 and 2^60: all are 2^60, or the last is 2^60 - 1. The sums are 2^63 "
            "and 2^63 - 1; integers of 64 bits end at 2^63 - 1, and the first sum becomes -2^63. Noise is for 1."
        ),
        against={"numpy": _of_textbook(OVERFLOWING, numpy_sum), "snapdp": _of_ours(OVERFLOWING)},
        trials=TRIALS,
        claimed=CLAIMED,
    ),
)
