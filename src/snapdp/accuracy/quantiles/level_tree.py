"""A tree of counts over ordered cells, and how far the sum of the first of them errs.

Room: accuracy. No data. The cells 0..M-1 are the leaves; every node but the last of its depth has `branching` children.
Each depth below the root is measured, all with the same noise; the root is their sum, or known. Numbers are combined
upwards with one weight for each depth, and what a parent says beyond its children is shared among these alike: nearly
least squares, unbiased whatever the weights are, and every node the exact sum of its children.

    z = own y + (1 - own) Z,   x = z + (x of the parent - Z of the parent)/children            theory (1), (2)

The error of (cells up to j) - share * (all cells) is a sum of independent noises. Which of them enters with which
coefficient depends on the way from the root to cell j alone, so the four sums that an interval needs are found for all
j at once.
Theory: docs/theory/quantiles.md, (1)-(4), (9), (10).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from snapdp.accuracy.quantiles.mixture_bound import SPARE, radii
from snapdp.errors import ParameterError
from snapdp.exact import to_float_up
from snapdp.values import Value

OWN_BITS = 16  # a weight is a multiple of 2^-16
WHOLE_WEIGHT = 1 << OWN_BITS
SAMPLED = 1024  # cells at which branchings are compared


class _Sums(NamedTuple):
    """Of the coefficients of measurements: squares, fourth powers, absolute values, and the largest square."""

    squares: Any
    fourths: Any
    absolute: Any
    largest: Any

    def times(self, factor: Any, count: Any = 1) -> _Sums:
        """Return the sums of so many likes of these, each coefficient times the factor."""
        import numpy as np

        square = factor * factor
        here = np.minimum(count, 1)
        return _Sums(
            self.squares * square * count,
            self.fourths * square * square * count,
            self.absolute * abs(factor) * count,
            self.largest * square * here,
        )

    def and_(self, other: _Sums) -> _Sums:
        import numpy as np

        return _Sums(
            self.squares + other.squares,
            self.fourths + other.fourths,
            self.absolute + other.absolute,
            np.maximum(self.largest, other.largest),
        )


_ONE = _Sums(1.0, 1.0, 1.0, 1.0)


class LevelTree(Value):
    """A tree over `cells` ordered cells; branching >= cells is the flat one.

    known_total   the number at the root is public
    """

    cells: int
    branching: int
    known_total: bool = False

    def _check(self) -> None:
        if self.cells < 2 or self.branching < 2:
            raise ParameterError(
                f"a tree over {self.cells} cells with branching {self.branching} is none.",
                "Give at least two cells, and a branching of at least 2.",
            )

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """Return how many nodes each measured depth has, from the top; the cells themselves are the last."""
        found = [self.cells]
        while found[-1] > self.branching:
            found.append(-(-found[-1] // self.branching))
        return tuple(reversed(found))

    @property
    def depth(self) -> int:
        """Return how many depths are measured."""
        return len(self.nodes)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Return how many cells a node of each depth is over, but the last node."""
        return tuple(self.branching ** (self.depth - 1 - place) for place in range(self.depth))

    @cached_property
    def own(self) -> tuple[int, ...]:
        """Return the weight of a node's own measurement in units of 2^-16, for each depth: U/(1 + U), rounded. (1)"""
        found, variance = [WHOLE_WEIGHT], Fraction(1)
        for _ in range(self.depth - 1):
            below = variance * self.branching
            own = round((below / (1 + below)) * WHOLE_WEIGHT)
            found.append(own)
            share = Fraction(own, WHOLE_WEIGHT)
            variance = share**2 + (1 - share) ** 2 * below
        return tuple(reversed(found))

    def children(self, place: int) -> tuple[int, int]:
        """Return how many children a node has at a depth, -1 for the root: any but the last, and the last."""
        if place < 0:
            return self.nodes[0], self.nodes[0]
        last = self.nodes[place + 1] - (self.nodes[place] - 1) * self.branching
        return self.branching, last

    @cached_property
    def _subtrees(self) -> list[tuple[_Sums, _Sums]]:
        """Return for each depth the sums of z, of any node but the last and of the last.        theory (1), (4)"""
        found = [(_ONE, _ONE)]
        for place in range(self.depth - 2, -1, -1):
            own = self.own[place] / WHOLE_WEIGHT
            full, last = found[-1]
            children = self.children(place)[1]
            usual = _ONE.times(own).and_(full.times(1 - own, self.branching))
            ragged = _ONE.times(own).and_(full.times(1 - own, children - 1)).and_(last.times(1 - own))
            found.append((usual, ragged))
        return list(reversed(found))

    def sums(self, share: Fraction, cells: Any = None) -> _Sums:
        """Return for each cell j the sums of the error of (cells up to j) - share * (all cells), in noise scales.

        cells   the cells j, an array; all of them where it is None. Where the total is known the share plays no part.
        """
        import numpy as np

        leaf = np.arange(self.cells) if cells is None else cells
        inside = self._inside(leaf)
        passed = np.zeros(len(leaf)) if self.known_total else inside[0] - float(share)
        zero = np.zeros(len(leaf))
        total = _Sums(zero, zero, zero, zero)
        for place in range(self.depth):
            node = leaf // self.widths[place]
            children, at = self._among(place, node)
            full, last = self._subtrees[place]
            base = passed - inside[place]
            total = total.and_(full.times(1 + base, at))
            ragged = (at < children - 1) & (node - at + children == self.nodes[place])
            total = total.and_(full.times(base, children - 1 - at - ragged)).and_(last.times(base, ragged))
            weight = inside[place + 1] + base
            own = self.own[place] / WHOLE_WEIGHT
            total = total.and_(_ONE.times(weight * own))
            passed = weight * (1 - own)
        return total

    def _among(self, place: int, node: Any) -> tuple[Any, Any]:
        """Return how many siblings nodes of a depth are, and the place of each among them."""
        import numpy as np

        if place == 0:
            return np.full(len(node), self.nodes[0]), node
        parent = node // self.branching
        usual, last = self.children(place - 1)
        return np.where(parent == self.nodes[place - 1] - 1, last, usual), node - parent * self.branching

    def _inside(self, leaf: Any) -> list[Any]:
        """Return which part of the nodes above cell j, from the root to the cell, its prefix takes.       theory (3)"""
        import numpy as np

        found = [np.ones(len(leaf))]
        for place in range(self.depth - 1, -1, -1):
            children, at = self._among(place, leaf // self.widths[place])
            found.append((at + found[-1]) / children)
        return list(reversed(found))

    @property
    def entering(self) -> int:
        """Return how many measured numbers there are."""
        return sum(self.nodes)

    def radii(
        self, share: Fraction, *, noise_scale: Fraction, grid: Fraction, level: Fraction, cells: Any = None
    ) -> Any:
        """Return for each cell j a radius that the error exceeds with probability `level` at most, rounded up.  (9)

        In rows. What the grid moves, at most half of it for every number, is in it.
        """
        if cells is None:
            reach, absolute = _reaches(self, share, level)
        else:
            reach, absolute = _reaches_of(self.sums(share, cells), level)
        return (reach * to_float_up(noise_scale) + absolute * to_float_up(grid / 2)) * SPARE


@lru_cache(maxsize=16)
def _reaches(tree: LevelTree, share: Fraction, level: Fraction) -> tuple[Any, Any]:
    """Return the same of all cells of a tree: it depends on no epsilon, so a plan that is changed need not wait."""
    return _reaches_of(tree.sums(share), level)


def _reaches_of(found: _Sums, level: Fraction) -> tuple[Any, Any]:
    """Return how far errors reach in noise scales, and the sums of absolute coefficients."""
    import numpy as np

    there = found.squares > 0  # where the total is known the last cell has no error
    sums = (np.where(there, each, 1.0) for each in (found.squares, found.fourths, found.largest))
    return radii(*sums, level=level) * there, found.absolute


@lru_cache(maxsize=256)
def best_tree(cells: int, shares: tuple[Fraction, ...], *, known_total: bool) -> LevelTree:
    """Return the tree whose prefixes err least: the mean standard deviation over cells and shares.        theory (10)

    Every depth is tried with its narrowest branching, the flat tree included. The noise scale grows with the depth;
    epsilon and the number of rows play no part, because they move the errors of all trees alike.

    >>> best_tree(121, (Fraction(1, 2),), known_total=False).nodes
    (11, 121)
    """
    found = {narrowest(cells, depth) for depth in range(1, cells.bit_length() + 1)}
    trees = [LevelTree(cells=cells, branching=each, known_total=known_total) for each in sorted(found, reverse=True)]
    return min(trees, key=lambda tree: mean_deviation(tree, shares))


def mean_deviation(tree: LevelTree, shares: tuple[Fraction, ...]) -> float:
    """Return the mean standard deviation of prefixes, were the noise scale 1 at a depth of 1; a figure to compare."""
    import numpy as np

    number = min(tree.cells, SAMPLED)
    some = np.arange(number) * (tree.cells - 1) // (number - 1)
    kinds = shares[:1] if tree.known_total else shares
    every = [each for share in kinds for each in np.sqrt(2 * tree.sums(share, some).squares).tolist()]
    return math.fsum(every) / len(every) * tree.depth  # rounded once: the same tree is chosen everywhere


def narrowest(cells: int, depth: int) -> int:
    """Return the least branching with which so many depths hold all cells.

    >>> narrowest(131072, 5), narrowest(121, 1), narrowest(3, 4)
    (11, 121, 2)
    """
    found = max(2, int(float(cells) ** (1.0 / depth)) - 1)
    while found**depth < cells:
        found += 1
    return found
