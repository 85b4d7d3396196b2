"""Least squares for trees against the normal equations in rationals: variances, coefficients, kinds and covers."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.adjusted.trees import count_tree
from snapdp.errors import ParameterError
from tests.unit.accuracy.adjusted.brute import least_squares_of_tree, leaves_below, measured_nodes
from tests.unit.accuracy.adjusted.families import TREES, UNEQUAL, random_tree

F = Fraction
PROPERTY = settings(deadline=None, max_examples=25)
every_tree = pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))


def listed(tree, weights):
    return {(each.source, each.coefficient): each.count for each in tree.coefficients(weights)}


def counted(tree, row):
    pairs = zip(measured_nodes(tree), row, strict=True)
    return dict(Counter((tree.sources[node], value) for node, value in pairs if value))


def check_every_node(tree):
    best = least_squares_of_tree(tree)
    for node, (row, variance) in enumerate(zip(best.coefficients, best.variances, strict=True)):
        assert tree.variance(node) == variance
        assert listed(tree, {node: 1}) == counted(tree, row)


@every_tree
def test_variances_and_coefficients_are_those_of_the_normal_equations(tree):
    check_every_node(tree)


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 14))
def test_so_they_are_in_any_tree(seed, nodes):
    check_every_node(random_tree(seed, nodes))


@every_tree
def test_a_multiplicity_that_is_off_by_one_would_be_found(tree):
    for node in tree.examples:
        found = listed(tree, {node: 1})
        for source, value in found:
            wrong = {**found, (source, value): found[source, value] + 1}
            assert sum(n * c**2 * tree.measured[s] for (s, c), n in wrong.items()) != tree.variance(node)


def test_swapped_variances_of_levels_are_another_estimate():
    right, wrong = (count_tree(UNEQUAL, {0: 1, 1: a, 2: b, 3: 4}) for a, b in ((2, 3), (3, 2)))
    best = least_squares_of_tree(right)
    assert wrong.variance(1) != best.variances[1] == right.variance(1)
    assert listed(wrong, {4: 1}) != counted(right, best.coefficients[4]) == listed(right, {4: 1})


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 12), st.data())
def test_weighted_sums_of_nodes_have_the_coefficients_of_the_normal_equations(seed, nodes, data):
    tree = random_tree(seed, nodes)
    weights = data.draw(
        st.dictionaries(st.integers(0, nodes - 1), st.sampled_from([F(1), F(-2), F(1, 3)]), min_size=1, max_size=4)
    )
    leaves = [node for node, below in enumerate(tree.children) if not below]
    asked = [sum((w for node, w in weights.items() if leaf in leaves_below(tree, node)), F(0)) for leaf in leaves]
    best = least_squares_of_tree(tree, [asked])
    assert listed(tree, weights) == counted(tree, best.coefficients[0])
    parts = tree.coefficients(weights)
    assert sum(each.count * each.coefficient**2 * tree.measured[each.source] for each in parts) == best.variances[0]


def cover(tree, leaves):
    """Return the fewest nodes, {node: 1}, whose sum is that of some leaves."""
    whole = set(leaves)
    for node in reversed(range(len(tree.parents))):
        if tree.children[node] and all(child in whole for child in tree.children[node]):
            whole.add(node)
    return {node: 1 for node in whole if tree.parents[node] not in whole}


@every_tree
def test_a_prefix_of_the_leaves_is_covered_by_nodes_and_keeps_its_coefficients(tree):
    leaves = [node for node, below in enumerate(tree.children) if not below]
    for count in range(len(leaves) + 1):
        nodes = cover(tree, leaves[:count])
        assert sorted(leaf for node in nodes for leaf in leaves_below(tree, node)) == leaves[:count]
        assert listed(tree, nodes) == listed(tree, dict.fromkeys(leaves[:count], 1))


@every_tree
def test_nodes_of_one_kind_have_one_law(tree):
    first = {tree.kinds[node]: node for node in reversed(range(len(tree.parents)))}
    assert tuple(first[kind] for kind in sorted(first)) == tree.examples
    for node, kind in enumerate(tree.kinds):
        assert tree.variance(node) == tree.variance(first[kind])
        assert listed(tree, {node: 1}) == listed(tree, {first[kind]: 1})


def test_a_regular_tree_has_one_kind_for_each_level_and_few_shapes():
    parents = [-1] + [node // 3 for node in range(3 + 9 + 27)]
    tree = count_tree(parents, dict.fromkeys(range(4), 1))
    assert (len(tree.examples), len(tree.shapes)) == (4, 4)


def test_a_level_that_is_not_measured_is_the_limit_of_a_very_bad_one():
    left_out = count_tree(UNEQUAL, {0: 1, 2: 3, 3: 4, 1: 2})
    without = count_tree(UNEQUAL, {0: 1, 2: 3, 3: 4})
    assert left_out.variance(4) < without.variance(4)
    bad = count_tree(UNEQUAL, {0: 1, 1: 10**12, 2: 3, 3: 4})
    assert 0 < without.variance(4) - bad.variance(4) < F(1, 10**9)


@pytest.mark.parametrize(
    ("parents", "variances", "more", "said"),
    [
        ([], {0: 1}, {}, "no tree"),
        ([0, 0], {0: 1}, {}, "no tree"),
        ([-1, 1], {0: 1}, {}, "no tree"),
        ([-1, 2, 0], {0: 1}, {}, "no tree"),
        ([-1, 0, 0], {0: 1}, {}, "a leaf is not measured"),
        ([-1, 0, 0, 1], {2: 1}, {}, "a leaf is not measured"),
        ([-1, 0, 0], {0: 1, 1: 1}, {"known_root": True}, "known and measured"),
        ([-1, 0, 0], {1: -1}, {}, "variance"),
        ([-1, 0, 0], {"a": 1}, {"sources": ["a"]}, "1 sources for 3 nodes"),
    ],
)
def test_what_is_no_tree_is_refused(parents, variances, more, said):
    with pytest.raises(ParameterError, match=said):
        count_tree(parents, variances, **more)


def test_a_node_that_is_not_there_has_no_coefficients():
    with pytest.raises(ParameterError, match="not in the tree"):
        TREES[0].coefficients({99: 1})


def check_terms(tree):
    entering = sum(len(tree.coefficients({node: 1})) for node in tree.examples)
    assert entering <= tree.terms
    ones = dict.fromkeys(tree.measured, 1)
    same = count_tree(tree.parents, ones, known_root=tree.known_root, sources=tree.sources)
    assert tree.terms == same.terms  # whatever the variances are


@every_tree
def test_no_more_coefficients_enter_than_the_bound_that_work_is_refused_by(tree):
    check_terms(tree)


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 30))
def test_nor_do_they_in_any_tree(seed, nodes):
    check_terms(random_tree(seed, nodes))
