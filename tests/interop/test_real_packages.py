"""The adapters against the packages themselves, in an environment of their own: `bin/setup interop` makes it."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interop import checks

ROOT = Path(__file__).resolve().parents[2]
CHECKS = [
    name
    for name, each in vars(checks).items()
    if inspect.isfunction(each) and each.__module__ == checks.__name__ and inspect.getsource(each).count("assert")
]  # fmt: skip
PAGE = ROOT / "docs" / "guide" / "interop.md"


@pytest.fixture(scope="session")
def interpreter():
    """The interpreter of the environment; INTEROP_PYTHON names another one that has the packages."""
    given = os.environ.get("INTEROP_PYTHON")
    if given is None:
        subprocess.run(["bin/setup", "interop"], cwd=ROOT, check=True, env={**os.environ, "PYTHON": sys.executable})
        given = str(ROOT / ".venv-interop" / "bin" / "python")
    return given


def run(interpreter, code, where=ROOT):
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([interpreter, "-c", code], cwd=where, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_there_is_something_to_check():
    assert len(CHECKS) == 11


@pytest.mark.long
@pytest.mark.parametrize("name", CHECKS)
def test_with_the_real_package(interpreter, name):
    run(interpreter, f"from tests.interop import checks; checks.{name}()")


@pytest.mark.long
def test_the_blocks_of_the_guide_that_need_a_package_run(interpreter, tmp_path):
    import re

    blocks = re.findall(r"^```python interop\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        run(interpreter, block, tmp_path)
