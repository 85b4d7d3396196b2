"""What the wide bound and the deviation need of the nodes of a tree, without listing coefficients.

Room: accuracy. In an irregular tree every kind of node is a sum of very many different noises. Squares of coefficients
add up, by source, and of all scales two are asked for, so both are found going up and going down, once for every shape
and kind: an adjusted node is

    x = W + beta Z        Z: the sum of its children's z, W: what was measured elsewhere, independent of Z

and that of a child follows from W and beta of its parent.
Theory: docs/theory/adjusted-tables.md, (8), (9), (34).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from snapdp.accuracy.adjusted.noise import SnappedNoise
from snapdp.accuracy.adjusted.trees import ROOT, CountTree
from snapdp.accuracy.adjusted.wide import SumNumbers, cosh_up

ZERO, ONE = Fraction(0), Fraction(1)


class Spread(NamedTuple):
    """A sum of independent noises.

    squares  of their coefficients, added up for every source
    largest  their largest scales, each with its x/2: two of them, or all; where sums are added four, of two from each
    """

    squares: dict[Hashable, Fraction]
    largest: tuple[tuple[Fraction, Fraction], ...]

    def without(self, part: Spread) -> Spread:
        """Return the sum without one that was added to it: two of the four largest scales are left at least."""
        left = ((source, square - part.squares.get(source, ZERO)) for source, square in self.squares.items())
        largest = list(self.largest)
        for each in part.largest[:2]:
            if each in largest:
                largest.remove(each)
        return Spread({source: square for source, square in left if square}, tuple(largest[:2]))


NOTHING = Spread({}, ())


def combined(parts: Iterable[tuple[Fraction, int, Spread]]) -> Spread:
    """Return the sum of independent sums: each with its factor, and how many there are of it."""
    squares: dict[Hashable, Fraction] = {}
    largest: list[tuple[Fraction, Fraction]] = []
    for factor, count, part in parts:
        if factor and count:
            for source, square in part.squares.items():
                squares[source] = squares.get(source, ZERO) + count * factor**2 * square
            largest += [(abs(factor) * scale, y) for scale, y in part.largest[:2]] * min(count, 4)
    return Spread(squares, tuple(sorted(largest, reverse=True)[:4]))


class TreeNumbers:
    """The spread of every kind of node, in their order, from the noise of every source."""

    def __init__(self, tree: CountTree, noises: Mapping[Any, SnappedNoise]) -> None:
        self.tree = tree
        self.noises = noises
        self._alone = {source: Spread({source: ONE}, ((n.noise_scale, n.ratio / 2),)) for source, n in noises.items()}
        self._sums: list[Spread] = []  # Z of every shape
        self._averages: list[Spread] = []  # z of every shape
        for shape in tree.shapes:
            self._sums.append(combined((ONE, count, self._averages[number]) for number, count in shape.children))
            own = self._alone.get(shape.source, NOTHING)
            self._averages.append(combined([(shape.own, 1, own), (shape.below, 1, self._sums[-1])]))
        self.spreads = self._going_down()

    def _going_down(self) -> list[Spread]:
        """Return the spread of every kind: x = W + beta Z, theory (34)."""
        tree, found = self.tree, []
        elsewhere: list[Spread] = []  # W of every kind
        reached: list[Fraction] = []  # beta
        for node in tree.examples:
            shape = tree.shape(node)
            own = self._alone.get(shape.source, NOTHING)
            if node == ROOT:
                known = tree.known_root
                elsewhere.append(NOTHING if known else combined([(shape.own, 1, own)]))
                reached.append(ZERO if known else shape.below)
            else:
                parent = tree.parents[node]
                above, share = tree.kinds[parent], tree.share(node)
                passed = share * (reached[above] - 1)
                beside = self._sums[tree.shape_numbers[parent]].without(self._averages[tree.shape_numbers[node]])
                parts = [(share, 1, elsewhere[above]), (passed, 1, beside), ((1 + passed) * shape.own, 1, own)]
                elsewhere.append(combined(parts))
                reached.append((1 + passed) * shape.below)
            below = self._sums[tree.shape_numbers[node]]
            found.append(combined([(ONE, 1, elsewhere[-1]), (reached[-1], 1, below)]))
        return found

    def numbers(self, kind: int) -> SumNumbers | None:
        """Return what the wide bound needs of a kind of node; None where nothing is random."""
        spread = self.spreads[kind]
        if not spread.largest:
            return None
        scale, y = spread.largest[0]
        total = ZERO
        for source, square in spread.squares.items():
            noise = self.noises[source]
            total += 2 * cosh_up(noise.ratio / 2) * noise.noise_scale**2 * square
        second = spread.largest[1][0] if len(spread.largest) > 1 else ZERO
        return SumNumbers(scale, y, second, total - 2 * cosh_up(y) * scale**2)
