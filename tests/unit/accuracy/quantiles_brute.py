"""The estimates of a tree written out as matrices of rationals: what every prefix takes of every measurement."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

from snapdp.accuracy.quantiles import OWN_BITS

ZERO = Fraction(0)


def added(rows):
    return [sum(column, ZERO) for column in zip(*rows, strict=True)]


def scaled(row, factor):
    return [factor * each for each in row]


def plus(one, other):
    return [x + y for x, y in zip(one, other, strict=True)]


def prefix_rows(tree, share):
    """Return for each cell the coefficients of (cells up to it) - share * (all), and the constant in units of n."""
    starts = [0, *accumulate(tree.nodes)]
    unit = [[Fraction(i == j) for j in range(starts[-1])] for i in range(starts[-1])]
    z, sums = {tree.depth - 1: unit[starts[-2] :]}, {}
    for place in range(tree.depth - 2, -1, -1):
        own, b = Fraction(tree.own[place], 1 << OWN_BITS), tree.branching
        sums[place] = [added(z[place + 1][i * b : (i + 1) * b]) for i in range(tree.nodes[place])]
        measured = unit[starts[place] : starts[place + 1]]
        z[place] = [plus(scaled(y, own), scaled(s, 1 - own)) for y, s in zip(measured, sums[place], strict=True)]
    x = [([*row], ZERO) for row in z[0]]
    if tree.known_total:
        minus = scaled(added(z[0]), Fraction(-1, len(x)))
        x = [(plus(row, minus), Fraction(1, len(x))) for row in z[0]]
    for place in range(tree.depth - 1):
        below = []
        for node, (row, constant) in enumerate(x):
            children = z[place + 1][node * tree.branching : (node + 1) * tree.branching]
            excess = plus(row, scaled(sums[place][node], Fraction(-1)))
            k = len(children)
            below += [(plus(child, scaled(excess, Fraction(1, k))), constant / k) for child in children]
        x = below
    rows = list(accumulate((row for row, _ in x), plus))
    constants = list(accumulate(constant for _, constant in x))
    return [
        (plus(row, scaled(rows[-1], -share)), constant - share * constants[-1])
        for row, constant in zip(rows, constants, strict=True)
    ]
