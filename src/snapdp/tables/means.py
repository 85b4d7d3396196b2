"""Means of a public table, exact and without noise, for those who study mechanisms on it.

NOT PRIVATE: what is returned is the statistic itself, of the first n rows of files in the order of their
lines. Nothing that releases uses it; no source that keeps some rows only leaves this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from snapdp.errors import DataError, ParameterError
from snapdp.studies.aggregates import Sum
from snapdp.studies.columns import Column, NumberColumn
from snapdp.studies.relation import change_one
from snapdp.studies.statistics.mean import mean_query
from snapdp.studies.statistics.statistic import numerators
from snapdp.tables.engines.duckdb import DuckdbEngine
from snapdp.tables.engines.engine import Engine
from snapdp.tables.sources.source import Source
from snapdp.tables.sql.stored import Rows
from snapdp.values import replaced


class FirstRows(Source):
    """The first rows of files, in their order."""

    def __init__(self, source: Source, rows: int) -> None:
        self.source, self.rows, self.dialect = source, rows, source.dialect

    def prepare(self, connection: Any) -> None:
        """Refuse files that are not well formed; the engine keeps the order of their rows."""
        self.source.prepare(connection)
        connection.execute("SET preserve_insertion_order = true")

    def open(self, connection: Any, columns: Sequence[Column]) -> Rows:
        whole = self.source.open(connection, columns)
        return replaced(whole, origin=f"(SELECT * FROM {whole.origin} LIMIT {self.rows})")

    def state(self) -> object:
        return self.source.state()

    def fingerprint(self) -> bytes:
        raise DataError("some rows of a table are no table.", "Release statistics of whole tables.")


def public_means(
    table: Engine, column: NumberColumn, *, rows: Iterable[int] | None = None
) -> dict[int, tuple[Fraction, Fraction]]:
    """Return {n: (mean of the first n rows, its sensitivity)} of a table that is public; without rows, of all of it.

    Cells are read as a release reads them: moved between the bounds, in steps, with a number for missing ones.

    >>> from snapdp.studies.columns import integer_column
    >>> from snapdp.tables.engines.opening import open_table
    >>> age = integer_column("age", lower=0, upper=100, missing="middle")
    >>> public_means(open_table({"age": [31, 40, 200]}), age, rows=[2, 3])
    {2: (Fraction(71, 2), Fraction(50, 1)), 3: (Fraction(57, 1), Fraction(100, 3))}
    """
    if not isinstance(table, DuckdbEngine):
        raise ParameterError("rows on a server or cluster have no order.", "Give a CSV or Parquet file.")
    if column.dropped:
        raise ParameterError(
            "a mean of the rows that have a number is a sum and a count.", 'Give missing="middle" or a number.'
        )
    asked = [table.aggregates([Sum(column=column)]).rows] if rows is None else list(rows)
    return {n: _mean(table, column, n) for n in asked}


def _mean(table: DuckdbEngine, column: NumberColumn, rows: int) -> tuple[Fraction, Fraction]:
    mean = mean_query(column, change_one(n=rows))
    (part,) = mean.parts
    found = DuckdbEngine(FirstRows(table.source, rows), threads=table.threads).aggregates(mean.aggregates)
    if found.rows < rows:
        raise DataError(f"{rows} rows are asked for, and the table has fewer.", "Ask for fewer, or for all of them.")
    ((sum_of_steps,),) = numerators(mean, found)
    return part.numerator.statistic(sum_of_steps), part.numerator.statistic_sensitivity
