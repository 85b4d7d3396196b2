"""The released numbers of all replays, path by path, exactly; and what rounding may have done to each.

Room: testing. Theory: docs/theory/replay-audit.md, (3), (7) and (10).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.testing.claims import Claims
from snapdp.testing.judges.telling import separated_numbers
from snapdp.testing.leaves import Leaf
from snapdp.testing.observation import Observation
from snapdp.testing.replays import Replays
from snapdp.values import Value

MOST_COMPARED = 30  # numbers of one output, pair by pair
WHOLE_NUMBERS = {"geometric", "integers", "randint", "randrange", "poisson", "binomial", "zipf", "hypergeometric"}


class NumberSeries(Value):
    """One released number: its values for both inputs in every replay, and half the width of what rounding hides.

    step       no less than the grid that outputs are rounded to after the noise (theory (3)); 0 where they are not
    is_coarse  whether all are multiples of a step, rounded to it or not: two may then be equal by chance
    choosing   its values in the runs that choose events (theory (10))
    """

    path: str
    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]
    hidden: tuple[Fraction, ...]
    step: Fraction
    is_coarse: bool
    choosing: tuple[Fraction, ...]

    def moved(self, replay: int) -> Fraction:
        """Return how far the number moved in one replay."""
        return abs(self.first[replay] - self.second[replay])

    @property
    def moves_steadily(self) -> bool:
        """Whether one distance of the two values explains all pairs in which neither stands at an end (theory (3)).

        It does where the values are the same in all runs of an input, and not where they come from other noise.
        """
        ends = ends_of(self.first), ends_of(self.second)
        gaps = [a - b for a, b in zip(self.first, self.second, strict=True) if a not in ends[0] and b not in ends[1]]
        return not gaps or max(gaps) - min(gaps) <= 2 * (self.step or 2 * max(self.hidden))

    @property
    def varies(self) -> bool:
        """Whether the noise moves it."""
        return len(set(self.first)) > 1 or len(set(self.second)) > 1


def last_place(leaf: Leaf) -> Fraction:
    """Return the unit in the last place of a float, and 0 for what is exact.

    >>> last_place(Leaf("output", "number", 1.0, 53)) == Fraction(1, 2**52)
    True
    """
    if not leaf.bits:
        return Fraction(0)
    _, exponent = math.frexp(float(leaf.value))
    return _power_of_two(max(exponent - leaf.bits, -1074))


@functools.cache
def _power_of_two(exponent: int) -> Fraction:
    return Fraction(2) ** exponent


def number_series(replays: Replays, claims: Claims, paths: Sequence[str] | None = None) -> list[NumberSeries]:
    """Return the released numbers (or those of some paths) with noise, there in every replay, that repeat no other."""
    without_noise = separated_numbers(replays)
    found: list[NumberSeries] = []
    for path in replays.first[0].released if paths is None else paths:
        if path in without_noise:
            continue
        runs = [[run.leaves.get(path) for run in each] for each in (replays.first, replays.second)]
        leaves = [leaf for each in runs for leaf in each if leaf is not None and is_number(leaf)]
        if len(leaves) == 2 * replays.count:
            choosing = finite_values(replays.choosing, path)
            found.append(_series(path, leaves, choosing, replays, claims))
    return _without_copies(found)


def finite_values(runs: Sequence[Observation], path: str) -> tuple[Fraction, ...]:
    """Return the real numbers that a path was, in the runs that have one there."""
    leaves = [run.leaves.get(path) for run in runs]
    return tuple(Fraction(leaf.value) for leaf in leaves if leaf is not None and is_number(leaf))


def is_number(leaf: Leaf) -> bool:
    """Say whether a leaf is a number, and a real one. What is printed with too many digits stays a text."""
    if leaf.sort == "fact" or isinstance(leaf.value, str):
        return False
    return not isinstance(leaf.value, float) or math.isfinite(leaf.value)


def _series(
    path: str, leaves: Sequence[Leaf], choosing: tuple[Fraction, ...], replays: Replays, claims: Claims
) -> NumberSeries:
    values = [Fraction(leaf.value) for leaf in leaves]
    count = replays.count
    places = [last_place(leaf) for leaf in leaves]
    hidden = [max(pair) for pair in zip(places[:count], places[count:], strict=True)]
    step, is_coarse = _step((leaves[:count], leaves[count:]))
    return NumberSeries(
        path=path,
        first=tuple(values[:count]),
        second=tuple(values[count:]),
        hidden=tuple(hidden),
        step=step if claims.grid is None else claims.grid,
        is_coarse=is_coarse,
        choosing=choosing if len(choosing) == len(replays.choosing) else (),
    )


def _step(sides: Sequence[Sequence[Leaf]]) -> tuple[Fraction, bool]:
    """Return no less than the step that outputs are rounded to, and whether they are its multiples exactly.

    Outputs of one input that stand at no end differ by multiples of the step, whatever constant was added. Where all
    of those are one number nothing is known, and the step is as large as everything that was seen.
    """
    gaps: list[tuple[Fraction, Fraction]] = []
    for leaves in sides:
        free = away_from_ends(leaves)
        gaps += [
            (Fraction(leaf.value) - Fraction(free[0].value), last_place(leaf) + last_place(free[0]))
            for leaf in free[1:]
        ]
    everything = [leaf for leaves in sides for leaf in leaves]
    place = max(map(last_place, everything))
    common = common_divisor([gap for gap, _ in gaps])
    if not common:
        values = [Fraction(leaf.value) for leaf in everything]
        return max(values) - min(values), True
    if common > 2 * place:
        return common, True
    rounded = rounded_step(gaps)
    return (sum(rounded) + 2 * place if rounded else Fraction(0)), False


def ends_of(values: Sequence[Any]) -> set[Any]:
    """Return the least and the largest of some values, where it was taken more than once: a clamp may stand there."""
    return {end for end in (min(values), max(values)) if values.count(end) > 1} if values else set()


def away_from_ends(leaves: Sequence[Leaf]) -> list[Leaf]:
    """Return the numbers that stand at no end."""
    ends = ends_of([leaf.value for leaf in leaves])
    return [leaf for leaf in leaves if leaf.value not in ends]


def common_divisor(values: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all values are multiples, 0 if all are 0.

    >>> common_divisor([Fraction(3, 2), Fraction(9, 4)])
    Fraction(3, 4)
    """
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(int(value * denominator) for value in values)), denominator)


