"""Magnitudes: how many rows lie in each power of two, and how many have no number. A first look that is charged.

Room: studies. One vector of counts over the places of a column of magnitudes, what is no number and what is missing
among them: every row is in one of them. Under change-one a row leaves one place and enters another, so two counts move
by 1 each; under add-remove one does. What follows is post-processing, and free of charge.
Theory: docs/theory/sensitivities.md, (6); docs/theory/exploring.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import ParameterError
from snapdp.exact import parameter, shown
from snapdp.studies.aggregates import Aggregate, Categories
from snapdp.studies.columns import Column
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By
from snapdp.studies.magnitudes import MAGNITUDE, MagnitudeColumn
from snapdp.studies.readable import Label
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.details import Detail, NumberDetail, WholeDetail
from snapdp.studies.statistics.parts import Part
from snapdp.studies.statistics.shared_parts import count_part, own_bound
from snapdp.studies.statistics.statistic import Statistic

OUTSIDE, LEAST_OUTSIDE, MOST_OUTSIDE = Fraction(1, 20), Fraction(1, 10**6), Fraction(1, 2)
LONGEST = 10**12  # of a share, below the line


class Magnitudes(Statistic):
    """The number of rows in each place of a column of magnitudes, and bounds and quartiles that follow from them.

    outside   the bounds that are derived leave at most this share of the numbers outside, half of it on each side
    """

    kind = "magnitudes"
    takes = 1
    details: ClassVar[Mapping[str, Detail]] = {"outside": NumberDetail(), "rows_per_person": WholeDetail()}
    flag = "Counts by powers of two of a column of which nothing is known; bounds and quartiles follow."
    numbers = False
    column_kind = MAGNITUDE

    outside: Fraction = OUTSIDE

    @classmethod
    def of(
        cls,
        column: Column,
        *,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        outside: Any = OUTSIDE,
        rows_per_person: Any = None,
    ) -> Self:
        if by is not None:
            raise ParameterError("magnitudes by groups are not defined here.", "Ask for them without by.")
        if not isinstance(column, MagnitudeColumn):
            raise ParameterError(
                f"column {column.name!r} is declared as {column.kind}: its bounds, or categories, are known.",
                f'Ask for a histogram of it; or declare it with kind = "{MAGNITUDE}".',
            )
        return cls(
            columns=(column,),
            relation=relation,
            where=joined(where),
            outside=_share(outside),
            rows_per_person=own_bound(relation, rows_per_person),
        )

    @property
    def column(self) -> MagnitudeColumn:
        found = self.columns[0]
        assert isinstance(found, MagnitudeColumn)
        return found

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return (count_part(self.neighbours, self.column.cells),)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Categories(column=self.column, where=self.tests, persons=self.persons)]

    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        (counts,) = answers
        return (counts,)

    @property
    def stated(self) -> dict[str, Any]:
        return {"outside": self.outside, **super().stated}

    @cached_property
    def labels(self) -> Sequence[Label]:
        return self.column.labels


def _share(given: Any) -> Fraction:
    """Return the share of numbers that bounds may leave outside; refuse one that no bounds could be found for."""
    share = parameter(given, name="outside")
    if not LEAST_OUTSIDE <= share <= MOST_OUTSIDE or share.denominator > LONGEST:
        raise ParameterError(
            f"outside = {shown(given)} is no share that bounds may leave outside.",
            f"Give a number from {float(LEAST_OUTSIDE)} to {MOST_OUTSIDE}, such as 0.05 or 0.01.",
            outside=share,
        )
    return share
