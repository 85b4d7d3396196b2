"""The time of a draw against its noise: a sampler that counts coins takes longer for more noise, and gives it away.

Whoever knows the noise of an output knows the input. The event joins an output and its time; where to
cut the times is chosen on a first half of the draws, and what is counted comes from the second. Inputs take turns in an
order that coins decide: a machine that slows down slows both alike.
A release whose time has nothing to do with its noise stays below its claim here: for outputs in the window the loss is
at most 13/16 of it, whatever the times are; docs/theory/attacks.md, equation (7).
Source: Jin, McMurtry, Rubinstein and Ohrimenko 2022.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter_ns
from typing import TYPE_CHECKING

from snapdp.lab.attacks import ours, textbook
from snapdp.lab.attacks.attack import Attack, AttackOutcome, OfNumber, Trials, measured
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from numpy.random import Generator

CLAIMED = Fraction(1)
REACH = 64  # sensitivity, and the distance of the two inputs
INPUTS = (float(REACH), 0.0)
WINDOW = (REACH * 5 // 8, REACH * 7 // 8)  # outputs to which REACH needs little noise, and 0 much
CUTS = range(1, 10)  # tenths of the times in the window
CHANCE = 3.3  # standard deviations: a correlation that is none goes beyond once in a thousand times

Clock = Callable[[], int]


class TimedDraw(Value):
    """One release: its input, what came out, and the nanoseconds it took."""

    value: float
    output: float
    nanoseconds: int

    @property
    def is_in_window(self) -> bool:
        return WINDOW[0] <= self.output <= WINDOW[1]


class Cut(Value):
    """The event: an output in the window whose draw took at most so long, or longer."""

    nanoseconds: int
    is_fast: bool

    def holds(self, draw: TimedDraw) -> bool:
        return draw.is_in_window and (draw.nanoseconds <= self.nanoseconds) == self.is_fast

    def hits(self, draws: list[TimedDraw]) -> tuple[int, int]:
        """Return how many draws for REACH, and for 0, are in the event."""
        found = [draw.value for draw in draws if self.holds(draw)]
        return found.count(INPUTS[0]), found.count(INPUTS[1])


def timed(release: OfNumber, trials: int, *, order: Generator, clock: Clock = perf_counter_ns) -> AttackOutcome:
    """Return how often an output in the window comes in the time that REACH needs for it."""
    first, second = (_draws(release, trials, order, clock) for _ in range(2))
    cut = _chosen(first)
    hits = cut.hits(second)
    outcome = measured(
        claimed=CLAIMED, more=(hits[0], trials), less=(hits[1], trials), inputs=(f"for {REACH}", "for 0")
    )
    told = f"rank correlation of time and noise {_correlation(second):.2f}, by chance within {_chance(trials):.2f}; "
    return replaced(outcome, said=told + outcome.said)


def _draws(release: OfNumber, trials: int, order: Generator, clock: Clock) -> list[TimedDraw]:
    """Return so many draws of each input, in an order that coins decide."""
    found = []
    for place in order.permutation(2 * trials).tolist():
        value = INPUTS[place % 2]
        before = clock()
        output = release(value)
        found.append(TimedDraw(value=value, output=output, nanoseconds=clock() - before))
    return found


def _chosen(draws: list[TimedDraw]) -> Cut:
    """Return the event that tells the inputs apart best among these draws, by counts with one hit more each."""
    times = sorted(draw.nanoseconds for draw in draws if draw.is_in_window) or [0]
    cuts = [
        Cut(nanoseconds=times[len(times) * tenths // 10], is_fast=is_fast)
        for tenths in CUTS
        for is_fast in (True, False)
    ]

    def ratio(cut: Cut) -> Fraction:
        more, less = cut.hits(draws)
        return Fraction(more + 1, less + 1)

    return max(cuts, key=ratio)


def _correlation(draws: list[TimedDraw]) -> float:
    """Return Spearman's rank correlation of the times and the sizes of the noise."""
    import numpy as np

    times = np.array([draw.nanoseconds for draw in draws])
    noise = np.array([abs(draw.output - draw.value) for draw in draws])
    return float(np.corrcoef(times.argsort().argsort(), noise.argsort().argsort())[0, 1])


def _chance(trials: int) -> float:
    return CHANCE / math.sqrt(max(1, 2 * trials - 1))


def _of_textbook(trials: Trials) -> AttackOutcome:
    generator = trials.generator()
    return timed(textbook.by_counting(generator, REACH / float(CLAIMED)), trials.count, order=generator)


def _of_ours(trials: Trials) -> AttackOutcome:
    release = ours.number(epsilon=CLAIMED, sensitivity=REACH)
    return timed(release, trials.count, order=trials.generator())


ATTACKS = (
    Attack(
        name="timing",
        title="how long a draw takes",
        source="Jin et al. 2022",
        assumes="The attacker sees one output, and can time its draw on the machine that draws it.",
        event=(
            f"The output is between {WINDOW[0]} and {WINDOW[1]}, and its draw was fast (or slow). More likely for "
            f"{REACH}. Which, and the time to cut at, is chosen on a separate sample of the same size."
        ),
        neighbours=f"The number {REACH}, and the number 0: sensitivity {REACH}.",
        against={"numpy": _of_textbook, "snapdp": _of_ours},
        trials=2_000,
        claimed=CLAIMED,
    ),
)
