"""Side files beside a record: bytes, shape, names and every number are looked at; what was not there is said."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import duckdb
import pytest

import snapdp
from snapdp.audits import findings as forensics
from snapdp.audits.release_audit import audit, is_sound
from snapdp.release import files as side_files
from tests.tiers import one_in
from tests.unit.audits.mutations import at
from tests.unit.release.people import LONG, released, study

MEANS = {"kind": "mean", "column": "age", "by": "many", "epsilon": 1}
BINS, SUMS, COUNTS, MEAN = (
    ("statistics", 0, "parts", 0),
    ("statistics", 1, "parts", 0),
    ("statistics", 1, "parts", 1),
    ("derived", 0),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A release of a long histogram and of long means, with its four files; the name asks for care."""
    place = tmp_path_factory.mktemp("it's [1] *")
    result = released(place, LONG, MEANS, relation="add-remove")
    result.save(place / "record.json")
    return place


@pytest.fixture
def record(folder):
    found: dict[str, Any] = json.loads((folder / "record.json").read_text())
    return found


def forged(record: dict[str, Any], path: tuple[Any, ...], folder: Path, to: Path, statement: str) -> dict[str, Any]:
    """Return a record whose block names another file, made of the genuine one; the digest is that of the forgery."""
    changed = copy.deepcopy(record)
    for file in folder.glob("snapdp-*.parquet"):
        (to / file.name).write_bytes(file.read_bytes())
    genuine, made = to / at(record, path)["file"]["name"], to / "made.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM read_parquet(?)", [str(genuine)])
        connection.execute(f"COPY ({statement}) TO '{made}' (FORMAT PARQUET)")
    digest = hashlib.sha256(made.read_bytes()).hexdigest()
    name = f"snapdp-{digest[:32]}.parquet"
    made.rename(to / name)
    at(changed, path)["file"] |= {"name": name, "digest": f"sha256:{digest}"}
    return changed


def test_files_beside_a_record_are_seen_and_sound(folder, record):
    found = audit(record, directory=folder)
    assert (found.findings, found.unseen) == ((), ())
    assert sorted(found.seen) == sorted(at(record, path)["file"]["name"] for path in (BINS, SUMS, COUNTS, MEAN))
    assert is_sound(record, folder)


def test_without_a_directory_or_without_the_files_it_is_said_that_they_were_not_looked_at(folder, record, tmp_path):
    names = [at(record, path)["file"]["name"] for path in (BINS, SUMS, COUNTS, MEAN)]
    for place in (None, tmp_path):
        found = audit(record, directory=place)
        assert (found.findings, found.seen, sorted(found.unseen)) == ((), (), sorted(names))
    (tmp_path / names[3]).write_bytes((folder / names[3]).read_bytes())
    assert names[3] in audit(record, directory=tmp_path).unseen  # it follows from two that are not there
    (tmp_path / names[0]).mkdir()
    assert names[0] in audit(record, directory=tmp_path).unseen


@pytest.mark.parametrize("path", [BINS, SUMS, COUNTS, MEAN])
def test_a_byte_more_is_another_file(folder, record, tmp_path, path):
    changed = forged(record, path, folder, tmp_path, "SELECT * FROM t")
    file = tmp_path / at(record, path)["file"]["name"]
    file.write_bytes(file.read_bytes() + b"x")
    (found,) = audit(record, directory=tmp_path).findings
    place = f"{path[0]}[{path[1]}].parts[{path[3]}]" if len(path) == 4 else f"{path[0]}[{path[1]}]"
    assert (found.field, found.should) == (f"{place}.file", at(record, path)["file"]["digest"])
    assert not is_sound(record, tmp_path)
    assert audit(changed, directory=tmp_path).sound  # the same numbers, written by somebody else