def rounded_step(values: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction] | None:
    """Return (step, error): all values are multiples of the step but for their errors; or None.

    Euclid's algorithm with errors: every remainder carries its own; where it is a quarter of what is divided by,
    nothing is known. Without errors the step is exact; it is 0 where all values are.
    """
    step, error = Fraction(0), Fraction(0)
    for value, uncertain in values:
        a, b = (abs(value), uncertain), (step, error)
        while b[0]:
            if 4 * b[1] >= b[0]:
                return None
            times = round(a[0] / b[0])
            rest, doubt = abs(a[0] - times * b[0]), a[1] + times * b[1]
            a, b = b, ((rest, doubt) if rest > doubt else (Fraction(0), doubt))
            if not b[0] and 4 * doubt >= a[0]:
                return None
        step, error = a
    return step, error


def _without_copies(found: list[NumberSeries]) -> list[NumberSeries]:
    """Leave out numbers that are another one moved by a constant: the ends of an interval, a number printed again."""
    kept: list[NumberSeries] = []
    for each in found:
        if len(found) > MOST_COMPARED or not any(_is_copy(each, other) for other in kept):
            kept.append(each)
    return kept


def _is_copy(one: NumberSeries, other: NumberSeries) -> bool:
    gaps = [a - b for a, b in zip((*one.first, *one.second), (*other.first, *other.second), strict=True)]
    hidden = [a + b for a, b in zip(one.hidden, other.hidden, strict=True)] * 2
    return overlap(gaps, hidden) is not None


def overlap(middles: Sequence[Fraction], radii: Sequence[Fraction]) -> tuple[Fraction, Fraction] | None:
    """Return what intervals around middles have in common, or None."""
    lower = max(m - r for m, r in zip(middles, radii, strict=True))
    upper = min(m + r for m, r in zip(middles, radii, strict=True))
    return (lower, upper) if lower <= upper else None
