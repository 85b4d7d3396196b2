"""How far released numbers move between the inputs, with the same noise.

Theory: docs/theory/replay-audit.md, (3). What rounding hides is taken off before a distance is
compared, so that no correct release is refuted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from operator import add, sub
from typing import Any

from snapdp.display.numbers import digits_apart
from snapdp.lab.testing.findings import (
    Replays,
    Violation,
    away_from_ends,
    common_divisor,
    ends_of,
    is_separated,
    last_place,
    rounded_step,
)
from snapdp.lab.testing.observation import Leaf, Observation
from snapdp.values import Value

MOST_COMPARED = 30  # numbers, of which those that repeat another one are looked for
ROUNDING = Fraction(1, 1 << 20)  # only a label: what exceeds the claim by less is called rounding, and refuted as well


class NumberSeries(Value):
    """One released number: its values for both inputs in every replay, and what rounding hides of each.

    step   no less than the grid that outputs are rounded to after the noise (theory (3)); 0 where they are not
    """

    path: str
    first: tuple[Fraction, ...]
    second: tuple[Fraction, ...]
    hidden: tuple[Fraction, ...]
    step: Fraction

    def moved(self, replay: int) -> Fraction:
        """Return how far the number moved in one replay."""
        return abs(self.first[replay] - self.second[replay])

    def moved_at_least(self, replay: int) -> Fraction:
        """Return how far the value moved at least.

        Rounded to steps g, numbers d apart become at most d + g apart: d >= moved - g (theory (3)). A float hides at
        most a unit in the last place.
        """
        return max(Fraction(0), self.moved(replay) - (self.step or self.hidden[replay]))

    @property
    def moves_steadily(self) -> bool:
        """Whether one distance of the two values explains all pairs in which neither stands at an end (theory (3)).

        It does where the values are the same in all runs of an input, and not where they come from other noise.
        """
        ends = ends_of(self.first), ends_of(self.second)
        pairs = zip(self.first, self.second, strict=True)
        gaps = [a - b for a, b in pairs if a not in ends[0] and b not in ends[1]]
        return not gaps or max(gaps) - min(gaps) <= 2 * (self.step or 2 * max(self.hidden))

    def repeats(self, other: NumberSeries) -> bool:
        """Say whether the number is another one moved by a constant: the end of an interval, or printed again."""
        hidden = list(map(add, self.hidden, other.hidden)) * 2
        gaps = list(map(sub, self.first + self.second, other.first + other.second))
        lower, upper = max(map(sub, gaps, hidden)), min(map(add, gaps, hidden))
        return bool(lower <= upper)


def read_numbers(replays: Replays) -> list[NumberSeries]:
    """Return the released numbers that have noise, are there in every replay, and do not repeat another one."""
    numbers: list[NumberSeries] = []
    for path in replays.first[0].released:
        leaves = [run.leaves[path] for run in replays.all if path in run.leaves and run.leaves[path].is_number]
        if len(leaves) < 2 * replays.count or is_separated(*replays.series[path]):
            continue
        sides = leaves[: replays.count], leaves[replays.count :]
        first, second = (tuple(Fraction(leaf.value) for leaf in side) for side in sides)
        hidden = tuple(map(max, *(map(last_place, side) for side in sides)))
        number = NumberSeries(path=path, first=first, second=second, hidden=hidden, step=_step(sides))
        if len(numbers) > MOST_COMPARED or not any(number.repeats(other) for other in numbers):
            numbers.append(number)
    return numbers


def _step(sides: Sequence[Sequence[Leaf]]) -> Fraction:
    """Return no less than the step that outputs are rounded to.

    Outputs of one input that stand at no end differ by multiples of the step, whatever constant was added. Where all
    of those are one number nothing is known, and the step is as large as everything that was seen.
    """
    gaps = [
        (Fraction(leaf.value) - Fraction(free[0].value), last_place(leaf) + last_place(free[0]))
        for free in map(away_from_ends, sides)
        for leaf in free[1:]
    ]
    everything = [leaf for leaves in sides for leaf in leaves]
    place = max(map(last_place, everything))
    common = common_divisor([gap for gap, _ in gaps])
    if not common:
        values = [Fraction(leaf.value) for leaf in everything]
        return max(values) - min(values)
    if common > 2 * place:
        return common
    rounded = rounded_step(gaps)
    return sum(rounded) + 2 * place if rounded else Fraction(0)


def find_changed_scales(replays: Replays) -> Iterator[Violation]:
    """Yield that a generator was given another scale for each input.

    A scale that varies from run to run comes from other noise, which is post-processing.
    """

    def read(place: int, run: Observation) -> tuple[Any, ...]:
        return run.draws[place][:3] if place < len(run.draws) else ()

    for place, (one, other) in enumerate(zip(replays.first[0].draws, replays.second[0].draws, strict=False)):
        if one[:2] == other[:2] and replays.separates(partial(read, place)):
            yield Violation("noise-scale", f"the scale of a {one.kind} draw differs for the two inputs", one.where)
            return


def find_movement(
    replays: Replays, numbers: Sequence[NumberSeries], *, sensitivity: Fraction, norm: str
) -> Iterator[Violation]:
    """Yield that the released numbers move together by more than the claimed sensitivity, in one replay.

    A number whose value comes from other noise moves by another distance in each replay, and is left out. Of more
    numbers than were drawn some are made of the others (their sum, a percentage): those that move least are compared.
    """
    drawn = sum(1 if draw.kind == "bytes" else draw.size for draw in replays.first[0].draws) or len(numbers)
    noisy = [number for number in numbers if len({*number.first}) > 1 or len({*number.second}) > 1]
    steady = [number for number in noisy if number.moves_steadily]
    if not steady:
        return
    claimed, power = (sensitivity**2, 2) if norm == "l2" else (sensitivity, 1)

    def length(distances: Sequence[Fraction]) -> Fraction:
        return max(distances) if norm == "max" else sum((each**power for each in distances), Fraction(0))

    def moved(replay: int) -> Fraction:
        return length(sorted(each.moved_at_least(replay) for each in steady)[:drawn])

    furthest, replay = max((moved(replay), replay) for replay in range(replays.count))
    if furthest <= claimed:
        return
    seen = length(sorted(each.moved(replay) for each in steady)[:drawn])
    shown, claim = digits_apart(_root(seen) if norm == "l2" else seen, sensitivity)
    is_rounding = furthest - claimed <= claimed * ROUNDING * power and not any(each.step for each in steady)
    yield Violation(
        "rounding" if is_rounding else "sensitivity",
        f"with the same noise the released numbers move by {shown}; claimed is {claim} ({norm})",
        replays.first[0].draws[0].where if replays.first[0].draws else "",
        (("moved", shown), ("claimed", str(sensitivity)), ("numbers", str(len(steady)))),
    )


def _root(square: Fraction) -> Fraction:
    """Return the root, off by less than 2^-128; to be shown."""
    return Fraction(math.isqrt((square.numerator << 256) // square.denominator), 1 << 128)
