"""Brute force for adjusted tables: normal equations solved in rationals, and the law of a sum of noises enumerated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product

from snapdp.accuracy.adjusted.margins import Margin, MarginFamily
from snapdp.accuracy.adjusted.noise import Summand, spacing_of
from snapdp.accuracy.adjusted.trees import CountTree
from snapdp.exact.functions import exp_enclosure

F = Fraction
ZERO = F(0)
Row = list[Fraction]


def solved(matrix: Sequence[Row], right: Sequence[Row]) -> list[Row]:
    """Return one solution X of matrix X = right, exactly; free unknowns are 0. A system without one is refused."""
    rows = [[*map(F, row), *map(F, more)] for row, more in zip(matrix, right, strict=True)]
    width, pivots = len(matrix[0]), []
    for column in range(width):
        at = len(pivots)
        found = next((i for i in range(at, len(rows)) if rows[i][column]), None)
        if found is None:
            continue
        rows[at], rows[found] = rows[found], rows[at]
        rows[at] = [each / rows[at][column] for each in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[column]:
                rows[i] = [a - row[column] * b for a, b in zip(row, rows[at], strict=True)]
        pivots.append(column)
    assert all(not any(row[width:]) for row in rows[len(pivots) :]), "not estimable"
    answer = [[F(0)] * len(right[0]) for _ in range(width)]
    for row, column in zip(rows, pivots, strict=False):
        answer[column] = row[width:]
    return answer


class LeastSquares:
    """The best linear unbiased estimate of linear functionals of x from y = design x + noise, by its equations.

    With a known sum of x the solution is that under the constraint. Functionals are columns.
    """

    def __init__(self, design: list[Row], variances: Row, functionals: list[Row], *, known_sum: bool = False) -> None:
        size = len(design[0])
        weighted = [[each / v for each in row] for row, v in zip(design, variances, strict=True)]
        pairs = list(zip(design, weighted, strict=True))
        normal = [[sum(a[i] * b[j] for a, b in pairs) for j in range(size)] for i in range(size)]
        right = [[f[i] for f in functionals] for i in range(size)]
        if known_sum:
            normal = [[*row, F(1)] for row in normal] + [[F(1)] * size + [F(0)]]
            right.append([F(0)] * len(functionals))
        answer = solved(normal, right)
        self.constants = answer[size] if known_sum else [F(0)] * len(functionals)
        self.coefficients = [
            [sum(row[i] * answer[i][k] for i in range(size)) for row in weighted] for k in range(len(functionals))
        ]
        self.variances = [sum(f[i] * answer[i][k] for i in range(size)) for k, f in enumerate(functionals)]

    def values(self, measured: Row, total: Fraction = ZERO) -> Row:
        return [
            sum((c * y for c, y in zip(row, measured, strict=True)), constant * total)
            for row, constant in zip(self.coefficients, self.constants, strict=True)
        ]


def cells_of(family: MarginFamily, margin: Margin) -> list[tuple[int, ...]]:
    return list(product(*(range(family.sizes[i]) for i in margin)))


def margin_rows(family: MarginFamily, margin: Margin) -> list[Row]:
    """Return for each cell of a margin which cells of the whole table it adds up."""
    whole = list(product(*map(range, family.sizes)))
    return [
        [F(all(full[i] == c for i, c in zip(margin, cell, strict=True))) for full in whole]
        for cell in cells_of(family, margin)
    ]


def measured_cells(family: MarginFamily) -> list[tuple[Margin, tuple[int, ...]]]:
    return [(margin, cell) for margin in family.measured for cell in cells_of(family, margin)]


@cache
def least_squares_of_margin(family: MarginFamily, margin: Margin) -> LeastSquares:
    design = [row for each in family.measured for row in margin_rows(family, each)]
    variances = [family.measured[each] for each, _ in measured_cells(family)]
    return LeastSquares(design, variances, margin_rows(family, margin), known_sum=family.known_total)


def leaves_below(tree: CountTree, node: int) -> set[int]:
    if not tree.children[node]:
        return {node}
    return set().union(*(leaves_below(tree, child) for child in tree.children[node]))


def tree_rows(tree: CountTree, nodes: Sequence[int]) -> list[Row]:
    leaves = [node for node, below in enumerate(tree.children) if not below]
    return [[F(leaf in leaves_below(tree, node)) for leaf in leaves] for node in nodes]


def measured_nodes(tree: CountTree) -> list[int]:
    return [node for node, source in enumerate(tree.sources) if source in tree.measured]


def least_squares_of_tree(tree: CountTree, functionals: list[Row] | None = None) -> LeastSquares:
    """Return the estimate of every node, or of given functionals of the leaves."""
    nodes = measured_nodes(tree)
    asked = tree_rows(tree, range(len(tree.parents))) if functionals is None else functionals
    variances = [tree.measured[tree.sources[node]] for node in nodes]
    return LeastSquares(tree_rows(tree, nodes), variances, asked, known_sum=tree.known_root)


# The law of a sum, enumerated

SCALE = 128  # masses are integers of 2**-SCALE
SLOT = 2 * SCALE + 64
CUT = F(1, 2**60)  # masses of one noise that are not listed


class EnumeratedLaw:
    """P(|S| > h) between two rationals, for sums of noises on a lattice: all masses are listed and convolved.

    Masses become the digits of one integer, and a product of integers is their convolution, exactly. After each factor
    they are rounded to SCALE bits again, down for the lower ones and up for the upper ones.
    """

    def __init__(self, summands: Sequence[Summand]) -> None:
        self.spacing = spacing_of(summands)
        self.cut = CUT * sum(each.times for each in summands)
        low, high = [1 << SCALE], [1 << SCALE]
        for each in summands:
            down, up = (self._masses(each, down=way) for way in (True, False))
            for _ in range(each.times):
                low, high = convolved(low, down, down=True), convolved(high, up, down=False)
        self.low, self.high = low, high

    def _masses(self, summand: Summand, *, down: bool) -> list[int]:
        """Return e^(-kx) sinh(x/2) and 1 - e^(-x/2) in steps of the lattice; e^(-(last + 1/2) x) < e^-42 < CUT."""
        x, stride = 2 * summand.half_ratio, int(summand.step / self.spacing)
        last = math.ceil(F(42) / x)
        half, whole = exp_enclosure(-x / 2, 2 * SCALE), exp_enclosure(-x, 2 * SCALE)
        first, middle = half * (1 - whole) * F(1, 2), 1 - half
        found = [0] * (2 * last * stride + 1)
        found[last * stride] = rounded(middle.lower if down else middle.upper, down=down)
        mass, ratio = (first.lower, whole.lower) if down else (first.upper, whole.upper)
        for k in range(1, last + 1):
            found[(last + k) * stride] = found[(last - k) * stride] = rounded(mass, down=down)
            mass = F(rounded(mass * ratio * 2**SCALE, down=down), 2 ** (2 * SCALE))
        return found

    def beyond(self, radius: Fraction) -> tuple[Fraction, Fraction]:
        """Return numbers around P(|S| > radius)."""
        reach = math.floor(radius / self.spacing)
        inside = []
        for masses in (self.low, self.high):
            middle = len(masses) // 2
            inside.append(F(sum(masses[max(0, middle - reach) : middle + reach + 1]), 2**SCALE))
        return max(F(0), 1 - inside[1] - self.cut), 1 - inside[0]

    def shortest(self, level: Fraction) -> Fraction:
        """Return the least radius that S exceeds with probability at most a level."""
        low, high = -1, len(self.low) // 2
        while high - low > 1:
            middle = (low + high) // 2
            least, most = self.beyond(middle * self.spacing)
            assert most <= level or least > level, "undecided"
            low, high = (low, middle) if most <= level else (middle, high)
        return high * self.spacing


def rounded(x: Fraction, *, down: bool) -> int:
    return math.floor(x * 2**SCALE) if down else math.ceil(x * 2**SCALE)


def convolved(a: Sequence[int], b: Sequence[int], *, down: bool) -> list[int]:
    size = SLOT // 8
    numbers = [int.from_bytes(b"".join(each.to_bytes(size, "little") for each in side), "little") for side in (a, b)]
    count = len(a) + len(b) - 1
    digits = (numbers[0] * numbers[1]).to_bytes(count * size, "little")
    whole = [int.from_bytes(digits[i * size : (i + 1) * size], "little") for i in range(count)]
    return [each >> SCALE if down else -(-each >> SCALE) for each in whole]
