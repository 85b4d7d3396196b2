"""Counts of ordered cells as a tree: what is measured, and the ranks that follow from what was drawn.

Room: studies. Holds no data. Every depth of the tree is a part of its own, at an equal share of epsilon; a row is in
one node of each depth, so every depth is a table of disjoint cells like a histogram. Groups have a tree each.
What ordered cells are is the business of the statistic: levels of a column, or powers of two.
Theory: docs/theory/quantiles.md, (1), (9), (11)-(15).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from snapdp.errors import BoundError, ParameterError
from snapdp.mechanism import EXACT_GAMMA
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.shared_parts import count_part
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.accuracy import LevelTree, Prefixes, RankedCell
    from snapdp.studies.statistics.drawn import DrawnPart

FINER = 1 << 12  # outputs are 2^-12 of the natural grid apart: thousands of them may be added
MOST_WORK = 1 << 25  # nodes, for every share and once more
MOST_NODES = 4_000_000  # of all groups and depths together: they are combined after the charge, in bounded time


class TreeStatistic(Statistic):
    """A statistic that is read off a tree of counts."""

    @property
    @abstractmethod
    def tree(self) -> LevelTree:
        """Return the tree of its ordered cells, of one group."""

    def check_alpha(self, alpha: Fraction) -> None:
        from snapdp.accuracy import level_for

        level_for(alpha, self.tree.entering, EXACT_GAMMA)


def checked_branching(branching: Any, cells: int, called: str) -> int:
    """Return a branching that is said: from 2 to that of a flat tree; called   what its cells are."""
    found = whole(branching, name="branching")
    if not 2 <= found <= cells:
        raise ParameterError(
            f"branching = {found} is not between 2 and the number of {called}, {cells}.",
            "Leave it out: it is chosen from public numbers. As many as there are is a histogram of them.",
        )
    return found


def depth_parts(tree: LevelTree, relation: Relation, groups: int) -> tuple[Part, ...]:
    """Return the parts of all depths, from the top: counts of disjoint nodes, at equal shares.        theory (15)"""
    return tuple(
        _named(count_part(relation, groups * nodes, Fraction(1, tree.depth)), place, width)
        for place, (nodes, width) in enumerate(zip(tree.nodes, tree.widths, strict=True))
    )


def _named(part: Part, place: int, width: int) -> Part:
    name = "count at each level" if width == 1 else f"count of each {width} levels"
    return replaced(part, margin=(place,), finer=FINER, numerator=replaced(part.numerator, name=name, integers=False))


def check_nodes(title: str, tree: LevelTree, groups: int, advice: str) -> None:
    """Refuse more nodes than are combined in bounded time: a public number."""
    if tree.entering * groups > MOST_NODES:
        raise BoundError(
            f"{title}: the tree of its levels has {tree.entering * groups} nodes, more than {MOST_NODES}.",
            f"{advice} Nothing was read and nothing spent.",
            nodes=tree.entering * groups,
        )


def check_work(title: str, tree: LevelTree, times: int) -> None:
    """Refuse more ranks than are found in bounded time after the charge: nodes of a group, times groups and shares."""
    if tree.entering * times > MOST_WORK:
        raise BoundError(
            f"{title}: {tree.entering * times} numbers would be looked at, more than {MOST_WORK}.",
            "Ask for fewer shares or groups at one time, or declare a wider step. Nothing was read and nothing spent.",
            numbers=tree.entering * times,
        )


def depth_sums(tree: LevelTree, counts: Sequence[int], groups: int) -> tuple[Sequence[int], ...]:
    """Return the counts of the nodes of every depth, from those of the cells, groups outermost: exact integers."""
    import numpy as np

    cells: Any = np.asarray(counts, dtype=np.int64).reshape(groups, tree.cells)
    found = [cells]
    while len(found) < tree.depth:
        found.append(np.add.reduceat(found[-1], np.arange(0, found[-1].shape[1], tree.branching), axis=1))
    return tuple(each.ravel() for each in reversed(found))


class DrawnTree(Value):
    """The trees of all groups after the draw: everything here follows from indices and public parameters."""

    tree: LevelTree
    parts: tuple[DrawnPart, ...]
    rows: int

    @property
    def grid(self) -> Fraction:
        return Fraction(self.parts[0].mechanism.parameters.data_grid)

    def prefixes(self, group: int) -> Prefixes:
        """Return the sums of the first cells of a group, in grids."""
        from snapdp.accuracy import prefixes

        pairs = zip(self.parts, self.tree.nodes, strict=True)
        measured = [part.indices[group * nodes : (group + 1) * nodes] for part, nodes in pairs]
        return prefixes(self.tree, measured, total=self.rows / self.grid if self.tree.known_total else None)

    def radii(self, share: Fraction, cells: tuple[int, ...] | None = None) -> Any:
        """Return the radius of (cells up to j) - share * (all cells) in grids, for every cell j, or some."""
        scale = Fraction(self.parts[0].mechanism.parameters.noise_scale)
        return radii_in_grids(self.tree, share, scale / self.grid, self.parts[0].alpha, cells)

    def ranked(self, found: Prefixes, shares: Sequence[Fraction]) -> list[RankedCell]:
        """Return the quantiles of a group."""
        from snapdp.accuracy import ranked

        return ranked(found, shares, [self.radii(share) for share in shares])


@lru_cache(maxsize=64)
def radii_in_grids(
    tree: LevelTree, share: Fraction, scale: Fraction, alpha: Fraction, cells: tuple[int, ...] | None = None
) -> Any:
    """Return the radii of a tree whose noise scale is so many grids, at alpha, clamps included.        theory (9)"""
    import numpy as np

    from snapdp.accuracy import level_for

    level = level_for(alpha, tree.entering, EXACT_GAMMA)
    some = None if cells is None else np.array(cells)
    return tree.radii(share, noise_scale=scale, grid=Fraction(1), level=level, cells=some)
