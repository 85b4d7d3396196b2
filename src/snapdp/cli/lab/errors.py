"""The table of `snapdp lab compare --show errors`: made-up people, or a table that is public.

Room: cli. Errors at the mean of a table tell that mean modulo the grid: they are NOT private, and no epsilon covers
them. So the flag of the table says what it must be, and what is shown says what it is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import click

from snapdp.cli.flags.csv_dialect import csv_dialect
from snapdp.cli.learn.demo import people
from snapdp.display import is_address, one_line

EPSILONS, ROWS = ("0.1", "0.5", "1"), ("100", "1000", "5000")
OLDEST = Fraction(120)
OF_A_TABLE = ("bounds", "column", "missing", "delimiter", "quote", "decimal", "thousands", "encoding", "null")
NOT_PRIVATE = (
    "NOT PRIVATE: computed from the cells without noise and without a budget; such errors tell the mean modulo the "
    "grid. For public tables only."
)


class Studied(NamedTuple):
    """Means by their number of rows, with their sensitivities, the public range, and what they are of."""

    means: dict[int, tuple[Fraction, Fraction]]
    lower: Fraction
    upper: Fraction
    of: str
    notice: str


def studied(given: dict[str, Any]) -> Studied:
    """Return the means of the table that the flags name."""
    rows = given.get("rows")
    if rows is not None and not all(n.isascii() and n.isdigit() and len(n) < 10 for n in rows):
        raise click.UsageError("--rows takes whole numbers with commas between them.")
    if "public_table" in given:
        return _public(given, None if rows is None else [int(n) for n in rows])
    if strays := [f"--{name}" for name in OF_A_TABLE if name in given]:
        raise click.UsageError(f"{', '.join(strays)} belongs to --public-table: give both.")
    return _made_up([int(n) for n in rows or ROWS])


def _made_up(rows: list[int]) -> Studied:
    from snapdp.accuracy import means_of_first

    ages = [age for age, _, _ in people()]
    means = means_of_first(ages, lower=0, upper=OLDEST, rows=rows)
    return Studied(means, Fraction(0), OLDEST, "age of n made-up people", "")


def _public(given: dict[str, Any], rows: list[int] | None) -> Studied:
    from snapdp.studies import number_column
    from snapdp.tables import open_table, public_means

    if "column" not in given or len(given.get("bounds", ())) != 2:
        raise click.UsageError("--public-table needs --column NAME and --bounds LOWER,UPPER of it.")
    if is_address(given["public_table"]) or given["public_table"].lower().endswith("db"):
        raise click.UsageError("--public-table takes a CSV or Parquet file: rows elsewhere have no order.")
    lower, upper = given["bounds"]
    column = number_column(given["column"], lower=lower, upper=upper, missing=given.get("missing", "middle"))
    options = {name: given.get(name) for name in OF_A_TABLE}
    table = open_table(given["public_table"], dialect=csv_dialect(options, None))
    means = public_means(table, column, rows=rows)
    return Studied(means, column.lower, column.upper, f"{one_line(given['column'])} of the first n rows", NOT_PRIVATE)
