"""One SQL generator: aggregates and declared columns to the text that computes exact integers.

Room: tables. Runs nothing. Three nested SELECTs: cells are read as doubles or text, clamped to doubles inside the
bounds, and made levels by operations that are exact and total (`levels`, `categories`); counts and sums of levels stand
outside (`measures`). What engines spell differently is in `dialects`; how persons keep a few rows each, before any
test, in `persons`.
Theory: docs/theory/exact-sums.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from snapdp.display import visible
from snapdp.errors import DataError, ParameterError
from snapdp.studies import (
    Aggregate,
    Aggregates,
    CategoryColumn,
    Column,
    Groups,
    NumberColumn,
    Persons,
    quantiser_of,
)
from snapdp.tables.sql.categories import category_code, key_label
from snapdp.tables.sql.dialects import DUCKDB, MANY_CELLS, Dialect, identifier
from snapdp.tables.sql.levels import clamped_cell, level_of, read_cell
from snapdp.tables.sql.measures import cells_in_all, cells_of, code_of, group_code, measures_of
from snapdp.tables.sql.persons import kept_rows
from snapdp.tables.sql.stored import NUMERIC, TEXT, Field, Rows
from snapdp.values import Value


def declared_rows(columns: Iterable[Column], *, table: str = "data") -> Rows:
    """Return a table that has every declared column in its natural type: for showing SQL before data exist."""
    fields = (
        Field(name=each.name, reads=identifier(each.name), stored="DOUBLE", kind=NUMERIC)
        if isinstance(each, NumberColumn)
        else Field(name=each.name, reads=identifier(each.name), stored="VARCHAR", kind=TEXT)
        for each in dict.fromkeys(columns)
    )
    return Rows(origin=identifier(table), fields=tuple(fields))


class KeyTable(Value):
    """A table (label, code) of declared categories, for a column that has many; the engine loads it first."""

    name: str
    column: CategoryColumn


class Statement(Value):
    """One SELECT: its text, which aggregates it answers, and where their numbers stand in each of its rows."""

    text: str
    asked: tuple[Aggregate, ...]
    places: tuple[tuple[int, ...], ...]
    coded: bool = False


class Script(Value):
    """All statements of a set of aggregates, to be run inside one read transaction."""

    keys: tuple[KeyTable, ...]
    statements: tuple[Statement, ...]
    dialect: Dialect

    @property
    def text(self) -> str:
        """Return what will run, for people to read."""
        notes = [
            f"-- {key.name} (label, code): the {len(key.column.categories)} declared categories of column "
            f"{visible(identifier(key.column.name))}, numbered from 0"
            for key in self.keys
        ]
        return "\n".join([*notes, *(f"{each.text};" for each in self.statements)]) + "\n"

    def read(self, results: Sequence[Sequence[Sequence[int]]]) -> Aggregates:
        """Return the answers from the rows that each statement gave."""
        rows = int(results[0][0][0])
        limb = self.dialect.limb
        if limb is not None and rows >= 1 << (63 - limb):
            raise DataError(f"the table has 2**{63 - limb} rows or more.", f"{self.dialect.name} cannot sum so many.")
        answers: dict[Aggregate, tuple[int, ...]] = {}
        for statement, lines in zip(self.statements, results, strict=True):
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

    The first one starts with COUNT(*) of all rows, or of all rows that persons keep. All statements keep the same ones:
    they depend on the salt and on the columns of all aggregates together.
    """
    wanted = list(dict.fromkeys(asked))
    large = [each for each in wanted if each.cells > dialect.many_cells]
    small = [each for each in wanted if each.cells <= dialect.many_cells]
    columns = columns_of(wanted)
    persons = persons_of(wanted)
    row = None if persons is None else _names(sorted(columns, key=lambda column: (column.name, repr(column))))
    writer = _StatementWriter(rows, dialect, long_lists(columns), persons, row, salt)
    groupings = dict.fromkeys(each.by for each in small if each.by is not None)
    return Script(
        keys=tuple(KeyTable(name=name, column=c) for c, name in writer.keys.items() if dialect.labels is None),
        statements=(
            writer.whole([each for each in small if each.by is None]),
            *(writer.grouped(by, [each for each in small if each.by == by]) for by in groupings),
            *(writer.coded(each) for each in ([large] if dialect.stack and large else [[one] for one in large])),
        ),
        dialect=dialect,
    )


def columns_of(asked: Iterable[Aggregate]) -> list[Column]:
    """Return every column that aggregates speak of, each once."""
    return list(dict.fromkeys(c for each in asked for c in each.every_column))


def persons_of(asked: Iterable[Aggregate]) -> Persons | None:
    """Return whose rows the aggregates count; all of them must agree."""
    found = list(dict.fromkeys(each.persons for each in asked))
    if len(found) > 1:
        raise ParameterError(
            "some aggregates count rows and others persons, or persons differently.",
            "Everything asked of a table at one time has one unit.",
        )
    return found[0] if found else None


