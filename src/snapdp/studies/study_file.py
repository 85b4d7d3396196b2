"""The study file: columns, neighbour relation and statistics, declared in TOML, read strictly and written.

Holds no data and opens no file but the study itself. Numbers are exact: 0.3 in the file means 3/10, and so does "0.3";
numbers that are not whole are written as text. An unknown key is an error that names the nearest one; every error names
its table. A statistic that the relation does not define is refused here, before anything is planned. A study says
`format = 1`, and no other file is read. Conditions are put in order, so that two orders are one request. What is
written is read back to an equal study. Guide: docs/guide/study-file.md.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from snapdp.display.text import LONGEST_TEXT, PUBLIC_TEXTS, is_public_text, one_line, visible
from snapdp.errors import ParameterError
from snapdp.exact.numbers import positive, shown
from snapdp.studies.categories import KIND_KEYS, category_in, category_items
from snapdp.studies.columns import (
    DIGEST,
    DROPPED,
    INTEGER,
    MISSING_CHOICES,
    NUMBER,
    CategoryColumn,
    Column,
    NumberColumn,
    integer_column,
    number_column,
    storable,
)
from snapdp.studies.conditions import by_name
from snapdp.studies.csv_dialect import SINGLE_TEXTS, CsvDialect, dialect_from
from snapdp.studies.grouping.groups import BinnedColumn, binned
from snapdp.studies.grouping.keys import KeyReader, Keys
from snapdp.studies.labels import Label
from snapdp.studies.plans.lines import DEFAULT_ALPHA, Asked, ask
from snapdp.studies.plans.plan import Plan, plan
from snapdp.studies.quantiser import quantiser_of
from snapdp.studies.relation import (
    ADD_REMOVE,
    CHANGE_ONE,
    Relation,
    add_remove,
    change_one,
    stated_person,
    with_identifiers,
)
from snapdp.studies.statistics.registry import KINDS, statistic_class
from snapdp.studies.statistics.statistic import Statistic
from snapdp.studies.toml import TomlTable, about, named, placed
from snapdp.values import Value, Values, replaced

STUDY_FORMAT = 1
STUDY_KEYS = (
    "format", "dataset", *PUBLIC_TEXTS, "relation", "n", "n_max", "person", "rows_per_person", "unit_rows", "budget",
    "data", "csv", "bounds_from", "columns", "statistic",
)  # fmt: skip
CSV_KEYS = (*SINGLE_TEXTS, "null")
NUMBER_KEYS = ("kind", "lower", "upper", "step", "missing")
BIN_KEYS = ("edges", "outside", "null")  # of a column of numbers
COST_KEYS = ("kind", "epsilon", "accuracy", "alpha", "lock")
WITHOUT_MARGINS = {  # what to ask for instead
    "mean": "Means do not add up. Ask for a sum and for a count, both with margins, and divide them.",
    "histogram": "Ask for a count instead, with the column among those of by.",
}


class DeclaredStudy(Value):
    """A study: what is declared about a dataset and what is asked of it. Everything in it is public."""

    dataset: str
    relation: Relation
    columns: tuple[Column, ...]
    asked: tuple[Asked, ...]
    budget: Fraction | None = None
    data: str | None = None  # where the rows are, for `release`; no part of a request
    csv: CsvDialect | None = None  # how they are written there, where that is a CSV file; no part of a request either
    title: str | None = None  # of the report; these three are for its readers, and no part of a request
    publisher: str | None = None
    contact: str | None = None
    bounds_from: str | None = None  # the digest of the record by which bounds were found; no part of a request

    def _check(self) -> None:
        if with_identifiers(self.relation, self.columns) != self.relation:
            raise ParameterError(
                "columns of the person are declared, and their declared values do not tell persons apart.",
                "Build the relation with with_identifiers(relation, columns).",
            )
        for key, text in self.texts.items():
            _public(text, key=key)
        if self.bounds_from is not None and not DIGEST.fullmatch(self.bounds_from):
            raise ParameterError(
                "bounds_from is no digest of a record.",
                "Give sha256: and 64 hexadecimal digits, as `snapdp explore --study` writes them, or leave it out.",
            )
        object.__setattr__(self, "asked", tuple(map(_in_order, self.asked)))

    @property
    def texts(self) -> dict[str, str]:
        """Return what records state without its being asked for, by its keys; what it does not say is left out."""
        found = ((key, getattr(self, key)) for key in (*PUBLIC_TEXTS, "bounds_from"))
        return {key: text for key, text in found if text is not None}

    def column(self, name: str) -> Column:
        """Return a declared column by its name."""
        return named({column.name: column for column in self.columns}, name)


def load_study(path: str | os.PathLike[str], *, read_keys: KeyReader | None = None) -> DeclaredStudy:
    """Return the study in a TOML file; `read_keys` reads the files of keys that it names, relative to itself."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except OSError as problem:
        raise ParameterError(
            f"the study file {os.fspath(path)} cannot be read: {problem.strerror}.", "Check the path."
        ) from None
    except ValueError:  # not UTF-8, or no path at all
        raise ParameterError(f"the study file {os.fspath(path)!r} is not UTF-8 text.", "Save it as UTF-8.") from None
    beside = None if read_keys is None else keys_beside(path, read_keys)
    return study_from_toml(text, read_keys=beside)


