"""Families of measured margins and trees that several tests use."""

from __future__ import annotations

import random
from fractions import Fraction

from snapdp.accuracy.adjusted.margins import MarginFamily, margin_family, subsets
from snapdp.accuracy.adjusted.trees import CountTree, count_tree

F = Fraction
ALL = {size: list(subsets(tuple(range(size)))) for size in (1, 2, 3)}

# sizes, {margin: variance}, whether the total is known
DECLARED = [
    ([4], {(): 2, (0,): 3}, False),
    ([4], {(0,): 3}, True),
    ([2, 3], dict.fromkeys(ALL[2], 2), False),
    ([2, 3], {(): 1, (0,): 2, (1,): 5, (0, 1): F(7, 3)}, False),
    ([2, 3], {(0,): 2, (1,): 5}, False),
    ([2, 3], {(0,): 2, (1,): 5, (0, 1): F(7, 3)}, True),
    ([3, 3], {(0, 1): 4}, False),
    ([3, 2], {(0,): F(1, 2), (0, 1): 4}, True),
    ([2, 2, 3], dict.fromkeys(ALL[3], 1), False),
    ([2, 3, 2], {(0, 1): 2, (1, 2): 3}, False),
    ([2, 3, 2], {(0, 1): 2, (1, 2): 3, (0, 2): F(5, 2), (2,): 1}, True),
    ([3, 2, 2], {(0, 1, 2): 6, (1,): 1, (0, 2): F(9, 4)}, False),
    ([3, 2, 2], {(0, 1): 6, (): F(1, 3), (2,): 8}, False),
    ([2, 2, 2], {(0, 1, 2): F(13, 7), (0,): 1}, True),
    ([1, 3, 2], {(0, 1): 2, (1, 2): 3, (0,): 1}, False),
]
FAMILIES: list[MarginFamily] = [margin_family(sizes, found, known_total=known) for sizes, found, known in DECLARED]

UNEQUAL = [-1, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 8, 8, 8]
SOURCES = ["all", "a", "b", "a", "c", "d", "e", "c", "b", "d", "c", "e", "d", "d", "c"]
PER_NODE = {"all": F(1), "a": F(2), "c": F(3), "d": F(5, 7), "e": F(11)}  # b measures nothing
TREES: list[CountTree] = [
    count_tree([-1, 0, 0, 0], {0: 2, 1: 5}),
    count_tree([-1, 0, 0, 0], {1: 5}),
    count_tree([-1, 0, 0, 0], {1: 5}, known_root=True),
    count_tree([-1, 0, 0, 1, 1, 1, 2, 2], {0: 1, 1: F(7, 2), 2: 3}),
    count_tree([-1, 0, 0, 1, 1, 1, 2, 2], {0: 1, 2: 3}),
    count_tree([-1, 0, 0, 1, 1, 1, 2, 2], {1: 4, 2: 3}, known_root=True),
    count_tree(UNEQUAL, {0: 1, 1: 2, 2: 3, 3: 4}),
    count_tree(UNEQUAL, PER_NODE, sources=SOURCES),
    count_tree(UNEQUAL, {each: PER_NODE[each] for each in "acde"}, sources=SOURCES, known_root=True),
    count_tree([-1], {0: 1}),
]


def random_tree(seed: int, nodes: int) -> CountTree:
    chance = random.Random(seed)
    parents = [-1, *(chance.randrange(node) for node in range(1, nodes))]
    depth = [0] * nodes
    for node in range(1, nodes):
        depth[node] = depth[parents[node]] + 1
    leaves = set(range(nodes)) - set(parents)
    sources = [("leaf", chance.randrange(2)) if node in leaves else depth[node] for node in range(nodes)]
    variances = {source: F(chance.randrange(1, 9), chance.randrange(1, 5)) for source in sorted(set(sources), key=str)}
    for source in [each for each in variances if not isinstance(each, tuple) and chance.random() < 0.3]:
        del variances[source]
    return count_tree(parents, variances, sources=sources)
