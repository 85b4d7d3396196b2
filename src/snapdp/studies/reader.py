"""The study file: columns, neighbour relation and statistics, declared in TOML, read strictly.

Room: studies. Holds no data and opens no file but the study itself. Numbers are exact: 0.3 in the file means 3/10, and
so does "0.3". An unknown key is an error that names the nearest one; every error names its table. A statistic that the
relation does not define is refused here, before anything is planned. Guide: docs/guide/study-file.md.

Rules of change:
- a study says its version; a key never changes its meaning, and what a version did not have is refused in it;
- a new key opens a new version: VERSIONS names what each added. Versions 1 and 2 are closed, 2 since snapdp 0.2.0
  (tests/vectors/golden/closed has their keys); a key that comes before the next release joins the next version;
- a new kind of statistic, or a detail of one, is no new version: a library that does not know it refuses it by name;
- version 2 has no default for `missing`: version 1 took the middle, and let it count in bins and conditions as well;
- version 2 needs no column where no statistic names one: rows can be counted, and groups by keys;
- version 2 puts conditions in order, so that two orders are one request; version 1 keeps them as they are typed;
- a study is written in its own version, every version is read for ever and declares what it declared: the request, and
  with it the answer that a ledger holds, is the same; a study of each version is kept among the vectors.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from snapdp.display import LONGEST_TEXT, PUBLIC_TEXTS, is_public_text, one_line
from snapdp.errors import ParameterError
from snapdp.exact import positive, shown
from snapdp.studies.categories import KIND_KEYS, LATER_KEYS, category_in
from snapdp.studies.columns import (
    AS_TEXT,
    CATEGORY,
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
from snapdp.studies.grouping.bins import BinnedColumn, binned
from snapdp.studies.grouping.keys import KeyedGroups, KeyReader, Keys
from snapdp.studies.plans.asked import DEFAULT_ALPHA, Asked, ask
from snapdp.studies.plans.plan import Plan, plan
from snapdp.studies.quantiser import quantiser_of
from snapdp.studies.readable import Label
from snapdp.studies.relation import ADD_REMOVE, CHANGE_ONE, Relation, add_remove, change_one, with_identifiers
from snapdp.studies.statistics.mean import Mean
from snapdp.studies.statistics.registry import KINDS, statistic_class
from snapdp.studies.statistics.statistic import Statistic
from snapdp.studies.toml_table import TomlTable, about, named, placed
from snapdp.values import Value, replaced

STUDY_VERSION = 2
VERSIONS: dict[int, set[str]] = {  # the keys that each version added; version 2 has persons of several columns, too
    1: set(),
    2: {"csv", "unit_rows", "bounds_from", *PUBLIC_TEXTS},
}
STUDY_KEYS = (
    "version", "dataset", *PUBLIC_TEXTS, "relation", "n", "n_max", "person", "rows_per_person", "unit_rows", "budget",
    "data", "csv", "bounds_from", "columns", "statistic",
)  # fmt: skip
DIGEST = re.compile("sha256:[0-9a-f]{64}")
CSV_KEYS = (*SINGLE_TEXTS, "null")
NUMBER_KEYS = ("kind", "lower", "upper", "step", "missing")
BIN_KEYS = ("edges", "outside", "null")  # of a column of numbers, in version 2
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
    version: int = STUDY_VERSION  # whose rules it keeps
    csv: CsvDialect | None = None  # how they are written there, where that is a CSV file; no part of a request either
    title: str | None = None  # of the report; these three are for its readers, and no part of a request
    publisher: str | None = None
    contact: str | None = None
    bounds_from: str | None = None  # the digest of the record by which bounds were found; no part of a request

    def _check(self) -> None:
        numbers = [each for each in self.columns if isinstance(each, NumberColumn)]
        lists = [each for each in self.columns if isinstance(each, CategoryColumn)]
        if self.version > 1 and any(each.everywhere for each in numbers):
            raise ParameterError("a column has the rule of version 1 for missing cells.", MISSING_CHOICES)
        older = all(each.everywhere and not isinstance(each, BinnedColumn) for each in numbers) and all(
            each.kind == CATEGORY and each.compare == AS_TEXT and not each.parents for each in lists
        )
        if self.version == 1 and not older:
            raise ParameterError("a column says what version 1 has no word for.", "Declare it in version 2.")
        if self.version == 1 and any(each.statistic.by and each.statistic.by.is_crossed for each in self.asked):
            raise ParameterError("version 1 has no word for groups by several columns.", "Declare it in version 2.")
        if self.version == 1 and any(each.statistic.margins for each in self.asked):
            raise ParameterError("version 1 has no word for margins.", "Declare it in version 2.")
        if self.version == 1 and any(isinstance(x.statistic, Mean) and x.statistic.columns[1:] for x in self.asked):
            raise ParameterError("version 1 has no word for means of several columns.", "Declare it in version 2.")
        if self.version == 1 and any(isinstance(each.statistic.by, KeyedGroups) for each in self.asked):
            raise ParameterError("version 1 has no word for keys.", "Declare it in version 2.")
        if self.version == 1 and self.csv is not None:
            raise ParameterError("version 1 has no word for the form of CSV files.", "Declare it in version 2.")
        if self.version == 1 and (self.relation.unit_rows > 1 or len(self.relation.person_columns) > 1):
            raise ParameterError("the unit is one that version 1 has no word for.", "Declare it in version 2.")
        if with_identifiers(self.relation, self.columns) != self.relation:
            raise ParameterError(
                "columns of the person are declared, and their declared values do not tell persons apart.",
                "Build the relation with with_identifiers(relation, columns).",
            )
        if self.version == 1 and self.texts:
            raise ParameterError(
                "version 1 has no word for title, publisher, contact or bounds_from.", "Declare it in version 2."
            )
        for key, text in self.texts.items():
            _public(text, key=key)
        if self.bounds_from is not None and not DIGEST.fullmatch(self.bounds_from):
            raise ParameterError(
                "bounds_from is no digest of a record.",
                "Give sha256: and 64 hexadecimal digits, as `snapdp explore --study` writes them, or leave it out.",
            )
        if self.version > 1:
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
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as problem:  # TOMLDecodeError is a ValueError
        raise ParameterError(f"the study is not valid TOML: {problem}.", "Correct the line it names.") from None
    return study_from_values(values, read_keys=read_keys)


def study_from_values(values: dict[str, Any], *, read_keys: KeyReader | None = None) -> DeclaredStudy:
    """Return the study that parsed TOML declares."""
    top = TomlTable(values, place="study", keys=STUDY_KEYS)
    top.need("version", "dataset", "relation", "statistic")
    version = top.get("version")
    if type(version) is not int or version not in VERSIONS:  # True == 1, but is no version
        readable = " and ".join(map(str, VERSIONS))
        raise ParameterError(
            f"study: version = {shown(version)} is not known.", f"This library reads versions {readable}."
        )
    later = set().union(*(added for number, added in VERSIONS.items() if number > version))
    top.restrict([key for key in STUDY_KEYS if key not in later], because=f" in version {version}", later=later)
    relation = _relation(top, version)
    columns = _columns(top, version)
    with placed("study"):
        relation = with_identifiers(relation, columns.values())
    asked = _asked(top, relation, columns, read_keys)
    if version > 1:
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
        version=version,
        csv=_csv(top),
        **{key: _public(top.text(key), key=key) for key in (*PUBLIC_TEXTS, "bounds_from") if key in top},
    )
    _check_repeats(study.asked)
    return study


def plan_of(study: DeclaredStudy, *, if_rows: Any = None) -> Plan:
    """Return the plan of a study; a target accuracy becomes the epsilon it needs.

    if_rows   so many rows are guessed to be in the table: see `Plan`
    """
    return plan(study.asked, budget=study.budget, if_rows=if_rows)


def _relation(top: TomlTable, version: int) -> Relation:
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
            return add_remove(person=_person(top, version), **said)
    raise ParameterError(
        f"study: relation = {kind!r} is not known.",
        'Give relation = "change-one" with n, or relation = "add-remove" with n_max.',
        place="study",
        key="relation",
    )


def _person(top: TomlTable, version: int) -> list[str] | None:
    """Return the columns that together name a person; version 1 takes one."""
    if "person" not in top:
        return None
    given = top.get("person")
    if version == 1 or not isinstance(given, (list, tuple)):
        return [_name(top.text("person"), key="person")]
    if not all(isinstance(each, str) for each in given):
        raise ParameterError("person is a list of other things.", "Give the name of a column, or a list of names.")
    return [_name(each, key="person") for each in given]


def _csv(top: TomlTable) -> CsvDialect | None:
    """Return how CSV files are written: what the table says, and a plain file where it says nothing."""
    return csv_form(top.get("csv")) if "csv" in top else None


def csv_form(values: Any) -> CsvDialect:
    """Return how CSV files are written, by the keys of [csv]; refuse what is none of them."""
    table = TomlTable(values, place="csv", keys=CSV_KEYS)
    said: dict[str, Any] = {key: table.text(key) for key in SINGLE_TEXTS if key in table}
    if "null" in table:
        said["null"] = table.get("null") if isinstance(table.get("null"), str) else table.texts("null")
    with placed("csv"):
        return dialect_from(said)


def _columns(top: TomlTable, version: int) -> dict[str, Column]:
    if version == 1:
        top.need("columns")
    declared = top.get("columns") if "columns" in top else {}
    if not isinstance(declared, dict) or not (declared or version > 1):
        raise ParameterError(
            "study: columns holds no table.", "Declare each column under [columns.NAME].", place="study", key="columns"
        )
    found = {}
    for name, values in declared.items():
        with about(declares=name):
            found[name] = _column(name, values, version)
    return found


def _column(name: str, values: Any, version: int) -> Column:
    place = f"columns.{one_line(_name(name, key='a column name'))}"
    kinds = KIND_KEYS if version > 1 else {CATEGORY: KIND_KEYS[CATEGORY]}
    kind_keys = (key for keys in kinds.values() for key in keys if version > 1 or key not in LATER_KEYS)
    number_keys = NUMBER_KEYS if version == 1 else (*NUMBER_KEYS, *BIN_KEYS)
    known = {*number_keys, *kind_keys}
    later = {*BIN_KEYS, *(key for keys in KIND_KEYS.values() for key in keys)} - known
    table = TomlTable(
        values, place=place, keys=sorted(known), because=f" in version {version}" if later else "", later=later
    )
    table.need("kind")
    kind = table.text("kind")
    with placed(place):
        if kind in kinds:
            return category_in(table, name, str(kind), newest=version > 1)
        if kind in (NUMBER, INTEGER):
            table.restrict(number_keys, because=f" for a column of kind {kind}")
            table.need("lower", "upper")
            if version > 1 and "missing" not in table:
                raise ParameterError("what a missing cell counts as is not said.", MISSING_CHOICES, key="missing")
            build = number_column if kind == NUMBER else integer_column
            column = build(name, **{key: table.number(key) for key in NUMBER_KEYS[1:]}, everywhere=version == 1)
            quantiser_of(column)  # refuses, before anything is planned, what no exact statement could read
            return _binned(column, table) if version > 1 else column
        listed = ", ".join(f'"{each}"' for each in (NUMBER, INTEGER, *kinds))
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


def _check_repeats(asked: Iterable[Asked]) -> None:
    found: dict[Statistic, int] = {}
    for number, each in enumerate(asked, start=1):
        if each.statistic in found:
            raise ParameterError(
                f"statistic {number} ({each.statistic.shown}) repeats statistic {found[each.statistic]}.",
                "Asking twice costs twice: keep one line and give it the epsilon of both.",
                place=f"statistic {number}",
            )
        found[each.statistic] = number


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
    number: int,
    values: Any,
    relation: Relation,
    columns: Mapping[str, Column],
    read_keys: KeyReader | None,
) -> Asked:
    place = f"statistic {number}"
    every_key = sorted({*COST_KEYS, *(key for kind in KINDS.values() for key in kind.toml_keys())})
    table = TomlTable(values, place=place, keys=every_key)
    table.need("kind")
    with placed(place):
        kind = statistic_class(table.text("kind"))
    table.place = place = f"{place} ({kind.kind})"
    _check_margins(table, kind)
    table.restrict((*COST_KEYS, *kind.toml_keys()), because=f" for a statistic of kind {kind.kind}")
    with placed(place):
        return ask(
            kind.from_toml(table, relation, columns, read_keys),
            epsilon=table.number("epsilon"),
            accuracy=table.number("accuracy"),
            alpha=table.number("alpha") if "alpha" in table else DEFAULT_ALPHA,
            lock=table.flag("lock"),
        )


def _check_margins(table: TomlTable, kind: type[Statistic]) -> None:
    """Refuse margins of what does not add up, and say what to ask for instead."""
    if ("margins" in table or "shares" in table) and "margins" not in kind.details:
        advice = WITHOUT_MARGINS.get(kind.kind, "Leave margins and shares out.")
        raise ParameterError(
            f"{table.place}: a {kind.kind} has no margins: only counts, sums and persons have.",
            advice,
            place=table.place,
            key="margins" if "margins" in table else "shares",
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
