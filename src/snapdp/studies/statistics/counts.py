"""Counts of rows that meet conditions, and counts of persons: of people, not of their rows.

A person counts once in each group where a row of theirs meets all conditions, in at most k groups. When a person comes
or goes, at most k cells move, each by 1, and nobody else's groups change. So every cell has sensitivity 1 and k of them
move: each runs at epsilon/k. (A sensitivity of k in one cell would be the same noise, and a number that no cell ever
moves by.)

    sensitivity = 1, moving = k, share = 1/k, range 0 to n_max                                        theory (20)

Where k = 1 the table is one of persons, each in one cell: its margins are sums of cells, as those of rows are, from the
one choice, and add up. Where k > 1 a sum of cells counts somebody twice, and no choice makes it a number of persons.
Theory: docs/theory/sensitivities.md, (5), (6) and (22); docs/theory/persons.md, (17) and (18).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.studies.aggregates import Aggregate, Count, People, Persons
from snapdp.studies.conditions import Condition, joined
from snapdp.studies.grouping.groups import By, Groups, groups_of
from snapdp.studies.grouping.margins import Margin, margins_of
from snapdp.studies.protection import groups_clause
from snapdp.studies.relation import Relation, whole
from snapdp.studies.statistics.adjusted import Tabulated
from snapdp.studies.statistics.parts import WHOLE, Part, count_numerator, count_part, own_bound
from snapdp.studies.statistics.statistic import Detail, MarginsDetail, NumbersDetail, WholeDetail
from snapdp.values import replaced


class Counts(Tabulated):
    """A number of rows or of persons, also for each group."""

    moves_singly = True
    takes = 0

    @abstractmethod
    def _counted(self, cells: int, share: Fraction = WHOLE) -> Part:
        """Return the counts of so many cells, at a share of epsilon."""

    def margin_part(self, margin: Margin, share: Fraction) -> Part:
        return self._counted(self.cells_of(margin), share)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        if self.margins is not None:
            return self.margin_parts(self.margins)
        return (self._counted(self.divisions),)


class RowCount(Counts):
    """The number of rows that meet all conditions, also for each group."""

    kind = "count"
    of_what = "rows"
    flag = "Count rows, those of --where."

    @classmethod
    def of(
        cls,
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

    def _counted(self, cells: int, share: Fraction = WHOLE) -> Part:
        return count_part(self.neighbours, cells, share)

    @property
    def aggregates(self) -> list[Aggregate]:
        return [Count(where=self.tests, by=self.by, persons=self.persons)]


# The number of rows that meet all conditions, also for each group, and for margins of the groups.
count_query = RowCount.of


class PersonCount(Counts):
    """The number of persons with a row that meets all conditions, also in each group.

    groups_per_person   by groups: each person counts in at most so many of them; None where there are none. Of a table
                        with margins it is 1
    """

    kind = "persons"
    of_what = "persons"
    details: ClassVar[Mapping[str, Detail]] = {
        "groups_per_person": WholeDetail(),
        "margins": MarginsDetail(),
        "shares": NumbersDetail(),
    }
    flag = "Count persons, each once, those with a row of --where."

    groups_per_person: int | None = None

    @classmethod
    def of(
        cls,
        relation: Relation,
        by: By = None,
        where: Sequence[Condition] = (),
        groups_per_person: Any = None,
        margins: Any = None,
        shares: Sequence[Any] | None = None,
    ) -> Self:
        if relation.person is None:
            raise PremiseError(
                "persons are counted, and no column names them.",
                'Give person="id", the column that says whose row it is, under relation = "add-remove" with n_max.',
                key="kind",
            )
        groups = groups_of(by)
        most = _checked_groups(groups, groups_per_person)
        chosen = margins_of(groups, margins, shares, known_total=False)
        if chosen is not None and most != 1:
            raise PremiseError(
                f"persons in up to {most} groups have no margins: whoever counts in several cells would be several "
                "persons in their sum, and tables would not add up.",
                "Give groups_per_person=1; or ask for each margin as a statistic of its own, which says in how many of "
                "its groups a person counts. Nothing was read and nothing spent.",
                groups_per_person=most,
            )
        return cls(relation=relation, by=groups, where=joined(where), groups_per_person=most, margins=chosen)

    def _counted(self, cells: int, share: Fraction = WHOLE) -> Part:
        """Return the persons in each of so many cells, at a part of epsilon.                          theory (20)"""
        people = replaced(count_numerator(self.relation), name="persons", sensitivity=1)
        moving = self.groups_per_person or 1
        return Part(numerator=people, cells=cells, moving=moving, share=share / moving)

    @property
    def persons(self) -> Persons:
        """Return who is counted; how many rows of theirs are kept elsewhere plays no part."""
        return Persons(columns=self.relation.person_columns, most=1, declared=self.relation.identifiers)

    @property
    def aggregates(self) -> list[Aggregate]:
        people = People(where=self.tests, by=self.by, persons=self.persons, groups=self.groups_per_person or 1)
        return [people]

    @property
    def stated(self) -> dict[str, Any]:
        most = {} if self.groups_per_person is None else {"groups_per_person": self.groups_per_person}
        return {**most, **super().stated}

    @property
    def persons_in_words(self) -> str:
        margins = self.margins is not None
        return groups_clause(self.relation.person, self.groups_per_person, margins=margins)


# The number of persons with a row that meets all conditions, also in each group, and margins of these.
persons_query = PersonCount.of


def _checked_groups(groups: Groups | None, groups_per_person: Any) -> int | None:
    """Return in how many groups a person counts at most; it is said where there are groups, and only there."""
    if groups is None:
        if groups_per_person is not None:
            raise ParameterError(
                "groups_per_person is given, and there are no groups: each person counts once.",
                "Give by, the column of the groups, or leave groups_per_person out.",
            )
        return None
    if groups_per_person is None:
        raise ParameterError(
            "in how many groups a person counts at most is not said.",
            f"Give groups_per_person=1, or more, up to {groups.cells}: noise grows in proportion to it, and whoever "
            "has rows in more groups counts in so many of them.",
        )
    most = whole(groups_per_person, name="groups_per_person")
    if most > groups.cells:
        raise BoundError(
            f"groups_per_person = {most} is more than there are groups: {groups.cells}.",
            f"Give groups_per_person={groups.cells}, or fewer.",
            groups_per_person=most,
        )
    return most
