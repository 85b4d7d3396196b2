"""Margins: which tables of groups are released beside each other, by which columns each, and what each gets of epsilon.

Holds no data. All of them are margins of *one* table, that by all columns of the groups: a row counts in every margin
iff each column gives it a cell, and in none otherwise. A margin is the set of columns that its cells tell apart, by
their places; that of no column is the total. The levels of a column with parents are margins too: a `Hierarchy`, which
adds up along a tree.

    order: the total, the single columns, the pairs, ..., the whole table; among equals as the columns stand in `by`
    order of levels: the total, the highest level, ..., the categories

Whatever order they are typed in, they are kept in this one: two orders are one request. Theory:
docs/theory/sensitivities.md (22); docs/theory/adjusted-tables.md (1); docs/theory/adjusted-tables.md (8)-(11),
(32)-(34).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeVar

from snapdp.errors import BoundError, ParameterError
from snapdp.exact.numbers import positive
from snapdp.studies.categories import ADVICE as PARENTS_ADVICE, level_columns, parent_places
from snapdp.studies.columns import CategoryColumn
from snapdp.studies.grouping.groups import GroupColumn, Groups
from snapdp.studies.grouping.keys import KeyedGroups
from snapdp.studies.relation import listed_names
from snapdp.studies.toml import about
from snapdp.values import Value

if TYPE_CHECKING:
    from snapdp.accuracy.adjusted.trees import CountTree

Margin = tuple[int, ...]  # columns of the groups by their places, increasing
TOTAL: Margin = ()
ALL, HIERARCHY = "all", "hierarchy"
MOST_COLUMNS = 8  # of a table with margins
MOST_CELLS = 1_000_000  # of all margins together: they are adjusted after the charge, in half a gigabyte
MOST_TERMS = 4096  # laws that enter the errors of all margins: how long a plan, a release and an audit take
ADVICE = 'Give margins = "all", or a list such as [["region"], ["region", "sex"], []]; [] is the total.'
WIDER = "intervals of adjusted cells are bounds, wider than need be: the levels are too irregular for the law of each"
HIERARCHY_TOO = 'Or margins = "hierarchy", for the levels of one column that declares parents.'


class Margins(Value):
    """Margins of one table. Build them with `margins_of`.

    groups       the columns of the table
    asked        the margins to be released, in order
    shares       of epsilon, one for each margin that is measured, in order
    known_total  the total is n, which is public: it is neither measured nor charged
    """

    groups: Groups
    asked: tuple[Margin, ...]
    shares: tuple[Fraction, ...]
    known_total: bool = False

    def _check(self) -> None:
        if len(self.groups.columns) > MOST_COLUMNS:
            raise BoundError(
                f"a table by {len(self.groups.columns)} columns has too many margins.",
                f"Give at most {MOST_COLUMNS} columns, or leave margins out. Nothing was read and nothing spent.",
            )
        if not self.measured:
            raise ParameterError("no margin is measured: the total is public.", f"{ADVICE} Give another one as well.")
        if len(self.shares) != len(self.measured):
            raise ParameterError(
                f"{_counted(len(self.shares), 'share')} for {_counted(len(self.measured), 'margin')} measured: "
                f"{'; '.join(map(self.text, self.measured))}.",
                "Give one for each of them, or leave shares out: then they are equal."
                + " The total is n, which is public: it has no share." * self.known_total,
                key="shares",
            )
        if any(share <= 0 for share in self.shares) or sum(self.shares) != 1:
            raise ParameterError(
                f"the shares {', '.join(map(str, self.shares))} are not positive parts of 1: they add up to "
                f"{sum(self.shares)}.",
                "They say which part of epsilon each margin gets: give positive numbers that add up to 1.",
                key="shares",
            )
        self._check_size()

    def _check_size(self) -> None:
        cells = sum(map(self.cells, self.measured))
        if cells > MOST_CELLS:
            raise BoundError(
                f"the margins by {self.groups.title} have {cells} cells together, more than {MOST_CELLS}.",
                "Ask for fewer margins, or declare fewer categories. Nothing was read and nothing spent.",
                cells=cells,
            )
        if self.work > MOST_TERMS:
            raise BoundError(
                f"{len(self.asked)} margins by {self.groups.title} take too much work to be adjusted.",
                "Ask for fewer margins, or by fewer columns: all margins of five columns are possible, those of six "
                "are too many. Nothing was read and nothing spent.",
                terms=self.work,
            )

    @cached_property
    def measured(self) -> tuple[Margin, ...]:
        """Return the margins that are measured, in order: all that are asked for, but not a known total."""
        return tuple(each for each in self.asked if each or not self.known_total)

    @property
    def terms(self) -> int:
        """Return how many coefficients enter all adjusted tables: what it takes to find their errors."""
        return sum(1 << len({*one} & {*other}) for one in self.asked for other in self.measured)

    @property
    def is_wide(self) -> bool:
        """Tell whether the intervals of adjusted cells are bounds that are wider than need be: public sizes decide."""
        return False

    @property
    def work(self) -> int:
        """Return what it takes to find the errors of all cells: as many laws."""
        return self.terms

    @property
    def columns(self) -> tuple[GroupColumn, ...]:
        """Return what margins are by, some of them each: the columns of the groups."""
        return self.groups.columns

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return how many cells each column has."""
        return tuple(column.cells for column in self.columns)

    def cells(self, margin: Margin) -> int:
        """Return how many cells a margin has."""
        return math.prod(self.sizes[i] for i in margin)

    def groups_of(self, margin: Margin) -> Groups | None:
        """Return the groups that a margin tells apart; None where it is the total."""
        return Groups(columns=tuple(self.columns[i] for i in margin)) if margin else None

    def names(self, margin: Margin) -> tuple[str, ...]:
        """Return the names of a margin's columns."""
        return tuple(self.columns[i].name for i in margin)

    def text(self, margin: Margin) -> str:
        """Return what a margin is called."""
        return margin_text(self.names(margin))

    def cells_within(self, margin: Margin) -> int:
        """Return how many cells of the whole table make a cell of a margin, at most."""
        return self.groups.cells // self.cells(margin)

    def sums(self, cells: Sequence[int]) -> tuple[Sequence[int], ...]:
        """Return the cells of every measured margin, from those of the table: exact integers, of any length."""
        import numpy as np

        from snapdp.accuracy.adjusted.margins import ExactTable

        try:
            listed = np.fromiter(cells, np.int64, len(cells))
        except OverflowError:  # a table with more rows than n_max may have any sum
            listed = np.array(cells, dtype=object)
        table = ExactTable(listed.reshape(self.sizes), 1)
        every = ([i for i in range(len(self.sizes)) if i not in margin] for margin in self.measured)
        return tuple(table.summed(axes).numerators.ravel().tolist() for axes in every)

    @property
    def stated(self) -> str | list[list[str]]:
        """Return which margins there are, as records state it."""
        return [list(self.names(margin)) for margin in self.asked]

    @property
    def typed(self) -> str | list[list[str]]:
        """Return the same as study files do."""
        return ALL if len(self.asked) == 1 << len(self.columns) else self.stated


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def margin_text(names: Sequence[str]) -> str:
    """Return what a margin is called: by its columns, each in quotes where it could be taken for several.

    >>> margin_text(["region", "sex"]), margin_text(["a, b"]), margin_text([])
    ('by region, sex', 'by "a, b"', 'in total')
    """
    return f"by {listed_names(names)}" if names else "in total"


