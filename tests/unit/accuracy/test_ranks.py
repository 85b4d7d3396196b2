"""Quantiles of released prefixes: they rise, they lie inside, and their intervals hold by the exact law."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.quantiles import LevelTree, Prefixes, RisingLine, interval, prefixes, ranked
from tests.tiers import one_in
from tests.unit.accuracy.quantiles_brute import prefix_rows

F = Fraction
SHARES = [F(k, 10) for k in range(1, 10)]
SCALE = 4  # noise scale in grids
FAR = 34  # grids: beyond lies e^-8.4 of a noise
ALPHA = F(1, 20)


def quantile(counts, share):
    """Return the least cell with N(<= j) >= q n."""
    need = share * sum(counts)
    return next(cell for cell, rows in enumerate(accumulate(counts)) if rows >= need)


def test_without_noise_estimates_are_the_quantiles():
    for counts in product(range(4), repeat=4):
        found = Prefixes(list(accumulate(counts)), 1)
        if sum(counts):
            line = RisingLine(found.numerators)
            assert [line.first_at_least(q * sum(counts)) for q in SHARES] == [quantile(counts, q) for q in SHARES]


def test_the_line_rises_and_none_that_rises_is_nearer():
    """By the formula of the largest and least means: of all stretches from before a cell to behind it."""
    for numerators in product(range(-2, 3), repeat=5):
        line = RisingLine(numerators)
        heights = [line.height(cell) for cell in range(5)]
        means = {(i, k): F(sum(numerators[i : k + 1]), k + 1 - i) for i in range(5) for k in range(i, 5)}
        assert heights == [max(min(means[i, k] for k in range(j, 5)) for i in range(j + 1)) for j in range(5)]
        for rank in (F(-3), F(-1, 2), F(0), F(1, 3), F(2), F(5, 2)):
            reached = [cell for cell in range(5) if heights[cell] >= rank]
            assert line.first_at_least(rank) == (reached[0] if reached else 4)


def test_a_long_stretch_of_no_rows_does_not_carry_a_quantile_away():
    """Half way between the first and the last crossing lay here, in the middle of nowhere."""
    numerators = [10, 500, 900, *([1000, 1100, 1000, 940] * 50)]
    row = ranked(Prefixes([*numerators, 1260], 1), [F(3, 4)], [np.full(len(numerators) + 1, 400.0)])[0]
    assert row.cell == 3


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=12),
    st.lists(st.floats(0, 60), min_size=12, max_size=12),
    st.lists(st.fractions("1/100", "99/100", max_denominator=100), min_size=1, max_size=6, unique=True),
)
def test_quantiles_rise_with_the_share_and_lie_in_their_intervals(measured, radii, shares):
    found = Prefixes(list(accumulate(measured)), 1)
    reach = np.array(radii[: len(measured)])
    rows = dict(zip(shares, ranked(found, shares, [reach] * len(shares)), strict=True))
    ordered = [rows[share] for share in sorted(shares)]
    for column in zip(*ordered, strict=True):
        assert list(column) == sorted(column)
    assert all(0 <= each.low <= each.cell <= each.high < len(measured) for each in ordered)


def test_the_ends_are_the_first_and_last_cells_that_may_be_meant():
    found = Prefixes([2, 4, 6, 8, 10], 1)
    assert interval(found, F(1, 2), np.array([0.5] * 5)) == (2, 2)
    assert interval(found, F(1, 2), np.array([1.0] * 5)) == (1, 3)
    assert interval(found, F(1, 2), np.array([9.0] * 5)) == (0, 4)
    assert interval(Prefixes([-5, -5], 1), F(1, 2), np.array([1.0, 1.0])) == (1, 1)
    assert interval(Prefixes([9, 1], 1), F(1, 2), np.array([1.0, 1.0])) == (0, 1)


def law():
    """Return P(noise = k grids), k = -FAR..FAR: a Laplace variable of SCALE grids, rounded."""
    beyond = [0.5 * math.exp(-(k - 0.5) / SCALE) for k in range(1, FAR + 2)]
    right = [first - second for first, second in pairwise(beyond)]
    return np.array([*reversed(right), 1 - 2 * beyond[0], *right])


def covered(tree, counts, *, shorter=1.0):
    """Return for each share the probability that its interval holds the quantile, by the exact law of the noise.

    Intervals are found from the definition, for all noises at once; `some` of them are compared with the product's.
    """
    levels = np.arange(-FAR, FAR + 1)
    noises = np.stack(np.meshgrid(*[levels] * tree.entering, indexing="ij")).reshape(tree.entering, -1)
    chances = np.prod(np.stack(np.meshgrid(*[law()] * tree.entering, indexing="ij")), axis=0).ravel()
    true = [counts]
    while len(true[-1]) > tree.branching:
        below = true[-1]
        true.append([sum(below[i : i + tree.branching]) for i in range(0, len(below), tree.branching)])
    exact = np.array([each for depth in reversed(true) for each in depth])
    measured = exact[:, None] + noises
    found = {}
    for share in SHARES:
        radii = tree.radii(share, noise_scale=F(SCALE), grid=F(1), level=ALPHA) * shorter
        rows = prefix_rows(tree, share)
        matrix = np.array([[float(c) for c in row] for row, _ in rows])
        away = matrix @ measured + sum(counts) * np.array([[float(constant)] for _, constant in rows])
        truth = quantile(counts, share)
        slack = 1e-9  # of matrices in doubles: the rational intervals are wider by no more
        reaches = (away + radii[:, None] >= -slack)[: truth + 1].any(axis=0) | (truth == len(counts) - 1)
        misses = (away - radii[:, None] <= slack)[max(truth - 1, 0) :].any(axis=0) if truth else True
        found[share] = float(chances[reaches & misses].sum())
    for place in np.linspace(0, noises.shape[1] - 1, 7).astype(int):
        starts = [0, *accumulate(tree.nodes)]
        numbers = [measured[a:b, place].tolist() for a, b in pairwise(starts)]
        got = prefixes(tree, numbers, total=F(sum(counts)) if tree.known_total else None)
        every = [tree.radii(share, noise_scale=F(SCALE), grid=F(1), level=ALPHA) for share in SHARES]
        assert all(each.low <= each.high for each in ranked(got, SHARES, every))
    return found


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "counts",
    [
        *([0, 0], [1, 0], [0, 1], [1, 1], [3, 1], [40, 1], [30, 30], [0, 50]),
        *one_in(2, [[0, 0, 0], [5, 5, 5], [20, 0, 20], [0, 9, 0], [30, 20, 10]]),
    ],
)
def test_intervals_of_two_or_three_cells_hold(counts, known):
    found = covered(LevelTree(cells=len(counts), branching=len(counts), known_total=known), counts)
    assert all(each >= 1 - ALPHA for each in found.values())


def test_intervals_a_third_as_long_do_not_hold():
    found = covered(LevelTree(cells=3, branching=3), [30, 20, 10], shorter=1 / 3)
    assert min(found.values()) < 1 - ALPHA
