"""What a plan shows of adjusted tables before anything is paid."""

from __future__ import annotations

from fractions import Fraction

import pytest

from snapdp.accuracy.adjusted.figures import margins_worth, terms_of, worth_of_kinds
from snapdp.accuracy.adjusted.margins import margin_family, subsets
from snapdp.accuracy.adjusted.noise import NoiseTerm, count_noise
from snapdp.accuracy.adjusted.radius import radius_of
from snapdp.accuracy.adjusted.trees import count_tree

F = Fraction
ALL = list(subsets((0, 1, 2)))


def test_every_error_of_a_table_with_all_its_margins_falls_by_a_quarter_and_more():
    share = count_noise(epsilon="1/8")
    found = margins_worth([6, 5, 8], dict.fromkeys(ALL, share))
    assert [each.margin for each in found] == ALL
    assert [each.cells for each in found] == [1, 6, 5, 8, 30, 48, 40, 240]
    for each in found:
        assert each.measured.deviation.lower >= each.adjusted.deviation.upper * F(5, 4)
        assert each.measured.radius.radius >= each.adjusted.radius.radius * F(5, 4)
        assert each.adjusted.radius.method == "inverted"
        assert each.adjusted.deviation.lower**2 <= 128 + F(1, 12) <= (each.adjusted.deviation.upper * F(4, 3)) ** 2


def test_a_margin_that_is_not_measured_is_worth_something_as_well():
    noises = {(0, 1): count_noise(epsilon="0.5"), (): count_noise(epsilon="0.1")}
    found = {each.margin: each for each in margins_worth([3, 4], noises, alpha="0.1")}
    assert set(found) == {(), (0,), (1,), (0, 1)}
    assert found[0,].measured is None
    assert found[0,].adjusted.radius.alpha == F(1, 10)
    family = margin_family([3, 4], {margin: noise.weight for margin, noise in noises.items()})
    assert found[0,].adjusted.radius == radius_of(terms_of(family.coefficients((0,)), noises), alpha="0.1")


def test_a_single_table_is_worth_what_its_cells_are():
    (found,) = margins_worth([], {(): count_noise(epsilon="0.5")})
    assert found.adjusted == found.measured
    alone = [each for each in margins_worth([3], {(0,): count_noise(epsilon="0.5")}) if each.margin]
    assert alone[0].adjusted == alone[0].measured


def test_a_known_total_has_neither_noise_nor_radius():
    share = count_noise(epsilon="1/4", sensitivity=2)
    found = {each.margin: each for each in margins_worth([3, 2], {(0, 1): share, (0,): share}, known_total=True)}
    assert found[()].measured is None
    assert (found[()].adjusted.deviation.upper, found[()].adjusted.radius.radius) == (0, 0)
    open_ = {each.margin: each for each in margins_worth([3, 2], {(0, 1): share, (0,): share})}
    assert found[0,].adjusted.deviation.upper < open_[0,].adjusted.deviation.lower


@pytest.mark.parametrize("known", [False, True])
def test_kinds_of_nodes_of_a_hierarchy_have_their_worth(known):
    parents = [-1, 0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
    share = count_noise(epsilon="1/2")
    noises = {1: share, 2: share} if known else {0: share, 1: share, 2: share}
    tree = count_tree(parents, {level: noise.weight for level, noise in noises.items()}, known_root=known)
    found = worth_of_kinds(tree, noises, alpha="0.05")
    assert [(each.node, each.nodes) for each in found] == [(0, 1), (1, 2), (3, 1), (4, 4), (8, 3)]
    assert (found[0].measured is None) is known
    for each in found[1:]:
        assert each.adjusted.deviation.upper < each.measured.deviation.lower
        assert each.adjusted.radius.radius < each.measured.radius.radius
    assert (found[0].adjusted.radius.radius == 0) is known


def test_a_measured_number_has_the_radius_of_one_noise():
    share = count_noise(epsilon="0.3")
    (found, *_) = margins_worth([2], {(): share, (0,): share}, alpha="0.01")
    assert found.measured.radius == radius_of([NoiseTerm(coefficient=F(1), noise=share)], alpha="0.01")
