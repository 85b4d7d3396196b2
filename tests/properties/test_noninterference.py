"""Noninterference: given the same index, nothing that anyone can see depends on the data.

Pairs of neighbouring tables, each with its own bits, chosen so that both give the same indices (see `observing`). All
that is observed is then byte-identical: what is printed, logged and saved, the record, the report, the values, the side
files and their names, and the ledger, tables and bytes, apart from the two digests keyed with its own random key.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import math
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas
import polars
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import snapdp
from snapdp.cli.app import main
from snapdp.ledger.ledger import Ledger
from snapdp.mechanism.definition import decide
from snapdp.randomness.uniform import LazyUniform
from snapdp.release import release as engine
from snapdp.studies.statistics.parts import mechanism
from snapdp.tables.engines.engine import Engine
from tests.properties.badness import toml_file
from tests.properties.observing import (
    chosen_targets,
    differences,
    exact_numerators,
    observed,
    request_of,
    string_for,
)
from tests.tiers import one_in, those_in
from tests.unit.tables.tables import csv_text

NAN, INF = math.nan, math.inf
COLUMNS = {
    "x": {"kind": "number", "lower": 500, "upper": 1000, "missing": 500},
    "y": {"kind": "number", "lower": -4, "upper": 4, "step": "1/8", "missing": "middle"},
    "k": {"kind": "integer", "lower": -3, "upper": 40, "missing": "middle"},
    "g": {"kind": "category", "categories": ["a", "b", "absent"], "unknown": "binned", "null": "binned"},
    "h": {"kind": "category", "categories": ["b", "a"]},
}
BOTH = [
    {"kind": "count", "where": [{"column": "x", "from": 600, "below": 900}, {"column": "g", "equals": "a"}]},
    {"kind": "count", "by": "h"},
    {"kind": "count", "where": [{"column": "k", "below": 7}], "by": "g"},
    {"kind": "sum", "column": "x"},
    {"kind": "sum", "column": "k", "by": "g"},
    {"kind": "sum", "column": "x", "by": "h"},
    {"kind": "mean", "column": "x"},
    {"kind": "mean", "column": "x", "by": "g"},
    {"kind": "variance", "column": "y", "by": "g"},
    {"kind": "covariance", "columns": ["x", "k"], "by": "h", "correlation": True},
    {"kind": "covariance", "columns": ["x", "y"], "where": [{"column": "g", "equals": "a"}]},
    {"kind": "histogram", "column": "g"},
    {"kind": "histogram", "column": "h"},
    {"kind": "histogram", "column": "x", "edges": [500, 600, "700.5", 1000]},
    {"kind": "histogram", "column": "y", "edges": [-1, 0, 1], "outside": "binned", "by": "g"},
    {"kind": "histogram", "column": "k", "edges": list(range(-3, 41))},  # 43 cells: the vector path
]
CHANGE_ONE = [
    {"kind": "variance", "column": "x"},
    {"kind": "variance", "column": "y"},
    {"kind": "covariance", "columns": ["x", "y"]},
]
ADD_REMOVE = [
    {"kind": "count"},
    {"kind": "mean", "column": "y", "count_share": "1/4"},
    {"kind": "variance", "column": "x"},
]
ROWS: list[tuple[Any, ...]] = [
    (512.25, 3.5, 7.0, "a", "a"),
    (750.0, -0.125, 0.0, "b", "b"),
    (999.0, 1.0, 40.0, "a", "b"),
    (None, NAN, None, None, None),
    (500.0, -4.0, -3.0, "?", "a"),
    (613.0, 0.0, 6.0, "b", "a"),
]


def study(relation: str, rows: int, statistics: Any = None, **columns: Any) -> dict[str, Any]:
    chosen = statistics or [*BOTH, *(CHANGE_ONE if relation == "change-one" else ADD_REMOVE)]
    return {
        "format": 1,
        "dataset": "people",
        "relation": relation,
        "n" if relation == "change-one" else "n_max": rows,
        "columns": columns or COLUMNS,
        "statistic": [{"epsilon": f"1/{3 + number}", **each} for number, each in enumerate(chosen)],
    }


class Pair(NamedTuple):
    """Two neighbouring tables, as rows, and what must be declared of them."""

    relation: str
    rows: int
    one: list[tuple[Any, ...]]
    two: list[tuple[Any, ...]]


def changed(last: tuple[Any, ...], other: tuple[Any, ...]) -> Pair:
    return Pair("change-one", 7, [*ROWS, last], [*ROWS, other])


def removed(row: tuple[Any, ...], *, n_max: int = 20, rows: Any = ROWS) -> Pair:
    return Pair("add-remove", n_max, [*rows, row], list(rows))


PLAIN = (800.0, 2.0, 20.0, "a", "a")
PAIRS = {
    "another value": changed(PLAIN, (801.0, -2.0, 21.0, "a", "a")),
    "from one bound to the other": changed((500.0, -4.0, -3.0, "a", "a"), (1000.0, 4.0, 40.0, "b", "b")),
    "a row moves between groups": changed((1000.0, 2.0, 20.0, "a", "a"), (1000.0, 2.0, 20.0, "b", "b")),
    "the only row of a group leaves it": changed((1000.0, 2.0, 20.0, "absent", "b"), PLAIN),
    "all cells missing": changed(PLAIN, (None, None, None, None, None)),
    "all cells not a number": changed(PLAIN, (NAN, NAN, NAN, "nan", "NaN")),
    "infinities": changed((INF, -INF, INF, "a", "a"), (-INF, INF, -INF, "b", "?")),
    "zeros of both signs and subnormals": changed((-0.0, -0.0, -0.0, "a", "a"), (5e-324, -5e-324, 0.0, "b", "b")),
    "the largest doubles": changed((1.7e308, -1.7e308, 2.0**53, "a", "a"), (-1.7e308, 1.7e308, -(2.0**62), "a", "a")),
    "an unknown category": changed(PLAIN, (800.0, 2.0, 20.0, "never declared", "never declared")),
    "an empty text": changed(PLAIN, (800.0, 2.0, 20.0, "", "")),
    "a row comes or goes": removed(PLAIN),
    "a row of missing cells comes or goes": removed((None, NAN, None, None, None)),
    "a row of infinities and an unknown category comes or goes": removed((INF, -INF, INF, "?!", "?!")),
    "the only row of a group comes or goes": removed((1000.0, 2.0, 20.0, "absent", "b")),
    "a row above n_max": removed(PLAIN, n_max=6),
    "many rows above n_max": removed(PLAIN, n_max=3, rows=[*ROWS, *ROWS]),
    "the only row comes or goes": removed(PLAIN, rows=[]),
}
TEXTS = {  # number columns stored as text, with cells that are no numbers
    "text that is no number": changed(("800", "2", "20", "a", "a"), ("n/a", "twelve", "0x10", "a", "a")),
    "another spelling": changed(("8e2", " 2", "+20.", "a", "a"), ("1_000", "2,5", "", "b", "b")),
    "a text comes or goes": removed(("nan", "NULL", "'; DROP", "a", "a")),
}
FRAMES = ["duckdb", "numpy", "lists", "pandas", "polars", "arrow"]
IN_FRAMES = ("lists", "pandas")  # in the default suite: each reads cells in another way
IN_PARQUET = [
    "a row moves between groups",
    "all cells missing",
    "all cells not a number",
    "zeros of both signs and subnormals",
    "an unknown category",
    "a row comes or goes",
    "a row above n_max",
    "the only row comes or goes",
]  # and the others as CSV; all of them in both in the long suite
FEWER = ["all cells missing", "infinities", "many rows above n_max"]


# Tables whose stored types are declared, so that they are the same in both


def writer(kind: str, rows: list[tuple[Any, ...]], *, texts: bool = False) -> Callable[[Path], Any]:
    """Return a function that writes rows in a format and opens them; `texts` stores numbers as text."""
    is_text = {name: texts or name in "gh" for name in COLUMNS}
    columns = {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}
    if texts:
        columns = {
            n: [c if c is None or isinstance(c, str) else repr(c) for c in cells] for n, cells in columns.items()
        }
    fields = [(name, pyarrow.string() if text else pyarrow.float64()) for name, text in is_text.items()]
    arrow = pyarrow.table(columns, schema=pyarrow.schema(fields))

    def array(name: str) -> Any:
        if is_text[name]:
            return np.fromiter(columns[name], dtype=object, count=len(rows))
        return np.array([NAN if cell is None else cell for cell in columns[name]], dtype=float)

    def write(folder: Path) -> Any:
        path, arrays = folder / f"people.{kind}", {name: array(name) for name in columns}
        if kind == "csv":
            path.write_text(csv_text(columns), encoding="utf-8", newline="")
        elif kind == "parquet":
            pyarrow.parquet.write_table(arrow, path)
        elif kind == "duckdb":
            with duckdb.connect(str(path)) as connection:
                connection.register("given", arrow)
                connection.execute("CREATE TABLE people AS SELECT * FROM given")
            return snapdp.open_table(path, table="people")
        else:
            frames = {"lists": columns, "numpy": arrays, "pandas": pandas.DataFrame(arrays), "arrow": arrow}
            return snapdp.open_table(polars.from_arrow(arrow) if kind == "polars" else frames[kind])
        return snapdp.open_table(path)

    return write


def writers(pair: Pair, kind: str, *, texts: bool = False, make: Any = None) -> list[Any]:
    """Return for each of two tables what writes and opens it: by `make`, where `kind` is no file or frame."""
    return [make(rows) if make else writer(kind, rows, texts=texts) for rows in (pair.one, pair.two)]


def seen_twice(
    pair: Pair,
    kind: str,
    home: Path,
    capture: Any,
    *,
    values: Any = None,
    act: Any = None,
    **how: Any,
) -> tuple[Any, Any, Any]:
    """Return the indices, and what is seen of a release from each of two tables when both give these indices."""
    values = values or study(pair.relation, pair.rows)
    both = writers(pair, kind, **how)
    home.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        request = request_of(values)
        targets = chosen_targets(request, exact_numerators(request, both[0](Path(folder))), salt=kind)
    one, two = (observed(values, write, home, targets, capture, act=act) for write in both)
    return targets, one, two


def losses(pair: Pair, kind: str, folder: Path, *, values: Any, **how: Any) -> list[Any]:
    """Return what each statistic loses, in units of the epsilon typed, and assert that it is charged for that."""
    request = request_of(values)
    one, two = (exact_numerators(request, write(folder)) for write in writers(pair, kind, **how))
    found = []
    for line, first, second in zip(request.lines, one, two, strict=True):
        lost = Fraction(0)
        for part, a, b in zip(line.statistic.parts, first, second, strict=True):
            moves = [abs(int(x) - int(y)) for x, y in zip(a, b, strict=True)]
            assert max(moves) <= part.numerator.sensitivity
            assert sum(moves) <= part.moving * part.numerator.sensitivity
            lost += part.share * sum(moves) / part.numerator.sensitivity
        assert lost <= 1, line.statistic.title
        found.append(lost)
    return found


def assert_nothing_is_told(pair: Pair, kind: str, folder: Path, capture: Any, *, values: Any, **how: Any) -> None:
    """Assert that no statistic loses more than it is charged, and that with the same indices nothing differs."""
    losses(pair, kind, folder, values=values, **how)
    assert_same(*seen_twice(pair, kind, folder, capture, values=values, **how))


def assert_same(targets: Any, one: Any, two: Any) -> None:
    assert differences(one, two) == {}
    found = json.loads(one["record"])
    indices = [[part["index"] for part in each["parts"]] for each in found["statistics"]]
    assert indices == targets  # the bits did what they were chosen for
    assert len(one["stdout"]) > 200
    assert {"file out/result.html", "file out/result.parquet", "tables of book.ledger"} <= set(one)


@pytest.mark.parametrize(
    ("kind", "name"),
    those_in(
        {("parquet" if name in IN_PARQUET else "csv", name) for name in PAIRS},
        [(kind, name) for kind in ("csv", "parquet") for name in PAIRS],
    ),
)
def test_files_of_neighbours_with_the_same_indices_cannot_be_told_apart(kind, name, tmp_path, capfd):
    assert_same(*seen_twice(PAIRS[name], kind, tmp_path, capfd))


@pytest.mark.parametrize("kind", those_in(IN_FRAMES, FRAMES))
def test_tables_and_frames_of_neighbours_with_the_same_indices_cannot_be_told_apart(kind, tmp_path, capfd):
    for number, name in enumerate(FEWER):
        assert_same(*seen_twice(PAIRS[name], kind, tmp_path / str(number), capfd))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("kind", one_in(2, ["csv", "lists"]))  # where a schema says text, it is no column of numbers
def test_text_that_is_no_number_cannot_be_told_from_a_number(kind, name, tmp_path, capfd):
    assert_same(*seen_twice(TEXTS[name], kind, tmp_path, capfd, texts=True))


KINDS = {
    "g": {"kind": "date", "from": "2024-01-01", "to": "2024-03-31", "each": "week", "unknown": "binned"},
    "h": {"kind": "boolean", "null": "binned"},
    "x": {"kind": "category", "categories": ["0", "1", "2.5"], "unknown": "binned"},
}
KIND_STATISTICS = [
    {"kind": "histogram", "column": "g"},
    {"kind": "histogram", "column": "x", "by": "h"},
    {"kind": "count", "where": [{"column": "g", "from": "2024-W05"}, {"column": "h", "equals": True}]},
]
PLAIN_KINDS = (1.0, 0.0, 0.0, "2024-02-29", "yes")
KIND_PAIRS = {
    "cells that mean nothing": changed(PLAIN_KINDS, (7.5, 0.0, 0.0, "2024-02-30", "perhaps")),
    "cells that are missing": changed(PLAIN_KINDS, (None, 0.0, 0.0, None, None)),
    "days of other calendars": removed((NAN, 0.0, 0.0, "0000-00-00", "1.0")),
    "digits that are none": removed((INF, 0.0, 0.0, "\u0662024-01-01", "\u0661")),
}


@pytest.mark.parametrize(("kind", "name"), list(zip(["csv", "polars"] * 2, KIND_PAIRS, strict=True)))
def test_cells_of_dates_booleans_and_numbers_cannot_be_told_apart(kind, name, tmp_path, capfd):
    pair = KIND_PAIRS[name]
    values = study(pair.relation, pair.rows, KIND_STATISTICS, **KINDS)
    assert_same(*seen_twice(pair, kind, tmp_path, capfd, values=values))


FORMATTED = {  # cells of a file from a spreadsheet, as they are written there
    "groups well and badly placed": changed(("1.800,5", "2,5", "20", "a", "a"), ("1.80", "2.5", "0.020", "ä", "a")),
    "null texts in and out of quotes": changed(("NA", "NA", "NA", "NA", "NA"), ('"NA"', '"2"', " 20", '"NA"', '"b"')),
    "a formatted row comes or goes": removed(("750,5", "-0,125", "4", "b", "NA")),
}
SPREADSHEET = snapdp.CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA"])


def spreadsheet(rows: list[tuple[Any, ...]]) -> Callable[[Path], Any]:
    """Return a function that writes rows as a spreadsheet does, text as it is, and opens them in its dialect."""
    cells = [[c if isinstance(c, str) else "" if c is None else repr(c).replace(".", ",") for c in row] for row in rows]
    text = "".join(f"{';'.join(row)}\r\n" for row in [list(COLUMNS), *cells])

    def write(folder: Path) -> Any:
        (folder / "people.csv").write_bytes(text.encode("latin-1"))
        return snapdp.open_table(folder / "people.csv", dialect=SPREADSHEET)

    return write


@pytest.mark.parametrize("name", FORMATTED)
def test_cells_of_a_declared_format_cannot_be_told_apart(name, tmp_path, capfd):
    targets, one, two = seen_twice(FORMATTED[name], "csv", tmp_path, capfd, make=spreadsheet)
    assert_same(targets, one, two)
    assert json.loads(one["record"])["csv"] == SPREADSHEET.stated()


LABELS = [f"key {i}" for i in range(1500)]
LONG = {
    "g": {"kind": "category", "categories": LABELS, "null": "binned"},
    "x": {"kind": "integer", "lower": -1, "upper": 4000, "missing": "middle"},
}
LONG_STATISTICS = [
    {"kind": "histogram", "column": "g"},
    {"kind": "mean", "column": "x", "by": "g"},
    {"kind": "histogram", "column": "x", "edges": list(range(1200))},
    {"kind": "histogram", "column": "x", "edges": list(range(2000)), "outside": "binned"},
]


@pytest.mark.parametrize("relation", one_in(2, ["add-remove", "change-one"]))
@pytest.mark.parametrize("kind", one_in(2, ["csv", "parquet"]))
def test_side_files_of_neighbours_have_the_same_names_and_bytes(kind, relation, tmp_path, capfd):
    """More than a thousand cells: they go to Parquet files that are named by their digest."""
    one = [(1.0, 0.0, 0.0, None, ""), (None, 0.0, 0.0, "key 7", ""), (900.0, 0.0, 0.0, "key 1499", "")]
    two = [*one[:2], (3999.0, 0.0, 0.0, "key 8", "")]
    pair = Pair("change-one", 3, one, two) if relation == "change-one" else Pair("add-remove", 5, one, one[:2])
    values = study(relation, pair.rows, LONG_STATISTICS, **LONG)
    _, first, second = seen_twice(pair, kind, tmp_path, capfd, values=values)
    assert differences(first, second) == {}
    parts = [part for each in json.loads(first["record"])["statistics"] for part in each["parts"]]
    parts += json.loads(first["record"])["derived"]
    assert len(parts) == 6  # four statistics, one of them in two parts, and its mean
    for part in parts:
        content = first[f"file out/{part['file']['name']}"]
        assert part["file"]["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert part["file"]["rows"] == part["cells"]
    assert sum(name.endswith(".parquet") for name in first) == 7  # and the values that were saved


def test_a_mean_of_no_rows_cannot_be_told_from_one_of_some(tmp_path, capfd):
    """The released count may be zero or less, or some, whatever the true one is."""
    pair = removed(PLAIN, rows=[])
    values = study("add-remove", 20, [{"kind": "mean", "column": "x"}, {"kind": "mean", "column": "x", "by": "g"}])
    request = request_of(values)
    for count in (-3, 0, 1, 20):
        targets = [[[40] * cells[0], [count] * cells[0]] for cells in ([1], [5])]
        one, two = (observed(values, writer("csv", rows), tmp_path, targets, capfd) for rows in (pair.one, pair.two))
        assert differences(one, two) == {}
        means = json.loads(one["record"])["derived"]
        assert [len(each["value"]) for each in means] == [1, 5]
        assert count > 0 or {*means[0]["value"], *means[1]["value"]} == {750.0}
    assert request.relation.rows == 20


# Through the command line


def commands(values: dict[str, Any], *lines: str) -> Callable[..., dict[str, bytes]]:
    """Return an act that types commands in the directory, and sees what each prints and its exit code."""

    def act(_: Any, table: Any, home: Path) -> dict[str, bytes]:
        (home / "in" / "study.toml").write_text(toml_file(values), encoding="utf-8")
        data = next(path for path in (home / "in").glob("people.*"))
        seen = {}
        with contextlib.chdir(home):
            for number, line in enumerate(lines):
                done = CliRunner().invoke(main, [word.replace("DATA", f"in/{data.name}") for word in line.split()])
                seen[f"{number} {line}"] = repr((done.exit_code, done.stdout, done.stderr, done.exception)).encode()
        assert isinstance(table, Engine)
        return seen

    return act


RELEASE = "release in/study.toml --data DATA --ledger book.ledger --yes"
SAVED = "--report out/report.html --record out/record.json --values out/values.csv --directory out"
TYPED = {
    "text": [f"{RELEASE} {SAVED}", f"{RELEASE} --json --values out/values.parquet"],
    "json": [f"{RELEASE} --json {SAVED}", RELEASE],
    "fitted": [f"{RELEASE} --fit --budget 3 {SAVED}", f"{RELEASE} --fit --budget 2000 --json"],  # the last is too much
}
AFTERWARDS = [
    "ledger show book.ledger",
    "ledger history book.ledger",
    "ledger history book.ledger --json",
    "ledger verify book.ledger --against out/record.json",
    "plan in/study.toml --sql",
    "plan in/study.toml --json",
]


@pytest.mark.parametrize(
    ("kind", "name", "how"),
    one_in(
        2,
        [
            ("csv", "a row moves between groups", "text"),
            ("csv", "all cells missing", "json"),
            ("parquet", "infinities", "json"),
            ("parquet", "the only row comes or goes", "text"),
            ("csv", "an unknown category", "fitted"),
            ("csv", "many rows above n_max", "json"),
        ],
    ),
)
def test_the_command_line_cannot_tell_neighbours_with_the_same_indices_apart(kind, name, how, tmp_path, capfd):
    pair = PAIRS[name]
    values = study(pair.relation, pair.rows)
    if how == "fitted":  # what is typed must be what is charged, for the bits are chosen for it
        total = sum(Fraction(each["epsilon"]) for each in values["statistic"])
        for each in values["statistic"]:
            each["epsilon"] = str(Fraction(each["epsilon"]) * 3 / total)
    act = commands(values, *TYPED[how], *AFTERWARDS)
    _, one, two = seen_twice(pair, kind, tmp_path, capfd, values=values, act=act)
    assert differences(one, two) == {}
    codes = [int(one[f"{number} {line}"][1:2]) for number, line in enumerate([*TYPED[how], *AFTERWARDS])]
    assert codes == [0, 1 if how == "fitted" else 0, *[0] * len(AFTERWARDS)]
    assert {"file out/report.html", "file out/record.json", "file out/values.csv", "file book.ledger"} <= set(one)
    spent = json.loads(one["file out/record.json"])["charged"]
    assert Fraction(spent) == sum(Fraction(each["epsilon"]) for each in values["statistic"])


# The bits do what they say


@pytest.mark.parametrize("epsilon", ["1/10", "1", "7"])
def test_chosen_bits_carry_every_value_to_every_index_by_the_definition(epsilon):
    query = request_of(study("add-remove", 9, [{"kind": "count"}, {"kind": "sum", "column": "y"}])).lines[1].statistic
    m = mechanism(query.parts[0], epsilon)
    p = m.parameters
    for value in (p.lower, 0, 7, p.upper):
        for index in {p.low, -5, 0, 1, p.high, round(value / p.grid)}:
            if abs(index * p.grid - value) > 300 * p.noise_scale:
                continue
            word, more = string_for(p, value=int(value), index=index)
            assert decide(p.inner(value), p, LazyUniform(word, iter(more))) == index


# What must be found: the harness has teeth


def leaky_record(monkeypatch):
    """The record tells how many rows there are."""
    plain, scan = engine.record_values, engine.exact_values
    seen = []

    def exact(queries, table, **how):
        seen.append(len(table.fingerprint()) and table.aggregates([]).rows)
        return scan(queries, table, **how)

    def record_values(*given):
        return {**plain(*given), "title": f"Of {seen[-1]} rows"}

    monkeypatch.setattr(engine, "exact_values", exact)
    monkeypatch.setattr(engine, "record_values", record_values)


def leaky_log(monkeypatch):
    """A debugging line tells a numerator."""
    plain = engine.draw

    def draw(request, exact, bits):
        logging.getLogger("snapdp.release").debug("numerators %s", exact)
        return plain(request, exact, bits)

    monkeypatch.setattr(engine, "draw", draw)


def leaky_stderr(monkeypatch):
    """A progress bar tells the number of rows."""
    plain = Engine.aggregates

    def aggregates(self, asked, **more):
        found = plain(self, asked, **more)
        print("rows read:", found.rows, file=sys.stderr)
        return found

    monkeypatch.setattr(Engine, "aggregates", aggregates)


def leaky_version(monkeypatch):
    """The dataset version is a digest of the data."""
    plain = Ledger.dataset_version

    def dataset_version(self, account, fingerprint):
        self._entropy = lambda size: fingerprint[:size]
        return plain(self, account, fingerprint)

    monkeypatch.setattr(Ledger, "dataset_version", dataset_version)


def leaky_file(monkeypatch):
    """A temporary file of the data holder's rows is left behind, under a name of its own."""
    plain = engine._side_files

    def side_files(drawn, derived, directory):
        (directory / f"cells-{len(drawn)}").write_text("left behind")
        return plain(drawn, derived, directory)

    scan = engine.exact_values

    def exact(queries, table, **how):
        found = scan(queries, table, **how)
        monkeypatch.setattr(engine, "_side_files", side_files if found[0][0][0] % 2 else plain)
        return found

    monkeypatch.setattr(engine, "exact_values", exact)


