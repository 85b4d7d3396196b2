"""Events on numbers, chosen before they are counted: on which side of a threshold, and what is left modulo a step.

Room: testing. Theory: docs/theory/replay-audit.md, (10)-(13).
An event is chosen by one pair of runs and by further runs of the first input; the pairs after it are counted. Whatever
was chosen, a release that keeps its claim shows the event for the one input and not for the other in so many of them
with a chance of at most 10^-9: nothing is supposed about the noise, its law, its grid, or how two runs hang together.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from statistics import median
from typing import Any

from snapdp.attacks import probability_at_least, probability_at_most
from snapdp.exact import exp_enclosure
from snapdp.testing.claims import Claims
from snapdp.testing.judges.numbers import finite_values, is_number, last_place, rounded_step
from snapdp.testing.judges.telling import separated_numbers
from snapdp.testing.leaves import Leaf
from snapdp.testing.replays import FALSE_ALARM, Replays, fewest_separated
from snapdp.testing.violations import Violation
from snapdp.values import Value

MOST_NUMBERS = 300  # of one output


class Separation(Value):
    """In how many of how many pairs an event told the inputs apart; enough to refute what is claimed."""

    found: int
    pairs: int

    def __str__(self) -> str:
        return f"{self.found:,} of {self.pairs:,} replays"


class Counted(Value):
    """In how many runs an event held for each input; too different for what is claimed."""

    first: int
    second: int
    runs: int

    def __str__(self) -> str:
        return f"{self.first:,} runs of the one input and {self.second:,} of the other, of {self.runs:,}"


def separated_by(
    first: Sequence[Any], second: Sequence[Any], claims: Claims, *, event: Callable[[Any], bool]
) -> Separation | None:
    """Say whether an event refutes the claim: it holds for the first, and not for the second, in enough pairs."""
    assert claims.epsilon is not None
    pairs = len(first)
    misses = pairs - fewest_separated(pairs, claims.epsilon, claims.delta)
    missed = 0
    for a, b in zip(first, second, strict=True):
        missed += not event(a) or event(b)
        if missed > misses:
            return None
    return Separation(found=pairs - missed, pairs=pairs) if misses >= 0 else None


def told_by_counts(
    first: Sequence[Any], second: Sequence[Any], claims: Claims, *, event: Callable[[Any], bool]
) -> Counted | None:
    """Say whether how often an event holds for each input refutes the claim, or how often it does not (theory (13))."""
    assert claims.epsilon is not None
    runs, hits = len(first), (sum(map(event, first)), sum(map(event, second)))
    growth, delta = exp_enclosure(claims.epsilon, 64).upper, claims.delta or Fraction(0)
    ways = (hits, hits[::-1], (runs - hits[0], runs - hits[1]), (runs - hits[1], runs - hits[0]))
    for more, less in ways:
        if more > growth * less + delta * runs and _at_least(more, runs) > growth * _at_most(less, runs) + delta:
            return Counted(first=hits[0], second=hits[1], runs=runs)
    return None


@functools.cache
def _at_least(hits: int, runs: int) -> Fraction:
    return probability_at_least((hits, runs), FALSE_ALARM / 4)


@functools.cache
def _at_most(hits: int, runs: int) -> Fraction:
    return probability_at_most((hits, runs), FALSE_ALARM / 4)


def sided(
    first: Sequence[Fraction | None], second: Sequence[Fraction | None], choosing: Sequence[Fraction], claims: Claims
) -> Separation | None:
    """Say whether a threshold tells the inputs apart (theory (11)).

    Its side, and half the way that the number moved, are those of the first pair that moves at all; the middle of the
    first input's outputs is that of the runs that choose. None stands for what is no number, on neither side.
    """
    pairs = enumerate(zip(first, second, strict=True))
    moved = next(((i, a, b) for i, (a, b) in pairs if a is not None and b is not None and a != b), None)
    if moved is None:
        return None
    place, a, b = moved
    threshold = (median(choosing) if choosing else a) + (b - a) / 2

    def is_on_the_side_of_a(output: Fraction | None) -> bool:
        return output is not None and (output < threshold if a < b else output > threshold)

    return separated_by(first[place + 1 :], second[place + 1 :], claims, event=is_on_the_side_of_a)


def too_narrow(replays: Replays, claims: Claims, *, known: frozenset[str]) -> Iterator[Violation]:
    """Yield numbers of any noise that a threshold tells apart (theory (11)), but those whose law was judged."""
    judged = {_values(replays, path) for path in known}
    for path in _noisy_paths(replays):
        series = _values(replays, path)
        if series in judged:
            continue
        judged.add(series)
        count = replays.count
        found = sided(series[:count], series[count:], finite_values(replays.choosing, path), claims)
        if found is not None:
            yield Violation(
                kind="noise-too-small",
                sentence=f"{path} is on one side of a threshold for the one input, and not for the other, in {found}",
                evidence=(("path", path), ("separated", str(found))),
            )


def hidden_digits(replays: Replays, claims: Claims) -> Iterator[Violation]:
    """Yield numbers whose remainder by the step of their noise is one for the one input, never for the other."""
    told: set[tuple[Fraction | None, ...]] = set()
    for path in _noisy_paths(replays):
        series = _values(replays, path)
        found = None if series in told else _of_one_remainder(replays, claims, path)
        if found is not None:
            told.add(series)
            yield Violation(
                kind="hidden-digits",
                sentence=f"what {path} leaves when it is divided by the step of its noise is the same for the one "
                f"input, and never for the other, in {found}",
                evidence=(("path", path), ("separated", str(found))),
            )


def _of_one_remainder(replays: Replays, claims: Claims, path: str) -> Separation | None:
    """Say whether the remainders modulo a step tell the inputs apart (theory (12)); the runs that choose have a step.

    A float is off by a unit in its last place at most, and so is a difference by two, and by what the step is off by
    as many times as it is taken.
    """
    chosen = [run.leaves.get(path) for run in (replays.first[0], *replays.choosing)]
    leaves = [leaf for leaf in chosen if leaf is not None and is_number(leaf)]
    if len(leaves) < len(chosen):
        return None
    start, doubt = Fraction(leaves[0].value), last_place(leaves[0])
    found = rounded_step([(Fraction(leaf.value) - start, last_place(leaf) + doubt) for leaf in leaves[1:]])
    if found is None or not found[0]:
        return None
    step, error = found

    def is_a_multiple_further(leaf: Leaf | None) -> bool:
        if leaf is None or not is_number(leaf):
            return False
        distance = Fraction(leaf.value) - start
        times = round(distance / step)
        return abs(distance - times * step) <= last_place(leaf) + doubt + abs(times) * error

    runs = [[run.leaves.get(path) for run in each[1:]] for each in (replays.first, replays.second)]
    return separated_by(runs[0], runs[1], claims, event=is_a_multiple_further)


def left_out(replays: Replays) -> Iterator[str]:
    """Yield that there are more numbers than events are tried on."""
    if len(_numbers(replays)) > MOST_NUMBERS and replays.choosing:
        yield f"thresholds and digits were tried on the first {MOST_NUMBERS} numbers of the output only"


def _numbers(replays: Replays) -> list[str]:
    return [path for path, leaf in replays.first[0].leaves.items() if is_number(leaf)]


def _noisy_paths(replays: Replays) -> list[str]:
    """Return the paths of the numbers that have noise, as many as are compared."""
    without_noise = separated_numbers(replays)
    return [path for path in _numbers(replays)[:MOST_NUMBERS] if path not in without_noise]


def _values(replays: Replays, path: str) -> tuple[Fraction | None, ...]:
    """Return what a number was in all runs of pairs, those of the first input before those of the second."""
    leaves = [run.leaves.get(path) for run in replays.all]
    return tuple(Fraction(leaf.value) if leaf is not None and is_number(leaf) else None for leaf in leaves)
