"""Records in proved arithmetic: audit and checker derive them alike, and see what was forged in them or beside them."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import random
import subprocess
import sys
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
from snapdp.release import side_files
from snapdp.release.certificates import MechanismCertificate, certificate_of
from snapdp.verifier.certificate import check
from tests.unit.audits.releases import proved_studies, random_record
from tests.unit.release.test_certificates import NORTH, PERSONS, released


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
    "another format": (("format",), 2),
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
def test_a_file_that_is_too_long_for_a_certificate_is_not_read(tmp_path, monkeypatch):
    """One of a terabyte with nothing in it costs nothing to make."""
    named = GENUINE["record"]["statistics"][0]["parts"][0]["certificate"]
    (tmp_path / named["name"]).touch()
    os.truncate(tmp_path / named["name"], 1 << 40)
    monkeypatch.setattr(side_files.hashlib, "file_digest", lambda *_: pytest.fail("it was read"))
    assert verdicts(GENUINE["record"], tmp_path) == (
        "statistics[0].parts[0].certificate",
        f"{named['name']}: another file than the one that the record names",
    )


HOLLOW = {
    "another format": {"format": "zz"},
    "no bound": {"bound": ABSENT},
    "a bound above the claim": {"bound": "3/5"},
    "another noise": {"noise_epsilon": "1/3"},
    "bits that are no whole number": {"machine": {"p": 128.0}},
    "a field more": {"note": "trust me"},
}


@pytest.mark.parametrize("change", HOLLOW.values(), ids=HOLLOW)
def test_a_hollow_certificate_beside_a_release_is_refused_by_the_command(folder, tmp_path, change):
    """Digest, program, machine and claim are right: the checker of releases compares no more, the other one does."""
    name = GENUINE["record"]["statistics"][0]["parts"][0]["certificate"]["name"]
    content = json.loads((folder / name).read_text())
    for key, value in change.items():
        if value is ABSENT:
            del content[key]
        else:
            content[key] = {**content[key], **value} if isinstance(value, dict) else value
    made, hollow = named_file(json.dumps(content).encode(), tmp_path)
    certificate = plain({**release_certificate(GENUINE["record"]), "record": made})
    (tmp_path / "release.json").write_text(json.dumps(certificate))
    assert check_release.beside(made, str(tmp_path))[0] == []
    refused = CliRunner().invoke(main, ["check", str(tmp_path / "release.json")])
    assert refused.exit_code == 1
    assert refused.output.startswith(f"REFUSED: {hollow}: ")


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


@pytest.mark.usefixtures("folder")
def test_that_somebody_rounds_correctly_is_a_premise_of_finite_precision_alone():
    made = plain(release_certificate(GENUINE["record"]))
    named = [name for name, _, _ in made["premises"]]
    assert named[named.index("fair bits") - 1] == "correct rounding"
    for gone in ("fair bits", "correct rounding"):
        fewer = {**made, "premises": [each for each in made["premises"] if each[0] != gone]}
        assert check_release.check(fewer) == ["premises: not of a release"]
    exact = plain(release_certificate(random_record(random.Random(1))))
    rounded = [each for each in made["premises"] if each[0] == "correct rounding"]
    assert check_release.check({**exact, "premises": [*exact["premises"], *rounded]}) == ["premises: not of a release"]


def names_in(record):
    return [each["parts"][0]["certificate"]["name"] for each in record["statistics"]]


@pytest.fixture
def certified(folder):
    """Return the directory of a genuine record, with its certificate, which names those of its mechanisms."""
    (folder / "record.json").write_text(json.dumps(GENUINE["record"]))
    made = ["verify", str(folder / "record.json"), "--certificate", str(folder / "c.json")]
    assert CliRunner().invoke(main, made).exit_code == 0
    return folder


def said(*arguments):
    return " ".join(CliRunner().invoke(main, [str(each) for each in arguments]).output.split())


def test_verify_and_check_say_to_check_the_certificates(certified):
    """By commands that run from where the others ran: with the directory."""
    names = names_in(GENUINE["record"])
    audited = said("verify", certified / "record.json")
    assert f"Check them: snapdp check {' '.join(str(certified / name) for name in names)}" in audited
    checked = said("check", certified / "c.json")
    assert "finite precision proved" in checked
    assert "correct rounding assumed" in checked
    for name, claim in zip(names, ["1/2", "1/3"], strict=True):
        assert f"claims {claim}: snapdp check {certified / name}" in checked
    every = CliRunner().invoke(main, ["check", *(str(certified / name) for name in names)])
    assert every.exit_code == 0
    assert [line for line in every.output.splitlines() if line.startswith("ACCEPTED")] == [
        f"ACCEPTED: {certified / name}" for name in names
    ]


def test_of_certificates_that_are_not_there_nobody_says_that_they_are(certified, tmp_path):
    names = names_in(GENUINE["record"])
    for gone in (names[:1], names):
        for name in gone:
            (certified / name).rename(tmp_path / name)
        try:
            audited, checked = said("verify", certified / "record.json"), said("check", certified / "c.json")
        finally:
            for name in gone:
                (tmp_path / name).rename(certified / name)
        for name in names:
            assert (f"Not beside the record: {name}. Asking again" in audited) == (name in gone)
            assert (f"not here: {name}" in checked) == (name in gone)
            assert (f"snapdp check {certified / name}" in audited) == (name not in gone)
            assert (f"snapdp check {certified / name}" in checked) == (name not in gone)
        assert "by its certificate" not in audited
        assert "beside" not in checked


def test_a_certificate_that_was_changed_is_not_blamed_on_the_record(certified):
    name = names_in(GENUINE["record"])[0]
    kept = (certified / name).read_bytes()
    (certified / name).write_bytes(kept + b" ")
    try:
        told = said("verify", certified / "record.json")
        (finding,) = json.loads(said("verify", certified / "record.json", "--json"))["findings"]
        (certified / "record.json").write_text(json.dumps({**GENUINE["record"], "charged": "2"}))
        both = said("verify", certified / "record.json")
    finally:
        (certified / name).write_bytes(kept)
    path = certified / "record.json"
    assert told.startswith(f"ALTERED: 1 file beside {path} is not what it must be.")
    assert "record.json itself holds follows from what it declares" in told
    assert finding["about"] == name
    assert both.startswith(f"ALTERED: 1 field of {path} and 1 file beside {path} are not what they must be.")
    assert "itself holds" not in both


def test_the_steps_of_a_claim_are_told_by_audit_and_checker(tmp_path):
    """A person with three rows: the record says epsilon 1/2, and the certificate claims 1/6 of one step."""
    record = plain(released(tmp_path, NORTH, relation=PERSONS).record)
    (certificate,) = audit(record, directory=tmp_path).certificates
    assert (certificate.claim, certificate.steps, certificate.in_words) == (
        Fraction(1, 6),
        (3,),
        "1/6, one of 3 steps of 1/2",
    )
    assert json.loads((tmp_path / certificate.name).read_text())["claim"] == "1/6"
    path = tmp_path / certificate.name
    assert check_release.beside(record, str(tmp_path)) == (
        [],
        [check_release.CHECK_TOO, f"claims 1/6, one of 3 steps of 1/2: snapdp check {path}"],
    )


def test_the_checker_run_alone_names_the_certificates_and_outlives_its_reader(folder, capsys):
    path = folder / "alone.json"
    path.write_text(json.dumps(plain(release_certificate(GENUINE["record"]))))
    assert check_release.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert all(f"snapdp check {folder / name}\n" in told for name in names_in(GENUINE["record"]))
    for checker, file in ((check_release, path), (check, folder / names_in(GENUINE["record"])[0])):
        with subprocess.Popen(
            [sys.executable, "-I", "-S", checker.__file__, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as alone:
            assert alone.stdout is not None
            alone.stdout.close()
            assert alone.stderr is not None
            assert alone.stderr.read() == b""
        assert alone.returncode == 0


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
    dice = random.Random(15)
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
