"""Levels of number columns and sums of them as SQL: a cell is read as a double, clamped, and made whole steps.

This writes SQL and runs nothing. The formula and its proven widths are in `studies.quantiser`: exact and total. Missing
cells (NULL, NaN, text that is no number) have the level NULL. A measure of an aggregate is over the rows that meet all
its tests: no test is true of NULL, no bin but that for missing cells holds it, and a sum adds what stands in for it, or
nothing. What engines spell differently is in `dialects`, and category columns are in `categories`. Theory:
docs/theory/exact-sums.md, (2)-(5) and (8); docs/theory/sensitivities.md (17).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from snapdp.exact.dyadic import floor_log2, power_of_two
from snapdp.studies.aggregates import (
    Aggregate,
    Bins,
    Categories,
    Count,
    LevelCounts,
    Member,
    People,
    Present,
    Products,
    Sum,
    Test,
)
from snapdp.studies.columns import BINNED, CategoryColumn, Column, MagnitudeColumn, NumberColumn
from snapdp.studies.grouping.groups import BinnedColumn, GroupColumn, Groups
from snapdp.studies.grouping.keys import KeyedGroups
from snapdp.studies.quantiser import DOUBLE, NARROW, Quantiser, quantiser_of
from snapdp.tables.sql.categories import category_cell, magnitude_cell
from snapdp.tables.sql.dialects import Dialect
from snapdp.tables.sql.stored import Field, double_constant, number_cell


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


# Measures

Names = Mapping[Column, str]  # of the levels of each column


def measures_of(asked: Aggregate, names: Names, dialect: Dialect) -> list[str]:
    """Return the expressions that answer an aggregate over all rows at hand."""
    if isinstance(asked, Sum):
        terms = _pieces(_term(asked.column, names), asked.column.levels, dialect)
        return [f"SUM({_among(asked.where, names, each)})" for each in terms]
    if isinstance(asked, Products):
        product = f"{_term(asked.first, names)} * {_term(asked.second, names)}"
        terms = _pieces(product, asked.first.levels * asked.second.levels, dialect)
        return [f"SUM({_among(asked.where, names, each)})" for each in terms]
    tests = [_test(each, names) for each in asked.where]
    if isinstance(asked, Count):
        return [_count(tests, dialect)]
    assert not isinstance(asked, People), "persons are not counted by rows"
    name = names[asked.column]
    if isinstance(asked, Bins):  # cumulative: half the comparisons
        cells = [f"{name} >= {cut}" for cut in asked.cuts] + [f"{name} IS NULL"] * asked.missing
    else:
        place = _term(asked.column, names) if isinstance(asked, LevelCounts) else name
        cells = [f"{place} = {code}" for code in range(asked.cells)]
    return [_count([*tests, each], dialect) for each in cells]


def code_of(asked: Aggregate, names: Names, dialect: Dialect) -> str:
    """Return the number of the cell of a row, groups outermost; NULL where it is in none."""
    if isinstance(asked, People):  # the groups are the cells
        found = "0"
    elif isinstance(asked, Bins):
        found = _bin_code(names[asked.column], asked.cuts, missing=asked.missing)
    elif isinstance(asked, LevelCounts):
        found = _term(asked.column, names)
    else:
        assert isinstance(asked, Categories)
        found = names[asked.column]
    if asked.by is not None:
        found = f"CAST({group_code(asked.by, names, dialect)} AS {dialect.narrow}) * {asked.cells} + {found}"
    return _among(asked.where, names, found)


def group_code(groups: Groups, names: Names, dialect: Dialect) -> str:
    """Return the number of the group of a row, the first column outermost; NULL where one column gives it no cell."""
    if isinstance(groups, KeyedGroups):
        return names[groups.columns[0]]
    first, *others = ((column.cells, _place(column, names)) for column in groups.columns)
    code = first[1]
    for cells, place in others:  # NULL times and plus anything is NULL
        code = f"CAST({code} AS {dialect.narrow}) * {cells} + {place}"
    return code


def _place(column: GroupColumn, names: Names) -> str:
    """Return the place of a row among the cells of a column."""
    if isinstance(column, BinnedColumn):
        return _bin_code(names[column.plain], column.cuts, missing=column.null == BINNED)
    return names[column]


def cells_in_all(asked: Aggregate) -> int:
    """Return how many cells an aggregate has in all groups together."""
    return asked.cells * (asked.by.cells if asked.by else 1)


def cells_of(asked: Aggregate, values: list[int], limb: int | None) -> list[int]:
    """Return the cells of an aggregate from the numbers of its measures."""
    if isinstance(asked, Bins):
        cumulative, missing = values[: len(asked.cuts)], values[len(asked.cuts) :]
        return [low - high for low, high in pairwise(cumulative)] + missing
    if isinstance(asked, Sum | Products) and limb is not None:
        return [sum(value << limb * i for i, value in enumerate(values))]
    return values


def _term(column: NumberColumn, names: Names) -> str:
    """Return what a row adds to a sum, or is counted at: its level, or what stands in for it; NULL where none does."""
    if column.missing is None:
        return names[column]
    return f"COALESCE({names[column]}, {quantiser_of(column).missing})"


def _pieces(term: str, largest: int, dialect: Dialect) -> list[str]:
    """Return a term, or its pieces, lowest first: as many as its largest value needs."""
    limb = dialect.limb
    if limb is None or largest < 1 << limb:
        return [term]
    pieces = [f"(({term}) >> {start})" for start in range(0, largest.bit_length(), limb)]
    return [*(f"{each} & {(1 << limb) - 1}" for each in pieces[:-1]), pieces[-1]]


def _test(test: Test, names: Names) -> str:
    """Return a condition that is never true of a level that is NULL."""
    name = names[test.column]
    if isinstance(test, Present):
        return f"{name} IS NOT NULL"
    if isinstance(test, Member):
        return f"{name} = {test.column.categories.index(test.category)}"
    return f"{name} >= {test.start} AND {name} < {test.below}"


def _count(tests: Sequence[str], dialect: Dialect) -> str:
    return dialect.count_if.format(" AND ".join(tests)) if tests else "COUNT(*)"


def _among(where: Sequence[Test], names: Names, term: str) -> str:
    """Return a term of the rows that meet all tests; NULL, which is neither counted nor summed, of the others."""
    tests = " AND ".join(_test(each, names) for each in where)
    return f"CASE WHEN {tests} THEN {term} END" if tests else term


def _bin_code(name: str, cuts: Sequence[int], *, missing: bool) -> str:
    """Return the number of the bin of a level, found by halving; NULL outside the cuts; of NULL the last, or none."""

    def between(first: int, last: int) -> str:
        if last - first == 1:
            return str(first)
        middle = (first + last) // 2
        return f"CASE WHEN {name} < {cuts[middle]} THEN {between(first, middle)} ELSE {between(middle, last)} END"

    last = f" WHEN {name} IS NULL THEN {len(cuts) - 1}" if missing else ""
    return f"CASE WHEN {name} >= {cuts[0]} AND {name} < {cuts[-1]} THEN {between(0, len(cuts) - 1)}{last} END"
