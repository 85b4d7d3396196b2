"""Releases in proved arithmetic: certificates lie beside the record, are public, and are made before the charge."""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.audits.release_audit import audit
from snapdp.cli.app import main
from snapdp.errors import BoundError, ParameterError, PremiseError
from snapdp.ledger.ledger import Ledger
from snapdp.mechanism import FinitePrecision
from snapdp.release import Release, Request
from snapdp.studies import Plan, ask, count_query, planned
from snapdp.studies.conditions import condition
from snapdp.studies.relation import change_one
from tests.unit.release.people import COLUMNS

PEOPLE = {
    "age": {**COLUMNS["age"], "missing": "dropped"},
    "pay": {**COLUMNS["pay"], "missing": "middle"},
    "region": COLUMNS["region"],
}
ROWS = {
    "age": [31, 62, 7, None],
    "pay": [512.5, 999.0, 700.0, 1200.0],
    "region": ["north", "south", "north", "?"],
    "id": ["a", "a", "b", "c"],
}
NORTH = {"kind": "count", "where": [{"column": "region", "equals": "north"}], "epsilon": "1/2"}
SUM = {"kind": "sum", "column": "pay", "epsilon": "1/2"}
ONE = {"relation": "change-one", "n": 4}
PERSONS = {"relation": "add-remove", "n_max": 100, "person": "id", "rows_per_person": 3}


def proved(*statistics, relation=ONE, **more):
    said = {"arithmetic": "proved", "bits": 128, **relation, **more}
    return snapdp.study(dataset="people", columns=PEOPLE, statistic=list(statistics), **said)


def book(folder: Path, relation=ONE) -> Ledger:
    ledger = Ledger.create(folder / "people.ledger")
    persons = {key: relation[key] for key in ("person", "rows_per_person") if key in relation}
    rows = relation.get("n") or relation["n_max"]
    ledger.create_account("people", cap=100, relation=relation["relation"], rows=rows, **persons)
    return ledger


def released(folder, *statistics, relation=ONE, **more):
    with book(folder, relation) as ledger:
        return proved(*statistics, relation=relation, **more).release(ROWS, ledger=ledger, directory=folder)


def parts_of(record):
    return [part for each in record["statistics"] for part in each["parts"]]


@pytest.mark.parametrize("relation", [ONE, PERSONS], ids=["change-one", "persons"])
def test_a_release_in_proved_arithmetic_goes_with_its_certificates(tmp_path, relation):
    asked = [NORTH, SUM, {"kind": "mean", "column": "age", "epsilon": 1}]
    asked += [{"kind": "histogram", "column": "region", "epsilon": 1}]
    record = released(tmp_path, *asked, relation=relation).record
    assert record["arithmetic"] == "proved"
    assert {(each["arithmetic"], each["bits"]) for each in record["statistics"]} == {("proved", 128)}
    for part in parts_of(record):
        content = (tmp_path / part["certificate"]["name"]).read_bytes()
        assert part["certificate"]["digest"] == "sha256:" + hashlib.sha256(content).hexdigest()
        assert part["bits"] == json.loads(content)["machine"]["p"] == 128
        steps = 2 if part["name"] == "centred sum" and relation is ONE else relation.get("rows_per_person", 1)
        assert Fraction(json.loads(content)["claim"]) == Fraction(part["epsilon"]) / steps
    found = audit(record, directory=tmp_path)
    assert found.findings == ()
    assert all(each.beside for each in found.certificates)
    name = parts_of(record)[0]["certificate"]["name"]
    assert CliRunner().invoke(main, ["check", str(tmp_path / name)]).exit_code == 0


def test_the_same_request_again_is_free_and_writes_lost_certificates_again(tmp_path):
    with book(tmp_path) as ledger:
        first = proved(NORTH).release(ROWS, ledger=ledger, directory=tmp_path)
        path = tmp_path / parts_of(first.record)[0]["certificate"]["name"]
        kept = path.read_bytes()
        path.unlink()
        again = proved(NORTH).release(ROWS, ledger=ledger, directory=tmp_path)
    assert again.free
    assert again.record == first.record
    assert path.read_bytes() == kept


def test_a_record_is_saved_with_its_certificates_beside_it(tmp_path):
    release = released(tmp_path, NORTH)
    other = tmp_path / "other"
    other.mkdir()
    release.save(other / "record.json")
    assert {each.name for each in other.iterdir()} == {
        "record.json",
        parts_of(release.record)[0]["certificate"]["name"],
    }
    snapdp.load_release(other / "record.json").save(tmp_path / "loaded.json")
    assert audit(json.loads((tmp_path / "loaded.json").read_text()), directory=other).findings == ()


def plain_text(page):
    return " ".join(re.sub("<[^>]*>", " ", page).replace("\u00d7", "*").split())


@pytest.mark.parametrize("relation", [ONE, PERSONS], ids=["change-one", "persons"])
def test_the_report_says_what_was_done_in_the_arithmetic_of_the_release(tmp_path, relation):
    """Its formula gives the values of the record, and it names bits and certificates; so it does in a notebook."""
    release = released(tmp_path, NORTH, {"kind": "mean", "column": "pay", "epsilon": 1}, relation=relation)
    for page in (plain_text(release.to_html()), plain_text(release._repr_html_())):
        assert "exact Laplace noise" not in page
        assert "Laplace noise in numbers of 128 bits" in page
        assert "value = shift + factor * (middle + grid * index)" in page
        for part in parts_of(release.record):
            shift, factor, grid, *ends = (Fraction(part[key]) for key in ("shift", "factor", "grid", "lower", "upper"))
            middle = sum(ends) / 2
            assert f"{part['grid']} {part['factor']} {part['shift']} {middle} " in page
            assert f"128 {part['certificate']['name']}" in page
            assert part["value"] == [float(shift + factor * (middle + grid * index)) for index in part["index"]]
    named = [each["certificate"]["name"] for each in parts_of(release.record)]
    assert release.certificates() == list(dict.fromkeys(named))


