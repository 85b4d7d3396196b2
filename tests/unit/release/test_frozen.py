"""Formats that were handed out are closed: their fields, and the bytes of what was written.

`python -m tests.unit.release.test_frozen` adds golden files that are new to SHA256SUMS; it refuses where one changed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.ledger.chain import canonical
from snapdp.release.record import ALLOWED, VERSIONS as RECORDS
from snapdp.studies import KINDS, reader
from snapdp.studies.categories import KIND_KEYS
from tests import VECTORS
from tests.unit.release.test_golden import each_of, in_its_place

GOLDEN = VECTORS / "golden"
SUMS, CLOSED, UNLISTED = GOLDEN / "SHA256SUMS", GOLDEN / "closed", {"README.md", "SHA256SUMS"}
V2 = GOLDEN / "v2"
# Joined version 2 after its files were written: no version was ever handed out.
ADDED = {"person_columns", "most_units"}


def sums() -> dict[str, str]:
    """Return the digests of the golden files, by their paths."""
    files = sorted(path for path in GOLDEN.rglob("*") if path.is_file() and path.name not in UNLISTED)
    return {str(path.relative_to(GOLDEN)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def listed() -> dict[str, str]:
    """Return the digests that are kept, in the form that `sha256sum --check` reads."""
    pairs = (line.split("  ", 1) for line in SUMS.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in pairs}


def fields_of_records(version: int) -> dict[str, list[str]]:
    """Return the fields of a version of records, by their place; details of statistics belong to their kind."""
    later = [added for number, added in RECORDS.items() if number > version]
    return {
        place: sorted(known - ADDED - set().union(*(added.get(place, set()) for added in later)))
        for place, known in ALLOWED.items()
        if place not in ADDED
    }


def keys_of_studies(version: int) -> dict[str, list[str]]:
    """Return the keys of a version of studies: of the study, its CSV files, its columns and what a statistic costs."""
    later = set().union(*(added for number, added in reader.VERSIONS.items() if number > version))
    return {
        "study": sorted(set(reader.STUDY_KEYS) - later),
        "csv": sorted(reader.CSV_KEYS),
        "number": sorted({*reader.NUMBER_KEYS, *reader.BIN_KEYS}),
        **{kind: sorted(keys) for kind, keys in KIND_KEYS.items()},
        "statistic": sorted(reader.COST_KEYS),
    }


def keys_of_kinds() -> dict[str, dict[str, list[str]]]:
    """Return what statistics take in a study and say in a record, by their kinds."""
    return {name: {"study": sorted(kind.toml_keys()), "record": sorted(kind.details)} for name, kind in KINDS.items()}


def closed() -> dict[str, object]:
    """Return what each file of CLOSED has; a version that is handed out adds one, and none is written again."""
    return {
        "record-1": fields_of_records(1),
        "record-2": fields_of_records(2),
        "study-1": keys_of_studies(1)["study"],
        "study-2": keys_of_studies(2),
    }


def kept(name: str) -> Any:
    return json.loads((CLOSED / f"{name}.json").read_text(encoding="utf-8"))


def test_no_golden_file_was_ever_written_again():
    assert sums() == listed()


def test_a_changed_golden_file_would_be_seen(tmp_path, monkeypatch):
    copy = shutil.copytree(GOLDEN, tmp_path / "golden")
    (copy / "v1" / "record.json").write_text("{}", encoding="utf-8")
    monkeypatch.setitem(globals(), "GOLDEN", copy)
    assert {name for name, digest in sums().items() if listed()[name] != digest} == {"v1/record.json"}


@pytest.mark.parametrize("version", closed())
def test_a_version_that_was_handed_out_has_the_fields_it_had(version):
    """One more is no fault of the list: it opens the next version."""
    assert closed()[version] == kept(version)


def test_a_kind_of_statistic_that_was_handed_out_has_every_key_it_had():
    """It may get more, and there may be new kinds: a library that does not know one refuses it by name."""
    now = keys_of_kinds()
    for name, places in kept("kinds-2").items():
        for place, keys in places.items():
            assert set(keys) <= set(now[name][place]), (name, place)


def test_every_list_that_is_kept_is_compared():
    assert {path.stem for path in CLOSED.iterdir()} == {*closed(), "kinds-2"}


@each_of("record*.json")
def test_a_record_is_read_to_the_bytes_that_were_written(path):
    text = path.read_text(encoding="utf-8")
    release = snapdp.load_release(path)
    assert release.to_json() == canonical(json.loads(text), name="record") == text.rstrip("\n")


def fields_found(value: object, place: str = "record") -> set[tuple[str, str]]:
    """Return the fields that stand in a record, each with its place."""
    if isinstance(value, list):
        return set().union(*(fields_found(each, place) for each in value))
    if not isinstance(value, dict):
        return set()
    inside = (fields_found(each, key) for key, each in value.items())
    return {(place, key) for key in value}.union(*inside)


def test_every_field_of_version_2_stands_in_some_record_that_is_kept():
    """But for those that a server is needed for, which tests/unit/release try with one, and for what none ever has."""
    found = set().union(*(fields_found(json.loads(path.read_text())) for path in V2.glob("record*.json")))
    lacking = {(place, key) for place, known in ALLOWED.items() for key in known if not {place, key} & ADDED} - found
    assert lacking == NOT_KEPT


NOT_KEPT = {
    ("record", "own"), ("versions", "postgresql"), ("versions", "pyspark"),
    ("by", "exponents"), ("column", "exponents"), ("derived", "index"),
    ("by", "missing_in_sums"), ("column", "missing_in_sums"),
}  # fmt: skip


def in_place_with_files(folder: Path) -> Path:
    """Return the study of pay in a folder, with its table and its files."""
    for path in V2.glob("snapdp-*.parquet.base64"):
        (folder / path.name.removesuffix(".base64")).write_bytes(base64.b64decode(path.read_text()))
    return in_its_place(folder, V2 / "pay.toml")


def test_a_release_with_everything_is_sound_with_its_files(tmp_path):
    record = json.loads((V2 / "record-pay.json").read_text())
    in_place_with_files(tmp_path)
    found = audit(record, directory=tmp_path)
    assert (found.findings, len(found.seen)) == ((), 5)


def test_a_file_that_is_not_the_one_that_the_record_names_is_found(tmp_path):
    in_place_with_files(tmp_path)
    record = json.loads((V2 / "record-pay.json").read_text())
    name = record["statistics"][0]["parts"][0]["file"]["name"]
    content = bytearray((tmp_path / name).read_bytes())
    content[100] ^= 1
    (tmp_path / name).write_bytes(content)
    assert audit(record, directory=tmp_path).findings != ()


if __name__ == "__main__":
    before, now = listed() if SUMS.exists() else {}, sums()
    if changed := [name for name, digest in before.items() if now.get(name) != digest]:
        raise SystemExit(f"changed, and may not be: {', '.join(changed)}")
    SUMS.write_text("".join(f"{digest}  {name}\n" for name, digest in now.items()), encoding="utf-8")
