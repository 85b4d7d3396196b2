"""Histograms: the number of rows in each category, or in each bin between public edges.

A histogram is a vector of counts. Under change-one a row leaves one cell and enters another, so two cells move by 1
each (L1 distance 2) and each cell runs at half of the epsilon typed; under add-remove one cell moves. A missing number
is in no bin, or in one of its own, the last. Theory: docs/theory/sensitivities.md, (5), (6) and (17).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import ParameterError
from snapdp.studies.aggregates import Aggregate, Bins, Categories
from snapdp.studies.columns import BINNED, DROPPED, INLINE, CategoryColumn, Column
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import BinnedColumn, By, binned, check_cells, groups_of, in_bins
from snapdp.studies.labels import Label
from snapdp.studies.relation import CHANGE_ONE, Relation
from snapdp.studies.statistics.parts import (
    SHARE,
    Derived,
    DrawnPart,
    Part,
    as_columns,
    count_part,
    own_bound,
    share_rows,
)
from snapdp.studies.statistics.statistic import ChoiceDetail, Detail, DrawnStudy, NumbersDetail, Statistic, WholeDetail
from snapdp.values import Values


class Histogram(Statistic):
    """The number of rows in each cell of a column; a column that declares edges gives them, unless it has its own.

    edges     public bin edges over numbers: bins are [edge, next edge), the last one closed
    outside   "dropped" or "binned": what happens to rows beyond the first and last edge, inside the bounds
    missing   "dropped" or "binned": what happens to rows without a number; None for categories, which have rules of
              their own
    """

    kind = "histogram"
    adds_up = True
    of_what = "rows"
    moves_singly = True
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
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        edges: Sequence[Any] = (),
        outside: str | None = None,
        missing: str | None = None,
        rows_per_person: Any = None,
    ) -> Self:
        groups = groups_of(by)
        if groups is not None and column.name in groups.names:
            raise ParameterError(
                f"a histogram of {column.name!r} by itself has one row of cells.",
                f"Leave {column.name!r} out of by, or count by it and ask for no histogram.",
            )
        for key, choice in (("outside", outside or DROPPED), ("missing", missing or DROPPED)):
            if choice not in (DROPPED, BINNED):
                raise ParameterError(
                    f"{key} = {choice!r} is not known.", f'Give {key} = "dropped" or {key} = "binned".'
                )
        if isinstance(column, CategoryColumn) and (edges or outside == BINNED or missing is not None):
            raise ParameterError(
                f"column {column.name!r} holds categories: its histogram has no bin edges.",
                "Leave out edges, outside and missing; unknown and null are declared with the column.",
            )
        rows: Values = {"relation": relation, "by": groups, "where": joined(where)}
        rows["rows_per_person"] = own_bound(relation, rows_per_person)
        found = cls(**rows, **_cells_of(column, edges, outside, missing))
        if groups is not None:
            check_cells(found.title, found.cells, most=groups.most_cells)
        return found

    @property
    def divisions(self) -> int:
        return self.cells

    @property
    def column(self) -> Column:
        return self.columns[0]

    @cached_property
    def _binned(self) -> CategoryColumn | BinnedColumn:
        """Return the column with its cells: categories, or bins."""
        if isinstance(self.column, CategoryColumn):
            return self.column
        return in_bins(self.column, edges=self.edges, outside=self.outside, null=self.missing or DROPPED)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return (count_part(self.neighbours, self._binned.cells * (1 if self.by is None else self.by.cells)),)

    @property
    def aggregates(self) -> list[Aggregate]:
        rows: Values = {"where": self.tests, "by": self.by, "persons": self.persons}
        cells = self._binned
        if isinstance(cells, CategoryColumn):
            return [Categories(column=cells, **rows)]
        return [Bins(column=cells.plain, cuts=cells.cuts, missing=cells.null == BINNED, **rows)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,)

    @property
    def missing_in_words(self) -> tuple[str, ...]:
        if not isinstance(self._binned, BinnedColumn):
            return super().missing_in_words
        return (self._binned.bins_in_words, *super().missing_in_words[1:])

    @property
    def stated(self) -> Values:
        if not self.edges:
            return super().stated
        return {"edges": self.edges, "outside": self.outside, "missing": self.missing, **super().stated}

    @cached_property
    def labels(self) -> Sequence[Label]:
        return self._binned.labels if self.by is None else self.by.beside(self._binned.labels)

    @property
    def keys(self) -> tuple[str, ...]:
        return (*super().keys, self.column.name) if super().keys else ()

    def derived(
        self,
        parts: Sequence[DrawnPart],
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield each cell's share of all cells: of the public n under change-one, of the released total otherwise.

        Under add-remove, and where only some rows count, the total is random as well and the cells too many for one
        alpha: no interval is given.
        """
        (counts,) = parts
        if len(counts.indices) > INLINE:
            return
        of_n = shares_are_of_n(self.relation.kind, conditional=bool(self.where), missing=self.missing)
        rows = share_rows(counts, self.relation.rows if of_n else None)
        yield Derived(name=SHARE, title=f"shares of {self.title}", columns=as_columns(rows))


# The number of rows in each category, or in each bin between public edges of a number column.
# Bins are [edge, next edge), the last one closed. outside = "dropped" or "binned" says what happens to rows beyond the
# first and last edge, where these lie inside the bounds; missing, what happens to those without a number.
histogram_query = Histogram.of


def _cells_of(column: Column, edges: Sequence[Any], outside: str | None, missing: str | None) -> Values:
    """Return the column of a histogram and its bins: those it is given, else those that the column declares."""
    if isinstance(column, CategoryColumn):
        return {"columns": (column,), "outside": outside or DROPPED}
    if isinstance(column, BinnedColumn) and not len(edges):
        edges, outside, missing = column.edges, outside or column.outside, missing or column.null
    bins = binned(column, edges=edges, outside=outside or DROPPED, null=missing or DROPPED)
    return {"columns": (bins.plain,), "edges": bins.edges, "outside": bins.outside, "missing": bins.null}


def shares_are_of_n(relation: str, *, conditional: bool, missing: str | None) -> bool:
    """Tell whether the shares of a histogram are shares of the public n: else they are of all its counts together."""
    return relation == CHANGE_ONE and not conditional and missing != DROPPED
