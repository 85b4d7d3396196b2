"""The dictionary beside files of values: what the specification of data packages demands, and whose file it is."""

from __future__ import annotations

import hashlib
import json
import random
import re

import pytest

from snapdp.release.result import Release
from snapdp.release.tidy.data_package import MARK, NAME, place_of, slug
from snapdp.release.tidy.value_table import SOURCES, value_table
from snapdp.studies import digest
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
    assert resource["protected"] == "The values of one row change; the number of rows, 4, is public."
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


def test_long_tables_that_lie_beside_the_values_are_described_too(tmp_path):
    result = released(tmp_path, LONG, MEAN)
    result.save(tmp_path / "v.parquet")
    values, long = check_package(tmp_path)["resources"]
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
