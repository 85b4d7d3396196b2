"""Adjusted counts of a tree: the normal equations' values, and every node the exact sum of its children."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.adjusted.trees import adjusted_values, count_tree
from snapdp.errors import ParameterError
from tests.unit.accuracy.adjusted.brute import least_squares_of_tree, measured_nodes, tree_rows
from tests.unit.accuracy.adjusted.families import TREES, UNEQUAL, random_tree

F = Fraction
PROPERTY = settings(deadline=None, max_examples=25)
every_tree = pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))


def measurements(tree, seed):
    chance, measured = random.Random(seed), set(measured_nodes(tree))
    return [F(chance.randrange(-30, 300), 8) if node in measured else None for node in range(len(tree.parents))]


def adds_up(tree, values):
    return all(values[node] == sum(values[c] for c in below) for node, below in enumerate(tree.children) if below)


def check(tree, seed):
    measured, total = measurements(tree, seed), F(700, 3) if tree.known_root else None
    values = adjusted_values(tree, measured, total=total)
    flat = [each for each in measured if each is not None]
    assert values == least_squares_of_tree(tree).values(flat, total or F(0))
    assert adds_up(tree, values)


@every_tree
def test_values_are_those_of_the_normal_equations_and_add_up(tree):
    check(tree, 1)


@PROPERTY
@given(st.integers(0, 10**6), st.integers(1, 14))
def test_so_they_are_in_any_tree(seed, nodes):
    check(random_tree(seed, nodes), seed)


@every_tree
def test_counts_that_add_up_already_are_left_as_they_are(tree):
    leaves = sum(not below for below in tree.children)
    true = [
        sum(a * b for a, b in zip(row, range(leaves), strict=True)) for row in tree_rows(tree, range(len(tree.parents)))
    ]
    given_ = [true[node] if source in tree.measured else None for node, source in enumerate(tree.sources)]
    assert adjusted_values(tree, given_, total=true[0] if tree.known_root else None) == true


def test_swapped_variances_give_other_values():
    right, wrong = (count_tree(UNEQUAL, {0: 1, 1: a, 2: b, 3: 4}) for a, b in ((2, 3), (3, 2)))
    measured = measurements(right, 4)
    expected = least_squares_of_tree(right).values(measured)
    assert adjusted_values(right, measured) == expected != adjusted_values(wrong, measured)


def test_thousands_of_leaves_in_regions_of_many_sizes_add_up():
    sizes = [3 + 7 * i % 90 for i in range(60)]
    parents = [-1] + [0] * len(sizes) + [1 + i for i, size in enumerate(sizes) for _ in range(size)]
    tree = count_tree(parents, {0: 5, 1: F(7, 3), 2: 2})
    assert len(parents) > 2500
    assert adds_up(tree, adjusted_values(tree, [node % 17 for node in range(len(parents))]))


def test_a_known_number_alone_is_a_tree_without_noise():
    tree = count_tree([-1], {}, known_root=True)
    assert adjusted_values(tree, [None], total=7) == [7]
    assert (tree.variance(0), tree.coefficients({0: 1})) == (0, ())


def test_numbers_for_other_nodes_are_refused():
    tree = TREES[4]  # its middle level is not measured
    good = [10, None, None, 1, 2, 3, 4, 5]
    assert len(adjusted_values(tree, good)) == 8
    for measured, total in ((good[:-1], None), (good, 5)):
        with pytest.raises(ParameterError, match="one for every node"):
            adjusted_values(tree, measured, total=total)
    with pytest.raises(ParameterError, match="node 1 has a number"):
        adjusted_values(tree, [10, 5, None, 1, 2, 3, 4, 5])
    with pytest.raises(ParameterError, match="node 3 has no number"):
        adjusted_values(tree, [10, None, None, None, 2, 3, 4, 5])
