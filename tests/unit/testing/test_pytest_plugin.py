"""The plugin of pytest: findings are the failure, others are left alone, and nothing is imported before it is asked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module

from tests import ROOT

GUIDE = (ROOT / "docs" / "guide" / "test-your-own.md").read_text(encoding="utf-8")
OWN = """
import random
import sys

import pytest


def test_nothing_was_imported_for_those_who_do_not_ask():
    assert "numpy" not in sys.modules
    assert "snapdp.testing.auditing" not in sys.modules


@pytest.mark.dp_audit(epsilon=1, sensitivity=5)
@pytest.mark.parametrize("claimed", [5, 1])
def test_mine(dp_audit, claimed):
    dp_audit(lambda rows: round(sum(rows) + random.gauss(0, 9)), [1, 2], [1, 7], sensitivity=claimed, delta=1e-6)


@pytest.mark.dp_audit(epsilon=1, sensitivity=1, delta=1e-6)
class TestNearest:
    @pytest.mark.dp_audit(sensitivity=5)
    def test_the_marker_of_the_function_wins(self, dp_audit):
        dp_audit(lambda rows: round(sum(rows) + random.gauss(0, 9)), [1, 2], [1, 7])


@pytest.mark.dp_audit(1, 5)
def test_claims_without_names(dp_audit):
    pass


@pytest.mark.dp_audit(epsilon=1)
def test_marked_alone():
    pass


def test_asking_for_nothing(dp_audit):
    pass
"""


def run(folder, text):
    (folder / "test_own.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "snapdp.testing.pytest_plugin", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_a_finding_is_the_failure_and_those_who_do_not_ask_are_left_alone(tmp_path):
    found = run(tmp_path, OWN)
    assert "1 failed, 4 passed, 2 errors" in found.stdout, found.stdout + found.stderr
    assert "dp_audit takes claims by name" in found.stdout
    assert "ask for the fixture dp_audit too" in found.stdout
    told = found.stdout.split("dp_audit: passed, and not judged")[1]
    assert "test_asking_for_nothing: the fixture was asked for, and audited nothing" in told
    assert "it is Gaussian, and a delta is claimed" in told
    assert "AuditFailure: sensitivity: a lambda: 1 violation in 68 replays" in found.stdout
    assert "sensitivity: with the same noise the released numbers move by 5" in found.stdout
    assert "test_own.py:16)" in found.stdout  # where the noise is drawn
    assert "auditing.py:" not in found.stdout  # no frames of ours


def test_the_test_of_the_guide_passes(tmp_path):
    (shown,) = re.findall(r"^```py\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    (sound,) = [block for block in blocks if block.startswith("import snapdp\n")]
    found = run(tmp_path, sound.split("\n\naudit(")[0] + "\n\n" + shown)
    assert "3 passed" in found.stdout, found.stdout + found.stderr


def test_the_entry_point_leads_to_the_plugin():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = import_module(project["entry-points"]["pytest11"]["snapdp"])
    assert callable(module.pytest_configure)
    assert hasattr(module, "dp_audit")
