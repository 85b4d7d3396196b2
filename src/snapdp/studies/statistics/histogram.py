"""Histograms: the number of rows in each category, or in each bin between public edges.

Room: studies. A histogram is a vector of counts. Under change-one a row leaves one cell and enters another, so two
cells move by 1 each (L1 distance 2) and each cell runs at half of the epsilon typed; under add-remove one cell moves.
A missing number is in no bin, or in one of its own, the last; only columns of version 1 have a number there.
Theory: docs/theory/sensitivities.md, (5), (6) and (17).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

from snapdp.errors import BoundError, ParameterError
from snapdp.exact import parameter, to_float_down, to_float_nearest, to_float_up
from snapdp.studies.aggregates import Aggregate, Bins, Categories, first_level_above, first_level_from
from snapdp.studies.columns import BINNED, DROPPED, CategoryColumn, Column, NumberColumn, check_on_step
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.declarations import INLINE
from snapdp.studies.relation import CHANGE_ONE, Relation
from snapdp.studies.statistics.details import ChoiceDetail, Detail, NumbersDetail, WholeDetail
from snapdp.studies.statistics.drawn import SHARE, Derived, DrawnPart, Row, as_columns
from snapdp.studies.statistics.shared_parts import count_part, own_bound
from snapdp.studies.statistics.statistic import Part, Statistic, group_column

MISSING_BIN = "(missing)"


class Histogram(Statistic):
    """The number of rows in each cell of a column.

    edges     public bin edges over numbers: bins are [edge, next edge), the last one closed
    outside   "dropped" or "binned": what happens to rows beyond the first and last edge, inside the bounds
    missing   "dropped" or "binned": what happens to rows without a number; None where there are none: categories have
              rules of their own, and in columns of version 1 a number stands in
    """

    kind = "histogram"
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {
        "edges": NumbersDetail(),
        "outside": ChoiceDetail(),
        "missing": ChoiceDetail(),
        "rows_per_person": WholeDetail(),
    }
    flag = "Counts over --categories or --edges."
    numbers = False

    edges: tuple[Fraction, ...] = ()
    outside: str = DROPPED
    missing: str | None = None

    @classmethod
    def of(
        cls,
        column: Column,
        *,
        relation: Relation,
        by: Column | None = None,
        where: Sequence[Condition] = (),
        edges: Sequence[Any] = (),
        outside: str = DROPPED,
        missing: str | None = None,
        rows_per_person: Any = None,
    ) -> Self:
        groups = group_column(by)
        if groups is not None and groups.name == column.name:
            raise ParameterError(f"a histogram of {column.name!r} by itself has one row of cells.", "Leave out by.")
        for key, choice in (("outside", outside), ("missing", missing or DROPPED)):
            if choice not in (DROPPED, BINNED):
                raise ParameterError(
                    f"{key} = {choice!r} is not known.", f'Give {key} = "dropped" or {key} = "binned".'
                )
        if isinstance(column, CategoryColumn) and (edges or outside == BINNED or missing is not None):
            raise ParameterError(
                f"column {column.name!r} holds categories: its histogram has no bin edges.",
                "Leave out edges, outside and missing; unknown and null are declared with the column.",
            )
        rule = _rule_for_missing(column, missing)
        cut = () if isinstance(column, CategoryColumn) else _checked_edges(column, edges)
        rows: dict[str, Any] = {"relation": relation, "by": groups, "where": joined(where)}
        rows["rows_per_person"] = own_bound(relation, rows_per_person)
        return cls(columns=(column,), edges=cut, outside=outside, missing=rule, **rows)

    @property
    def column(self) -> Column:
        return self.columns[0]

    @cached_property
    def _below_and_above(self) -> tuple[bool, bool]:
        """Tell whether there is a bin below the first edge, and one above the last."""
        if isinstance(self.column, CategoryColumn) or self.outside != BINNED:
            return False, False
        return self.edges[0] > self.column.lower, self.edges[-1] < self.column.upper

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        bins = len(self.edges) - 1 + sum(self._below_and_above) + (self.missing == BINNED)
        cells = self.column.cells if isinstance(self.column, CategoryColumn) else bins
        return (count_part(self.neighbours, cells if self.by is None else cells * self.by.cells),)

    @property
    def aggregates(self) -> list[Aggregate]:
        rows: dict[str, Any] = {"where": self.tests, "by": self.by, "persons": self.persons}
        if isinstance(self.column, CategoryColumn):
            return [Categories(column=self.column, **rows)]
        return [Bins(column=self.column, cuts=self._cuts(self.column), missing=self.missing == BINNED, **rows)]

    def _cuts(self, column: NumberColumn) -> tuple[int, ...]:
        """Return the levels at which bins begin, and the one after the last: [edge, next edge), the last bin closed."""
        inner = [first_level_from(column, edge) for edge in self.edges[:-1]]
        end = first_level_above(column, self.edges[-1])
        below, above = self._below_and_above
        return (*([0] if below else []), *inner, end, *([column.levels + 1] if above else []))

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,)

    @property
    def missing_in_words(self) -> tuple[str, ...]:
        if self.missing is None:
            return super().missing_in_words
        bins = "are in no bin" if self.missing == DROPPED else "have a bin of their own"
        return (f"rows without {self.column.name} {bins}", *super().missing_in_words[1:])

    @property
    def stated(self) -> dict[str, Any]:
        if not self.edges:
            return super().stated
        rule = {} if self.missing is None else {"missing": self.missing}
        return {"edges": self.edges, "outside": self.outside, **rule, **super().stated}

    @cached_property
    def labels(self) -> tuple[str, ...]:
        bins = tuple(self._bins())
        if self.by is None:
            return bins
        return tuple(f"{group} / {cell}" for group in self.by.labels for cell in bins)

    def _bins(self) -> Iterator[str]:
        if isinstance(self.column, CategoryColumn):
            yield from self.column.labels
            return
        first, last = self.edges[0], self.edges[-1]
        below, above = self._below_and_above
        if below:
            yield f"below {first}"
        for low, high in pairwise(self.edges):
            yield f"[{low}, {high}{']' if high == last else ')'}"
        if above:
            yield f"above {last}"
        if self.missing == BINNED:
            yield MISSING_BIN

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield each cell's share of all cells: of the public n under change-one, of the released total otherwise.

        Under add-remove, and where only some rows count, the total is random as well and the cells too many for one
        alpha: no interval is given.
        """
        (counts,) = parts
        if len(counts.indices) > INLINE:
            return
        cells = [counts.statistic(cell) for cell in range(len(counts.indices))]
        rows: list[Row] = []
        if shares_are_of_n(self.relation.kind, conditional=bool(self.where), missing=self.missing):
            n = self.relation.rows
            for cell, count in enumerate(cells):
                low, high = counts.interval(cell, counts.alpha)
                rows.append((_share(count, Fraction(n)), to_float_down(low / n), to_float_up(high / n)))
        else:
            total = sum((max(Fraction(0), count) for count in cells), Fraction(0))
            rows = [(_share(count, total), None, None) for count in cells]
        yield Derived(name=SHARE, title=f"shares of {self.title}", columns=as_columns(rows))


