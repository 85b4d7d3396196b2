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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import snapdp
from snapdp.lab.attacks import peers, textbook
from snapdp.lab.attacks.attack import (
    Attack,
    AttackOutcome,
    Releases,
    Run,
    Trials,
    compared,
    loss_allowed_by_rho,
    one_by_one,
    probability_at_least,
)
from snapdp.values import Value, replaced

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

    def releases(cells: Cells, times: int) -> list[Any]:
        found: list[Any] = []
        while len(found) < times:
            found += _released(kind, column, epsilon, cells, min(COLUMNS, times - len(found)))
        return found

    return releases


def _released(kind: str, column: Mapping[str, Any], epsilon: Fraction, cells: Cells, copies: int) -> list[Any]:
    import numpy as np

    names = [f"x{copy}" for copy in range(copies)]
    study = snapdp.study(
        dataset="attacked",
        relation="change-one",
        n=len(cells),
        columns=dict.fromkeys(names, column),
        statistic=[{"kind": kind, "column": name, "epsilon": str(epsilon)} for name in names],
    )
    table = dict.fromkeys(names, np.array(cells))
    return list(released_once(study, table, cap=epsilon * copies).values.values())


def released_once(study: snapdp.Study, table: Any, *, cap: Fraction) -> snapdp.Release:
    """Return one release, charged to a ledger that is forgotten afterwards."""
    with tempfile.TemporaryDirectory() as directory, snapdp.Ledger.create(Path(directory) / "a.ledger") as ledger:
        ledger.create_account_for(study, cap=cap)
        return study.release(table, ledger=ledger, directory=directory)


# Sums in finite arithmetic

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

    scale = float(1 / CLAIMED)
    return lambda trials: summed(textbook.of_rows(trials.generator(), total, scale), pair, trials.count)


def _of_ours(pair: SumPair) -> Run:
    return lambda trials: summed(our_sum(pair), pair, trials.count)


def _of_opendp(trials: Trials) -> AttackOutcome:
    release, claimed = peers.opendp_sum(CLAIMED, BOUNDS, rows=len(REPEATED.more))
    return summed(one_by_one(release), REPEATED, trials.count, claimed=claimed)


def _of_python_dp(trials: Trials) -> AttackOutcome:
    """Its epsilon is for a row that appears; a row that changes loses it twice."""
    return summed(one_by_one(peers.python_dp_sum(CLAIMED / 2, BOUNDS)), REPEATED, trials.count)


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
        against={
            "numpy": _of_textbook(REPEATED, numpy_sum),
            "snapdp": _of_ours(REPEATED),
            "diffprivlib": lambda trials: summed(
                one_by_one(peers.diffprivlib_statistic("sum", CLAIMED, BOUNDS)), REPEATED, trials.count
            ),
            "opendp": _of_opendp,
            "python-dp": _of_python_dp,
        },
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
        against={"numpy": _of_textbook(ONCE, math.fsum), "snapdp": _of_ours(ONCE)},
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
        against={"numpy": _of_textbook(REORDERED, running_total), "snapdp": _of_ours(REORDERED)},
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
        against={"numpy": _of_textbook(OVERFLOWING, numpy_sum), "snapdp": _of_ours(OVERFLOWING)},
    ),
)

# Means

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
        against={
            "numpy": lambda trials: rounded(textbook_mean("mean", trials, rows=8), trials.count),
            "snapdp": lambda trials: rounded(counted_from(EIGHT), trials.count),
            "diffprivlib": lambda trials: rounded(
                one_by_one(peers.diffprivlib_statistic("mean", CLAIMED, BOUNDS)), trials.count
            ),
        },
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
        against={
            "numpy": lambda trials: of_readable(textbook_mean("nanmean", trials, rows=ROWS), trials.count),
            "snapdp": lambda trials: of_readable(of_those_who_answered(), trials.count),
            "diffprivlib": lambda trials: of_readable(
                one_by_one(peers.diffprivlib_statistic("nanmean", CLAIMED, (0, 1))), trials.count
            ),
        },
    ),
)

# A histogram where a row may change

BEFORE, AFTER = (11, 9), (10, 10)  # rows in the two bins of a pair
PAIRS = 500  # of one release: their bins are listed in the record itself
HISTOGRAMS_TRIALS = 2_500

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
        yield from _histograms_released(rows, min(PAIRS, times - start))


def _histograms_released(rows: Counts, pairs: int) -> list[tuple[float, float]]:
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
        against={
            "numpy": lambda trials: substituted(textbook.of_bins(trials.generator(), float(1 / CLAIMED)), trials.count),
            "snapdp": lambda trials: substituted(our_bins, trials.count),
        },
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


