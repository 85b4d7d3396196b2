"""What a table answers, row by row in plain Python: levels, groups, the rows that persons keep, and counts and sums.

Room: selftest. It reads the declarations of columns and aggregates, and calls nothing that writes or runs a statement.
Theory: docs/theory/exact-sums.md, (3)-(7); docs/theory/sensitivities.md, (13); docs/theory/persons.md, (1)-(4), (11),
(15).
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from snapdp.selftest.sums.made_up import HALF, Cell, Row
from snapdp.studies import (
    Aggregate,
    BinnedColumn,
    Bins,
    Categories,
    CategoryColumn,
    Column,
    Count,
    GroupColumn,
    LevelCounts,
    Levels,
    Member,
    NumberColumn,
    People,
    Persons,
    Present,
    Products,
    Sum,
    Test,
)

LOT_DIGITS = 15  # of the hexadecimal ones of SHA-256
BINNED = "binned"


class SecondSums:
    """A table, and everything that is asked of it at one time."""

    def __init__(self, rows: Sequence[Row], asked: Sequence[Aggregate], *, salt: str = "") -> None:
        self._rows, self._asked, self._salt = rows, asked, salt
        self._places: dict[tuple[str, Cell], int | None] = {}  # no two columns have one name
        self._answers: dict[Aggregate, tuple[int, ...]] = {}
        self._kept: dict[Persons | None, Sequence[Row]] = {None: rows}

    def rows(self) -> int:
        """Return how many rows count: all, or those that are kept where persons keep most."""
        by_rows = [each for each in self._asked if not isinstance(each, People)]
        if not by_rows:
            return sum(self._person(row, self._asked[0].persons) is not None for row in self._rows)
        return max(len(self._rows_of(each.persons)) for each in by_rows)

    def answer(self, asked: Aggregate) -> tuple[int, ...]:
        """Return one integer for each cell, groups outermost."""
        if asked not in self._answers:
            self._answers[asked] = self._people(asked) if isinstance(asked, People) else self._added(asked)
        return self._answers[asked]

    def _added(self, asked: Aggregate) -> tuple[int, ...]:
        cells = asked.cells
        found = [0] * (cells * (1 if asked.by is None else asked.by.cells))
        for row in self._rows_of(asked.persons):
            group = self._group(row, asked)
            if group is not None and all(self._meets(test, row) for test in asked.where):
                for cell, term in self._terms(row, asked):
                    found[group * cells + cell] += term
        return tuple(found)

    # Cells

    def _place(self, column: Column, row: Row) -> int | None:
        """Return the level of a number or the place of a category; None where there is none."""
        cell = row[column.name]
        key = (column.name, cell)
        if key not in self._places:
            self._places[key] = _level(column, cell) if isinstance(column, NumberColumn) else _category(column, cell)
        return self._places[key]

    def _group(self, row: Row, asked: Aggregate) -> int | None:
        """Return the number of the group of a row, the first column outermost; 0 where there are no groups."""
        code = 0
        for column in () if asked.by is None else asked.by.columns:
            place = self._place_in_groups(column, row)
            if place is None:
                return None
            code = code * column.cells + place
        return code

    def _place_in_groups(self, column: GroupColumn, row: Row) -> int | None:
        if isinstance(column, BinnedColumn):
            return _bin(column, self._place(column.plain, row))
        return self._place(column, row)

    def _meets(self, test: Test, row: Row) -> bool:
        place = self._place(test.column, row)
        if isinstance(test, Levels):
            return place is not None and test.start <= place < test.below
        if isinstance(test, Member):
            return row[test.column.name] == test.category
        assert isinstance(test, Present)
        return place is not None

    def _terms(self, row: Row, asked: Aggregate) -> Iterator[tuple[int, int]]:
        """Yield what a row adds, and to which cell."""
        if isinstance(asked, Count):
            yield 0, 1
        elif isinstance(asked, Sum | Products):
            columns = (asked.column,) if isinstance(asked, Sum) else (asked.first, asked.second)
            levels = [level for column in columns if (level := self._filled(column, row)) is not None]
            if len(levels) == len(columns):
                yield 0, math.prod(levels)
        elif isinstance(asked, Bins):
            level = self._place(asked.column, row)
            if level is None and asked.missing:
                yield asked.cells - 1, 1
            elif level is not None and asked.cuts[0] <= level < asked.cuts[-1]:
                yield bisect_right(asked.cuts, level) - 1, 1
        else:
            assert isinstance(asked, LevelCounts | Categories)
            is_level = isinstance(asked, LevelCounts)
            cell = self._filled(asked.column, row) if is_level else self._place(asked.column, row)  # type: ignore[arg-type]
            if cell is not None:
                yield cell, 1

    def _filled(self, column: NumberColumn, row: Row) -> int | None:
        """Return the level of a cell, or of what stands in for it."""
        level = self._place(column, row)
        return _level(column, column.missing) if level is None and column.missing is not None else level

    # Persons

    def _rows_of(self, persons: Persons | None) -> Sequence[Row]:
        if persons not in self._kept:
            self._kept[persons] = list(self._chosen(persons))
        return self._kept[persons]

    def _chosen(self, persons: Persons | None) -> Iterator[Row]:
        """Yield the rows of each person with the least (lot, levels, copy): persons (2), (3)."""
        assert persons is not None
        by_rows = (each for each in self._asked if not isinstance(each, People))
        columns = sorted({column for each in by_rows for column in each.every_column}, key=lambda column: column.name)
        copies: Counter[tuple[str, tuple[int | None, ...]]] = Counter()
        own: dict[str, list[tuple[tuple[int, ...], Row]]] = {}
        for row in self._rows:
            person = self._person(row, persons)
            if person is None:
                continue
            levels = tuple(self._place(column, row) for column in columns)
            copies[person, levels] += 1
            copy = copies[person, levels]
            lot = self._lot(*("" if level is None else level for level in levels), copy, person)
            order = (lot, *(-1 if level is None else level for level in levels), copy)
            own.setdefault(person, []).append((order, row))
        for rows in own.values():
            yield from (row for _, row in sorted(rows, key=lambda each: each[0])[: persons.most])

    def _people(self, asked: People) -> tuple[int, ...]:
        """Count persons in the first cells of each, by lot: persons (15)."""
        cells: dict[str, set[int]] = {}
        for row in self._rows:
            person, group = self._person(row, asked.persons), self._group(row, asked)
            if person is not None and group is not None and all(self._meets(test, row) for test in asked.where):
                cells.setdefault(person, set()).add(group)
        found = [0] * (1 if asked.by is None else asked.by.cells)
        for person, own in cells.items():
            for cell in sorted(own, key=lambda each: (self._lot(each, person), each))[: asked.groups]:
                found[cell] += 1
        return tuple(found)

    def _person(self, row: Row, persons: Persons | None) -> str | None:
        """Return the text of a person, of several columns each part behind its length; None for nobody."""
        assert persons is not None
        parts = [row[name] for name in persons.columns]
        if None in parts:
            return None
        texts = list(map(str, parts))
        return texts[0] if len(texts) == 1 else "".join(f"{len(text.encode())}:{text}" for text in texts)

    def _lot(self, *parts: object) -> int:
        text = ":".join(map(str, (self._salt, *parts)))
        return int(hashlib.sha256(text.encode()).hexdigest()[:LOT_DIGITS], 16)


def _level(column: NumberColumn, cell: Cell | Fraction) -> int | None:
    """Return how many steps a cell lies above the lower bound, clamped and rounded; ties go up."""
    if cell is None:
        return None
    steps = (min(max(Fraction(cell), column.lower), column.upper) - column.lower) / column.step
    return math.floor(steps + HALF)


def _category(column: CategoryColumn, cell: Cell) -> int | None:
    """Return the place of a text among the categories, behind them the cells of all others and of what is missing."""
    after = len(column.categories)
    if cell is None:
        return after + (column.unknown == BINNED) if column.null == BINNED else None
    if cell in column.categories:
        return column.categories.index(str(cell))
    return after if column.unknown == BINNED else None


def _bin(column: BinnedColumn, level: int | None) -> int | None:
    """Return the bin of a level: [edge, next edge), the last one closed, and those outside where there are some."""
    edges, is_outside = column.edges, column.outside == BINNED
    below = is_outside and edges[0] > column.lower
    if level is None:
        return column.cells - 1 if column.null == BINNED else None
    value = column.lower + level * column.step
    if value < edges[0]:
        return 0 if below else None
    if value > edges[-1]:
        return below + len(edges) - 1 if is_outside else None
    return below + min(_count_up_to(edges, value), len(edges) - 1) - 1


def _count_up_to(edges: Iterable[Fraction], value: Fraction) -> int:
    return sum(edge <= value for edge in edges)
