"""Least squares for a tree of counts: variances and coefficients of adjusted nodes, and the counts made consistent.

A node holds the sum of its children; levels may be measured or not, degrees may differ, the root may be
known. Going up, each node averages its own measurement and the sum of its children; going down, what the average above
differs from the children's sum is shared out by their variances. Nodes with the same shape below them share all
numbers going up, and nodes whose ancestors agree as well are of one *kind*: a variance, a law and a radius each. Shapes
and kinds depend on the tree and its variances only.
Theory: docs/theory/adjusted-tables.md, (8)-(11), (32)-(34).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from snapdp.accuracy.adjusted.margins import Contribution
from snapdp.accuracy.adjusted.noise import SnappedNoise
from snapdp.accuracy.adjusted.radius import SumNumbers, cosh_up
from snapdp.errors import ParameterError
from snapdp.exact.dyadic import round_up
from snapdp.exact.numbers import parameter, positive
from snapdp.values import Value

ROOT = 0
SHORT = 32  # bits of weights that are rounded
Profile = dict[tuple[Hashable, Fraction], int]


class SubtreeShape(NamedTuple):
    """What nodes with equal subtrees have in common.

    source             what measures the node (its level), None where nothing does
    children           {number of a child's shape: how many}
    variance           u: of the average z of the node's own measurement and of what its children say
    own, below         z = own * measurement + below * (sum of the children's z);   own + below = 1
    children_variance  U: of the sum of the children's z; 0 at a leaf
    """

    source: Hashable
    children: tuple[tuple[int, int], ...]
    variance: Fraction
    own: Fraction
    below: Fraction
    children_variance: Fraction


class CountTree(Value):
    """A tree whose nodes are numbered from the root, 0, so that parents come before their children.

    parents    of every node; that of the root is -1        sources     what measures each node: its level, by default
    variances  (source, variance of a measurement); a source that is not listed measures nothing
    known_root the number at the root is known exactly and not measured
    short      weights are rounded to 32 bits: nearly least squares, as unbiased, and numbers stay short in any tree
    """

    parents: tuple[int, ...]
    sources: tuple[Hashable, ...]
    variances: tuple[tuple[Hashable, Fraction], ...]
    known_root: bool = False
    short: bool = False

    @cached_property
    def children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents[1:], 1):
            found[parent].append(node)
        return found

    @cached_property
    def measured(self) -> dict[Hashable, Fraction]:
        return dict(self.variances)

    @cached_property
    def _grown(self) -> tuple[list[int], list[SubtreeShape]]:
        """Return the number of the shape of every node, and the shapes."""
        numbers = {}
        shapes: list[SubtreeShape] = []
        found = [0] * len(self.parents)
        for node in reversed(range(len(self.parents))):
            below = tuple(sorted(Counter(found[child] for child in self.children[node]).items()))
            source = self.sources[node] if self.sources[node] in self.measured else None
            key = (source, below)
            if key not in numbers:
                numbers[key] = len(shapes)
                exact = _shape(source, self.measured.get(source), below, shapes)
                shapes.append(_shortened(exact) if self.short else exact)
            found[node] = numbers[key]
        return found, shapes

    @property
    def shape_numbers(self) -> list[int]:
        return self._grown[0]

    @property
    def shapes(self) -> list[SubtreeShape]:
        return self._grown[1]

    def shape(self, node: int) -> SubtreeShape:
        return self.shapes[self.shape_numbers[node]]

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """Return the number of the kind of every node: nodes of one kind have the same law."""
        numbers: dict[tuple[int, int], int] = {}
        found: list[int] = []
        for node, parent in enumerate(self.parents):
            key = (found[parent] if node else -1, self.shape_numbers[node])
            found.append(numbers.setdefault(key, len(numbers)))
        return tuple(found)

    @cached_property
    def examples(self) -> tuple[int, ...]:
        """Return the first node of every kind."""
        first: dict[int, int] = {}
        for node, kind in enumerate(self.kinds):
            first.setdefault(kind, node)
        return tuple(first.values())

    @cached_property
    def terms(self) -> int:
        """Return a bound on how many coefficients enter all kinds of nodes: what it takes to find their errors.

        Each node on the way to one brings its own measurement, and those of different shapes of nodes below it. It
        depends on no variance.                                                                        theory (32)
        """
        below: list[int] = []  # different coefficients that the measurements of a subtree can have, by shape
        for shape in self.shapes:
            below.append(1 + sum(below[number] for number, _ in shape.children))
        reached: list[int] = []  # of all nodes on the way
        for node, parent in enumerate(self.parents):
            reached.append((reached[parent] if node else 0) + below[self.shape_numbers[node]])
        return sum(reached[node] for node in self.examples)

    def share(self, node: int) -> Fraction:
        """Return r = u/U: which part of a difference at its parent a node takes."""
        return self.shape(node).variance / self.shape(self.parents[node]).children_variance

    def variance(self, node: int) -> Fraction:
        """Return the variance of an adjusted node: u (1 - r) + r^2 (variance of its parent).        theory (10)"""
        assert not self.short, "of least squares"
        path = [node]
        while path[-1] != ROOT:
            path.append(self.parents[path[-1]])
        found = Fraction(0) if self.known_root else self.shape(ROOT).variance
        for each in reversed(path[:-1]):
            share = self.share(each)
            found = self.shape(each).variance * (1 - share) + share**2 * found
        return found

    def coefficients(self, weights: Mapping[int, Any]) -> tuple[Contribution, ...]:
        """Return the coefficients of a weighted sum of adjusted nodes, {node: weight}: one node, or a prefix.

        Only ancestors of the nodes are walked; a subtree beside them contributes the profile of its shape. In the words
        of theory (11) `total` is B, `passed` the sum of r B over children, `reached` A, and `spread` R.
        """
        given = {node: parameter(weight, name="weight") for node, weight in weights.items()}
        if not all(0 <= node < len(self.parents) for node in given):
            raise ParameterError("a node is not in the tree.", f"Nodes are 0 to {len(self.parents) - 1}.")
        total, passed = self._gathered(given)
        found: Counter[tuple[Hashable, Fraction]] = Counter()
        reached = {ROOT: total[ROOT]}
        for node in sorted(total):  # parents before children
            shape, reach = self.shape(node), reached[node]
            known = self.known_root and node == ROOT
            if not known:
                found[shape.source, reach * shape.own] += 1
            spread = (Fraction(0) if known else reach * shape.below) - passed[node]
            beside = Counter(dict(shape.children))
            for child in (each for each in self.children[node] if each in total):
                reached[child] = total[child] + spread
                beside[self.shape_numbers[child]] -= 1
            for number, count in beside.items():
                for (source, value), times in self._profiles[number].items() if count else ():
                    found[source, spread * value] += count * times
        return tuple(
            Contribution(source=source, coefficient=value, count=count)
            for (source, value), count in found.items()
            if value
        )

    def _gathered(self, weights: Mapping[int, Fraction]) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
        """Return the weight of every ancestor's x, what falls to it from below included, and that part of it."""
        total = {ROOT: Fraction(0)}
        for node, weight in weights.items():
            total[node] = total.get(node, Fraction(0)) + weight
            while node != ROOT:
                node = self.parents[node]
                total.setdefault(node, Fraction(0))
        passed = dict.fromkeys(total, Fraction(0))
        for node in sorted(total, reverse=True):
            total[node] += passed[node]
            if node != ROOT:
                passed[self.parents[node]] += self.share(node) * total[node]
        return total, passed

    @cached_property
    def _profiles(self) -> list[Profile]:
        """Return for every shape with which coefficients the measurements below a node enter its z."""
        found: list[Profile] = []
        for shape in self.shapes:
            profile: Counter[tuple[Hashable, Fraction]] = Counter()
            if shape.own:
                profile[shape.source, shape.own] += 1
            for number, count in shape.children:
                for (source, value), times in found[number].items():
                    profile[source, shape.below * value] += count * times
            found.append(dict(profile))
        return found


def _shape(
    source: Hashable, variance: Fraction | None, children: tuple[tuple[int, int], ...], shapes: Sequence[SubtreeShape]
) -> SubtreeShape:
    """Return a shape from those of its children: u = 1/(1/s + 1/U), own = u/s, below = u/U.        theory (8)"""
    summed = sum((shapes[number].variance * count for number, count in children), Fraction(0))
    if variance is None:
        return SubtreeShape(None, children, summed, Fraction(0), Fraction(1), summed)
    if not children:
        return SubtreeShape(source, children, variance, Fraction(1), Fraction(0), summed)
    own = summed / (variance + summed)
    return SubtreeShape(source, children, own * variance, own, 1 - own, summed)


def _shortened(shape: SubtreeShape) -> SubtreeShape:
    """Return a shape whose u is rounded up to 32 bits, and whose weights to multiples of 2^-32.        theory (33)"""
    own = Fraction(math.floor(shape.own * (1 << SHORT)), 1 << SHORT)
    return shape._replace(variance=round_up(shape.variance, SHORT), own=own, below=1 - own)


def count_tree(
    parents: Iterable[int],
    variances: Mapping[Any, Any],
    *,
    known_root: bool = False,
    short: bool = False,
    sources: Iterable[Hashable] | None = None,
) -> CountTree:
    """Return a tree by the parents of its nodes and the variance of every measured source; levels are 0, 1, ...

    Leaves must be measured: nothing else tells them apart.
    """
    listed = tuple(parents)
    if not listed or listed[0] != -1 or not all(0 <= parent < node for node, parent in enumerate(listed[1:], 1)):
        raise ParameterError(
            "the parents make no tree.",
            "Node 0 is the root, its parent is -1; every other parent comes before its node.",
        )
    levels = [0] * len(listed)
    for node, parent in enumerate(listed[1:], 1):
        levels[node] = levels[parent] + 1
    named = tuple(levels if sources is None else sources)
    known = {source: positive(variance, name="variance") for source, variance in variances.items()}
    if len(named) != len(listed):
        raise ParameterError(f"{len(named)} sources for {len(listed)} nodes.", "Give one for every node.")
    if known_root and named[ROOT] in known:
        raise ParameterError("the root is known and measured.", "A known root is not measured: leave one out.")
    inner = set(listed)
    leaves = [node for node in range(len(listed)) if node not in inner and not (known_root and node == ROOT)]
    if any(named[leaf] not in known for leaf in leaves):
        raise ParameterError("a leaf is not measured.", "Every leaf needs a measurement: nothing else tells it.")
    present = set(named)
    used = tuple((source, variance) for source, variance in known.items() if source in present)
    return CountTree(parents=listed, sources=named, variances=used, known_root=known_root, short=short)


# What the wide bound and the deviation need, without listing coefficients
#
# In an irregular tree every kind of node is a sum of very many different noises. Squares of coefficients add up, by
# source, and of all scales two are asked for, so both are found going up and going down, once for every shape and kind:
# an adjusted node is
#
#     x = W + beta Z        Z: the sum of its children's z, W: what was measured elsewhere, independent of Z
#
# and that of a child follows from W and beta of its parent. theory (8), (9), (34)

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
    largest = []
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
        elsewhere = []  # W of every kind
        reached = []  # beta
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


# Measured counts made consistent: every node the exact sum of its children. Integers over denominators that belong to
# shapes and kinds: a node costs a few products, no greatest common divisor. What comes in has been released.


def adjusted_values(tree: CountTree, measured: Sequence[Any], *, total: Any = None) -> list[Fraction]:
    """Return the adjusted number of every node.

    measured  one number for every node; None where its level is not measured        total  of a known root

    >>> from snapdp.accuracy.adjusted.trees import count_tree
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
        steps = []
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
        ready = {}
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
