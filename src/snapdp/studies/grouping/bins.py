"""Bins of a column of numbers between public edges: for histograms of the column, and for groups by it.

Room: studies. Holds no data. Bins are [edge, next edge), the last one closed; edges lie inside the bounds and on the
step, and every bin holds a level. What lies beyond the edges, inside the bounds, and what has no number is in no bin,
or in one of its own.

    outside = "binned"   one bin below the first edge, one above the last, where the bounds leave room for them
    null = "binned"      one bin more, the last: rows without a number

Theory: docs/theory/sensitivities.md, (6), (13) and (17).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

from snapdp.display import exact_amount
from snapdp.errors import BoundError, ParameterError
from snapdp.exact import parameter
from snapdp.studies.columns import BINNED, DROPPED, NumberColumn, check_on_step, check_rules
from snapdp.studies.quantiser import first_level_above, first_level_from
from snapdp.studies.toml_table import about

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
        return (*([0] if below else []), *inner, end, *([column.levels + 1] if above else []))

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the names of the bins, in order."""
        return tuple(self._names())

    def _names(self) -> Iterator[str]:
        first, last = self.edges[0], self.edges[-1]
        below, above = self._below_and_above
        if below:
            yield f"below {first}"
        for low, high in pairwise(self.edges):
            yield f"[{low}, {high}{']' if high == last else ')'}"
        if above:
            yield f"above {last}"
        if self.null == BINNED:
            yield MISSING_BIN

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

    >>> from snapdp.studies import integer_column
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
