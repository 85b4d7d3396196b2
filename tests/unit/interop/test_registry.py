"""Sheets for the registry: what is known is filled in, the rest is marked, and nobody's text gets out of its quotes."""

from __future__ import annotations

import copy
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

from snapdp.errors import DataError, SnapdpError
from snapdp.interop.registry import sheet, sheet_values, yaml_lines

KEPT = Path(__file__).parents[2] / "vectors" / "releases"
RECORDS = sorted(KEPT.glob("record*.json"))
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


def record(name="record.json", **more):
    return {**json.loads((KEPT / name).read_text(encoding="utf-8")), **more}


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_every_record_that_is_kept_has_a_sheet_with_the_keys_of_the_registry(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    values = sheet_values(found)
    assert set(values) == {"url_slug", "deployment"}
    assert set(values["deployment"]) == set(KEYS)
    for group, keys in values["deployment"].items():
        assert set(keys) <= KEYS[group]
    epsilon = values["deployment"]["privacy_loss"]["privacy_parameters"]["epsilon"]
    assert Fraction(repr(epsilon)) >= Fraction(found["charged"])
    assert epsilon == pytest.approx(float(Fraction(found["charged"])), rel=1e-15)
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
        '    access_type: "Non-interactive"',
        '    data_product_type: "Summary statistics"',
        '    status: "Draft"',
        "    tier: 3",
    ):
        assert line in lines


def test_a_private_number_of_rows_is_not_told():
    found = sheet_values(record("record-persons.json"))["deployment"]["privacy_loss"]
    assert "number_of_privacy_units" not in found
    assert found["privacy_unit"] == "Person"


def test_an_epsilon_without_a_decimal_is_rounded_up():
    assert "epsilon: 5.075733333333334" in sheet(record(charged="9517/1875"))


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
    assert "\uff1cscript\uff1e" in value
    assert not {*"$<>&{}@"} & {*value}
    assert "\\(" not in value
    assert "\u202e" not in value
    assert "\U0001f600" in line  # as it is: YAML reads no pair of surrogates


TEXTS = [
    'x\n- evil: true "}: &a *a \u2028\u2029\x85 !!python/object:os.system [a](javascript:x) <script> \x1b[31m # c | >',
    "yes \u202eabc a\tb \x00 \\u000a ' \U0001f600 http://evil.example/x WWW.evil.example a@evil.example $x$ \\(x\\)",
    "---\n...", "- x", "1. x", "=cmd()", "\ufeff{{ x }} ~", "\u2028\x851\n", "abc", "1e99999999", "", "2026-11-18](x)",
    "1_0",
]  # fmt: skip
UNSEEN = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u202e\ufeff"
IN_FORCE = re.compile(rf"(?<!\\)[`*_\[\]#|~]|[$<>&{{}}@{UNSEEN}]|//|\w\.[^\W\d_]|^([-+=]|[0-9]+[.)] )", re.IGNORECASE)
PLAIN = re.compile(r"0|[1-9][0-9]*|[0-9]+\.[0-9]+(e[-+][0-9]+)?")  # read alike by YAML 1.1, YAML 1.2 and JSON
QUOTED = re.compile(r'"([^"\\]|\\[\\"])*"')  # with no escape but these two


def places(value, path=()):
    """Yield the path of every text and number of a record, of lists that of the first."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*path, key))
    elif isinstance(value, list):
        for each in value[:1]:
            yield from places(each, (*path, 0))
    else:
        yield path


def altered(found, path, value):
    """Return a copy with another value at a path."""
    changed = copy.copy(found)
    changed[path[0]] = altered(found[path[0]], path[1:], value) if path[1:] else value
    return changed


def leaves(value):
    if isinstance(value, (dict, list)):
        return [leaf for each in (value.values() if isinstance(value, dict) else value) for leaf in leaves(each)]
    return [value]


def texts_of(value):
    return [each for each in leaves(value) if isinstance(each, str)]


HOSTS = [
    ("record.json", {"title": "T", "publisher": "P", "contact": "C", "date": "2026-03-01"}),
    ("record-persons.json", {}),
]


@pytest.mark.parametrize("host", HOSTS, ids=lambda host: host[0])
def test_whatever_stands_anywhere_in_a_record_is_refused_in_words_or_harmless_in_the_sheet(host):
    found = record(host[0], **host[1])
    found["statistics"] = found["statistics"][:1]
    lines = len([*yaml_lines(sheet_values(found))])
    sheets = {}
    for path in places(found):
        if "parts" in path or "derived" in path:  # released numbers: no sheet reads them
            continue
        for text in TEXTS:
            try:
                values = sheet_values(altered(found, path, text))
            except SnapdpError:
                continue
            sheets[json.dumps(values)] = path, text
    assert len(sheets) > 30
    for stated, where in sheets.items():
        values = json.loads(stated)
        assert not [each for each in texts_of(values) if IN_FORCE.search(each)], where
        written = "\n".join(yaml_lines(values))
        scalars = [re.fullmatch(" *(- )?([a-z_]+:)? ?(.*)", line)[3] for line in written.split("\n")]
        assert all(PLAIN.fullmatch(each) or QUOTED.fullmatch(each) for each in scalars if each), where
        assert len(written.splitlines()) == lines, where
        assert [json.loads(each) for each in scalars if each] == leaves(values), where


def test_a_reader_of_yaml_finds_the_values_of_the_sheet():
    found = record(title=HOSTILE, publisher="yes", charged="1e-9", dataset="\u202e http://a.b")
    assert yaml.safe_load(sheet(found)) == sheet_values(found)


@pytest.mark.parametrize("field", ["charged", "date"])
@pytest.mark.parametrize("wrong", ["abc", "1e99999999", "\u2028\x851\n", "", "-1", "2026-13-01", "1e400"])
def test_a_record_whose_numbers_are_none_is_refused(field, wrong):
    with pytest.raises(DataError, match=f"^{field} = .* in the record is no (number|date)"):
        sheet(record(**{field: wrong}))


@pytest.mark.parametrize("path", [("statistics", 0, "alpha"), ("statistics", 0, "columns", 0, "lower")])
def test_numbers_further_inside_are_read_too(path):
    with pytest.raises(DataError, match="in the record is no number"):
        sheet(altered(record(), path, "0 <b>"))


@pytest.mark.parametrize("charged", ["1e-9", "1e19", "3", "1/3", "0.1", "1/7000000000000", "5e-324", "1e-400"])
def test_epsilon_is_a_number_to_every_reader_of_yaml_and_never_below_the_charge(charged):
    (line,) = [each for each in sheet(record(charged=charged)).splitlines() if each.startswith("      epsilon: ")]
    text = line.removeprefix("      epsilon: ")
    assert PLAIN.fullmatch(text)
    assert "." in text  # without one YAML 1.1 reads 1e-09 as a text
    assert Fraction(text) >= Fraction(charged)


def test_a_hostile_dataset_is_a_plain_address():
    found = record(dataset="../../Etc: [x]\u202e")
    assert sheet_values(found)["url_slug"] == "etc-x"
    assert sheet_values(record(dataset="\u4eba"))["url_slug"] == "dataset"


def test_a_record_that_does_not_say_which_snapdp_wrote_it_is_refused():
    with pytest.raises(DataError, match=r"which snapdp wrote it\.\n  Give a record as a release wrote it"):
        sheet(record(versions={}))


@pytest.mark.parametrize("wrong", [{}, {"format": 9}, {"format": 1, "surprise": 1}])
def test_what_is_no_record_is_refused(wrong):
    with pytest.raises(SnapdpError):
        sheet(wrong)
