"""Attacks on other libraries, each in an environment of its own, made where it is absent: in the long suite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module

import pytest

from snapdp.lab.attacks.gallery import pairs
from snapdp.lab.attacks.peers import INSTALLED_BY
from tests import ROOT

OF_BOTH = dict.fromkeys(("precision", "nan-output", "truncated-noise", "rounded-sum"), "not refuted")
EXPECTED = {
    "diffprivlib": {
        "precision": "refuted",
        "precision-of-sum": "refuted",
        "precision-of-mean": "refuted",
        "nan-output": "refuted",
        "truncated-noise": "not refuted",
        "rounded-sum": "refuted",
        "rounded-mean": "refuted",
        "missing-values": "refuted",
    },
    "opendp": {**OF_BOTH, "changed-group": "refuted", "redefined-column": "refuted"},
    "python-dp": OF_BOTH,
}
RUN = """
import json, sys
from snapdp.lab.attacks.gallery import pairs, rows
names, target = json.loads(sys.argv[1]), sys.argv[2]
print(json.dumps({row.attack.name: row.verdict for row in rows(pairs(names, [target]), seed=1)}))
"""


@pytest.mark.parametrize("target", EXPECTED)
def test_a_verdict_is_expected_of_every_row(target):
    assert [*EXPECTED[target]] == [attack.name for attack, _ in pairs([], [target])]
    assert target in INSTALLED_BY


@pytest.mark.long
@pytest.mark.parametrize("target", EXPECTED)
def test_what_is_known_of_other_libraries_is_found(target, monkeypatch):
    """A verdict "refuted" is expected by far (more than ten times the hits needed); a false one once in a million."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    peers = import_module("peers")
    (known,) = (peer for peer in peers.PEERS if peer.name == target)
    requirements = (*known.requirements, "numpy>=1.26", "gmpy2>=2.3")
    made = peers.ensure(peers.Peer(f"{target}-attacked", requirements, known.cases_module))
    assert not isinstance(made, peers.Missing), made.reason
    done = subprocess.run(
        [made, "-c", RUN, json.dumps(list(EXPECTED[target])), target],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == EXPECTED[target]
    sys.modules.pop("peers", None)
