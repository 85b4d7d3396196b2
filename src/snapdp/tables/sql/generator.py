"""One SQL generator: aggregates and declared columns to the text that computes exact integers.

Runs nothing. Three nested SELECTs: cells are read as doubles or text, clamped to doubles inside the
bounds, and made levels by operations that are exact and total (`levels`, `categories`); counts and sums of levels stand
outside. What engines spell differently is in `dialects`; how persons keep a few rows each, before any
test, and how the cells are chosen in which they are counted themselves, behind all tests, in `persons`.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from snapdp.display.text import visible
from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Aggregate, Aggregates, People
from snapdp.studies.columns import CategoryColumn, Column, MagnitudeColumn, NumberColumn, PersonColumn
from snapdp.studies.grouping.groups import Groups
from snapdp.studies.grouping.keys import KeyColumn, KeyedGroups
from snapdp.studies.quantiser import quantiser_of
from snapdp.tables.sql.categories import category_code, key_label
from snapdp.tables.sql.dialects import DUCKDB, MANY_CELLS, Dialect, identifier
from snapdp.tables.sql.levels import (
    cells_in_all,
    cells_of,
    clamped_cell,
    code_of,
    group_code,
    level_of,
    measures_of,
    read_cell,
)
from snapdp.tables.sql.persons import (
    Columns,
    array_answers,
    chosen_cells,
    count_kept,
    joined_keys,
    kept_rows,
    key_cell,
    keyed_columns,
    named,
    per_key,
    person_key,
)
from snapdp.tables.sql.stored import NUMERIC, TEXT, Field, Rows
from snapdp.values import Value


def declared_rows(columns: Iterable[Column], *, table: str = "data", dialect: Dialect = DUCKDB) -> Rows:
    """Return a table that has every declared column in its natural type: for showing SQL before data exist."""
    fields = (
        Field(name=each.name, reads=dialect.named(each.name), stored=dialect.double, kind=NUMERIC)
        if isinstance(each, NumberColumn | MagnitudeColumn)
        else Field(name=each.name, reads=dialect.named(each.name), stored=dialect.text, kind=TEXT)
        for each in dict.fromkeys(columns)
    )
    return Rows(origin=dialect.named(table), fields=tuple(fields))


class KeyTable(Value):
    """A table (label, code) of declared categories, for a column that has many; the engine loads it first.

    Of a column of keys it is the table (k0, k1, ..., code) of them all.
    """

    name: str
    column: CategoryColumn

    @property
    def note(self) -> str:
        """Return what is in it, for people."""
        if isinstance(self.column, KeyColumn):
            keys, names = self.column.keys, ", ".join(visible(identifier(name)) for name in self.column.keys.names)
            texts = ", ".join(f"k{i}" for i in range(len(keys.names)))
            return f"-- {self.name} ({texts}, code): the {keys.count} declared keys of {names}, numbered from 0"
        return (
            f"-- {self.name} (label, code): the {len(self.column.categories)} declared categories of column "
            f"{visible(identifier(self.column.name))}, numbered from 0"
        )


class SqlStatement(Value):
    """One SELECT: its text, which aggregates it answers, and where their numbers stand in each of its rows."""

    text: str
    asked: tuple[Aggregate, ...]
    places: tuple[tuple[int, ...], ...]
    coded: bool = False


class Script(Value):
    """All statements of a set of aggregates, to be run inside one read transaction."""

    keys: tuple[KeyTable, ...]
    statements: tuple[SqlStatement, ...]
    dialect: Dialect

    @property
    def text(self) -> str:
        """Return what will run, for people to read."""
        return "\n".join([*(key.note for key in self.keys), *(f"{each.text};" for each in self.statements)]) + "\n"

    def read(self, results: Sequence[Any]) -> Aggregates:
        """Return the answers from the rows that each statement gave, or from its columns."""
        rows = int(results[0][0][0])
        limb = self.dialect.limb
        if limb is not None and rows >= 1 << (63 - limb):
            raise DataError(f"the table has 2**{63 - limb} rows or more.", f"{self.dialect.name} cannot sum so many.")
        answers: dict[Aggregate, tuple[int, ...]] = {}
        for statement, lines in zip(self.statements, results, strict=True):
            if isinstance(statement.text, Columns):
                answers |= array_answers(statement.asked, statement.places, lines, coded=statement.coded)
                continue
            start = 0
            for asked, places in zip(statement.asked, statement.places, strict=True):
                if statement.coded:  # one after the other, a line for each cell
                    start, first = start + cells_in_all(asked), start
                    answers[asked] = tuple([line[0] for line in lines[first:start]])
                elif len(places) == 1 and asked.cells == 1:  # one number in each line: the short way
                    answers[asked] = tuple([line[places[0]] for line in lines])
                else:
                    found = ([line[place] for place in places] for line in lines)
                    answers[asked] = tuple(cell for values in found for cell in cells_of(asked, values, limb))
        return Aggregates(rows=rows, answers=answers)


def script(asked: Iterable[Aggregate], rows: Rows, *, dialect: Dialect = DUCKDB, salt: str = "") -> Script:
    """Return the statements that answer all aggregates: one SELECT, one for each grouping and each large histogram.

    The first one starts with COUNT(*) of all rows; with persons, of all rows that they keep, where they keep most; or,
    where only persons are counted, of all rows that name one. Each number of rows to keep has statements of its own,
    and so has each count of persons. Which rows are kept depends on the salt and on the columns of all aggregates of
    rows together, in every statement.
    """
    wanted = list(dict.fromkeys(asked))
    counted: list[Aggregate] = [each for each in wanted if not isinstance(each, People)]
    people = [each for each in wanted if isinstance(each, People)]
    row = _names(sorted(columns_of(counted), key=lambda column: (column.name, repr(column))))
    writer = _StatementWriter(rows, dialect, long_lists(columns_of(wanted)), persons_of(wanted), row, salt)
    statements: list[SqlStatement] = []
    for most in sorted({_most(each) for each in counted}, reverse=True):
        bounded = [each for each in counted if _most(each) == most]
        statements += writer.of_rows(bounded, most, first=not statements)
    return Script(
        keys=tuple(KeyTable(name=name, column=c) for c, name in writer.keys.items() if dialect.labels is None),
        statements=(*(statements or [writer.size()]), *map(writer.of_people, people)),
        dialect=dialect,
    )


def _most(asked: Aggregate) -> int:
    """Return how many rows of each person are kept; 0 where rows have no persons."""
    return 0 if asked.persons is None else asked.persons.most


def columns_of(asked: Iterable[Aggregate]) -> list[Column]:
    """Return every column that aggregates speak of, each once."""
    return list(dict.fromkeys(c for each in asked for c in each.every_column))


def persons_of(asked: Iterable[Aggregate]) -> tuple[Column, ...]:
    """Return the columns that name the persons whom the aggregates are about; all of them must agree."""
    found = {() if each.persons is None else each.persons.person_columns for each in asked}
    if len(found) > 1:
        raise ParameterError(
            "some aggregates count rows and others persons, or persons of other columns.",
            "Everything asked of a table at one time has one unit.",
        )
    return found.pop() if found else ()


class _StatementWriter:
    """Writes the statements over one table in one dialect.

    persons   what tells persons apart, by its names; empty where rows have none
    declared  the columns among these whose declared values do: they are made levels, NULL where there is no value
    row       with persons: the columns that make a row, in every statement, so that all of them keep the same rows
    """

    def __init__(
        self,
        rows: Rows,
        dialect: Dialect,
        keys: dict[CategoryColumn, str],
        persons: Sequence[Column],
        row: dict[Column, str],
        salt: str,
    ) -> None:
        self.rows, self.dialect, self.keys, self.row, self.salt = rows, dialect, keys, row, salt
        named_by = {f"p{i}": each for i, each in enumerate(persons)}
        self.declared = {name: each for name, each in named_by.items() if not isinstance(each, PersonColumn)}
        self.persons = {
            name: name if name in self.declared else person_key(rows.field(each), dialect)
            for name, each in named_by.items()
        }

    def size(self) -> SqlStatement:
        """Count all rows, or all rows that name somebody."""
        over = f"{self._levels({})} AS levels\nWHERE {named(self.persons)}" if self.persons else self.rows.origin
        return SqlStatement(text=f"SELECT COUNT(*)\nFROM {over}", asked=(), places=())

    def of_rows(self, asked: list[Aggregate], most: int, *, first: bool) -> list[SqlStatement]:
        """Count and sum rows, at most so many of each person; first comes what the whole table has in one row."""
        large = [each for each in asked if each.cells > self.dialect.many_cells]
        small = [each for each in asked if each.cells <= self.dialect.many_cells]
        at_once = [each for each in small if each.by is None]
        groupings = dict.fromkeys(each.by for each in small if each.by is not None)
        return [
            *([self.whole(at_once, most)] if first or at_once else []),
            *(self.grouped(by, [each for each in small if each.by == by], most) for by in groupings),
            *(self.coded(each, most) for each in ([large] if self.dialect.stack and large else [[e] for e in large])),
        ]

    def whole(self, asked: list[Aggregate], most: int) -> SqlStatement:
        measures, places, names = self._measured(asked, first=["COUNT(*)"])
        if self.persons and len(measures) == 1:  # which rows are kept does not matter
            text = count_kept(self._levels({}), self.persons, most=most)
        else:
            shown = ", ".join(f"COALESCE({each}, 0)" for each in measures)
            text = f"SELECT {shown}\nFROM {self.levels(names, most)}"
        return SqlStatement(text=text, asked=tuple(asked), places=places)

    def of_people(self, asked: People) -> SqlStatement:
        """Count the persons of each cell, who count in a few of theirs at most."""
        names, who = _names(columns_of([asked])), ", ".join(self.persons)
        code = f"{code_of(asked, names, self.dialect)} AS code"
        coded = f"(SELECT {who}, {code}\nFROM {self._levels(names)} AS levels\nWHERE {named(self.persons)})"
        cells = f"(SELECT {who}, code\nFROM {coded} AS coded\nWHERE code IS NOT NULL\nGROUP BY {who}, code)"
        if asked.groups < cells_in_all(asked):
            cells = chosen_cells(cells, self.persons, most=asked.groups, dialect=self.dialect, salt=self.salt)
        text = self._per_code("code", cells_in_all(asked), ["COUNT(*)"], f"{cells} AS chosen", by=asked.by)
        return SqlStatement(text=text, asked=(asked,), places=((0,),), coded=True)

    def grouped(self, by: Groups, asked: list[Aggregate], most: int) -> SqlStatement:
        measures, places, names = self._measured(asked, by=by)
        code = group_code(by, names, self.dialect)
        text = self._per_code(code, by.cells, measures, self.levels(names, most), by=by)
        return SqlStatement(text=text, asked=tuple(asked), places=places)

    def coded(self, asked: list[Aggregate], most: int) -> SqlStatement:
        """Count the rows of each cell by its code, a whole number from 0; NULL is in no cell.

        Several aggregates share one scan where the engine can stack their codes, one after the other.
        """
        names, codes, cells = self._names(columns_of(asked)), list[str](), 0
        for each in asked:
            codes.append(f"CAST({cells} AS {self.dialect.narrow}) + {code_of(each, names, self.dialect)}")
            cells += cells_in_all(each)
        code, over = codes[0], self.levels(names, most)
        if len(codes) > 1:
            assert self.dialect.stack is not None
            stacked = self.dialect.stack.format(len(codes), ", ".join(codes))
            code, over = "code", f"(SELECT {stacked} AS code\nFROM {over}) AS stacked"
        text = self._per_code(code, cells, ["COUNT(*)"], over, by=asked[0].by)
        return SqlStatement(text=text, asked=tuple(asked), places=((0,),) * len(asked), coded=True)

    def _per_code(self, code: str, cells: int, measures: Sequence[str], over: str, *, by: Groups | None = None) -> str:
        """Return a grouping in which every declared code has its row, also one that no row of the table has.

        By keys, which may be very many, only the codes that rows have: the others are filled in as they are read.
        """
        if isinstance(by, KeyedGroups):
            return per_key(code, measures, over)
        shown = ", ".join(f"COALESCE(found.m{i}, 0)" for i in range(len(measures)))
        inner = ", ".join(f"{each} AS m{i}" for i, each in enumerate(measures))
        return (
            f"SELECT {shown}\nFROM {self.dialect.series.format(cells)}\n"
            f"LEFT JOIN (SELECT {code} AS code, {inner}\nFROM {over}\nGROUP BY 1) AS found "
            f"ON found.code = declared.code\nORDER BY declared.code"
        )

    def _measured(
        self, asked: list[Aggregate], *, first: Sequence[str] = (), by: Groups | None = None
    ) -> tuple[list[str], tuple[tuple[int, ...], ...], dict[Column, str]]:
        """Return the expressions to select, each once, and where those of each aggregate stand."""
        names = self._names([*(by.read_columns if by else []), *(column for each in asked for column in each.columns)])
        found = {each: place for place, each in enumerate(first)}
        places = tuple(
            tuple(found.setdefault(expression, len(found)) for expression in measures_of(each, names, self.dialect))
            for each in asked
        )
        return list(found), places, names

    def _names(self, columns: Iterable[Column]) -> dict[Column, str]:
        return self.row if self.persons else _names(columns)

    def levels(self, names: dict[Column, str], most: int) -> str:
        """Return the table in levels: cells read as doubles and text, clamped, made whole; then what persons keep."""
        if not self.persons:
            return f"{self._levels(names)} AS levels" if names else self.rows.origin
        levels, kept = self._levels(names), list(names.values())
        return f"{kept_rows(levels, self.persons, kept, most=most, dialect=self.dialect, salt=self.salt)} AS levels"

    def _levels(self, names: dict[Column, str]) -> str:
        read = [f"{reads} AS {key}" for key, reads in self.persons.items() if key not in self.declared]
        as_stored = [key for key in self.persons if key not in self.declared]
        clamped, made, joins = [*as_stored], [*as_stored], []
        for column, name, cell in [
            *((column, name, f"v{name[1:]}") for column, name in names.items()),
            *((column, name, f"v{name}") for name, column in self.declared.items()),
        ]:
            if not isinstance(column, KeyColumn):
                read.append(f"{read_cell(column, self.rows.field(column), self.dialect)} AS {cell}")
            if isinstance(column, NumberColumn):
                formula = quantiser_of(column)
                clamped.append(f"{clamped_cell(cell, formula, self.dialect)} AS {cell}")
                made.append(f"{level_of(cell, formula, self.dialect)} AS {name}")
            elif isinstance(column, KeyColumn):
                texts = [key_cell(each, self.rows.field(each), self.dialect) for each in keyed_columns(column)]
                read += [f"{text} AS {cell}k{i}" for i, text in enumerate(texts)]
                clamped += [f"{cell}k{i}" for i in range(len(texts))]
                made.append(f"{self.keys[column]}.code AS {name}")
                joins.append(joined_keys(column, cell, self.rows, self.dialect, name=self.keys[column]))
            else:
                clamped.append(cell)
                code = category_code(column, cell, self.rows.field(column), self.dialect, keys=self.keys.get(column))
                made.append(f"{code} AS {name}")
                if column in self.keys and not (name in self.declared and column in names):  # it is joined already
                    field = self.rows.field(column)
                    joins.append(listed(column, cell, field, self.dialect, name=self.keys[column]))
        return (
            f"(SELECT {', '.join(made)}\nFROM (SELECT {', '.join(clamped)}\nFROM (SELECT {', '.join(read)}\n"
            f"FROM {self.rows.origin}) AS cells) AS clamped{''.join(joins)})"
        )


def listed(column: CategoryColumn, cell: str, field: Field, dialect: Dialect, *, name: str) -> str:
    """Return the join of a cell with the list of its categories, a table by this name (label, code)."""
    table = name if dialect.labels is None else f"{dialect.labels(column.categories)} AS {name}"
    return f"\nLEFT JOIN {table} ON {key_label(column, f'{name}.label', field, dialect)} = {cell}"


def long_lists(columns: Iterable[Column]) -> dict[CategoryColumn, str]:
    """Return the columns whose lists are looked up in a table, with the names of these tables."""
    many = [c for c in columns if isinstance(c, CategoryColumn) and c.listed and len(c.categories) > MANY_CELLS]
    keyed = [c for c in columns if isinstance(c, KeyColumn) and c.place == 0]
    tables = {column: f"snapdp_keys_{i}" for i, column in enumerate(many)}
    return tables | {column: f"snapdp_cells_{i}" for i, column in enumerate(keyed)}


def _names(columns: Iterable[Column]) -> dict[Column, str]:
    """Return the names of levels; the columns of keys have one together, that of the first."""
    own = [each for each in dict.fromkeys(columns) if not isinstance(each, KeyColumn) or each.place == 0]
    return {column: f"q{i}" for i, column in enumerate(own)}
