"""Sheets for the registry: what is known is filled in, the rest is marked, and nobody's text gets out of its quotes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snapdp.errors import SnapdpError
from snapdp.interop import sheet, sheet_values

GOLDEN = Path(__file__).parents[2] / "vectors" / "golden"
RECORDS = sorted(GOLDEN.glob("v*/record*.json"))
HOSTILE = 'x": y\n- !!python/object [a](javascript:b) <script> \\(z\\) $$w$$ \u202e # \U0001f600 é \x85 *b* _c_'
KEYS = {  # of the registry's schema
    "basic": {"name", "data_curators", "description", "intended_use", "data_product_type", "data_product_region"}
    | {"data_product_sector", "publication_date"},
    "dp_variant": {"variant_name", "data_domain", "unprotected_quantities"},
    "privacy_loss": {"privacy_unit", "privacy_unit_details", "number_of_privacy_units", "privacy_parameters"}
    | {"privacy_parameters_details"},
    "deployment_model": {"model_name", "model_name_details", "trust_assumptions", "actors", "release_type"}
    | {"release_type_details", "data_source_type", "data_source_type_details", "access_type", "access_type_details"},
    "implementation": {"preprocessing_and_hyperparameter_tuning", "mechanisms", "composition", "post_processing"}
    | {"justification", "utility", "additional_information"},
    "administrative": {"evidence_sources", "status", "registry_authors", "tier"},
}


def record(name="v2/record.json", **more):
    return {**json.loads((GOLDEN / name).read_text(encoding="utf-8")), **more}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_golden_record_has_a_sheet_with_the_keys_of_the_registry(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    values = sheet_values(found)
    assert set(values) == {"url_slug", "deployment"}
    assert set(values["deployment"]) == set(KEYS)
    for group, keys in values["deployment"].items():
        assert set(keys) <= KEYS[group]
    assert str(values["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"]) == found["charged"]
    assert sheet(found).count("FILL IN: ") >= 10


def test_what_is_known_is_filled_in():
    lines = sheet(record(title="Ages", publisher="Office", date="2026-03-01")).splitlines()
    for line in (
        'url_slug: "people"',
        '    name: "Ages"',
        '      - data_curator_name: "Office"',
        '    publication_date: "2026-03-01"',
        '    variant_name: "Pure DP"',
        "    number_of_privacy_units: 40",
        "      epsilon: 1.5",
        '    model_name: "Central"',
        '    status: "Draft"',
        "    tier: 3",
    ):
        assert line in lines


def test_a_private_number_of_rows_is_not_told():
    found = sheet_values(record("v2/record-persons.json"))["deployment"]["privacy_loss"]
    assert "number_of_privacy_units" not in found
    assert found["privacy_unit"] == "Person"


def test_an_epsilon_without_a_decimal_is_rounded_up():
    assert "epsilon: 5.075733333333334" in sheet(record("v1/record.json"))  # 9517/1875


def test_no_released_number_is_in_a_sheet():
    found = record()
    numbers = {str(each) for part in found["statistics"][0]["parts"] for each in (*part["value"], *part["index"])}
    text = sheet(found)
    assert not [each for each in numbers if f" {each}" in text]


@pytest.mark.parametrize("field", ["title", "publisher"])
def test_a_hostile_text_stays_one_quoted_scalar_without_marks(field):
    text = sheet(record(**{field: HOSTILE.replace("\n", "").replace("\x85", "")[:200]}))
    assert len(text.splitlines()) == len(sheet(record()).splitlines())
    (line,) = [each for each in text.splitlines() if "python/object" in each]
    value = json.loads(line.partition(": ")[2])
    assert "\\[a\\](" in value
    assert "\\<script\\>" in value
    assert "$" not in value
    assert "\\(" not in value
    assert "\u202e" not in value
    assert "\U0001f600" in line  # as it is: YAML reads no pair of surrogates


def test_a_hostile_dataset_is_a_plain_address():
    found = record(dataset="../../Etc: [x]\u202e")
    assert sheet_values(found)["url_slug"] == "etc-x"
    assert sheet_values(record(dataset="\u4eba"))["url_slug"] == "dataset"


@pytest.mark.parametrize("wrong", [{}, {"snapdp_record": 9}, {"snapdp_record": 2, "surprise": 1}])
def test_what_is_no_record_is_refused(wrong):
    with pytest.raises(SnapdpError):
        sheet(wrong)
