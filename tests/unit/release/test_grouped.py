"""Releases by several columns: what is in the record, in values, files and pages, whatever categories are called."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.errors import BoundError, DataError
from snapdp.release import request
from snapdp.release.files import FIELDS, key_columns
from snapdp.release.record import checked
from snapdp.release.request import Request
from snapdp.release.result import Release, load_release
from tests.tiers import one_in
from tests.unit.release.test_margins import altered

HOSTILE = ["", ",", " / ", '"', "\x1b[31m", "=1+1", "<b>", "a"]
ROWS: dict[str, list[Any]] = {
    "region": ["", ",", "a", "a", None, "<b>"],
    "sex": ["f", '"', "f", "x", "f", "\x1b[31m"],
    "age": [3, 64, None, 65, 200, 17],
    "pay": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "value": ["u", "v", "u", "u", "v", "u"],
}
COLUMNS: dict[str, Any] = {
    "region": {"kind": "category", "categories": HOSTILE, "compare": "text"},
    "sex": {"kind": "category", "categories": ["f", '"', "\x1b[31m"], "unknown": "binned", "null": "binned"},
    "age": {
        "kind": "integer", "lower": 0, "upper": 120, "missing": "dropped",
        "edges": [0, 18, 65], "outside": "binned", "null": "binned",
    },
    "pay": {"kind": "number", "lower": 0, "upper": 9, "step": "1/2", "missing": "dropped"},
    "value": {"kind": "category", "categories": ["u", "v"]},
}  # fmt: skip
COUNT = {"kind": "count", "by": ["region", "sex"], "epsilon": 10**6}
MEAN = {"kind": "mean", "column": "pay", "by": ["sex", "age"], "epsilon": 10**6}
HISTOGRAM = {"kind": "histogram", "column": "pay", "edges": ["1/2", 4, 9], "by": ["value", "age"], "epsilon": 10**6}
ONE = {"kind": "histogram", "column": "sex", "by": "age", "epsilon": 10**6}
PLAIN = {"kind": "count", "by": "value", "epsilon": 10**6}
TOTAL = {"kind": "sum", "column": "pay", "epsilon": 10**6}
LISTS = {"region": HOSTILE, "sex": ["f", '"', "\x1b[31m", "(unknown)", "(null)"]}
BINS = ["[0, 18)", "[18, 65]", "above 65", "(missing)"]


def released(folder: Path, *statistics: dict[str, Any], relation: str = "change-one", **columns: Any) -> Release:
    rows = {"relation": relation, "n" if relation == "change-one" else "n_max": len(ROWS["age"])}
    study = snapdp.study(dataset="people", **rows, columns=COLUMNS | columns, statistic=list(statistics))
    with snapdp.Ledger.create(folder / f"{relation}.ledger") as book:
        book.create_account("people", cap=10**9, relation=relation, rows=len(ROWS["age"]))
        return study.release(ROWS | {"many": ["key 1", "key 7"] * 3}, ledger=book, directory=folder)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return released(tmp_path_factory.mktemp("grouped"), COUNT, MEAN, HISTOGRAM, ONE, PLAIN, TOTAL)


# The record


def study_of(*statistics: dict[str, Any]) -> snapdp.Study:
    return snapdp.study(dataset="people", relation="change-one", n=6, columns=COLUMNS, statistic=list(statistics))


def test_a_record_names_cells_by_a_text_for_each_column(result):
    count, mean, histogram, one, plain, _ = result.record["statistics"]
    assert [each["name"] for each in count["by"]] == ["region", "sex"]
    assert count["title"] == "count by region, sex"
    cells = [list(each) for each in itertools.product(*LISTS.values())]
    assert count["parts"][0]["cell"] == cells
    assert mean["by"][1]["edges"] == ["0", "18", "65"]
    assert result.record["derived"][0]["cell"] == mean["parts"][1]["cell"]
    assert histogram["parts"][0]["cell"][:3] == [["u", "[0, 18)", "[1/2, 4)"], ["u", "[0, 18)", "[4, 9]"],
                                                 ["u", "[18, 65]", "[1/2, 4)"]]  # fmt: skip
    assert one["parts"][0]["cell"][:2] == ["[0, 18) / f", '[0, 18) / "']
    assert (plain["by"]["name"], plain["parts"][0]["cell"]) == ("value", ["u", "v"])


def test_values_are_named_by_tuples_where_columns_are_several(result):
    values = result.values
    assert list(values["count by region, sex"]) == list(itertools.product(*LISTS.values()))
    assert list(values["mean(pay) by sex, age"]) == list(itertools.product(LISTS["sex"], BINS))
    assert next(iter(values["histogram(pay) by value, age"])) == ("u", "[0, 18)", "[1/2, 4)")
    assert list(values["count by value"]) == ["u", "v"]
    assert values["histogram(sex) by age"]["[0, 18)", "f"] == 1
    assert values["mean(pay) by sex, age"]["f", "[0, 18)"] == pytest.approx(1, abs=0.01)


NO_BINS = {"name": "age", "kind": "integer", "lower": "0", "upper": "120", "step": "1", "missing": "dropped"}
ALTERED = {
    "groups that are a text": (("statistics", 0, "by"), "region"),
    "groups that are texts": (("statistics", 0, "by"), ["region"]),
    "groups in groups": (("statistics", 0, "by"), [[{"name": "region"}]]),
    "a column with one field more": (("statistics", 0, "by", 0, "rows"), 7),
    "a cell that is a number": (("statistics", 0, "parts", 0, "cell", 0), 3),
    "a cell of cells": (("statistics", 0, "parts", 0, "cell", 0), [["", "f"]]),
    "bins of what is summed": (("statistics", 1, "columns", 0, "edges"), ["0", "9"]),
    "groups by numbers without edges": (("statistics", 1, "by", 1), NO_BINS),
}


@pytest.mark.parametrize("name", ALTERED)
def test_what_no_record_has_is_refused_where_it_stands(name, result):
    path, value = ALTERED[name]
    with pytest.raises(DataError, match=r"the record (has|lacks) a field"):
        checked(altered(result.record, path, value))


def test_edges_of_groups_are_among_those_that_a_record_holds(result, monkeypatch):
    """Whoever reads a record goes through them all: 3 + 3 + 3 of groups by age, and 3 of a histogram."""
    asked = study_of(COUNT, MEAN, HISTOGRAM, ONE, PLAIN, TOTAL).request()
    certificate = json.loads(json.dumps(release_certificate(result.record)))
    for most, fits in ((12, True), (11, False)):
        monkeypatch.setattr(request, "MOST_EDGES", most)
        monkeypatch.setattr(check_release, "MOST_EDGES", most)
        assert (check_release.check(certificate) == []) == fits
        with contextlib.nullcontext() if fits else pytest.raises(BoundError, match=f"more than {most} bin edges"):
            Request(dataset="people", plan=asked.plan)
        with contextlib.nullcontext() if fits else pytest.raises(BoundError, match=f"more than {most} bin edges"):
            checked(result.record)


@pytest.mark.parametrize("cells", [["", "f"], [["", "f"], "x"]])
def test_a_record_whose_cells_do_not_fit_its_groups_is_shown_all_the_same(cells, result):
    """A record may be anybody's: the audit finds it, and nothing breaks."""
    record = copy.deepcopy(result.record)
    part = record["statistics"][0]["parts"][0]
    part["cell"][: len(cells)] = cells
    shown = Release(record)
    assert len(list(shown.numbers())) == len(list(result.numbers()))
    assert repr(shown)
    assert "<td>" in shown.to_html()
    assert shown.values
    numbers = list(shown.numbers())[: len(cells)]
    assert [(each.cell, each.keys) for each in numbers if each.keys == ()] == [
        (e, ()) for e in cells if isinstance(e, str)
    ]
    assert audit(record).findings[0].field.startswith("statistics[0].parts[0].cell[")


