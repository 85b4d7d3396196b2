"""What stands beside the code: how to cite it, how to report a vulnerability, what installing it brings."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib

import snapdp
from tests import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_citation_names_this_version_and_licence():
    assert f"\nversion: {snapdp.__version__}\n" in CITATION
    assert f"\nlicense: {PROJECT['license']}\n" in CITATION
    assert "doi: 10.1145/2382196.2382264" in CITATION


def test_links_of_the_pages_that_are_no_part_of_the_site_lead_to_files():
    """The others are checked when the site is built."""
    links = {link for page in ROOT.glob("*.md") for link in re.findall(r"\]\(([^)#:\s]+)[)#]", page.read_text("utf-8"))}
    assert len(links) > 10
    assert [link for link in sorted(links) if not (ROOT / link).exists()] == []


def test_what_runs_before_a_change_lands_runs_both_commands_of_the_readme_as_they_stand_there():
    """The tests ran under another command than the one that people are told."""
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert {"bin/demo", "bin/test"} <= {line.split()[0] for line in re.findall(r"^bin/[^\n#]+", page, re.MULTILINE)}
    assert {"bin/demo", "bin/test"} <= {line.split("#")[0].strip() for line in run}


def test_the_tests_say_what_is_missing_where_nothing_can_be_installed(tmp_path):
    """They ran without the databases, and what was skipped stood in a list behind a green line."""
    for name in ("bash", "sh", "dirname", "id", "printf", "sort", "tail"):
        (tmp_path / name).symlink_to(shutil.which(name))
    done = subprocess.run(
        [ROOT / "bin" / "test", "--version"], env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "default-jre-headless" in done.stderr
    assert "skips the tests that need them" in done.stderr
    assert done.stdout == ""


def test_what_messages_and_pages_say_to_install_is_what_the_extras_ask_for():
    """snapdp itself is in no index: `pip install 'snapdp[...]'` would find nothing, or somebody else's."""
    asked = {each for extra in PROJECT["optional-dependencies"].values() for each in extra}
    names = {re.match(r"[\w-]+", each)[0] for each in PROJECT["dependencies"]}
    extras = {f".[{name}]" for name in PROJECT["optional-dependencies"]}
    attacked = {"diffprivlib", "python-dp", "opendp[polars]>=0.16"}  # where they are installed; nothing asks for them
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    said = [
        each for path in files for each in re.findall(r"pip install '?([^';\s\"]+)", path.read_text(encoding="utf-8"))
    ]
    assert len(said) > 8
    assert {each for each in said if each not in {*asked, *names, *extras, *attacked, ".", "{name}"}} == set()
