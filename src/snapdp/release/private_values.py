"""Exact numerators of a table: what the statistics of a request ask, answered from one state of the table.

Room: release. Private integers enter here. Theory: docs/theory/exact-sums.md (8).
"""

from __future__ import annotations

from collections.abc import Sequence

from snapdp.studies import Numerators, Statistic, aggregates_of, numerators
from snapdp.tables import Engine, Watch


def exact_values(
    statistics: Sequence[Statistic], table: Engine, *, salt: str = "", watch: Watch | None = None
) -> list[Numerators]:
    """Return the exact numerators of all statistics, from one state of the table: private, before any noise.

    salt    public text that decides, with the rows themselves, which of its rows a person keeps
    watch   see `Engine.aggregates`
    """
    found = table.aggregates(aggregates_of(statistics), salt=salt, watch=watch)
    return [numerators(each, found) for each in statistics]
