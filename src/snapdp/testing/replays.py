"""The replays of an audit: pairs of runs with the same noise, as many as the claimed epsilon asks for.

Room: testing. Theory: docs/theory/replay-audit.md, (1)-(2) and (10).
A release that is epsilon-DP shows an event for the one input and not for the other, in one pair of runs, with a chance
of at most e^epsilon / (1 + e^epsilon), however the noise of the two runs hangs together (theory (1)). What tells the
inputs apart in every one of N pairs is then no chance: the number N makes a false alarm rarer than one in 10^9.
An event must be chosen before it is counted: by the first pair, and by a few further runs of the first input.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from time import monotonic

from snapdp.exact import exp_enclosure, ln_enclosure
from snapdp.testing.frozen.noise import FrozenNoise
from snapdp.testing.limits import Limits
from snapdp.testing.observation import AuditedInput, AuditedRelease, Observation, observed
from snapdp.values import Value, replaced

FALSE_ALARM = Fraction(1, 10**9)
IMPORTING = 3  # times the seconds of a call
CHOOSING = 12  # runs of the first input that choose steps, ratios and thresholds
_BITS = 64
_NEVER = 1 << 40  # more than anybody runs


def replays_needed(epsilon: Fraction, delta: Fraction | None = None) -> int:
    """Return in how many pairs of runs an event must tell two inputs apart to refute epsilon, or epsilon and delta.

        N = 1 + ln(1 / alpha) / ln(1 / p), rounded up        theory (2), alpha = 10^-9, p of theory (1)

    >>> replays_needed(Fraction(1)), replays_needed(Fraction(1, 10)), replays_needed(Fraction(1), Fraction(1, 2))
    (68, 34, 145)
    """
    if epsilon > 20:
        return _NEVER
    rest = 1 / separating_chance(epsilon, delta)
    growth = ln_enclosure(rest, _BITS).lower if rest > 1 else Fraction(0)
    return 1 + math.ceil(ln_enclosure(1 / FALSE_ALARM, _BITS).upper / growth) if growth > 0 else _NEVER


def separating_chance(epsilon: Fraction, delta: Fraction | None) -> Fraction:
    """Return no less than the largest chance that one pair of runs is told apart by one event.

    p = (e^epsilon + delta) / (1 + e^epsilon)        theory (1); rounded up to multiples of 2^-64
    """
    chance = 1 - (1 - (delta or 0)) / (1 + exp_enclosure(epsilon, 2 * _BITS).upper)
    return Fraction(math.ceil(chance * (1 << _BITS)), 1 << _BITS)


@functools.cache
def fewest_separated(pairs: int, epsilon: Fraction, delta: Fraction | None) -> int:
    """Return in how many of some pairs an event must tell the inputs apart to refute the claim; one more if none do.

        the least k with  sum over j >= k of C(n, j) p^j (1 - p)^(n - j)  <=  alpha        theory (10)

    >>> fewest_separated(67, Fraction(1), None), fewest_separated(66, Fraction(1), None)
    (67, 67)
    >>> fewest_separated(999, Fraction(1), None)
    812
    """
    chance, bits, least = separating_chance(epsilon, delta), 2 * _BITS, None
    if chance >= 1:
        return pairs + 1
    while least is None:
        least, bits = _fewest(pairs, chance, bits), 2 * bits
    return least


def _fewest(pairs: int, chance: Fraction, bits: int) -> int | None:
    """Return the least k of theory (10), or None where so many bits do not decide it.

    Terms are taken in multiples of 2^-bits p^n, one sum rounded down and one up; C(n, k - 1) = C(n, k) k / (n - k + 1).
    More bits decide in the end: the tail is a binary fraction, which alpha = 10^-9 is not, so they are never equal.
    """
    yes, no = chance.numerator, chance.denominator - chance.numerator
    allowed = (FALSE_ALARM.numerator * chance.denominator**pairs << bits) // (FALSE_ALARM.denominator * yes**pairs)
    term_down = term_up = 1 << bits
    tail_down = tail_up = 0
    for least in range(pairs + 1, 0, -1):
        tail_down, tail_up = tail_down + term_down, tail_up + term_up
        if tail_down > allowed:  # a whole number above what was rounded down is above it
            return least
        if tail_up > allowed:
            return None
        times, by = (least - 1) * no, (pairs - least + 2) * yes
        term_down, term_up = term_down * times // by, -(-term_up * times // by)
    return None  # never: all terms together are 1


class Replays(Value):
    """What was seen: `first` and `second` are the runs of the two inputs, pair by pair; `again` repeats the first run.

    enough     whether they are as many as the claimed epsilon needs (any number is, where none is claimed)
    cold       the very first run, before anything was imported or kept
    warmed     whether it imported something, or made a generator and kept it: then it may differ from the others
    choosing   further runs of the first input with noise of their own: they choose events, and are not counted;
               none where no epsilon is claimed, or the pairs are not enough
    """

    first: tuple[Observation, ...]
    second: tuple[Observation, ...]
    again: Observation
    cold: Observation
    warmed: bool
    needed: int
    choosing: tuple[Observation, ...] = ()

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


def first_call(release: AuditedRelease, data: AuditedInput, noise: FrozenNoise) -> tuple[Observation, bool]:
    """Run a release once before everything else, and say whether it imported anything, for which it gets more time."""
    modules = len(sys.modules)
    unwatched = replaced(release, watched=False, seconds=IMPORTING * release.seconds)
    return observed(unwatched, data, noise, 0), len(sys.modules) != modules


def replayed(
    release: AuditedRelease,
    inputs: tuple[AuditedInput, AuditedInput],
    noise: FrozenNoise,
    *,
    cold: tuple[Observation, bool],
    limits: Limits,
    needed: int,
    clock: Callable[[], float] = monotonic,
) -> Replays:
    """Run both inputs with the same noise, pair after pair, until there are enough, or the time for all is over.

    A release that did not end when it was called first is not called again.
    """
    once, imported = cold
    if once.limit:
        return Replays(first=(once,), second=(once,), again=once, cold=once, warmed=imported, needed=needed)
    ends = clock() + limits.whole_seconds
    first, second = [], []
    again = None
    for replay in range(limits.pairs(needed)):
        first.append(observed(release, inputs[0], noise, replay))
        second.append(observed(release, inputs[1], noise, replay))
        if again is None:
            again = observed(release, inputs[0], noise, replay)
        if any(run.limit for run in (first[-1], second[-1])) or (len(first) > 1 and clock() > ends):
            break
    assert again is not None
    warmed = imported or noise.keeps
    found = Replays(first=tuple(first), second=tuple(second), again=again, cold=once, warmed=warmed, needed=needed)
    if needed == 1 or not found.enough or any(run.limit for run in found.all):
        return found
    unwatched = replaced(release, watched=False)
    return replaced(found, choosing=tuple(observed(unwatched, inputs[0], noise, -1 - each) for each in range(CHOOSING)))
