"""Counts of rows that meet conditions.

Room: studies. Theory: docs/theory/sensitivities.md, (5) and (6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import PremiseError
from snapdp.studies.aggregates import Aggregate, Count
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.groups import By, groups_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.details import Detail, WholeDetail
from snapdp.studies.statistics.shared_parts import count_part, own_bound
from snapdp.studies.statistics.statistic import Part, Statistic


class RowCount(Statistic):
    """The number of rows that meet all conditions, also for each group."""

    kind = "count"
    takes = 0
    details: ClassVar[Mapping[str, Detail]] = {"rows_per_person": WholeDetail()}
    flag = "Count rows, those of --where."
    conditions_since = 1

    @classmethod
    def of(
        cls,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        rows_per_person: Any = None,
    ) -> Self:
        groups = groups_of(by)
        if relation.is_change_one and not where and groups is None:
            raise PremiseError(
                f"under change-one the number of rows is public: it is n = {relation.rows}.",
                "Count rows that meet a condition (where), count by groups, or declare add-remove.",
            )
        most = own_bound(relation, rows_per_person)
        return cls(relation=relation, where=joined(where), by=groups, rows_per_person=most)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return (count_part(self.neighbours, 1 if self.by is None else self.by.cells),)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Count(where=self.tests, by=self.by, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,)


def count_query(
    relation: Relation,
    *,
    where: Sequence[Condition] = (),
    by: By = None,
    rows_per_person: Any = None,
) -> RowCount:
    """Return the number of rows that meet all conditions, also for each group."""
    return RowCount.of(relation=relation, where=where, by=by, rows_per_person=rows_per_person)
