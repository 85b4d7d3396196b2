"""The released numbers of all replays, path by path, exactly; and what rounding may have done to each.

Room: testing. Theory: docs/theory/replay-audit.md, (3), (7) and (10).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

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

    step       the grid that outputs are taken to be rounded to after the noise; 0 where they are not
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
    def varies(self) -> bool:
        """Whether the noise moves it."""
        return len(set(self.first)) > 1 or len(set(self.second)) > 1


def is_finite(leaf: Leaf) -> bool:
    """Say whether a leaf is a real number."""
    return not isinstance(leaf.value, (float, str)) or (isinstance(leaf.value, float) and math.isfinite(leaf.value))


def last_place(leaf: Leaf) -> Fraction:
    """Return the unit in the last place of a float, and 0 for what is exact.

    >>> last_place(Leaf("output", "number", 1.0, 53)) == Fraction(1, 2**52)
    True
    """
    if not leaf.bits:
        return Fraction(0)
    _, exponent = math.frexp(float(leaf.value))
    return Fraction(2) ** max(exponent - leaf.bits, -1074)


def number_series(replays: Replays, claims: Claims, paths: Sequence[str] | None = None) -> list[NumberSeries]:
    """Return the released numbers (or those of some paths) with noise, there in every replay, that repeat no other."""
    without_noise = separated_numbers(replays)
    found: list[NumberSeries] = []
    for path in replays.first[0].released if paths is None else paths:
        if path in without_noise:
            continue
        runs = [[run.leaves.get(path) for run in each] for each in (replays.first, replays.second)]
        leaves = [leaf for each in runs for leaf in each if leaf is not None and is_finite(leaf)]
        if len(leaves) == 2 * replays.count:
            choosing = finite_values(replays.choosing, path)
            found.append(_series(path, leaves, choosing, replays, claims))
    return _without_copies(found)


def finite_values(runs: Sequence[Observation], path: str) -> tuple[Fraction, ...]:
    """Return the real numbers that a path was, in the runs that have one there."""
    leaves = [run.leaves.get(path) for run in runs]
    return tuple(Fraction(leaf.value) for leaf in leaves if leaf is not None and is_number(leaf))


def is_number(leaf: Leaf) -> bool:
    """Say whether a leaf is a number, and a real one."""
    return leaf.sort != "fact" and is_finite(leaf)


def _series(
    path: str, leaves: Sequence[Leaf], choosing: tuple[Fraction, ...], replays: Replays, claims: Claims
) -> NumberSeries:
    values = [Fraction(leaf.value) for leaf in leaves]
    count = replays.count
    places = [last_place(leaf) for leaf in leaves]
    hidden = [max(pair) for pair in zip(places[:count], places[count:], strict=True)]
    common = common_divisor(values)
    is_coarse = common > 2 * max(places)
    rounded = common if is_coarse and not _is_whole(replays) else Fraction(0)
    return NumberSeries(
        path=path,
        first=tuple(values[:count]),
        second=tuple(values[count:]),
        hidden=tuple(hidden),
        step=rounded if claims.grid is None else claims.grid,
        is_coarse=is_coarse,
        choosing=choosing if len(choosing) == len(replays.choosing) else (),
    )


def _is_whole(replays: Replays) -> bool:
    """Say whether all noise that is drawn is whole: then nothing is rounded after it."""
    kinds = {draw.kind for run in replays.all for draw in run.draws}
    return bool(kinds) and kinds <= WHOLE_NUMBERS


def common_divisor(values: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all values are multiples, 0 if all are 0.

    >>> common_divisor([Fraction(3, 2), Fraction(9, 4)])
    Fraction(3, 4)
    """
    denominator = math.lcm(*(value.denominator for value in values))
    return Fraction(math.gcd(*(int(value * denominator) for value in values)), denominator)


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
