"""The record: a closed list of fields, canonical JSON, side files that belong to their statistic."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import random
import re
import time
from pathlib import Path

import duckdb
import pytest

import snapdp
from snapdp.audits import check_release
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.display.text import PUBLIC_TEXTS
from snapdp.errors import DataError, SnapdpError
from snapdp.ledger.chain import canonical
from snapdp.ledger.rules import identical
from snapdp.release.draw import Drawn
from snapdp.release.record import _LIKE, ALLOWED, RECORD_FORMAT, EngineUsed, checked, library_versions, record_values
from snapdp.release.request import Request
from snapdp.release.result import Release
from snapdp.studies.csv_dialect import CsvDialect
from tests.services import new_database, on_spark, postgres_server, spark_session
from tests.tiers import first_of
from tests.unit.audits.releases import random_record
from tests.unit.release.people import LONG, MEAN, new_book, released, study
from tests.unit.tables import everywhere


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
    dialect = CsvDialect(delimiter=";", decimal=",", thousands=".", encoding="latin-1", null=["NA"])
    texts = dict.fromkeys(PUBLIC_TEXTS, "for readers")
    return {**released(folder, *statistics, relation=relation).record, "csv": dialect.stated(), **texts}


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
    keys = {"count": 1, "digest": "sha256:0", "cell": [["a"]]}
    record = changed(record, ("statistics", 0), lambda at: at.update({"keys": keys}))
    grouped = next(i for i, each in enumerate(record["statistics"]) if "categories" in each.get("by", ()))
    parents = {"parents": [{"level": "county", "of": ["Kent"]}]}  # of a hierarchy
    record = changed(record, ("statistics", grouped, "by"), lambda at: at.update(parents))
    day = {"name": "day", "kind": "date", "from": "2026-01-01", "to": "2026-01-31", "each": "day"}
    day |= {"unknown": "dropped", "null": "dropped"}
    record = changed(record, (), lambda at: at.update({"person_columns": [day], "most_units": 31}))
    assert checked(record) == record
    seen = set()
    for path in places(record):
        for name in ("private_n", "seconds", "digest_of_data", "table"):
            with pytest.raises(DataError, match=f"{name}"):
                checked(changed(record, path, lambda at, name=name: at.update({name: 5000})))
        seen.add(path[-1] if path and isinstance(path[-1], str) else path[-2] if path else "record")
    assert {_LIKE.get(name, name) for name in seen} == set(ALLOWED)


JSON_KINDS = [None, True, 7, 0.5, "x", [], ["x"], [{}], {}, {"x": 1}]


def fields(value, path=()):
    """Yield the path of every field and of every element, at most two of each list."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key)
            yield from fields(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value[:2]):
            yield (*path, number)
            yield from fields(each, (*path, number))


@pytest.mark.parametrize("every", first_of([13, 1]))
def test_whatever_stands_in_a_field_it_is_refused_or_audited_and_nothing_breaks(tmp_path, every):
    """A text where a table belongs was taken for sound and broke the reader behind."""
    statistics = [
        {"kind": "mean", "column": "pay", "by": "region", "epsilon": 1},
        {"kind": "count", "where": [{"column": "age", "from": 18}], "epsilon": 1},
        {"kind": "histogram", "column": "cell", "edges": [0, 10], "outside": "binned", "epsilon": 1},
        {"kind": "histogram", "column": "many", "epsilon": 1},
    ]
    record = json.loads(canonical(released(tmp_path, *statistics, relation="add-remove").record))
    told = release_certificate(record)
    cases = itertools.islice(itertools.product(fields(record), JSON_KINDS), 0, None, every)
    for number, (path, kind) in enumerate(cases):
        wrong = changed(record, path[:-1], lambda at, path=path, kind=kind: at.__setitem__(path[-1], kind))
        with contextlib.suppress(SnapdpError):
            checked(wrong)
            if number % 17 == 0:  # the audit takes longer
                audit(wrong)
        with contextlib.suppress(check_release.Refused):
            check_release.check({**told, "record": wrong})


def test_a_text_is_no_table_and_no_list(record):
    for path, key in (((), "versions"), ((), "statistics"), ((), "derived"), (("statistics", 0), "columns")):
        with pytest.raises(DataError, match=f"another kind than records have: .*{key}"):
            checked(changed(record, path, lambda at, key=key: at.update({key: "x"})))


@pytest.mark.parametrize("every", first_of([7, 1]))
def test_a_field_that_is_lacking_or_of_another_kind_is_refused(record, every):
    """Release and report read them: what is not there must not be found out there."""
    optional = {"n", "n_max", "person", "rows_per_person", "columns", "by", "where", "edges", "outside", "count_share"}
    optional |= {"equals", "from", "below", "file", "own", "csv"} | ALLOWED["versions"] | ALLOWED["csv"]
    for path in itertools.islice(places(record), 0, None, every):
        at = record
        for step in path:
            at = at[step]
        for key in at:
            for wrong in (None, {"lower": 1}, [[1]], 1.5):
                with pytest.raises(DataError):
                    checked(changed(record, path, lambda at, key=key, wrong=wrong: at.update({key: wrong})))
            less = changed(record, path, lambda at, key=key: at.pop(key))
            of_all = path == () and key in PUBLIC_TEXTS
            if of_all or (key in optional and not (path == () and key in ("n", "n_max")) and key != "file"):
                Release(less).to_html()
            else:
                with pytest.raises(DataError):
                    checked(less)