def changed(releases: Releases, trials: int, *, claimed: Fraction = CLAIMED) -> AttackOutcome:
    """Return how often the released sum of a group of three rows is 30 or more: all rows are 10, or all are -10."""
    return compared(
        releases,
        lambda output: bool(output >= GROUPS_ROWS * LARGEST),
        neighbours=(LARGEST, -LARGEST),
        inputs=("where all three rows are 10", "where all are -10"),
        claimed=claimed,
        trials=trials,
    )


def merged(releases: Releases, trials: int) -> AttackOutcome:
    """Return how often the released count of two persons' rows, or of one's, is 150 or more."""
    return compared(
        releases,
        lambda output: bool(output >= 3 * GROUPS // 2),
        neighbours=(2, 1),
        inputs=("with the person", "without"),
        claimed=CLAIMED,
        trials=trials,
    )


def merged_under_rho(releases: Releases, trials: int, *, rho: Fraction = RHO) -> AttackOutcome:
    """Return the same of a release that claims rho-zCDP: the claim is what rho allows an event as likely as this."""
    found = merged(releases, trials)
    assert found.counts is not None
    likely = probability_at_least(found.counts[0])
    if not likely:
        return found  # the event was never seen: nothing is shown
    allowed = loss_allowed_by_rho(rho, likely)
    return replaced(
        found, claimed=allowed, said=f"{found.said}; rho is {float(rho)}, which allows {float(allowed):.2f}"
    )


def _in_groups(release: Callable[[int, int], list[float]]) -> Releases:
    """Return releases of as many groups as are asked for, so many in each release of a table."""

    def releases(value: int, times: int) -> Iterator[float]:
        for start in range(0, times, IN_ONE_RELEASE):
            yield from release(value, min(IN_ONE_RELEASE, times - start))

    return releases


def our_sums(cell: int, groups: int) -> list[float]:
    """Return our sums of groups of three equal cells: a third of epsilon for each row that changes, so 1 for three."""
    import numpy as np

    names = [f"group{i}" for i in range(groups)]
    study = snapdp.study(
        dataset="attacked",
        relation="change-one",
        n=GROUPS_ROWS * groups,
        columns={
            "group": {"kind": "category", "categories": names},
            "x": {"kind": "integer", "lower": -LARGEST, "upper": LARGEST, "missing": 0},
        },
        statistic=[{"kind": "sum", "column": "x", "by": "group", "epsilon": str(CLAIMED / GROUPS_ROWS)}],
    )
    table = {"group": np.array(names * GROUPS_ROWS), "x": np.full(GROUPS_ROWS * groups, cell)}
    return list(released_once(study, table, cap=CLAIMED).value.values())


def our_counts(persons: int, worlds: int) -> list[float]:
    """Return our counts of the rows of one person or two, of whom 100 rows are kept, in each of so many worlds."""
    import numpy as np

    names = [f"world{i}" for i in range(worlds)]
    rows = persons * worlds * GROUPS
    study = snapdp.study(
        dataset="attacked",
        relation="add-remove",
        n_max=2 * worlds * GROUPS,
        person="person",
        rows_per_person=GROUPS,
        columns={"world": {"kind": "category", "categories": names}},
        statistic=[{"kind": "histogram", "column": "world", "epsilon": str(CLAIMED)}],
    )
    table = {"world": np.repeat(names, persons * GROUPS), "person": np.repeat(np.arange(rows // GROUPS), GROUPS)}
    return list(released_once(study, table, cap=CLAIMED).value.values())


def _textbook_sum(trials: Trials) -> AttackOutcome:
    release = textbook.laplace(trials.generator(), float(GROUPS_ROWS * LARGEST / CLAIMED))
    return changed(one_by_one(lambda cell: release(float(GROUPS_ROWS * cell))), trials.count)


def _textbook_count(trials: Trials) -> AttackOutcome:
    """Gaussian noise whose rho is 1/2 where 100 counts move by 1 each, on their sum."""
    generator = trials.generator()
    spread = float(GROUPS / (2 * RHO)) ** 0.5
    return merged_under_rho(one_by_one(lambda n: generator.normal(n * GROUPS, spread)), trials.count)


def _opendp_sum(trials: Trials) -> AttackOutcome:
    release, claimed = peers.opendp_group_sum(CLAIMED, rows=GROUPS_ROWS, largest=LARGEST)
    return changed(one_by_one(release), trials.count, claimed=claimed)


def _opendp_count(trials: Trials) -> AttackOutcome:
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
        against={
            "numpy": _textbook_sum,
            "snapdp": lambda trials: changed(_in_groups(our_sums), trials.count),
            "opendp": _opendp_sum,
        },
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
            "numpy": _textbook_count,
            "snapdp": lambda trials: merged(_in_groups(our_counts), trials.count),
            "opendp": _opendp_count,
        },
        trials=COUNT_TRIALS,
    ),
)

ATTACKS = (*_SUMS_ATTACKS, *_MEANS_ATTACKS, *_HISTOGRAMS_ATTACKS, *_GROUPS_ATTACKS)
