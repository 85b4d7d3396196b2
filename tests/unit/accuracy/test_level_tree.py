"""Trees of ordered cells against matrices of rationals: which noises enter a prefix, and which tree is chosen."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.quantiles import SPARE, LevelTree, best_tree, mean_deviation, narrowest, prefixes
from snapdp.errors import ParameterError
from tests.tiers import one_in
from tests.unit.accuracy.quantiles_brute import prefix_rows

F = Fraction
SHARES = [F(0), F(1, 4), F(1, 2), F(9, 10)]
TREES = [(2, 2), (3, 2), (5, 2), (7, 3), (10, 3), (27, 3), (28, 3), (17, 4), (9, 9), (33, 2)]


def trees():
    return [LevelTree(cells=m, branching=b, known_total=known) for m, b in TREES for known in (False, True)]


@pytest.mark.parametrize("tree", one_in(3, trees()), ids=str)
def test_the_sums_of_every_prefix_are_those_of_the_matrices(tree):
    for share in SHARES:
        found = tree.sums(share)
        for cell, (row, _) in enumerate(prefix_rows(tree, share)):
            exact = [sum(c**2 for c in row), sum(c**4 for c in row), sum(map(abs, row)), max(c**2 for c in row)]
            for number, truth in zip((each[cell] for each in found), exact, strict=True):
                assert abs(F(float(number)) - truth) <= truth * (F(SPARE) - 1) / 2**10


@pytest.mark.parametrize("tree", trees(), ids=str)
def test_some_cells_have_the_sums_that_they_have_among_all(tree):
    every, some = tree.sums(F(1, 3)), tree.sums(F(1, 3), np.array([0, tree.cells - 1]))
    assert all((one[[0, -1]] == other).all() for one, other in zip(every, some, strict=True))


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 30),
    st.integers(2, 8),
    st.booleans(),
    st.randoms(use_true_random=False),
    st.fractions(0, 50, max_denominator=4),
)
def test_prefixes_are_those_of_the_matrices(cells, branching, known, random, n):
    tree = LevelTree(cells=cells, branching=branching, known_total=known)
    measured = [[random.randint(-99, 99) for _ in range(nodes)] for nodes in tree.nodes]
    found = prefixes(tree, measured, total=n if known else None)
    flat = [each for depth in measured for each in depth]
    for number, (row, constant) in zip(found.numerators, prefix_rows(tree, F(0)), strict=True):
        truth = sum(c * y for c, y in zip(row, flat, strict=True)) + constant * n
        assert F(number, found.denominator) == truth
    if known:
        assert F(found.total, found.denominator) == n


def test_without_noise_prefixes_are_the_counts():
    counts = [3, 0, 0, 7, 1, 0, 2, 5, 4, 4, 1]
    for branching in (2, 3, 4, 11):
        tree = LevelTree(cells=11, branching=branching)
        depths = [counts]
        while len(depths[-1]) > branching:
            below = depths[-1]
            depths.append([sum(below[i : i + branching]) for i in range(0, len(below), branching)])
        found = prefixes(tree, depths[::-1])
        assert [F(each, found.denominator) for each in found.numerators] == list(np.cumsum(counts))


def test_numbers_that_are_not_those_of_the_tree_are_refused():
    tree = LevelTree(cells=3, branching=2)
    for measured, total in [([[1, 2]], None), ([[1, 2], [1, 2, 3]], F(3))]:
        with pytest.raises(ParameterError, match="not those of the tree"):
            prefixes(tree, measured, total=total)


@pytest.mark.parametrize("cells", [2, 3, 10, 121, 1000, 131_072])
@pytest.mark.parametrize("known", [False, True])
def test_no_other_branching_errs_much_less(cells, known):
    shares = tuple(F(k, 10) for k in range(1, 10))
    chosen = mean_deviation(best_tree(cells, shares, known_total=known), shares)
    others = range(2, cells + 1) if cells < 130 else (2, 3, 4, 5, 7, 9, 10, 12, 14, 16, 18, 22, 26, 40, 70, 400, cells)
    for branching in others:
        tree = LevelTree(cells=cells, branching=branching, known_total=known)
        assert chosen <= 1.1 * mean_deviation(tree, shares)


@pytest.mark.parametrize("cells", [2, 3, 9, 1000, 1 << 20])
def test_the_narrowest_branching_holds_all_cells_and_no_smaller_one_does(cells):
    for depth in range(1, 22):
        found = narrowest(cells, depth)
        assert found**depth >= cells
        assert found == 2 or (found - 1) ** depth < cells


def test_a_tree_of_one_cell_is_refused():
    with pytest.raises(ParameterError, match="is none"):
        LevelTree(cells=1, branching=2)
