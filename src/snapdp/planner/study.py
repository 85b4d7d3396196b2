"""The study file: columns, neighbour relation and statistics, declared in TOML, read strictly.

Room: planner. Imports queries, plan and tables; holds no data and opens no file but the study itself.
Numbers are exact: 0.3 in the file means 3/10, and so does "0.3". An unknown key is an error that names the nearest one;
every error names its table. A statistic that the relation does not define is refused here, before anything is planned.
Guide: docs/guide/study-file.md.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from snapdp.data.dialects import storable
from snapdp.data.quantiser import quantiser
from snapdp.data.schema import (
    CATEGORY,
    DROPPED,
    INTEGER,
    NUMBER,
    Column,
    category_column,
    integer_column,
    number_column,
)
from snapdp.display.text import shortened, visible
from snapdp.errors import ParameterError
from snapdp.exact.numbers import positive
from snapdp.planner.plan import DEFAULT_ALPHA, Plan, Request, plan, request
from snapdp.planner.tables import Table, nearest_of, placed
from snapdp.queries.base import Query
from snapdp.queries.counts import Condition, condition, count_query, histogram_query
from snapdp.queries.moments import covariance_query, mean_query, sum_query, variance_query
from snapdp.queries.relation import ADD_REMOVE, CHANGE_ONE, Relation, add_remove, change_one
from snapdp.values import Value

VERSION = 1
STUDY_KEYS = (
    "version", "dataset", "relation", "n", "n_max", "person", "rows_per_person", "budget", "data", "columns",
    "statistic",
)  # fmt: skip
NUMBER_KEYS = ("kind", "lower", "upper", "step", "missing")
CATEGORY_KEYS = ("kind", "categories", "unknown", "null")
COST_KEYS = ("kind", "epsilon", "accuracy", "alpha", "lock")
STATISTIC_KEYS = {
    "count": ("where", "by"),
    "histogram": ("column", "edges", "outside", "by"),
    "sum": ("column", "by"),
    "mean": ("column", "by", "count_share"),
    "variance": ("column", "by"),
    "covariance": ("columns", "by"),
}
CONDITION_KEYS = ("column", "equals", "from", "below")


class Study(Value):
    """A study: what is declared about a dataset and what is asked of it. Everything in it is public."""

    dataset: str
    relation: Relation
    columns: tuple[Column, ...]
    requests: tuple[Request, ...]
    budget: Fraction | None = None
    data: str | None = None  # where the rows are, for `release`; no part of a request

    def column(self, name: str) -> Column:
        """Return a declared column by its name."""
        return _named({column.name: column for column in self.columns}, name)


def load_study(path: str | os.PathLike[str]) -> Study:
    """Return the study in a TOML file."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as problem:
        raise ParameterError(
            f"the study file {os.fspath(path)} cannot be read: {problem.strerror}.", "Check the path."
        ) from None
    except ValueError:  # not UTF-8, or no path at all
        raise ParameterError(f"the study file {os.fspath(path)!r} is not UTF-8 text.", "Save it as UTF-8.") from None
    return study_from_toml(text)


def study_from_toml(text: str) -> Study:
    """Return the study that a TOML text declares."""
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as problem:  # TOMLDecodeError is a ValueError
        raise ParameterError(f"the study is not valid TOML: {problem}.", "Correct the line it names.") from None
    return study_from_values(values)


def study_from_values(values: dict[str, Any]) -> Study:
    """Return the study that parsed TOML declares."""
    top = Table(values, place="study", keys=STUDY_KEYS)
    top.need("version", "dataset", "relation", "columns", "statistic")
    if type(top.get("version")) is not int or top.get("version") != VERSION:  # True == 1, but is no version
        raise ParameterError(
            f"study: version = {top.get('version')!r} is not known.", f"This library reads version = {VERSION}."
        )
    relation = _relation(top)
    columns = _columns(top)
    with placed("study"):
        budget = None if top.number("budget") is None else positive(top.number("budget"), name="budget")
    return Study(
        dataset=_name(top.text("dataset"), key="dataset"),
        relation=relation,
        columns=tuple(columns.values()),
        requests=_requests(top, relation, columns),
        budget=budget,
        data=None if "data" not in top else _name(top.text("data"), key="data"),
    )


def plan_of(study: Study) -> Plan:
    """Return the plan of a study; a target accuracy becomes the epsilon it needs."""
    return plan(study.requests, budget=study.budget)


def _relation(top: Table) -> Relation:
    kind = top.text("relation")
    with placed("study"):
        if kind == CHANGE_ONE:
            for key in ("n_max", "person", "rows_per_person"):
                if key in top:
                    raise ParameterError(
                        f"{key} belongs to add-remove, but relation is change-one.",
                        f'Leave out {key}, or give relation = "add-remove" and n_max.',
                    )
            top.need("n")
            return change_one(n=top.number("n"))
        if kind == ADD_REMOVE:
            if "n" in top:
                raise ParameterError(
                    "n is private under add-remove.", "Give n_max, a public bound on the number of rows, instead."
                )
            top.need("n_max")
            person = None if "person" not in top else _name(top.text("person"), key="person")
            most = top.number("rows_per_person") if "rows_per_person" in top else 1
            return add_remove(n_max=top.number("n_max"), person=person, rows_per_person=most)
    raise ParameterError(
        f"study: relation = {kind!r} is not known.",
        'Give relation = "change-one" with n, or relation = "add-remove" with n_max.',
    )


