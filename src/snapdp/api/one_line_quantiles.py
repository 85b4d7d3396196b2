"""Quantiles in one line: `snapdp.median(df["age"], bounds=(0, 120), integer=True, missing="dropped", epsilon=1, ...)`.

Room: api. As the other statistics in one line: the study that is meant, charged to the account of a ledger. A median is
the quantile at 0.5, and the same request by any name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from snapdp.api.given_columns import (
    PAIR,
    Conditions,
    Declaration,
    GivenColumns,
    GroupLists,
    conditions,
    listed,
    needs_bounds,
    numbers,
    written,
)
from snapdp.api.released import Where, cost_of, released
from snapdp.ledger import Ledger
from snapdp.release import Release
from snapdp.studies import QUARTILES

if TYPE_CHECKING:
    from snapdp.exact import Parameter


@needs_bounds(PAIR)
def quantiles(
    data: Any,
    *,
    at: Iterable[Parameter] = QUARTILES,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    branching: int | None = None,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release quantiles of a column, each with an interval in its units; all of them cost as much as one.

    `release.value` has them by their shares, {"0.25": ..., "0.5": ...}, and `release.values` the distribution, too.

    at         shares of the rows between 0 and 1, rising; the quartiles if left out
    step       values are rounded to multiples of this, `integer=True`: to whole numbers. Quantiles are such values, and
               the fewer there are between the bounds, the less they err: choose it as coarse as you would print them
    branching  of the tree in which values are counted; chosen if left out
    others     as for `mean`
    """
    given = GivenColumns(data, columns)
    declared = numbers(bounds, missing=missing, step=step, integer=integer)
    said: dict[str, Any] = {"column": given.column(data, column, declared), **conditions(where)}
    said |= {"at": [written(each) for each in listed(at, "at")]}
    said |= {} if branching is None else {"branching": written(branching)}
    said |= {} if rows_per_person is None else {"rows_per_person": written(rows_per_person)}
    cost = cost_of(epsilon, None, alpha)
    return released("quantiles", given, said | given.groups(by, groups), cost, ledger, dataset, directory)


@needs_bounds(PAIR)
def median(
    data: Any,
    *,
    bounds: Sequence[Parameter],
    missing: Parameter | None = None,
    column: str | None = None,
    step: Parameter | None = None,
    integer: bool = False,
    branching: int | None = None,
    where: Conditions | None = None,
    columns: Mapping[str, Declaration] | None = None,
    by: Any = None,
    groups: GroupLists | None = None,
    rows_per_person: Parameter | None = None,
    epsilon: Parameter | None = None,
    alpha: Parameter | None = None,
    ledger: Where | Ledger | None = None,
    dataset: str | None = None,
    directory: Where = ".",
) -> Release:
    """Release the median of a column: its quantile at 0.5. `float(...)` of it is the number; others as `quantiles`."""
    return quantiles(
        data,
        at=("0.5",),
        bounds=bounds,
        missing=missing,
        column=column,
        step=step,
        integer=integer,
        branching=branching,
        where=where,
        columns=columns,
        by=by,
        groups=groups,
        rows_per_person=rows_per_person,
        epsilon=epsilon,
        alpha=alpha,
        ledger=ledger,
        dataset=dataset,
        directory=directory,
    )