@pytest.mark.parametrize("person", [[], ["id"], ["id", 3], ["id", None], ["id", "\ud800"], {"id": 1}, 3])
def test_a_person_is_a_column_or_a_list_of_several(person):
    made = {"relation": "add-remove", "n_max": 9, "person": ["id", "land"]}
    asked = [{"kind": "persons", "epsilon": 1}]
    declared = snapdp.study(dataset="d", columns={"g": {"kind": "boolean"}}, statistic=asked, **made)
    sound = random_record(random.Random(1), declared)
    assert checked(sound)["person"] == ["id", "land"]
    assert checked({**sound, "person": "id"})["person"] == "id"
    with pytest.raises(DataError, match=r"another kind than records have: record\.person"):
        checked({**sound, "person": person})


def test_numbers_that_do_not_belong_together_are_refused(record):
    for key in ("cell", "value", "shown", "low", "high", "index"):
        with pytest.raises(DataError, match="belong together"):
            checked(changed(record, ("statistics", 0, "parts", 0), lambda at, key=key: at[key].append(at[key][0])))


def test_a_record_of_another_format_is_refused(record):
    assert record["format"] == RECORD_FORMAT == 1
    for form in (0, 2, "1", True, 1.0, None, [1]):
        with pytest.raises(DataError, match="no record with format = 1"):
            checked({**record, "format": form})
    with pytest.raises(DataError, match="no record with format = 1"):
        checked({key: each for key, each in record.items() if key != "format"} | {"snapdp_record": 2})


def test_a_record_names_one_of_the_engines(record):
    assert record["engine"] == "duckdb"
    for wrong in ("sqlite", "", "DuckDB"):
        assert [each.field for each in audit({**record, "engine": wrong}).findings] == ["engine"]
    for key in ("engine", "date"):
        with pytest.raises(DataError, match="lacks"):
            checked({name: each for name, each in record.items() if name != key})


def test_a_request_for_a_role_of_its_own_is_another_request_and_its_record_says_so():
    plain, own = (Request(dataset="people", plan=study(MEAN).plan(), own=name) for name in (None, "ann"))
    assert "own" not in plain.declaration
    assert own.declaration == {**plain.declaration, "own": "ann"}
    assert identical(plain.epsilon, plain.declaration) != identical(own.epsilon, own.declaration)
    drawn = [
        [Drawn(line=own.lines[0], part=own.lines[0].statistic.parts[0], mechanism=own.mechanisms[0][0], indices=[0])]
    ]
    binding = {"dataset": "people", "dataset_version": "0" * 16, "charged": "1/2", "previous": "sha256:" + "0" * 64}
    binding["date"] = "2026-01-31"
    made = record_values(
        own, {**binding, "request": identical(own.epsilon, own.declaration)}, drawn, [], {}, EngineUsed(name="duckdb")
    )
    assert made["own"] == "ann"
    assert audit(made).sound
    assert [each.field for each in audit({**made, "own": "bob"}).findings] == ["request"]


def test_versions_are_told_by_libraries_that_are_not_installed_as_packages(monkeypatch):
    """A source tree on the path has no metadata; it can release all the same."""
    from importlib import metadata

    def unknown(name):
        raise metadata.PackageNotFoundError(name)

    installed = library_versions()
    monkeypatch.setattr(metadata, "version", unknown)
    library_versions.cache_clear()
    assert library_versions() == installed
    library_versions.cache_clear()


def test_a_record_holds_nothing_of_the_machine_and_of_the_moment_only_the_day_of_its_charge(record):
    assert re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", record["date"])
    text = canonical({key: each for key, each in record.items() if key != "date"})
    for told in (str(Path.cwd()), str(Path.home()), time.strftime("%Y-"), "/tmp", ".ledger"):
        assert told not in text


# Engines


TYPED = {"age": ("bigint", [31, 62, 7, None])}


def named(folder, table):
    """Return engine, versions and premise of a release from a table."""
    with new_book(folder) as ledger:
        record = study(MEAN).release(table, ledger=ledger, directory=folder).record
    assert audit(record).sound
    assert check_release.check(json.loads(json.dumps(release_certificate(record)))) == []
    return record, {each.name: each.why for each in audit(record).premises}["engine"]


def test_a_release_from_a_server_names_it_and_its_version(tmp_path):
    with new_database(postgres_server()) as where:
        record, said = named(tmp_path, everywhere.on_postgres(TYPED, where))
    assert record["engine"] == "postgresql"
    assert said.startswith(f"PostgreSQL {record['versions']['postgresql']} adds")


@on_spark
def test_a_release_from_spark_names_it_and_its_version(tmp_path):
    record, said = named(tmp_path, everywhere.on_spark(TYPED, spark_session()))
    assert record["engine"] == "spark"
    assert said.startswith(f"Spark {record['versions']['pyspark']} adds")


def test_a_release_from_a_file_names_duckdb_and_its_version(tmp_path):
    record, said = named(tmp_path, everywhere.on_duckdb(TYPED, tmp_path))
    assert said.startswith(f"DuckDB {record['versions']['duckdb']} adds")
