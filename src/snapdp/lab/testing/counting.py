"""Count how often an event happens for each of two inputs: a lower bound of the privacy loss, whatever the noise is.

Theory: docs/theory/replay-audit.md, (5) to (7). The release draws its own noise and is a black box. An
event is looked for in a first sample of outputs, or given. It is then counted in fresh outputs, and the bounds of
Clopper and Pearson are asked at several looks, each with its share of one false alarm in 10^9: the count stops at the
first look that refutes the claim. Source: Ding et al. 2018 (StatDP); Clopper and Pearson 1934.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from numbers import Real
from textwrap import fill
from typing import Any, NamedTuple

from snapdp.errors import ParameterError
from snapdp.exact.numbers import positive, probability
from snapdp.lab.attacks.attack import loss_at_least
from snapdp.lab.testing.observation import Leaf, Release, read_leaves
from snapdp.lab.testing.replay_audit import FALSE_ALARM, WIDTH, Report, require_callable

FIRST_LOOK = 500  # outputs of each input; each further look has twice as many
MOST_SEARCHED = 2_000  # outputs of each input, in which an event is looked for
THRESHOLDS = 32  # of one number
MOST_COMBINED = 6  # numbers of one output whose sums and differences are looked at
WAYS = 4  # a given event may be likelier for either input, and so may its complement

Leaves = Mapping[str, Leaf]


class OutputEvent(NamedTuple):
    """Something that an output shows or does not show, in words."""

    words: str
    holds: Callable[[Any], bool]


class CountReport(Report):
    """How often an event held for each input, and what that says of the loss.

    counts  (hits, outputs) for the first input and for the second
    looks   how often the counts were looked at
    loss    the loss is at least that, wrong once in 10^9 counts; 0 where the counts show nothing
    """

    event: str
    counts: tuple[tuple[int, int], tuple[int, int]]
    looks: int
    loss: Fraction
    epsilon: Fraction
    delta: Fraction

    @property
    def is_refuted(self) -> bool:
        """Whether the release loses more than is claimed."""
        return self.loss > self.epsilon

    def __str__(self) -> str:
        (first, n), (second, _) = self.counts
        besides = f" and delta {float(self.delta):.3g}" if self.delta else ""
        verdict = "refuted" if self.is_refuted else "not refuted"
        return fill(
            f"{self.name}: epsilon {float(self.epsilon):.4g}{besides} is {verdict}. {self.event}: in {first:,} of "
            f"{n:,} outputs of the first input, and in {second:,} of the second, so the loss is at least "
            f"{math.floor(self.loss * 1000) / 1000:g}.",
            WIDTH,
        )


def counted(
    release: Release,
    first: Any,
    second: Any,
    *,
    epsilon: object,
    delta: object = None,
    event: Callable[[Any], bool] | None = None,
    trials: int = 100_000,
) -> CountReport:
    """Count an event in many outputs of two neighbouring inputs; stop as soon as the claim is refuted.

    release   a function of one input that draws its own noise
    epsilon   the loss that is claimed of one call, and delta besides
    event     what is looked for in an output, fixed before; by default one is looked for in a sample of its own:
              thresholds of numbers, of their sums and differences, and values that one input shows more often
    trials    at most so many outputs of each input are counted; the search takes a tenth of it besides, or 2,000

    >>> counted(lambda rows: len(rows), [1, 2], [1], epsilon=1).is_refuted
    True
    """
    name = require_callable(release)
    claim, rest = positive(epsilon, name="epsilon"), Fraction(0) if delta is None else probability(delta, name="delta")
    if isinstance(trials, bool) or not isinstance(trials, int) or trials < FIRST_LOOK:
        raise ParameterError(f"trials = {trials!r} is not a whole number from {FIRST_LOOK}.", "Give more trials.")
    read, chosen, ways = release, OutputEvent("the event", event or bool), [*range(WAYS)]
    if event is None:
        read = partial(_read_output, release)
        size = min(MOST_SEARCHED, max(FIRST_LOOK, trials // 10))
        chosen, *ways = find_event([read(first) for _ in range(size)], [read(second) for _ in range(size)], claim)
    hits, done, looks, loss = [0, 0], 0, 0, Fraction(0)
    while done < trials and loss <= claim:
        size = min(trials - done, max(done, FIRST_LOOK))
        for place, data in enumerate((first, second)):
            hits[place] += sum(bool(chosen.holds(read(data))) for _ in range(size))
        done, looks = done + size, looks + 1
        # alpha/2 at the first look, alpha/4 at the second, ...: all of them together fail with alpha at most
        missed = FALSE_ALARM / (2**looks * len(ways) * 2)
        for way in ways:
            more, less = _turned(way, hits[0], hits[1], done)
            if more > less:
                loss = max(loss, loss_at_least((more, done), (less, done), delta=rest, missed=missed))
    counts = (hits[0], done), (hits[1], done)
    return CountReport(name=name, event=chosen.words, counts=counts, looks=looks, loss=loss, epsilon=claim, delta=rest)


def _turned(way: int, first: int, second: int, outputs: int) -> tuple[int, int]:
    """Return counts of an event, or of its complement, for the input that is taken to be likelier and for the other."""
    one, other = (outputs - first, outputs - second) if way // 2 else (first, second)
    return (other, one) if way % 2 else (one, other)


def _read_output(release: Release, data: Any) -> Leaves:
    """Return the leaves of one output; of a call that fails, the class of its exception."""
    try:
        leaves = read_leaves(release(data), "output", {})
    except Exception as problem:
        leaves = [Leaf("the exception", "fact", type(problem).__qualname__)]
    return {leaf.path: leaf for leaf in leaves}


# The search for an event


def find_event(first: Sequence[Leaves], second: Sequence[Leaves], epsilon: Fraction) -> tuple[OutputEvent, int]:
    """Return the event, and the way of `_turned`, that show the largest loss.

    Events are made of one half of the outputs, and judged by the other: a set of values that one half suggests looks
    perfect there, and means nothing where every output is another one.
    """
    half, growth = len(first) // 2, math.exp(min(float(epsilon), 50))
    best, best_way, best_score = OutputEvent("any output", lambda _: True), 0, -math.inf
    for words, read in _columns([*first[:half], *second[:half]]):
        one, other = list(map(read, first)), list(map(read, second))
        for condition, holds in _events(one[:half], other[:half], growth):
            hits = sum(map(holds, one[half:])), sum(map(holds, other[half:]))
            for way in range(WAYS):
                more, less = (count + 0.5 for count in _turned(way, *hits, len(first) - half))
                # about the loss that two counts show: the logarithm of their ratio less two standard errors
                score = math.log(more / less) - 2 * math.sqrt(1 / more + 1 / less)
                if score > best_score:
                    best, best_way, best_score = OutputEvent(f"{words} {condition}", _compose(holds, read)), way, score
    return best, best_way


def _compose(outer: Callable[[Any], bool], inner: Callable[[Any], Any]) -> Callable[[Any], bool]:
    return lambda output: outer(inner(output))


def _columns(outputs: Sequence[Leaves]) -> Iterator[tuple[str, Callable[[Leaves], Any]]]:
    """Yield what can be read of each output, in words and as a function: leaves, sums and differences of numbers."""
    paths = dict.fromkeys(path for output in outputs for path in output)
    numeric = [path for path in paths if all(path in output and output[path].is_number for output in outputs)]
    for path in paths:
        yield path, partial(_read_number if path in numeric else _read_looks, path)
    for first, second in combinations(numeric[:MOST_COMBINED], 2):
        for sign, combine in (("-", operator.sub), ("+", operator.add)):
            yield f"{first} {sign} {second}", partial(_read_two, first, second, combine)


def _read_looks(path: str, output: Leaves) -> Any:
    return output[path].looks if path in output else None


def _read_number(path: str, output: Leaves) -> Any:
    return output[path].value if path in output and output[path].is_number else None


def _read_two(first: str, second: str, combine: Callable[[Any, Any], Any], output: Leaves) -> Any:
    values = _read_number(first, output), _read_number(second, output)
    return None if None in values else combine(*map(Fraction, values))


def _events(first: Sequence[Any], second: Sequence[Any], growth: float) -> Iterator[OutputEvent]:
    """Yield events: a value that one input shows more often, and numbers beyond a threshold."""
    often, seldom = Counter(first), Counter(second)
    for (one, other), factor in product(((often, seldom), (seldom, often)), (growth, 1)):
        values = frozenset(value for value, times in one.items() if times > factor * other[value])
        yield OutputEvent(f"is one of {len(values):,} values", values.__contains__)
    if all(isinstance(value, Real) for value in (*first, *second)):
        pooled = sorted((*first, *second))
        thresholds = {pooled[len(pooled) * i // (THRESHOLDS + 1)] for i in range(1, THRESHOLDS + 1)}
        for threshold, (sign, is_beyond) in product(thresholds, ((">=", operator.ge), (">", operator.gt))):
            holds = partial(_is_beyond, is_beyond, threshold)
            yield OutputEvent(f"{sign} {float(threshold):.6g}", holds)


def _is_beyond(is_beyond: Callable[[Any, Any], bool], threshold: Any, value: Any) -> bool:
    return isinstance(value, Real) and is_beyond(value, threshold)
