"""The replays of an audit: pairs of runs with the same noise, as many as the claimed epsilon asks for.

Room: testing. Theory: docs/theory/replay-audit.md, (1)-(2).
A release that is epsilon-DP shows an event for the one input and not for the other, in one pair of runs, with a chance
of at most e^epsilon / (1 + e^epsilon), however the noise of the two runs hangs together (theory (1)). What tells the
inputs apart in every one of N pairs is then no chance: the number N makes a false alarm rarer than one in 10^9.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from time import process_time
from typing import Any

from snapdp.exact import exp_enclosure, ln_enclosure
from snapdp.testing.noise import FrozenNoise
from snapdp.testing.observation import AuditedRelease, Observation, observed
from snapdp.values import Value, replaced

FALSE_ALARM = Fraction(1, 10**9)
WITHOUT_CLAIM = 32
FEWEST = 32
IMPORTING = 3  # times the seconds of a call
MOST = 700  # enough for epsilon up to 3.5
_BITS = 64


def replays_needed(epsilon: Fraction) -> int:
    """Return in how many pairs of runs an event must tell two inputs apart to refute epsilon.

        N = 1 + ln(1 / alpha) / ln(1 + e^-epsilon), rounded up        theory (2), alpha = 10^-9

    >>> replays_needed(Fraction(1)), replays_needed(Fraction(1, 10))
    (68, 34)
    """
    if epsilon > 20:
        return 1 << 40  # more than anybody runs
    growth = ln_enclosure(1 + exp_enclosure(-epsilon, _BITS).lower, _BITS).lower
    return 1 + math.ceil(ln_enclosure(1 / FALSE_ALARM, _BITS).upper / growth)


class Replays(Value):
    """What was seen: `first` and `second` are the runs of the two inputs, pair by pair; `again` repeats the first run.

    enough     whether they are as many as the claimed epsilon needs (any number is, where none is claimed)
    cold       the very first run, before anything was imported or kept
    """

    first: tuple[Observation, ...]
    second: tuple[Observation, ...]
    again: Observation
    cold: Observation
    imported: bool
    needed: int

    @property
    def count(self) -> int:
        """How many pairs of runs there are."""
        return len(self.first)

    @property
    def enough(self) -> bool:
        """Whether what tells the inputs apart in all of them refutes the claim."""
        return self.count >= self.needed

    @property
    def all(self) -> Iterator[Observation]:
        """Every run of a pair."""
        yield from self.first
        yield from self.second


def warmed(release: AuditedRelease, data: Any, noise: FrozenNoise) -> tuple[Observation, bool]:
    """Run a release once before everything else, and say whether it imported anything, for which it gets more time."""
    modules = len(sys.modules)
    unwatched = replaced(release, watched=False, seconds=IMPORTING * release.seconds)
    return observed(unwatched, data, noise, 0), len(sys.modules) != modules


def replayed(
    release: AuditedRelease,
    inputs: tuple[Any, Any],
    noise: FrozenNoise,
    *,
    cold: tuple[Observation, bool],
    count: int,
    needed: int,
    whole_seconds: float,
    clock: Callable[[], float] = process_time,
) -> Replays:
    """Run both inputs with the same noise, pair after pair, until there are enough, or the time for all is over."""
    ends = clock() + whole_seconds
    first, second = [], []
    again = None
    for replay in range(count):
        first.append(observed(release, inputs[0], noise, replay))
        second.append(observed(release, inputs[1], noise, replay))
        if again is None:
            again = observed(release, inputs[0], noise, replay)
        if any(run.limit for run in (first[-1], second[-1])) or (len(first) > 1 and clock() > ends):
            break
    assert again is not None
    return Replays(
        first=tuple(first),
        second=tuple(second),
        again=again,
        cold=cold[0],
        imported=cold[1],
        needed=needed,
    )
