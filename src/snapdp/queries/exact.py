"""Exact values: what a query asks of the data room, and its integer numerators from the integers that come back.

Room: queries. Imports data and base. The only module of this room that is given private numbers; it opens nothing.
A numerator is clamped to its public range: under add-remove a table with more than n_max rows must look like any other,
and clamping never moves two numbers apart. Under persons every request says so itself: the table counts at most
rows_per_person rows of each, and an answer about rows is never taken for one about persons.
Theory: docs/theory/sensitivities.md (5)-(13); docs/theory/exact-sums.md (8); docs/theory/persons.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from snapdp.data.aggregates import (
    Aggregate,
    Aggregates,
    Bins,
    Categories,
    Count,
    Levels,
    Member,
    Persons,
    Products,
    Sum,
    first_level_above,
    first_level_from,
)
from snapdp.data.engines import Table, Watch
from snapdp.data.schema import BINNED, CategoryColumn, NumberColumn
from snapdp.errors import DataError
from snapdp.queries.base import Numerator, Part, Query
from snapdp.queries.counts import Condition
from snapdp.queries.relation import Relation

Numerators = tuple[Sequence[int], ...]  # for each part, one integer for each cell
MANY = 1000
FITS_INT64 = 1 << 62


def exact_values(
    queries: Sequence[Query], table: Table, *, salt: str = "", watch: Watch | None = None
) -> list[Numerators]:
    """Return the exact numerators of all queries, from one state of the table.

    salt    public text that decides, with the rows themselves, which of its rows a person keeps
    watch   see `Table.aggregates`
    """
    found = table.aggregates(aggregates_of(queries), salt=salt, watch=watch)
    return [numerators(query, found) for query in queries]


def aggregates_of(queries: Iterable[Query]) -> list[Aggregate]:
    """Return everything the queries ask of a table, each request once."""
    return list(dict.fromkeys(asked for query in queries for asked in _asked(query)))


def numerators(query: Query, found: Aggregates) -> Numerators:
    """Return the exact numerators of a query: for each part one integer per cell, inside the public range."""
    check_rows(query.relation, found)
    return tuple(_inside(part.numerator, _values(query, part, found)) for part in query.parts)


def _inside(numerator: Numerator, values: Sequence[int]) -> Sequence[int]:
    """Return the values clamped to the public range; many of them as an array."""
    low, high = numerator.lower, numerator.upper
    if len(values) <= MANY or max(abs(low), abs(high)) >= FITS_INT64:
        return tuple(min(max(value, low), high) for value in values)
    import numpy as np

    try:
        kept = np.fromiter(values, np.int64, len(values))
    except OverflowError:  # a table with more rows than n_max may have any sum
        kept = np.fromiter((min(max(value, low), high) for value in values), np.int64, len(values))
    clamped: Any = np.clip(kept, low, high)
    return clamped  # type: ignore[no-any-return]


def check_rows(relation: Relation, found: Aggregates) -> None:
    """Refuse a table whose number of rows is not the declared n. The message does not tell which it is."""
    if relation.is_change_one and found.rows != relation.rows:
        raise DataError(
            f"the table does not have the declared n = {relation.rows} rows.",
            "Under change-one n is public and must be right: declare the true one, or declare add-remove.",
            n=relation.rows,
        )


def _asked(query: Query) -> list[Aggregate]:
    """Return the requests of a query, in the order in which `_values` reads them."""
    by, who = query.by, persons(query.relation)
    if query.kind == "count":
        return [Count(where=tuple(_condition(each) for each in query.where), by=by, persons=who)]
    if query.kind == "histogram":
        column = query.columns[0]
        if isinstance(column, CategoryColumn):
            return [Categories(column=column, by=by, persons=who)]
        return [Bins(column=column, cuts=_cuts(query, column), by=by, persons=who)]
    numbers = [column for column in query.columns if isinstance(column, NumberColumn)]
    sums: list[Aggregate] = [Sum(column=column, by=by, persons=who) for column in numbers]
    if query.kind in ("variance", "covariance"):
        return [*sums, Products(first=numbers[0], second=numbers[-1], by=by, persons=who)]
    return [*sums, Count(by=by, persons=who)]


def persons(relation: Relation) -> Persons | None:
    """Return whose rows a relation speaks of: the requests carry it, so that no answer can forget it."""
    if relation.person is None:
        return None
    return Persons(column=relation.person, most=relation.rows_per_person)


def _values(query: Query, part: Part, found: Aggregates) -> list[int]:
    """Return the numerator of each cell of a part.                        docs/theory/sensitivities.md (5)-(11)"""
    answers = [found[each] for each in _asked(query)]
    name, column = part.numerator.name, query.columns[0] if query.columns else None
    if name == "count":
        return list(answers[-1])
    assert isinstance(column, NumberColumn)
    sums, last = answers[0], answers[-1]
    if name == "sum above lower":
        return list(sums)
    lowest, levels = column.lowest, column.levels  # divisions of fractions: once, not for each group
    if name == "sum":
        return [s + lowest * count for s, count in zip(sums, last, strict=True)]
    if name == "centred sum":
        return [2 * s - levels * count for s, count in zip(sums, last, strict=True)]
    n = query.relation.rows
    return [n * p - x * y for x, y, p in zip(sums, answers[-2], last, strict=True)]


def _condition(condition: Condition) -> Levels | Member:
    column = condition.column
    if isinstance(column, CategoryColumn):
        assert condition.equals is not None
        return Member(column=column, category=condition.equals)
    start = 0 if condition.start is None else first_level_from(column, condition.start)
    below = column.levels + 1 if condition.below is None else first_level_from(column, condition.below)
    return Levels(column=column, start=start, below=below)


def _cuts(query: Query, column: NumberColumn) -> tuple[int, ...]:
    """Return the levels at which bins begin, and the one after the last: [edge, next edge), the last bin closed."""
    first, last = query.edges[0], query.edges[-1]
    inner = [first_level_from(column, edge) for edge in query.edges[:-1]]
    end = first_level_above(column, last)
    below = [0] if query.outside == BINNED and first > column.lower else []
    above = [column.levels + 1] if query.outside == BINNED and last < column.upper else []
    return (*below, *inner, end, *above)
