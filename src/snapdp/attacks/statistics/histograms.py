"""A histogram where a row may change: it leaves one bin and enters another, and the textbook pays for one of them.

Room: attacks. Noise of scale 1/epsilon on every bin is right where a row appears or disappears. Where the number of
rows is public a row changes, two bins move, and the loss is twice epsilon. An event about one bin shows nothing of it;
this one is about both.
One release has many pairs of bins. The noise of a bin depends on no other, so each pair is a trial of its own: the two
tables of a trial differ in one row of this pair.
Theory: docs/theory/attacks.md, (9).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import snapdp
from snapdp.attacks import textbook
from snapdp.attacks.attack import Attack, AttackOutcome, Releases, compared
from snapdp.attacks.statistics.equal_columns import released_once

CLAIMED = Fraction(1)
BEFORE, AFTER = (11, 9), (10, 10)  # rows in the two bins of a pair
PAIRS = 500  # of one release: their bins are listed in the record itself
TRIALS = 2_500

Counts = tuple[int, int]


def is_unbalanced(output: tuple[float, float]) -> bool:
    """Tell whether the first bin has 11 rows or more, and the second 9 or fewer."""
    return output[0] >= BEFORE[0] and output[1] <= BEFORE[1]


def substituted(releases: Releases, trials: int) -> AttackOutcome:
    """Return how often both bins show that the row is in the first of them.

    releases   of the rows in two bins
    """
    return compared(
        releases,
        is_unbalanced,
        neighbours=(BEFORE, AFTER),
        inputs=("with the row in the first bin", "with it in the second"),
        claimed=CLAIMED,
        trials=trials,
    )


def our_bins(rows: Counts, times: int) -> Iterable[tuple[float, float]]:
    """Return our releases: a histogram of pairs of bins, of a table in which a row may change."""
    for start in range(0, times, PAIRS):
        yield from _released(rows, min(PAIRS, times - start))


def _released(rows: Counts, pairs: int) -> list[tuple[float, float]]:
    firsts, seconds = ([f"{bin_name}{pair}" for pair in range(pairs)] for bin_name in ("first", "second"))
    study = snapdp.study(
        dataset="attacked",
        relation="change-one",
        n=pairs * sum(rows),
        columns={"bin": {"kind": "category", "categories": [*firsts, *seconds]}},
        statistic=[{"kind": "histogram", "column": "bin", "epsilon": str(CLAIMED)}],
    )
    import numpy as np

    table = {"bin": np.array(firsts * rows[0] + seconds * rows[1])}
    found = released_once(study, table, cap=CLAIMED).value
    return [(found[first], found[second]) for first, second in zip(firsts, seconds, strict=True)]


ATTACKS = (
    Attack(
        name="substituted-histogram",
        title="a row that changes its bin",
        source="Kifer and Machanavajjhala 2011",
        assumes="The attacker sees one released histogram, and knows all rows but one; the number of rows is public.",
        event="The first bin has 11 or more and the second 9 or fewer. More likely before. Fixed before the sample.",
        neighbours=(
            "Two bins of 11 and 9 rows, and of 10 and 10: one row changed from the first to the second. The textbook "
            "adds noise of scale 1/epsilon to each bin, as for a row that appears."
        ),
        against={
            "numpy": lambda trials: substituted(textbook.of_bins(trials.generator(), float(1 / CLAIMED)), trials.count),
            "snapdp": lambda trials: substituted(our_bins, trials.count),
        },
        trials=TRIALS,
        claimed=CLAIMED,
    ),
)