def test_a_record_is_saved_with_the_certificates_that_it_names_and_no_others(tmp_path):
    """An answer of another version may have been made with other certificates."""
    record = released(tmp_path, NORTH).record
    (named,) = proved(NORTH).request().certificate_files
    others = proved({**NORTH, "epsilon": "1/3"}).request().certificate_files
    other = tmp_path / "other"
    other.mkdir()
    Release(record, certificates=(*others, named)).save(other / "record.json")
    assert {each.name for each in other.iterdir()} == {"record.json", named.name}


def test_a_certificate_is_a_function_of_public_parameters(tmp_path):
    """Neighbouring tables have the same files; another epsilon has others."""
    names = []
    for place, rows in enumerate([ROWS, {**ROWS, "region": ["south", "south", "north", "?"]}]):
        folder = tmp_path / str(place)
        folder.mkdir()
        with book(folder) as ledger:
            proved(NORTH, SUM).release(rows, ledger=ledger, directory=folder)
        names.append({each.name: each.read_bytes() for each in folder.glob("*.certificate.json")})
    assert names[0] == names[1]
    assert len(names[0]) == 1  # a count and a sum at one epsilon, of one number of rows, are one mechanism
    other = proved({**NORTH, "epsilon": "1/3"}).request().certificate_files
    assert {each.name for each in other}.isdisjoint(names[0])


def test_bits_are_chosen_where_none_are_declared_and_stand_in_every_part():
    request = snapdp.study(dataset="people", columns=PEOPLE, statistic=[NORTH], arithmetic="proved", **ONE).request()
    assert "bits" not in request.declaration["statistics"][0]
    assert [m.parameters.precision.uniform for each in request.mechanisms for m in each] == [118]


def test_exact_arithmetic_in_words_is_the_request_of_before():
    said = {"dataset": "people", "columns": PEOPLE, "statistic": [NORTH], **ONE}
    plain = snapdp.study(**said).request()
    assert snapdp.study(arithmetic="exact", **said).request().declaration == plain.declaration
    assert "arithmetic" not in plain.declaration["statistics"][0]
    assert plain.certificate_files == ()


def test_what_is_not_proved_is_planned_and_not_released(tmp_path):
    notes = proved(NORTH, arithmetic="notes", n=4000)
    assert notes.plan().total == Fraction(1, 2)
    with book(tmp_path) as ledger, pytest.raises(PremiseError, match="for plans, and no table is released with them"):
        notes.release(ROWS, ledger=ledger, directory=tmp_path)
    with pytest.raises(PremiseError, match="24 bits are too few"):
        proved(NORTH, bits=24).request()
    with pytest.raises(BoundError, match="1025 are more than a record states"):
        proved(NORTH, bits=1025).request()
    with pytest.raises(ParameterError, match="study: bits belongs to finite precision"):
        proved(NORTH, arithmetic="exact")
    with pytest.raises(ParameterError, match="for study, not for tables"):
        planned(ask(count_query(change_one(n=4), where=SOME), epsilon=1, arithmetic=FinitePrecision(bits=24, slack=1)))


SOME = [condition(snapdp.study(dataset="p", columns=PEOPLE, statistic=[NORTH], **ONE).column("region"), equals="north")]


def test_one_request_has_one_arithmetic():
    asked = [count_query(change_one(n=4), where=SOME), count_query(change_one(n=4), where=SOME)]
    lines = [planned(ask(each, epsilon=1, arithmetic=rule)) for each, rule in zip(asked, ["proved", None], strict=True)]
    with pytest.raises(PremiseError, match="two arithmetics"):
        Request(dataset="people", plan=Plan(lines=tuple(lines)))


def test_a_range_that_does_not_fit_the_bits_is_refused_before_anything_is_read_or_spent(tmp_path):
    wide = {"relation": "change-one", "n": 10**9}
    with book(tmp_path, wide) as ledger:
        with pytest.raises(PremiseError, match="40 bits are too few for epsilon = 1/2 and this range"):
            proved(NORTH, relation=wide, bits=40).release("no such file.csv", ledger=ledger, directory=tmp_path)
        assert ledger.account("people").spent == 0
    assert list(tmp_path.glob("*.certificate.json")) == []


def test_in_one_line_it_is_the_same_request(tmp_path):
    with book(tmp_path) as ledger:
        first = proved({"kind": "sum", "column": "age", "epsilon": 1}).release(
            {"age": ROWS["age"]}, ledger=ledger, directory=tmp_path
        )
        again = snapdp.sum(
            {"age": ROWS["age"]},
            column="age",
            bounds=(0, 120),
            integer=True,
            missing="dropped",
            epsilon=1,
            arithmetic="proved",
            bits=128,
            ledger=ledger,
            directory=tmp_path,
        )
    assert again.free
    assert again.record == first.record
