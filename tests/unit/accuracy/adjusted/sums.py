"""Sums of noises that several tests use."""

from __future__ import annotations

from fractions import Fraction

from snapdp.accuracy.adjusted.figures import terms_of
from snapdp.accuracy.adjusted.margins import margin_family, subsets
from snapdp.accuracy.adjusted.noise import NoiseTerm, SnappedNoise, Summand, summands_of
from snapdp.accuracy.adjusted.trees import count_tree

F = Fraction


def noise(x: Fraction, *, on_grid: bool = True) -> SnappedNoise:
    """Return a noise on the whole numbers with x = 1/noise_scale."""
    return SnappedNoise(noise_scale=1 / x, grid=F(1), on_grid=on_grid)


def added(*parts: tuple[Fraction | int, Fraction, int]) -> tuple[Summand, ...]:
    """Return the summands of (coefficient, x, count)."""
    return tuple(summands_of(NoiseTerm(coefficient=F(c), noise=noise(x), count=n) for c, x, n in parts))


def small_tables() -> dict[str, tuple[Summand, ...]]:
    """Return the noise of every kind of adjusted number of a few small tables and trees."""
    half, third = noise(F(1, 2)), noise(F(1, 3))
    found = {}
    for name, sizes, noises, known in (
        ("two by two", [2, 2], dict.fromkeys(subsets((0, 1)), half), False),
        ("two by two, n known", [2, 2], {(0,): half, (1,): half, (0, 1): half}, True),
        ("five and their total", [5], {(): half, (0,): half}, False),
        ("two margins", [2, 3], {(0,): third, (1,): third}, False),
    ):
        family = margin_family(sizes, {each: F(1) for each in noises}, known_total=known)
        for margin in family.margins:
            if found_terms := terms_of(family.coefficients(margin), noises):
                found[f"{name} {margin}"] = tuple(summands_of(found_terms))
    tree = count_tree([-1, 0, 0, 1, 1, 2], {0: F(1), 1: F(1), 2: F(1)})
    for node in tree.examples:
        levels = {0: third, 1: half, 2: half}
        found[f"tree, node {node}"] = tuple(summands_of(terms_of(tree.coefficients({node: 1}), levels)))
    return found
