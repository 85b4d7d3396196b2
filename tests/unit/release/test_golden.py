"""Files of every kind that earlier versions wrote are read for ever: tests/vectors/golden."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import math
import shutil
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.cli.app import main
from snapdp.display.numbers import six_digits
from snapdp.ledger.belonging import identical
from snapdp.release.derived import derived_blocks
from snapdp.release.digits import shown_interval, shown_value
from snapdp.release.draw import Drawn
from snapdp.release.remarks import unknown_places
from tests import VECTORS

GOLDEN = VECTORS / "golden"
V1, V2, V3 = GOLDEN / "v1", GOLDEN / "v2", GOLDEN / "v3"
STUDIES = {V1 / "change-one.toml": "record.json", V1 / "add-remove.toml": "record-with-files.json"}
NEWER = {
    V2 / "change-one.toml": "record.json",
    V2 / "persons.toml": "record-persons.json",
    V2 / "quantiles.toml": "record-quantiles.json",
    V2 / "median.toml": "record-median.json",
    V2 / "magnitudes.toml": "record-magnitudes.json",
    V2 / "look.toml": "record-look.json",
    V2 / "levels.toml": "record-levels.json",
    V2 / "keys.toml": "record-keys.json",
    V2 / "pay-look.toml": "record-pay-look.json",
    V2 / "pay.toml": "record-pay.json",
}


def shown(path: Path | str) -> str:
    """Return the name of a case: the version and the file."""
    return "-".join(Path(path).parts[-2:])


def each_of(*patterns: str) -> pytest.MarkDecorator:
    """Return the files of every version whose names fit."""
    found = sorted(path for pattern in patterns for path in GOLDEN.glob(f"v*/{pattern}"))
    return pytest.mark.parametrize("path", found, ids=shown)


each_study = pytest.mark.parametrize(
    ("study", "record"), {**STUDIES, **NEWER}.items(), ids=lambda each: shown(Path(each))
)


def in_its_place(folder: Path, study: Path) -> Path:
    """Return a study in a folder of its own, with its table."""
    for path in (study, *study.parent.glob("*.csv")):
        shutil.copy(path, folder / path.name)
    return folder / study.name


@each_study
def test_a_study_still_asks_what_it_asked(study, record):
    kept = json.loads((study.parent / record).read_text())
    request = snapdp.study(study).request()
    assert request.epsilon == Fraction(kept["charged"])
    titles = [each["title"] for each in kept["statistics"]]
    assert [each["title"] for each in request.declaration["statistics"]] == titles
    assert identical(request.epsilon, request.declaration) == kept["request"]


@each_of("record*.json")
def test_a_record_is_read_and_audited_as_sound(path):
    record = json.loads(path.read_text())
    assert path.parent.name == f"v{record['snapdp_record']}"
    assert snapdp.load_release(path).record == record
    assert audit(record).findings == ()


@pytest.mark.parametrize("name", ["persons", "levels", "keys"])
def test_a_record_of_tables_is_the_release_of_its_study_and_says_all_that_it_said(name):
    record = json.loads((V2 / f"record-{name}.json").read_text())
    request = snapdp.study(V2 / f"{name}.toml").request()
    assert identical(request.epsilon, request.declaration) == record["request"]
    for line, mechanisms, kept in zip(request.lines, request.mechanisms, record["statistics"], strict=True):
        said = line.statistic.declaration()
        assert {key: kept[key] for key in said} == said
        for part, m, block in zip(line.statistic.parts, mechanisms, kept["parts"], strict=True):
            assert (block["name"], block["moving"]) == (part.numerator.name, part.moving)
            assert (block["noise_scale"], block["grid"]) == (str(m.parameters.noise_scale), str(m.parameters.grid))


def test_a_record_of_levels_and_of_means_with_one_count_is_kept():
    record = json.loads((V2 / "record-levels.json").read_text())
    count, total, means = record["statistics"]
    assert (count["margins"], total["margins"]) == ("hierarchy", "hierarchy")
    assert [each["level"] for each in count["by"]["parents"]] == ["county", "half"]
    assert [len(count["parts"]), len(total["parts"])] == [3, 4]  # the number of rows is public
    assert ([each["name"] for each in means["columns"]], means["complete"]) == (["weight", "height"], True)
    levels = [block for block in record["derived"] if "deviation" in block]
    assert [block["margin"] for block in levels] == [[], ["half"], ["county"], ["place"]] * 2
    assert {type(block["deviation"]) for block in levels} == {float, list}
    for block in levels[:4]:
        assert sum(block["value"]) == pytest.approx(24)


def test_a_record_of_keys_is_kept_and_its_keys_are_those_of_their_files():
    record = json.loads((V2 / "record-keys.json").read_text())
    counts, means, bins = record["statistics"]
    assert counts["by"] == [{"name": "place", "kind": "key"}, {"name": "year", "kind": "key", "compare": "numbers"}]
    assert counts["keys"] == means["keys"] != bins["keys"]
    with (V2 / "keys.csv").open(newline="", encoding="utf-8") as file:
        assert counts["keys"]["cell"] == list(csv.reader(file))[1:]
    assert [each["keys"]["count"] for each in record["statistics"]] == [5, 5, 2]


def test_a_record_of_persons_groups_and_margins_is_kept():
    record = json.loads((V2 / "record-persons.json").read_text())
    assert (record["person"], record["rows_per_person"]) == (["user", "land"], 2)
    fields = set().union(*record["statistics"])
    assert {"groups_per_person", "rows_per_person", "margins", "shares", "by", "where"} <= fields
    adjusted = [block for block in record["derived"] if "deviation" in block]
    assert [block["margin"] for block in adjusted][:4] == [[], ["ward"], ["sex"], ["ward", "sex"]]
    total, by_ward, by_sex, table = (sum(block["value"]) for block in adjusted[:4])
    assert by_ward == pytest.approx(total)
    assert by_sex == pytest.approx(total)
    assert table == pytest.approx(total)


@pytest.mark.parametrize(
    ("name", "blocks"),
    [
        *((name, ["quantile", "distribution"]) for name in ("quantiles", "median")),
        *((name, ["bounds", "share"]) for name in ("magnitudes", "look")),
    ],
)
def test_a_record_of_ranks_is_the_release_of_its_study_and_its_indices_give_the_numbers_they_gave(name, blocks):
    record = json.loads((V2 / f"record-{name}.json").read_text())
    request = snapdp.study(V2 / f"{name}.toml").request()
    assert identical(request.epsilon, request.declaration) == record["request"]
    for place, (line, mechanisms) in enumerate(zip(request.lines, request.mechanisms, strict=True)):
        kept = record["statistics"][place]
        drawn = [
            Drawn(line=line, part=part, mechanism=m, indices=block["index"])
            for part, m, block in zip(line.statistic.parts, mechanisms, kept["parts"], strict=True)
        ]
        derived = [block for block in record["derived"] if block["statistic"] == place]
        assert [block.name for _, block in derived_blocks([drawn])] == blocks
        for (_, block), said in zip(derived_blocks([drawn]), derived, strict=True):
            assert block.listed == {key: said[key] for key in block.listed}
    every = [each for block in record["derived"] for each in ends(block)]
    assert all(low <= each <= high for low, each, high in every)


def ends(block: dict[str, Any]) -> Iterator[tuple[float, float, float]]:
    """Yield the end of an interval, the number and the other end; what is open has no end."""
    for low, shown_, high in zip(block["low"], block["shown"], block["high"], strict=True):
        yield -math.inf if low is None else low, shown_, math.inf if high is None else high


def test_a_record_of_looks_has_bounds_that_were_found_and_some_that_were_not():
    found = {(each["title"], low, high) for each in looks("magnitudes") + looks("look") for low, _, high in ends(each)}
    assert ("magnitudes(minutes)", 4.0, math.inf) in found
    assert ("magnitudes(minutes)", -math.inf, 128.0) in found
    assert ("magnitudes(ward)", -math.inf, math.inf) in found
    assert ("magnitudes(score)", 1.0, math.inf) in found


def looks(name: str) -> list[dict[str, Any]]:
    record = json.loads((V2 / f"record-{name}.json").read_text())
    return [block for block in record["derived"] if block["name"] == "bounds"]


@each_of("values.csv")
def test_a_record_still_holds_the_numbers_that_were_published(path):
    with path.open(newline="", encoding="utf-8") as file:
        published = [(row["statistic"], row["cell"], float(row["value"])) for row in csv.DictReader(file)]
    numbers = snapdp.load_release(path.with_name("record.json")).numbers()
    assert [(each.statistic, each.cell, float(each.value)) for each in numbers] == published


def test_records_of_version_2_with_and_without_what_is_shown_are_kept():
    shown = {
        name: {each.shown for each in snapdp.load_release(V2 / name).numbers()}
        for name in ("record.json", "record-shown.json")
    }
    assert shown["record.json"] == {None}
    assert None not in shown["record-shown.json"]
    assert any(each.moved for each in snapdp.load_release(V2 / "record-shown.json").numbers())


def test_a_side_file_is_the_one_its_record_names():
    block = json.loads((V1 / "record-with-files.json").read_text())["statistics"][0]["parts"][0]["file"]
    content = base64.b64decode((V1 / f"{block['name']}.base64").read_text())
    assert block["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("name", ["report.html", "report-with-files.html"])
def test_a_report_of_a_record_still_shows_its_numbers(name):
    page, release = (
        (V1 / name).read_text(),
        snapdp.load_release(V1 / name.replace("report", "record").replace("html", "json")),
    )
    today = release.to_html()
    for block in release.blocks():
        unknown = unknown_places(block) if block.is_first else ()
        for place, number in enumerate(block.numbers):
            assert f">{six_digits(number.value)}<" in page
            assert f">{shown_value(number)}<" in today or place in unknown  # of which nothing is known, is no result
            assert f">{shown_interval(number)}<" in today


@each_of("*certificate*.json", "program-refutation.json")
def test_a_certificate_is_still_accepted(path):
    found = CliRunner().invoke(main, ["check", str(path)])
    assert (found.exit_code, found.output.split("\n")[0]) == (0, "ACCEPTED")


def test_the_certificate_of_a_program_has_the_format_of_its_version():
    for version, folder in ((1, V1), (2, V2)):
        kept = json.loads((folder / "program-certificate.json").read_text())
        assert kept["format"] == f"snapdp-certificate/{version}"
