"""Columns and conditions as JSON and back: how requests and records declare them.

A long list of categories is stated by its number and its digest; read back, it is as long as it was, with next to
nothing in it. Whatever cannot be declared is refused by the constructors that a study uses as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from snapdp.errors import DataError
from snapdp.studies.categories import (
    BOOLEAN,
    DATE,
    RULE_KEYS,
    DateColumn,
    boolean_column,
    compared,
    date_column,
    parents_from,
    parents_values,
)
from snapdp.studies.columns import (
    AS_NUMBERS,
    AS_TEXT,
    DIGEST,
    DROPPED,
    INLINE,
    INTEGER,
    MAGNITUDE,
    CategoryColumn,
    Column,
    MagnitudeColumn,
    NumberColumn,
    category_column,
    integer_column,
    magnitude_column,
    number_column,
    storable,
)
from snapdp.studies.conditions import Condition, condition
from snapdp.studies.grouping.groups import BinnedColumn, Groups, binned, groups_of
from snapdp.studies.grouping.keys import KEY, KeyColumn, KeyedGroups, keyed_groups, keys_of
from snapdp.studies.quantiser import quantiser_of
from snapdp.values import Facts, Values

MOST_CATEGORIES = 10_000_000


class Unlisted(tuple[str, ...]):
    """Categories of which a record holds the number and the digest: as long as they are, with next to nothing in it."""

    size: int
    digest: str

    def __new__(cls, *, size: int, digest: str, holding: str | None = None) -> Unlisted:
        """Return a list that holds one category: that which a condition of the record names, or a stand-in."""
        found = super().__new__(cls, ("category 0" if holding is None else holding,))
        found.size, found.digest = size, digest
        return found

    def __len__(self) -> int:
        return self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unlisted) and (self.size, self.digest) == (other.size, other.digest)

    def __hash__(self) -> int:
        return hash((self.size, self.digest))


def digest(text: str) -> str:
    """Return the digest of a text, with the name of its function."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def column_values(column: Column) -> Values:
    """Return the declaration of a column; a long list of categories as its digest."""
    found: Values = {"name": column.name, "kind": column.kind}
    if isinstance(column, MagnitudeColumn):
        return found | {"exponents": [column.lowest, column.highest]}
    if isinstance(column, CategoryColumn):
        if isinstance(column, DateColumn):
            found |= {"from": column.first.isoformat(), "to": column.last.isoformat(), "each": column.each}
        elif column.listed:
            found["categories"] = _listed(column.categories)
        if not isinstance(column, KeyColumn):
            found |= {"unknown": column.unknown, "null": column.null}
        return found | ({"compare": column.compare} if column.compare == AS_NUMBERS else {})
    assert isinstance(column, NumberColumn)
    found |= {key: str(getattr(column, key)) for key in ("lower", "upper", "step")}
    found |= {"missing": DROPPED} if column.missing is None else {"missing_in_sums": str(column.missing)}
    if isinstance(column, BinnedColumn):
        found |= {"edges": [str(edge) for edge in column.edges], "outside": column.outside, "null": column.null}
    return found


def groups_values(groups: Groups, *, parents: bool = False) -> Values | list[Values]:
    """Return the declaration of groups: that of their column, or a list of those of several.

    parents   those of their categories are stated, too: where no hierarchy is asked for they change nothing
    """
    found = [column_values(column) for column in groups.columns]
    if parents:
        for values, column in zip(found, groups.columns, strict=True):
            values |= {"parents": parents_values(column)} if isinstance(column, CategoryColumn) else {}
    return found if groups.is_crossed else found[0]


def groups_from(values: Facts | Sequence[Facts]) -> Groups:
    """Return declared groups; a list is of several columns."""
    if not isinstance(values, Mapping) and len(values) < 2:
        raise DataError("a list of groups has fewer than two columns.", "The record was altered.")
    found = groups_of([_group_from(each) for each in ([values] if isinstance(values, Mapping) else values)])
    assert found is not None
    return found


def stated_groups(values: Facts) -> Groups | None:
    """Return the groups that the declaration of a statistic states, by columns or by keys; None where it has none."""
    if "by" not in values:
        return None
    return keyed_from(values["by"], values["keys"]) if "keys" in values else groups_from(values["by"])