def keys_beside(path: str | os.PathLike[str], read_keys: KeyReader) -> KeyReader:
    """Return what reads files whose paths are relative to that of a study."""

    def read(given: str, names: Sequence[str]) -> Keys:
        found = read_keys(os.path.join(os.path.dirname(os.fspath(path)), given), names)
        if found.file is not None:
            found.file.given = given  # as the study has it
        return found

    return read


def study_from_toml(text: str, *, read_keys: KeyReader | None = None) -> DeclaredStudy:
    """Return the study that a TOML text declares."""
    import tomllib

    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as problem:  # TOMLDecodeError is a ValueError
        raise ParameterError(f"the study is not valid TOML: {problem}.", "Correct the line it names.") from None
    return study_from_values(values, read_keys=read_keys)


def study_from_values(values: Values, *, read_keys: KeyReader | None = None) -> DeclaredStudy:
    """Return the study that parsed TOML declares."""
    _check_format(values)
    top = TomlTable(values, place="study", keys=STUDY_KEYS)
    top.need("dataset", "relation", "statistic")
    relation = _relation(top)
    columns = _columns(top)
    with placed("study"):
        relation = with_identifiers(relation, columns.values())
    asked = _asked(top, relation, columns, read_keys)
    _check_labels(columns.values(), asked)
    with placed("study"):
        budget = None if top.number("budget") is None else positive(top.number("budget"), name="budget")
    study = DeclaredStudy(
        dataset=_name(top.text("dataset"), key="dataset"),
        relation=relation,
        columns=tuple(columns.values()),
        asked=asked,
        budget=budget,
        data=None if "data" not in top else _name(top.text("data"), key="data"),
        csv=csv_form(top.get("csv")) if "csv" in top else None,
        **{key: _public(top.text(key), key=key) for key in (*PUBLIC_TEXTS, "bounds_from") if key in top},
    )
    found: dict[Statistic, int] = {}
    for number, each in enumerate(study.asked, start=1):
        if each.statistic in found:
            raise ParameterError(
                f"statistic {number} ({each.statistic.shown}) repeats statistic {found[each.statistic]}.",
                "Asking twice costs twice: keep one line and give it the epsilon of both.",
                place=f"statistic {number}",
            )
        found[each.statistic] = number
    return study


def _check_format(values: Any) -> None:
    """Refuse a study that does not say `format = 1`; True == 1, but is no format."""
    if not isinstance(values, dict) or (type(values.get("format")) is int and values["format"] == STUDY_FORMAT):
        return
    stated = next((f", not {key} = {shown(values[key])}" for key in ("format", "version") if key in values), "")
    raise ParameterError(
        f"study: format = {STUDY_FORMAT} is expected{stated}.",
        "Files of earlier versions of snapdp are not read: write the study anew.",
        place="study",
        key="format",
    )


def plan_of(study: DeclaredStudy, *, if_rows: Any = None) -> Plan:
    """Return the plan of a study; a target accuracy becomes the epsilon it needs.

    if_rows   so many rows are guessed to be in the table: see `Plan`
    """
    return plan(study.asked, budget=study.budget, if_rows=if_rows)


def _relation(top: TomlTable) -> Relation:
    kind = top.text("relation")
    with placed("study"):
        if kind == CHANGE_ONE:
            for key in ("n_max", "person", "rows_per_person", "unit_rows"):
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
            said = {key: top.number(key) for key in ("n_max", "rows_per_person", "unit_rows") if key in top}
            return add_remove(person=_person(top), **said)
    raise ParameterError(
        f"study: relation = {kind!r} is not known.",
        'Give relation = "change-one" with n, or relation = "add-remove" with n_max.',
        place="study",
        key="relation",
    )