def level_rows(
    columns: Iterable[Column],
    rows: Rows,
    *,
    dialect: Dialect = DUCKDB,
    persons: Persons | None = None,
    salt: str = "",
) -> str:
    """Return a SELECT of the levels of every row: what all counts and sums are taken over. For tests.

    With persons: of every row that is kept, and the person last.
    """
    names = _names(columns)
    shown = [*names.values(), *(["person"] if persons else [])]
    writer = _StatementWriter(rows, dialect, {}, persons, None if persons is None else names, salt)
    return f"SELECT {', '.join(shown)}\nFROM {writer.levels(names)}"


class _StatementWriter:
    """Writes the statements over one table in one dialect.

    row   with persons: the columns that make a row, in every statement, so that all of them keep the same rows
    """

    def __init__(
        self,
        rows: Rows,
        dialect: Dialect,
        keys: dict[CategoryColumn, str],
        persons: Persons | None,
        row: dict[Column, str] | None,
        salt: str,
    ) -> None:
        self.rows, self.dialect, self.keys = rows, dialect, keys
        self.persons, self.row, self.salt = persons, row, salt

    def whole(self, asked: list[Aggregate]) -> Statement:
        measures, places, names = self._measured(asked, first=["COUNT(*)"])
        text = f"SELECT {', '.join(f'COALESCE({each}, 0)' for each in measures)}\nFROM {self.levels(names)}"
        return Statement(text=text, asked=tuple(asked), places=places)

    def grouped(self, by: Groups, asked: list[Aggregate]) -> Statement:
        measures, places, names = self._measured(asked, by=by)
        text = self._per_code(group_code(by, names, self.dialect), by.cells, measures, self.levels(names))
        return Statement(text=text, asked=tuple(asked), places=places)

    def coded(self, asked: list[Aggregate]) -> Statement:
        """Count the rows of each cell by its code, a whole number from 0; NULL is in no cell.

        Several aggregates share one scan where the engine can stack their codes, one after the other.
        """
        names, codes, cells = self._names(columns_of(asked)), [], 0
        for each in asked:
            codes.append(f"CAST({cells} AS {self.dialect.narrow}) + {code_of(each, names, self.dialect)}")
            cells += cells_in_all(each)
        code, over = codes[0], self.levels(names)
        if len(codes) > 1:
            assert self.dialect.stack is not None
            stacked = self.dialect.stack.format(len(codes), ", ".join(codes))
            code, over = "code", f"(SELECT {stacked} AS code\nFROM {over}) AS stacked"
        text = self._per_code(code, cells, ["COUNT(*)"], over)
        return Statement(text=text, asked=tuple(asked), places=((0,),) * len(asked), coded=True)

    def _per_code(self, code: str, cells: int, measures: Sequence[str], over: str) -> str:
        """Return a grouping in which every declared code has its row, also one that no row of the table has."""
        shown = ", ".join(f"COALESCE(found.m{i}, 0)" for i in range(len(measures)))
        inner = ", ".join(f"{each} AS m{i}" for i, each in enumerate(measures))
        return (
            f"SELECT {shown}\nFROM {self.dialect.series.format(cells)} AS declared(code)\n"
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
        return _names(columns) if self.row is None else self.row

    def levels(self, names: dict[Column, str]) -> str:
        """Return the table in levels: cells read as doubles and text, clamped, made whole; then what persons keep."""
        if self.persons is None:
            return f"{self._levels(names)} AS levels" if names else self.rows.origin
        kept = kept_rows(
            self._levels(names), list(names.values()), most=self.persons.most, dialect=self.dialect, salt=self.salt
        )
        return f"{kept} AS levels"

    def _levels(self, names: dict[Column, str]) -> str:
        read, clamped, made, joins = [], [], [], []
        if self.persons is not None:
            person = self.rows.field(self.persons.person_column).reads
            read.append(f"{self.dialect.exact_text.format(person)} AS person")
            clamped.append("person")
            made.append("person")
        for column, name in names.items():
            cell = f"v{name[1:]}"
            read.append(f"{read_cell(column, self.rows.field(column), self.dialect)} AS {cell}")
            if isinstance(column, NumberColumn):
                formula = quantiser_of(column)
                clamped.append(f"{clamped_cell(cell, formula, self.dialect)} AS {cell}")
                made.append(f"{level_of(cell, formula, self.dialect)} AS {name}")
            else:
                clamped.append(cell)
                code = category_code(column, cell, self.rows.field(column), self.dialect, keys=self.keys.get(column))
                made.append(f"{code} AS {name}")
                if column in self.keys:
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
    return {column: f"snapdp_keys_{i}" for i, column in enumerate(many)}


def _names(columns: Iterable[Column]) -> dict[Column, str]:
    return {column: f"q{i}" for i, column in enumerate(dict.fromkeys(columns))}
