"""One long-lived process per environment: prepares cases and runs them on request, one JSON line for each.

    python worker.py MODULE...        the `cases_*.py` modules to serve

First line out: {"cases": [...], "missing": {module: reason}, "versions": {...}}. Then for each line in,
{"case": name, "min_cpu_seconds": x}, one line out: {"cpu_seconds": s, "values": n} or {"missing": reason}.
The first request for a case prepares it. The worker ends when its input ends.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import platform
import sys
import traceback
from collections.abc import Iterable
from types import ModuleType
from typing import Any, TextIO

from case import Case, Step, measure

PACKAGES = ("snapdp", "numpy", "gmpy2", "cryptography", "diffprivlib", "scikit-learn", "opendp", "python-dp")


def private_stdout() -> TextIO:
    """Return a handle on the answer channel and send everything else that prints to stderr."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


def reason_of(error: BaseException) -> str:
    """Return the last line of what Python would print about the error."""
    return traceback.format_exception_only(error)[-1].strip()


def load(names: Iterable[str]) -> tuple[list[ModuleType], dict[str, str]]:
    """Import the case modules; one that fails is listed with its reason."""
    modules, missing = [], {}
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except Exception as error:
            missing[name] = reason_of(error)
    return modules, missing


def versions() -> dict[str, str]:
    """Return the versions that explain a figure, among them the vector instructions that numpy dispatches to."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if "numpy" in sys.modules:
        simd = sys.modules["numpy"].show_config(mode="dicts").get("SIMD Extensions", {})
        found["numpy SIMD"] = " ".join(simd.get("found", [])) or "baseline"
    return found


class Bench:
    """The prepared cases of this process."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = {case.name: case for case in cases}
        self._steps: dict[str, Step] = {}

    def _step(self, case: Case) -> Step:
        if case.name not in self._steps:
            self._steps[case.name] = case.prepare()
        return self._steps[case.name]

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Run one case; a failure is an answer too."""
        case = self.cases[request["case"]]
        try:
            step = self._step(case)
            sample = measure(
                step, values_per_step=case.values_per_step, min_cpu_seconds=float(request["min_cpu_seconds"])
            )
        except Exception as error:
            return {"missing": reason_of(error)}
        return {"cpu_seconds": sample.cpu_seconds, "values": sample.values}


def main() -> None:
    """Serve requests until the input ends."""
    answers = private_stdout()
    modules, missing = load(sys.argv[1:])
    bench = Bench(case for module in modules for case in module.CASES)
    listing = [{"name": case.name, "kind": case.kind} for case in bench.cases.values()]
    print(json.dumps({"cases": listing, "missing": missing, "versions": versions()}), file=answers)
    for line in sys.stdin:
        print(json.dumps(bench.answer(json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
