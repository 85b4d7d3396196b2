"""`snapdp check`: what people see, what machines read, exit codes; and that the file says the same when run alone."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.verifier import check
from tests.unit.verifier.certificates import genuine

HALF = genuine()["snap_half"]


def run(*arguments: str):
    return CliRunner().invoke(main, ["check", *arguments])


@pytest.fixture
def written(tmp_path: Path):
    def write(content: object) -> str:
        path = tmp_path / "certificate.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(path)

    return write


def test_a_genuine_certificate_is_accepted(written):
    done = run(written(HALF))
    assert (done.exit_code, done.stdout) == (0, "ACCEPTED\n")
    done = run(written(HALF), "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, {"accepted": True, "reason": None})


def test_a_wrong_certificate_is_refused_with_a_reason(written):
    done = run(written(HALF | {"claim": "1/2"}))
    assert (done.exit_code, done.stdout) == (1, "REFUSED: the stated bound is above the claim\n")
    done = run(written(HALF | {"roundings": 2}), "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {"accepted": False, "reason": "roundings is not that of the program"}


@pytest.mark.parametrize("content", ["", "{", "not json", "[" * 100_000, "\ufeff{}"])
def test_what_is_no_json_is_unreadable(written, content):
    done = run(written(content))
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "is no JSON" in done.stderr


def test_the_checker_runs_alone_outside_the_package(written, tmp_path):
    """Copied out, in isolated mode: no package, no site directory."""
    alone = tmp_path / "alone" / "check.py"
    alone.parent.mkdir()
    shutil.copy(check.__file__, alone)
    for content, code, said in (
        (HALF, 0, "ACCEPTED"),
        (HALF | {"bound": "1/2"}, 1, "REFUSED: "),
        ("{", 2, "UNREADABLE: "),
    ):
        done = subprocess.run([sys.executable, "-I", "-S", alone, written(content)], capture_output=True, text=True)
        assert done.returncode == code
        assert (done.stderr if code == 2 else done.stdout).startswith(said)
    done = subprocess.run([sys.executable, "-I", "-S", alone], capture_output=True, text=True)
    assert done.returncode == 2
    assert "usage" in done.stderr


@pytest.mark.parametrize("program", ["snap_half", "snap_tenth", "snap_nosign"])
def test_what_verify_writes_check_accepts(program, tmp_path):
    path = str(tmp_path / "certificate.json")
    assert CliRunner().invoke(main, ["verify", program, "--certificate", path]).exit_code in (0, 1)
    assert run(path).exit_code == 0