@pytest.mark.parametrize(
    ("leak", "places"),
    [
        (
            leaky_record,
            {"record", "file out/result.json", "again", "told", "file book.ledger", "tables of book.ledger"},
        ),
        (leaky_log, {"log"}),
        (leaky_stderr, {"stderr"}),
        (leaky_version, {"record", "file book.ledger", "tables of book.ledger", "told"}),
        (leaky_file, {"file out/cells-1"}),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_leak_would_be_found(leak, places, tmp_path, capfd, monkeypatch):
    values = study("add-remove", 20, [{"kind": "count"}])
    pair = removed(PLAIN)
    leak(monkeypatch)
    _, one, two = seen_twice(pair, "csv", tmp_path, capfd, values=values)
    assert places <= set(differences(one, two))
    monkeypatch.undo()
    assert differences(*seen_twice(pair, "csv", tmp_path, capfd, values=values)[1:]) == {}


# No look where nobody is asked


def test_without_a_terminal_a_cell_that_cannot_be_read_changes_no_byte(tmp_path, capfd):
    columns = {"x": {"kind": "number", "lower": 500, "upper": 1000, "missing": "dropped"}}
    values = study("change-one", 7, [{"kind": "mean", "column": "x", "epsilon": "1/2"}], **columns)
    line = "release DATA --mean x --bounds 500,1000 --missing dropped --n 7 --epsilon 0.5 --ledger book.ledger"
    act = commands(
        values, line, f"{line} --yes --record out/record.json", f"{line} --report out/r.html", f"{line} --json"
    )
    for pair in (PAIRS["all cells missing"], changed(PLAIN, (9e9, 2.0, 20.0, "a", "a"))):
        _, one, two = seen_twice(pair, "csv", tmp_path, capfd, values=values, act=act)
        assert differences(one, two) == {}
        assert [int(one[key][1:2]) for key in sorted(one) if key[0].isdigit()][:4] == [2, 0, 0, 0]
