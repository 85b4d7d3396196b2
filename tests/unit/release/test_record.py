"""The record: a closed list of fields, canonical JSON, side files that belong to their statistic."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path

import duckdb
import pytest

from snapdp.errors import DataError
from snapdp.release.chain import canonical
from snapdp.release.record import ALLOWED, checked
from snapdp.release.result import Release
from tests.unit.release.people import LONG, MEAN, released


def cells_of(folder, file):
    with duckdb.connect() as connection:
        return connection.execute(f"SELECT cell, index FROM '{folder / file['name']}'").fetchall()


def test_two_long_histograms_of_one_column_have_a_side_file_each(tmp_path):
    """They have one title; the record once named the file of the last one for both."""
    other = {**LONG, "edges": list(range(1000, 2300))}
    parts = [each["parts"][0] for each in released(tmp_path, LONG, other).record["statistics"]]
    assert [part["cells"] for part in parts] == [part["file"]["rows"] for part in parts] == [1099, 1299]
    assert [cells_of(tmp_path, part["file"])[0][0] for part in parts] == ["[0, 1)", "[1000, 1001)"]
    for part in parts:
        content = (tmp_path / part["file"]["name"]).read_bytes()
        assert part["file"]["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert part["file"]["name"] == f"snapdp-{part['file']['digest'][7:39]}.parquet"


# The closed list


def everything(folder, relation):
    """Return a record with every kind of field."""
    statistics = [
        MEAN,
        LONG,
        {"kind": "mean", "column": "pay", "by": "region", "epsilon": 1},
        {
            "kind": "count",
            "where": [{"column": "age", "from": 18}, {"column": "region", "equals": "north"}],
            "epsilon": 1,
        },
        {"kind": "histogram", "column": "region", "epsilon": 1},
        {"kind": "histogram", "column": "cell", "edges": [0, 10], "outside": "binned", "epsilon": 1},
        {"kind": "histogram", "column": "many", "epsilon": 1},
    ]
    if relation == "change-one":
        statistics += [{"kind": "variance", "column": name, "epsilon": 1} for name in ("age", "pay")]
        statistics += [{"kind": "covariance", "columns": ["age", "pay"], "epsilon": 1}]
    return released(folder, *statistics, relation=relation).record


@pytest.fixture(scope="module", params=["change-one", "add-remove"])
def record(request, tmp_path_factory):
    return everything(tmp_path_factory.mktemp("record"), request.param)


def places(value, path=()):
    """Yield the path of every table in a record."""
    if isinstance(value, dict):
        yield path
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def changed(record, path, change):
    copy = json.loads(canonical(record))
    at = copy
    for step in path:
        at = at[step]
    change(at)
    return copy


def test_a_record_is_accepted_as_it_was_written(record):
    assert checked(record) == record
    assert checked(json.loads(canonical(record))) == json.loads(canonical(record))


def test_a_field_that_is_not_on_the_list_is_refused_wherever_it_stands(record):
    seen = set()
    for path in places(record):
        for name in ("private_n", "seconds", "digest_of_data", "table"):
            with pytest.raises(DataError, match=f"{name}"):
                checked(changed(record, path, lambda at, name=name: at.update({name: 5000})))
        seen.add(path[-1] if path and isinstance(path[-1], str) else path[-2] if path else "record")
    assert seen == set(ALLOWED)


def test_a_field_that_is_lacking_or_of_another_kind_is_refused(record):
    """Release and report read them: what is not there must not be found out there."""
    optional = {"n", "n_max", "person", "rows_per_person", "columns", "by", "where", "edges", "outside", "count_share"}
    optional |= {"equals", "from", "below", "file"} | ALLOWED["versions"]
    for path in places(record):
        at = record
        for step in path:
            at = at[step]
        for key in at:
            for wrong in (None, {"lower": 1}, [[1]], 1.5):
                with pytest.raises(DataError):
                    checked(changed(record, path, lambda at, key=key, wrong=wrong: at.update({key: wrong})))
            less = changed(record, path, lambda at, key=key: at.pop(key))
            if key in optional and not (path == () and key in ("n", "n_max")) and key != "file":
                Release(less).to_html()
            else:
                with pytest.raises(DataError):
                    checked(less)


def test_numbers_that_do_not_belong_together_are_refused(record):
    for key in ("cell", "value", "low", "high", "index"):
        with pytest.raises(DataError, match="belong together"):
            checked(changed(record, ("statistics", 0, "parts", 0), lambda at, key=key: at[key].append(at[key][0])))


def test_a_record_of_another_version_is_refused(record):
    for version in (0, 2, "1", None, [1]):
        with pytest.raises(DataError):
            checked({**record, "snapdp_record": version})


def test_a_record_holds_nothing_of_the_machine_or_the_moment(record):
    text = canonical(record)
    for told in (str(Path.cwd()), str(Path.home()), time.strftime("%Y-"), "/tmp", ".ledger"):
        assert told not in text
