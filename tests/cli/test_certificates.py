"""`snapdp verify` of certificates: what people see, what machines read, exit codes; the same from the file alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from snapdp.audits import check_program as check
from snapdp.audits.release_audit import release_certificate
from snapdp.cli.app import main
from tests.unit.audits.releases import random_record
from tests.unit.lab.loss.certificates import genuine

HALF = genuine()["snap_half"]
SAID = """\
ACCEPTED
  verified  no output has a privacy loss above 0.50000000000003134385, and the claim is 0.500000000000081712414
  program   U <-$ unif
            S <-$ {-1,1}
            y = (f(D) + ((S * ln(U)) / (1/2)))
            z = clamp[-64, 64](round[2](y))
            return z
  query     f(D), a float from -64 to 64; neighbours differ by at most 1
  machine   53 bits, ln correctly rounded, sampler ulp, of its draws none is the smallest
  claim     loss <= 140737488355351/281474976710656
  assumed   (T3) every operation rounds to nearest, ties to even; no fma; exponents reach those of binary64
            (T4) ln is correctly rounded
            (T5) U has the law of the sampler ulp, S is fair
            (T8) the query gives floats inside its interval, and neighbours differ by at most the sensitivity
"""


def run(*arguments: str):
    return CliRunner().invoke(main, ["verify", *arguments])


@pytest.fixture
def written(tmp_path: Path):
    def write(content: object) -> str:
        path = tmp_path / "certificate.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    return write


def test_a_genuine_certificate_is_accepted(written):
    done = run(written(HALF))
    assert (done.exit_code, done.stdout) == (0, SAID)
    done = run(written(HALF), "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["accepted"], found["reason"]) == (0, True, None)
    assert found["proved"]["claim"] == ["loss <= 140737488355351/281474976710656"]


def test_a_wrong_certificate_is_refused_with_a_reason(written):
    done = run(written(HALF | {"claim": "1/2"}))
    assert (done.exit_code, done.stdout) == (1, "REFUSED: the stated bound is above the claim\n")
    done = run(written(HALF | {"roundings": 2}), "--json")
    assert done.exit_code == 1
    reason = "roundings is not that of the program"
    told = {"ok": False, "accepted": False, "verdict": "REFUSED", "reason": reason, "proved": None}
    assert json.loads(done.stdout) == told


@pytest.mark.parametrize("content", ["", "{", "not json", "[" * 100_000, "\ufeff{}"])
def test_what_is_not_json_could_not_be_checked(written, content):
    done = run(written(content))
    assert done.exit_code == 3
    assert done.stdout.startswith("COULD NOT CHECK: ")
    told = json.loads(run(written(content), "--json").stdout)
    assert (told["ok"], told["accepted"], told["verdict"], told["proved"]) == (False, False, "COULD NOT CHECK", None)


def test_the_checker_runs_alone_outside_the_package(written, tmp_path):
    """Copied out, in isolated mode: no package, no site directory."""
    alone = tmp_path / "alone" / "check.py"
    alone.parent.mkdir()
    shutil.copy(check.__file__, alone)
    for content, code, said in (
        (HALF, 0, "ACCEPTED"),
        (HALF | {"bound": "1/2"}, 1, "REFUSED: "),
        ("{", 3, "COULD NOT CHECK: the file is not JSON"),
    ):
        done = subprocess.run([sys.executable, "-I", "-S", alone, written(content)], capture_output=True, text=True)
        assert done.returncode == code
        assert done.stdout.startswith(said)
    done = subprocess.run([sys.executable, "-I", "-S", alone], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr


@pytest.mark.parametrize("program", ["snap_half", "snap_tenth", "snap_nosign"])
def test_what_verify_writes_check_accepts(program, tmp_path):
    path = str(tmp_path / "certificate.json")
    assert CliRunner().invoke(main, ["lab", "verify", program, "--certificate", path]).exit_code in (0, 1)
    assert run(path).exit_code == 0


def test_a_file_says_itself_whether_it_is_a_record_or_a_certificate(written, tmp_path):
    record = random_record(Random(3))
    assert run(written(record)).stdout.startswith("SOUND")
    for certificate in (release_certificate(record), HALF):
        assert run(written(certificate)).stdout.startswith("ACCEPTED")
        done = run(written(certificate), "--ledger", str(tmp_path / "people.ledger"))
        assert done.exit_code == 2
        assert "belong to a record" in done.stderr
    done = run(written(HALF), written(record))
    assert (done.exit_code, "audit it with `snapdp verify`" in done.stdout) == (1, True)


def test_a_certificate_that_says_a_field_twice_is_refused(written):
    done = run(written('{"program": [], "program": []}'))
    assert (done.exit_code, done.stdout.partition(":")[0]) == (1, "REFUSED")


def test_a_program_is_sent_to_the_laboratory():
    done = run("snap_half")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "A program is for: snapdp lab verify" in " ".join(done.stderr.split())


def test_a_table_is_no_program_and_no_figure_is_made_up_about_it(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age\n" + "1\n" * 100_000)
    done = CliRunner().invoke(main, ["lab", "verify", str(path)])
    assert done.exit_code == 2
    assert "people.csv is longer than 65536 characters." in done.stderr


@pytest.mark.parametrize("command", [["show"], ["verify"], ["history"], ["backup", "b.ledger"]])
def test_a_ledger_that_is_none_was_asked_for_nothing(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("age\n" * 500)
    for path in ("people.csv", "none.ledger"):
        done = CliRunner().invoke(main, ["ledger", command[0], path, *command[1:]])
        assert done.exit_code == 1
        assert "counts as spent" not in done.stderr


def test_of_several_certificates_a_refusal_decides_before_what_could_not_be_checked(written, tmp_path):
    good, bad, pipe = tmp_path / "good.json", tmp_path / "bad.json", tmp_path / "pipe.json"
    good.write_text(json.dumps(HALF))
    bad.write_text(json.dumps(HALF | {"claim": "1/2"}))
    pipe.mkdir()  # what is not a regular file
    assert run(str(good), str(pipe)).exit_code == 3
    done = run(str(good), str(pipe), str(bad))
    assert done.exit_code == 1
    assert [line.partition(":")[0] for line in done.stdout.splitlines() if line[:1] != " "] == [
        "ACCEPTED",
        "COULD NOT CHECK",
        "REFUSED",
    ]
    assert run(str(tmp_path / "none.json")).exit_code == 2  # a misspelt name
    assert run(written("{")).exit_code == 3
