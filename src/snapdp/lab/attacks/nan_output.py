"""One entry that is no number: the sum becomes NaN, with any noise, and so tells that the entry was there.

No clamp helps: NaN is neither above nor below. An error is no better than NaN; the event counts both.
Source: what IEEE 754 says of NaN; found in libraries by replaying releases on neighbouring tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import snapdp
from snapdp.lab.attacks import peers, textbook
from snapdp.lab.attacks.attack import Attack, AttackOutcome, Releases, Trials, compared, one_by_one
from snapdp.lab.attacks.statistics import numbers_between, released

CLAIMED = Fraction(1, 2)
BOUNDS = (0, 1)
WITH_NAN, WITHOUT = [0.5, math.nan, 0.25], [0.5, 0.75, 0.25]
FEW = 200  # a row that is always given away needs no large sample


def given_away(releases: Releases, trials: int, claimed: Fraction = CLAIMED) -> AttackOutcome:
    """Return how often there is no number, for rows with and without NaN; an error counts as NaN where it is one."""
    return compared(
        releases,
        math.isnan,
        neighbours=(WITH_NAN, WITHOUT),
        inputs=("with NaN", "without it"),
        claimed=claimed,
        trials=trials,
    )


def or_nan(release: Callable[[Sequence[float]], float]) -> Releases:
    """Return releases in turn; one that fails is an output, too: whoever waits for it sees that."""

    def output(rows: Sequence[float]) -> float:
        try:
            return release(rows)
        except Exception:  # of any kind: an attacker needs no more than that there was one
            return math.nan

    return one_by_one(output)


def our_outputs(rows: Sequence[float], trials: int) -> Iterable[float]:
    """Return our sums of a table of equal columns; where that fails, of a table for each: every one is its own trial.

    An error of ours after the charge says nothing of its cause, and still would say that there was one.
    """
    releases = released("sum", numbers_between(BOUNDS), epsilon=CLAIMED)
    try:
        return releases(rows, trials)
    except snapdp.SnapdpError:
        return or_nan(lambda cells: float(releases(cells, 1)[0]))(rows, trials)


def _of_textbook(trials: Trials) -> AttackOutcome:
    statistic = textbook.computed("sum", BOUNDS)
    return given_away(textbook.of_rows(trials.generator(), statistic, BOUNDS[1] / float(CLAIMED)), trials.count)


def _of_opendp(trials: Trials) -> AttackOutcome:
    release, claimed = peers.opendp_sum(CLAIMED, BOUNDS, rows=len(WITHOUT))
    return given_away(or_nan(release), trials.count, claimed)


ATTACKS = (
    Attack(
        name="nan-output",
        title="an entry that is no number",
        source="IEEE 754",
        assumes="The attacker sees one output, or that there is none.",
        event="The output is NaN, or an error. More likely with NaN. Fixed before the sample.",
        neighbours="The sum of 0.5, NaN, 0.25 and of 0.5, 0.75, 0.25, between 0 and 1; one row changes.",
        against={
            "numpy": _of_textbook,
            "snapdp": lambda trials: given_away(our_outputs, trials.count),
            "diffprivlib": lambda trials: given_away(
                or_nan(peers.diffprivlib_statistic("sum", CLAIMED, BOUNDS)), trials.count
            ),
            "opendp": _of_opendp,
            "python-dp": lambda trials: given_away(or_nan(peers.python_dp_sum(CLAIMED, BOUNDS)), trials.count),
        },
        trials=FEW,
        claimed=CLAIMED,
    ),
)