def _person(top: TomlTable) -> list[str] | None:
    """Return the columns that together name a person."""
    if "person" not in top:
        return None
    given = top.get("person")
    if not isinstance(given, (list, tuple)):
        return [_name(top.text("person"), key="person")]
    if not all(isinstance(each, str) for each in given):
        raise ParameterError("person is a list of other things.", "Give the name of a column, or a list of names.")
    return [_name(each, key="person") for each in given]


def csv_form(values: Any) -> CsvDialect:
    """Return how CSV files are written, by the keys of [csv]; refuse what is none of them."""
    table = TomlTable(values, place="csv", keys=CSV_KEYS)
    said: Values = {key: table.text(key) for key in SINGLE_TEXTS if key in table}
    if "null" in table:
        said["null"] = table.get("null") if isinstance(table.get("null"), str) else table.texts("null")
    with placed("csv"):
        return dialect_from(said)


def _columns(top: TomlTable) -> dict[str, Column]:
    declared = top.get("columns") if "columns" in top else {}
    if not isinstance(declared, dict):
        raise ParameterError(
            "study: columns holds no table.", "Declare each column under [columns.NAME].", place="study", key="columns"
        )
    found = {}
    for name, values in declared.items():
        with about(declares=name):
            found[name] = _column(name, values)
    return found


def _column(name: str, values: Any) -> Column:
    place = f"columns.{one_line(_name(name, key='a column name'))}"
    number_keys = (*NUMBER_KEYS, *BIN_KEYS)
    known = {*number_keys, *(key for keys in KIND_KEYS.values() for key in keys)}
    table = TomlTable(values, place=place, keys=sorted(known))
    table.need("kind")
    kind = table.text("kind")
    with placed(place):
        if kind in KIND_KEYS:
            return category_in(table, name, str(kind))
        if kind in (NUMBER, INTEGER):
            table.restrict(number_keys, because=f" for a column of kind {kind}")
            table.need("lower", "upper")
            if "missing" not in table:
                raise ParameterError("what a missing cell counts as is not said.", MISSING_CHOICES, key="missing")
            build = number_column if kind == NUMBER else integer_column
            column = build(name, **{key: table.number(key) for key in NUMBER_KEYS[1:]})
            quantiser_of(column)  # refuses, before anything is planned, what no exact statement could read
            return _binned(column, table)
        listed = ", ".join(f'"{each}"' for each in (NUMBER, INTEGER, *KIND_KEYS))
        raise ParameterError(f"kind = {kind!r} is not known.", f"Give one of {listed}.")


def _binned(column: NumberColumn, table: TomlTable) -> NumberColumn:
    """Return a column of numbers with the bin edges that it declares, if any."""
    if "edges" not in table:
        stray = next((key for key in BIN_KEYS if key in table), None)
        if stray is not None:
            raise ParameterError(f"{stray} belongs to bin edges, and there are none.", "Give edges, or leave it out.")
        return column
    rules = {key: table.choice(key, DROPPED) for key in BIN_KEYS[1:]}
    return binned(column, edges=table.numbers("edges") or [], **rules)


def _asked(
    top: TomlTable, relation: Relation, columns: Mapping[str, Column], read_keys: KeyReader | None
) -> tuple[Asked, ...]:
    tables = enumerate(top.tables("statistic"), start=1)
    wanted = tuple(_line(number, values, relation, columns, read_keys) for number, values in tables)
    if not wanted:
        raise ParameterError(
            "study: there is no statistic.", "Add a table [[statistic]].", place="study", key="statistic"
        )
    return wanted


def _in_order(asked: Asked) -> Asked:
    """Return what is asked with its conditions in the order of their columns' names, however they were typed."""
    where = by_name(asked.statistic.where)
    if where == asked.statistic.where:
        return asked
    return replaced(asked, statistic=replaced(asked.statistic, where=where))


