"""The exact integers of an engine against those of plain Python: sums, counts, groups, and the rows that persons keep.

Room: selftest. DuckDB and Spark read the made-up table from a file, DuckDB from arrays too; PostgreSQL is given it
inside the statement, so that nothing is ever written to a server.
Theory: docs/theory/exact-sums.md, (3)-(8); docs/theory/persons.md, (4).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from snapdp.selftest.check import Checked, Comparison, Effort
from snapdp.selftest.processes import command, environment
from snapdp.selftest.sums.made_up import ASKED, BRIEFLY, NAMES, SALT, as_values, made_up_rows, named, written
from snapdp.selftest.sums.second_sums import SecondSums
from snapdp.studies import Aggregate, Bins
from snapdp.tables import open_table, statement

SERVER = "SNAPDP_POSTGRES"  # the variable that names a server
NO_SERVER = f"{SERVER} names no server"
PATIENCE = 1800  # seconds for Spark, which takes less than one minute where it is alone
BETWEEN_STATEMENTS = ";\n"


def compare_duckdb(effort: Effort) -> Checked:
    """Compare DuckDB, reading a file and reading arrays."""
    rows, comparison = made_up_rows(effort.dice("duckdb"), effort.size(6_000, 400)), Comparison()
    columns = {name: [row[name] for row in rows] for name in NAMES}
    with written(rows) as path:
        for asked in ASKED:
            second = SecondSums(rows, asked, salt=SALT)
            for where, table in (("DuckDB, file", open_table(path)), ("DuckDB, arrays", open_table(columns))):
                found = table.aggregates(asked, salt=SALT)
                _compare(found.rows, {each: found[each] for each in asked}, second, where, comparison)
    return comparison.checked()


def compare_spark(effort: Effort) -> Checked:
    """Compare Spark, in a session of this machine."""
    if find_spec("pyspark") is None:
        return Checked(absent="PySpark is not installed")
    if shutil.which("java") is None:
        return Checked(absent="there is no Java")
    if effort.quick:
        return Checked(absent="left out of a quick run")
    rows, comparison = made_up_rows(effort.dice("spark"), 1_000), Comparison()
    with written(rows) as path:
        subprocess.run(
            command("sums.adding", str(path)),
            cwd=path.parent,
            env=environment(),
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        )
        told = json.loads(path.with_name(f"{path.name}.json").read_text(encoding="utf-8"))
    for asked, each in zip(BRIEFLY, told, strict=True):
        answers = dict(zip(asked, each["answers"], strict=True))
        _compare(each["rows"], answers, SecondSums(rows, asked, salt=SALT), "Spark, file", comparison)
    return comparison.checked()


def compare_postgresql(effort: Effort) -> Checked:
    """Compare the PostgreSQL server that SNAPDP_POSTGRES names; it is only read."""
    address = os.environ.get(SERVER, "")
    if not address:
        return Checked(absent=NO_SERVER)
    if find_spec("psycopg") is None:
        return Checked(absent="psycopg is not installed")
    rows, comparison = made_up_rows(effort.dice("postgresql"), effort.size(1_000, 300)), Comparison()
    server, table = open_table(address, table="none"), as_values(rows)
    for each in (each for asked in ASKED for each in asked):
        # Before the last statement there may be one that counts all rows.
        text = statement([each], dialect="postgresql", salt=SALT).removesuffix(BETWEEN_STATEMENTS)
        last = f"{table} {text.split(BETWEEN_STATEMENTS)[-1]}"
        lines = server.ask(lambda connection, last=last: connection.execute(last).fetchall())  # type: ignore[misc]
        _compare_cells(_cells(each, lines), SecondSums(rows, [each], salt=SALT).answer(each), each, comparison)
    return comparison.checked()


def _compare_cells(
    found: Sequence[int], expected: Sequence[int], asked: Aggregate, comparison: Comparison, where: str = "PostgreSQL"
) -> None:
    comparison.all_same(found, expected, lambda place: f"{where}, {named(asked)}, {place}:")


def _compare(
    counted: int,
    answers: Mapping[Aggregate, Sequence[int]],
    second: SecondSums,
    where: str,
    comparison: Comparison,
) -> None:
    comparison.same(counted, second.rows(), f"{where}, rows:")
    for asked, found in answers.items():
        _compare_cells(found, second.answer(asked), asked, comparison, where)


def _cells(asked: Aggregate, lines: Sequence[Sequence[Any]]) -> list[int]:
    """Return the cells of an aggregate from the lines of its statement, groups outermost.

    A line begins with the number of all rows where there are no groups; the bins of one are told cumulatively.
    """
    if not isinstance(asked, Bins):
        return [int(number) for line in lines for number in line[-asked.cells :]]
    numbers = len(asked.cuts) + asked.missing
    cells: list[int] = []
    for line in lines:
        own = [int(number) for number in line[-numbers:]]
        cumulative, missing = own[: len(asked.cuts)], own[len(asked.cuts) :]
        cells += [low - high for low, high in pairwise(cumulative)] + missing
    return cells