def histogram_query(
    column: Column,
    relation: Relation,
    *,
    edges: Sequence[Any] = (),
    outside: str = DROPPED,
    missing: str | None = None,
    by: Column | None = None,
    where: Sequence[Condition] = (),
    rows_per_person: Any = None,
) -> Histogram:
    """Return the number of rows in each category, or in each bin between public edges of a number column.

    Bins are [edge, next edge), the last one closed. outside = "dropped" or "binned" says what happens to rows beyond
    the first and last edge, where these lie inside the bounds; missing, what happens to those without a number.
    """
    return Histogram.of(
        column,
        relation=relation,
        edges=edges,
        outside=outside,
        missing=missing,
        by=by,
        where=where,
        rows_per_person=rows_per_person,
    )


def _rule_for_missing(column: Column, missing: str | None) -> str | None:
    """Return what happens to rows without a number; dropped, unless told. In columns of version 1 there are none."""
    if isinstance(column, CategoryColumn):
        return None
    if not column.everywhere:
        return missing or DROPPED
    if missing is not None:
        raise ParameterError(
            f"in column {column.name!r} a public number counts wherever a cell is missing: there is nothing to bin.",
            "Leave missing out of the histogram, or declare the column in a study of version 2.",
        )
    return None


def shares_are_of_n(relation: str, *, conditional: bool, missing: str | None) -> bool:
    """Tell whether the shares of a histogram are shares of the public n: else they are of all its counts together."""
    return relation == CHANGE_ONE and not conditional and missing != DROPPED


def _share(count: Fraction, total: Fraction) -> float:
    return to_float_nearest(min(max(count, Fraction(0)) / total, Fraction(1))) + 0.0 if total > 0 else 0.0


def _checked_edges(column: NumberColumn, edges: Sequence[Any]) -> tuple[Fraction, ...]:
    if isinstance(edges, str) or len(edges) < 2:
        raise ParameterError(
            f"a histogram over the numbers of column {column.name!r} needs public bin edges.",
            f"Give at least two, such as edges = [{column.lower}, {column.middle}, {column.upper}].",
        )
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
