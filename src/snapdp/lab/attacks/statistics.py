"""Attacks on sums, means, histograms and grouped rows, and releases of them as a user makes them.

Ours are called as a user calls them: a study, a ledger, a release. Where one column is attacked, every column of the
table is a copy of it and pays an epsilon of its own, so one release has as many independent numbers as columns; of
histograms and groups, whose noise depends on no other bin, each pair of bins or each group is a trial of its own. All
events are decided by the released number, are the same for every target, and are fixed before the sample.

Sums: neighbouring tables whose sums differ by 1, and whose computed sums differ by more. The columns lie far from zero,
where a double holds no fractions and a sum of several rows no units: each addition rounds. `math.fsum` rounds once, at
the end, and that suffices; additions one by one depend on the order of rows, which a table does not have; sums of
integers wrap around. Ours adds whole numbers of any size. Theory: docs/theory/attacks.md, (8). Source: Casacuberta,
Shoemate, Vadhan and Wagaman 2022.
Means: the sum behind a mean is rounded, or cells without a number are left out of sum and denominator while the noise
is still for n rows. Ours counts them as what is declared, or releases sum and count, each with its own noise.
Histograms: where the number of rows is public a row changes, two bins move, and noise of scale 1/epsilon on every bin
loses twice epsilon. Theory: docs/theory/attacks.md, (9).
Groups: if all k rows of a group change, k rows go and k come, and a sum moves by 2k of the largest cells; and where
groups are merged after Gaussian noise was chosen for 100 groups with one row of a person each, one count moves by 100.
Ours counts the rows that are kept of each person over the whole table. Theory: docs/theory/attacks.md, (10), (11).
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import snapdp
from snapdp.lab.attacks import peers, textbook
from snapdp.lab.attacks.attack import (
    Attack,
    AttackOutcome,
    Distinguisher,
    Releases,
    Run,
    Trials,
    loss_allowed_by_rho,
    one_by_one,
    probability_at_least,
)
from snapdp.values import replaced

COLUMNS = 100  # of one table
TABLE_TRIALS = 1_000  # outputs of a column where others give thousands: each takes 2 ms

Cells = Sequence[float]


def numbers_between(bounds: tuple[int, int]) -> dict[str, Any]:
    """Return what is declared of a column of numbers: steps of 1/1024; what is no number counts as the lower bound."""
    lower, upper = bounds
    return {"kind": "number", "lower": lower, "upper": upper, "step": "1/1024", "missing": lower}


def released(kind: str, column: Mapping[str, Any], *, epsilon: Fraction) -> Callable[[Cells, int], list[Any]]:
    """Return releases of a statistic of a column: one of its rows may change, and their number is public.

    kind    "sum" or "mean"
    column  what is declared of it, with the keys of a study
    """
    return in_tables(lambda cells, copies: _released(kind, column, epsilon, cells, copies), COLUMNS)


def in_tables(release: Callable[[Any, int], list[Any]], most: int) -> Callable[[Any, int], list[Any]]:
    """Return releases of an input as often as is asked for, by one that takes so many of a table at most."""
    return lambda x, times: [
        output for start in range(0, times, most) for output in release(x, min(most, times - start))
    ]


def _released(kind: str, column: Mapping[str, Any], epsilon: Fraction, cells: Cells, copies: int) -> list[Any]:
    import numpy as np

    names = [f"x{copy}" for copy in range(copies)]
    release = released_once(
        dict.fromkeys(names, np.array(cells)),
        cap=epsilon * copies,
        relation="change-one",
        n=len(cells),
        columns=dict.fromkeys(names, column),
        statistic=[{"kind": kind, "column": name, "epsilon": str(epsilon)} for name in names],
    )
    return list(release.values.values())


def released_once(table: Any, *, cap: Fraction, **study: Any) -> snapdp.Release:
    """Return one release of a study, charged to a ledger that is forgotten afterwards."""
    declared = snapdp.study(dataset="attacked", **study)
    with tempfile.TemporaryDirectory() as directory, snapdp.Ledger.create(Path(directory) / "a.ledger") as ledger:
        ledger.create_account_for(declared, cap=cap)
        return declared.release(table, ledger=ledger, directory=directory)


# Sums in finite arithmetic

SOURCE = "Casacuberta et al. 2022"
CLAIMED = Fraction(1)
TRIALS = 300
numpy_sum = textbook.computed("sum")  # adds eight or more numbers by pairs of pairs

EIGHT, THIRTY_TWO = 2**52, 2**49  # lower bounds of columns of so many rows; the upper bound is 1 more
BOUNDS = (EIGHT, EIGHT + 1)
WIDE = 2**60  # an upper bound of eight integers


# Two columns with bounds one apart that differ in one row. The first makes the event more likely in the textbook: the
# sum is at least a threshold, or at most. Whole numbers and doubles are compared exactly by Python.
def _pair(lower: int, *patterns: list[int], threshold: int, inputs: tuple[str, str]) -> Distinguisher:
    """Return columns of doubles: the lower bound, or 1 more, as the patterns say."""
    return Distinguisher(
        event=lambda output: output >= threshold,
        neighbours=[[float(lower + unit) for unit in pattern] for pattern in patterns],
        inputs=inputs,
        claimed=CLAIMED,
    )


ALL_UNITS = ("where all rows have the unit", "where one has not")
REPEATED = _pair(EIGHT, [1] * 8, [1] * 7 + [0], threshold=2**55 + 8, inputs=ALL_UNITS)
ONCE = _pair(
    EIGHT,
    [1] * 5 + [0] * 3,
    [1] * 4 + [0] * 4,
    threshold=2**55 + 8,
    inputs=("where five rows have the unit", "where four have it"),
)
REORDERED = _pair(
    THIRTY_TWO,
    [1] * 16 + [0] * 16,
    [0] * 17 + [1] * 15,
    threshold=2**54 + 16,
    inputs=("with 16 units first", "with 15 units last"),
)
OVERFLOWING = Distinguisher(
    event=lambda output: output <= 2**63 - 8,
    neighbours=((WIDE,) * 8, (WIDE,) * 7 + (WIDE - 1,)),
    inputs=("where the sum is 2^63", "where it is 2^63 - 1"),
    claimed=CLAIMED,
)


def running_total(cells: Any) -> float:
    """Return the sum of a column of a table of numpy, which adds row after row."""
    import numpy as np

    return float(np.sum(np.stack([cells, cells], axis=1), axis=0)[0])


def our_sum(pair: Distinguisher) -> Releases:
    """Return our releases of the sum: a study of a column of whole numbers between the bounds."""
    lower = int(min(map(min, pair.neighbours)))
    column = {"kind": "integer", "lower": lower, "upper": lower + 1, "missing": lower}
    return released("sum", column, epsilon=CLAIMED)


def _against_sum(pair: Distinguisher, total: textbook.OfArray, **of_peers: Callable[[Trials], Any]) -> dict[str, Run]:
    """Return the runs against a computed sum, with noise for bounds that are 1 apart, ours, and peers."""
    scale = float(1 / CLAIMED)
    return pair.against(
        numpy=lambda trials: textbook.of_rows(trials.generator(), total, scale),
        snapdp=lambda _: our_sum(pair),
        **of_peers,
    )


def _of_opendp(_: Trials) -> tuple[Releases, Fraction]:
    release, claimed = peers.opendp_sum(CLAIMED, BOUNDS, rows=8)
    return one_by_one(release), claimed


_few_trials = partial(Attack, trials=TRIALS, claimed=CLAIMED)
_SUMS_ATTACKS = (
    _few_trials(
        name="rounded-sum",
        title="a sum that is rounded repeatedly",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at least 2^55 + 8. More likely where all rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1: all are 2^52 + 1, or the last is 2^52. The sums are 2^55 + 8 and "
            "2^55 + 7; numpy.sum rounds three times and makes 2^55 of the second. It moves by 8; noise is for 1."
        ),
        against=_against_sum(
            REPEATED,
            numpy_sum,
            diffprivlib=lambda _: one_by_one(peers.diffprivlib_statistic("sum", CLAIMED, BOUNDS)),
            opendp=_of_opendp,
            # its epsilon is for a row that appears; a row that changes loses it twice
            python_dp=lambda _: one_by_one(peers.python_dp_sum(CLAIMED / 2, BOUNDS)),
        ),
    ),
    _few_trials(
        name="sum-rounded-once",
        title="a sum that is rounded once",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at least 2^55 + 8. More likely where five rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1, of which five are 2^52 + 1, or four. The sums are 2^55 + 5 and "
            "2^55 + 4; doubles there are 8 apart, and math.fsum makes 2^55 + 8 and 2^55 of them. Noise is for 1."
        ),
        against=_against_sum(ONCE, math.fsum),
    ),
    _few_trials(
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
        against=_against_sum(REORDERED, running_total),
    ),
    _few_trials(
        name="overflowing-sum",
        title="a sum that wraps around",
        source=SOURCE,
        assumes="The attacker sees one released sum, and knows all rows but one.",
        event="The sum is at most 2^63 - 8. More likely in wrapped sums of 2^63. Fixed before the sample.",
        neighbours=(
            "Eight whole numbers between 2^60 - 1 and 2^60: all are 2^60, or the last is 2^60 - 1. The sums are 2^63 "
            "and 2^63 - 1; integers of 64 bits end at 2^63 - 1, and the first sum becomes -2^63. Noise is for 1."
        ),
        against=_against_sum(OVERFLOWING, numpy_sum),
    ),
)

# Means

ROWS = 100
UNIT = {"kind": "number", "lower": 0, "upper": 1, "missing": "dropped"}
ROUNDED_MEAN = Distinguisher(
    event=lambda output: output >= EIGHT + 1, neighbours=REPEATED.neighbours, inputs=ALL_UNITS, claimed=CLAIMED
)
READABLE_MEAN = Distinguisher(
    event=lambda output: output > 0.5,
    neighbours=[[cell, *[math.nan] * (ROWS - 1)] for cell in (1.0, 0.0)],
    inputs=("where that cell is 1", "where it is 0"),
    claimed=CLAIMED,
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


_MEANS_ATTACKS = (
    _few_trials(
        name="rounded-mean",
        title="a mean of a rounded sum",
        source=SOURCE,
        assumes="The attacker sees one released mean, and knows all rows but one.",
        event="The mean is at least 2^52 + 1. More likely where all rows have the unit. Fixed before the sample.",
        neighbours=(
            "Eight rows between 2^52 and 2^52 + 1: all are 2^52 + 1, or the last is 2^52. numpy.mean makes 2^52 of the "
            "second. It moves by 1; noise is for 1/8. To ours the column is given counted from 2^52, as it asks for."
        ),
        against=ROUNDED_MEAN.against(
            numpy=lambda trials: textbook_mean("mean", trials, rows=8),
            snapdp=lambda _: counted_from(EIGHT),
            diffprivlib=lambda _: one_by_one(peers.diffprivlib_statistic("mean", CLAIMED, BOUNDS)),
        ),
    ),
    _few_trials(
        name="missing-values",
        title="missing values in the denominator",
        source="folklore",
        assumes="The attacker sees one released mean, and knows all rows but one.",
        event="The mean is above 1/2. More likely where the cell is 1. Fixed before the sample.",
        neighbours=(
            "A hundred rows between 0 and 1, of which 99 are NaN and one is 1, or 0. The mean of the readable cells "
            "moves by 1; noise is for 1/100."
        ),
        against=READABLE_MEAN.against(
            numpy=lambda trials: textbook_mean("nanmean", trials, rows=ROWS),
            snapdp=lambda _: of_those_who_answered(),
            diffprivlib=lambda _: one_by_one(peers.diffprivlib_statistic("nanmean", CLAIMED, (0, 1))),
        ),
    ),
)

# A histogram where a row may change

BEFORE, AFTER = (11, 9), (10, 10)  # rows in the two bins of a pair
PAIRS = 500  # of one release: their bins are listed in the record itself
HISTOGRAMS_TRIALS = 2_500


def is_unbalanced(output: tuple[float, float]) -> bool:
    """Tell whether the first bin has 11 rows or more, and the second 9 or fewer."""
    return output[0] >= BEFORE[0] and output[1] <= BEFORE[1]


SUBSTITUTED = Distinguisher(
    event=is_unbalanced,
    neighbours=(BEFORE, AFTER),
    inputs=("with the row in the first bin", "with it in the second"),
    claimed=CLAIMED,
)


def our_bins(rows: tuple[int, int], pairs: int) -> list[tuple[float, float]]:
    """Return our histogram of pairs of bins, of a table in which a row may change."""
    import numpy as np

    firsts, seconds = ([f"{bin_name}{pair}" for pair in range(pairs)] for bin_name in ("first", "second"))
    release = released_once(
        {"bin": np.array(firsts * rows[0] + seconds * rows[1])},
        cap=CLAIMED,
        relation="change-one",
        n=pairs * sum(rows),
        columns={"bin": {"kind": "category", "categories": [*firsts, *seconds]}},
        statistic=[{"kind": "histogram", "column": "bin", "epsilon": str(CLAIMED)}],
    )
    return [(release.value[first], release.value[second]) for first, second in zip(firsts, seconds, strict=True)]


_HISTOGRAMS_ATTACKS = (
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
        against=SUBSTITUTED.against(
            numpy=lambda trials: textbook.of_bins(trials.generator(), float(1 / CLAIMED)),
            snapdp=lambda _: in_tables(our_bins, PAIRS),
        ),
        trials=HISTOGRAMS_TRIALS,
        claimed=CLAIMED,
    ),
)

# Sums and counts of grouped rows

GROUPS_ROWS, LARGEST = 3, 10  # of a group: so many rows, each between -10 and 10
SUM_TRIALS, OUR_SUM_TRIALS = 10_000, 2_500  # of 10,000 one sees a loss of 1.8 where it is 2
GROUPS, RHO = 100, Fraction(1, 2)  # in which a person has one row each
COUNT_TRIALS = 1_000
IN_ONE_RELEASE = 500


CHANGED = Distinguisher(
    event=lambda output: output >= GROUPS_ROWS * LARGEST,
    neighbours=(LARGEST, -LARGEST),
    inputs=("where all three rows are 10", "where all are -10"),
    claimed=CLAIMED,
)
MERGED = Distinguisher(  # the rows of two persons, or of one
    event=lambda output: output >= 3 * GROUPS // 2,
    neighbours=(2, 1),
    inputs=("with the person", "without"),
    claimed=CLAIMED,
)


def merged_under_rho(releases: Releases, trials: int, *, rho: Fraction = RHO) -> AttackOutcome:
    """Return the outcome of a release that claims rho-zCDP: the claim is what rho allows an event as likely as this."""
    found = MERGED.run(releases, trials)
    assert found.counts is not None
    likely = probability_at_least(found.counts[0])
    if not likely:
        return found  # the event was never seen: nothing is shown
    allowed = loss_allowed_by_rho(rho, likely)
    return replaced(
        found, claimed=allowed, said=f"{found.said}; rho is {float(rho)}, which allows {float(allowed):.2f}"
    )


def our_sums(cell: int, groups: int) -> list[float]:
    """Return our sums of groups of three equal cells: a third of epsilon for each row that changes, so 1 for three."""
    import numpy as np

    names = [f"group{i}" for i in range(groups)]
    release = released_once(
        {"group": np.array(names * GROUPS_ROWS), "x": np.full(GROUPS_ROWS * groups, cell)},
        cap=CLAIMED,
        relation="change-one",
        n=GROUPS_ROWS * groups,
        columns={
            "group": {"kind": "category", "categories": names},
            "x": {"kind": "integer", "lower": -LARGEST, "upper": LARGEST, "missing": 0},
        },
        statistic=[{"kind": "sum", "column": "x", "by": "group", "epsilon": str(CLAIMED / GROUPS_ROWS)}],
    )
    return list(release.value.values())


def our_counts(persons: int, worlds: int) -> list[float]:
    """Return our counts of the rows of one person or two, of whom 100 rows are kept, in each of so many worlds."""
    import numpy as np

    names = [f"world{i}" for i in range(worlds)]
    people = np.arange(persons * worlds)
    release = released_once(
        {"world": np.repeat(names, persons * GROUPS), "person": np.repeat(people, GROUPS)},
        cap=CLAIMED,
        relation="add-remove",
        n_max=2 * worlds * GROUPS,
        person="person",
        rows_per_person=GROUPS,
        columns={"world": {"kind": "category", "categories": names}},
        statistic=[{"kind": "histogram", "column": "world", "epsilon": str(CLAIMED)}],
    )
    return list(release.value.values())


def _textbook_sum(trials: Trials) -> Releases:
    release = textbook.laplace(trials.generator(), float(GROUPS_ROWS * LARGEST / CLAIMED))
    return one_by_one(lambda cell: release(float(GROUPS_ROWS * cell)))


def _opendp_sum(_: Trials) -> tuple[Releases, Fraction]:
    release, claimed = peers.opendp_group_sum(CLAIMED, rows=GROUPS_ROWS, largest=LARGEST)
    return one_by_one(release), claimed


def _run_textbook_count(trials: Trials) -> AttackOutcome:
    """Gaussian noise whose rho is 1/2 where 100 counts move by 1 each, on their sum."""
    generator = trials.generator()
    spread = float(GROUPS / (2 * RHO)) ** 0.5
    return merged_under_rho(one_by_one(lambda n: generator.normal(n * GROUPS, spread)), trials.count)


def _run_opendp_count(trials: Trials) -> AttackOutcome:
    release, rho = peers.opendp_merged_count(groups=GROUPS)
    return merged_under_rho(one_by_one(release), trials.count, rho=rho)


_GROUPS_ATTACKS = (
    Attack(
        name="changed-group",
        title="a group of which all rows change",
        source="OpenDP issue 2945",
        assumes="The attacker sees the released sum of a group, which has at most three rows, and knows all else.",
        event="The sum is at least 30. More likely where all rows are 10. Fixed before the sample.",
        neighbours=(
            "A group of three rows between -10 and 10: all are 10, or all are -10. Three rows go and three come, and "
            "the sum moves by 60. The textbook adds noise for 30, because a group of three rows holds no more. Ours "
            "takes a third of epsilon for each row that changes."
        ),
        against=CHANGED.against(
            numpy=_textbook_sum, snapdp=lambda _: in_tables(our_sums, IN_ONE_RELEASE), opendp=_opendp_sum
        ),
        trials=SUM_TRIALS,
        fewer={"snapdp": OUR_SUM_TRIALS},
        claimed=CLAIMED,
    ),
    Attack(
        name="redefined-column",
        title="groups merged after a truncation",
        source="OpenDP issue 2949",
        assumes="The attacker sees one released count, and knows the rows of all persons but one.",
        event="The count is at least 150. More likely with the person. Fixed before the sample.",
        neighbours=(
            "Two persons with one row in each of 100 groups, or one of them. Each person is kept in at most 100 "
            "groups; then the column is redefined, and all rows are in one group. The count moves by 100. The textbook "
            "adds Gaussian noise with rho 0.5 for 100 counts that move by 1. Ours keeps 100 rows of each person, "
            "whatever their groups, and adds noise for 100."
        ),
        against={
            "numpy": _run_textbook_count,
            **MERGED.against(snapdp=lambda _: in_tables(our_counts, IN_ONE_RELEASE)),
            "opendp": _run_opendp_count,
        },
        trials=COUNT_TRIALS,
    ),
)

ATTACKS = (*_SUMS_ATTACKS, *_MEANS_ATTACKS, *_HISTOGRAMS_ATTACKS, *_GROUPS_ATTACKS)
