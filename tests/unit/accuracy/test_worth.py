"""What quantiles are worth on tables of some size: rank errors in rows, and how often intervals miss.

Noise is drawn in doubles with a fixed seed: estimates and intervals are studied, not the sampler.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from snapdp.accuracy.quantiles import LevelTree, best_tree, prefixes, ranked

F = Fraction
DECILES = tuple(F(k, 10) for k in range(1, 10))
GRIDS = 1 << 12
ALPHA = F(1, 20)
LONG = pytest.mark.long


def ages():
    dice = np.random.default_rng(2012)
    return np.bincount(np.clip(np.rint(dice.normal(41, 22, 5000)), 0, 120).astype(int), minlength=121)


def incomes():
    dice = np.random.default_rng(2012)
    return np.bincount(np.clip(dice.lognormal(10.2, 0.6, 100_000), 0, 131_071).astype(int), minlength=131_072)


def released(counts, tree, epsilon, draws, shares):
    """Yield quantiles of a table, as often as is asked."""
    dice = np.random.default_rng(draws)
    scale = tree.depth * (2 if tree.known_total else 1) / epsilon
    depths = [counts]
    while len(depths) < tree.depth:
        depths.append(np.add.reduceat(depths[-1], np.arange(0, len(depths[-1]), tree.branching)))
    radii = [tree.radii(q, noise_scale=F(GRIDS), grid=F(1), level=ALPHA) for q in shares]
    total = F(int(counts.sum()) * GRIDS) / F(scale) if tree.known_total else None
    for _ in range(draws):
        noisy = [np.rint((x + dice.laplace(0, scale, len(x))) / scale * GRIDS).astype(int) for x in reversed(depths)]
        yield ranked(prefixes(tree, noisy, total=total), shares, radii)


def rank_error(counts, cell, share):
    """Return the distance of q n from (N(< j), N(<= j)]."""
    rank, below = float(share) * counts.sum(), counts[:cell].sum()
    return max(below - rank, rank - below - counts[cell], 0.0)


def mean_error(counts, tree, epsilon, draws, shares=DECILES):
    found = released(counts, tree, epsilon, draws, shares)
    return np.mean([[rank_error(counts, r.cell, q) for r, q in zip(rows, shares, strict=True)] for rows in found])


@pytest.mark.parametrize(("known", "epsilon"), [(False, 0.5), (True, 1.0)])
def test_deciles_of_ages_err_by_two_rows_at_most_on_average(known, epsilon):
    counts = ages()
    assert mean_error(counts, best_tree(121, DECILES, known_total=known), epsilon, 100) <= 2


@pytest.mark.parametrize(("known", "epsilon"), [(False, 0.5), pytest.param(True, 1.0, marks=LONG)])
@pytest.mark.parametrize("shares", [DECILES, pytest.param((F(1, 2),), marks=LONG)], ids=["deciles", "median"])
def test_quantiles_of_incomes_err_by_sixty_rows_at_most_on_average(known, epsilon, shares):
    counts = incomes()
    tree = best_tree(len(counts), shares, known_total=known)
    assert mean_error(counts, tree, epsilon, 4 if shares == DECILES else 20, shares) <= 60


def most_misses(draws):
    """Return how many of so many draws may miss at alpha each, but with probability 10^-9."""
    chance, total = (float(1 - ALPHA)) ** draws, 0.0
    for misses in range(draws + 1):
        total += chance
        if 1 - total < 1e-9:
            return misses
        chance *= float(ALPHA / (1 - ALPHA)) * (draws - misses) / (misses + 1)
    return draws


def misses(counts, tree, epsilon, draws, shares=DECILES):
    """Return for each share how often its interval misses."""
    up_to = np.cumsum(counts)
    true = [int(np.searchsorted(up_to, math.ceil(q * int(up_to[-1])))) for q in shares]
    rows = list(released(counts, tree, epsilon, draws, shares))
    return [sum(not row[i].low <= true[i] <= row[i].high for row in rows) for i in range(len(shares))]


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("branching", [11, 3, 121])
def test_intervals_of_ages_miss_no_more_often_than_alpha(known, branching):
    tree = LevelTree(cells=121, branching=branching, known_total=known)
    assert max(misses(ages(), tree, 0.05, 200)) <= most_misses(200)


@LONG
@pytest.mark.parametrize("known", [False, True])
def test_intervals_of_incomes_miss_no_more_often_than_alpha(known):
    counts = incomes()
    assert max(misses(counts, best_tree(len(counts), DECILES, known_total=known), 0.5, 60)) <= most_misses(60)


def test_the_most_misses_are_a_quantile_of_the_binomial_law():
    assert most_misses(1) == 1
    assert 25 < most_misses(200) < 40
