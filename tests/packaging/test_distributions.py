"""Wheel and sdist are built, are complete, and work in a fresh environment of every Python that the project names.

Long: environments are made, and packages fetched into them. The command is run from the environment, outside the tree.
An interpreter that is not here is said to be missing, or fails where SNAPDP_REQUIRE has its name (tests/services.py).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import snapdp
from tests import ROOT
from tests.services import missing

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSIONS = re.findall(r"Programming Language :: Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
NAME = f"snapdp-{snapdp.__version__}"
ADDED = {"PKG-INFO", ".gitignore"}  # by the one who builds; the second because it says what is left out
LEFT_OUT = {".ci"}
ADVISORIES = [  # a package that is required, the first version that the advisory does not name, and its number
    ("click", "8.3.3", "CVE-2026-7246"),
    ("cryptography", "50.0.0", "CVE-2026-69247"),
    ("h11", "0.16", "CVE-2025-43859"),
    ("jinja2", "3.1.6", "CVE-2025-27516"),
    ("pytest", "9.0.3", "CVE-2025-71176"),
    ("starlette", "1.3.1", "CVE-2026-54283"),
]


def numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers, in the order that versions have."""
    return tuple(map(int, version.split(".")))


def clean_environment() -> dict[str, str]:
    """Return the environment variables without what would let Python find the tree."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}


def run(*words: str | Path, where: Path) -> str:
    """Run a command outside the tree, and return what it printed."""
    done = subprocess.run(
        list(map(str, words)), cwd=where, env=clean_environment(), capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def interpreter(version: str) -> str | None:
    """Return an interpreter of a version: this one, one on the path, or one that pyenv keeps."""
    if version == ".".join(map(str, sys.version_info[:2])):
        return sys.executable
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    named = shutil.which(f"python{version}")
    candidates = [*([named] if named else []), *map(str, kept.glob(f"{version}.*/bin/python{version}"))]
    works = (each for each in candidates if subprocess.run([each, "-V"], capture_output=True).returncode == 0)
    return next(works, None)


def fresh(python: str, place: Path) -> Path:
    """Return the directory of the commands of a fresh environment."""
    run(python, "-m", "venv", place, where=place.parent)
    return place / "bin"


def tracked() -> set[str]:
    """Return the files of the project that are not left out of what is handed out."""
    names = run("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", where=ROOT).splitlines()
    return {each for each in names if each.split("/")[0] not in LEFT_OUT and (ROOT / each).exists()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist of the tree, and the wheel that is built from the unpacked sdist alone."""
    place = tmp_path_factory.mktemp("built")
    commands = fresh(sys.executable, place / "builder")
    run(commands / "pip", "install", "--quiet", *PROJECT["build-system"]["requires"], where=place)
    source = place / "tree"
    for each in tracked():
        (source / each).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / each, source / each)
    run(commands / "hatchling", "build", "-t", "sdist", "-d", place, where=source)
    with tarfile.open(place / f"{NAME}.tar.gz") as archive:
        archive.extractall(place, filter="data")
    run(commands / "hatchling", "build", "-t", "wheel", "-d", place, where=place / NAME)
    return place


def test_the_pythons_that_are_named_begin_with_the_least_and_have_no_gap():
    least = PROJECT["project"]["requires-python"].removeprefix(">=")
    minors = [int(each.removeprefix("3.")) for each in VERSIONS]
    assert VERSIONS[0] == least
    assert minors == list(range(minors[0], minors[0] + len(minors)))


@pytest.mark.parametrize(("name", "repaired", "advisory"), ADVISORIES)
def test_no_version_with_a_published_advisory_satisfies_the_requirements(name, repaired, advisory):
    groups = [PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"].values()]
    (least,) = re.findall(rf"^{name}>=([\d.]+)$", "\n".join(line for group in groups for line in group), re.MULTILINE)
    assert numbers(least) >= numbers(repaired), advisory


@pytest.mark.long
def test_the_sdist_holds_every_file_of_the_project(built):
    with tarfile.open(built / f"{NAME}.tar.gz") as archive:
        held = {member.name.removeprefix(f"{NAME}/") for member in archive if member.isfile()}
    assert held - ADDED == tracked() - ADDED
    assert {"docs/page.png", "bin/demo", "src/snapdp/py.typed", "benchmarks/run.py"} <= held


@pytest.mark.long
def test_the_wheel_holds_the_package_whole_and_nothing_else(built):
    with zipfile.ZipFile(built / f"{NAME}-py3-none-any.whl") as wheel:
        held = set(wheel.namelist())
        metadata = wheel.read(f"{NAME}.dist-info/METADATA").decode()
        entries = wheel.read(f"{NAME}.dist-info/entry_points.txt").decode()
    package = {each.removeprefix("src/") for each in tracked() if each.startswith("src/")}
    assert {each for each in held if not each.startswith(f"{NAME}.dist-info/")} == package
    assert "snapdp/py.typed" in package
    assert f"\nVersion: {snapdp.__version__}\n" in metadata
    assert "\nProject-URL:" not in metadata
    assert "\nHome-page:" not in metadata
    assert entries.split() == ["[console_scripts]", "snapdp", "=", "snapdp.cli.app:main"]


@pytest.mark.long
@pytest.mark.parametrize("version", VERSIONS)
def test_a_fresh_environment_with_the_wheel_alone_makes_a_release_and_verifies_it(built, tmp_path, version):
    python = interpreter(version)
    if python is None:
        missing(f"python{version}", "there is no such interpreter", covered="one on the path, or of pyenv, covers it")
    commands = fresh(python, tmp_path / "environment")
    wheel = built / f"{NAME}-py3-none-any.whl"
    run(commands / "pip", "install", "--quiet", wheel, where=tmp_path)
    assert run(commands / "snapdp", "--version", where=tmp_path).split() == ["snapdp,", "version", snapdp.__version__]
    made = tmp_path / "made"
    run(commands / "snapdp", "demo", "--directory", made, where=tmp_path)
    ledger, record = made / "people.ledger", made / "record.json"
    assert "SOUND" in run(commands / "snapdp", "verify", record, "--ledger", ledger, where=tmp_path).upper()
    run(commands / "snapdp", "lab", "selftest", "--quick", where=tmp_path)
    where = run(commands / "python", "-c", "import snapdp; print(snapdp.__file__)", where=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    run(commands / "pip", "install", "--quiet", f"{wheel}[web]", where=tmp_path)
    run(commands / "python", "-c", "import snapdp.web.app", where=tmp_path)


def test_installing_it_adds_a_command_and_no_plugin_to_other_programs():
    assert list(PROJECT["project"]["scripts"]) == ["snapdp"]
    assert "entry-points" not in PROJECT["project"]
