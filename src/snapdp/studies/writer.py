"""A study as TOML text: what `study_from_toml` reads back to an equal study.

Room: studies. Holds no data. Numbers that are not whole are written as text, so that they stay exact.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from snapdp.display import visible
from snapdp.studies.categories import category_items
from snapdp.studies.columns import DROPPED, CategoryColumn, Column
from snapdp.studies.csv_dialect import SINGLE_TEXTS, CsvDialect
from snapdp.studies.grouping.bins import BinnedColumn
from snapdp.studies.plans.asked import DEFAULT_ALPHA, Asked
from snapdp.studies.reader import STUDY_FORMAT, DeclaredStudy
from snapdp.studies.relation import Relation
from snapdp.studies.units import stated_person

BARE_KEY = re.compile("[A-Za-z0-9_-]+")
LARGEST_PLAIN = 1 << 63  # TOML promises integers of 64 bits
Item = tuple[str, object]


def study_to_toml(study: DeclaredStudy) -> str:
    """Return the text of a study file."""
    top: list[Item] = [("format", STUDY_FORMAT), ("dataset", study.dataset), *study.texts.items()]
    top += relation_table(study.relation).items()
    if study.budget is not None:
        top.append(("budget", study.budget))
    if study.data is not None:
        top.append(("data", study.data))
    blocks = [_lines(top)]
    if study.csv is not None:
        blocks.append(_lines(_csv(study.csv), header="[csv]"))
    blocks += [_lines(_column(column), header=f"[columns.{quoted_text(column.name)}]") for column in study.columns]
    blocks += [_lines(_statistic(asked), header="[[statistic]]") for asked in study.asked]
    return "\n".join(blocks)


def relation_table(relation: Relation) -> dict[str, Any]:
    """Return what a study says of its neighbours."""
    found: dict[str, Any] = {"relation": relation.kind, "n" if relation.is_change_one else "n_max": relation.rows}
    if relation.unit_rows > 1:
        return {**found, "unit_rows": relation.unit_rows}
    if relation.person is None:
        return found
    return {**found, "person": stated_person(relation.person), "rows_per_person": relation.rows_per_person}


def _csv(dialect: CsvDialect) -> Iterator[Item]:
    for key in SINGLE_TEXTS:
        if getattr(dialect, key):  # no delimiter and no thousands are said by nothing
            yield key, getattr(dialect, key)
    if more := [each for each in dialect.nulls if each]:
        yield "null", more


def _column(column: Column) -> Iterator[Item]:
    yield "kind", column.kind
    if isinstance(column, CategoryColumn):
        yield from category_items(column)
    else:
        yield "lower", column.declared_lower
        yield "upper", column.declared_upper
        if not column.has_default_step:
            yield "step", column.step
        yield "missing", DROPPED if column.missing is None else column.missing
        if isinstance(column, BinnedColumn):
            yield from (("edges", list(column.edges)), ("outside", column.outside), ("null", column.null))


def _statistic(asked: Asked) -> Iterator[Item]:
    yield from asked.statistic.toml()
    if asked.epsilon is not None:
        yield "epsilon", asked.epsilon
    if asked.accuracy is not None:
        yield "accuracy", asked.accuracy
    if asked.alpha != DEFAULT_ALPHA:
        yield "alpha", asked.alpha
    if asked.lock:
        yield "lock", True


def _lines(items: Iterator[Item] | list[Item], *, header: str = "") -> str:
    body = "".join(f"{key} = {_value(value)}\n" for key, value in items)
    return f"{header}\n{body}" if header else body


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Fraction)):
        number = Fraction(value)
        plain = number.denominator == 1 and abs(number) < LARGEST_PLAIN
        return str(value) if plain else f'"{value}"'
    if isinstance(value, list):
        return f"[{', '.join(_value(each) for each in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())}}}"
    return quoted_text(str(value))


def _key(key: str) -> str:
    return key if BARE_KEY.fullmatch(key) else quoted_text(key)


def quoted_text(text: str) -> str:
    """Return a TOML basic string: JSON's escapes, and those of whatever an editor would obey or not show.

    Python reads it as the same text.
    """
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted if visible(quoted) == quoted else "".join(map(_written, quoted))


def _written(each: str) -> str:
    return each if visible(each) == each else f"\\U{ord(each):08x}"
