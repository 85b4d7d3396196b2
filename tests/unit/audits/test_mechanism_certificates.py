"""Records in proved arithmetic: audit and checker derive them alike, and see what was forged in them or beside them."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from fractions import Fraction

import pytest
from click.testing import CliRunner

import snapdp
from snapdp.audits import check_release, mechanism_certificates
from snapdp.audits.release_audit import audit, release_certificate
from snapdp.cli.app import main
from snapdp.errors import SnapdpError
from snapdp.mechanism import declared
from snapdp.mechanism.law.bounds import mass_ratio, proved_loss
from snapdp.mechanism.law.loss import worst_pair
from snapdp.release.certificates import MechanismCertificate, certificate_of
from tests.unit.audits.releases import proved_studies, random_record
from tests.unit.release.test_certificates import NORTH, released


def plain(value):
    return json.loads(json.dumps(value))


def verdicts(record, folder):
    """Return what the audit finds first, and why the checker refuses; None where they do not."""
    try:
        found = audit(record, directory=folder).findings
        said = found[0].field if found else None
    except SnapdpError as refusal:
        said = refusal.problem
    made = plain({**release_certificate(GENUINE["record"]), "record": record, "claim": record["charged"]})
    reasons = check_release.check(made) or check_release.beside(record, str(folder))[0]
    return said, reasons[0] if reasons else None


GENUINE: dict = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("proved")
    asked = [NORTH, {"kind": "sum", "column": "age", "epsilon": "1/3"}]
    GENUINE["record"] = plain(released(found, *asked).record)
    return found


STATISTIC, PART = ("statistics", 0), ("statistics", 0, "parts", 0)
NOWHERE = {"name": f"snapdp-{'0' * 32}.certificate.json", "digest": "sha256:" + "0" * 64}
ABSENT = object()


def forged(path, value):
    """Return the genuine record with another value at a place, or with none."""
    record = copy.deepcopy(GENUINE["record"])
    at = record
    for step in path[:-1]:
        at = at[step]
    if value is ABSENT:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return record


def test_a_genuine_record_is_accepted_by_both(folder):
    assert verdicts(GENUINE["record"], folder) == (None, None)


FORGERIES = {
    "arithmetic of the record": (("arithmetic",), "exact"),
    "arithmetic of a statistic": ((*STATISTIC, "arithmetic"), ABSENT),
    "notes": ((*STATISTIC, "arithmetic"), "notes"),
    "exact in words": ((*STATISTIC, "arithmetic"), "exact"),
    "bits of a statistic": ((*STATISTIC, "bits"), 118),
    "bits as text": ((*STATISTIC, "bits"), "128"),
    "many bits": ((*STATISTIC, "bits"), 10**9),
    "bits of a part": ((*PART, "bits"), 118),
    "a noise scale of exact arithmetic": ((*PART, "noise_scale"), "2"),
    "a version that has no such arithmetic": (("snapdp_record",), 1),
    "no certificate": ((*PART, "certificate"), ABSENT),
    "a name that does not follow from the digest": ((*PART, "certificate", "name"), "../x.json"),
    "another digest": ((*PART, "certificate", "digest"), NOWHERE["digest"]),
    "a value of another index": ((*PART, "value"), [1000]),
}


@pytest.mark.parametrize(("path", "value"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_record_is_refused_by_both(folder, path, value):
    said, reason = verdicts(forged(path, value), folder)
    assert said is not None
    assert reason is not None


def test_the_certificate_of_another_part_is_refused_by_both(folder):
    other = GENUINE["record"]["statistics"][1]["parts"][0]["certificate"]
    said, reason = verdicts(forged((*PART, "certificate"), other), folder)
    assert said == "statistics[0].parts[0].certificate"
    assert reason == f"{other['name']}: the certificate of another mechanism"


@pytest.mark.usefixtures("folder")
def test_a_digest_of_a_file_that_is_not_there_is_told_and_not_judged(tmp_path):
    made = forged((*PART, "certificate"), NOWHERE)
    assert verdicts(made, tmp_path) == (None, None)
    assert [each.beside for each in audit(made, directory=tmp_path).certificates] == [False, False]


def test_another_file_under_the_name_of_a_certificate_is_refused_by_both(folder, tmp_path):
    name = GENUINE["record"]["statistics"][0]["parts"][0]["certificate"]["name"]
    for text in ("", "[]", "\ud7ff", '{"claim": "1/2"}', (folder / name).read_text() + " "):
        (tmp_path / name).write_text(text)
        said, reason = verdicts(GENUINE["record"], tmp_path)
        assert said == "statistics[0].parts[0].certificate"
        assert reason == f"{name}: another file than the one that the record names"


def named_file(content: bytes, folder):
    """Write a file where the certificate of its digest belongs; return the genuine record with that digest."""
    found = MechanismCertificate(digest="sha256:" + hashlib.sha256(content).hexdigest())
    (folder / found.name).write_bytes(content)
    return forged((*PART, "certificate"), found.stated), found.name


@pytest.mark.usefixtures("folder")
def test_bytes_that_are_no_text_are_refused_by_both_even_where_their_digest_is_named(tmp_path):
    made, name = named_file(b'{"claim": "\xff\xfe"}', tmp_path)
    said, reason = verdicts(made, tmp_path)
    assert said == "statistics[0].parts[0].certificate"
    assert reason is not None
    assert reason.startswith(name)


@pytest.mark.usefixtures("folder")
def test_no_more_is_read_of_a_file_than_a_certificate_may_have(tmp_path, monkeypatch):
    """One character more, which shows that it is too long."""
    read = []
    monkeypatch.setattr(mechanism_certificates, "LARGEST_TEXT", 100)
    monkeypatch.setattr(mechanism_certificates, "fault_of_certificate", lambda text, _: read.append(len(text)))
    audit(named_file(b"x" * 1000, tmp_path)[0], directory=tmp_path)
    assert read == [101]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("digest", ["sha256:/../../elsewhere", "/../elsewhere", "sha256:" + "0" * 63, ""])
def test_what_is_no_digest_leads_to_no_file(tmp_path, digest):
    name = MechanismCertificate(digest=digest).name
    inside = tmp_path / "inside"
    (inside / "snapdp-").mkdir(parents=True)
    (inside / name).write_text("{}")
    made = forged((*PART, "certificate"), {"name": name, "digest": digest})
    found = audit(made, directory=inside)
    assert [each.beside for each in found.certificates] == [False, False]
    assert any(each.field.startswith("statistics[0].parts[0].certificate") for each in found.findings)
    assert check_release.check(plain({**release_certificate(GENUINE["record"]), "record": made}))


@pytest.mark.usefixtures("folder")
def test_a_certificate_of_other_parameters_is_refused_by_both_even_where_its_digest_is_named(tmp_path):
    """A mechanism with another epsilon, bits or range has a certificate that is accepted: it is of another one."""
    for other in ({"epsilon": 1}, {"bits": 118}, {"upper": 5}):
        said = {"epsilon": "1/2", "sensitivity": 1, "lower": 0, "upper": 4, "bits": 128, **other}
        file = certificate_of(declared(**said, arithmetic="proved").parameters)
        (tmp_path / file.name).write_text(file.text)
        said, reason = verdicts(forged((*PART, "certificate"), file.stated), tmp_path)
        assert said == "statistics[0].parts[0].certificate"
        assert reason == f"{file.name}: the certificate of another mechanism"


def test_verify_and_check_say_to_check_the_certificates(folder, tmp_path):
    record = GENUINE["record"]
    (folder / "record.json").write_text(json.dumps(record))
    names = [each["parts"][0]["certificate"]["name"] for each in record["statistics"]]
    audited = CliRunner().invoke(main, ["verify", str(folder / "record.json"), "--certificate", str(folder / "c.json")])
    assert audited.exit_code == 0
    assert "snapdp check" in audited.output
    assert names[0] in audited.output.replace("\n", "")
    checked = CliRunner().invoke(main, ["check", str(folder / "c.json")])
    assert checked.exit_code == 0
    assert "finite precision proved" in checked.output
    assert all(f"snapdp check {name}" in checked.output for name in names)
    (folder / names[0]).rename(tmp_path / names[0])
    try:
        told = CliRunner().invoke(main, ["verify", str(folder / "record.json")]).output
    finally:
        (tmp_path / names[0]).rename(folder / names[0])
    assert f"Not beside the record: {names[0]}" in told.replace("\n", " ").replace("  ", " ")


def test_the_checker_run_alone_names_the_certificates(folder, capsys):
    path = folder / "alone.json"
    path.write_text(json.dumps(plain(release_certificate(GENUINE["record"]))))
    assert check_release.main([str(path)]) == 0
    said = capsys.readouterr().out
    names = [each["parts"][0]["certificate"]["name"] for each in GENUINE["record"]["statistics"]]
    assert all(f"snapdp check {name}" in said for name in names)


def agree_on(record):
    found = audit(record)
    assert found.findings == ()
    assert check_release.check(plain(release_certificate(record))) == []


def test_random_studies_in_proved_arithmetic_are_derived_alike():
    dice = random.Random(14)
    for study in proved_studies(dice, 6):
        agree_on(plain(random_record(dice, study)))


@pytest.mark.long
def test_many_random_studies_in_proved_arithmetic_are_derived_alike():
    dice = random.Random()
    for study in proved_studies(dice, 200):
        agree_on(plain(random_record(dice, study)))


@pytest.mark.parametrize("bits", [0, 60, 118, 300])
@pytest.mark.parametrize(("epsilon", "half"), [("1/2", "2"), ("3/40", "2001/2"), ("7", "1/3"), ("1/1000", "50000")])
def test_the_checker_derives_the_mechanism_by_itself(bits, epsilon, half):
    found = check_release.finite_mechanism(Fraction(epsilon), Fraction(half), bits)
    p = declared(
        epsilon=epsilon, sensitivity=1, lower=0, upper=2 * Fraction(half), arithmetic="proved", bits=bits or None
    ).parameters
    assert found[:5] == (p.precision.uniform, p.noise_scale, p.grid, p.value_upper, p.bound)
    common = {"noise_scale": p.noise_scale, "grid": p.grid, "bound": p.bound, "precision": p.precision}
    assert abs(found.surplus - mass_ratio(**common).upper) < Fraction(1, 1 << 190 + p.precision.uniform)
    cell, largest = p.grid / p.noise_scale, (2 * p.bound - p.grid / 2) / p.noise_scale
    overhead, _ = check_release.rounding_overhead(cell, largest, p.precision.uniform)
    assert abs(1 / p.noise_scale + overhead - proved_loss(**common)) < Fraction(1, 1 << 190 + p.precision.uniform)


def test_few_bits_are_refused_by_the_checker_as_by_the_library():
    with pytest.raises(check_release.Refused, match="too few bits"):
        check_release.finite_mechanism(Fraction(1, 2), Fraction(1000), 24)
    with pytest.raises(SnapdpError, match="too few"):
        declared(epsilon="1/2", sensitivity=1, lower=0, upper=2000, arithmetic="proved", bits=24)


def test_the_loss_that_is_recomputed_is_that_of_the_finite_law():
    """The largest loss that a search of the exact law finds is below what the certificate claims."""
    p = snapdp.Snapping(epsilon="1/2", sensitivity=1, lower=0, upper=4, arithmetic="proved", bits=32).parameters
    found = worst_pair(p, values=[p.inner(each) for each in (0, 1, 2, 3)])
    assert found.loss.upper <= Fraction(1, 2)
    assert found.loss.lower > Fraction(1, 2) - Fraction(1, 1 << 24)


def test_a_record_in_exact_arithmetic_is_not_derived_again_to_look_for_certificates(tmp_path, monkeypatch):
    record = plain(random_record(random.Random(1)))
    assert record["arithmetic"] == "exact"
    monkeypatch.setattr(check_release, "read_statistic", None)
    assert check_release.beside(record, str(tmp_path)) == ([], [])
