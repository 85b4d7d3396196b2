"""The exact sums of an engine against Python's integers: a made-up table, added up twice.

Room: selftest. Levels up to 2**31 and their products, so that sums pass 2**63 and a sum in doubles cannot be right;
cells at ties of steps 1/4 and 1/10 and beside them, beyond the bounds, missing. DuckDB and Spark read them from a file;
PostgreSQL is given them inside the statement, so that nothing is ever written to a server.
Theory: docs/theory/exact-sums.md, (3)-(7).
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from snapdp.selftest.check import Checked, Comparison, Effort
from snapdp.studies import (
    Aggregate,
    Bins,
    Count,
    Levels,
    NumberColumn,
    Products,
    Sum,
    integer_column,
    number_column,
)
from snapdp.tables import open_table, statement

SERVER = "SNAPDP_POSTGRES"  # the variable that names a server
NO_SERVER = f"{SERVER} names no server"
HALF = Fraction(1, 2)
PATIENCE = 600  # seconds for Spark, which takes some ten to start
WIDE = integer_column("wide", lower=0, upper=1 << 31, missing="dropped")
QUARTERS = number_column("quarters", lower=-10, upper=30, step="1/4", missing="dropped")
TENTHS = number_column("tenths", lower=500, upper=1000, step="1/10", missing="dropped")
COLUMNS = (WIDE, QUARTERS, TENTHS)
CUTS = (0, 1, 40, 41, 100, 161)
ASKED: tuple[Aggregate, ...] = (
    Count(),
    *(Sum(column=each) for each in COLUMNS),
    *(Products(first=one, second=other) for one in COLUMNS for other in COLUMNS if one.name <= other.name),
    Bins(column=QUARTERS, cuts=CUTS, missing=True),
    Count(where=(Levels(column=TENTHS, start=1000, below=4000), Levels(column=QUARTERS, start=3, below=100))),
)
Row = tuple[float | None, ...]
LevelsOfARow = tuple[int | None, ...]


def compare_duckdb(effort: Effort) -> Checked:
    """Compare DuckDB, reading a file and reading arrays."""
    rows = _rows(effort.dice("duckdb"), effort.size(20_000, 500))
    columns = {column.name: [row[i] for row in rows] for i, column in enumerate(COLUMNS)}
    comparison = Comparison()
    with _written(rows) as path:
        by_file = open_table(path).aggregates(ASKED)
    by_arrays = open_table(columns).aggregates(ASKED)
    for where, found in (("DuckDB, file", by_file), ("DuckDB, arrays", by_arrays)):
        _compare(found.rows, {asked: found[asked] for asked in ASKED}, rows, where, comparison)
    return comparison.checked()


def compare_spark(effort: Effort) -> Checked:
    """Compare Spark, in a session of this machine."""
    if find_spec("pyspark") is None:
        return Checked(absent="PySpark is not installed")
    if shutil.which("java") is None:
        return Checked(absent="there is no Java")
    if effort.quick:
        return Checked(absent="left out of a quick run")
    rows, comparison = _rows(effort.dice("spark"), 2_000), Comparison()
    with _written(rows) as path:
        here = {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(each) for each in sys.path if each)}
        command = [sys.executable, "-m", "snapdp.selftest.adding", str(path)]
        subprocess.run(command, cwd=path.parent, env=here, capture_output=True, check=True, timeout=PATIENCE)
        told = json.loads(path.with_name(f"{path.name}.json").read_text(encoding="utf-8"))
    answers = dict(zip(ASKED, told["answers"], strict=True))
    _compare(told["rows"], answers, rows, "Spark, file", comparison)
    return comparison.checked()


def compare_postgresql(effort: Effort) -> Checked:
    """Compare the PostgreSQL server that SNAPDP_POSTGRES names; it is only read."""
    address = os.environ.get(SERVER, "")
    if not address:
        return Checked(absent=NO_SERVER)
    if find_spec("psycopg") is None:
        return Checked(absent="psycopg is not installed")
    rows, comparison = _rows(effort.dice("postgresql"), effort.size(2_000, 500)), Comparison()
    server, levels = open_table(address, table="none"), levels_of(rows)
    for asked in ASKED:
        if not isinstance(asked, Bins):  # its statement has a table of its own for each cut
            text = f"{_as_values(rows)} {statement([asked], dialect='postgresql')}"
            (found,) = server.ask(lambda connection, text=text: connection.execute(text).fetchall())  # type: ignore[misc]
            comparison.same(int(found[-1]), added(asked, levels)[0], f"PostgreSQL, {_named(asked)}:")
    return comparison.checked()


def _compare(
    counted: int, answers: Mapping[Aggregate, Sequence[int]], rows: list[Row], where: str, comparison: Comparison
) -> None:
    levels = levels_of(rows)
    comparison.same(counted, len(rows), f"{where}, rows:")
    for asked, found in answers.items():
        about = f"{where}, {_named(asked)}"
        for place, both in enumerate(zip(found, added(asked, levels), strict=True)):
            comparison.same(*both, f"{about}, {place}:")


# By Python


def added(asked: Aggregate, rows: Sequence[LevelsOfARow]) -> tuple[int, ...]:
    """Return the answer of a table, row by row."""
    if isinstance(asked, Sum):
        return (sum(_terms(rows, asked.column)),)
    if isinstance(asked, Products):
        return (sum(_terms(rows, asked.first, asked.second)),)
    if isinstance(asked, Bins):
        place = COLUMNS.index(asked.column)
        inside = [level for row in rows if (level := row[place]) is not None]
        return *(sum(low <= each < high for each in inside) for low, high in pairwise(CUTS)), len(rows) - len(inside)
    assert isinstance(asked, Count)
    return (sum(all(_meets(test, row) for test in asked.where) for row in rows),)


def _terms(rows: Sequence[LevelsOfARow], *columns: NumberColumn) -> Iterator[int]:
    """Yield what each row adds: the product of its levels, where it has all of them."""
    places = [COLUMNS.index(each) for each in columns]
    for row in rows:
        found = [level for place in places if (level := row[place]) is not None]
        if len(found) == len(places):
            yield math.prod(found)


def levels_of(rows: Sequence[Row]) -> list[LevelsOfARow]:
    return [tuple(map(_level, COLUMNS, row)) for row in rows]


def _level(column: NumberColumn, cell: float | None) -> int | None:
    """Return how many steps a cell lies above the lower bound, clamped and rounded; ties go up."""
    if cell is None:
        return None
    steps = (min(max(Fraction(cell), column.lower), column.upper) - column.lower) / column.step
    return math.floor(steps + HALF)


def _meets(test: object, row: LevelsOfARow) -> bool:
    assert isinstance(test, Levels)
    assert isinstance(test.column, NumberColumn)
    level = row[COLUMNS.index(test.column)]
    return level is not None and test.start <= level < test.below


# The table


def _rows(dice: Random, count: int) -> list[Row]:
    return [tuple(_cell(column, dice) for column in COLUMNS) for _ in range(count)]


def _cell(column: NumberColumn, dice: Random) -> float | None:
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


@contextmanager
def _written(rows: list[Row]) -> Iterator[Path]:
    """Write the table as a CSV file, for as long as it is read."""
    with TemporaryDirectory(prefix="snapdp-selftest-") as place:
        lines = [",".join(column.name for column in COLUMNS)]
        lines += [",".join("" if cell is None else repr(cell) for cell in row) for row in rows]
        path = Path(place) / "rows.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        yield path


def _as_values(rows: list[Row]) -> str:
    """Return the table as the beginning of a statement that calls it "data"."""
    names = ", ".join(f'"{column.name}"' for column in COLUMNS)
    lines = ", ".join(f"({', '.join(map(_as_literal, row))})" for row in rows)
    return f'WITH "data"({names}) AS (VALUES {lines})'


def _as_literal(cell: float | None) -> str:
    return "CAST(NULL AS DOUBLE PRECISION)" if cell is None else f"CAST('{cell!r}' AS DOUBLE PRECISION)"


def _named(asked: Aggregate) -> str:
    return f"{type(asked).__name__.lower()} of {', '.join(column.name for column in asked.columns) or 'rows'}"
