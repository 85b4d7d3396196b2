"""Counts of ordered cells as a tree: what is measured, the ranks that follow, and how well they will be known.

Holds no data. Every depth of the tree is a part of its own, at an equal share of epsilon; a row is in one node of each
depth, so every depth is a table of disjoint cells like a histogram. Groups have a tree each. The statistic decides what
the ordered cells are: levels of a column, or powers of two.
Theory: docs/theory/quantiles.md, (1), (9), (11)-(15).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from snapdp.display.numbers import four_digits_up
from snapdp.errors import BoundError, ParameterError
from snapdp.mechanism.parameters import EXACT_GAMMA
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.parts import USEFUL, Part, count_part, mechanism
from snapdp.studies.statistics.statistic import Statistic
from snapdp.values import Value, replaced

if TYPE_CHECKING:
    from snapdp.accuracy.quantiles import LevelTree, Prefixes, RankedCell
    from snapdp.studies.statistics.parts import DrawnPart

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
        from snapdp.accuracy.adjusted.radius import level_for

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
    found = []
    for place, (nodes, width) in enumerate(zip(tree.nodes, tree.widths, strict=True)):
        part = count_part(relation, groups * nodes, Fraction(1, tree.depth))
        name = "count at each level" if width == 1 else f"count of each {width} levels"
        numerator = replaced(part.numerator, name=name, integers=False)
        found.append(replaced(part, margin=(place,), finer=FINER, numerator=numerator))
    return tuple(found)


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
        from snapdp.accuracy.quantiles import prefixes

        pairs = zip(self.parts, self.tree.nodes, strict=True)
        measured = [part.indices[group * nodes : (group + 1) * nodes] for part, nodes in pairs]
        return prefixes(self.tree, measured, total=self.rows / self.grid if self.tree.known_total else None)

    def radii(self, share: Fraction, cells: tuple[int, ...] | None = None) -> Any:
        """Return the radius of (cells up to j) - share * (all cells) in grids, for every cell j, or some."""
        scale = Fraction(self.parts[0].mechanism.parameters.noise_scale)
        return radii_in_grids(self.tree, share, scale / self.grid, self.parts[0].alpha, cells)

    def ranked(self, found: Prefixes, shares: Sequence[Fraction]) -> list[RankedCell]:
        """Return the quantiles of a group."""
        from snapdp.accuracy.quantiles import ranked

        return ranked(found, shares, [self.radii(share) for share in shares])


@lru_cache(maxsize=64)
def radii_in_grids(
    tree: LevelTree, share: Fraction, scale: Fraction, alpha: Fraction, cells: tuple[int, ...] | None = None
) -> Any:
    """Return the radii of a tree whose noise scale is so many grids, at alpha, clamps included.        theory (9)"""
    import numpy as np

    from snapdp.accuracy.adjusted.radius import level_for

    level = level_for(alpha, tree.entering, EXACT_GAMMA)
    some = None if cells is None else np.array(cells)
    return tree.radii(share, noise_scale=scale, grid=Fraction(1), level=level, cells=some)


# What ranks will be worth, before anything is paid. Whether a value comes too early or too late for a quantile is
# judged by how many rows lie up to it, less the share asked for of all rows. The radius is the most that this may be
# off, over all values and shares:
#
#     P(|error of P_j| > radius) <= alpha, for every table and every single value j                        theory (9)
#
# How far that is in units of the column depends on the rows. For a distribution that is public, of an earlier table
# say, it can be told: which values would be within reach, if there were no noise at all but the radii were as they are.

MANY_LEVELS = 1 << 14  # a plan says that fewer would err less
RANGES_WITHIN_RANGES = "in wide ranges and in narrower ones within them"  # a tree, in words
TIMES = " x "  # between the numbers of branches of a tree


class RankFigures(Value):
    """How well the rank of any one given value is known; not that of the value which noise picks as a quantile.

    radius          in rows, rounded up: the largest over all values of the column and all shares
    rows            n, or the bound on it
    size_is_public  n is public, and every row counts
    levels          of the column, between its bounds
    branches        of the tree of levels, from the top; one number where every level is counted by itself
    """

    radius: Fraction
    rows: int
    size_is_public: bool
    levels: int
    branches: tuple[int, ...]

    @property
    def share(self) -> Fraction:
        """Return the radius as a part of n, or of the bound on it."""
        return self.radius / self.rows

    @property
    def text(self) -> str:
        """Return the radius in short."""
        return f"± {four_digits_up(self.radius)} rows"

    @property
    def share_in_words(self) -> str:
        """Return the radius as a part of n in words."""
        return f"{four_digits_up(100 * self.share)} % of {'all' if self.size_is_public else 'at most'} {self.rows} rows"

    @property
    def tree_in_words(self) -> str:
        """Return how levels are counted: by themselves, or in a tree."""
        if len(self.branches) == 1:
            return f"each of {self.levels} levels is counted by itself"
        tree = TIMES.join(map(str, self.branches))
        return (
            f"{self.levels} levels are counted {RANGES_WITHIN_RANGES} ({tree}), so that a rank is a sum of few counts"
        )

    def advice(self, wider: str = "") -> str:
        """Return what would make it better, where it is bad; empty where nothing is to be said.

        wider   how to declare a step at which there are few levels; empty where there are few
        """
        such = f", such as {wider}" if wider else ""
        if 2 * self.radius >= self.rows:
            return f"nothing will be known: give more epsilon, or a wider step{such}"
        many = self.levels > MANY_LEVELS or (self.share > USEFUL and wider)
        return f"declare a wider step{such}: fewer levels err less" if many else ""

    @property
    def in_words(self) -> str:
        """Return everything but the radius itself, and what would make it better, as clauses for people."""
        return f"{self.share_in_words}; {self.tree_in_words}"


class LikelyQuantile(Value):
    """A quantile of a public distribution, and the values that have a rank within the radius of its own.

    rows               so many are thought of as distributed like that
    value, low, high   in units of the column: the quantile, and the first and the last of these values

    A guide to how long an interval will be. No bound on how far the released quantile is off: the radius holds for each
    value by itself, and not for the one that noise picks.
    """

    share: Fraction
    rows: int
    value: Fraction
    low: Fraction
    high: Fraction

    @property
    def error(self) -> Fraction:
        """Return how far the farther of these values is."""
        return max(self.value - self.low, self.high - self.value)


def rank_figures(
    tree: LevelTree, part: Part, shares: Sequence[Fraction], *, epsilon: Fraction, alpha: Fraction, rows: int
) -> RankFigures:
    """Return the figures of a tree whose parts are alike."""
    grid, scale = _noise(part, epsilon)
    kinds = shares[:1] if tree.known_total else shares  # which then play no part
    radius = max(float(radii_in_grids(tree, share, scale / grid, alpha).max()) for share in kinds)
    return RankFigures(
        radius=grid * Fraction(radius),
        rows=rows,
        size_is_public=tree.known_total,
        levels=tree.cells,
        branches=(tree.nodes[0], *[tree.branching] * (tree.depth - 1)),
    )


def cells_if_like(
    tree: LevelTree,
    part: Part,
    shares: Sequence[Fraction],
    counts: Sequence[int],
    *,
    epsilon: Fraction,
    alpha: Fraction,
    rows: int,
) -> list[tuple[int, int, int]]:
    """Return for each share the cell of the quantile, and the first and last cell within reach.        theory (12)

    counts   of every cell of a public distribution: so many rows as `rows` are thought of as distributed like these
    """
    from snapdp.accuracy.quantiles import Prefixes, ranked

    total = sum(map(int, counts))
    if len(counts) != tree.cells or total < 1:
        raise ParameterError("there is no value to compare with.", "Give public values of the column, at least one.")
    grid, scale = _noise(part, epsilon)
    unit = rows / grid / total
    below, prefixes = 0, []
    for each in counts:
        below += int(each)
        prefixes.append(below * unit.numerator)
    radii = [radii_in_grids(tree, share, scale / grid, alpha) for share in shares]
    return [(each.cell, each.low, each.high) for each in ranked(Prefixes(prefixes, unit.denominator), shares, radii)]


def _noise(part: Part, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Return grid and noise scale of a part, in rows."""
    p = mechanism(part, epsilon).parameters
    return Fraction(p.data_grid), Fraction(p.noise_scale)
