"""A made-up table that is hard to add up, and what is asked of it: by rows, by persons, by persons of two columns.

Room: selftest. Levels up to 2**31 and their products, so that sums pass 2**63 and a sum in doubles cannot be right;
cells at ties of steps 1/4 and 1/10 and beside them, beyond the bounds, missing; categories that differ in a capital or
an accent, hold a quote or a comma, are empty, or are not declared; persons with one row and with many, equal rows among
them, and rows that name nobody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from snapdp.studies import (
    Aggregate,
    Bins,
    Categories,
    CategoryColumn,
    Count,
    LevelCounts,
    Levels,
    Member,
    NumberColumn,
    People,
    Persons,
    Present,
    Products,
    Sum,
    binned,
    category_column,
    groups_of,
    integer_column,
    number_column,
)

HALF = Fraction(1, 2)
SALT = "of the self-test"
WIDE = integer_column("wide", lower=0, upper=1 << 31, missing="dropped")
QUARTERS = number_column("quarters", lower=-10, upper=30, step="1/4", missing="dropped")
TENTHS = number_column("tenths", lower=500, upper=1000, step="1/10", missing="dropped")
FILLED = integer_column("filled", lower=-5, upper=20, missing=3)  # a number stands in for a missing cell
NUMBERS = (WIDE, QUARTERS, TENTHS, FILLED)
REGION = category_column("region", categories=["a", "A", "ä", "it's", ""], unknown="dropped", null="binned")
MARK = category_column("mark", categories=["x,y", "\\$", '"'], unknown="binned", null="dropped")
PLACE = category_column("place", categories=[f"place {i}" for i in range(70)], unknown="binned", null="binned")
TEXTS = (REGION, MARK, PLACE)
PERSON, HOUSE = "person", "house"
NAMES = (*(column.name for column in (*NUMBERS, *TEXTS)), PERSON, HOUSE)
CUTS = (0, 1, 40, 41, 100, 161)
EDGED = binned(QUARTERS, edges=[-5, "-1/4", 0, "7/4", 20], outside="binned", null="binned")
BY_REGION, BY_MARK, BY_PLACE, BY_BINS = (groups_of(each) for each in (REGION, MARK, PLACE, EDGED))
BY_TEXTS, BY_BINS_AND_REGION, BY_MARK_AND_BINS = (
    groups_of([REGION, MARK]),
    groups_of([EDGED, REGION]),
    groups_of([MARK, EDGED]),
)

OF_ROWS: tuple[Aggregate, ...] = (
    Count(),
    *(Sum(column=each) for each in NUMBERS),
    *(Products(first=one, second=other) for one in NUMBERS for other in NUMBERS if one.name <= other.name),
    Bins(column=QUARTERS, cuts=CUTS, missing=True),
    *(Categories(column=each) for each in TEXTS),
    *(LevelCounts(column=each) for each in (QUARTERS, FILLED)),
    Count(where=(Levels(column=TENTHS, start=1000, below=4000), Levels(column=QUARTERS, start=3, below=100))),
    Sum(column=WIDE, where=(Member(column=REGION, category="ä"), Present(column=FILLED))),
    # by groups
    *(Count(by=each) for each in (BY_REGION, BY_MARK, BY_PLACE, BY_BINS)),
    *(Sum(column=each, by=BY_REGION) for each in NUMBERS),
    Sum(column=WIDE, by=BY_PLACE),
    Products(first=WIDE, second=WIDE, by=BY_TEXTS),
    Products(first=FILLED, second=WIDE, by=BY_BINS_AND_REGION),
    Bins(column=QUARTERS, cuts=CUTS, missing=True, by=BY_MARK),
    Categories(column=PLACE, by=BY_REGION, where=(Present(column=WIDE),)),
)
ONE, THREE = (Persons(columns=(PERSON,), most=most) for most in (1, 3))
OF_PERSONS: tuple[Aggregate, ...] = (
    Count(persons=THREE),
    Sum(column=WIDE, persons=THREE),
    Products(first=WIDE, second=WIDE, by=BY_REGION, persons=THREE),
    Categories(column=PLACE, persons=THREE),
    Count(where=(Present(column=TENTHS),), persons=ONE),
    Sum(column=FILLED, by=BY_MARK_AND_BINS, persons=ONE),
    People(persons=ONE),
    People(by=BY_REGION, groups=2, persons=ONE),
    People(by=BY_TEXTS, where=(Present(column=WIDE),), persons=ONE),
)
TOGETHER = Persons(columns=(HOUSE, PERSON), most=2)
OF_TWO_COLUMNS: tuple[Aggregate, ...] = (
    Sum(column=TENTHS, persons=TOGETHER),
    Count(by=BY_REGION, persons=TOGETHER),
    People(by=BY_MARK, persons=TOGETHER),
)
ASKED = (OF_ROWS, OF_PERSONS, OF_TWO_COLUMNS)  # all aggregates of one question count rows, or the same persons
BRIEFLY: tuple[tuple[Aggregate, ...], ...] = (  # every kind of statement once, where each takes seconds to plan
    (
        Count(),
        *(Sum(column=each) for each in NUMBERS),
        Products(first=WIDE, second=WIDE),
        Bins(column=QUARTERS, cuts=CUTS, missing=True),
        Categories(column=PLACE),
        Sum(column=WIDE, by=BY_REGION),
        Products(first=FILLED, second=WIDE, by=BY_BINS_AND_REGION),
    ),
    (
        Sum(column=WIDE, persons=THREE),
        Count(by=BY_REGION, persons=THREE),
        People(by=BY_MARK, persons=THREE),
    ),
)

Cell = float | str | None
Row = Mapping[str, Cell]


def named(asked: Aggregate) -> str:
    """Return what was asked, for whoever reads of a difference."""
    words = [type(asked).__name__.lower(), "of", ", ".join(column.name for column in asked.columns) or "rows"]
    if asked.by is not None:
        words += ["by", asked.by.title]
    if asked.persons is not None:
        words += [f"with {asked.persons.most} rows a person of", ", ".join(asked.persons.columns)]
    return " ".join(words)


def made_up_rows(dice: Random, count: int) -> list[Row]:
    """Return a table; one row in four is equal to an earlier one."""
    rows: list[Row] = []
    while len(rows) < count:
        rows.append(dice.choice(rows) if rows and not dice.randrange(4) else _row(dice, count))
    return rows


def _row(dice: Random, count: int) -> Row:
    cells: list[Cell] = [_number(column, dice) for column in NUMBERS]
    cells += [_text(column, dice) for column in TEXTS]
    person = dice.choice([dice.randrange(4), dice.randrange(40), dice.randrange(count)])  # some have very many rows
    cells.append(None if not dice.randrange(20) else f"{person}:a" if person % 2 else str(person))
    cells.append(dice.choice(["", "a", "1:a", "ä", "2:12", None]))
    return dict(zip(NAMES, cells, strict=True))


def _number(column: NumberColumn, dice: Random) -> float | None:
    kind, level = dice.randrange(16), dice.randint(0, column.levels)
    if kind == 0:
        return None
    if kind == 1:
        return dice.choice([-1e300, 1e300, -0.0, float(column.lower) - 1, float(column.upper) + 1, 5e-324])
    if column is WIDE:
        return float(level)
    tie = column.lower + (level + HALF) * column.step
    if kind < 8:
        return tie.numerator / tie.denominator
    if kind < 12:
        return math.nextafter(tie.numerator / tie.denominator, dice.choice([-math.inf, math.inf]))
    return float(column.lower) + dice.random() * float(column.upper - column.lower)


def _text(column: CategoryColumn, dice: Random) -> str | None:
    other = dice.choice([None, " a", "b", "a ", "Ä", "place", "0"])
    return dice.choice(column.categories) if dice.randrange(6) else other


@contextmanager
def written(rows: Sequence[Row]) -> Iterator[Path]:
    """Write the table as a CSV file, for as long as it is read."""
    with TemporaryDirectory(prefix="snapdp-selftest-") as place:
        lines = [",".join(NAMES), *(",".join(map(_in_csv, row.values())) for row in rows)]
        path = Path(place) / "rows.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield path


def _in_csv(cell: Cell) -> str:
    if cell is None:
        return ""
    return '"' + cell.replace('"', '""') + '"' if isinstance(cell, str) else repr(cell)


def as_values(rows: Sequence[Row]) -> str:
    """Return the table as the beginning of a statement of PostgreSQL that calls it "data"."""
    numbers = {column.name for column in NUMBERS}
    kinds = ["DOUBLE PRECISION" if name in numbers else "TEXT" for name in NAMES]
    lines = ", ".join(f"({', '.join(map(_literal, row.values(), kinds))})" for row in rows)
    names = ", ".join(f'"{name}"' for name in NAMES)
    return f'WITH "data"({names}) AS (VALUES {lines})'


def _literal(cell: Cell, kind: str) -> str:
    if cell is None:
        return f"CAST(NULL AS {kind})"
    text = cell.replace("'", "''") if isinstance(cell, str) else repr(cell)
    return f"CAST('{text}' AS {kind})"