def keyed_from(by: Any, values: Facts) -> KeyedGroups:
    """Return declared groups by keys, from what is said of their columns and of the keys."""
    if isinstance(by, Mapping) or any(each["kind"] != KEY for each in by):
        raise DataError("groups by keys have other columns than keys.", "The record was altered.")
    for each in by:
        storable(each["name"], "the name of a column")
    names, compare = [each["name"] for each in by], [each.get("compare", AS_TEXT) for each in by]
    listed = values.get("cell", ())
    if any(isinstance(row, str) or len(row) != len(names) for row in listed):
        raise DataError("a key has not one text for each column.", "The record was altered.")
    count, digest_stated = values["count"], values["digest"]
    return keyed_groups(keys_of(names, count=count, digest=digest_stated, listed=listed, compare=compare))


def _group_from(values: Facts) -> Column:
    """Return a column of groups, with the parents that it declares."""
    column = column_from(values)
    if "parents" not in values:
        return column
    if not isinstance(column, CategoryColumn) or not column.listed:
        raise DataError("a column without a list of categories has parents.", "The record was altered.")
    return parents_from(column, values["parents"])


def stated_levels(by: Facts) -> list[Values]:
    """Return the levels above a declared column, each as the declaration of the column that it would be."""
    rules = {key: by[key] for key in RULE_KEYS if key in by}
    levels = by.get("parents", ())
    return [
        {"name": each["level"], "kind": by["kind"], "categories": list(dict.fromkeys(each["of"])), **rules}
        for each in levels
    ]


def column_from(values: Facts, *, holding: str | None = None) -> Column:
    """Return a declared column. Of a list named by its digest only the length is known, and a category it must hold."""
    name = values["name"]
    if values["kind"] == BOOLEAN:
        return boolean_column(name, **_rules_from(values))
    if values["kind"] == MAGNITUDE:
        return magnitude_column(name, exponents=values["exponents"])
    if values["kind"] == DATE:
        days = {"start": values["from"], "end": values["to"], "each": values["each"]}
        return date_column(name, **days, **_rules_from(values))
    if "categories" in values:
        compare = values.get("compare", AS_TEXT)
        listed = values["categories"]
        if isinstance(listed, Mapping):
            if not INLINE < listed["count"] <= MOST_CATEGORIES or not DIGEST.fullmatch(listed["digest"]):
                raise DataError("no list of so many categories has a digest.", "The record was altered.")
            named = Unlisted(size=listed["count"], digest=listed["digest"], holding=holding)
            return CategoryColumn(name=name, categories=named, compare=compare, **_rules_from(values))
        return compared(category_column(name, categories=listed, **_rules_from(values)), compare)
    build = integer_column if values["kind"] == INTEGER else number_column
    if ("missing" in values) == ("missing_in_sums" in values) or values.get("missing", DROPPED) != DROPPED:
        raise DataError("a column does not say once what a missing cell counts as.", "The record was altered.")
    missing = values.get("missing_in_sums", DROPPED)
    column = build(name, **{key: values[key] for key in ("lower", "upper", "step")}, missing=missing)
    quantiser_of(column)  # refuses what no exact statement could have read
    if "edges" not in values:
        return column
    return binned(column, **{key: values[key] for key in ("edges", "outside", "null")})


def _rules_from(values: Facts) -> Values:
    return {key: values[key] for key in RULE_KEYS}


def condition_values(each: Condition) -> Values:
    """Return the declaration of a condition."""
    found: Values = {"column": column_values(each.column)}
    if each.equals is not None:
        found["equals"] = each.equals
    if each.start is not None:
        found["from"] = str(each.start)
    if each.below is not None:
        found["below"] = str(each.below)
    return found


def condition_from(values: Facts) -> Condition:
    """Return a declared condition."""
    found = {"equals": values.get("equals"), "start": values.get("from"), "below": values.get("below")}
    return condition(column_from(values["column"], holding=values.get("equals")), **found)


def _listed(labels: tuple[str, ...]) -> list[str] | Values:
    """Return a public list of labels, or its length and digest where it is long."""
    if isinstance(labels, Unlisted):
        return {"count": len(labels), "digest": labels.digest}
    if len(labels) <= INLINE:
        return list(labels)
    return {"count": len(labels), "digest": digest(json.dumps(labels))}
