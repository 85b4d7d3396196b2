"""One entry that is no number: the sum becomes NaN, with any noise, and so tells that the entry was there.

No clamp helps: NaN is neither above nor below. An error is no better than NaN; the event counts both.
Source: what IEEE 754 says of NaN; found in libraries by replaying releases on neighbouring tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from snapdp.errors import SnapdpError
from snapdp.lab.attacks import peers, textbook
from snapdp.lab.attacks.attack import Attack, Distinguisher, Releases, Trials, one_by_one
from snapdp.lab.attacks.statistics import numbers_between, released

BOUNDS = (0, 1)
FEW = 200  # a row that is always given away needs no large sample


GIVEN_AWAY = Distinguisher(  # there is no number; an error counts as NaN where it is one
    event=math.isnan,
    neighbours=([0.5, math.nan, 0.25], [0.5, 0.75, 0.25]),
    inputs=("with NaN", "without it"),
    claimed=Fraction(1, 2),
)
CLAIMED = GIVEN_AWAY.claimed


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
    except SnapdpError:
        return or_nan(lambda cells: float(releases(cells, 1)[0]))(rows, trials)


def _of_opendp(_: Trials) -> tuple[Releases, Fraction]:
    release, claimed = peers.opendp_sum(CLAIMED, BOUNDS, rows=len(GIVEN_AWAY.neighbours[1]))
    return or_nan(release), claimed


ATTACKS = (
    Attack(
        name="nan-output",
        title="an entry that is no number",
        source="IEEE 754",
        assumes="The attacker sees one output, or that there is none.",
        event="The output is NaN, or an error. More likely with NaN. Fixed before the sample.",
        neighbours="The sum of 0.5, NaN, 0.25 and of 0.5, 0.75, 0.25, between 0 and 1; one row changes.",
        against=GIVEN_AWAY.against(
            numpy=lambda trials: textbook.of_rows(
                trials.generator(), textbook.computed("sum", BOUNDS), BOUNDS[1] / float(CLAIMED)
            ),
            snapdp=lambda _: our_outputs,
            diffprivlib=lambda _: or_nan(peers.diffprivlib_statistic("sum", CLAIMED, BOUNDS)),
            opendp=_of_opendp,
            python_dp=lambda _: or_nan(peers.python_dp_sum(CLAIMED, BOUNDS)),
        ),
        trials=FEW,
        claimed=CLAIMED,
    ),
)
