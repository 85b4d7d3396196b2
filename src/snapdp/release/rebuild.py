"""From a record back to what it declares: the request as the library would have made it.

Room: release. Reads a record, which is public and not trusted: every number goes through the constructors of queries,
so whatever could not have been declared is refused here, with the place in the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snapdp.data.quantiser import quantiser
from snapdp.data.schema import INTEGER, CategoryColumn, Column, category_column, integer_column, number_column
from snapdp.errors import DataError
from snapdp.planner.plan import Line, Plan, planned, request
from snapdp.planner.tables import placed
from snapdp.queries.base import Query
from snapdp.queries.counts import Condition, condition, count_query, histogram_query
from snapdp.queries.moments import covariance_query, mean_query, sum_query, variance_query
from snapdp.queries.relation import CHANGE_ONE, Relation, add_remove, change_one
from snapdp.release.request import INLINE, Request, Unlisted, added

MOST_CATEGORIES = 10_000_000
MOST_STATISTICS = 10_000


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
    if record["relation"] == CHANGE_ONE:
        return change_one(n=record["n"])
    persons = {key: record[key] for key in ("person", "rows_per_person") if key in record}
    return add_remove(n_max=record["n_max"], **persons)


def _line(values: Mapping[str, Any], relation: Relation) -> Line:
    return planned(request(_query(values, relation), epsilon=values["epsilon"], alpha=values["alpha"]))


def _query(values: Mapping[str, Any], relation: Relation) -> Query:
    columns = [_column(each) for each in values.get("columns", [])]
    by = None if "by" not in values else _column(values["by"])
    kind = values["kind"]
    if kind == "count" and not columns:
        return count_query(relation, where=[_condition(each) for each in values.get("where", [])], by=by)
    if kind == "covariance" and len(columns) == 2:
        return covariance_query(columns[0], columns[1], relation, by=by)
    if len(columns) == 1:
        if kind == "histogram":
            outside = {"outside": values["outside"]} if "outside" in values else {}
            return histogram_query(columns[0], relation, edges=values.get("edges", ()), by=by, **outside)
        if kind == "mean":
            return mean_query(columns[0], relation, by=by, count_share=values.get("count_share"))
        if kind in ("sum", "variance"):
            return (sum_query if kind == "sum" else variance_query)(columns[0], relation, by=by)
    raise DataError(
        f"a statistic of kind {kind!r} with {len(columns)} columns is not known.", "The record was altered."
    )


def _column(values: Mapping[str, Any], *, holding: str | None = None) -> Column:
    """Return a declared column. Of a list named by its digest only the length is known, and a category it must hold."""
    name = values["name"]
    if "categories" in values:
        choices = {"unknown": values["unknown"], "null": values["null"]}
        listed = values["categories"]
        if isinstance(listed, Mapping):
            if not INLINE < listed["count"] <= MOST_CATEGORIES:
                raise DataError("no list of so many categories has a digest.", "The record was altered.")
            named = Unlisted(size=listed["count"], digest=listed["digest"], holding=holding)
            return CategoryColumn(name=name, categories=named, **choices)
        return category_column(name, categories=listed, **choices)
    build = integer_column if values["kind"] == INTEGER else number_column
    column = build(name, **{key: values[key] for key in ("lower", "upper", "step", "missing")})
    quantiser(column)  # refuses what no exact statement could have read
    return column


def _condition(values: Mapping[str, Any]) -> Condition:
    found: dict[str, Any] = {"equals": values.get("equals"), "start": values.get("from"), "below": values.get("below")}
    return condition(_column(values["column"], holding=values.get("equals")), **found)
