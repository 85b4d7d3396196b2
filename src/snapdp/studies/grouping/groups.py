"""Groups: the disjoint public cells of rows for which a statistic is released, of one column or of several together.

Holds no data. A row is in a cell iff every column gives it one; the cells of several columns are all combinations of
their cells, the first column outermost:

    code = (c_1 n_2 + c_2) n_3 + c_3 ...,   no code where one of c_1, c_2, ... is none              theory (13)

with n_i the number of cells of a column and c_i the place of a row among them. Other modules ask for `cells`, `labels`
and `columns` and never multiply themselves: groups by keys, which are not such a product, have the same three. Cells of
one column are named by text, those of several by a tuple with one text for each column, so that a category without a
name, or with a comma in it, is never taken for another. A column of numbers names groups, and cells of a histogram, by
bins between public edges. Theory: docs/theory/sensitivities.md, (6), (13) and (17).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain, pairwise, product, repeat
from operator import itemgetter
from typing import Any, overload

from snapdp.display.numbers import exact_amount
from snapdp.display.text import one_line
from snapdp.errors import BoundError, ParameterError
from snapdp.exact.numbers import parameter
from snapdp.studies.columns import BINNED, DROPPED, CategoryColumn, Column, NumberColumn, check_on_step, check_rules
from snapdp.studies.labels import BETWEEN, Label, key_text, label_text
from snapdp.studies.quantiser import first_level_above, first_level_from
from snapdp.studies.toml import about
from snapdp.values import Value

# Bins are [edge, next edge), the last one closed. Edges lie inside the bounds and on the step, and every bin holds a
# level. Numbers beyond the edges, inside the bounds, and missing ones are in no bin, or in one of their own:
#
#     outside = "binned"   one bin below the first edge, one above the last, unless the edge is the bound itself
#     null = "binned"      one bin more, the last: rows without a number

MISSING_BIN = "(missing)"


class BinnedColumn(NumberColumn):
    """A column of numbers with public bin edges. Build one with `binned`.

    outside   "dropped" or "binned": what happens to rows beyond the first and last edge, inside the bounds
    null      "dropped" or "binned": what happens to rows without a number
    """

    edges: tuple[Fraction, ...]
    outside: str = DROPPED
    null: str = DROPPED

    @property
    def plain(self) -> NumberColumn:
        """Return the column without its edges: what is summed, tested, and read from a table."""
        return NumberColumn(**{name: getattr(self, name) for name in NumberColumn._fields})

    @cached_property
    def _below_and_above(self) -> tuple[bool, bool]:
        """Tell whether there is a bin below the first edge, and one above the last."""
        if self.outside != BINNED:
            return False, False
        return self.edges[0] > self.lower, self.edges[-1] < self.upper

    @property
    def cells(self) -> int:
        """Return how many bins there are."""
        return len(self.edges) - 1 + sum(self._below_and_above) + (self.null == BINNED)

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Return the levels at which bins begin, and the one after the last: [edge, next edge), the last bin closed."""
        column = self.plain
        inner = [first_level_from(column, edge) for edge in self.edges[:-1]]
        end = first_level_above(column, self.edges[-1])
        below, above = self._below_and_above
        return (*[0] * below, *inner, end, *[column.levels + 1] * above)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the names of the bins, in order."""
        first, last = self.edges[0], self.edges[-1]
        below, above = self._below_and_above
        names = [f"below {first}"] * below
        names += [f"[{low}, {high}{']' if high == last else ')'}" for low, high in pairwise(self.edges)]
        names += [f"above {last}"] * above
        return (*names, *([MISSING_BIN] if self.null == BINNED else []))

    @property
    def bins_in_words(self) -> str:
        """Return what happens to rows without a number, as a clause for people."""
        return f"rows without {self.name} " + ("have a bin of their own" if self.null == BINNED else "are in no bin")

    @property
    def others_in_words(self) -> str:
        """Return what happens to rows beyond the edges, as a clause for people; empty where there are none."""
        if (self.edges[0], self.edges[-1]) == (self.lower, self.upper):
            return ""
        does = "are left out" if self.outside == DROPPED else "have bins of their own"
        ends = f"{exact_amount(self.edges[0])} to {exact_amount(self.edges[-1])}"
        return f"rows whose {self.name} lies outside of its edges, {ends}, {does}"


def binned(column: NumberColumn, *, edges: Sequence[Any], outside: str = DROPPED, null: str = DROPPED) -> BinnedColumn:
    """Return a column of numbers that is counted by bins; rows without a number are in none, unless told.

    >>> from snapdp.studies.columns import integer_column
    >>> binned(integer_column("age", lower=0, upper=120, missing="dropped"), edges=[0, 18, 65], outside="binned").labels
    ('[0, 18)', '[18, 65]', 'above 65')
    """
    check_rules(column.name, outside=outside, null=null)
    return in_bins(column.plain, edges=_checked_edges(column.plain, edges), outside=outside, null=null)


def in_bins(column: NumberColumn, *, edges: tuple[Fraction, ...], outside: str, null: str) -> BinnedColumn:
    """Return a column with edges that were checked before."""
    fields = {name: getattr(column, name) for name in NumberColumn._fields}
    return BinnedColumn(**fields, edges=edges, outside=outside, null=null)


def _checked_edges(column: NumberColumn, edges: Sequence[Any]) -> tuple[Fraction, ...]:
    if isinstance(edges, str) or len(edges) < 2:
        raise ParameterError(
            f"column {column.name!r} holds numbers: to count by it needs public bin edges.",
            f"Give at least two, such as edges = [{column.lower}, {column.middle}, {column.upper}].",
            key="edges",
        )
    with about(key="edges"):
        cut = tuple(parameter(edge, name="an edge") for edge in edges)
    if any(low >= high for low, high in pairwise(cut)):
        raise BoundError(f"the bin edges of column {column.name!r} do not increase.", "Give them in increasing order.")
    if cut[0] < column.lower or cut[-1] > column.upper:
        raise BoundError(
            f"the bin edges {cut[0]} to {cut[-1]} leave the bounds {column.lower} to {column.upper} "
            f"of column {column.name!r}.",
            "Values are clamped to the bounds: a bin beyond them would always be empty.",
        )
    for edge in cut:
        check_on_step(column, edge, "the bin edge")
    levels = [first_level_from(column, edge) for edge in cut]
    levels[-1] = first_level_above(column, cut[-1])  # the last bin holds its upper edge
    for (low, high), (first, last) in zip(pairwise(cut), pairwise(levels), strict=True):
        if first >= last:
            raise BoundError(
                f"the bin from {low} to {high} of column {column.name!r} holds no multiple of the step {column.step}.",
                "It would always be empty: move its edges apart.",
            )
    return cut


MOST_CELLS = 10_000_000  # of several columns, or of a histogram by groups: as many as one list of categories may have
MOST_COLUMNS = 24  # more of them, of two cells each, have more cells than that
GroupColumn = CategoryColumn | BinnedColumn


class Groups(Value):
    """What `by` holds: columns whose cells are the groups. Build one with `groups_of`."""

    columns: tuple[GroupColumn, ...]

    def _check(self) -> None:
        names = self.names
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            raise ParameterError(f"by names column {twice!r} twice.", "Name each column once.")
        if not 1 <= len(names) <= MOST_COLUMNS:
            raise ParameterError(
                f"by names {len(names)} columns.", f"Give at least one, and at most {MOST_COLUMNS}.", columns=len(names)
            )
        self._check_cells()

    def _check_cells(self) -> None:
        if self.is_crossed:
            check_cells(f"groups by {self.title}", self.cells)

    @property
    def most_cells(self) -> int:
        """Return how many cells a histogram in every group may have, all together."""
        return MOST_CELLS

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def title(self) -> str:
        """Return the columns as titles write them: region, sex."""
        return ", ".join(self.names)

    @property
    def is_crossed(self) -> bool:
        """Tell whether the groups are of several columns: then their labels are tuples."""
        return len(self.columns) > 1

    @property
    def read_columns(self) -> tuple[Column, ...]:
        """Return the columns as a table is asked for them."""
        return tuple(column.plain if isinstance(column, BinnedColumn) else column for column in self.columns)

    @cached_property
    def cells(self) -> int:
        """Return how many groups there are."""
        return math.prod(column.cells for column in self.columns)

    @property
    def keep_every_row(self) -> bool:
        """Tell whether every row is in a group, whatever its cells hold.                             theory (22)"""
        return all(map(_keeps_every_row, self.columns))

    @cached_property
    def labels(self) -> Sequence[Label]:
        """Return the name of each group, in the order of their codes."""
        if not self.is_crossed:
            return self.columns[0].labels
        return CrossedLabels(tuple(column.labels for column in self.columns))

    def beside(self, cells: Sequence[str]) -> Sequence[Label]:
        """Return the names of the cells of a histogram in every group, groups outermost."""
        if not self.is_crossed:
            return tuple(f"{group}{BETWEEN}{cell}" for group in self.columns[0].labels for cell in cells)
        return CrossedLabels((*(column.labels for column in self.columns), tuple(cells)))


class CrossedLabels(Sequence[tuple[str, ...]]):
    """All combinations of texts of several lists, the first list outermost; each is made when it is asked for."""

    def __init__(self, lists: tuple[Sequence[str], ...]) -> None:
        self.lists = lists
        self._cells = math.prod(map(len, lists))

    def __len__(self) -> int:
        return self._cells

    def place(self, cell: int) -> tuple[int, ...]:
        """Return the place in each list of what a cell is named by."""
        found = []
        for listed in reversed(self.lists):
            cell, place = divmod(cell, len(listed))
            found.append(place)
        return tuple(reversed(found))

    def column(self, place: int) -> Iterator[str]:
        """Yield the text of one list that each combination has, in their order."""
        outer = math.prod(map(len, self.lists[:place]))
        inner = math.prod(map(len, self.lists[place + 1 :]))
        return chain.from_iterable(repeat(text, inner) for _ in range(outer) for text in self.lists[place])

    @overload
    def __getitem__(self, cell: int) -> tuple[str, ...]: ...
    @overload
    def __getitem__(self, cell: slice) -> tuple[tuple[str, ...], ...]: ...
    def __getitem__(self, cell: int | slice) -> tuple[str, ...] | tuple[tuple[str, ...], ...]:
        chosen = range(self._cells)[cell]
        if isinstance(chosen, range):
            return tuple(self[each] for each in chosen)
        return tuple(listed[place] for listed, place in zip(self.lists, self.place(chosen), strict=True))

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return product(*self.lists)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CrossedLabels):
            return tuple(map(tuple, self.lists)) == tuple(map(tuple, other.lists))
        return isinstance(other, tuple) and len(other) == len(self) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(map(tuple, self.lists)))

    def __repr__(self) -> str:
        return f"<the names of {len(self)} cells>"


def label_texts(labels: Sequence[Label]) -> Iterator[str]:
    """Yield the names of many cells as texts."""
    if isinstance(labels, CrossedLabels):  # each text is looked at once, not once for each combination
        return map(", ".join, product(*([key_text(key) for key in listed] for listed in labels.lists)))
    return map(label_text, labels)


def label_columns(labels: Sequence[Label], keys: int) -> list[Iterator[str]]:
    """Return the names of many cells by columns: each as one text, and by each of so many keys."""
    if isinstance(labels, CrossedLabels):
        return [label_texts(labels), *map(labels.column, range(keys))]
    return [label_texts(labels), *(map(itemgetter(place), labels) for place in range(keys))]


def _keeps_every_row(column: GroupColumn) -> bool:
    if isinstance(column, CategoryColumn):
        return column.unknown == column.null == BINNED
    inside = (column.edges[0], column.edges[-1]) == (column.lower, column.upper)
    return column.null == BINNED and (inside or column.outside == BINNED)


By = Column | Groups | Sequence[Column] | None


def groups_of(by: By) -> Groups | None:
    """Return the groups by a column, or by several; refuse numbers without bin edges.

    >>> from snapdp.studies.columns import category_column
    >>> sex = category_column("sex", categories=["f", "m"])
    >>> list(groups_of([category_column("region", categories=["north", "south"]), sex]).labels)
    [('north', 'f'), ('north', 'm'), ('south', 'f'), ('south', 'm')]
    """
    if by is None or isinstance(by, Groups):
        return by
    columns = (by,) if isinstance(by, (NumberColumn, CategoryColumn)) else tuple(by)
    return Groups(columns=tuple(map(_group_column, columns)))


def _group_column(column: Any) -> GroupColumn:
    if isinstance(column, NumberColumn) and not isinstance(column, BinnedColumn):
        raise ParameterError(
            f"column {column.name!r} holds numbers and cannot name groups without bin edges.",
            f"Declare them with the column, such as edges = [{column.lower}, {column.middle}, {column.upper}]; or "
            'group by a column with kind = "category", "boolean" or "date".',
        )
    if not isinstance(column, (CategoryColumn, BinnedColumn)):
        raise ParameterError("by names something that is no column.", "Give a declared column, or a list of them.")
    return column


def check_cells(what: str, cells: int, *, most: int = MOST_CELLS) -> None:
    """Refuse more cells than can be recorded, released and audited: a public number, from declarations alone."""
    if cells > most:
        raise BoundError(
            f"{one_line(what)}: there are {cells} cells, more than {most}.",
            "Group by fewer columns, or declare fewer categories or wider bins. Nothing was read and nothing spent.",
            cells=cells,
        )
