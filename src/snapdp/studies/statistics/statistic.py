"""What a statistic is, without data: its integer numerators, their sensitivity, range and public factor.

Room: studies. Holds no data. Everything that is particular to one kind stands in the file of that kind; this is what
all of them share.

    statistic = shift + factor * numerator,  the numerator an integer in [lower, upper]        theory (3)
    charged = 1: epsilon typed = epsilon charged                                               theory (4)

Theory: docs/theory/sensitivities.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from snapdp.display import shortened, visible
from snapdp.errors import BoundError, DataError, ParameterError, PremiseError
from snapdp.exact import positive, power_of_two_at_least, shown, to_float_nearest
from snapdp.mechanism import FINE, FinitePrecision, Mechanism, declared, spacing_of_doubles
from snapdp.studies.aggregates import Aggregate, Persons, Test
from snapdp.studies.columns import CategoryColumn, Column, NumberColumn
from snapdp.studies.conditions import Condition, tested
from snapdp.studies.declarations import column_from, column_values
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.details import ConditionsDetail, Detail
from snapdp.studies.statistics.drawn import Derived, DrawnPart
from snapdp.studies.toml_table import TomlTable, named
from snapdp.studies.units import rows_clause
from snapdp.values import Value, replaced

PRINTED_PARTS = 1 << 10  # doubles must be at least so many times as close as outputs are
WHERE = ConditionsDetail()


class Numerator(Value):
    """An integer function of the rows: the number a mechanism acts on.

    sensitivity   the most it differs between neighbours
    lower, upper  its public range; both ends are attained by some table, unless `where` speaks of the column itself
    factor, shift statistic = shift + factor * numerator
    integers      the statistic is a whole number: outputs lie on a grid >= 1 and print as integers
    """

    name: str
    sensitivity: int
    lower: int
    upper: int
    factor: Fraction
    shift: Fraction = Fraction(0)
    integers: bool = False

    def statistic(self, numerator: Fraction | int) -> Fraction:
        """Return the statistic that a (released) numerator stands for."""
        return self.shift + self.factor * numerator

    @property
    def statistic_range(self) -> tuple[Fraction, Fraction]:
        """Return the public range in units of the statistic."""
        return self.statistic(self.lower), self.statistic(self.upper)

    @property
    def statistic_sensitivity(self) -> Fraction:
        """Return the sensitivity in units of the statistic."""
        return self.factor * self.sensitivity


class Part(Value):
    """One numerator, released once in each of `cells` cells (bins, groups), each cell by its own mechanism.

    moving   how many sensitivities the cells together move between neighbours, at most (their L1 distance)
    share    of the typed epsilon that the mechanism of each cell runs at
    steps    of equal length that one sensitivity is, such that all moves of all cells together are `moving * steps` of
             them at most, whole ones: rounding is paid for with each.                       finite-precision (19), (20)
             None where a kind does not say it: then it has no finite precision
    """

    numerator: Numerator
    cells: int = 1
    moving: int = 1
    share: Fraction = Fraction(1)
    steps: int | None = None


class Statistic(Value, ABC):
    """A statistic, declared: everything about it that does not depend on data. Each kind is a class in its own file.

    kind      its name in study files, records and flags
    takes     how many columns it is about
    details   its keys beyond columns, conditions and groups, each with its kind
    flag      what its flag says in --help
    numbers   its columns hold numbers; otherwise they may hold categories as well
    conditions_since   the first version of records in which it may have conditions

    by        a category column: the statistic is released for each of its cells
    where     public conditions: the statistic is one of the rows that meet them all, among those that persons keep
    rows_per_person   so many rows of each person are kept; None where that is what the study says
    """

    kind: ClassVar[str]
    takes: ClassVar[int]
    details: ClassVar[Mapping[str, Detail]] = {}
    flag: ClassVar[str | None] = None
    numbers: ClassVar[bool] = True
    conditions_since: ClassVar[int] = 2

    relation: Relation
    columns: tuple[Column, ...] = ()
    by: CategoryColumn | None = None
    where: tuple[Condition, ...] = ()
    rows_per_person: int | None = None

    def _check(self) -> None:
        if self.charged != 1:
            raise PremiseError(
                f"the parts of {self.shown} spend {self.charged} of the epsilon typed.",
                "What they lose together must be 1 of it.",
                charged=self.charged,
            )
        names = [part.numerator.name for part in self.parts]
        if len(set(names)) != len(names):
            raise PremiseError(f"two parts of {self.shown} have one name.", "Give each numerator its own.")

    # What a kind says about itself

    @classmethod
    @abstractmethod
    def of(cls, *columns: Any, **details: Any) -> Self:
        """Return a statistic of this kind, from columns, relation, by, where and details; nonsense is refused."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Part, ...]:
        """Return what is released: integer numerators with sensitivity and public range under the relation."""

    @property
    @abstractmethod
    def aggregates(self) -> list[Aggregate]:
        """Return what is asked of a table."""

    @abstractmethod
    def values(self, answers: Sequence[Sequence[int]]) -> tuple[Sequence[int], ...]:
        """Return the numerators of each part, one for each cell, from the answers to `aggregates`, in that order."""

    @property
    def charged(self) -> Fraction:
        """Return the most that neighbours lose, in units of the epsilon typed: the losses of all parts add up, unless
        a kind knows that they do not move at one time.                                              theory (4)
        """
        return sum((part.share * part.moving for part in self.parts), Fraction(0))

    @property
    def split(self) -> str:
        """Return how the parts share epsilon, in words."""
        return "epsilon split " + " + ".join(str(part.share * part.moving) for part in self.parts)

    @property
    def stated(self) -> dict[str, Any]:
        """Return the details that study files and records state, by their keys."""
        return {} if self.rows_per_person is None else {"rows_per_person": self.rows_per_person}

    @property
    def derivation(self) -> str | None:
        """Return how the statistic follows from the released parts, where it is not one of them."""
        return None

    def derived(
        self,
        parts: Sequence[DrawnPart],  # noqa: ARG002
        study: Sequence[tuple[Statistic, Sequence[DrawnPart]]],  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield what follows from its released parts, and from those of the whole study."""
        yield from ()

    @classmethod
    def derived_range(cls, declared: Mapping[str, Any]) -> tuple[Fraction, Fraction] | None:  # noqa: ARG003
        """Return what the number that is derived can be, from what a record declares; None where no line says it."""
        return None

    def check_epsilon(self, epsilon: Fraction, arithmetic: FinitePrecision | None = None) -> None:
        """Refuse an epsilon at which something derived could not be printed."""

    def derived_accuracy(self, accuracies: Sequence[Fraction], rows: int) -> Fraction:  # noqa: ARG002
        """Return the accuracy of what is derived from parts with these accuracies, for a table of that many rows."""
        raise ParameterError(f"{self.shown} is released itself, not derived.", "Read its accuracy instead.")

    # What follows

    @property
    def shown(self) -> str:
        """Return the title for messages: names of columns and categories are anybody's text."""
        return shortened(visible(self.readable_title))

    @property
    def title(self) -> str:
        """Return the statistic as records write it: mean(age), count where region = north, sum(pay) by region."""
        return self._titled(condition.text for condition in self.where)

    @property
    def readable_title(self) -> str:
        """Return the title as people read it: count where 30.5 <= age, where records write 61/2."""
        return self._titled(condition.readable for condition in self.where)

    def _titled(self, conditions: Iterable[str]) -> str:
        """Return a title: its end, " where sex = f by region", is empty where it is about all rows together."""
        about = f"({', '.join(column.name for column in self.columns)})" if self.columns else ""
        where = " and ".join(conditions)
        return self.kind + about + (f" where {where}" if where else "") + (f" by {self.by.name}" if self.by else "")

    @property
    def every_column(self) -> tuple[Column, ...]:
        """Return all columns that are read."""
        groups = () if self.by is None else (self.by,)
        return (*self.columns, *(condition.column for condition in self.where), *groups)

    @property
    def missing_in_words(self) -> tuple[str, ...]:
        """Return what its missing cells count as, as clauses for people."""
        tested = [each.column for each in self.where]
        return (
            *(each.missing_in_words for each in self.columns if isinstance(each, NumberColumn)),
            *(each.missing_in_conditions for each in tested if isinstance(each, NumberColumn)),
        )

    @property
    def others_in_words(self) -> tuple[str, ...]:
        """Return what happens to cells that are none of the declared categories, as clauses for people."""
        counted = [*self.columns, *([] if self.by is None else [self.by])]
        tested = [each.column for each in self.where if isinstance(each.column, CategoryColumn)]
        return (
            *(each.others_in_words for each in counted if isinstance(each, CategoryColumn)),
            *(f"a row whose {each.name} is none of its categories, or empty, meets no condition" for each in tested),
        )

    @cached_property
    def tests(self) -> tuple[Test, ...]:
        """Return what rows must meet: what is asked carries it, so that no answer can forget it."""
        return tuple(map(tested, self.where))

    @property
    def size_is_public(self) -> bool:
        """Tell whether it is public how many rows the statistic is about: n, all of them.          theory (17)"""
        dropped = any(isinstance(column, NumberColumn) and column.dropped for column in self.columns)
        return self.relation.is_change_one and self.by is None and not self.where and not dropped

    @property
    def cells(self) -> int:
        """Return how many cells each part has."""
        return self.parts[0].cells

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each cell, groups outermost; one empty name where there is one cell only."""
        return ("",) if self.by is None else self.by.labels

    @property
    def neighbours(self) -> Relation:
        """Return the relation, with the rows of a person that this statistic keeps.                theory (12)"""
        own = self.rows_per_person
        return self.relation if own is None else replaced(self.relation, rows_per_person=own)

    @property
    def persons(self) -> Persons | None:
        """Return whose rows the relation speaks of: what is asked carries it, so that no answer can forget it."""
        if self.relation.person is None:
            return None
        return Persons(columns=self.relation.person_columns, most=self.neighbours.rows_per_person)

    @property
    def persons_in_words(self) -> str:
        """Return how persons count, as a clause for people; empty where rows do."""
        return "" if self.relation.person is None else rows_clause(self.neighbours.rows_per_person)

    # In study files and records

    @classmethod
    def toml_keys(cls) -> tuple[str, ...]:
        """Return the keys that a study file may give to a statistic of this kind."""
        about = {0: (), 1: ("column",)}.get(cls.takes, ("columns",))
        return (*about, *cls.details, "where", "by")

    @classmethod
    def from_toml(cls, table: TomlTable, relation: Relation, columns: Mapping[str, Column]) -> Self:
        """Return the statistic that a TOML table of a study file declares."""
        by = None if "by" not in table else named(columns, table.text("by"))
        details = {key: detail.read(table, key, columns) for key, detail in cls.details.items()}
        details["where"] = WHERE.read(table, "where", columns) or None
        given = {key: value for key, value in details.items() if value is not None}
        return cls.of(*cls._columns_in(table, columns), relation=relation, by=by, **given)

    @classmethod
    def _columns_in(cls, table: TomlTable, columns: Mapping[str, Column]) -> list[Column]:
        if cls.takes == 1:
            if "column" not in table:
                raise ParameterError("the key 'column' is missing.", "Name a declared column.")
            return [named(columns, table.text("column"))]
        names = table.texts("columns") or [] if cls.takes else []
        if len(names) != cls.takes:
            words = {2: "two", 3: "three"}.get(cls.takes, str(cls.takes))
            raise ParameterError(f"a {cls.kind} needs {words} columns.", 'Give columns = ["age", "pay"].')
        return [named(columns, name) for name in names]

    def toml(self) -> Iterator[tuple[str, object]]:
        """Yield what a study file says of the statistic, but its cost."""
        yield "kind", self.kind
        if self.takes == 1:
            yield "column", self.columns[0].name
        elif self.takes:
            yield "columns", [column.name for column in self.columns]
        for key, value in self.stated.items():
            yield key, self.details[key].toml(value)
        if self.where:
            yield "where", WHERE.toml(self.where)
        if self.by is not None:
            yield "by", self.by.name

    @classmethod
    def from_declaration(cls, values: Mapping[str, Any], relation: Relation) -> Self:
        """Return the statistic that a record declares."""
        columns = [column_from(each) for each in values.get("columns", [])]
        if len(columns) != cls.takes:
            raise DataError(
                f"a statistic of kind {cls.kind!r} with {len(columns)} columns is not known.", "The record was altered."
            )
        by = None if "by" not in values else column_from(values["by"])
        kinds = {**cls.details, "where": WHERE}
        details = {key: detail.from_json(values[key]) for key, detail in kinds.items() if key in values}
        return cls.of(*columns, relation=relation, by=by, **details)

    def declaration(self) -> dict[str, Any]:
        """Return everything public that makes the statistic what it is, but its cost."""
        found: dict[str, Any] = {"kind": self.kind, "title": self.title}
        if self.columns:
            found["columns"] = [column_values(column) for column in self.columns]
        if self.by is not None:
            found["by"] = column_values(self.by)
        if self.where:
            found["where"] = WHERE.json(self.where)
        return found | {key: self.details[key].json(value) for key, value in self.stated.items()}


def group_column(by: Column | None) -> CategoryColumn | None:
    """Return the column whose declared categories are the groups."""
    if isinstance(by, NumberColumn):
        raise ParameterError(
            f"column {by.name!r} holds numbers and cannot name groups.",
            'Groups are what a column with kind = "category", "boolean" or "date" is declared to hold.',
        )
    return by


def mechanism(
    part: Part, epsilon: Any, *, title: str | None = None, arithmetic: FinitePrecision | None = None
) -> Mechanism:
    """Return the mechanism of each cell of a part, when `epsilon` is what is typed for the whole statistic.

    Exact arithmetic on the numerator; the fine grid, or 1 where that is coarser and the statistic is whole. In finite
    precision the mechanism of one step of the numerator, at what one step may lose, on the natural grid, in steps. A
    refusal begins with the title of the statistic.
    """
    numerator, steps = part.numerator, 1 if arithmetic is None else finite_steps(part, title)
    cell_epsilon = positive(epsilon, name="epsilon") * part.share / steps
    grid = integer_grid(numerator.sensitivity / cell_epsilon) if numerator.integers and arithmetic is None else None
    try:
        found = declared(
            epsilon=cell_epsilon,
            sensitivity=Fraction(numerator.sensitivity, steps),
            lower=numerator.lower,
            upper=numerator.upper,
            grid=grid,
            arithmetic=arithmetic,
        )
    except PremiseError as refusal:
        raise _refused(refusal, shortened(visible(title or numerator.name)), epsilon) from None
    if not numerator.integers or arithmetic is not None:
        ends = (numerator.statistic(found.parameters.data_value(k)) for k in found.parameters.ends)
        apart = numerator.factor * found.parameters.data_grid
        check_printable(title or numerator.name, furthest=max(map(abs, ends)), grid=apart)
    return found


def _refused(refusal: PremiseError, name: str, epsilon: Any) -> PremiseError:
    """Return the refusal of a mechanism as that of a statistic: with the epsilon typed, and what helps there."""
    if (bits := refusal.numbers.get("bits")) is None:
        return PremiseError(f"{name}: {refusal.problem}", refusal.advice, **refusal.numbers)
    return PremiseError(
        f"{name}: {bits} bits are too few for epsilon = {shown(epsilon)} and this range: rounding would use up a "
        "visible part.",
        "Give more bits, or leave bits out to have them chosen. Nothing was read and nothing spent.",
        epsilon=epsilon,
        bits=bits,
    )


def finite_steps(part: Part, title: str | None = None) -> int:
    """Return the steps of a part; refuse finite precision where its kind does not say them."""
    if part.steps is None:
        raise PremiseError(
            f"{title or part.numerator.name} has no finite precision: its kind does not say how often neighbours pay "
            "for rounding.",
            "Leave the arithmetic out: in exact arithmetic nothing rounds.",
        )
    return part.steps


def check_printable(name: str, *, furthest: Fraction, grid: Fraction) -> None:
    """Refuse a statistic whose doubles are too far apart for its outputs.

    A printed number is the double nearest to the released one; it may be off by 1/2048 of the distance of two outputs,
    and no more: theory (16).
    """
    spacing = spacing_of_doubles(furthest)
    if spacing * PRINTED_PARTS > grid:
        raise BoundError(
            f"{name}: doubles near {to_float_nearest(furthest):.6g} are {to_float_nearest(spacing):.3g} apart, too far "
            f"for outputs that are {to_float_nearest(grid):.3g} apart: the printed number would miss what is promised.",
            "Count the column from a public number near its bounds (subtract it first), or ask for less accuracy.",
            furthest=furthest,
            grid=grid,
        )


def integer_grid(noise_scale: Fraction) -> Fraction:
    """Return the grid of a whole statistic: the fine one, but at least 1."""
    return max(Fraction(1), power_of_two_at_least(noise_scale) / FINE)