def _columns(top: Table) -> dict[str, Column]:
    declared = top.get("columns")
    if not isinstance(declared, dict) or not declared:
        raise ParameterError("study: columns holds no table.", "Declare each column under [columns.NAME].")
    return {name: _column(name, values) for name, values in declared.items()}


def _column(name: str, values: Any) -> Column:
    place = f"columns.{shortened(visible(_name(name, key='a column name')))}"
    table = Table(values, place=place, keys=sorted({*NUMBER_KEYS, *CATEGORY_KEYS}))
    table.need("kind")
    kind = table.text("kind")
    with placed(place):
        if kind == CATEGORY:
            table.restrict(CATEGORY_KEYS, because=" for a category column")
            table.need("categories")
            return category_column(
                name,
                categories=[storable(each, "a category") for each in table.texts("categories") or []],
                unknown=table.choice("unknown", DROPPED),
                null=table.choice("null", DROPPED),
            )
        if kind in (NUMBER, INTEGER):
            table.restrict(NUMBER_KEYS, because=f" for a column of kind {kind}")
            table.need("lower", "upper")
            build = number_column if kind == NUMBER else integer_column
            column = build(name, **{key: table.number(key) for key in NUMBER_KEYS[1:]})
            quantiser(column)  # refuses, before anything is planned, what no exact statement could read
            return column
        raise ParameterError(f"kind = {kind!r} is not known.", 'Give "number", "integer" or "category".')


def _requests(top: Table, relation: Relation, columns: Mapping[str, Column]) -> tuple[Request, ...]:
    found: dict[Query, int] = {}
    requests = []
    for number, values in enumerate(top.tables("statistic"), start=1):
        asked = _request(number, values, relation, columns)
        if asked.query in found:
            raise ParameterError(
                f"statistic {number} ({asked.query.shown}) repeats statistic {found[asked.query]}.",
                "Asking twice costs twice: keep one line and give it the epsilon of both.",
            )
        found[asked.query] = number
        requests.append(asked)
    if not requests:
        raise ParameterError("study: there is no statistic.", "Add a table [[statistic]].")
    return tuple(requests)


def _request(number: int, values: Any, relation: Relation, columns: Mapping[str, Column]) -> Request:
    place = f"statistic {number}"
    every_key = sorted({*COST_KEYS, *(key for keys in STATISTIC_KEYS.values() for key in keys)})
    table = Table(values, place=place, keys=every_key)
    table.need("kind")
    kind = table.text("kind")
    if kind not in STATISTIC_KEYS:
        raise ParameterError(
            f"{place}: kind = {kind!r} is not known.", f"The kinds are {', '.join(sorted(STATISTIC_KEYS))}."
        )
    table.place = place = f"{place} ({kind})"
    table.restrict((*COST_KEYS, *STATISTIC_KEYS[kind]), because=f" for a {kind}")
    with placed(place):
        return request(
            _query(kind, table, relation, columns),
            epsilon=table.number("epsilon"),
            accuracy=table.number("accuracy"),
            alpha=table.number("alpha") if "alpha" in table else DEFAULT_ALPHA,
            lock=table.flag("lock"),
        )


def _query(kind: str, table: Table, relation: Relation, columns: Mapping[str, Column]) -> Query:
    by = None if "by" not in table else _named(columns, table.text("by"))
    if kind == "count":
        where = [_condition(values, columns, table.place) for values in table.tables("where")]
        return count_query(relation, where=where, by=by)
    if kind == "covariance":
        names = table.texts("columns") or []
        if len(names) != 2:
            raise ParameterError("a covariance needs two columns.", 'Give columns = ["age", "pay"].')
        return covariance_query(_named(columns, names[0]), _named(columns, names[1]), relation, by=by)
    if "column" not in table:
        raise ParameterError("the key 'column' is missing.", "Name a declared column.")
    column = _named(columns, table.text("column"))
    if kind == "histogram":
        edges = table.numbers("edges")
        if edges == []:
            raise ParameterError("edges is an empty list.", "Give at least two edges, or leave the key out.")
        return histogram_query(column, relation, edges=edges or (), outside=table.choice("outside", DROPPED), by=by)
    if kind == "mean":
        return mean_query(column, relation, by=by, count_share=table.number("count_share"))
    return (sum_query if kind == "sum" else variance_query)(column, relation, by=by)


def _condition(values: Any, columns: Mapping[str, Column], place: str) -> Condition:
    table = Table(values, place=f"{place}, where", keys=CONDITION_KEYS)
    table.need("column")
    return condition(
        _named(columns, table.text("column")),
        equals=table.text("equals"),
        start=table.number("from"),
        below=table.number("below"),
    )


def _named(columns: Mapping[str, Column], name: str | None) -> Column:
    """Return a declared column; refuse another name and tell the nearest."""
    if name is not None and name in columns:
        return columns[name]
    nearest = nearest_of(str(name), columns)
    raise ParameterError(
        f"column {name!r} is not declared.", f"Did you mean {nearest!r}? Declare [columns.{visible(str(name))}]."
    )


def _name(text: str | None, *, key: str) -> str:
    if not text or not text.strip():
        raise ParameterError(f"study: {key} is empty.", "Give it a name.")
    return storable(text, f"study: {key}")
