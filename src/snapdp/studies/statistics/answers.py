"""From the answers of a table to exact numerators.

Room: studies. The only file of this room that is given private numbers; it opens nothing.
A numerator is clamped to its public range: under add-remove a table with more than n_max rows must look like any other,
and clamping never moves two numbers apart. Under persons everything asked says so itself: the table counts at most
rows_per_person rows of each, and an answer about rows is never taken for one about persons.
Theory: docs/theory/sensitivities.md (5)-(13); docs/theory/exact-sums.md (8); docs/theory/persons.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from snapdp.errors import DataError, PremiseError
from snapdp.studies.aggregates import Aggregate, Aggregates
from snapdp.studies.relation import Relation
from snapdp.studies.statistics.drawn import FITS_INT64
from snapdp.studies.statistics.parts import Numerator
from snapdp.studies.statistics.statistic import Statistic

Numerators = tuple[Sequence[int], ...]  # for each part, one integer for each cell
MANY = 1000
_DEFECT = "That is a defect of its class. Nothing was spent."


def aggregates_of(statistics: Iterable[Statistic]) -> list[Aggregate]:
    """Return everything that statistics ask of a table, each aggregate once."""
    return list(dict.fromkeys(asked for statistic in statistics for asked in statistic.aggregates))


def numerators(statistic: Statistic, found: Aggregates) -> Numerators:
    """Return the exact numerators of a statistic: for each part one integer per cell, inside the public range."""
    check_rows(statistic.relation, found)
    asked = statistic.aggregates
    if any(each.persons != statistic.persons or not {*statistic.tests} <= {*each.where} for each in asked):
        raise PremiseError(f"{statistic.shown} asks about other rows than those it is about.", _DEFECT)
    values = statistic.values([found[each] for each in asked])
    cells = [part.cells for part in statistic.parts]
    named = [len(statistic.labels_of(part.margin)) for part in statistic.parts]
    if [len(each) for each in values] != cells or cells != named:
        raise PremiseError(f"{statistic.shown} has another number of values than of cells.", _DEFECT)
    return tuple(_inside(part.numerator, each) for part, each in zip(statistic.parts, values, strict=True))


def _inside(numerator: Numerator, values: Sequence[int]) -> Sequence[int]:
    """Return the values clamped to the public range; many of them as an array."""
    low, high = numerator.lower, numerator.upper
    if len(values) <= MANY or max(abs(low), abs(high)) >= FITS_INT64:
        return tuple(min(max(value, low), high) for value in values)
    import numpy as np

    if getattr(values, "dtype", None) == np.int64:
        inside: Any = np.clip(np.asarray(values), low, high)
        return inside  # type: ignore[no-any-return]
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
