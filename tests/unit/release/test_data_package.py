"""The dictionary beside files of values: what the specification of data packages demands, and whose file it is."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import re

import pytest

from snapdp.errors import DataError
from snapdp.release.data_package import MARK, MOST_BYTES, MOST_PLACES, MOST_RESOURCES, NAME, place_of, slug
from snapdp.release.result import Release
from snapdp.release.value_table import SOURCES, value_table
from snapdp.studies.declarations import digest
from tests.unit.audits.releases import random_record
from tests.unit.release.people import LONG, MEAN, released

TYPES = {"string", "number", "integer", "boolean"}  # those of Table Schema that are used
NAMES = re.compile(r"[a-z0-9._-]+")


def check_package(folder):
    """Everything that Data Package, Data Resource and Table Schema demand; return the package."""
    package = json.loads((folder / NAME).read_text(encoding="ascii"))
    assert NAMES.fullmatch(package["name"])
    assert package["profile"] == "data-package"
    names = [each["name"] for each in package["resources"]]
    assert len(set(names)) == len(names) > 0
    for resource in package["resources"]:
        assert NAMES.fullmatch(resource["name"])
        path = folder / resource["path"]
        content = path.read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert resource["format"] == path.suffix.removeprefix(".")
        assert resource["mediatype"] in ("text/csv", "application/vnd.apache.parquet")
        schema = resource["schema"]
        fields = [field["name"] for field in schema["fields"]]
        assert len(set(fields)) == len(fields)
        assert set(schema.get("primaryKey", [])) <= set(fields)
        for field in schema["fields"]:
            assert field["type"] in TYPES
            assert field["title"]
            assert field["description"].endswith(".")
        assert re.fullmatch("sha256:[0-9a-f]{64}", resource["record"])
    return package


@pytest.mark.parametrize("seed", range(0, 60, 6))
def test_a_dictionary_lists_exactly_the_columns_of_its_file(seed, tmp_path):
    release = Release(random_record(random.Random(seed)))
    release.save(tmp_path / "values.csv")
    release.save(tmp_path / "values.parquet")
    package = check_package(tmp_path)
    table = value_table(release.blocks())
    assert [each["path"] for each in package["resources"]] == ["values.csv", "values.parquet"]
    for resource in package["resources"]:
        assert [field["name"] for field in resource["schema"]["fields"]] == list(table.columns)
        assert resource["record"] == digest(release.to_json())
        described = {field["name"]: field for field in resource["schema"]["fields"]}
        assert described["source"]["constraints"] == {"required": True, "enum": list(SOURCES)}
        for name, field in described.items():
            if "constraints" in field:
                assert None not in table.columns[name]


def test_a_dictionary_says_what_is_protected_what_it_cost_and_how_sure_intervals_are(tmp_path):
    result = released(tmp_path, MEAN)
    result.save(tmp_path / "v.csv")
    (resource,) = check_package(tmp_path)["resources"]
    assert resource["epsilon"] == "0.5"
    assert resource["protected"] == "Protects the values in any one row; the number of rows, 4, is public."
    described = {field["name"]: field for field in resource["schema"]["fields"]}
    assert described["low"]["title"] == "lower end, 95 %"
    assert "in 95 of 100 releases or more" in described["high"]["description"]


def test_a_second_file_joins_the_package_and_one_of_the_same_name_is_described_anew(tmp_path):
    first, second = (Release(random_record(random.Random(seed))) for seed in (1, 2))
    first.save(tmp_path / "a.csv")
    second.save(tmp_path / "b.csv")
    assert [each["path"] for each in check_package(tmp_path)["resources"]] == ["a.csv", "b.csv"]
    second.save(tmp_path / "a.csv")
    package = check_package(tmp_path)
    assert sorted(each["path"] for each in package["resources"]) == ["a.csv", "b.csv"]
    assert {each["record"] for each in package["resources"]} == {digest(second.to_json())}


def test_what_somebody_added_by_hand_stays(tmp_path):
    release = released(tmp_path, MEAN)
    release.save(tmp_path / "v.csv")
    package = json.loads((tmp_path / NAME).read_text())
    (tmp_path / NAME).write_text(json.dumps({**package, "licenses": [{"name": "CC0-1.0"}]}))
    release.save(tmp_path / "w.csv")
    assert check_package(tmp_path)["licenses"] == [{"name": "CC0-1.0"}]


@pytest.mark.parametrize("content", ["{}", "[]", "not JSON", '{"name": "theirs"}', f'{{"{MARK}": 1, "resources": 7}}'])
def test_a_package_that_is_not_ours_is_left_alone_and_nothing_fails(content, tmp_path):
    (tmp_path / NAME).write_text(content)
    release = released(tmp_path, MEAN)
    release.save(tmp_path / "v.csv")
    assert (tmp_path / NAME).read_text() == content
    assert place_of(tmp_path / "v.csv") == tmp_path / f"v.{NAME}"
    (resource,) = json.loads((tmp_path / f"v.{NAME}").read_text())["resources"]
    assert resource["path"] == "v.csv"
    (tmp_path / f"w.{NAME}").mkdir()
    release.save(tmp_path / "w.csv")
    assert (tmp_path / f"w-2.{NAME}").exists()


def ours(*resources, **more):
    return json.dumps({MARK: 1, "resources": resources, **more})


DEEP = "[" * 900 + "]" * 900
FORGED = {
    "a path of several": ours({"path": ["a"], "name": ["b"]}),
    "a path that is a table": ours({"path": {"v.csv": 1}, "name": {}}),
    "no path": ours({}, {"name": None}, {"path": 7}),
    "many resources": ours(*({"name": f"v.csv-{number}"} for number in range(MOST_RESOURCES - 1))),
    "too many resources": ours(*({"name": f"v.csv-{number}"} for number in range(MOST_RESOURCES + 1))),
    "too deep to write": f'{{"{MARK}": 1, "resources": [], "deep": {DEEP}}}',
    "numbers that are none": f'{{"{MARK}": 1, "resources": [], "n": NaN, "x": 1e999, "huge": {"9" * 4000}}}',
    "halves of pairs": f'{{"{MARK}": 1, "resources": [{{"name": "\\ud800", "path": "\\ud800"}}], "\\udfff": 1}}',
    "other types of its own fields": ours(name=[], title={}, contributors=7, profile=None),
    "too long": ours(filler="x" * MOST_BYTES),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_whatever_says_that_it_is_our_package_the_values_and_a_dictionary_are_written(forged, tmp_path):
    release = released(tmp_path, MEAN)
    (tmp_path / NAME).write_text(forged)
    release.save(tmp_path / "v.csv")
    package = json.loads(place_of(tmp_path / "v.csv").read_text())
    (mine,) = [each for each in package["resources"] if each.get("path") == "v.csv"]
    assert mine["record"] == digest(release.to_json())
    assert NAMES.fullmatch(mine["name"])


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_a_package_that_is_no_regular_file_is_neither_read_nor_waited_for(make, tmp_path):
    make(tmp_path / NAME)
    released(tmp_path, MEAN).save(tmp_path / "v.csv")
    assert place_of(tmp_path / "v.csv") == tmp_path / f"v.{NAME}"


def test_a_link_to_a_package_of_ours_elsewhere_is_left_alone(tmp_path):
    (tmp_path / "elsewhere").write_text(ours())
    (tmp_path / NAME).symlink_to("elsewhere")
    released(tmp_path, MEAN).save(tmp_path / "v.csv")
    assert ((tmp_path / "elsewhere").read_text(), place_of(tmp_path / "v.csv").name) == (ours(), f"v.{NAME}")


def test_where_others_have_every_name_a_dictionary_is_refused_and_the_values_are_there(tmp_path):
    release = released(tmp_path, MEAN)
    for name in (NAME, f"v.{NAME}", *(f"v-{number}.{NAME}" for number in range(2, MOST_PLACES))):
        (tmp_path / name).write_text("of somebody else")
    with pytest.raises(DataError, match="another directory"):
        place_of(tmp_path / "v.csv")
    with pytest.raises(DataError, match="no place"):
        release.save(tmp_path / "v.csv")
    assert (tmp_path / "v.csv").read_text().startswith("statistic,")


@pytest.mark.parametrize("column", ["=1+1", "@x", "-1", "'=1", "a;=b", "plain"])
def test_a_dictionary_names_columns_as_its_file_has_them(column, tmp_path):
    record = released(tmp_path, {"kind": "histogram", "column": "region", "epsilon": 1}).record
    text = json.dumps(record).replace('"name": "region"', f'"name": {json.dumps(column)}')
    release = Release(json.loads(text))
    release.save(tmp_path / "v.csv")
    release.save(tmp_path / "v.parquet")
    package = check_package(tmp_path)
    with (tmp_path / "v.csv").open(newline="", encoding="utf-8") as file:
        head = next(csv.reader(file))
    table = value_table(release.blocks())
    assert column in table.columns
    for resource, names in zip(package["resources"], (head, list(table.columns)), strict=True):
        assert [field["name"] for field in resource["schema"]["fields"]] == names
        assert column in [field["title"] for field in resource["schema"]["fields"]]


def test_long_tables_that_lie_beside_the_values_are_described_too(tmp_path):
    result = released(tmp_path, LONG, MEAN)
    result.save(tmp_path / "v.parquet")
    values, long = check_package(tmp_path)["resources"]
    assert f"no row here: histogram(cell) (in {result.files()[0]})." in values["description"]
    assert (values["path"], long["path"]) == ("v.parquet", *result.files())
    assert [field["name"] for field in long["schema"]["fields"]] == ["cell", "index", "value", "shown", "low", "high"]
    assert long["title"] == "histogram(cell)"


def test_texts_of_the_study_name_the_package(tmp_path):
    record = released(tmp_path, MEAN).record
    texts = {"title": "How old we are", "publisher": "An office", "contact": "office@example.org"}
    Release(record | texts).save(tmp_path / "v.csv")
    package = check_package(tmp_path)
    assert package["title"] == "How old we are"
    assert package["contributors"] == [{"title": "An office", "role": "publisher", "email": "office@example.org"}]


@pytest.mark.parametrize("name", ["", "../x", "=cmd|x", "\u202e", "A B.csv", "..", "x" * 300])
def test_any_name_becomes_one_that_packages_take(name):
    assert NAMES.fullmatch(slug(name))
