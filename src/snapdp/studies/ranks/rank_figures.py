"""What quantiles will be worth, before anything is paid: how well the rank of one given value is known, in rows.

Room: studies. It cannot see data. Whether a value comes too early or too late for a quantile is judged by how many rows
lie up to it, less the share asked for of all rows. The radius is the most that this may be off, over all values and
shares:

    P(|error of P_j| > radius) <= alpha, for every table and every single value j                        theory (9)

How far that is in units of the column depends on the rows; for a distribution that is public, an earlier table say, it
can be told: which values would be within reach, if there were no noise at all but the radii were as they are.
Theory: docs/theory/quantiles.md, (9), (12).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from snapdp.display import four_digits_up
from snapdp.errors import ParameterError
from snapdp.studies.ranks.level_counts import radii_in_grids
from snapdp.studies.statistics.number_errors import USEFUL
from snapdp.studies.statistics.parts import Part, mechanism
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.accuracy import LevelTree

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
    from snapdp.accuracy import Prefixes, ranked

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
