"""Measured counts of a tree made consistent: every node the exact sum of its children.

Room: accuracy. Integers over denominators that belong to shapes and kinds: a node costs a few products, no greatest
common divisor. What comes in has been released.
Theory: docs/theory/adjusted-tables.md, (8), (9).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from snapdp.accuracy.adjusted.trees import ROOT, CountTree
from snapdp.errors import ParameterError
from snapdp.exact import parameter


def adjusted_values(tree: CountTree, measured: Sequence[Any], *, total: Any = None) -> list[Fraction]:
    """Return the adjusted number of every node.

    measured  one number for every node; None where its level is not measured        total  of a known root

    >>> from snapdp.accuracy import count_tree
    >>> adjusted_values(count_tree([-1, 0, 0], {0: 1, 1: 1}), [10, 3, 4])
    [Fraction(9, 1), Fraction(4, 1), Fraction(5, 1)]
    """
    if len(measured) != len(tree.parents) or (total is not None) != tree.known_root:
        raise ParameterError(
            f"{len(measured)} numbers for {len(tree.parents)} nodes{'' if total is None else ' and a total'}.",
            "Give one for every node, and a total if and only if it is known.",
        )
    numbers = [_number(tree, node, each) for node, each in enumerate(measured)]
    known = None if total is None else parameter(total, name="total")
    unit = math.lcm(1 if known is None else known.denominator, *{number.denominator for number in numbers})
    averages = _Averages(tree, [number.numerator * (unit // number.denominator) for number in numbers])
    return _shared_out(tree, averages, known, unit)


def _number(tree: CountTree, node: int, given: Any) -> Fraction:
    if (given is None) == (tree.shape(node).source is not None):
        raise ParameterError(
            f"node {node} has {'no' if given is None else 'a'} number.", "Give one for every node that is measured."
        )
    return Fraction(0) if given is None else parameter(given, name="measured")


class _Averages:
    """z of every node and the sums Z of children's z, as integers over a denominator of their shape: theory (8)."""

    def __init__(self, tree: CountTree, numbers: Sequence[int]) -> None:
        self.below: list[int] = []  # denominators of Z by shape
        self.own: list[int] = []  # denominators of z
        steps: list[tuple[int, int]] = []
        for shape in tree.shapes:
            summed = math.lcm(1, *(self.own[number] for number, _ in shape.children))
            scale = math.lcm(shape.own.denominator, shape.below.denominator)
            self.below.append(summed)
            self.own.append(scale * summed)
            steps.append((int(shape.own * scale) * summed, int(shape.below * scale)))
        self.sums = [0] * len(numbers)
        self.values = [0] * len(numbers)
        kinds = tree.shape_numbers
        for node in reversed(range(len(numbers))):
            number = kinds[node]
            summed = self.below[number]
            self.sums[node] = sum(self.values[c] * (summed // self.own[kinds[c]]) for c in tree.children[node])
            self.values[node] = steps[number][0] * numbers[node] + steps[number][1] * self.sums[node]


def _shared_out(tree: CountTree, averages: _Averages, known: Fraction | None, unit: int) -> list[Fraction]:
    """Return x = z + r (x of the parent - Z) from the root down.        theory (9)"""
    shapes = tree.shape_numbers
    found = [0] * len(shapes)
    denominators = [1] * len(shapes)
    if known is None:
        found[ROOT], denominators[ROOT] = averages.values[ROOT], averages.own[shapes[ROOT]]
    else:
        found[ROOT] = int(known * unit)
    for node, children in enumerate(tree.children):
        below = averages.below[shapes[node]]
        common = math.lcm(denominators[node], below)
        excess = found[node] * (common // denominators[node]) - averages.sums[node] * (common // below)
        ready: dict[int, tuple[int, int, int]] = {}
        for child in children:
            shape = shapes[child]
            if shape not in ready:
                share, own = tree.share(child), averages.own[shape]
                denominator = math.lcm(own, common * share.denominator)
                part = excess * share.numerator * (denominator // (common * share.denominator))
                ready[shape] = denominator, denominator // own, part
            denominators[child], factor, part = ready[shape]
            found[child] = averages.values[child] * factor + part
    return [Fraction(number, unit * denominator) for number, denominator in zip(found, denominators, strict=True)]
