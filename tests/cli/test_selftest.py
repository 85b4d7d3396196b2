"""`snapdp lab selftest`: what it prints, its codes, and that a fault is told with what to do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import pytest
from click.testing import CliRunner

from snapdp.cli.app import main
from snapdp.lab.selftest.suite import CHECKS
from tests.unit.lab.selftest import faults


def run(*words):
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, ["lab", "selftest", *words], prog_name="snapdp")


def test_a_sound_check_prints_a_table_versions_and_how_to_do_the_same_again():
    done = run("--quick", "--only", "logarithms", "--only", "cipher", "--seed", "7")
    assert done.exit_code == 0, done.output
    assert "same" in done.stdout
    assert "SAME: nothing differs." in done.stdout
    assert "snapdp lab selftest --quick --only logarithms --only cipher --seed 7" in " ".join(done.stdout.split())
    assert all(
        name in done.stdout for name in ("Python ", "gmpy2 ", "MPFR ", "numpy ", "DuckDB ", "SQLite ", "OpenSSL ")
    )
    assert done.stderr.splitlines() == ["logarithms, 1 of 2", "cipher, 2 of 2"]
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_fault_is_told_with_the_check_that_found_it_and_what_to_do(monkeypatch):
    with faults.changed_known_logarithm(monkeypatch):
        done = run("--only", "logarithms")
        as_json = run("--only", "logarithms", "--json")
    assert done.exit_code == 1
    assert "DIFFERENT: logarithms." in done.stdout
    assert "logarithms: known logarithm of 0.00093563518750050" in done.stdout
    assert "Do not release with this installation." in done.stdout
    assert as_json.exit_code == 1
    said = json.loads(as_json.stdout)
    assert (said["ok"], said["error"]) == (False, "different: logarithms.")
    assert said["checks"][0]["verdict"] == "different"
    assert "report it" in said["advice"]


def test_json_has_every_check_with_its_comparisons_and_the_seed():
    said = json.loads(run("--quick", "--only", "cipher", "--seed", "5", "--json").stdout)
    assert (said["ok"], said["seed"], said["quick"]) == (True, 5, True)
    (check,) = said["checks"]
    assert check["check"] == "cipher"
    assert check["comparisons"] == 9
    assert said["versions"]["SQLite"]


def test_a_check_that_cannot_write_is_no_pass_and_says_what_may_be_in_its_way(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "not there"))
    done = run("--quick", "--only", "ledger")
    assert done.exit_code == 1
    assert "DIFFERENT: ledger." in done.stdout
    assert "it broke (FileNotFoundError)" in done.stdout
    assert "A check that broke has not compared everything" in done.stdout
    assert "TMPDIR" in json.loads(run("--quick", "--only", "ledger", "--json").stdout)["advice"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM to hear")
def test_a_run_that_is_ended_leaves_nothing_behind(tmp_path):
    command = [sys.executable, "-m", "snapdp", "lab", "selftest", "--only", "ledger"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not [*tmp_path.glob("*/throw-away.ledger")]:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode in (0, 128 + signal.SIGTERM)  # it takes a tenth of a second, and may be done
    assert [*tmp_path.iterdir()] == []


def test_the_list_has_every_check_and_runs_none():
    done = run("--list")
    assert done.exit_code == 0
    assert all(name in done.stdout for name in CHECKS)
    assert [each["check"] for each in json.loads(run("--list", "--json").stdout)["checks"]] == [*CHECKS]


@pytest.mark.parametrize("words", [("--only", "nothing"), ("--seed", "-1"), ("extra",)])
def test_wrong_usage_is_told_apart_from_a_difference(words):
    assert run(*words).exit_code == 2
