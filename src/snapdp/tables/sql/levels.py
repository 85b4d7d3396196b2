"""A cell of a number column to its level: read as a double, clamped, made a whole number of steps, exactly and totally.

Room: tables. Writes SQL, runs nothing. The formula and its proven widths are `studies.quantiser`; here it is said to an
engine. Missing cells (NULL, NaN, text that is no number) have the level NULL. What a cell of a category column is,
`categories` says. Theory: docs/theory/exact-sums.md, (2)-(5).
"""

from __future__ import annotations

import math

from snapdp.exact import floor_log2, power_of_two
from snapdp.studies import DOUBLE, NARROW, CategoryColumn, Column, MagnitudeColumn, Quantiser
from snapdp.tables.sql.categories import category_cell
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.doubles import double_constant, number_cell
from snapdp.tables.sql.magnitudes import magnitude_cell
from snapdp.tables.sql.stored import Field


def read_cell(column: Column, field: Field, dialect: Dialect) -> str:
    """Return what is read of a cell: a double, or what a category is compared with; NULL where it is missing."""
    if isinstance(column, MagnitudeColumn):
        return magnitude_cell(field, dialect)
    if isinstance(column, CategoryColumn):
        return category_cell(column, field, dialect)
    return number_cell(field, dialect)


def clamped_cell(x: str, formula: Quantiser, dialect: Dialect) -> str:
    """Return c: NULL and NaN fall out as NULL, infinities clamp."""
    low, high, infinity = (double_constant(each, dialect) for each in (formula.low, formula.high, math.inf))
    near = ""
    if formula.scale < 1 and formula.low <= 0 <= formula.high:
        # Scaling down would underflow here, which some engines report; all of these are in the level of zero.
        edge = math.ldexp(float(power_of_two(floor_log2(formula.column.step))), -2)
        below, zero, above = (double_constant(each, dialect) for each in (-edge, 0.0, edge))
        near = f"WHEN {x} > {below} AND {x} < {above} THEN {zero} "
    return f"CASE {near}WHEN {x} <= {low} THEN {low} WHEN {x} < {high} THEN {x} WHEN {x} <= {infinity} THEN {high} END"


def level_of(c: str, formula: Quantiser, dialect: Dialect) -> str:
    """Return q for a clamped cell; NULL for a missing one."""
    scaled = f"{c} * {double_constant(formula.scale, dialect)}"
    if formula.integers == DOUBLE:
        shift, half = double_constant(float(formula.shift), dialect), double_constant(0.5, dialect)
        q = f"CAST(FLOOR((FLOOR({scaled}) + {shift}) * {half}) AS {dialect.narrow})"
    else:
        narrow = formula.integers == NARROW
        wide = dialect.narrow if narrow else dialect.wide
        times, shift, divide = (_integer(n, wide) for n in (formula.times, formula.shift, formula.divide))
        whole = f"CAST(FLOOR({scaled}) AS {wide})" if narrow else dialect.wide_floor.format(scaled)
        product = whole if formula.times == 1 else f"{whole} * {times}"
        q = f"CAST({dialect.quotient.format(f'({product} + {shift})', divide)} AS {dialect.narrow})"
        if formula.low != formula.column.lower or formula.high != formula.column.upper:
            # A bound that is no double: the double just outside it stands for the bound itself.
            low, high = double_constant(formula.low, dialect), double_constant(formula.high, dialect)
            q = f"CASE WHEN {c} <= {low} THEN 0 WHEN {c} >= {high} THEN {formula.column.levels} ELSE {q} END"
    return q


def _integer(value: int, kind: str) -> str:
    return f"CAST('{value}' AS {kind})"
