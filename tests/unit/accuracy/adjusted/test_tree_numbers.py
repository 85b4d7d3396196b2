"""Squares and scales of the nodes of a tree against its listed coefficients."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from snapdp.accuracy.adjusted.figures import terms_of, worth_of_kinds
from snapdp.accuracy.adjusted.noise import SnappedNoise, summands_of
from snapdp.accuracy.adjusted.radius import sum_numbers
from snapdp.accuracy.adjusted.trees import TreeNumbers, adjusted_values, count_tree
from tests.unit.accuracy.adjusted.families import TREES, random_tree

F = Fraction
PROPERTY = settings(deadline=None, max_examples=25)


def noises_of(tree):
    return {
        source: SnappedNoise(noise_scale=F(place + 2, 3), grid=F(1, 1 + place % 2))
        for place, (source, _) in enumerate(tree.variances)
    }


def shortened(tree):
    return count_tree(tree.parents, tree.measured, known_root=tree.known_root, sources=tree.sources, short=True)


def check_every_kind(tree):
    noises = noises_of(tree)
    numbers = TreeNumbers(tree, noises)
    for kind, node in enumerate(tree.examples):
        listed = tree.coefficients({node: 1})
        squares: Counter = Counter()
        for each in listed:
            squares[each.source] += each.count * each.coefficient**2
        assert numbers.spreads[kind].squares == dict(squares)
        summands = summands_of(terms_of(listed, noises))
        assert numbers.numbers(kind) == (sum_numbers(summands) if summands else None)


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_squares_and_scales_are_those_of_the_coefficients(tree):
    check_every_kind(tree)
    check_every_kind(shortened(tree))


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 14))
def test_so_they_are_in_any_tree(seed, nodes):
    tree = random_tree(seed, nodes)
    check_every_kind(tree)
    check_every_kind(shortened(tree))


@PROPERTY
@given(st.integers(0, 10**6), st.integers(2, 14))
def test_rounded_weights_keep_every_sum_and_do_not_bias(seed, nodes):
    tree = shortened(random_tree(seed, nodes))
    measured = [None if tree.shape(node).source is None else F(7 * node % 11, 3) for node in range(nodes)]
    total = F(5) if tree.known_root else None
    found = adjusted_values(tree, measured, total=total)
    for node, children in enumerate(tree.children):
        assert not children or found[node] == sum(found[child] for child in children)
    true = [F(0)] * nodes
    for node in reversed(range(nodes)):
        true[node] = sum((true[child] for child in tree.children[node]), F(0)) if tree.children[node] else F(node)
    without_noise = [None if given is None else value for given, value in zip(measured, true, strict=True)]
    assert adjusted_values(tree, without_noise, total=true[0] if tree.known_root else None) == true


def test_a_tree_with_rounded_weights_has_bounds_and_a_known_root_no_error():
    parents = [-1, 0, 0, 0, 1, 2, 2, 3, 3, 3]
    measured = dict.fromkeys((1, 2), SnappedNoise(noise_scale=F(2), grid=F(1)))
    variances = {level: each.weight for level, each in measured.items()}
    tree = count_tree(parents, variances, known_root=True, short=True)
    root, *others = (each.adjusted.radius for each in worth_of_kinds(tree, measured, alpha="0.05"))
    assert (root.radius, root.method) == (0, "exact")
    assert {each.method for each in others} == {"bounded"}
