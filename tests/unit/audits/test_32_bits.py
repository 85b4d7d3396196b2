"""Both checkers in a 32-bit interpreter: Pyodide, which is CPython in WebAssembly, as a browser has it, run by Node.

npm installs it by its name into a temporary directory; after that nothing is fetched. Where Node or npm is missing the
test fails: `bin/services bin/test -m long` installs them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from snapdp.audits import check_program as check, check_release
from snapdp.audits.release_audit import release_certificate
from tests.unit.audits.mutations import with_value
from tests.unit.audits.test_mutations import ASKED, asked_record
from tests.unit.lab.loss.certificates import genuine

PYODIDE = "pyodide@314"
RUN = """
import { readFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";

const python = await loadPyodide();
python.FS.mkdirTree("/work");
python.FS.mount(python.FS.filesystems.NODEFS, { root: "." }, "/work");
writeFileSync("found.json", python.runPython(readFileSync("run.py", "utf-8")));
"""
PYTHON = """
import contextlib, io, json, sys

sys.path.insert(0, "/work")
import check, check_release

found = []
for checker, name in json.load(open("/work/asked.json")):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        code = {"check": check, "check_release": check_release}[checker].main([f"/work/{name}"])
    found.append([code, said.getvalue()])
json.dumps([sys.maxsize, found])
"""


@pytest.fixture(scope="module")
def pyodide(tmp_path_factory):
    """Return a directory from which Node finds Pyodide."""
    folder: Path = tmp_path_factory.mktemp("pyodide")
    lacking = [name for name in ("node", "npm") if shutil.which(name) is None]
    if lacking:
        pytest.fail(f"There is no {' and no '.join(lacking)} here: `bin/services bin/test -m long` installs both.")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", PYODIDE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        pytest.fail(f"npm cannot install {PYODIDE}: {done.stderr[-500:]}")
    return folder


def asked() -> list[tuple[str, Any, int]]:
    """Return certificates, genuine and changed, each with its checker and the exit code."""
    found: list[tuple[str, Any, int]] = []
    for number in range(len(ASKED)):
        made = json.loads(json.dumps(release_certificate(asked_record(number))))
        charged = ("record", "statistics", 0, "parts", 0, "noise_scale")
        found += [("check_release", made, 0), ("check_release", with_value(made, charged, "1/7"), 1)]
    for made in genuine().values():
        found += [("check", made, 0), ("check", {**made, "claim": "-1", "machine": None}, 1)]
    return found


@pytest.mark.long
def test_both_checkers_say_the_same_in_a_32_bit_interpreter(pyodide):
    wanted = asked()
    for module in (check, check_release):
        shutil.copy(str(module.__file__), pyodide)
    for number, (_, content, _) in enumerate(wanted):
        (pyodide / f"{number}.json").write_text(json.dumps(content))
    (pyodide / "asked.json").write_text(json.dumps([(name, f"{n}.json") for n, (name, _, _) in enumerate(wanted)]))
    (pyodide / "run.mjs").write_text(RUN)
    (pyodide / "run.py").write_text(PYTHON)
    subprocess.run(["node", "run.mjs"], cwd=pyodide, check=True, timeout=3000)
    largest, found = json.loads((pyodide / "found.json").read_text())
    assert largest == 2**31 - 1
    for number, ((name, _, code), (other, said)) in enumerate(zip(wanted, found, strict=True)):
        assert other == code, (name, number, said)