# Files of values and frames


def test_names_that_a_file_has_already_are_told_apart():
    assert key_columns(["region", "cell"], FIELDS) == ["region", "cell (key)"]
    assert key_columns(["VALUE", "value (KEY)"], FIELDS) == ["VALUE (key)", "value (KEY) (key)"]


def test_a_name_like_a_formula_is_none_in_the_head_of_a_csv_file(tmp_path):
    columns = {"=x": COLUMNS["value"], "Sex": COLUMNS["value"], "sex": COLUMNS["sex"]}
    study = snapdp.study(
        dataset="people", relation="add-remove", n_max=9, columns=columns,
        statistic=[{"kind": "count", "by": ["=x", "Sex", "sex"], "epsilon": 9}],
    )  # fmt: skip
    with snapdp.Ledger.create(tmp_path / "l.db") as book:
        book.create_account("people", cap=9, relation="add-remove", rows=9)
        found = study.release({"=x": ["u"], "Sex": ["v"], "sex": ["f"]}, ledger=book)
    found.save(tmp_path / "v.csv")
    found.save(tmp_path / "v.parquet")
    head = (tmp_path / "v.csv").read_text(encoding="utf-8").split("\n")[0]
    assert head.startswith("statistic,measure,column,'=x,Sex,sex (key),value,")
    assert pl.read_parquet(tmp_path / "v.parquet").columns[3:6] == ["=x", "Sex", "sex (key)"]


# Side files