def margins_of(
    groups: Groups | None, margins: Any, shares: Iterable[Any] | None, *, known_total: bool
) -> Margins | None:
    """Return margins as they are typed: "all", "hierarchy", or a list of lists of names, each in any order.

    None where none are.

    >>> from snapdp.studies.columns import category_column
    >>> from snapdp.studies.grouping.groups import groups_of
    >>> sex = category_column("sex", categories=["f", "m"])
    >>> region = category_column("region", categories=["north", "south"])
    >>> found = margins_of(groups_of([region, sex]), [["sex", "region"], []], ["3/4", "1/4"], known_total=False)
    >>> found.asked, [str(share) for share in found.shares]
    (((), (0, 1)), ['1/4', '3/4'])
    """
    if margins is None:
        if shares is not None:
            raise ParameterError("shares belong to margins, and there are none.", f"{ADVICE} Or leave shares out.")
        return None
    if groups is None:
        raise ParameterError(
            "margins are those of a table, and there is none.", 'Say by which columns: by = ["region", "sex"].'
        )
    if isinstance(groups, KeyedGroups):
        raise ParameterError(
            "margins are those of all combinations of categories, and a file of keys lists the cells.",
            "Leave margins out; or leave keys out, and declare the categories of each column. Nothing was spent.",
        )
    if margins == HIERARCHY:
        return hierarchy_of(groups, shares, known_total=known_total)
    typed = list(_typed(groups, margins))
    measured = [each for each in typed if each or not known_total]
    given = shares_of(shares, len(measured))
    if len(given) == len(measured):
        given = tuple(share for _, share in sorted(zip(measured, given, strict=True), key=lambda pair: _order(pair[0])))
    asked = tuple(sorted(typed, key=_order))
    return Margins(groups=groups, asked=asked, shares=given, known_total=known_total)


