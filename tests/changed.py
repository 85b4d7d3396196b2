"""The tests of what changed since the last commit on which .ci/run passed: `bin/test --changed`.

A file of the package has the tests of its mirrored folder, those that import it, and its doctests; a file of tests has
itself or those that import it; a page has the tests that carry or name it. What lies farther away is for `.ci/run`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests import ROOT

PASSED = "refs/snapdp/ci-passed"  # .ci/run moves it at its end
DOCTESTS = "tests/docs/test_examples.py::test_docstring_examples_give_what_they_show"
PAGES = "tests/docs"


def git(root: Path, *words: str) -> list[str]:
    """Return what git says, by lines; nothing where it fails."""
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False).stdout.splitlines()


def changed_files(root: Path) -> list[str]:
    """Return the files that are not what they were at that commit; without one, in the working tree or at HEAD~1."""
    base = PASSED if git(root, "rev-parse", "--verify", "--quiet", PASSED) else "HEAD"
    untracked = git(root, "ls-files", "--others", "--exclude-standard")
    changed = [*git(root, "diff", "--name-only", "--diff-filter=d", base), *untracked]
    return changed or (git(root, "diff", "--name-only", "--diff-filter=d", "HEAD~1") if base == "HEAD" else [])


def targets(root: Path, changed: Iterable[str]) -> list[str]:
    """Return what pytest is to run: files, and single tests of files that do not run as a whole."""
    found = {str(each) for path in changed for each in _tests_of(root, Path(path))}
    return sorted(each for each in found if "::" not in each or each.partition("::")[0] not in found)


def _tests_of(root: Path, path: Path) -> Iterator[Path | str]:
    if path.suffix == ".md":
        yield from _tests_of_page(root, path)
    elif path.match("test_*.py"):
        yield path
    elif path.parts[0] == "tests" and path.suffix == ".py":
        yield from _importing(root, path)
    elif path.parts[:2] == ("src", "snapdp"):
        inner = path.relative_to("src/snapdp")
        unit = f"unit/{inner.parent}/test_*.py" if inner.parts[1:] else f"unit/test_{inner.stem}.py"
        for pattern in (unit, f"{inner.parts[0]}/test_{inner.stem}*.py"):
            yield from (each.relative_to(root) for each in (root / "tests").glob(pattern))
        if path.suffix == ".py" and path.stem != "__main__":
            yield from _importing(root, path.relative_to("src"))
            yield f"{DOCTESTS}[{_dotted(path.relative_to('src'))}]"


def _dotted(path: Path) -> str:
    return ".".join(part for part in path.with_suffix("").parts if part != "__init__")


def _importing(root: Path, path: Path) -> Iterator[Path]:
    """Yield the files of tests that import a module directly."""
    above, _, name = _dotted(path).rpartition(".")
    whole = rf"(?:from|import) {re.escape(_dotted(path))} *(?:import|as|$)"
    part = rf"from {re.escape(above)} import (?:\([^)]*|[^\n]*)\b{name}\b"
    imports = re.compile(rf"^\s*(?:{whole}|{part})", re.MULTILINE)
    for each in (root / "tests").rglob("test_*.py"):
        if imports.search(each.read_text(encoding="utf-8")):
            yield each.relative_to(root)


def _tests_of_page(root: Path, path: Path) -> Iterator[Path | str]:
    """Yield the files of tests that name a page, and the single tests that have it as a parameter."""
    named = re.compile(rf"(?<![\w-]){re.escape(path.name)}")
    for each in (root / PAGES).rglob("test_*.py"):
        if named.search(each.read_text(encoding="utf-8")):
            yield each.relative_to(root)
    listed = [sys.executable, "-m", "pytest", "--collect-only", "-q", PAGES]
    found = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=False).stdout.splitlines()
    parameters = ((each, each.rpartition("[")[2].removesuffix("]").removesuffix(".md")) for each in found)
    yield from (each for each, name in parameters if name and f"/{path.with_suffix('')}".endswith(f"/{name}"))


if __name__ == "__main__":
    if not (run := targets(ROOT, changed_files(ROOT))):
        sys.exit("Nothing changed that has tests of its own.")
    print(*run, sep="\n")
    os.execv(sys.executable, [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadgroup", *sys.argv[1:], *run])
