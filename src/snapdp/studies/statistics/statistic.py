"""What a statistic is: its parts, what is charged for them, its groups, words and declarations, and its numerators.

Everything that is particular to one kind is in the file of that kind; this is what all of them share.

    charged = 1: epsilon typed = epsilon charged                                               theory (4)

A statistic holds no data. `numerators`, at the end, is the only function of this package that is given private numbers;
it opens nothing. Theory: docs/theory/sensitivities.md, (5)-(13); docs/theory/exact-sums.md (8); docs/theory/persons.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from snapdp.display.text import one_line
from snapdp.errors import DataError, ParameterError, PremiseError
from snapdp.studies.aggregates import Aggregate, Aggregates, Persons, Test
from snapdp.studies.columns import CategoryColumn, Column, MagnitudeColumn, NumberColumn
from snapdp.studies.conditions import Condition, condition, tested
from snapdp.studies.declarations import (
    column_from,
    column_values,
    condition_from,
    condition_values,
    groups_values,
    stated_groups,
)
from snapdp.studies.grouping.groups import BinnedColumn, Groups
from snapdp.studies.grouping.keys import KeyedGroups, KeyReader, groups_in
from snapdp.studies.grouping.margins import Hierarchy, Margin, Margins
from snapdp.studies.labels import Label
from snapdp.studies.protection import rows_clause
from snapdp.studies.relation import Relation, guessed_rows
from snapdp.studies.statistics.parts import FITS_INT64, AccuraciesAt, Derived, DrawnPart, NumberError, Numerator, Part
from snapdp.studies.toml import TomlTable, about, named
from snapdp.values import Facts, Value, Values, replaced

if TYPE_CHECKING:
    from snapdp.studies.statistics.trees import RankFigures


class Statistic(Value, ABC):
    """A statistic, declared: everything about it that does not depend on data. Each kind is a class in its own file.

    kind      its name in study files, records and flags
    takes     how many columns it is about
    several   it may be about several columns instead of one: columns = [...] in the place of column
    details   its keys beyond columns, conditions and groups, each with its kind
    flag      what its flag says in --help
    numbers   its columns hold numbers; otherwise they may hold categories as well
    inputs    how many released parts its number follows from, where it is derived: a plan splits alpha among them
    column_kind   the kind that its columns are declared with, where there is only one
    adds_up   its numbers grow with the rows that they are of, as counts and sums do: in pictures lengths are compared
    of_what   what is counted, in one word; empty where it is no count
    moves_singly   no cell of any part moves by more than one sensitivity, and at most `moving` of them move: so are
              counts; a sum by groups may move by two in one cell

    by        groups of rows, by one column or several: the statistic is released for each of them
    where     public conditions: the statistic is one of the rows that meet them all, among those that persons keep
    rows_per_person   so many rows of each person are kept; None where that is what the study says
    margins   which margins of the table by these groups are released, where it is more than the table itself
    """

    kind: ClassVar[str]
    takes: ClassVar[int]
    several: ClassVar[bool] = False
    details: ClassVar[Mapping[str, Detail]] = {}
    flag: ClassVar[str | None] = None
    numbers: ClassVar[bool] = True
    inputs: ClassVar[int] = 2
    column_kind: ClassVar[str | None] = None
    adds_up: ClassVar[bool] = False
    of_what: ClassVar[str] = ""
    moves_singly: ClassVar[bool] = False

    relation: Relation
    columns: tuple[Column, ...] = ()
    by: Groups | None = None
    where: tuple[Condition, ...] = ()
    rows_per_person: int | None = None
    margins: Margins | None = None

    def _check(self) -> None:
        if self.charged != 1:
            raise PremiseError(
                f"the parts of {self.shown} spend {self.charged} of the epsilon typed.",
                "What they lose together must be 1 of it.",
                charged=self.charged,
            )
        for column in self.every_column:
            if isinstance(column, MagnitudeColumn) and self.column_kind is None:
                raise ParameterError(
                    f"column {one_line(column.name)} is declared by magnitudes: it has no bounds.",
                    "Ask for its magnitudes; or declare bounds or categories, where these are public.",
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
    def stated(self) -> Values:
        """Return the details that study files and records state, by their keys."""
        return {} if self.rows_per_person is None else {"rows_per_person": self.rows_per_person}

    @property
    def following(self) -> tuple[Margin | None, ...]:
        """Return what tells the cells of each derived block apart, where every block has cells of its own."""
        return ()

    @property
    def derivation(self) -> str | None:
        """Return how the statistic follows from the released parts, where it is not one of them."""
        return None

    def derived(
        self,
        parts: Sequence[DrawnPart],  # noqa: ARG002
        study: DrawnStudy,  # noqa: ARG002
    ) -> Iterator[Derived]:
        """Yield what follows from its released parts, and from those of the whole study."""
        yield from ()

    @classmethod
    def derived_range(cls, declared: Facts, name: str) -> tuple[Fraction, Fraction] | None:  # noqa: ARG003
        """Return what a number of this name can be that is derived, from what a record declares; None where no line
        says it.
        """
        return None

    @property
    def derived_blocks(self) -> int:
        """Return how many blocks of numbers are derived from it, at most."""
        return 1

    def check_epsilon(self, epsilon: Fraction) -> None:
        """Refuse an epsilon at which something derived could not be printed."""

    def check_alpha(self, alpha: Fraction) -> None:
        """Refuse an alpha at which something derived has no interval."""

    def derived_accuracies(self, accuracies: Sequence[Fraction], rows: int) -> tuple[Fraction, ...]:  # noqa: ARG002
        """Return the accuracies of what is derived from parts with these accuracies, for a table of so many rows."""
        raise ParameterError(f"{self.shown} is released itself, not derived.", "Read its accuracy instead.")

    def number_errors(self, accuracies: AccuraciesAt, rows: int) -> Iterator[NumberError]:
        """Yield how far its numbers may be off, those too that are computed from what is released.

        accuracies   of its parts, where each may miss with alpha/k, from k
        rows         so many are thought to be in the table, or in each group
        """
        for part, error in zip(self.parts, accuracies(1), strict=True):
            name = "" if len(self.parts) == 1 else part.numerator.name
            yield NumberError(name=name, error=error, width=self.width(part.numerator, rows), rows=rows)

    def width(self, numerator: Numerator, rows: int) -> Fraction:
        """Return the width of the range of a released number, if there are so many rows."""
        low, high = numerator.statistic_range
        return (high - low) * rows / self.relation.rows if self.adds_up else high - low

    def ranks(self, epsilon: Fraction, alpha: Fraction) -> RankFigures | None:  # noqa: ARG002
        """Return how far ranks may be misjudged, where what is derived is read off ranks."""
        return None

    # What follows

    @property
    def shown(self) -> str:
        """Return the title for messages: names of columns and categories are anybody's text."""
        return one_line(self.readable_title)

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
        with_margins = " with margins" if self.margins else ""
        return self._about(conditions) + (f" by {self.by.title}" if self.by else "") + with_margins

    def _about(self, conditions: Iterable[str]) -> str:
        """Return a title without its groups."""
        about = f"({', '.join(column.name for column in self.columns)})" if self.columns else ""
        where = " and ".join(conditions)
        return self.kind + about + (f" where {where}" if where else "")

    def title_of(self, margin: Margin) -> str:
        """Return the title of one of its margins, as records write it: sum(pay) by region, count in total."""
        assert self.margins is not None
        return f"{self._about(condition.text for condition in self.where)} {self.margins.text(margin)}"

    @property
    def every_column(self) -> tuple[Column, ...]:
        """Return all columns that are read."""
        groups = () if self.by is None else self.by.read_columns
        return (*self.columns, *(condition.column for condition in self.where), *groups)

    @property
    def missing_in_words(self) -> tuple[str, ...]:
        """Return what its missing cells count as, as clauses for people."""
        tested = [each.column for each in self.where]
        return (
            *(each.missing_in_words for each in self.columns if isinstance(each, NumberColumn)),
            *(each.missing_in_conditions for each in tested if isinstance(each, NumberColumn)),
            *(each.bins_in_words for each in self._group_columns if isinstance(each, BinnedColumn)),
        )

    @property
    def others_in_words(self) -> tuple[str, ...]:
        """Return what happens to cells that are none of the declared ones, as clauses for people."""
        counted = [*self.columns, *self._group_columns]
        tested = [each.column for each in self.where if isinstance(each.column, CategoryColumn)]
        categories = [each.others_in_words for each in counted if isinstance(each, CategoryColumn)]
        bins = [each.others_in_words for each in counted if isinstance(each, BinnedColumn)]
        return (
            *filter(None, [*categories, *bins]),
            *(f"a row whose {each.name} is none of its {each.called}, or empty, meets no condition" for each in tested),
        )

    @property
    def _group_columns(self) -> tuple[Column, ...]:
        return () if self.by is None else self.by.columns

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
    def divisions(self) -> int:
        """Return among how many groups its rows are divided: a guess gives as many to each."""
        return 1 if self.by is None else self.by.cells

    def rows_guessed(self, if_rows: Any = None, *, divisions: int | None = None) -> int:
        """Return how many rows are thought to be in the table, or in each group an equal share of these, rounded down.

        if_rows   so many are guessed to be in the table; n, or the bound on it, unless told, and where n is public
        """
        among = self.divisions if divisions is None else divisions
        is_known = if_rows is None or (self.size_is_public and among == 1)
        return max(1, (self.relation.rows if is_known else guessed_rows(if_rows, self.relation)) // among)

    @property
    def cells(self) -> int:
        """Return how many cells each part has; of a table with margins, how many it has itself."""
        return self.parts[0].cells if self.margins is None else self.margins.groups.cells

    @cached_property
    def labels(self) -> Sequence[Label]:
        """Return the name of each cell, groups outermost; one empty name where there is one cell only."""
        return ("",) if self.by is None else self.by.labels

    @property
    def keys(self) -> tuple[str, ...]:
        """Return which column each text of a label is of, where labels are tuples; nothing where they are texts."""
        return () if self.by is None or not self.by.is_crossed else self.by.names

    def labels_of(self, margin: Margin | None) -> Sequence[Label]:
        """Return the name of each cell of a part, or of what is derived: of a margin, or as those of the statistic."""
        if margin is None or self.margins is None:
            return self.labels
        groups = self.margins.groups_of(margin)
        return ("",) if groups is None else groups.labels

    def keys_of(self, margin: Margin | None) -> tuple[str, ...]:
        """Return which column each text of such a name is of, as `keys` does."""
        if margin is None or self.margins is None:
            return self.keys
        return self.margins.names(margin) if len(margin) > 1 else ()

    def cells_of(self, margin: Margin | None) -> int:
        """Return how many cells a part has, or what is derived."""
        return self.cells if margin is None or self.margins is None else self.margins.cells(margin)

    def name_columns(self, margin: Margin | None) -> tuple[Column, ...]:
        """Return the columns that name the cells of a part: those of the groups, and a histogram's own."""
        if margin is None or self.margins is None:
            return (*self._group_columns, *self.columns)
        return tuple(self.margins.columns[i] for i in margin)

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
        whose = self.relation
        most = self.neighbours.rows_per_person
        return Persons(columns=whose.person_columns, most=most, declared=whose.identifiers)

    @property
    def persons_in_words(self) -> str:
        """Return how persons count, as a clause for people; empty where rows do."""
        person = self.relation.person
        return "" if person is None else rows_clause(person, self.neighbours.rows_per_person)

    # In study files and records

    @classmethod
    def toml_keys(cls) -> tuple[str, ...]:
        """Return the keys that a study file may give to a statistic of this kind."""
        about = {0: (), 1: ("column",)}.get(cls.takes, ("columns",))
        return (*about, *(("columns",) if cls.several else ()), *cls.details, "where", "by", "keys")

    @classmethod
    def from_toml(
        cls,
        table: TomlTable,
        relation: Relation,
        columns: Mapping[str, Column],
        read_keys: KeyReader | None = None,
    ) -> Self:
        """Return the statistic that a TOML table of a study file declares; `read_keys` reads a file that it names."""
        with about(key="keys" if "keys" in table else "by"):
            by = groups_in(table, columns, read_keys)
        details = {}
        for key, detail in [*cls.details.items(), ("where", WHERE)]:
            with about(key=key):
                details[key] = detail.read(table, key, columns)
        details["where"] = details["where"] or None
        given = {key: value for key, value in details.items() if value is not None}
        with about(key="columns" if "columns" in table or cls.takes > 1 else "column"):
            found = cls._columns_in(table, columns)
        return cls.of(*found, relation=relation, by=by, **given)

    @classmethod
    def _columns_in(cls, table: TomlTable, columns: Mapping[str, Column]) -> list[Column]:
        if cls.several and "columns" in table:
            return cls._several_in(table, columns)
        if cls.takes == 1:
            if "column" not in table:
                raise ParameterError("the key 'column' is missing.", "Name a declared column.")
            return [named(columns, table.text("column"))]
        names = table.texts("columns") or [] if cls.takes else []
        if len(names) != cls.takes:
            words = {2: "two", 3: "three"}.get(cls.takes, str(cls.takes))
            raise ParameterError(f"a {cls.kind} needs {words} columns.", 'Give columns = ["age", "pay"].')
        return [named(columns, name) for name in names]

    @classmethod
    def _several_in(cls, table: TomlTable, columns: Mapping[str, Column]) -> list[Column]:
        """Return the columns of several statistics in one; one of one column has one spelling."""
        names = table.texts("columns") or []
        if "column" in table:
            raise ParameterError("column and columns are both given.", "Give columns alone, with all of them in it.")
        if len(names) < 2:
            raise ParameterError(
                f"columns names {'one column' if names else 'no column'}; it is for several of one {cls.kind}.",
                'Give column = "age" for one, or columns = ["age", "income"].',
            )
        return [named(columns, name) for name in names]

    def toml(self) -> Iterator[tuple[str, object]]:
        """Yield what a study file says of the statistic, but its cost."""
        yield "kind", self.kind
        if self.takes == len(self.columns) == 1:
            yield "column", self.columns[0].name
        elif self.takes:
            yield "columns", [column.name for column in self.columns]
        for key, value in self.stated.items():
            yield key, self.details[key].toml(value)
        if self.where:
            yield "where", WHERE.toml(self.where)
        if self.by is not None:
            yield "by", list(self.by.names) if self.by.is_crossed else self.by.names[0]
        if isinstance(self.by, KeyedGroups) and self.by.keys.given:
            yield "keys", self.by.keys.given

    @classmethod
    def from_declaration(cls, values: Facts, relation: Relation) -> Self:
        """Return the statistic that a record declares."""
        columns = [column_from(each) for each in values.get("columns", [])]
        if len(columns) != cls.takes and not (cls.several and len(columns) > 1):
            raise DataError(
                f"a statistic of kind {cls.kind!r} with {len(columns)} columns is not known.", "The record was altered."
            )
        by = stated_groups(values)
        kinds = {**cls.details, "where": WHERE}
        details = {key: detail.from_json(values[key]) for key, detail in kinds.items() if key in values}
        return cls.of(*columns, relation=relation, by=by, **details)

    def declaration(self) -> Values:
        """Return everything public that makes the statistic what it is, but its cost."""
        found: Values = {"kind": self.kind, "title": self.title}
        if self.columns:
            found["columns"] = [column_values(column) for column in self.columns]
        if self.by is not None:
            found["by"] = groups_values(self.by, parents=isinstance(self.margins, Hierarchy))
        if isinstance(self.by, KeyedGroups):
            # The declaration of keys: their number and digest, and they themselves where they are few.
            keys = self.by.keys
            listed = {"cell": [list(row) for row in keys.listed]} if keys.listed else {}
            found["keys"] = {"count": keys.count, "digest": keys.digest, **listed}
        if self.where:
            found["where"] = WHERE.json(self.where)
        return found | {key: self.details[key].json(value) for key, value in self.stated.items()}


DrawnStudy = Sequence[tuple[Statistic, Sequence[DrawnPart]]]  # the statistics of a study, each with its released parts


# Details: the keys of a statistic beyond columns and groups, each with its kind, which knows how such a value is
# written in TOML and in JSON.

CONDITION_KEYS = ("column", "equals", "from", "below")


class Detail:
    """A kind of detail, written as it is. `read` returns None where the key is absent: the constructor's own default
    then holds.
    """

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        """Return the value in a study file, to be checked by the constructor of the statistic."""
        return table.number(key)

    def toml(self, value: Any) -> object:
        """Return the value for a study file."""
        return value

    def json(self, value: Any) -> Any:
        """Return the value for a request or record."""
        return value

    def from_json(self, value: Any) -> Any:
        """Return the value that a record states, to be checked by the constructor of the statistic."""
        return value


class WholeDetail(Detail):
    """One positive whole number."""


class NumberDetail(Detail):
    """One exact number."""

    def json(self, value: Any) -> Any:
        return str(value)


class FlagDetail(Detail):
    """Yes, or no: what is not said is no."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.flag(key) or None


class NumbersDetail(Detail):
    """A list of exact numbers, not empty; `empty` says what to do about one that is."""

    def __init__(self, empty: str | None = None) -> None:
        self.empty = empty

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        found = table.numbers(key)
        if found == []:
            advice = self.empty or f"Give at least two {key}, or leave the key out."
            raise ParameterError(f"{key} is an empty list.", advice)
        return found

    def toml(self, value: Any) -> object:
        return list(value)

    def json(self, value: Any) -> Any:
        return [str(each) for each in value]


class MarginsDetail(Detail):
    """Margins of a table: the words "all" and "hierarchy", or a list of lists of names."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        found = table.get(key)
        return found if isinstance(found, list) else table.text(key)

    def toml(self, value: Any) -> object:
        return value.typed

    def json(self, value: Any) -> Any:
        return value.stated


class ChoiceDetail(Detail):
    """One of a few words."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:  # noqa: ARG002
        return table.text(key)


class ConditionsDetail(Detail):
    """Conditions that a row must meet, all of them."""

    def read(self, table: TomlTable, key: str, columns: Mapping[str, Column]) -> Any:
        found = []
        for values in table.tables(key):
            each = TomlTable(values, place=f"{table.place}, {key}", keys=CONDITION_KEYS)
            each.need("column")
            column = named(columns, each.text("column"))
            equals, start, below = each.word("equals"), each.end("from"), each.end("below")
            found.append(condition(column, equals=equals, start=start, below=below))
        return found

    def toml(self, value: Any) -> object:
        rows = ((each.column.name, each.equals, each.start, each.below) for each in value)
        pairs = (zip(CONDITION_KEYS, row, strict=True) for row in rows)
        return [{key: part for key, part in row if part is not None} for row in pairs]

    def json(self, value: Any) -> Any:
        return [condition_values(each) for each in value]

    def from_json(self, value: Any) -> Any:
        return [condition_from(each) for each in value]


WHERE = ConditionsDetail()


# Numerators, from the answers of a table. A numerator is clamped to its public range: under add-remove a table with
# more than n_max rows must look like any other, and clamping never moves two numbers apart. Under persons everything
# asked says so itself: the table counts at most rows_per_person rows of each, and an answer about rows is never taken
# for one about persons.

Numerators = tuple[Sequence[int], ...]  # for each part, one integer for each cell
MANY = 1000
_DEFECT = "That is a defect of its class. Nothing was spent."


def aggregates_of(statistics: Iterable[Statistic]) -> list[Aggregate]:
    """Return everything that statistics ask of a table, each aggregate once."""
    return list(dict.fromkeys(asked for statistic in statistics for asked in statistic.aggregates))


def numerators(statistic: Statistic, found: Aggregates) -> Numerators:
    """Return the exact numerators of a statistic: for each part one integer per cell, inside the public range."""
    # Refuse a table whose number of rows is not the declared n. The message does not tell which it is.
    relation = statistic.relation
    if relation.is_change_one and found.rows != relation.rows:
        raise DataError(
            f"the table does not have the declared n = {relation.rows} rows.",
            "Under change-one n is public and must be right: declare the true one, or declare add-remove.",
            n=relation.rows,
        )
    asked = statistic.aggregates
    if any(each.persons != statistic.persons or not {*statistic.tests} <= {*each.where} for each in asked):
        raise PremiseError(f"{statistic.shown} asks about other rows than those it is about.", _DEFECT)
    values = statistic.values([found[each] for each in asked])
    cells = [part.cells for part in statistic.parts]
    named = [len(statistic.labels_of(part.margin)) for part in statistic.parts]
    if [len(each) for each in values] != cells or cells != named:
        raise PremiseError(f"{statistic.shown} has another number of values than of cells.", _DEFECT)
    return tuple(_inside(part.numerator, each) for part, each in zip(statistic.parts, values, strict=True))


def _inside(numerator: Numerator, values: Sequence[int]) -> Sequence[int]:
    """Return the values clamped to the public range; many of them as an array."""
    low, high = numerator.lower, numerator.upper
    if len(values) <= MANY or max(abs(low), abs(high)) >= FITS_INT64:
        return tuple(min(max(value, low), high) for value in values)
    import numpy as np

    if getattr(values, "dtype", None) == np.int64:
        inside: Any = np.clip(np.asarray(values), low, high)
        return inside  # type: ignore[no-any-return]
    try:
        kept = np.fromiter(values, np.int64, len(values))
    except OverflowError:  # a table with more rows than n_max may have any sum
        kept = np.fromiter((min(max(value, low), high) for value in values), np.int64, len(values))
    clamped: Any = np.clip(kept, low, high)
    return clamped  # type: ignore[no-any-return]
