"""From a record back to what it declares: the request as the library would have made it.

Room: audits. Reads a record, which is public and not trusted: every number goes through the constructors of statistics,
so whatever could not have been declared is refused here, with the place in the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snapdp.errors import DataError
from snapdp.release import MOST_STATISTICS, Request, added
from snapdp.studies import (
    CHANGE_ONE,
    Line,
    Plan,
    Relation,
    add_remove,
    ask,
    change_one,
    column_from,
    placed,
    planned,
    statistic_class,
    with_identifiers,
)


def rebuilt(record: Mapping[str, Any]) -> Request:
    """Return the request that a record declares."""
    if not 1 <= len(record["statistics"]) <= MOST_STATISTICS:
        raise DataError(f"there are not 1 to {MOST_STATISTICS} statistics.", "The record was altered.")
    relation = rebuilt_relation(record)
    lines = []
    for number, values in enumerate(record["statistics"]):
        with placed(f"statistics[{number}]"):
            lines.append(_line(values, relation))
    added(line.epsilon for line in lines)
    return Request(dataset=str(record["dataset"]), plan=Plan(lines=tuple(lines)), own=record.get("own"))


def rebuilt_relation(record: Mapping[str, Any]) -> Relation:
    """Return the neighbour relation that a record declares."""
    if record["relation"] == CHANGE_ONE:
        return change_one(n=record["n"])
    unit = {key: record[key] for key in ("person", "rows_per_person", "unit_rows") if key in record}
    return with_identifiers(
        add_remove(n_max=record["n_max"], **unit), map(column_from, record.get("person_columns", ()))
    )


def _line(values: Mapping[str, Any], relation: Relation) -> Line:
    statistic = statistic_class(values["kind"]).from_declaration(values, relation)
    return planned(ask(statistic, epsilon=values["epsilon"], alpha=values["alpha"]))
