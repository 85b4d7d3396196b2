"""A tree of counts over ordered cells, how far sums of its first cells err, and quantiles read off it.

The cells 0..M-1 are the leaves; every node but the last of its depth has `branching` children. Each depth below the
root is measured, all with the same noise; the root is their sum, or known. Numbers are combined upwards with one weight
for each depth, and what a parent says beyond its children is shared among these alike: nearly least squares, unbiased
whatever the weights are, and every node the exact sum of its children.

    z = own y + (1 - own) Z,   x = z + (x of the parent - Z of the parent)/children            theory (1), (2)

The error of (cells up to j) - share * (all cells) is a sum of independent noises. Which of them enters with which
coefficient depends on the way from the root to cell j alone, so the four sums that an interval needs are found for all
j at once. Data enter nowhere: estimates and intervals are functions of released numbers and public radii.
Theory: docs/theory/quantiles.md, (1)-(14), (16).
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from snapdp.errors import ParameterError
from snapdp.exact.enclosure import decided_ceil
from snapdp.exact.functions import ln_enclosure
from snapdp.exact.numbers import to_float_up
from snapdp.values import Value

# How far a sum of Laplace variables goes: a bound from three numbers, within a few percent of the shortest
#
# A Laplace variable is a normal one whose variance is itself random, twice the square of its scale times
# an exponential variable; so a sum S of them is normal with a random variance V, and
#
#     P(|S| > r) = E erfc(r/sqrt(2 V)),   erfc(1/sqrt(2 u)) <= A(tau) e^(tau u) for every u
#
# turns the tail of the sum into exponential moments of V alone. What is normal about the sum costs nothing, as it does
# where exponential moments of S itself are taken. Any tau serves; the best of a list is taken. With scales b_i,
#
#     W2 = sum b_i^2,   kappa = sum b_i^4/W2^2,   largest = max b_i^2/W2
#
# are all it needs. Doubles, in a fixed order of + - * / and square roots, so that repeating them gives the same; every
# result is enlarged by 2^-20 of itself, more than all roundings together. theory (5)-(9)

SPARE = 1 + 2.0**-20  # for every rounding of doubles on the way
BUCKET_BITS = 5  # kappa and the largest square are rounded up to so many bits: the radius grows by less than 0.5 %
_HALVINGS = 24
_LN_STEPS = 1 << 20  # ln(level) is rounded down to a multiple of 2^-20: repeating it gives the same
# (tau, ln A(tau) rounded up), A(tau) = sup over u > 0 of erfc(1/sqrt(2 u)) e^(-tau u)                  theory (6)
EXPONENTS: tuple[tuple[float, float], ...] = (
    (0.25, -1.233), (0.375, -1.443), (0.5, -1.616), (0.75, -1.897), (1, -2.129), (1.5, -2.510), (2, -2.825),
    (3, -3.343), (4, -3.772), (6, -4.482), (8, -5.072), (12, -6.050), (16, -6.866), (24, -8.221),
    (32, -9.353), (48, -11.239), (64, -12.818), (96, -15.451), (128, -17.660), (192, -21.349), (256, -24.448),
    (384, -29.628), (512, -33.984), (768, -41.272), (1024, -47.405), (1536, -57.674), (2048, -66.318),
    (3072, -80.801), (4096, -92.997), (6144, -113.438), (8192, -130.658),
)  # fmt: skip


@lru_cache(maxsize=64)
def _slopes(level: Fraction) -> tuple[tuple[float, float], ...]:
    """Return (tau, ln(level/A(tau))), ln(level) rounded down, where that is positive: what the moments of V may reach.

    The difference is rounded to the nearest double: SPARE is on the other side of the comparison.
    """
    reached = -decided_ceil(lambda bits: ln_enclosure(level, bits) * -_LN_STEPS) / _LN_STEPS
    found = ((tau, reached - bound) for tau, bound in EXPONENTS)
    return tuple((tau, room) for tau, room in found if room > 0)


@lru_cache(maxsize=4096)
def spread_factor(kappa: float, largest: float, level: Fraction) -> float:
    """Return rho with P(|S| > rho sqrt(W2)) <= level, 0 < kappa <= largest <= 1.        theory (8)

    Of the list of tau that with the smallest rho^2 = 2 tau/t, t the longest that the moments of V leave room for.
    """
    least = min((tau / _longest(room, kappa, largest) for tau, room in _slopes(level)), default=None)
    if least is None:
        raise ParameterError(f"alpha = {level} is too small for an interval.", "Give alpha >= 2^-63.", alpha=level)
    return math.sqrt(2 * least) * SPARE


def _longest(room: float, kappa: float, largest: float) -> float:
    """Return t with t + kappa t^2 (1/2 + x/3 + x^2/4 + x^3/(5 (1 - x))) <= room, x = largest t < 1.    theory (7)"""
    low, high = 0.0, min(room, 1 / largest)
    for _ in range(_HALVINGS):
        t = (low + high) / 2
        x = largest * t
        if x < 1 and (t + kappa * t * t * (0.5 + x / 3 + x * x / 4 + x * x * x / (5 * (1 - x)))) * SPARE <= room:
            low = t
        else:
            high = t
    return low if low else room * 2.0**-_HALVINGS


def rounded_up(x: Any) -> Any:
    """Return an array of numbers in (0, 1], each rounded up to a double of five bits."""
    import numpy as np

    fraction, exponent = np.frexp(x)
    return np.ldexp(np.ceil(fraction * 2**BUCKET_BITS), exponent - BUCKET_BITS)


def radii(squares: Any, fourths: Any, largest: Any, *, level: Fraction) -> Any:
    """Return for arrays of W2, sums of b^4 and max b^2 the radii r with P(|S| > r) <= level.        theory (8)"""
    import numpy as np

    kappa = np.minimum(rounded_up(np.minimum(fourths / (squares * squares) * SPARE, 1.0)), 1.0)
    shares = np.minimum(rounded_up(np.minimum(largest / squares * SPARE, 1.0)), 1.0)
    pairs, place = np.unique(kappa + 1j * np.maximum(shares, kappa), return_inverse=True)
    factors = np.array([spread_factor(pair.real, pair.imag, level) for pair in pairs.tolist()])
    return factors[place.ravel()] * np.sqrt(squares) * SPARE


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


# From the released numbers of a tree to the sums of its first cells: exact integers over one denominator. Every depth
# has the same grid, so its indices are added as they are.


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
    sums = []
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
    found = []
    for node, (value, summed) in enumerate(zip(values, sums, strict=True)):
        children = usual if node < len(values) - 1 else last
        part = (value * up - summed * down) * (shared // children)
        first = node * tree.branching
        found += [z * own + part for z in averages[first : first + children]]
    return found, common * shared


# Quantiles of a released distribution: an estimate that never falls with the share, and an interval that holds
#
#     line: the rising one that is nearest to the prefixes, by least squares
#     estimate: the first cell at which the line reaches the rank
#     interval: from the first cell that may reach the rank, to the last before which it may not have been reached
#
# Cells are whole numbers 0..M-1. The true quantile j satisfies N(<= j) >= q n and N(<= j-1) < q n: two statements about
# one fixed cell each, so nothing need hold for all cells at once. Ends are made to rise with the share by enlarging
# only. theory (11)-(14), (16)


class RankedCell(NamedTuple):
    """A quantile: its cell, and the first and last cell of its interval."""

    cell: int
    low: int
    high: int


class RisingLine:
    """The rising line that is nearest to prefixes by least squares: level on stretches, each at the mean of its own.

    Stretches are joined as long as one is not below the next: all in whole numbers.        theory (16)

    >>> line = RisingLine([0, 3, 1, 5])
    >>> [line.height(cell) for cell in range(4)], line.first_at_least(Fraction(3)), line.first_at_least(Fraction(9))
    ([Fraction(0, 1), Fraction(2, 1), Fraction(2, 1), Fraction(5, 1)], 3, 3)
    """

    def __init__(self, numerators: Sequence[int]) -> None:
        stretches: list[tuple[int, int]] = []  # sum and length
        for each in numerators:
            total, length = each, 1
            while stretches and stretches[-1][0] * length >= total * stretches[-1][1]:
                before, cells = stretches.pop()
                total, length = total + before, length + cells
            stretches.append((total, length))
        self._stretches = stretches
        self._starts = [0, *accumulate(length for _, length in stretches)]

    def height(self, cell: int) -> Fraction:
        return Fraction(*self._stretches[bisect_right(self._starts, cell) - 1])

    def first_at_least(self, rank: Fraction) -> int:
        """Return the first cell at which the line reaches a rank; the last where none does."""
        over, under = rank.numerator, rank.denominator
        place = bisect_left(self._stretches, True, key=lambda each: each[0] * under >= over * each[1])
        return min(self._starts[place], self._starts[-1] - 1)


def ranked(
    found: Prefixes, shares: Sequence[Fraction], radii: Sequence[Any], line: RisingLine | None = None
) -> list[RankedCell]:
    """Return the quantiles at shares, in their order.

    line    that of the prefixes, where it is known already
    radii   for each share those of the error of (cells up to j) - share * (all cells), in grids: an array of doubles
    """
    order = sorted(range(len(shares)), key=lambda i: shares[i])
    line, total = line or RisingLine(found.numerators), max(found.total, 0)
    cells = [line.first_at_least(shares[i] * total) for i in order]
    ends = [interval(found, shares[i], radii[i]) for i in order]
    lows = list(accumulate((low for low, _ in ends[::-1]), min))[::-1]
    highs = list(accumulate((high for _, high in ends), max))
    rows = {
        i: RankedCell(min(max(cell, low), high), low, high)
        for i, cell, low, high in zip(order, cells, lows, highs, strict=True)
    }
    return [rows[i] for i in range(len(shares))]


def interval(found: Prefixes, share: Fraction, radii: Any) -> tuple[int, int]:
    """Return the first and last cell of the interval of a quantile.        theory (12), (13)

    Distances to the rank are rounded once, to the nearest double: that keeps the order, so ends can only move outward.
    """
    import numpy as np

    below, top = found.denominator * share.denominator, share.numerator * found.total
    away = np.fromiter((each * share.denominator - top for each in found.numerators), object, len(found.numerators))
    distance = np.fromiter((each / below for each in away), np.float64, len(away))
    may_reach = np.flatnonzero(distance >= -radii)
    may_miss = np.flatnonzero(distance <= radii)
    last = len(away) - 1
    low = int(may_reach[0]) if len(may_reach) else last
    high = min(int(may_miss[-1]) + 1, last) if len(may_miss) else 0
    return low, high
