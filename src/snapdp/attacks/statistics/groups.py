"""Sums and counts of grouped rows: by how much a group moves where all its rows change, and where groups are merged.

Room: attacks. Noise for a group is for the most by which one unit of privacy moves it. Two ways to make that too small.
The rows of a group are at most k; if all of them change, k rows go and k come, and a sum moves by 2k of the largest
cells, not by k. And a person in at most 100 groups, with one row in each, moves 100 counts by 1, which costs Gaussian
noise the root of 100; where the groups are merged after that was promised, one count moves by 100.
Ours knows both: under change-one a row that changes leaves one group and enters another, and the rows that are kept of
each person are counted over the whole table, whatever the groups are.
One release has many groups. The noise of a group depends on no other, so each group is a trial of its own: the two
tables of a trial differ in the rows of this group.
Theory: docs/theory/attacks.md, (10), (11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import snapdp
from snapdp.attacks import peers, textbook
from snapdp.attacks.attack import Attack, AttackOutcome, Releases, Trials, compared, one_by_one
from snapdp.attacks.bounds import loss_allowed_by_rho, probability_at_least
from snapdp.attacks.statistics.equal_columns import released_once
from snapdp.values import replaced

CLAIMED = Fraction(1)
ROWS, LARGEST = 3, 10  # of a group: so many rows, each between -10 and 10
SUM_TRIALS, OUR_SUM_TRIALS = 10_000, 2_500  # of 10,000 one sees a loss of 1.8 where it is 2
GROUPS, RHO = 100, Fraction(1, 2)  # in which a person has one row each
COUNT_TRIALS = 1_000
IN_ONE_RELEASE = 500


def changed(releases: Releases, trials: int, *, claimed: Fraction = CLAIMED) -> AttackOutcome:
    """Return how often the released sum of a group of three rows is 30 or more: all rows are 10, or all are -10."""
    return compared(
        releases,
        lambda output: bool(output >= ROWS * LARGEST),
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
        n=ROWS * groups,
        columns={
            "group": {"kind": "category", "categories": names},
            "x": {"kind": "integer", "lower": -LARGEST, "upper": LARGEST, "missing": 0},
        },
        statistic=[{"kind": "sum", "column": "x", "by": "group", "epsilon": str(CLAIMED / ROWS)}],
    )
    table = {"group": np.array(names * ROWS), "x": np.full(ROWS * groups, cell)}
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
    release = textbook.laplace(trials.generator(), float(ROWS * LARGEST / CLAIMED))
    return changed(one_by_one(lambda cell: release(float(ROWS * cell))), trials.count)


def _textbook_count(trials: Trials) -> AttackOutcome:
    """Gaussian noise whose rho is 1/2 where 100 counts move by 1 each, on their sum."""
    generator = trials.generator()
    spread = float(GROUPS / (2 * RHO)) ** 0.5
    return merged_under_rho(one_by_one(lambda n: generator.normal(n * GROUPS, spread)), trials.count)


def _opendp_sum(trials: Trials) -> AttackOutcome:
    release, claimed = peers.opendp_group_sum(CLAIMED, rows=ROWS, largest=LARGEST)
    return changed(one_by_one(release), trials.count, claimed=claimed)


def _opendp_count(trials: Trials) -> AttackOutcome:
    release, rho = peers.opendp_merged_count(groups=GROUPS)
    return merged_under_rho(one_by_one(release), trials.count, rho=rho)


ATTACKS = (
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