def _check_labels(columns: Iterable[Column], asked: Iterable[Asked]) -> None:
    """Refuse two cells of one name: whoever reads the released numbers by name would lose one.

    Cells of several columns are named by one text for each: no two are alike where those of each column are not.
    """
    every: list[tuple[str, Sequence[Label], dict[str, str]]] = [
        (f"column {shown(each.name)}", each.labels, {"declares": each.name, "key": "categories"})
        for each in columns
        if isinstance(each, CategoryColumn)
    ]
    every += [
        (each.statistic.shown, each.statistic.labels, {"place": f"statistic {number}"})
        for number, each in enumerate(asked, start=1)
        if not each.statistic.keys
    ]
    for what, labels, where in every:
        if len(set(labels)) != len(labels):
            twice = next(label for label, times in Counter(labels).items() if times > 1)
            raise ParameterError(
                f"two cells of {what} have one name, {shown(twice)}.",
                "Rename a category: released numbers are told apart by these names.",
                **where,
            )


def _line(
    number: int, values: Any, relation: Relation, columns: Mapping[str, Column], read_keys: KeyReader | None
) -> Asked:
    place = f"statistic {number}"
    every_key = sorted({*COST_KEYS, *(key for kind in KINDS.values() for key in kind.toml_keys())})
    table = TomlTable(values, place=place, keys=every_key)
    table.need("kind")
    with placed(place):
        kind = statistic_class(table.text("kind"))
    table.place = place = f"{place} ({kind.kind})"
    if ("margins" in table or "shares" in table) and "margins" not in kind.details:
        raise ParameterError(
            f"{place}: a {kind.kind} has no margins: only counts, sums and persons have.",
            WITHOUT_MARGINS.get(kind.kind, "Leave margins and shares out."),
            place=place,
            key="margins" if "margins" in table else "shares",
        )
    table.restrict((*COST_KEYS, *kind.toml_keys()), because=f" for a statistic of kind {kind.kind}")
    with placed(place):
        return ask(
            kind.from_toml(table, relation, columns, read_keys),
            epsilon=table.number("epsilon"),
            accuracy=table.number("accuracy"),
            alpha=table.number("alpha") if "alpha" in table else DEFAULT_ALPHA,
            lock=table.flag("lock"),
        )


def _public(text: str | None, *, key: str) -> str:
    """Return a text for readers of a report; a record, and so everybody, will have it."""
    if not is_public_text(text):
        raise ParameterError(
            f"study: {key} is no text for a report.",
            f"Give one line of 1 to {LONGEST_TEXT} printable characters, or leave {key} out.",
            place="study",
            key=key,
        )
    return str(text)


def _name(text: str | None, *, key: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise ParameterError(f"study: {key} is empty.", "Give it a name.", place="study", key=key)
    with about(place="study", key=key):
        return storable(text, f"study: {key}")


# Writing

BARE_KEY = re.compile("[A-Za-z0-9_-]+")
LARGEST_PLAIN = 1 << 63  # TOML promises integers of 64 bits
Item = tuple[str, object]


def study_to_toml(study: DeclaredStudy) -> str:
    """Return the text of a study file."""
    top = [("format", STUDY_FORMAT), ("dataset", study.dataset), *study.texts.items()]
    top += relation_table(study.relation).items()
    if study.budget is not None:
        top.append(("budget", study.budget))
    if study.data is not None:
        top.append(("data", study.data))
    blocks = [_lines(top)]
    if study.csv is not None:
        blocks.append(_lines(_csv_items(study.csv), header="[csv]"))
    blocks += [_lines(_column_items(each), header=f"[columns.{quoted_text(each.name)}]") for each in study.columns]
    blocks += [_lines(_statistic_items(asked), header="[[statistic]]") for asked in study.asked]
    return "\n".join(blocks)


def relation_table(relation: Relation) -> Values:
    """Return what a study says of its neighbours."""
    found = {"relation": relation.kind, "n" if relation.is_change_one else "n_max": relation.rows}
    if relation.unit_rows > 1:
        return {**found, "unit_rows": relation.unit_rows}
    if relation.person is None:
        return found
    return {**found, "person": stated_person(relation.person), "rows_per_person": relation.rows_per_person}


def _csv_items(dialect: CsvDialect) -> Iterator[Item]:
    for key in SINGLE_TEXTS:
        if getattr(dialect, key):  # no delimiter and no thousands are said by nothing
            yield key, getattr(dialect, key)
    if more := [each for each in dialect.nulls if each]:
        yield "null", more


def _column_items(column: Column) -> Iterator[Item]:
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


def _statistic_items(asked: Asked) -> Iterator[Item]:
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
    if visible(quoted) == quoted:
        return quoted
    return "".join(each if visible(each) == each else f"\\U{ord(each):08x}" for each in quoted)
