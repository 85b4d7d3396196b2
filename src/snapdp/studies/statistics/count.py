"""Counts of rows that meet conditions.

Room: studies. Theory: docs/theory/sensitivities.md, (5), (6) and (22).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

from snapdp.errors import PremiseError
from snapdp.studies.aggregates import Aggregate, Count
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, groups_of
from snapdp.studies.grouping.margins import margins_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.shared_parts import count_part, own_bound
from snapdp.studies.statistics.tabulated import Tabulated, margin_parts


class RowCount(Tabulated):
    """The number of rows that meet all conditions, also for each group."""

    kind = "count"
    adds_up = True
    of_what = "rows"
    moves_singly = True
    takes = 0
    flag = "Count rows, those of --where."

    @classmethod
    def of(
        cls,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        rows_per_person: Any = None,
        margins: Any = None,
        shares: Sequence[Any] | None = None,
    ) -> Self:
        groups = groups_of(by)
        if relation.is_change_one and not where and groups is None:
            raise PremiseError(
                f"under change-one the number of rows is public: it is n = {relation.rows}.",
                "Count rows that meet a condition (where), count by groups, or declare add-remove.",
            )
        known = relation.is_change_one and not where and groups is not None and groups.keep_every_row
        chosen = margins_of(groups, margins, shares, known_total=known)
        most = own_bound(relation, rows_per_person)
        return cls(relation=relation, where=joined(where), by=groups, margins=chosen, rows_per_person=most)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if (margins := self.margins) is not None:
            rows = self.neighbours
            return margin_parts(margins, lambda margin, share: count_part(rows, margins.cells(margin), share))
        return (count_part(self.neighbours, 1 if self.by is None else self.by.cells),)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Count(where=self.tests, by=self.by, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,) if self.margins is None else self.margins.sums(counts)


def count_query(
    relation: Relation,
    *,
    where: Sequence[Condition] = (),
    by: By = None,
    rows_per_person: Any = None,
    margins: Any = None,
    shares: Sequence[Any] | None = None,
) -> RowCount:
    """Return the number of rows that meet all conditions, also for each group, and for margins of the groups."""
    said: dict[str, Any] = {"margins": margins, "shares": shares, "rows_per_person": rows_per_person}
    return RowCount.of(relation=relation, where=where, by=by, **said)
