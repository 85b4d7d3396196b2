"""Counts of rows that meet conditions.

Room: studies. Theory: docs/theory/sensitivities.md, (5) and (6).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Self

from snapdp.errors import PremiseError
from snapdp.studies.aggregates import Aggregate, Count
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.groups import By, groups_of
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.shared_parts import count_part
from snapdp.studies.statistics.statistic import Part, Statistic


class RowCount(Statistic):
    """The number of rows that meet all conditions, also for each group."""

    kind = "count"
    takes = 0
    flag = "Count rows, those of --where."
    conditions_since = 1

    @classmethod
    def of(cls, *, relation: Relation, by: By = None, where: Sequence[Condition] = ()) -> Self:
        groups = groups_of(by)
        if relation.is_change_one and not where and groups is None:
            raise PremiseError(
                f"under change-one the number of rows is public: it is n = {relation.rows}.",
                "Count rows that meet a condition (where), count by groups, or declare add-remove.",
            )
        return cls(relation=relation, where=joined(where), by=groups)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return (count_part(self.relation, 1 if self.by is None else self.by.cells),)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Count(where=self.tests, by=self.by, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,)


def count_query(relation: Relation, *, where: Sequence[Condition] = (), by: By = None) -> RowCount:
    """Return the number of rows that meet all conditions, also for each group."""
    return RowCount.of(relation=relation, where=where, by=by)