FORGERIES = [
    (BINS, "SELECT * REPLACE (value + 1 AS value) FROM t", "statistics[0].parts[0].value[0]"),
    (BINS, "SELECT * REPLACE (if(cell = '[7, 8)', low - 1, low) AS low) FROM t", "statistics[0].parts[0].low[7]"),
    (BINS, "SELECT * REPLACE (high::DOUBLE AS high) FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT * REPLACE (index::DOUBLE AS index) FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT * REPLACE (index + 1 AS index) FROM t", "statistics[0].parts[0].value[0]"),
    (BINS, f"SELECT * REPLACE (index + {2**40} AS index) FROM t", "statistics[0].parts[0].index[0]"),
    (BINS, "SELECT * REPLACE (NULL::BIGINT AS value) FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT * REPLACE (if(cell = '[7, 8)', '[8, 7)', cell) AS cell) FROM t", "statistics[0].parts[0].cell[7]"),
    (BINS, "SELECT * REPLACE (NULL::VARCHAR AS cell) FROM t", "statistics[0].parts[0].cell[0]"),
    (BINS, "SELECT * EXCLUDE (high) FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT *, 'Bob' AS who FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT * REPLACE (repeat('x', 10000) AS cell) FROM t", "statistics[0].parts[0].cell[0]"),
    (BINS, "SELECT * FROM t LIMIT 1098", "statistics[0].parts[0].file"),
    (BINS, "SELECT * FROM t UNION ALL SELECT * FROM t", "statistics[0].parts[0].file"),
    (BINS, "SELECT * FROM t ORDER BY rowid DESC", "statistics[0].parts[0].cell[0]"),
    (SUMS, "SELECT * REPLACE (nextafter(value, 1e9::DOUBLE) AS value) FROM t", "statistics[1].parts[0].value[0]"),
    (SUMS, "SELECT * REPLACE (NULL::DOUBLE AS low) FROM t", "statistics[1].parts[0].low[0]"),
    (COUNTS, "SELECT * REPLACE (if(cell = 'key 7', 'key 8', cell) AS cell) FROM t", "statistics[1].parts[1].cell"),
    (MEAN, "SELECT * REPLACE (if(cell = 'key 7', 119.5, value) AS value) FROM t", "derived[0].value[7]"),
    (MEAN, "SELECT * REPLACE (if(cell = 'key 7', 119.5, high) AS high) FROM t", "derived[0].high[7]"),
    (MEAN, "SELECT *, 0 AS index FROM t", "derived[0].file"),
]


@pytest.mark.parametrize(("path", "statement", "field"), one_in(2, FORGERIES))
def test_a_forged_file_with_a_fitting_digest_is_found_out(folder, record, tmp_path, path, statement, field):
    changed = forged(record, path, folder, tmp_path, statement)
    assert [each.field for each in audit(changed, directory=tmp_path).findings][:1] == [field]


def test_a_zero_of_another_sign_in_a_file_is_found_out(folder, record, tmp_path):
    changed = forged(record, SUMS, folder, tmp_path, "SELECT * REPLACE (0.0 * value AS value) FROM t")
    other = forged(record, SUMS, folder, tmp_path, "SELECT * REPLACE (-0.0 * value AS value) FROM t")
    assert not audit(changed, directory=tmp_path).sound
    assert not audit(other, directory=tmp_path).sound


@pytest.mark.parametrize("content", [b"", b"no parquet", b"PAR1" * 100])
def test_what_is_no_parquet_is_named_and_breaks_nothing(record, tmp_path, content):
    digest = hashlib.sha256(content).hexdigest()
    changed = copy.deepcopy(record)
    name = f"snapdp-{digest[:32]}.parquet"
    at(changed, BINS)["file"] |= {"name": name, "digest": f"sha256:{digest}"}
    (tmp_path / name).write_bytes(content)
    (found,) = audit(changed, directory=tmp_path).findings
    assert found.field == "statistics[0].parts[0].file"
    assert "no Parquet" in found.should


def test_a_file_that_breaks_off_is_another_file(folder, record, tmp_path):
    name = at(record, BINS)["file"]["name"]
    (tmp_path / name).write_bytes((folder / name).read_bytes()[:-1000])
    assert [each.field for each in audit(record, directory=tmp_path).findings] == ["statistics[0].parts[0].file"]