KEYS = [f"key {i}" for i in range(1200)]
LONG = {"kind": "count", "by": ["many", "region"], "epsilon": 10**6}
LONG_MEAN = {"kind": "mean", "column": "pay", "by": ["sex", "many", "age"], "epsilon": 10**6}
MANY = {"kind": "category", "categories": KEYS, "unknown": "binned"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("it's long")
    released(place, LONG, LONG_MEAN, many=MANY).save(place / "record.json")
    return place


def test_side_files_have_a_column_for_each_column_that_names_cells(folder):
    record = load_release(folder / "record.json").record
    part = record["statistics"][0]["parts"][0]
    assert part["cells"] == part["file"]["rows"] == 1201 * 8
    stored = pl.read_parquet(folder / part["file"]["name"])
    assert stored.columns == ["cell", "many", "region", "index", "value", "shown", "low", "high"]
    names = list(zip(stored["many"], stored["region"], strict=True))
    assert names == list(itertools.product([*KEYS, "(unknown)"], HOSTILE))
    assert stored["cell"][0] == 'key 0, ""'
    mean = pl.read_parquet(folder / record["derived"][0]["file"]["name"])
    assert mean.columns[:4] == ["cell", "sex", "many", "age"]


def test_long_lists_of_several_columns_are_compared_with_their_digest(folder):
    """The list of 1,201 names stands in no record: it is in the file, and its digest in the record."""
    found = audit(load_release(folder / "record.json").record, directory=folder)
    assert (found.findings, found.unseen) == ((), ())
    assert len(found.seen) == 4


FORGED_NAMES = [
    ("SELECT * REPLACE (if(region = 'a', ',', region) AS region) FROM t", "statistics[0].parts[0].region[7]"),
    ("SELECT * REPLACE (if(many = 'key 7', 'key 8', many) AS many) FROM t", "statistics[0].parts[0].many"),
    ("SELECT * REPLACE (if(rowid = 9, 'key 0', many) AS many) FROM t", "statistics[0].parts[0].many[9]"),
    ("SELECT * REPLACE (if(rowid = 9600, 'x', many) AS many) FROM t", "statistics[0].parts[0].many"),
    ("SELECT * REPLACE (if(rowid = 3, 'key 0, a', cell) AS cell) FROM t", "statistics[0].parts[0].cell[3]"),
    ("SELECT * REPLACE (NULL::VARCHAR AS many) FROM t", "statistics[0].parts[0].many"),
    ("SELECT * EXCLUDE (many) FROM t", "statistics[0].parts[0].file"),
    ('SELECT * RENAME (many AS "many ") FROM t', "statistics[0].parts[0].file"),
    ("SELECT *, many AS more FROM t", "statistics[0].parts[0].file"),
    ("SELECT * REPLACE (7 AS many) FROM t", "statistics[0].parts[0].file"),
    ("SELECT * FROM t ORDER BY rowid DESC", "statistics[0].parts[0].many"),
]


@pytest.mark.parametrize(("statement", "field"), one_in(2, FORGED_NAMES))
def test_a_forged_name_in_a_side_file_is_found_out(folder, tmp_path, statement, field):
    from tests.unit.audits.test_beside import forged

    record = load_release(folder / "record.json").record
    changed = forged(record, ("statistics", 0, "parts", 0), folder, tmp_path, statement)
    assert [each.field for each in audit(changed, directory=tmp_path).findings][:1] == [field]


def test_a_file_of_enormous_names_is_not_held(folder, monkeypatch):
    """A name of a megabyte takes next to nothing in a file: how much is taken from one is bounded."""
    from snapdp.audits import side_files as cell_names

    monkeypatch.setattr(cell_names, "MOST_HELD", 1000)
    found = audit(load_release(folder / "record.json").record, directory=folder)
    assert (found.findings, found.seen, len(found.unseen)) == ((), (), 4)


def test_the_file_of_one_column_is_what_it_was(tmp_path):
    found = released(tmp_path, {"kind": "count", "by": "many", "epsilon": 1}, many=MANY)
    (name,) = found.files()
    described = duckdb.execute(f"DESCRIBE SELECT * FROM '{tmp_path / name}'").fetchall()
    assert [row[0] for row in described] == list(FIELDS)


# What people see


def test_a_report_has_the_keys_as_columns_and_every_name_is_text(result):
    page = result.to_html()
    numbers = '<th scope="col" class="r">rows</th><th scope="col" class="i">95 % interval</th>'
    for keys in (("region", "sex"), ("age", "sex")):  # the latter of a histogram by one column
        assert "".join(f'<th scope="col">{key}</th>' for key in keys) + numbers in page
    assert "<b>" not in page.split("<h3>Number of rows by region, sex</h3>")[1]
    assert "\x1b" not in page
    assert "&lt;b&gt;" in page
    assert "[0.5, 4)" in page
    assert "grouped by bins between 0, 18, 65; outside binned, null binned" in page


def test_a_terminal_shows_cells_in_one_text_without_control_characters(result):
    shown = repr(result)
    assert 'count by region, sex ["", f]' in shown
    assert "mean(pay) by sex, age [f, [18, 65]]" in shown
    assert "\x1b" not in shown
    assert "histogram(pay) by value, age [u, [0, 18), [0.5, 4)]" in shown


def test_a_plan_tells_how_many_cells_there_are():
    study = snapdp.study(dataset="p", relation="add-remove", n_max=9, columns=COLUMNS, statistic=[COUNT, PLAIN])
    lines = study.plan().lines
    assert [line.remarks for line in lines] == ["40 combinations", ""]
    assert "count by region, sex" in repr(study)
    assert "integer, 0 to 120 in steps of 1, 4 bins" in study._repr_html_()
