"""Hierarchies: a column and the levels above it, as margins of one table, which add up along a tree.

Room: studies. Holds no data. A margin is what tells its cells apart: some of several columns, or here one level of one
column. So the levels are taken for columns, the categories first; a margin is one of them by its place, or the total:

    order: the total, the highest level, ..., the categories

A highest level of one cell is the total itself, under its own name: it is measured once.
Theory: docs/theory/sensitivities.md (22); docs/theory/adjusted-tables.md (8)-(11), (32)-(34).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from snapdp.errors import BoundError, ParameterError
from snapdp.studies.columns import CategoryColumn
from snapdp.studies.grouping.groups import GroupColumn, Groups
from snapdp.studies.grouping.margins import HIERARCHY, MOST_TERMS, TOTAL, Margin, Margins, shares_of
from snapdp.studies.grouping.parents import ADVICE, level_columns, parent_places

if TYPE_CHECKING:
    from snapdp.accuracy import CountTree

T = TypeVar("T")
MOST_NODES = 50_000  # of all levels together: they are adjusted after the charge, in bounded time


class Hierarchy(Margins):
    """The levels of one column that has parents. Build one with `hierarchy_of`."""

    @cached_property
    def columns(self) -> tuple[GroupColumn, ...]:
        (column,) = self.groups.columns
        assert isinstance(column, CategoryColumn)
        return level_columns(column)

    @property
    def stated(self) -> str:
        return HIERARCHY

    @property
    def typed(self) -> str:
        return HIERARCHY

    def _check_size(self) -> None:
        nodes = sum(map(self.cells, self.asked))
        if nodes > MOST_NODES:
            raise BoundError(
                f"the levels of {self.groups.title} have {nodes} cells together, more than {MOST_NODES}.",
                "Declare fewer categories, or count by them alone. Nothing was read and nothing spent.",
                cells=nodes,
            )
        if self.work > MOST_TERMS:
            raise BoundError(
                f"the hierarchy of {self.groups.title} is too irregular to be adjusted: its cells err in {self.work} "
                f"different ways, more than {MOST_TERMS}, because few parents are alike in what is below them.",
                "Leave a level out, or ask for a part of it. Nothing was read and nothing spent.",
                kinds=self.work,
            )

    @cached_property
    def terms(self) -> int:
        return self._unweighted.terms

    @cached_property
    def _unweighted(self) -> CountTree:
        """Return the tree with any variances, where only its shape is asked for."""
        return self._tree(dict.fromkeys(self.measured, Fraction(1)), short=True)

    @cached_property
    def is_wide(self) -> bool:
        """Tell whether there are too many laws to invert: then weights are rounded, and intervals are bounds.

        adjusted-tables (32)-(34)
        """
        return self.terms > MOST_TERMS

    @property
    def work(self) -> int:
        return len(self._unweighted.examples) if self.is_wide else self.terms

    @cached_property
    def starts(self) -> dict[Margin, int]:
        """Return the first node of every level in the tree, whose nodes are numbered from the root."""
        found, first = {}, 0
        for margin in self.asked:
            found[margin] = first
            first += self.cells(margin)
        return found

    @cached_property
    def node_parents(self) -> tuple[int, ...]:
        """Return the parent of every node; the root has -1."""
        found = [-1]
        (column,) = self.groups.columns
        assert isinstance(column, CategoryColumn)
        places = parent_places(column)
        for margin in self.asked[1:]:
            (level,) = margin
            above = places[level] if level < len(places) else [0] * self.cells(margin)  # of the highest the total
            start = self.starts[(level + 1,)] if level < len(places) else self.starts[TOTAL]
            found += (start + place for place in above)
        return tuple(found)

    def tree(self, variances: Mapping[Margin, Fraction]) -> CountTree:
        """Return the tree with the variance of a cell of every measured level."""
        return self._tree(variances, short=self.is_wide)

    def _tree(self, variances: Mapping[Margin, Fraction], *, short: bool) -> CountTree:
        from snapdp.accuracy import count_tree

        sources = [margin for margin in self.asked for _ in range(self.cells(margin))]
        return count_tree(self.node_parents, variances, known_root=self.known_total, short=short, sources=sources)

    def level(self, margin: Margin, nodes: Sequence[T]) -> Sequence[T]:
        """Return what belongs to the cells of a level, of something that every node has."""
        return nodes[self.starts[margin] : self.starts[margin] + self.cells(margin)]

    def sums(self, cells: Sequence[int]) -> tuple[Sequence[int], ...]:
        """Return the cells of every measured level, from those of the categories: exact integers, of any length."""
        found = [0] * len(self.node_parents)
        found[len(found) - len(cells) :] = cells
        for node in range(len(found) - 1, 0, -1):
            found[self.node_parents[node]] += found[node]
        return tuple(self.level(margin, found) for margin in self.measured)

    def cells_within(self, margin: Margin) -> int:
        return max(self.level(margin, self._leaves))

    @cached_property
    def _leaves(self) -> list[int]:
        """Return how many categories are below every node, itself included."""
        leaves = self.cells((0,))
        found = [0] * (len(self.node_parents) - leaves) + [1] * leaves
        for node in range(len(found) - 1, 0, -1):
            found[self.node_parents[node]] += found[node]
        return found


def hierarchy_of(groups: Groups, shares: Iterable[Any] | None, *, known_total: bool) -> Hierarchy:
    """Return the hierarchy of the one column that groups are by; shares are in the order of its levels.

    >>> from snapdp.studies import category_column, groups_of, with_parents
    >>> town = category_column("town", categories=["Aachen", "Mainz", "Bonn"])
    >>> column = with_parents(town, {"county": {"NRW": ["Aachen", "Bonn"], "RLP": ["Mainz"]}})
    >>> found = hierarchy_of(groups_of(column), None, known_total=False)
    >>> [found.text(margin) for margin in found.asked], found.sums([1, 2, 4])
    (['in total', 'by county', 'by town'], ([7], [5, 2], [1, 2, 4]))
    """
    if groups.is_crossed:
        raise ParameterError(
            f"a hierarchy is of one column, and the table is by {len(groups.columns)}: {groups.title}.",
            'Give by = "municipality" alone; or margins = "all" for the margins of several columns.',
        )
    (column,) = groups.columns
    if not isinstance(column, CategoryColumn) or not column.parents:
        raise ParameterError(f"column {column.name!r} declares no parents, and so has no hierarchy.", ADVICE)
    levels = level_columns(column)
    total = () if levels[-1].cells == 1 else (TOTAL,)
    asked = (*total, *((place,) for place in reversed(range(len(levels)))))
    measured = [each for each in asked if each or not known_total]
    return Hierarchy(groups=groups, asked=asked, shares=shares_of(shares, len(measured)), known_total=known_total)