def test_a_file_that_is_too_long_for_its_rows_is_not_read(folder, record, tmp_path, monkeypatch):
    """A file of 4 GB with nothing in it takes no place, and took the audit most of a minute."""
    for file in folder.glob("snapdp-*.parquet"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    name = at(record, BINS)["file"]["name"]
    os.truncate(tmp_path / name, 1 << 40)
    digests, usual = [], side_files.hashlib.file_digest
    monkeypatch.setattr(
        side_files.hashlib, "file_digest", lambda file, how: digests.append(file.name) or usual(file, how)
    )
    found = audit(record, directory=tmp_path).findings
    assert [(each.about, each.should) for each in found] == [(name, at(record, BINS)["file"]["digest"])]
    assert "too long for its rows" in found[0].says
    assert str(tmp_path / name) not in digests
    assert len(digests) > 0


def test_names_are_fetched_a_few_at_a_time(folder, record, monkeypatch):
    monkeypatch.setattr(side_files, "NAMES_AT_ONCE", 7)
    assert audit(record, directory=folder).sound
    monkeypatch.setattr(side_files, "BYTES_AT_ONCE", 1)
    assert audit(record, directory=folder).sound


def test_names_of_groups_by_bins_that_a_record_names_by_a_digest_are_known_to_who_asked(tmp_path):
    asked = {"kind": "histogram", "column": "region", "by": "many", "epsilon": 1}
    result = released(tmp_path, asked, relation="add-remove")
    (name,) = result.files()
    found = audit(result.record, directory=tmp_path)
    assert (found.sound, found.seen, found.unseen) == (True, (), (name,))
    request = study(asked, relation="add-remove").request()
    found = audit(result.record, directory=tmp_path, request=request)
    assert (found.sound, found.seen, found.unseen) == (True, (name,), ())
    swapped = "SELECT * REPLACE (if(cell = 'key 0 / north', 'key 1 / north', cell) AS cell) FROM t"
    part = ("statistics", 0, "parts", 0)
    (tmp_path / "other").mkdir()
    lie = forged(result.record, part, tmp_path, tmp_path / "other", swapped)
    assert is_sound(lie, tmp_path / "other")
    assert not is_sound(lie, tmp_path / "other", request)


def test_another_request_is_not_the_one_that_was_asked(folder, record, monkeypatch):
    monkeypatch.setattr(forensics, "MOST_WORK", 0)
    other = study(LONG, {**MEANS, "epsilon": 2}, relation="add-remove").request()
    assert not is_sound(record, folder, other)
    assert is_sound(record, folder, study(LONG, MEANS, relation="add-remove").request())


# Quantiles: every depth and everything derived has cells of its own

RANKS = {"kind": "quantiles", "column": "kids", "at": ["0.25", "0.5"], "branching": 3, "by": ["many", "sick"]}
DAYS = {"kind": "quantiles", "column": "days", "branching": 40}
NODES, LEVELS, QUANTILES, POINTS = (
    ("statistics", 0, "parts", 0),
    ("statistics", 0, "parts", 1),
    *(("derived", place) for place in (0, 1)),
)
DAY_LEVELS = ("statistics", 1, "parts", 1)


@pytest.fixture(scope="module")
def ranks(tmp_path_factory):
    """Quantiles in many crossed groups, all in files, and those of one column whose levels alone are in one."""
    place = tmp_path_factory.mktemp("it's [2] *")
    columns = {
        "kids": {"kind": "integer", "lower": 0, "upper": 6, "missing": "dropped"},
        "days": {"kind": "integer", "lower": 1, "upper": 1100, "missing": 1},
        "many": {"kind": "category", "categories": [f"key {i}" for i in range(300)]},
        "sick": {"kind": "boolean"},
    }
    rows = {"kids": [1, 2, None], "days": [1, 70, 2000], "many": ["key 7"] * 3, "sick": ["yes", "no", "yes"]}
    asked = [{**each, "epsilon": 1} for each in (RANKS, DAYS)]
    study_of = snapdp.study(dataset="d", relation="add-remove", n_max=9, columns=columns, statistic=asked)
    with snapdp.Ledger.create(place / "ledger") as ledger:
        ledger.create_account("d", cap=9, relation="add-remove", rows=9)
        study_of.release(rows, ledger=ledger, directory=place).save(place / "record.json")
    return place


def test_files_of_quantiles_are_seen_and_sound(ranks):
    record = json.loads((ranks / "record.json").read_text())
    files = [at(record, path) for path in (NODES, LEVELS, QUANTILES, POINTS, DAY_LEVELS)]
    assert [each["file"]["rows"] for each in files] == [1800, 4200, 1200, 4200, 1100]
    assert sum("file" in each for each in [*record["statistics"][1]["parts"], *record["derived"][2:]]) == 1
    found = audit(record, directory=ranks)
    assert (found.findings, found.unseen, len(found.seen)) == ((), (), 5)
    without = audit(record)
    assert (without.findings, without.seen, len(without.unseen)) == ((), (), 5)


def test_what_follows_from_levels_in_a_file_is_derived_where_the_file_is_there(ranks):
    record = json.loads((ranks / "record.json").read_text())
    record["derived"][2]["value"][0] += 1
    assert [each.field for each in audit(record, directory=ranks).findings] == ["derived[2].value[0]"]
    assert audit(record).sound  # of what was not looked at nothing is said, ...
    record["derived"][2]["value"][0] += 0.5
    assert [each.field for each in audit(record).findings] == ["derived[2].value[0]"]  # but whether it is whole


RANK_FORGERIES = [
    (NODES, "SELECT * REPLACE (nextafter(value, 1e9::DOUBLE) AS value) FROM t", "statistics[0].parts[0].value[0]"),
    (LEVELS, "SELECT * REPLACE (index + 1 AS index) FROM t", "statistics[0].parts[1].value[0]"),
    (LEVELS, "SELECT * REPLACE (if(rowid = 9, '7', kids) AS kids) FROM t", "statistics[0].parts[1].kids[9]"),
    (NODES, "SELECT * REPLACE ('0 to 3' AS kids) FROM t", "statistics[0].parts[0].kids[0]"),
    (NODES, "SELECT * EXCLUDE (kids) FROM t", "statistics[0].parts[0].file"),
    (QUANTILES, "SELECT * REPLACE (if(rowid = 5, 7, value) AS value) FROM t", "derived[0].value[5]"),
    (QUANTILES, "SELECT * REPLACE (if(rowid = 5, 7, shown) AS shown) FROM t", "derived[0].shown[5]"),
    (QUANTILES, "SELECT * REPLACE (if(rowid = 5, -1, low) AS low) FROM t", "derived[0].low[5]"),
    (QUANTILES, "SELECT * REPLACE (high::DOUBLE AS high) FROM t", "derived[0].file"),
    (QUANTILES, "SELECT * REPLACE (if(rowid = 5, '0.75', quantile) AS quantile) FROM t", "derived[0].quantile[5]"),
    (POINTS, "SELECT * REPLACE (if(rowid = 7, shown + 1, shown) AS shown) FROM t", "derived[1].shown[7]"),
    (POINTS, "SELECT * REPLACE (if(rowid = 7, high + 1, high) AS high) FROM t", "derived[1].high[7]"),
    (POINTS, 'SELECT * REPLACE (if(rowid = 7, \'6\', "up to") AS "up to") FROM t', "derived[1].up to[7]"),
    (DAY_LEVELS, "SELECT * REPLACE (if(rowid = 1, '3', cell) AS cell) FROM t", "statistics[1].parts[1].cell[1]"),
]


@pytest.mark.parametrize(("path", "statement", "field"), one_in(2, RANK_FORGERIES))
def test_a_forged_file_of_quantiles_with_a_fitting_digest_is_found_out(ranks, tmp_path, path, statement, field):
    record = json.loads((ranks / "record.json").read_text())
    changed = forged(record, path, ranks, tmp_path, statement)
    assert field in [each.field for each in audit(changed, directory=tmp_path).findings]