def shares_of(shares: Iterable[Any] | None, measured: int) -> tuple[Fraction, ...]:
    """Return the parts of epsilon in the order in which they are typed; where none are, so many equal ones."""
    if shares is None:
        return (Fraction(1, max(1, measured)),) * measured
    with about(key="shares"):
        return tuple(positive(share, name="a share") for share in shares)


def _order(margin: Margin) -> tuple[int, Margin]:
    return len(margin), margin


def _typed(groups: Groups, margins: Any) -> Iterator[Margin]:
    """Yield the margins in the order in which they are typed."""
    if isinstance(margins, str):
        if margins != ALL:
            advice = f"{_meant(margins, [ALL, HIERARCHY])}{ADVICE} {HIERARCHY_TOO}"
            raise ParameterError(f"margins = {margins!r} is not known.", advice)
        places = range(min(len(groups.columns), MOST_COLUMNS + 1))  # more are refused
        yield from (each for size in range(len(places) + 1) for each in combinations(places, size))
        return
    if isinstance(margins, Mapping) or not isinstance(margins, Iterable):
        raise ParameterError("margins are no list.", ADVICE)
    found = set()
    for names in margins:
        margin = _margin(groups, names)
        if margin in found:
            raise ParameterError(f"the margin {margin_text(list(names))} is asked for twice.", "Ask for it once.")
        found.add(margin)
        yield margin
    if not found:
        raise ParameterError("the list of margins is empty.", ADVICE)


def _meant(typed: Any, words: list[str]) -> str:
    """Return which word may have been meant, as the beginning of an advice; empty where none is near."""
    near = difflib.get_close_matches(str(typed)[:100].lower(), words, n=1, cutoff=0.7)
    return f"Did you mean {near[0]!r}? " if near else ""


def _margin(groups: Groups, names: Any) -> Margin:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ParameterError("a margin is no list of columns.", ADVICE)
    listed = list(names)
    stray = next((name for name in listed if name not in groups.names), None)
    if stray is not None:
        raise ParameterError(
            f"a margin names column {stray!r}, which is not in by.",
            f"{_meant(stray, [*groups.names, ALL])}The table is by {groups.title}: its margins are by some of these "
            "columns.",
        )
    if len(set(listed)) != len(listed):
        raise ParameterError(f"a margin names a column twice: {', '.join(listed)}.", "Name each column once.")
    return tuple(sorted(groups.names.index(name) for name in listed))


# Hierarchies. The levels are taken for columns, the categories first; a margin is one of them by its place, or the
# total. A highest level of one cell is the total itself, under its own name: it is measured once.

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
        from snapdp.accuracy.adjusted.trees import count_tree

        sources = [margin for margin in self.asked for _ in range(self.cells(margin))]
        return count_tree(self.node_parents, variances, known_root=self.known_total, short=short, sources=sources)

    def level(self, margin: Margin, nodes: Sequence[T]) -> Sequence[T]:
        """Return what belongs to the cells of a level, of something that every node has."""
        return nodes[self.starts[margin] : self.starts[margin] + self.cells(margin)]

    def sums(self, cells: Sequence[int]) -> tuple[Sequence[int], ...]:
        """Return the cells of every measured level, from those of the categories: exact integers, of any length."""
        nodes = self._summed(cells)
        return tuple(self.level(margin, nodes) for margin in self.measured)

    def _summed(self, cells: Sequence[int]) -> list[int]:
        """Return what is below every node, from the numbers of the categories."""
        nodes = [0] * (len(self.node_parents) - len(cells)) + [*cells]
        for node in range(len(nodes) - 1, 0, -1):
            nodes[self.node_parents[node]] += nodes[node]
        return nodes

    def cells_within(self, margin: Margin) -> int:
        return max(self.level(margin, self._leaves))

    @cached_property
    def _leaves(self) -> list[int]:
        """Return how many categories are below every node, itself included."""
        return self._summed([1] * self.cells((0,)))


def hierarchy_of(groups: Groups, shares: Iterable[Any] | None, *, known_total: bool) -> Hierarchy:
    """Return the hierarchy of the one column that groups are by; shares are in the order of its levels.

    >>> from snapdp.studies.categories import with_parents
    >>> from snapdp.studies.columns import category_column
    >>> from snapdp.studies.grouping.groups import groups_of
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
        raise ParameterError(f"column {column.name!r} declares no parents, and so has no hierarchy.", PARENTS_ADVICE)
    levels = level_columns(column)
    total = () if levels[-1].cells == 1 else (TOTAL,)
    asked = (*total, *((place,) for place in reversed(range(len(levels)))))
    measured = [each for each in asked if each or not known_total]
    return Hierarchy(groups=groups, asked=asked, shares=shares_of(shares, len(measured)), known_total=known_total)
