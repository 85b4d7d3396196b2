"""Neighbouring inputs made by hypothesis, and an audit of all that it makes.

hypothesis is imported where it is used; who does not use it does not need to have it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from snapdp.errors import ParameterError
from snapdp.lab.testing.observation import Release, are_equal
from snapdp.lab.testing.replay_audit import AuditReport, audit

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

RELATIONS = ("change-one", "add-remove")


def neighbouring_lists(
    rows: SearchStrategy[Any], *, relation: str, min_size: int = 1, max_size: int = 8
) -> SearchStrategy[tuple[list[Any], list[Any]]]:
    """Return a strategy of pairs of lists: one row has another value ("change-one") or is missing ("add-remove")."""
    from hypothesis import strategies as st

    if relation not in RELATIONS:
        raise ParameterError(f"relation = {relation!r} is none of {', '.join(RELATIONS)}.", "Say who is a neighbour.")

    @st.composite
    def pairs(draw: Callable[[Any], Any]) -> tuple[list[Any], list[Any]]:
        first = draw(st.lists(rows, min_size=max(1, min_size), max_size=max_size))
        place = draw(st.integers(0, len(first) - 1))
        other = [draw(rows)] if relation == "change-one" else []
        return first, [*first[:place], *other, *first[place + 1 :]]

    return pairs()


def audit_neighbours(
    release: Release, pairs: SearchStrategy[tuple[Any, Any]], *, examples: int = 20, **claims: Any
) -> AuditReport:
    """Audit a release with neighbours that a strategy makes; return the report of the simplest pair that refutes it.

    Where no pair does, the report of the last one is returned. `claims` are the keywords of `audit`.
    """
    from hypothesis import HealthCheck, given, settings

    reports: list[AuditReport] = []

    @settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(pairs)
    def refutes(pair: tuple[Any, Any]) -> None:
        if are_equal(*pair):
            return  # a row that was changed into itself
        reports.append(audit(release, *pair, **claims))
        reports[-1].check()

    try:
        refutes()
    except AssertionError:
        return reports[-1]
    if not reports:
        raise ParameterError("the strategy made no two inputs that differ.", "Let rows have several values.")
    return reports[-1]
