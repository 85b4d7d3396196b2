"""From the released numbers of a tree to the sums of its first cells: exact integers over one denominator.

Room: accuracy. What comes in has been released. Every depth has the same grid, so its indices are added as they are.
Theory: docs/theory/quantiles.md, (1), (2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from snapdp.accuracy.quantiles.level_tree import OWN_BITS, WHOLE_WEIGHT, LevelTree
from snapdp.errors import ParameterError


class Prefixes:
    """The sums of the cells up to each: `numerators[j]/denominator` grids of the noise."""

    def __init__(self, numerators: list[int], denominator: int) -> None:
        self.numerators, self.denominator = numerators, denominator

    @property
    def total(self) -> int:
        return self.numerators[-1]


def prefixes(tree: LevelTree, measured: Sequence[Sequence[int]], *, total: Fraction | None = None) -> Prefixes:
    """Return the sums of the first cells from the indices of every depth, from the top.

    total   the number at the root in grids, where it is known

    >>> found = prefixes(LevelTree(cells=3, branching=3), [[5, 1, 2]])
    >>> found.numerators, found.denominator
    ([5, 6, 8], 1)
    """
    if [len(each) for each in measured] != list(tree.nodes) or (total is None) == tree.known_total:
        raise ParameterError("the numbers are not those of the tree.", "Give all of every depth, and a known total.")
    averages, sums = _averages(tree, measured)
    values, denominator = averages[0], _unit(tree, 0)
    if total is not None:
        children = tree.nodes[0]
        whole = total.denominator
        excess = total.numerator * denominator - sum(values) * whole
        values, denominator = [value * whole * children + excess for value in values], denominator * whole * children
    for place in range(tree.depth - 1):
        values, denominator = _shared_out(tree, place, values, denominator, averages[place + 1], sums[place])
    return Prefixes(list(accumulate(values)), denominator)


def _unit(tree: LevelTree, place: int) -> int:
    """Return the denominator of z at a depth."""
    return 1 << OWN_BITS * (tree.depth - 1 - place)


def _averages(tree: LevelTree, measured: Sequence[Sequence[int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Return z of every node times the unit of its depth, and Z times that of the depth below.        theory (1)"""
    b = tree.branching
    averages = [[int(each) for each in measured[-1]]]
    sums: list[list[int]] = []
    for place in range(tree.depth - 2, -1, -1):
        below = averages[-1]
        added = [sum(below[first : first + b]) for first in range(0, len(below), b)]
        own, rest = tree.own[place] * _unit(tree, place + 1), WHOLE_WEIGHT - tree.own[place]
        averages.append([own * int(y) + rest * z for y, z in zip(measured[place], added, strict=True)])
        sums.append(added)
    return averages[::-1], sums[::-1]


def _shared_out(
    tree: LevelTree, place: int, values: list[int], denominator: int, averages: list[int], sums: list[int]
) -> tuple[list[int], int]:
    """Return x of the next depth and its denominator: x = z + (x of the parent - Z)/children.        theory (2)"""
    usual, last = tree.children(place)
    unit = _unit(tree, place + 1)
    common = math.lcm(denominator, unit)
    shared = math.lcm(usual, last)
    up, down, own = common // denominator, common // unit, common // unit * shared
    found: list[int] = []
    for node, (value, summed) in enumerate(zip(values, sums, strict=True)):
        children = usual if node < len(values) - 1 else last
        part = (value * up - summed * down) * (shared // children)
        first = node * tree.branching
        found += [z * own + part for z in averages[first : first + children]]
    return found, common * shared
